// kernel.js - what is typed: params of a kernel file, and the place of an error.

// The params of a kernel file with their values: {nx: "640"}. Only a hint for the form: the tool
// reads the file.
export function paramsOf(text) {
  const params = {};
  const flow = text.match(/^params:\s*\{([^}]*)\}/m);
  const block = text.match(/^params:[ \t]*(?:#.*)?\n((?:[ \t]+.*\n|[ \t]*#.*\n)+)/m);
  for (const part of flow ? flow[1].split(",") : block ? block[1].split("\n") : []) {
    const [, name, value] = part.match(/^\s*([A-Za-z_]\w*)\s*:\s*([^#]+?)\s*(?:#.*)?$/) || [];
    if (name) params[name] = value;
  }
  return params;
}

// "kernel.yaml:7:20: error: ..", and below it the line and "   ^~~": {line, column, length}, or
// null
export function placeOf(message) {
  const [, where, line, column] = message.match(/^([^\s:]+):(\d+):(\d+): /m) || [];
  if (!line) return null;
  const caret = message.match(/^\s*\^(~*)\s*$/m);
  return {where, line: Number(line), column: Number(column), length: caret ? caret[1].length + 1 : 1};
}

// Where it is in the text: [start, end]
export function rangeOf(text, place) {
  let start = 0;
  for (let line = 1; line < place.line; line++) {
    const end = text.indexOf("\n", start);
    if (end < 0) return [text.length, text.length];
    start = end + 1;
  }
  start = Math.min(text.length, start + place.column - 1);
  return [start, Math.min(text.length, start + place.length)];
}

// The parts of the answer of "predict": {title: "..", lines: [["limited by", ".."], ..]}
export function answerOf(text) {
  const lines = text.split("\n").filter(Boolean), answer = {title: "", lines: []};
  for (const line of lines)
    if (!line.startsWith("  ")) answer.title = answer.title || line;
    else if (line.slice(2, 14).trim()) answer.lines.push([line.slice(2, 14).trim(), line.slice(14).trim()]);
  return answer;
}
