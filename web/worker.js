// worker.js - the worker: gets the compiled module once, then one list of jobs after the other; a
// reply for each job. The instance for the next job is made while nobody waits for it.
import {prepareTool, runTool} from "./tool.js";

let take, next;
const module = new Promise(resolve => { take = resolve; });
const prepare = async () => prepareTool(warplineTool, await module);
self.onmessage = async ({data}) => {
  if (data.module) {
    take(data.module);
    next = prepare();
  }
  for (const [index, job] of (data.jobs || []).entries()) {
    const result = await runTool(await (next || prepare()), job);
    next = null;
    self.postMessage({id: data.id, index, last: index + 1 === data.jobs.length, result});
    next = prepare();
  }
};
