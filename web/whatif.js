// whatif.js - the primary numbers of a device as sliders: from a quarter to four times what they
// are.
import {digits, element} from "./format.js";
import {PRIMARIES} from "./data.js";

const STEPS = 48, SPAN = 2; // 2^-2 .. 2^2
const UNITS = {BYTES: ["B", 1024, ["B", "KiB", "MiB", "GiB"]], BANDWIDTH: ["B/s", 1000, ["B/s", "kB/s", "MB/s", "GB/s", "TB/s"]],
  FREQUENCY: ["Hz", 1000, ["Hz", "kHz", "MHz", "GHz"]], TIME: ["s", 1000, ["ns", "us", "ms"]]};

function shown(value, dimension) {
  const [, base, names] = UNITS[dimension] || [];
  if (!names) return dimension === "CYCLES" ? `${digits(value)} cycles` : digits(value);
  let scaled = dimension === "TIME" ? value * 1e9 : value, unit = 0;
  while (scaled >= base && unit + 1 < names.length) {
    scaled /= base;
    unit++;
  }
  return `${digits(scaled)} ${names[unit]}`;
}

// As --with takes it. Counts and bytes are whole numbers; fewer digits make shorter links.
function written(value, dimension) {
  const whole = dimension === "COUNT" || dimension === "BYTES";
  const number = whole ? Math.max(1, Math.round(value)) : Number(value.toPrecision(4));
  return `${number}${(UNITS[dimension] || [""])[0]}`;
}
const PREFIX = {Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, k: 1e3, M: 1e6, G: 1e9, T: 1e12, m: 1e-3, u: 1e-6, n: 1e-9};
function readBack(text) { // what people write, too: 30MiB
  const [, number, prefix] = text.match(/^\s*([\d.e+-]+)\s*(Ki|Mi|Gi|[kMGTmun])?/) || [];
  return (Number.parseFloat(number) || 0) * (PREFIX[prefix] || 1);
}

// device: "devices show --format json". changes: {l2_size: "83886080B"}; change(key, text or null)
// is called.
export function sliders(device, changes, change) {
  const rows = PRIMARIES.filter(({key}) => device[key]?.value?.length === 1).map(({key, dimension, meaning}) => {
    const usual = device[key].value[0], text = changes[key];
    const value = text === undefined ? usual : readBack(text);
    const out = element("output", {for: `with-${key}`}, shown(value, dimension));
    const position = Math.round(STEPS / (2 * SPAN) * Math.log2(value / usual));
    const slider = element("input", {type: "range", id: `with-${key}`, min: -STEPS / 2, max: STEPS / 2, step: 1,
      value: position, title: meaning, "aria-valuetext": shown(value, dimension), "data-key": key});
    const reset = element("button", {type: "button", class: "link", title: `back to ${shown(usual, dimension)}`,
      "aria-label": `${key} back to ${shown(usual, dimension)}`, hidden: text === undefined}, "reset");
    const move = to => {
      const value = usual * 2 ** (2 * SPAN * to / STEPS);
      const now = to ? written(value, dimension) : null;
      out.textContent = shown(now ? readBack(now) : usual, dimension);
      slider.setAttribute("aria-valuetext", out.textContent);
      reset.hidden = !to;
      change(key, now);
    };
    slider.addEventListener("input", () => move(Number(slider.value)));
    reset.addEventListener("click", () => {
      slider.value = 0;
      move(0);
    });
    return element("div", {class: "slider"}, element("label", {for: `with-${key}`, title: meaning}, key), slider, out, reset);
  });
  return rows;
}

// The numbers that people ask about first; the others are behind "more".
export const FIRST = ["sm_count", "clock", "l2_size", "dram_bandwidth_peak", "l2_latency", "dram_latency"];
