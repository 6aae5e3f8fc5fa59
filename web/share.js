// share.js - what the page gives out: texts to the clipboard, and files.
import {find} from "./results.js";
import {save} from "./format.js";
import {textOf} from "./inputs.js";

export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    find("exported").textContent = `${what} copied`;
  } catch {
    find("exported").textContent = `the browser does not allow copying; here it is: ${text}`;
  }
}

const SVG = "image/svg+xml", YAML = "application/yaml";

// last: the prediction on the page; jobs: what else can be asked for, by kind
export async function exportAs(kind, state, last, jobs, ask) {
  const name = last.predictions[0].kernel.replace(/[^\w.-]+/g, "_") || "kernel";
  if (kind === "json") return save(`${name}.json`, last.out, "application/json");
  if (kind === "kernel" && state.kind === "ptx") return save("kernel.ptx", state.text);
  if (kind === "kernel" && state.kind !== "update") return save(`${name}.yaml`, textOf(state), YAML);
  const results = await ask([jobs[kind]]);
  if (!results) return undefined;
  const [result] = results, text = result.files["map.svg"] || result.out;
  find("exported").textContent = result.code === 0 ? "" : result.err;
  if (result.code !== 0) return undefined;
  if (kind === "report") return save(`${name}.html`, text, "text/html");
  return kind === "kernel" ? save(`${name}.yaml`, text, YAML) : save(`${name}_${kind}.svg`, text, SVG);
}
