"""Tables and figures of Wang et al. 2019. SPDX-License-Identifier: MIT"""

import math
import os
import re
import statistics
import subprocess

from common import ROOT, Paper, die
import svg

PAPER = Paper(
    "Memory divergence",
    "Modeling emerging memory-divergent GPU applications",
    "paper_divergence.csv",
    ("3", "divergent, GPUMech over MDM"),
    "L. Wang, M. Jahre, A. Adileh, Z. Wang, L. Eeckhout, IEEE Computer Architecture Letters, 2019",
    "Five interval models against a simulator, on a simulated Pascal (`pascal-sim`). The letter's"
    " programs and its simulator are not ours: figure 3 is repeated with loops, some of which have the loads of"
    " its applications, and the event simulator of the tests ([notes](../validate/notes/intervals.md)), with"
    " the letter's machine.",
)

SIMULATOR = os.path.join(ROOT, "build", "release", "tests", "test_against_simulator")
MODELS = ("gpumech", "gpumech+", "mdm-queue", "mdm-mshr", "mdm")
LABELS = ("GPUMech", "GPUMech+", "MDM-Queue", "MDM-MSHR", "MDM")
WAITS = ("l1", "l2", "dram", "mshr", "noc", "dram_queue")


def stack(f, words):
    """Parts of the cycles of one wave, by MDM."""
    found = f.json(f"warpline stack {words} --model mdm")
    launch, resident = found["launch"], found["occupancy"]["blocks_per_sm"]
    blocks = launch["grid"][0] * launch["grid"][1] * launch["grid"][2]
    waves = max(1.0, blocks / (28.0 * resident))
    return {name: part["cycles"] / waves for name, part in found["models"][0]["parts"].items()}


@PAPER.figure("table 1", "the simulated GPU", sample=True, inputs=True)
def machine(f):
    of = f.device("pascal-sim")
    f.number("clock", of("clock") / 1e9)
    f.number("SMs", of("sm_count"))
    f.number("schedulers x issue width", of("issue_rate"))
    f.number("L1", of("l1_size") / 1024)
    f.number("miss registers of an L1", of("l1_mshr"))
    f.number("L2, 24 x 128 KB", of("l2_size") / 1024)
    f.number("network", of("l2_bandwidth") / 1e9)
    f.number("DRAM", of("dram_bandwidth") / 1e9)
    f.number("warps of an SM", of("max_threads_per_sm") / 32)
    f.number("latency of a hit in the L2", of("l2_latency"))
    f.number("latency of DRAM, on top of the L2's", of("dram_latency") - of("l2_latency"))


OURS = "validate/papers/kernels/letter_{}.yaml --block {}"
WAITING = "validate/ptx/waiting.sm_90.ptx --kernel {} --no-ptxas --registers 32 --grid {} --block {}{}"


def from_ptx(kernel, grid, block, *arguments):
    return WAITING.format(kernel, grid, block, "".join(f" --arg {a}" for a in arguments))


LIST = ("buf:1048580=iota:u32:0:16", "buf:16777216=random:u32:0..262143")  # rows of 16 random entries
# Those of table 2: ours, and whether the letter calls them memory-divergent.
APPLICATIONS = {
    "HS": (
        from_ptx("'k_hotspot<16>'", "64x64", "16x16", *["buf:16M"] * 3, 1024, 1, 0.5, 0.1, 0.1, 0.01),
        False,
    ),
    "BT": (OURS.format("btree", 256), False),
    "BP": (from_ptx("k_adjust", "1x4096", "16x16", *["buf:16M"] * 4, 16), False),
    "FDTD": (from_ptx("k_fdtd", "8x32", "32x8", *["buf:64M"] * 3, 256, 256, 64), False),
    "SRAD": (from_ptx("k_srad", "64x64", "16x16", *["buf:4M"] * 6, 1024, 0.05), False),
    "RAY": (OURS.format("ray", "16x16"), False),
    "2DCONV": (from_ptx("k_convolution", "32x128", "32x8", "buf:64M", "buf:1M", "buf:64M", 1, 1024, 1024), False),
    "ST": (OURS.format("stencil", "32x4"), False),
    "CFD": (
        from_ptx("k_flux", 1024, 256, "buf:4194304=random:s32:0..262143", *["buf:16777216"] * 3, 262144),
        True,
    ),
    "BFS": (from_ptx("k_bfs", 1024, 256, *LIST, "buf:1048576=random:s32:0..4", "buf:1048576", 262144, 2), True),
    "PVR": (OURS.format("records", 256) + " --set words=32", True),
    "PVC": (OURS.format("records", 256), True),
    "IIX": (OURS.format("records", 256) + " --set words=64 --set out=8", True),
    "SPMV": (
        from_ptx("k_csr_scalar", 1024, 256, *LIST, "buf:16777216", "buf:1048576", "buf:1048576", 262144),
        True,
    ),
    "KMEANS": (OURS.format("kmeans", 256), True),
}
FEW = 4  # lines of a load that is called memory-divergent, at least


@PAPER.figure("table 2", "applications whose loads diverge")
def applications(f):
    lines = {}
    for name, (words, _) in APPLICATIONS.items():
        p = f.predictions(f"warpline predict {words} --device pascal-sim", name in ("HS", "SPMV", "PVC"))[0]
        lines[name] = p["derived"]["sectors_per_load"]
    shared, apart = (
        {name: lines[name] for name, (_, diverges) in APPLICATIONS.items() if diverges == which}
        for which in (False, True)
    )
    f.claim(
        "loads of 2D convolution, hotspot and stencil share lines",
        max(shared.values()) < FEW,
        ", ".join(f"{name} {value:.1f}" for name, value in shared.items()) + " lines per load",
    )
    f.claim(
        "sparse products and searches of graphs have loads that diverge",
        min(apart.values()) >= FEW,
        ", ".join(f"{name} {value:.1f}" for name, value in apart.items()) + " lines per load",
    )
    f.say(
        "The letter's 15 applications, as kernels of ours: from PTX (`waiting.cu`), and as kernel files"
        " (`validate/papers/kernels/letter_*.yaml`); three of their commands are shown. Lines have 128 bytes."
    )


@PAPER.figure(
    "1",
    "what the latency of misses is made of",
    head="divergent loads wait hundreds and thousands of cycles for miss registers",
)
def latency(f):
    kernels = [
        ("copy", "validate/kernels/copy_f32.yaml"),
        ("stride 2", "validate/papers/kernels/two_warps.yaml --set n=4194304 --set stride=2"),
        ("stride 8", "validate/papers/kernels/two_warps.yaml --set n=4194304 --set stride=8"),
        ("gather", "gather"),
    ]
    found = {name: stack(f, f"{words} --device pascal-sim --block 256") for name, words in kernels}
    f.number("coalesced loads: wait for miss registers", found["copy"]["mshr"])
    f.claim(
        "divergent loads wait hundreds and thousands of cycles for miss registers",
        found["gather"]["mshr"] >= 100,
        f"a gather {found['gather']['mshr']:.0f} cycles per wave, stride 8 {found['stride 8']['mshr']:.0f}",
    )
    queues = {name: parts["noc"] + parts["dram_queue"] for name, parts in found.items()}
    f.claim(
        "divergent loads also queue for network and DRAM",
        queues["stride 8"] > 100 and queues["gather"] > 100,
        f"stride 8 {queues['stride 8']:.0f}, gather {queues['gather']:.0f} cycles per wave",
    )
    f.say(
        "Ours are cycles of one wave of 64 warps. Stencils with several loads in flight per warp need more"
        " than 128 registers as well, so MDM has them wait; the letter's do not."
    )
    names = list(found)
    svg.chart(
        f.draw("divergence_1.svg", "Waits for misses by cause"),
        "Memory divergence, figure 1: waits of one wave, by MDM",
        "",
        "cycles",
        [(part, "bar", [(i, found[n][part]) for i, n in enumerate(names)]) for part in WAITS],
        categories=names,
    )


@PAPER.figure("2", "two warps, two miss registers", head="divergent, batches of a load")
def batches(f):
    warps, registers = f.value("warps"), f.value("miss registers")
    for label, stride in (("coalesced", 1), ("divergent", 4)):
        words = (
            f"validate/papers/kernels/two_warps.yaml --set stride={stride} --device pascal-sim --with"
            f" l1_mshr={registers:.0f} --with sm_count=1 --block 32 --shared 48KiB"
        )
        found = f.json(f"warpline stack {words} --model mdm")
        parts = stack(f, words)
        waits = sum(parts[name] for name in WAITS if name != "mshr")
        misses = f.value(f"{label}, misses of a warp")
        f.number(f"{label}, misses of a warp", found["intervals"][0]["requests"]["reads"])
        f.number(
            f"{label}, batches of a load",
            1 + parts["mshr"] / waits,
            "",
            -(-misses * warps // registers),
            "equation 8",
        )
    f.number("warps", found["occupancy"]["warps_per_sm"])
    f.number("miss registers", f.value("miss registers"))
    f.say(
        "A kernel with one load, two blocks of one warp on one multiprocessor. Batches: what MDM has warps"
        " wait for miss registers, over what a batch takes, and one."
    )


def simulated(f):
    """Mean errors of the models, in percent: {"divergent": [..], "coalesced": [..]}."""
    f.show("make simulate")
    f.show("cmake --build build/release --target test_against_simulator")
    f.show("build/release/tests/test_against_simulator")
    if not os.path.exists(SIMULATOR):
        die(f"{SIMULATOR} is not there: build test_against_simulator, or give --simulator")
    done = subprocess.run(
        [SIMULATOR],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "WARPLINE_TEST_EFFORT": "quick"},
    )
    found, group = {}, None
    for line in done.stdout.splitlines():
        title = re.match(r"(divergent|coalesced), in turns", line)
        if title:
            group = title.group(1)
        elif line.startswith("mean error") and group and group not in found:
            found[group] = [float(word) for word in re.findall(r"([\d.]+)%", line)]
    if done.returncode or set(found) != {"divergent", "coalesced"}:
        die(f"{SIMULATOR}: exit code {done.returncode}\n{done.stdout[-1000:]}")
    return found


OTHERS = (
    "other programs and another simulator: what is repeated is the order of the models and the size of MDM's"
    " errors"
)


def loop_of(f, name, words):
    """A loop with the loads of an application: its means over the intervals that wait for memory, by MDM."""
    found = f.json(f"warpline stack {words} --device pascal-sim --model mdm", shown=False)
    sums = dict.fromkeys(("waits", "instructions", "reads", "misses", "writes"), 0.0)
    for interval in found["intervals"]:
        times, requests = interval["times"], interval["requests"]
        sums["waits"] += times if requests["reads"] > 0 else 0
        sums["instructions"] += times * interval["instructions"]
        for what in ("reads", "misses", "writes"):
            sums[what] += times * requests[what]
    reads = max(1.0, sums["reads"] / sums["waits"])
    loads = min(8, math.ceil(reads / 32))
    numbers = (
        min(64, round(found["occupancy"]["warps_per_sm"])),
        loads,
        max(1, min(32, round(reads / loads))),
        f"{min(1.0, sums['misses'] / sums['reads']):.3f}",
        max(loads, min(80, round(sums["instructions"] / sums["waits"]))),
        min(32, round(sums["writes"] / sums["waits"])),
    )
    return ":".join([name, *map(str, numbers)])


def by_application(f):
    """Errors of the models for loops with the loads of each application, in percent."""
    loops = [loop_of(f, name, words) for name, (words, _) in APPLICATIONS.items()]
    f.show("build/release/tests/test_against_simulator " + " ".join(loops))
    done = subprocess.run([SIMULATOR, *loops], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    found = {}
    for line in done.stdout.splitlines():
        if line.split(":")[0] in APPLICATIONS:
            found[line.split(":")[0]] = [abs(float(word)) for word in re.findall(r"(-?[\d.]+)%", line)]
    if done.returncode or len(found) != len(loops):
        die(f"{SIMULATOR}: exit code {done.returncode}\n{done.stdout[-1000:]}")
    return found


@PAPER.figure("3", "errors of five models against a simulator", head="MDM, all")
def errors(f):
    found = simulated(f)
    divergent, coalesced = (dict(zip(LABELS, found[group])) for group in ("divergent", "coalesced"))
    for label in LABELS:
        f.number(f"{label}, divergent", divergent[label], OTHERS)
    for label in ("GPUMech", "MDM"):
        f.number(f"{label}, coalesced", coalesced[label], OTHERS)
    for label in ("GPUMech", "MDM"):  # 8 applications share lines, 7 diverge
        f.number(f"{label}, all", (8 * coalesced[label] + 7 * divergent[label]) / 15, OTHERS)
    f.number("divergent, GPUMech over MDM", divergent["GPUMech"] / divergent["MDM"], OTHERS)
    order = [divergent[label] for label in LABELS]
    f.claim(
        "order: GPUMech, GPUMech+, MDM-Queue and MDM-MSHR, MDM",
        order[0] > order[1] > max(order[2], order[3]) and min(order[2], order[3]) > order[4],
        ", ".join(f"{value:.0f}" for value in order) + " %",
    )
    published = [float(f.published[f"{label}, divergent"]["value"]) for label in LABELS]
    svg.chart(
        f.draw("divergence_3.svg", "Errors of five models where loads diverge"),
        "Memory divergence, figure 3: where loads diverge",
        "",
        "mean error, %",
        [
            ("our loops and simulator", "bar", list(enumerate(order))),
            ("published", "open", list(enumerate(published))),
        ],
        categories=list(LABELS),
    )
    applied = by_application(f)
    f.say(
        "The same for loops whose loads, misses, instructions and stores are those of the applications of"
        " table 2, on average over their waits for memory; errors in percent:"
    )
    means = []
    for title, which in (("mean, coalesced", False), ("mean, divergent", True)):
        of = [applied[name] for name, (_, diverges) in APPLICATIONS.items() if diverges == which]
        means.append([title, *(f"{statistics.mean(column):.0f}" for column in zip(*of))])
    rows = [[name, *(f"{value:.0f}" for value in values)] for name, values in applied.items()]
    f.listing(["", *LABELS], rows + means)
    f.say(
        "Of the divergent ones, the letter has 444, 206, 100, 98 and 32. Ours that are called coalesced have"
        " several loads in flight in a warp (HS, FDTD, SRAD, ST: up to 16 requests), so that they need more than"
        " 128 registers, too; BP, RAY and 2DCONV do not, and there the last four models are one."
    )
    names = list(applied)
    svg.chart(
        f.draw("divergence_3_applications.svg", "Errors of five models by application"),
        "Memory divergence, figure 3: loops with the loads of the applications",
        "",
        "error, %",
        # whole percents, which the axis takes the logarithm of
        [(label, "dots", [(i, max(0.5, applied[n][m])) for i, n in enumerate(names)]) for m, label in enumerate(LABELS)],
        y_log=True,
        categories=names,
    )
