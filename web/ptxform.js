// ptxform.js - the arguments of a kernel in PTX: a form made from its parameters, as "warpline
// init" guesses them.
import {element} from "./format.js";
import {quote, splitWords} from "./command.js";

// The page has fields of its own for these.
const ELSEWHERE = ["--kernel", "--device", "--block"];

// "init --format args": {title, notes, block, args}: the first kernel of the text
export function guessOf(text) {
  const part = text.split(/\n\s*\n/)[0], lines = part.split("\n");
  const notes = lines.filter(line => line.startsWith("#")).map(line => line.slice(1).trim());
  const args = [], found = {title: notes[0] || "", notes: notes.slice(1).filter(note => !note.startsWith("tried")), block: "256"};
  for (const line of lines) {
    if (!line.startsWith("--")) continue;
    const [option, ...values] = splitWords(line);
    if (option === "--block") found.block = values.join(" ");
    else if (!ELSEWHERE.includes(option)) args.push(line);
  }
  return {...found, args: args.join("\n")};
}

const typesOf = title => {
  const inside = title.slice(title.indexOf("(", title.lastIndexOf(">") + 1) + 1, title.lastIndexOf(")"));
  return inside ? inside.split(/,\s*/) : [];
};

// A field for every option of args; change(args) is called with the new text.
export function argumentForm(title, args, change) {
  const words = splitWords(args), rows = [], types = typesOf(title);
  const pairs = [];
  for (let i = 0; i < words.length; i += 2) pairs.push([words[i], words[i + 1] ?? ""]);
  const tell = () => change(pairs.map(([option, value]) => `${option} ${quote(value)}`).join("\n"));
  let argument = 0;
  for (const pair of pairs) {
    const [option, value] = pair;
    const name = option === "--arg" ? `argument ${argument + 1}: ${types[argument] || ""}` : option.slice(2);
    argument += option === "--arg";
    rows.push(element("label", {}, element("span", {}, name), element("input", {type: "text", value, spellcheck: "false",
      autocomplete: "off", "data-option": option, oninput: event => {
        pair[1] = event.target.value;
        tell();
      }})));
  }
  return rows;
}
