// core.js - the tool inside the page: unpacks it, compiles it once, and makes the workers that run
// it.
import {fromBase64} from "./state.js";

const block = id => document.getElementById(id).textContent.trim();

async function unpack(id) {
  const stream = new Blob([fromBase64(block(id))]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

// A function that makes a worker which has the module.
export async function loadCore() {
  const module = await WebAssembly.compile(await unpack("core"));
  const script = new TextDecoder().decode(await unpack("worker"));
  const address = URL.createObjectURL(new Blob([script], {type: "text/javascript"}));
  return () => {
    const worker = new Worker(address);
    worker.postMessage({module});
    return worker;
  };
}
