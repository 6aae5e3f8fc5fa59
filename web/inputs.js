// inputs.js - the left side of the page: shows the state in the form, and tells of every change.
import {element} from "./format.js";
import {find} from "./results.js";
import {paramsOf, rangeOf} from "./kernel.js";
import {argumentForm} from "./ptxform.js";
import {FIRST, sliders} from "./whatif.js";
import {DEVICES, EXAMPLE_PTX, KERNELS} from "./data.js";

// Kernels of one's own begin with one of these.
const TEMPLATES = {
  update: "dst[0,0] = 0.25 * (src[1,0] + src[-1,0] + src[0,1] + src[0,-1])",
  file: `# Any kernel: addresses as expressions of x, y, z (the thread), of loops and params.
name: my_kernel
params: {n: 16777216, stride: 2}
domain: [n]
fields:
  in: {type: f32, extent: ["n*stride"]}
  out: {type: f32, extent: [n]}
loads: ["in[x*stride]"]
stores: ["out[x]"]
flops: 2
`,
};
const OWN = {update: "a stencil, as an assignment", file: "a kernel file: stencil or address expressions",
  ptx: "PTX: drop or open a file"};

export const textOf = state => (state.kind === "builtin" ? KERNELS[state.kernel] || "" : state.text);
const dimensions = text => ((text.match(/^domain:\s*\[([^\]]*)\]/m) || ["", "x,y"])[1].split(",").length);
const usualBlock = text => ["256", "256", "32x8", "32x4x2"][Math.min(3, dimensions(text))];

// What changes when another kernel is picked
export function picked(value) {
  const common = {set: {}, entry: "", args: "", fold: "", registers: "", shared: "", beside: ""};
  if (value === "update") return {...common, kind: "update", text: TEMPLATES.update, block: "32x8"};
  if (value === "file") return {...common, kind: "file", text: TEMPLATES.file, block: "256"};
  if (value === "ptx") return {...common, kind: "ptx", text: EXAMPLE_PTX, block: ""};
  const block = value === "star3d_r4" ? "128x2" : usualBlock(KERNELS[value] || "");
  return {...common, kind: "builtin", kernel: value, text: "", block};
}

export function makeChoices() {
  const option = (value, words) => element("option", {value}, words);
  find("kernel").append(
    element("optgroup", {label: "built-in"}, ...Object.keys(KERNELS).map(name => option(name, name))),
    element("optgroup", {label: "your own"}, ...Object.entries(OWN).map(([kind, words]) => option(kind, words))));
  find("device").append(option("", "a GPU.."), ...Object.entries(DEVICES).map(([name, title]) => option(name, title)));
}

const PLAIN = ["domain", "type", "block", "fold", "registers", "shared"];
const put = (input, value) => { if (input.value !== value) input.value = value; };

// Everything that does not lose the focus of somebody who types.
export function showInputs(state, update) {
  put(find("kernel"), state.kind === "builtin" ? state.kernel : state.kind);
  put(find("text"), textOf(state));
  for (const name of PLAIN) put(find(name), state[name]);
  find("of-update").hidden = state.kind !== "update";
  find("of-ptx").hidden = state.kind !== "ptx";
  find("unkeep").hidden = !state.beside;
  showParams(state, update);
  showDevices(state, update);
}

function showParams(state, update) {
  const host = find("params"), params = state.kind === "builtin" || state.kind === "file" ? paramsOf(textOf(state)) : {};
  const names = Object.keys(params).join();
  if (host.dataset.names !== names) {
    host.dataset.names = names;
    host.replaceChildren(...Object.keys(params).map(name => element("label", {}, element("span", {}, name),
      element("input", {type: "text", id: `set-${name}`, spellcheck: "false", autocomplete: "off", oninput: event =>
        update({set: {[name]: event.target.value}})}))));
  }
  for (const [name, value] of Object.entries(params)) put(find(`set-${name}`), state.set[name] ?? value);
}

function showDevices(state, update) {
  const without = name => state.devices.filter(one => one !== name);
  const names = state.devices.join();
  if (find("devices").dataset.names === names) return;
  find("devices").dataset.names = names;
  find("devices").replaceChildren(...state.devices.map((name, i) => element("span", {class: "chip"},
    element("button", {type: "button", title: i ? "show this GPU in full" : "shown in full", "aria-pressed": String(!i),
      onclick: () => update({devices: [name, ...without(name)]})}, DEVICES[name] || name),
    state.devices.length > 1 ? element("button", {type: "button", "aria-label": `without ${DEVICES[name] || name}`,
      onclick: () => update({devices: without(name)})}, "x") : null)));
}

export function showSliders(device, state, update) {
  find("what-device").textContent = device.title;
  const rows = sliders(device, state.with, (key, value) => update({with: {[key]: value}}));
  const isFirst = row => FIRST.includes(row.querySelector("input").dataset.key);
  find("sliders").replaceChildren(...rows.filter(isFirst));
  find("more-sliders").replaceChildren(...rows.filter(row => !isFirst(row)));
}

export function showEntries(entries, state) {
  find("entry").replaceChildren(...entries.map(entry => element("option", {value: entry.name}, entry.name)));
  if (state.entry) find("entry").value = state.entry;
}
export function showArguments(title, state, update) {
  find("signature").textContent = title;
  find("arguments").replaceChildren(...argumentForm(title, state.args, args => update({args})));
}

// A message as on the command line, and its place in the text. Options of the launch name the field
// that is wrong.
const FIELDS = {"--block": "block", "--fold": "fold", "--domain": "domain", "--registers": "registers", "--shared": "shared"};
export function showError(message, place, state) {
  const wrong = place && FIELDS[place.where], inText = place && !wrong && /^(kernel\.|--update)/.test(place.where);
  find("error").hidden = !message;
  find("error").textContent = message;
  for (const id of Object.values(FIELDS)) find(id).setAttribute("aria-invalid", String(id === wrong));
  find("text").setAttribute("aria-invalid", String(Boolean(inText)));
  const text = find("text").value;
  if (!inText) {
    find("backdrop").replaceChildren();
    return;
  }
  const [start, end] = rangeOf(text, place);
  const mark = element("mark", {}, text.slice(start, end) || " ");
  find("backdrop").replaceChildren(text.slice(0, start), mark, text.slice(end), "\n");
  follow();
}
export function follow() {
  find("backdrop").scrollTop = find("text").scrollTop;
  find("backdrop").scrollLeft = find("text").scrollLeft;
}
