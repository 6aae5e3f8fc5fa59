// map.js - all launches of a search as a map of blocks: a table of buttons, coloured by time, which
// pick a launch.
import {bytes, digits, element, percent, seconds, table} from "./format.js";

// The classes and colours of "rank --plot": time over that of the best.
const CLASSES = [[1.02, "2 %"], [1.05, "5 %"], [1.1, "10 %"], [1.25, "25 %"], [1.5, "50 %"], [2, "100 %"], [Infinity, "more"]];
const classOf = times => CLASSES.findIndex(([most]) => times <= most);
const foldText = launch => launch.fold.join("x");

const sameLaunch = (launch, now) => launch.block.join("x") === now.block && foldText(launch) === now.fold;
const nameOf = launch => launch.block.join("x") + (foldText(launch) === "1x1x1" ? "" : ` fold ${foldText(launch)}`);
const words = (launch, best) => `${nameOf(launch)}: ` +
  `${seconds(launch.time_s)}, ${launch === best ? "the best" : `+${percent(launch.time_s / best.time_s - 1)}`}, ` +
  `limited by ${launch.limiter}`;

function cell(launch, best, now, pick) {
  const chosen = sameLaunch(launch, now), name = words(launch, best);
  const marks = (launch === best ? " best" : "") + (chosen ? " chosen" : "");
  return element("td", {}, element("button", {type: "button", class: `c${classOf(launch.time_s / best.time_s)}${marks}`,
    title: name, "aria-label": name, "aria-pressed": String(chosen), tabindex: "-1", onclick: () => pick(launch)},
  lettersOf(launch.limiter)));
}

// Two letters for each limiter
const LETTERS = {latency: "lt", launch: "ln", l1_tag: "tg", tensor: "tc", integer: "in"};
const lettersOf = limiter => LETTERS[limiter] || limiter.slice(0, 2);
export const lettersIn = space => [...new Set(space.launches.map(one => one.limiter))]
  .map(limiter => `${lettersOf(limiter)} ${limiter}`).join(", ");

// The arrow keys move from cell to cell; Tab leaves the map.
function withKeys(map) {
  const buttons = () => [...map.querySelectorAll("button")];
  const first = map.querySelector(".chosen") || map.querySelector(".best") || map.querySelector("button");
  if (first) first.tabIndex = 0;
  map.addEventListener("keydown", event => {
    const way = {ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0]}[event.key];
    const here = event.target.closest("td");
    if (!way || !here) return;
    event.preventDefault();
    let row = here.parentNode, column = here.cellIndex;
    for (let step = 0; step < 64; step++) {
      column += way[1];
      for (let i = 0; i < Math.abs(way[0]); i++) row = way[0] > 0 ? row?.nextElementSibling : row?.previousElementSibling;
      const next = row?.cells?.[column];
      if (!next) return;
      const button = next.querySelector("button");
      if (!button) continue;
      for (const each of buttons()) each.tabIndex = -1;
      button.tabIndex = 0;
      button.focus();
      return;
    }
  });
}

// space: one of "rank --format json". now: the launch of the page, {block: "32x4x2", fold:
// "1x1x1"}. choice: {fold, z}; where one is empty, a cell shows the best of all.
export function launchMap(space, now, choice, pick) {
  const best = space.launches[0];
  if (!best) return [element("p", {}, "No launch was predicted.")];
  const shown = space.launches.filter(one => (!choice.fold || foldText(one) === choice.fold) &&
    (!choice.z || String(one.block[2]) === choice.z));
  const xs = [...new Set(shown.map(one => one.block[0]))].sort((a, b) => a - b);
  const ys = [...new Set(shown.map(one => one.block[1]))].sort((a, b) => b - a);
  const cells = new Map();
  for (const launch of shown) { // the best comes first; the launch of the page is shown in any case
    const place = `${launch.block[0]},${launch.block[1]}`;
    if (!cells.has(place) || sameLaunch(launch, now)) cells.set(place, launch);
  }
  const rows = ys.map(y => element("tr", {}, element("th", {scope: "row"}, String(y)), ...xs.map(x => {
    const launch = cells.get(`${x},${y}`);
    return launch ? cell(launch, best, now, pick) : element("td");
  })));
  const map = element("table", {class: "map", role: "group", "aria-label": "launches by block; arrow keys move"},
    element("caption", {}, "threads in y up, in x to the right"), element("tbody", {}, ...rows),
    element("tfoot", {}, element("tr", {}, element("td"), ...xs.map(x => element("th", {scope: "col"}, String(x))))));
  withKeys(map);
  const key = element("p", {class: "key"}, "slower than the best by up to ",
    ...CLASSES.map(([, name], i) => element("span", {}, element("i", {class: `c${i}`}), name)));
  return [key, element("div", {class: "wide"}, map)];
}

export function bestLaunches(space, now, count, pick) {
  const best = space.launches[0];
  const unit = space.items ? value => `${digits(value / space.items)} B` : bytes;
  const behind = launch => launch === best ? "" : `+${percent(launch.time_s / best.time_s - 1)}`;
  return table(["#rank", "launch", "#time", "#behind", "#L2 to L1", "#DRAM", "limiter"],
    space.launches.slice(0, count).map(launch => [{class: sameLaunch(launch, now) ? "given" : false}, String(launch.rank),
      element("button", {type: "button", class: "link", onclick: () => pick(launch)},
        nameOf(launch)),
      seconds(launch.time_s), behind(launch), unit(launch.metrics.l2_load_bytes ?? NaN),
      unit((launch.metrics.dram_load_bytes ?? NaN) + (launch.metrics.dram_store_bytes ?? NaN)), launch.limiter]),
    {class: "ranking"});
}

// The best launch on every other GPU, and how much slower the best of this one is there
export function bestOfOthers(others, space, pick) {
  const here = space.launches[0];
  return table(["GPU", "its best launch", "#time", `#best of ${space.device} there`], others.map(({device, launches}) => {
    const best = launches[0], same = launches.find(one => sameLaunch(one, {block: here.block.join("x"), fold: foldText(here)}));
    return [device, element("button", {type: "button", class: "link", onclick: () => pick(best)}, nameOf(best)),
      seconds(best.time_s), same ? `+${percent(same.time_s / best.time_s - 1)}` : ""];
  }), {class: "others"});
}

export const foldsOf = space => [...new Set(space.launches.map(foldText))].sort();
export const depthsOf = space => [...new Set(space.launches.map(one => one.block[2]))].sort((a, b) => a - b).map(String);
