// volumes.js - a prediction as bars: bytes on every level against the least possible, bounds, waves
// and reuse. The classes are those of the pages of "warpline report", and so are the colours.
import {bytes, count, digits, element, percent, seconds, table} from "./format.js";
import {BOUNDS} from "./data.js";

const LEVELS = [
  ["l2_load_bytes", "L2 to L1", 0], ["l2_store_bytes", "L1 to L2", 1],
  ["dram_load_bytes", "DRAM to L2", 0], ["dram_store_bytes", "L2 to DRAM", 1],
];
const COLOURS = 8;

// The answer in words says by how much a volume exceeds the least: "1.865 GB loaded (1.3 x the
// least), .."
export function leastOf(answer, prediction) {
  const least = [];
  for (const [line, load, store] of [["L2 to SMs", "l2_load_bytes", "l2_store_bytes"],
    ["DRAM", "dram_load_bytes", "dram_store_bytes"]]) {
    const words = (answer.lines.find(([name]) => name === line) || ["", ""])[1].split(", ");
    [load, store].forEach((metric, way) => {
      const value = prediction.metrics[metric]?.value;
      const [, times] = (words[way] || "").match(/\(([\d.e+]+) x the least\)/) || [];
      if (value && (times || /\(the least\)/.test(words[way] || ""))) least[way] ??= value / Number(times || 1);
    });
  }
  return least;
}

function pieces(prediction, metric, most, colours) {
  const whole = prediction.metrics[metric].value, bar = element("div");
  const fields = Object.entries(prediction.fields || {}).map(([name, field]) => [name, field[metric] || 0]);
  const rest = whole - fields.reduce((sum, [, value]) => sum + value, 0);
  if (rest > 0.001 * whole) fields.push(["others", rest]);
  for (const [name, value] of fields) {
    if (value <= 0) continue;
    colours.set(name, colours.get(name) ?? colours.size % COLOURS);
    bar.append(element("i", {class: `f${colours.get(name)}`, width: `${100 * value / most}%`,
      title: `${name}: ${bytes(value)}, ${percent(value / whole)}`}, value / most > 0.14 ? name : ""));
  }
  return bar;
}

export function volumes(prediction, least) {
  const known = LEVELS.filter(([metric]) => prediction.metrics[metric]);
  const most = Math.max(...known.map(([metric]) => prediction.metrics[metric].value)), colours = new Map();
  const items = prediction.work.items, unit = prediction.work.unit === "LUP" ? "update" : "element";
  const rows = known.map(([metric, words, way]) => {
    const value = prediction.metrics[metric].value, bar = pieces(prediction, metric, most, colours);
    const times = least[way] ? value / least[way] : 0;
    if (times)
      bar.append(element("b", {class: "least", width: `${100 * least[way] / most}%`, title: `the least: ${bytes(least[way])}`}));
    const beside = !times ? "" : times >= 1.05 ? `${digits(Number(times.toPrecision(2)))} x` : "least";
    return [{"data-level": metric, "data-bytes": value}, words, bytes(value), `${digits(value / items)} B`, beside,
      element("div", {class: "pieces"}, bar)];
  });
  const legend = element("p", {class: "legend"}, ...[...colours].map(([name, colour]) =>
    element("span", {}, element("i", {class: `f${colour}`}), name)),
  element("span", {}, element("i", {class: "least"}), "the least possible"));
  return [table(["between", "#per launch", `#per ${unit}`, "#of the least", "which field it is for"], rows,
    {class: "volumes"}), legend];
}

const bar = share => element("div", {class: "bar"}, element("i", {width: `${100 * Math.min(1, Math.max(0, share))}%`}));

export function bounds(prediction) {
  const {bounds_s: all, time_s: time, limiter} = prediction.model;
  const most = Math.max(time, ...Object.values(all));
  return table(["resource", "#time alone", `0 to ${seconds(most)}`, "what it is"],
    Object.entries(all).map(([name, value]) => [{class: name === limiter ? "most" : false, "data-bound": name},
      name, seconds(value), bar(value / most), BOUNDS[name] || ""]), {class: "bounds"});
}

// Resident blocks of one multiprocessor, waves, and what one wave shares with the one before.
export function waves(prediction) {
  const {occupancy, wave, reuse = {}, launch} = prediction, parts = [];
  const layer = prediction.layer_condition;
  if (occupancy)
    parts.push(element("p", {}, `Per ${occupancy.multiprocessor || "SM"} ${occupancy.blocks_per_sm} blocks, ` +
      `${occupancy.warps_per_sm} warps; limited by ${occupancy.limiter}.`));
  if (wave) parts.push(wavePicture(wave, launch));
  const rows = Object.entries(reuse).map(([way, one]) => [way, bytes(one.wave_overlap_bytes), percent(one.hit_rate),
    bar(one.hit_rate)]);
  if (rows.length) parts.push(table(["neighbour in", "#shared with it", "#hits the L2", "0 to 100 %"], rows));
  if (layer)
    parts.push(element("p", {}, `Layer condition of a sequential sweep: ${layer.layers} layers need ` +
      `${bytes(layer.needed_bytes)}, the L2 has room for ${bytes(layer.room_bytes)}: it ${layer.holds ? "holds" : "fails"}.`));
  return parts;
}

const DRAWN_MOST = 16; // waves
function wavePicture(wave, launch) {
  const full = Math.floor(wave.waves), rest = wave.waves - full, shown = Math.ceil(wave.waves);
  const row = element("div", {class: "waves", "aria-hidden": "true"});
  for (let i = 0; i < shown && shown <= DRAWN_MOST; i++)
    row.append(element("span", {}, element("i", {width: i === shown - 1 && rest > 0 ? `${100 * rest}%` : "100%"})));
  const words = `Grid ${launch.grid.join("x")}: ${count(wave.of)} blocks in ${digits(wave.waves)} waves of ` +
    `${count(wave.blocks)} blocks${rest > 0 && full < 400 ? `; the last one is ${percent(rest)} full` : ""}.`;
  return element("div", {}, element("p", {}, words), row);
}
