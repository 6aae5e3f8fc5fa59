// results.js - the right side of the page: predictions, pictures and words about the launch.
import {element, rate, seconds, table} from "./format.js";
import {answerOf} from "./kernel.js";
import {bounds, leastOf, volumes, waves} from "./volumes.js";
import {hidePicture, showPicture} from "./pictures.js";
import {DEVICES} from "./data.js";

export const find = id => document.getElementById(id);
const body = id => find(id).querySelector(":scope > div");
const note = (id, text) => { find(id).querySelector(".note").textContent = text; };

const WORDS = {l1: "L1", l1_tag: "L1 tags", l2: "L2", dram: "DRAM", fp: "arithmetic", issue: "issue", launch: "launch"};
export const limiterWords = name => WORDS[name] || name;
const unitOf = one => (one.work?.unit === "LUP" ? "LUP" : "elem");
const shape = launch => launch.block.join("x") + (launch.fold.every(n => n === 1) ? "" : ` fold ${launch.fold.join("x")}`);

// The least possible volumes come with the words, a little later; they are the same for all launches
// of a kernel.
const keyOf = one => `${one.kernel} ${one.work.items}`;
let least = {};

// predictions: of the launch on every device; kept: of the launch to compare with, on the same
// devices
export function showPredictions(predictions, kept, chooseDevice, milliseconds) {
  const [first] = predictions, {model} = first;
  const figure = (value, words) => element("div", {class: "figure"}, element("b", {}, value), element("span", {}, words));
  const parts = [
    element("h2", {}, `${first.kernel} `, element("small", {}, `on ${DEVICES[first.device] || first.device}`)),
    element("div", {class: "figures", "data-time-s": model.time_s, "data-limiter": model.limiter},
      figure(seconds(model.time_s), "predicted time"), figure(rate(model.items_per_s, unitOf(first)), "work rate"),
      figure(limiterWords(model.limiter), "limited by"),
      figure(model.next_limiter ? limiterWords(model.next_limiter) : "nothing", "then by")),
  ];
  if (predictions.length > 1 || kept.length) parts.push(comparison(predictions, kept, chooseDevice));
  parts.push(element("dl", {class: "answer", id: "answer"}));
  parts.push(element("p", {class: "took"}, `predicted in ${Math.round(milliseconds)} ms, in this browser`));
  parts.push(...notesOf(first));
  const old = find("answer");
  find("headline").replaceChildren(...parts);
  find("brief").textContent = `${seconds(model.time_s)}, ${limiterWords(model.limiter)} limits it`;
  if (old) find("answer").replaceWith(old); // until the new words are there
  body("volumes").replaceChildren(...volumes(first, least.of === keyOf(first) ? least.bytes : []));
  body("bounds").replaceChildren(element("p", {}, `Time by the ${model.name} model.`), bounds(first));
  body("waves").replaceChildren(...waves(first));
}

// What was assumed, sampled or left out. What makes a prediction doubtful is not hidden behind a click.
function notesOf(prediction) {
  const notes = prediction.warnings || [], doubtful = Boolean(prediction.incomplete || prediction.out_of_bounds);
  if (!notes.length) return [];
  return [element("details", {class: "notes", open: doubtful},
    element("summary", {}, doubtful ? "Take this with care" : `${notes.length} notes on what was assumed`),
    element("ul", {}, ...notes.map(note => element("li", {}, note))))];
}

function comparison(predictions, kept, chooseDevice) {
  const base = predictions[0].model.time_s;
  const row = (one, isKept) => [{}, element("button", {type: "button", class: "link", title: "show this GPU in full",
    onclick: () => chooseDevice(one.device)}, DEVICES[one.device] || one.device), shape(one.launch) + (isKept ? " (kept)" : ""),
  seconds(one.model.time_s), (one.model.time_s / base).toFixed(2), rate(one.model.items_per_s, unitOf(one)),
  limiterWords(one.model.limiter)];
  return table(["GPU", "block", "#time", "#of the first", "#rate", "limited by"],
    [...predictions.map(one => row(one, false)), ...kept.map(one => row(one, true))], {class: "comparison"});
}

// "--block 32x16x1, --fold 1x1x2: 1.279 ms, 29 % less": what of the launch that changes, if it is
// all of the change
function changeOf(words) {
  const change = {}, parts = words.split(": ")[0].split(", ");
  for (const part of parts) {
    const [, name, value] = part.match(/^--(block|fold|registers) ([\dx]+)$/) || [];
    if (!name) return null;
    change[name] = value;
  }
  return change;
}

// The answer of "predict" in words; take(change) is called by the button beside the change that is
// best
export function showAnswer(result, prediction, take) {
  if (result.code !== 0 && result.code !== 7) return;
  const answer = answerOf(result.out);
  find("answer").replaceChildren(...answer.lines.flatMap(([name, words]) => {
    const change = name === "best change" && changeOf(words);
    return [element("dt", {}, name), element("dd", {}, words.replace("; --verbose:", ";"), change
      ? element("button", {type: "button", class: "take", onclick: () => take(change)}, "take it") : null)];
  }));
  least = {of: keyOf(prediction), bytes: leastOf(answer, prediction)};
  body("volumes").replaceChildren(...volumes(prediction, least.bytes));
}

// A picture, or why there is none
export function showResult(id, result, text, label) {
  if (result.code === 0 && text) {
    showPicture(body(id), text, label);
    note(id, "");
  } else {
    hidePicture(body(id));
    note(id, result.err.trim() || result.out.trim());
  }
}
export function hideResult(id, why) {
  hidePicture(body(id));
  note(id, why);
}
