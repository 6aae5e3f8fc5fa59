// same_json.mjs PAGE WARPLINE ROOT - what the page's tool prints is byte for byte what the command
// line prints: JSON of 200 predictions on all devices, of every source of kernels, with what-ifs;
// rankings, pictures, reports and errors.
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {join} from "node:path";
import {spawnSync} from "node:child_process";
import {tmpdir} from "node:os";
import {toolOf} from "./page_parts.mjs";

const [, , page, warpline, root] = process.argv;
const LAUNCHES = 200;
// exp, log and pow of glibc differ in the last bit on processors with fused multiply-adds, which
// WebAssembly lacks. It shows in one number of some ten thousand, in its 15th digit: the command
// line is run as on a processor without them.
const PLAIN_MATHS = "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2";
const tool = await toolOf(page);
const folder = mkdtempSync(join(tmpdir(), "web-"));

function native(job) {
  for (const [name, text] of Object.entries(job.files || {})) writeFileSync(join(folder, name), text);
  const done = spawnSync(warpline, job.words, {cwd: folder, input: "", maxBuffer: 1 << 28,
    env: {COLUMNS: "1000", OMP_NUM_THREADS: "1", PATH: "", HOME: folder, GLIBC_TUNABLES: process.env.WEB_TUNABLES ?? PLAIN_MATHS}});
  const files = Object.fromEntries((job.read || []).map(name => [name, done.status ? "" : readFileSync(join(folder, name), "utf8")]));
  return {code: done.status, out: done.stdout.toString(), err: done.stderr.toString(), files};
}

// ---- what is compared ----

let seed = 1;
const draw = count => (seed = (seed * 48271) % 2147483647) % count; // the same launches in every run
const one = list => list[draw(list.length)];

const names = text => text.trim().split("\n").map(line => line.split(/\s/)[0]);
const devices = JSON.parse(native({words: ["devices", "--format", "json"]}).out).devices.map(device => device.name);
const nvidia = devices.filter(name => !/^(mi|rx|w)\d/.test(name));
const kernels = names(native({words: ["kernels"]}).out);
const BLOCKS = ["32x4x2", "128x2", "256", "64x4:fold=1x2x1", "16x16", "1024", "32x8:regs=64", "512x1x1:fold=2x1x1", "8x8x8"];
const CHANGES = [[], [], ["--with", "l2_size=20MiB"], ["--with", "clock=1GHz"], ["--with", "dram_bandwidth=3TB/s"],
  ["--model", "limiter"], ["--caches", "cold"], ["--per-access"]];
const UPDATES = ["dst[0,0] = 0.25 * (src[1,0] + src[-1,0] + src[0,1] + src[0,-1])", "b[0,0,0] = a[0,0,0] / a[0,0,2] + sqrt(c[0,0,0])"];
const own = `name: strided
params: {n: 4194304, stride: 3}
domain: [n]
fields:
  in: {type: f32, extent: ["n*stride"]}
  out: {type: f32, extent: [n]}
loads: ["in[x*stride]"]
stores: ["out[x]"]
flops: 2
`;
const ptx = readFileSync(join(root, "examples/heat.ptx"), "utf8");
const science = readFileSync(join(root, "tests/ptx/science_sm90_lineinfo.ptx"), "utf8");

function launch(number) {
  const rest = ["--device", one(devices), "--block", one(BLOCKS), ...one(CHANGES), "--format", "json"];
  switch (number % 10) {
    case 0: {
      const two = number % 20 === 0, text = UPDATES[two ? 0 : 1];
      return {words: ["predict", "--update", text, "--domain", two ? "4096x2048" : "256x256x200", "--type", one(["f32", "f64"]), ...rest]};
    }
    case 1:
      return {words: ["predict", "kernel.yaml", ...rest], files: {"kernel.yaml": own.replace("3}", `${1 + draw(9)}}`)}};
    case 2:
      return {words: ["predict", "heat.ptx", "--device", one(nvidia), "--block", one(["32x8", "64x4", "128x2"]), "--domain", "2048x2048",
        "--arg", "buf:64M", "--arg", "buf:64M", "--arg", "2048", "--arg", "2048", "--arg", "0.1", "--no-ptxas", "--format", "json"],
      files: {"heat.ptx": ptx}};
    default:
      return {words: ["predict", one(kernels), ...rest]};
  }
}
const others = [
  {words: ["predict", "star3d_r4", "--device", "h200", "--block", "128x2"]},
  {words: ["predict", "science.ptx", "--kernel", "k_mandelbrot", "--device", "h200", "--block", "32x8", "--grid", "8x8", "--arg",
    "buf:256K", "--arg", "256", "--arg", "256", "--arg", "50", "--no-ptxas", "--registers", "32", "--per-line"], files: {"science.ptx": science}},
  {words: ["rank", "star2d_5pt", "--device", "h200", "--device", "a100-40gb", "--format", "json"]},
  {words: ["roofline", "triad", "--device", "mi300x", "--block", "256", "--format", "svg"]},
  {words: ["stack", "matmul", "--device", "h200", "--block", "16x16", "--format", "svg"]},
  {words: ["report", "star3d_7pt", "--device", "h200", "--block", "32x4x2"]},
  {words: ["rank", "triad", "--device", "h200", "--plot", "map.svg"], read: ["map.svg"]},
  {words: ["predict", "star3d_r4", "--device", "h200", "--block", "128x2", "--set", "nx=64..1024:x2", "--plot", "sweep.svg"], read: ["sweep.svg"]},
  {words: ["init", "heat.ptx", "--device", "h200", "--format", "args"], files: {"heat.ptx": ptx}},
  {words: ["devices", "show", "h200", "--format", "json"]},
  {words: ["diff", "star3d_r4", "--device", "h200", "128x2", "32x8"]},
  {words: ["predict", "kernel.yaml", "--device", "h200", "--block", "256"], files: {"kernel.yaml": own.replace("in[x", "on[x")}},
  {words: ["predict", "--update", "b[0] = a[0] +", "--domain", "4096", "--device", "h200", "--block", "256"]},
  {words: ["predict", "nothing", "--device", "h200", "--block", "256"]},
  {words: ["predict", "triad", "--device", "h200", "--block", "5000"]},
];

// A kernel as it is typed: whatever is there of it, the page says what the command line says.
const typed = readFileSync(join(root, "share/kernels/star2d_5pt.yaml"), "utf8");
for (let length = 0; length < typed.length; length += 9)
  others.push({words: ["predict", "kernel.yaml", "--device", "h200", "--block", "32x8"], files: {"kernel.yaml": typed.slice(0, length)}});

// ---- comparing ----

let differ = 0, good = 0, slowest = 0;
async function compare(job) {
  const expected = native(job), found = await tool(job);
  for (const part of ["code", "out", "err", "files"]) {
    const [a, b] = [expected[part], found[part]].map(value => JSON.stringify(value));
    if (a === b) continue;
    let at = 0;
    while (a[at] === b[at]) at++;
    console.log(`warpline ${job.words.join(" ")}: ${part} differs at ${at}:\n  command line: ${a.slice(Math.max(0, at - 60), at + 60)}` +
      `\n  page:         ${b.slice(Math.max(0, at - 60), at + 60)}`);
    differ++;
    break;
  }
  good += expected.code === 0;
  slowest = Math.max(slowest, found.milliseconds);
}

try {
  for (let i = 0; i < LAUNCHES; i++) await compare(launch(i));
  if (good < 0.8 * LAUNCHES) {
    console.log(`only ${good} of ${LAUNCHES} launches can be predicted: the list is not a good one`);
    differ++;
  }
  for (const job of others) await compare(job);
} finally {
  rmSync(folder, {recursive: true});
}
console.log(`${LAUNCHES} launches and ${others.length} other commands, ${differ} differ; the slowest took ${Math.round(slowest)} ms`);
process.exit(differ ? 1 : 0);
