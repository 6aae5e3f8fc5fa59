// format.js - numbers as the tool prints them, and elements of the page.

// Four digits, without zeros at the end: 1.798, 93.31, 0.02
export function digits(value) {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const text = Math.abs(value) >= 1e4 || Math.abs(value) < 1e-3 ? value.toExponential(3) : value.toPrecision(4);
  return text.includes("e") ? text.replace(/\.?0+e/, "e") : text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}
function scaled(value, steps) {
  const [size, unit] = steps.find(([size]) => Math.abs(value) >= size) || steps.at(-1);
  return `${digits(value / size)} ${unit}`;
}
const DECIMAL = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]];
export const bytes = value => scaled(value, DECIMAL.map(([size, unit]) => [size, `${unit}B`]));
export const seconds = value => scaled(value, [[1, "s"], [1e-3, "ms"], [1e-6, "us"], [1e-9, "ns"]]);
export const count = value => scaled(value, DECIMAL).trim();
export const rate = (value, unit) => scaled(value, DECIMAL.map(([size, letter]) => [size, `${letter}${unit}/s`]));
export const percent = value => `${digits(Number((100 * value).toPrecision(3)))} %`;

// element("td", {class: "n", title: ".."}, "text", child, ..); members that are functions are
// listeners: onclick.
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (name === "width") node.style.width = value;
    else if (value !== false && value !== undefined) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter(child => child !== null && child !== undefined));
  return node;
}

// A table with heads ("#time" is a column of numbers) and rows of texts, elements or lists
// [attributes, ...cells].
export function table(heads, rows, attributes = {}) {
  const number = heads.map(head => head.startsWith("#"));
  const cell = (content, column) => element("td", number[column] ? {class: "n"} : {}, content);
  return element("div", {class: "wide"}, element("table", attributes,
    element("thead", {}, element("tr", {}, ...heads.map((head, column) =>
      element("th", {scope: "col", class: number[column] ? "n" : false}, head.replace("#", ""))))),
    element("tbody", {}, ...rows.map(row => {
      const plain = !row.length || typeof row[0] !== "object" || row[0] instanceof Node;
      return element("tr", plain ? {} : row[0], ...(plain ? row : row.slice(1)).map(cell));
    }))));
}
export function save(name, text, type = "text/plain") {
  const link = element("a", {href: URL.createObjectURL(new Blob([text], {type})), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
