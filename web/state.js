// state.js - what the page shows, as one object, and the same as the text behind # in the address.

export const KINDS = ["builtin", "file", "update", "ptx"];
// The text is that of a kernel of one's own: of a kernel file, a stencil or PTX.
export const initial = () => ({
  kind: "builtin", kernel: "star3d_r4", text: "", domain: "4096x4096", type: "f64", entry: "", args: "",
  set: {}, devices: ["h200"], block: "128x2", fold: "", registers: "", shared: "", with: {}, beside: "",
});
const TEXTS = ["kind", "kernel", "domain", "type", "entry", "args", "block", "fold", "registers", "shared", "beside"];

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}
const toBase64 = bytes => {
  let text = "";
  for (let i = 0; i < bytes.length; i += 4096) text += String.fromCharCode(...bytes.subarray(i, i + 4096));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
};
export function fromBase64(text) {
  const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/")), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

// Members that are as in initial() are left out, so that addresses stay short.
export async function toAddress(state) {
  const usual = initial(), words = new URLSearchParams();
  for (const name of TEXTS) if (state[name] !== usual[name]) words.set(name, state[name]);
  if (state.devices.join() !== usual.devices.join()) words.set("device", state.devices.join());
  for (const list of ["set", "with"])
    for (const [key, value] of Object.entries(state[list])) words.append(list, `${key}=${value}`);
  if (state.kind !== "builtin" && state.text)
    words.set("text", toBase64(await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(state.text))));
  return words.toString();
}

// An address that somebody else wrote may hold anything: members that make no sense are left as
// they are usually.
export async function fromAddress(address) {
  const state = initial(), words = new URLSearchParams(address.replace(/^#/, ""));
  for (const name of TEXTS) if (words.has(name)) state[name] = words.get(name);
  if (!KINDS.includes(state.kind)) state.kind = "builtin";
  const devices = (words.get("device") || "").split(",").filter(name => /^[\w.-]+$/.test(name));
  if (devices.length) state.devices = devices;
  for (const list of ["set", "with"])
    for (const pair of words.getAll(list)) {
      const [, key, value] = pair.match(/^([A-Za-z_]\w*)=([^]*)$/) || [];
      if (key) state[list][key] = value;
    }
  if (words.has("plain")) state.text = words.get("plain"); // as reports write it
  if (words.has("text")) {
    try {
      const bytes = await through(new DecompressionStream("deflate-raw"), fromBase64(words.get("text")));
      state.text = new TextDecoder().decode(bytes);
    } catch {
      state.kind = "builtin";
      state.damaged = true;
    }
  }
  return state;
}
