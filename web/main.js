// main.js - joins the parts: a change of the state is predicted at once, searched and drawn a
// little later.
import {copy, exportAs} from "./share.js";
import {element} from "./format.js";
import {bestLaunches, bestOfOthers, depthsOf, foldsOf, launchMap, lettersIn} from "./map.js";
import {diffJob, files, job, launchText, shellText} from "./command.js";
import {find, hideResult, showAnswer, showPredictions, showResult} from "./results.js";
import {fromAddress, initial, toAddress} from "./state.js";
import {guessOf} from "./ptxform.js";
import {startOfReport} from "./framed.js";
import {loadCore} from "./core.js";
import {paramsOf, placeOf} from "./kernel.js";
import {follow, makeChoices, picked, showArguments, showEntries, showError, showInputs, showSliders, textOf} from "./inputs.js";
import {Seat} from "./seat.js";
import {KERNELS, VERSION} from "./data.js";

let state = initial();
let seats; // {quick, deep, search, form, side}
let last; // of the last prediction: {predictions, out}
let spaces = [], space; // of the last search: of all GPUs, and the one that is shown
let sliderDevice = "", deepTimer, addressTimer, title = "";
const LATER = 120; // milliseconds without a key, until what takes longer begins
const ADDRESS_LATER = 400; // browsers allow some hundred changes of the address in half a minute
const busy = new Map();

// ---- what is under way ----

const BUSY = {quick: "predicting", deep: "drawing and looking for better launches", search: "searching launches",
  form: "reading the kernel", side: "writing"};
function tellBusy(name, is) {
  clearTimeout(busy.get(name));
  busy.delete(name);
  if (is) busy.set(name, setTimeout(() => { busy.set(name, true); showBusy(); }, 400));
  showBusy();
}
function showBusy() {
  const long = [...busy].filter(([, value]) => value === true).map(([name]) => BUSY[name]);
  find("busy").hidden = !long.length;
  if (long.length) find("busy").firstElementChild.textContent = `${long.join(", ")} ..`;
}
function stopAll() {
  clearTimeout(deepTimer);
  for (const seat of Object.values(seats)) seat.stop();
}

// ---- from the state to the picture ----

// Words, pictures and maps of a launch that is no longer the one of the page look faint, until the
// new ones are there.
const DRAWN = ["answer", "roofline", "stack", "beside", "sweep"], SEARCHED = ["launches"];
function mark(ids, isOld) {
  for (const id of ids) find(id)?.classList.toggle("old", isOld);
}
// Of another kernel, nothing stays.
function forget() {
  stopAll();
  title = "";
  spaces = [];
  showSpace(null);
  find("answer")?.replaceChildren();
  for (const id of ["roofline", "stack", "sweep"]) hideResult(id, "");
  find("beside").hidden = true;
}

function update(change) {
  const began = performance.now();
  for (const [name, value] of Object.entries(change)) {
    if (name !== "set" && name !== "with") state[name] = value;
    else if (!Object.keys(value).length) state[name] = {};
    else {
      state[name] = {...state[name], ...value};
      for (const key of Object.keys(value)) if (value[key] === null) delete state[name][key];
    }
  }
  if (state.kind === "file" || state.kind === "builtin") { // params that are as in the text need no --set
    const usual = paramsOf(textOf(state));
    for (const name of Object.keys(state.set)) if (!(name in usual) || usual[name] === state.set[name]) delete state.set[name];
  }
  showInputs(state, update);
  refresh(began);
}

async function writeAddress() {
  if (startOfReport() !== undefined) return;
  const address = await toAddress(state);
  history.replaceState(null, "", address ? `#${address}` : location.pathname + location.search);
}

async function refresh(began = performance.now()) {
  find("command").textContent = shellText(job(state, "predict").words);
  clearTimeout(addressTimer);
  addressTimer = setTimeout(writeAddress, ADDRESS_LATER);
  loadSliders();
  clearTimeout(deepTimer);
  const jobs = [job(state, "predict", {rest: ["--format", "json"]})];
  if (state.beside) jobs.push(job(state, "predict", {blocks: [state.beside], rest: ["--format", "json"]}));
  const results = await seats.quick.ask(jobs);
  if (!results) return;
  const [result, kept] = results;
  const good = result.code === 0 || result.code === 7;
  find("results").classList.toggle("stale", !good);
  showError(good ? "" : result.err.trim(), placeOf(result.err), state);
  if (!good) return;
  last = {predictions: JSON.parse(result.out).predictions, out: result.out};
  const others = kept && kept.code === 0 ? JSON.parse(kept.out).predictions : [];
  showPredictions(last.predictions, others, name => update({devices: [name, ...state.devices.filter(one => one !== name)]}),
    performance.now() - began);
  find("headline").dataset.milliseconds = performance.now() - began;
  performance.mark("predicted");
  if (space) showSpace();
  mark([...DRAWN, ...SEARCHED], true);
  deepTimer = setTimeout(later, LATER);
}

// Words, pictures and the search, none of which typing waits for.
function later() {
  find("spoken").textContent = find("brief").textContent; // for screen readers, once nobody types
  draw();
  if (state.kind === "ptx") {
    find("search").hidden = false; // each launch is emulated: only when asked for
    showSpace(null);
    mark(SEARCHED, false);
  } else {
    search();
  }
}

// A kernel without flops has a roofline of instructions.
function kindWords() {
  const kind = last.predictions[0].metrics.flops?.value > 0 ? find("kind").value : "instruction";
  return kind === "hierarchical" ? [] : ["--kind", kind];
}

async function draw() {
  const one = {devices: state.devices.slice(0, 1)}, both = [launchText(state), ...(state.beside ? [state.beside] : [])];
  const prediction = last.predictions[0];
  const sweep = sweepJob(one);
  const results = await seats.deep.ask([
    job(state, "roofline", {...one, blocks: both, rest: [...kindWords(), "--format", "svg"]}),
    job(state, "predict", one),
    job(state, "stack", {...one, rest: ["--format", "svg"]}),
    ...(state.beside ? [diffJob(state)] : []),
    ...(sweep ? [sweep] : []),
  ]);
  if (!results) return;
  mark(DRAWN, false);
  showResult("roofline", results[0], results[0].out, "roofline of the launch");
  showAnswer(results[1], prediction, update);
  showResult("stack", results[2], results[2].out, "cycles of the launch");
  find("beside").hidden = !state.beside;
  if (state.beside) find("beside").querySelector("pre").textContent = (results[3].out || results[3].err).trim();
  if (sweep) showResult("sweep", results.at(-1), results.at(-1).files["sweep.svg"], "speed and volumes over the size");
  else hideResult("sweep", "This kernel has no params to change.");
}

// The layer condition and the volumes over a param: from an eighth to four times its value.
function sweepJob(one) {
  const params = state.kind === "builtin" || state.kind === "file" ? {...paramsOf(textOf(state)), ...state.set} : {};
  const names = Object.keys(params).filter(name => /^\d+$/.test(params[name]) && Number(params[name]) >= 16);
  const choice = find("sweep-name"), name = names.includes(choice.value) ? choice.value : names[0];
  if ([...choice.options].map(option => option.value).join() !== names.join())
    choice.replaceChildren(...names.map(value => element("option", {value}, value)));
  choice.parentNode.hidden = !name;
  if (!name) return null;
  choice.value = name;
  const from = Math.max(1, Math.floor(params[name] / 8)), swept = {...state, set: {...state.set}};
  delete swept.set[name];
  const range = {...one, rest: ["--set", `${name}=${from}..${params[name] * 4}:x2`, "--plot", "sweep.svg"], read: ["sweep.svg"]};
  return job(swept, "predict", range);
}

// ---- the search ----

function searchJob(rest, more = {}) {
  return job(state, "rank", {blocks: [], rest, ...more});
}
async function search() {
  find("search").hidden = true;
  const asked = state.devices[0], began = performance.now();
  const results = await seats.search.ask([searchJob(["--format", "json"])]);
  if (!results) return;
  const [result] = results;
  mark(SEARCHED, false);
  if (result.code !== 0) {
    showSpace(null, result.err.trim());
    return;
  }
  spaces = JSON.parse(result.out).spaces;
  showSpace(spaces.find(one => one.device === asked) || spaces[0]);
  find("searched").dataset.milliseconds = performance.now() - began;
}
// A choice among values, or the best of all; hidden where there is no choice.
function offer(choice, values) {
  choice.parentNode.hidden = values.length < 2;
  if ([...choice.options].map(option => option.value).join() !== ["", ...values].join())
    choice.replaceChildren(...["", ...values].map(value => element("option", {value}, value || "the best")));
}
function showSpace(found = space, why = "") {
  space = found;
  if (!space) {
    find("folds").parentNode.hidden = find("depths").parentNode.hidden = true;
    find("searched").textContent = why;
    find("map").replaceChildren();
    find("best").replaceChildren();
    return;
  }
  offer(find("folds"), foldsOf(space));
  offer(find("depths"), depthsOf(space));
  const chosen = last.predictions[0].launch, now = {block: chosen.block.join("x"), fold: chosen.fold.join("x")};
  const pick = launch => {
    const folded = launch.fold.some(n => n !== 1);
    update({block: launch.block.join("x"), fold: folded ? launch.fold.join("x") : "",
      registers: launch.registers && state.registers ? String(launch.registers) : state.registers});
  };
  const hadFocus = find("map").contains(document.activeElement);
  find("map").replaceChildren(...launchMap(space, now, {fold: find("folds").value, z: find("depths").value}, pick));
  if (hadFocus) find("map").querySelector("button[tabindex='0']")?.focus();
  find("searched").textContent = `${space.launches.length} launch${space.launches.length === 1 ? "" : "es"} predicted for ` +
    `${space.device}. A click takes one. Letters name what limits it: ${lettersIn(space)}.`;
  const others = spaces.filter(one => one !== space && one.launches.length && state.devices.includes(one.device));
  find("best").replaceChildren(bestLaunches(space, now, 10, pick),
    ...(others.length ? [bestOfOthers(others, space, pick)] : []));
}

// ---- numbers of the device, arguments of PTX ----

async function loadSliders() {
  const [device] = state.devices;
  if (!find("what-if").open || sliderDevice === device) return;
  sliderDevice = device;
  const results = await seats.side.ask([{words: ["devices", "show", device, "--format", "json"]}]);
  if (results && results[0].code === 0) showSliders(JSON.parse(results[0].out), state, update);
  else sliderDevice = "";
}

// A form for the arguments: entries of the file, and what "init" guesses for one of them.
async function loadPtx(entry) {
  find("error").hidden = true;
  find("results").classList.add("stale");
  const entries = {words: ["ptx", "kernel.ptx", "--format", "json", "--device", state.devices[0]], files: files(state)};
  const guess = name => ({words: ["init", "kernel.ptx", "--format", "args", "--device", state.devices[0],
    ...(name ? ["--kernel", name] : [])], files: files(state)});
  const found = await seats.form.ask([entries]);
  if (!found) return;
  const list = found[0].code === 0 && found[0].out ? JSON.parse(found[0].out).entries || [] : [];
  if (found[0].code !== 0) showError(found[0].err.trim(), placeOf(found[0].err), state);
  const name = entry || state.entry || list[0]?.name || "";
  state.entry = name;
  showEntries(list.length ? list : [{name}], state);
  const guessed = await seats.form.ask([guess(name)]);
  if (!guessed) return;
  const best = guessOf(guessed[0].out);
  title = best.title || name;
  if (!state.args) state.args = best.args;
  if (!state.block) state.block = best.block;
  showArguments(title, state, update);
  showInputs(state, update);
  if (found[0].code === 0) refresh();
}

// Of an executable, library or fatbin: the PTX for the device, of the last module where several
// have some; or null and a message
async function ptxInside(bytes, name) {
  const extract = more => seats.form.ask([{words: ["ptx", "program", "--extract", ...more], files: {program: bytes}}]);
  let results = await extract(["--device", state.devices[0]]);
  const [, module] = (results && results[0].err.match(/give one: --module (?:\d+, )*(\d+)/)) || [];
  if (module) results = await extract(["--module", module]);
  if (results && results[0].code !== 0) showError(`${name}: ${results[0].err.trim()}`, null, state);
  return results && results[0].code === 0 ? results[0].out : null;
}

async function openFile(file) {
  forget();
  const bytes = new Uint8Array(await file.arrayBuffer());
  const text = bytes.includes(0) ? await ptxInside(bytes, file.name) : new TextDecoder().decode(bytes);
  if (text === null) return;
  const isPtx = /\.ptx$/i.test(file.name) || /^\s*\.version\s/m.test(text.slice(0, 4000));
  state = {...state, ...picked(isPtx ? "ptx" : "file"), text};
  if (/\.cu$/i.test(file.name)) {
    showError(`${file.name}: a page cannot compile CUDA: compile it with 'nvcc -ptx -lineinfo -arch=sm_90 ${file.name}', ` +
      "and drop the .ptx file here", null, state);
    return;
  }
  showInputs(state, update);
  if (isPtx) loadPtx();
  else refresh();
}

// The jobs of what is given out, but for texts that are there already
function exportJobs() {
  const one = {devices: state.devices.slice(0, 1)};
  return {
    kernel: job(state, "show", {devices: [], blocks: []}),
    roofline: job(state, "roofline", {...one, rest: [...kindWords(), "--format", "svg"]}),
    map: searchJob(["--plot", "map.svg"], {...one, read: ["map.svg"]}),
    report: job(state, "report"),
  };
}

// ---- events ----

function listen() {
  find("kernel").addEventListener("change", event => {
    forget();
    state = {...state, ...picked(event.target.value)};
    showInputs(state, update);
    if (state.kind === "ptx") loadPtx();
    else refresh();
  });
  find("text").addEventListener("input", event => {
    const text = event.target.value;
    if (state.kind === "builtin" && text !== KERNELS[state.kernel]) update({kind: "file", text});
    else update({text});
  });
  find("text").addEventListener("scroll", follow);
  for (const name of ["domain", "type", "block", "fold", "registers", "shared"])
    find(name).addEventListener("input", event => update({[name]: event.target.value.trim()}));
  find("device").addEventListener("change", event => {
    const name = event.target.value;
    if (name) update({devices: [...state.devices.filter(one => one !== name), name]});
    event.target.value = "";
  });
  find("entry").addEventListener("change", event => {
    forget();
    state = {...state, entry: event.target.value, args: "", block: ""};
    loadPtx(state.entry);
  });
  find("open").addEventListener("change", event => { if (event.target.files[0]) openFile(event.target.files[0]); });
  find("keep").addEventListener("click", () => update({beside: launchText(state)}));
  find("unkeep").addEventListener("click", () => update({beside: ""}));
  find("what-if").addEventListener("toggle", loadSliders);
  find("unchange").addEventListener("click", () => {
    sliderDevice = "";
    update({with: {}});
  });
  find("stop").addEventListener("click", stopAll);
  find("search").addEventListener("click", search);
  for (const id of ["folds", "depths"]) find(id).addEventListener("change", () => showSpace());
  for (const id of ["sweep-name", "kind"]) find(id).addEventListener("change", () => draw());
  find("copy-command").addEventListener("click", () => copy(shellText(job(state, "predict").words), "command"));
  find("copy-link").addEventListener("click", async () => {
    await writeAddress();
    copy(location.href, "link");
  });
  for (const button of document.querySelectorAll("[data-export]"))
    button.addEventListener("click", () => {
      if (last) exportAs(button.dataset.export, state, last, exportJobs(), jobs => seats.side.ask(jobs));
    });
  find("inputs").addEventListener("submit", event => event.preventDefault());
  document.addEventListener("dragover", event => {
    event.preventDefault();
    document.body.classList.add("drop");
  });
  document.addEventListener("dragleave", () => document.body.classList.remove("drop"));
  document.addEventListener("drop", event => {
    event.preventDefault();
    document.body.classList.remove("drop");
    if (event.dataTransfer.files[0]) openFile(event.dataTransfer.files[0]);
  });
  find("brief").addEventListener("click", event => {
    event.preventDefault();
    find("headline").scrollIntoView();
  });
  window.addEventListener("hashchange", restore);
}

async function restore() {
  clearTimeout(addressTimer);
  state = await fromAddress(startOfReport() ?? location.hash);
  if (state.kind === "builtin" && !KERNELS[state.kernel]) state.kernel = initial().kernel;
  sliderDevice = "";
  forget();
  showInputs(state, update);
  if (state.kind === "ptx") await loadPtx(state.entry);
  else await refresh();
  if (state.damaged) showError("the link is damaged: its kernel cannot be read", null, state);
}

async function main() {
  find("version").textContent = VERSION;
  find("copy-link").hidden = startOfReport() !== undefined;
  makeChoices();
  try {
    const {makeWorker, compiled} = await loadCore();
    seats = Object.fromEntries(Object.keys(BUSY).map(name => [name, new Seat(makeWorker, is => tellBusy(name, is))]));
    seats.quick.warm();
    await compiled;
  } catch (error) {
    find("headline").replaceChildren(element("h2", {}, "This browser cannot run the page"),
      element("p", {}, `It needs WebAssembly and DecompressionStream: ${error.message || error}`));
    return;
  }
  listen();
  await restore();
  for (const seat of Object.values(seats)) seat.warm();
  if (location.protocol.startsWith("http") && navigator.serviceWorker)
    navigator.serviceWorker.register("offline.js").catch(() => {}); // without it, the page needs its host to open
}
main();
