// tool.js - runs the command line once: arguments and files in, what it prints out. Every call has
// a fresh instance with a memory of its own: nothing is left of the one before, not even of one
// that failed.

// The texts that runTool() returns are exactly the bytes that the tool writes, as UTF-8.
const decoder = new TextDecoder();
export const FAILED = 134; // the exit code of a tool that was aborted, as a shell says it

// An instance for one call, made before it is needed.
export function prepareTool(makeTool, module) {
  const said = {text: ""}; // before it was aborted
  const tool = new Promise((resolve, reject) => {
    makeTool({
      instantiateWasm(imports, use) {
        WebAssembly.instantiate(module, imports).then(instance => use(instance, module), reject);
        return {};
      },
      thisProgram: "warpline",
      quit(code, error) { throw error; }, // in every environment, so that the page goes on
      preRun: [tool => { tool.ENV.COLUMNS = "1000"; }], // lines are not broken: the page does that
      print() {},
      printErr(line) { said.text += line + "\n"; },
    }).then(resolve, reject);
  });
  tool.catch(() => {}); // told when it is used
  return {tool, said};
}

// job: {words: ["predict", ..], files: {"kernel.yaml": text or bytes}, read: ["plot.svg"]}. The
// files are in the folder that the tool works in. Returns {code, out, err, files: {name: text},
// milliseconds}.
export async function runTool({tool: prepared, said}, job) {
  const start = performance.now();
  let FS;
  const result = {code: FAILED, out: "", err: "", files: {}, milliseconds: 0};
  const text = name => (FS && FS.analyzePath(name).exists ? decoder.decode(FS.readFile(name)) : "");
  try {
    const tool = await prepared;
    FS = tool.FS;
    FS.mkdir("/work");
    FS.chdir("/work");
    for (const [name, bytes] of Object.entries(job.files || {})) FS.writeFile(name, bytes);
    for (const [number, name] of ["/in", "/out", "/err"].entries()) { // stdin, stdout, stderr are files
      FS.close(FS.getStream(number));
      FS.open(name, number ? "w" : "w+");
    }
    result.code = tool.callMain(job.words);
  } catch (error) {
    if (typeof error.status === "number") result.code = error.status;
    else said.text += `${error.message || error}\n`;
  }
  result.out = text("/out");
  result.err = text("/err") + (result.code === FAILED ? `the prediction failed: ${said.text.trim()}\n` : "");
  for (const name of job.read || []) result.files[name] = text(name);
  result.milliseconds = performance.now() - start;
  return result;
}
