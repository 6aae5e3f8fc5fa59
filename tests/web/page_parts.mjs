// page_parts.mjs - the tool inside a built page, for Node: what a browser unpacks from it is what
// runs here.
import {createRequire} from "node:module";
import {gunzipSync} from "node:zlib";
import {readFileSync} from "node:fs";

export async function toolOf(page) {
  const text = readFileSync(page, "utf8");
  const block = id => {
    const [, content] = text.match(new RegExp(`<script type="text/plain" id="${id}">([^<]*)<`)) || [];
    if (!content) throw new Error(`${page} has no block ${id}`);
    return gunzipSync(Buffer.from(content, "base64"));
  };
  const module = await WebAssembly.compile(block("core"));
  globalThis.self = {postMessage: message => self.replies.shift()(message.result), replies: []};
  new Function("require", "__filename", "__dirname", block("worker").toString())(createRequire(import.meta.url), "", "");
  self.onmessage({data: {module}});
  let id = 0;
  return job => new Promise(resolve => {
    self.replies.push(resolve);
    self.onmessage({data: {id: ++id, jobs: [job]}});
  });
}
