// units.mjs ROOT - the modules of the page that need no browser: addresses, command lines, places
// of errors, the seat of a worker, and a tool that fails.
import {mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {join} from "node:path";
import {pathToFileURL} from "node:url";
import {tmpdir} from "node:os";
import assert from "node:assert/strict";

const web = join(process.argv[2], "web"), folder = mkdtempSync(join(tmpdir(), "units-"));
process.on("exit", () => rmSync(folder, {recursive: true, force: true}));
for (const name of readdirSync(web).filter(name => name.endsWith(".js"))) // as modules in every version of Node
  writeFileSync(join(folder, name.replace(/js$/, "mjs")), readFileSync(join(web, name), "utf8").replace(/from "(\.\/\w+)\.js"/g, 'from "$1.mjs"'));
const load = name => import(pathToFileURL(join(folder, `${name}.mjs`)));

// ---- addresses ----
const {initial, toAddress, fromAddress} = await load("state");
assert.equal(await toAddress(initial()), "");
const whole = {...initial(), kind: "file", text: "name: ä\n".repeat(300), set: {nx: "64", ny: "a=b&c"}, devices: ["h200", "a100-40gb"],
  block: "32x4x2", fold: "1x2x1", with: {l2_size: "1B"}, beside: "256:fold=1x1x2", args: "--arg 'buf:n*4'\n--arg n"};
const address = await toAddress(whole);
assert.deepEqual(await fromAddress(`#${address}`), whole);
assert.ok(address.length < 500, "texts are packed");
assert.equal((await fromAddress("#kind=nonsense&device=<b>")).kind, "builtin");
assert.deepEqual((await fromAddress("#device=<b>,../x")).devices, ["h200"]);
for (const bad of ["#kind=file&text=%%%", "#kind=file&text=AAAA", "#text=!", "#set=x&with==1", "#__proto__=1&set=__proto__=2"]) {
  const state = await fromAddress(bad);
  assert.equal(state.kind, "builtin", bad);
  assert.equal({}.x, undefined);
}

// ---- command lines ----
const {splitWords, quote, job, shellText, launchText} = await load("command");
assert.deepEqual(splitWords("# a comment\n--arg 'buf:n *4' --grid \"cdiv(n,2)\" # b\n--set n=4'2'"),
  ["--arg", "buf:n *4", "--grid", "cdiv(n,2)", "--set", "n=42"]);
for (const word of ["a b", "it's", "x", "cdiv(n,block.x)", "", "$(rm)", "`x`"]) assert.ok(quote(word).length >= word.length);
assert.equal(quote("it's"), "'it'\\''s'");
assert.equal(launchText({block: "32x4", fold: "1x2x1", registers: "40", shared: "1K"}), "32x4:fold=1x2x1:regs=40:shared=1K");
assert.deepEqual(job({...initial(), set: {nx: "64"}}, "predict").words,
  ["predict", "star3d_r4", "--set", "nx=64", "--device", "h200", "--block", "128x2"]);
assert.deepEqual(job({...initial(), kind: "update", text: "b[0] = a[0]\n", domain: "64"}, "predict").words.slice(0, 7),
  ["predict", "--update", "b[0] = a[0]", "--domain", "64", "--type", "f64"]);
assert.equal(shellText(["predict", "triad", "--update", "a b"]), "warpline predict triad --update 'a b'");

// ---- kernels and errors ----
const {paramsOf, placeOf, rangeOf, answerOf} = await load("kernel");
assert.deepEqual(paramsOf("name: x\nparams: {nx: 640, ny: 5}\ndomain: [nx]"), {nx: "640", ny: "5"});
assert.deepEqual(paramsOf("params:\n  n: 64 # cells\n  m: 3\ndomain: [n]"), {n: "64", m: "3"});
assert.deepEqual(paramsOf("name: x"), {});
const place = placeOf("kernel.yaml:7:20: error: no field\n    update: dst = srk\n                  ^~~\n");
assert.deepEqual(place, {where: "kernel.yaml", line: 7, column: 20, length: 3});
assert.deepEqual(rangeOf("ab\ncdefg\n", {line: 2, column: 3, length: 2}), [5, 7]);
assert.deepEqual(rangeOf("ab", {line: 9, column: 3, length: 2}), [2, 2]);
assert.equal(placeOf("warpline: error: nothing"), null);
assert.deepEqual(answerOf("k on d: 1 ms\n  limited by  L2\n  note        a: b\n"),
  {title: "k on d: 1 ms", lines: [["limited by", "L2"], ["note", "a: b"]]});
const {guessOf} = await load("ptxform");
assert.deepEqual(guessOf("# f(int *, int)\n# a guess\n# tried: it runs\nk.ptx\n--kernel f\n--device h200\n--block 256\n--grid 'cdiv(n,2)'\n--arg n\n\n# g()\n"),
  {title: "f(int *, int)", notes: ["a guess"], block: "256", args: "--grid 'cdiv(n,2)'\n--arg n"});
const {digits, seconds, bytes, percent} = await load("format");
assert.deepEqual([digits(1.798), digits(17984167849), digits(0.02), digits(0), seconds(0.00179806), bytes(1865079402), percent(0.9579)],
  ["1.798", "1.798e+10", "0.02", "0", "1.798 ms", "1.865 GB", "95.8 %"]);

// ---- the seat: the latest question is answered, and what takes long is stopped for it ----
const {Seat} = await load("seat");
let made = 0, ended = 0;
const makeWorker = () => {
  made++;
  return {postMessage(message) { this.asked = message; if (!message.jobs[0].slow) setTimeout(() => this.onmessage({data:
    {id: message.id, last: true, result: message.jobs[0].name}}), 5); }, terminate() { ended++; }};
};
const seat = new Seat(makeWorker);
assert.deepEqual(await seat.ask([{name: "a"}]), ["a"]);
const [b, c, d] = await Promise.all([seat.ask([{name: "b"}]), seat.ask([{name: "c"}]), seat.ask([{name: "d"}])]);
assert.deepEqual([b, c, d], [["b"], null, ["d"]]);
const slow = seat.ask([{slow: true}]), next = seat.ask([{name: "e"}]);
assert.deepEqual(await Promise.all([slow, next]), [null, ["e"]]);
assert.equal(ended, 1);
const stopped = seat.ask([{slow: true}]);
seat.stop();
assert.equal(await stopped, null);
assert.deepEqual(await seat.ask([{name: "f"}]), ["f"]);
assert.deepEqual([made, ended], [3, 2]);

// ---- a tool that is aborted is an answer like others ----
const {prepareTool, runTool, FAILED} = await load("tool");
const broken = async () => ({FS: {mkdir() { throw new Error("out of bounds"); }, analyzePath: () => ({exists: false})}});
const answer = await runTool(prepareTool(broken, null), {words: ["predict"]});
assert.equal(answer.code, FAILED);
assert.match(answer.err, /out of bounds/);
console.log("units: ok");
