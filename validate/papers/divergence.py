"""Tables and figures of Wang et al. 2019. SPDX-License-Identifier: MIT"""

import os
import re
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
    " applications and its simulator are not ours: figure 3 is repeated with loops of our own and the event"
    " simulator of the tests ([notes](../validate/notes/intervals.md)), with the letter's machine.",
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


@PAPER.figure("table 2", "applications whose loads diverge")
def applications(f):
    def lines(words):
        p = f.predictions(f"warpline predict {words} --device pascal-sim --block 256")[0]
        return p["derived"]["sectors_per_load"]

    shared = {"convolution": lines("blur3x3"), "2D star": lines("star2d_5pt"), "3D star": lines("star3d_r4")}
    f.claim(
        "loads of 2D convolution, hotspot and stencil share lines",
        max(shared.values()) < 4,
        ", ".join(f"{name} {value:.1f}" for name, value in shared.items()) + " lines per load",
    )
    apart = lines("gather")
    f.claim(
        "sparse products and searches of graphs have loads that diverge",
        apart > 8,
        f"a gather: {apart:.1f} lines per load",
    )
    f.say(
        "The letter names 8 applications whose loads share lines and 7 whose loads do not. Ours are kernels"
        " of the same kinds; lines have 128 bytes."
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
