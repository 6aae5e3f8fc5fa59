// command.js - what the page shows, as a command line: for the tool, and for people to copy.

export const FILE = {file: "kernel.yaml", ptx: "kernel.ptx"};

// The words of arguments in the form of "warpline init --format args": quotes keep blanks, # starts
// a comment.
export function splitWords(text) {
  const words = [];
  for (const line of text.split("\n"))
    for (const [all] of line.matchAll(/#.*$|(?:'[^']*'|"[^"]*"|[^\s'"#])(?:'[^']*'|"[^"]*"|[^\s'"])*/g))
      if (!all.startsWith("#")) words.push(all.replace(/'([^']*)'|"([^"]*)"/g, (_, one, two) => one ?? two));
  return words;
}

export function quote(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

const ownsLaunch = state => state.kind === "ptx";

// Kernel and what belongs to it, without the launch.
function kernelWords(state) {
  const words = [];
  if (state.kind === "builtin") words.push(state.kernel);
  else if (state.kind === "update")
    words.push("--update", state.text.trim(), "--domain", state.domain, "--type", state.type);
  else words.push(FILE[state.kind]);
  if (ownsLaunch(state)) {
    if (state.entry) words.push("--kernel", state.entry);
    words.push(...splitWords(state.args));
  }
  if (state.kind !== "update")
    for (const [name, value] of Object.entries(state.set)) if (value !== "") words.push("--set", `${name}=${value}`);
  return words;
}

const withWords = state => Object.entries(state.with).flatMap(([key, value]) => ["--with", `${key}=${value}`]);
const deviceWords = devices => devices.flatMap(device => ["--device", device]);

// "32x4x2:fold=1x1x2:regs=40", as --block takes it
export function launchText({block, fold, registers, shared}) {
  return block + (fold ? `:fold=${fold}` : "") + (registers ? `:regs=${registers}` : "") +
    (shared ? `:shared=${shared}` : "");
}

export function files(state) {
  const name = FILE[state.kind];
  return name ? {[name]: state.text} : {};
}

// A job for the tool. blocks: those of the state, unless others are given.
export function job(state, command, {devices = state.devices, blocks = [launchText(state)], rest = [], read = []} = {}) {
  const words = [command, ...kernelWords(state), ...deviceWords(devices), ...blocks.flatMap(b => ["--block", b]),
    ...withWords(state), ...rest];
  return {words, files: files(state), read};
}

export function diffJob(state) {
  const words = ["diff", ...kernelWords(state), ...deviceWords(state.devices.slice(0, 1)), ...withWords(state),
    launchText(state), state.beside];
  return {words, files: files(state)};
}

// For a shell, with the files that the page gives out; what a blank separates is one line each if
// it is long.
export function shellText(words) {
  const parts = [];
  for (const word of words) {
    const text = quote(word);
    if (word.startsWith("--") || !parts.length) parts.push(text);
    else parts[parts.length - 1] += ` ${text}`;
  }
  let line = "warpline", all = "";
  for (const part of parts) {
    if (line.length + part.length > 92) {
      all += `${line} \\\n`;
      line = " ";
    }
    line += ` ${part}`;
  }
  return all + line;
}
