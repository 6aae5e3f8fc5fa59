// worker.js - the worker: gets the compiled module once, then one list of jobs after the other; a
// reply for each job.
import {runTool} from "./tool.js";

let module;
self.onmessage = async ({data}) => {
  if (data.module) module = data.module;
  if (!data.jobs) return;
  for (const [index, job] of data.jobs.entries()) {
    const result = await runTool(warplineTool, module, job);
    self.postMessage({id: data.id, index, last: index + 1 === data.jobs.length, result});
  }
};
