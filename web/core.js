// core.js - the tool inside the page: unpacks it, compiles it once, and makes the workers that run
// it.
import {fromBase64} from "./state.js";

const block = id => document.getElementById(id).textContent.trim();

async function unpack(id) {
  const stream = new Blob([fromBase64(block(id))]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

// {makeWorker, compiled}: a function that makes a worker, which starts while the module is still
// compiled; and a promise.
export async function loadCore() {
  const compiled = unpack("core").then(bytes => WebAssembly.compile(bytes));
  const script = new TextDecoder().decode(await unpack("worker"));
  const address = URL.createObjectURL(new Blob([script], {type: "text/javascript"}));
  const makeWorker = () => {
    const worker = new Worker(address);
    compiled.then(module => worker.postMessage({module}), () => {});
    return worker;
  };
  return {makeWorker, compiled};
}
