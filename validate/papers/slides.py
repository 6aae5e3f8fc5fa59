"""Examples of the roofline slides. SPDX-License-Identifier: MIT"""

import statistics

from common import Paper
import svg

PAPER = Paper(
    "Roofline slides",
    "Roofline slides of a course on GPU programming",
    "paper_slides.csv",
    ("example 2", "flops per second over example 1"),
    "R. Membarth, GPU Programming, 2023, with slides on the roofline model by S. Williams",
    "The examples with numbers: the balance of machines, two kernels on the roofline, several levels of"
    " memory, and the time of a 3x3 blur on a GTX 970. The slides' pictures have no numbers in the text.",
)

GPUS = ("v100", "a100-40gb", "h100", "h200")
BOUND = (
    "warpline roofline triad --device a100-40gb --block 256 --kind classic",
    "warpline roofline star3d_7pt --device a100-40gb --block 256 --kind classic",
)


def classic(f, number):
    return f.json(BOUND[number])["launches"][0]


@PAPER.figure("balance", "flops per byte of memory", sample=True)
def balance(f):
    found = {}
    for name in GPUS:
        of = f.device(name)
        found[name] = 2 * of("fp64_rate") * of("sm_count") * of("clock") / of("dram_bandwidth")
    f.claim(
        "typical machine balance is 5 to 10 flops per byte",
        5 <= statistics.median(found.values()) <= 10,
        ", ".join(f"{name} {value:.1f}" for name, value in found.items()) + " (f64)",
    )


@PAPER.figure("example 1", "triad", head="arithmetic intensity")
def triad(f):
    launch = classic(f, 0)
    t = launch["tallies"]
    elements = 2**27
    f.number("flops per iteration", t["flops_f64"] / elements)
    f.number("bytes per iteration", 32 * t["dram_transactions"] / elements)
    f.number("arithmetic intensity", launch["points"][0]["intensity"])
    f.claim(
        "memory bound", launch["words"].startswith("Limited by DRAM bandwidth"), launch["words"].split(":")[0]
    )


@PAPER.figure("example 2", "7-point stencil", head="arithmetic intensity")
def star(f):
    launch, first = classic(f, 1), classic(f, 0)
    p = f.predictions("warpline predict star3d_7pt --device a100-40gb --block 256")[0]
    points = p["work"]["items"]
    f.number("flops per point", p["metrics"]["flops"]["value"] / points)
    f.number(
        "memory references per point",
        32 * (p["metrics"]["inst_global_ld"]["value"] + p["metrics"]["inst_global_st"]["value"]) / points,
    )
    f.number("arithmetic intensity", launch["points"][0]["intensity"])
    f.number("flops per second over example 1", launch["points"][0]["rate"] / first["points"][0]["rate"])
    f.claim(
        "memory bound", launch["words"].startswith("Limited by DRAM bandwidth"), launch["words"].split(":")[0]
    )
    f.plot(
        "warpline roofline triad star3d_7pt --device a100-40gb --block 256 --kind classic",
        "slides_examples.svg",
        "Roofline of both examples on an A100",
    )


@PAPER.figure("hierarchy", "a roof for each level of memory")
def hierarchy(f):
    command = "warpline roofline star3d_7pt --device a100-40gb --block 256 --kind hierarchical"
    points = f.json(command)["launches"][0]["points"]
    shown = ", ".join(
        f"{p['level']} {p['intensity']:.2f} flop/B ({100 * p['share']:.0f} % of its roof)" for p in points
    )
    f.claim("performance is bound by the lowest of the roofs", all(p["share"] <= 1 for p in points), shown)
    f.plot(command, "slides_hierarchy.svg", "Hierarchical roofline of the 7-point stencil on an A100")


@PAPER.figure("parallelism", "ceilings without instruction- and thread-level parallelism")
def parallelism(f):
    command = "warpline roofline star3d_7pt --device a100-40gb --block 256 --kind parallelism"
    found = f.json(command)
    roofs = {roof["name"]: roof["rate"] for roof in found["roofs"]}
    peak, unfused, alone = (roofs["f64 " + name] for name in ("FMA", "without FMA", "without FMA, ILP, TLP"))
    dram, one = roofs["DRAM"], roofs["DRAM without ILP, TLP"]
    f.claim(
        "without parallelism peak performance is not attainable",
        alone < unfused < peak,
        f"f64: {peak / 1e12:.1f} TFLOP/s, {unfused / 1e12:.1f} without fused multiply-adds, {alone / 1e12:.1f} with"
        " one warp per scheduler",
    )
    f.claim(
        "some kernels turn from memory-bound into compute-bound",
        alone / dram < peak / dram,
        f"from {peak / dram:.1f} flop/B to {alone / dram:.1f} on: those between",
    )
    f.claim(
        "bandwidth of DRAM is tied to thread-level parallelism",
        one < dram / 2,
        f"{one / 1e9:.0f} of {dram / 1e9:.0f} GB/s with one load of 8 bytes per thread, one warp per scheduler",
    )
    f.plot(command, "slides_parallelism.svg", "Roofline with ceilings of parallelism on an A100")


@PAPER.figure("blur", "time of a 3x3 blur, 4096 x 4096 floats, GTX 970", head="measured time")
def blur(f):
    simple = "warpline predict blur3x3 --device gtx970 --block 32x8 --model simple"
    memcpy = f.predictions(simple)[0]
    peak = f.predictions(simple + " --with dram_bandwidth=192GB/s")[0]
    f.number(
        "bytes per pixel",
        memcpy["model"]["time_s"] * f.device("gtx970")("dram_bandwidth") / memcpy["work"]["items"],
    )
    f.number("time at 192 GB/s", 1e3 * peak["model"]["time_s"])
    f.number("time at 138 GB/s", 1e3 * memcpy["model"]["time_s"])
    default = (
        1e3 * f.predictions("warpline predict blur3x3 --device gtx970 --block 32x8")[0]["model"]["time_s"]
    )
    f.number(
        "measured time",
        default,
        "the default model, on a GPU of which no latency and no curve was measured; and the measured kernel"
        " is faster than the bandwidth of memcpy allows, which the device file has",
    )
    names = ["192 GB/s", "138 GB/s", "default model"]
    svg.chart(
        f.draw("slides_blur.svg", "Time of a 3x3 blur"),
        "Roofline slides: 3x3 blur on a GTX 970",
        "",
        "ms",
        [
            (
                "predicted",
                "bar",
                list(enumerate((1e3 * peak["model"]["time_s"], 1e3 * memcpy["model"]["time_s"], default))),
            ),
            ("measured (slide)", "dashed", [(i, f.value("measured time")) for i in range(3)]),
        ],
        categories=names,
    )
