"""Figures of Ding and Williams 2019. SPDX-License-Identifier: MIT"""

from common import Paper
import svg

PAPER = Paper(
    "Instruction roofline",
    "An instruction roofline model for GPUs",
    "paper_instruction_roofline.csv",
    ("7d", "coalesced, passes of a shared load of a column"),
    "N. Ding, S. Williams, PMBS 2019",
    "Five proxy applications on a V100 (`v100-sxm2`). Its pictures are not in its text, so compared are the"
    " roofs and walls, and what the text says about the points. Transposes, smoother, Smith-Waterman and the"
    " product with `wmma` are our reimplementations (`validate/cuda/roofline.cu`, as PTX), not the authors'"
    " programs; [roofline_examples.md](roofline_examples.md) has the same kernels predicted and measured on"
    " an H200.",
)

PTX = "validate/ptx/roofline.sm_90.ptx"
TRANSPOSE = (
    f"warpline roofline {PTX} --kernel 'k_transpose_naive<float>' --kernel 'k_transpose_tiled<float, 0>'"
    " --kernel 'k_transpose_tiled<float, 1>' --device v100-sxm2 --block 32x8 --grid 32x32 --arg buf:4M --arg"
    " buf:4M --arg 1024 --kind instruction"
)
SMOOTHER = "warpline roofline --batch validate/papers/smoother.jsonl --device v100-sxm2 --kind instruction"
LEVELS = (
    "warpline roofline --batch validate/papers/smoother_levels.jsonl --device v100-sxm2 --kind instruction"
)
ALIGN = (
    f"warpline roofline {PTX} --kernel 'k_align<false>' --kernel 'k_align<true>' --device v100-sxm2 --block"
    " 128 --grid 15000 --arg buf:15000*126=random:u8:0..3 --arg buf:15000*1066=random:u8:0..3 --arg buf:9G"
    " --arg buf:60000 --arg 126 --arg 1066 --registers 30 --kind instruction"
)
PRODUCT = (
    f"warpline roofline {PTX} --kernel k_product_tensor --device v100-sxm2 --block 256 --grid 256x256 --arg"
    " buf:2G --arg buf:2G --arg buf:4G --arg 32768 --registers 127 --kind instruction"
)
OURS = "our smoother has 7 points of second order and 64-bit indices, the paper's is of fourth order"
NAMES = ("GSRB_FP", "GSRB_BRANCH", "GSRB_STRIDE2")


def point(launch, of, level=None):
    return next(p for p in launch["points"] if p["of"] == of and level in (None, p["level"]))


def peak(launch, of):
    return next((p["share"] for p in launch["of_peak"] if p["of"] == of), 0)


def active(launch):
    return launch["tallies"]["thread_inst_on"] / 32 / launch["tallies"]["inst"]


def rate(launch):
    """Warp instructions per nanosecond."""
    return launch["tallies"]["inst"] / launch["tallies"]["time"] / 1e9


def limiter(launch):
    return launch["words"].split(" for ")[0].replace("Limited by ", "")


def more_volume(found):
    """By how many percent GSRB_FP moves more to and from DRAM than GSRB_BRANCH."""
    volume = {name: launch["tallies"]["dram_transactions"] for name, launch in found.items()}
    return 100 * (volume["GSRB_FP"] / volume["GSRB_BRANCH"] - 1)


def roofs(f):
    return f.json("warpline roofline transpose_tiled --device v100-sxm2 --block 32x8 --kind instruction")


def smoothers(f):
    return dict(zip(NAMES, f.json(SMOOTHER)["launches"]))


@PAPER.figure("1", "the ceilings", sample=True, inputs=True)
def ceilings(f):
    at = {roof["name"]: roof["rate"] / 1e9 for roof in roofs(f)["roofs"]}
    for quantity, name in (("instructions", "issue"), ("L1", "L1"), ("L2", "L2"), ("HBM", "DRAM")):
        f.number(quantity, at[name])
    f.say("Clock and bandwidths of the device file are the paper's.")


@PAPER.figure("2", "thread predication", head="lanes active, with predication")
def predication(f):
    found = smoothers(f)
    f.number("lanes active, without predication", active(found["GSRB_FP"]))
    f.number(
        "lanes active, with predication",
        active(found["GSRB_BRANCH"]),
        "half of the lanes relax, but all of them compute indices and copy",
    )
    f.say("The paper's kernel is arbitrary; ours are two of the smoothers of figure 5.")


@PAPER.figure("3", "walls of global memory", sample=True)
def global_walls(f):
    walls = {wall["name"]: wall["intensity"] for wall in roofs(f)["walls"]}
    f.number("wall of stride 0, global loads per transaction", walls["stride 0"])
    f.number("wall of unit stride, 4-byte elements", walls["unit stride, 4 B"])
    f.number("wall of unit stride, 8-byte elements", walls["unit stride, 8 B"])
    f.number("wall of stride 8", walls["a transaction per thread"])


@PAPER.figure("4", "walls of shared memory", sample=True)
def shared_walls(f):
    found = roofs(f)
    walls = {wall["name"]: wall["intensity"] for wall in found["walls"]}
    at = {roof["name"]: roof["rate"] for roof in found["roofs"]}
    f.number("wall without bank conflicts, shared loads per transaction", walls["no bank conflict"])
    f.number("wall of 32-way bank conflicts", walls["32-way bank conflict"])
    f.number("shared-memory bandwidth over that of the L1", at["shared"] / at["L1"])


@PAPER.figure("5", "HPGMG, three smoothers", head="thread instructions per second, GSRB_FP over GSRB_BRANCH")
def smoother(f):
    found = smoothers(f)
    masked, branch, stride = (found[name] for name in NAMES)
    f.number("GSRB_FP, global loads and stores per transaction", point(masked, "global")["intensity"])
    f.number(
        "GSRB_BRANCH, as GSRB_FP", point(branch, "global")["intensity"] / point(masked, "global")["intensity"]
    )
    more = (
        f"our GSRB_FP moves {more_volume(found):.0f} % more from and to DRAM than GSRB_BRANCH: all lanes load"
        " the neighbours of both colours, and the V100's L2 keeps less of them, so it takes longer"
    )
    f.number("warp instructions per second, GSRB_BRANCH over GSRB_FP", rate(branch) / rate(masked), more)
    f.number(
        "thread instructions per second, GSRB_FP over GSRB_BRANCH",
        active(masked) * rate(masked) / (active(branch) * rate(branch)),
        more,
    )
    f.claim(
        "GSRB_STRIDE2 is left of the wall of unit stride",
        point(stride, "global")["intensity"] < 0.9 / 8,
        f"{point(stride, 'global')['intensity']:.4f} per transaction",
    )
    shares = {name: peak(launch, "DRAM") for name, launch in found.items()}
    f.claim(
        "all three are bound by HBM",
        all(limiter(launch) == "DRAM bandwidth" for launch in found.values()),
        ", ".join(f"{100 * share:.0f}" for share in shares.values()) + " % of its bandwidth",
    )
    rates = {
        name: [rate(launch) for launch in f.json(LEVELS)["launches"][i::3]] + [rate(found[name])]
        for i, name in enumerate(NAMES)
    }
    f.claim(
        "GIPS increase from level 5 to level 8",
        all(r[-1] > r[0] for name, r in rates.items() if name != "GSRB_STRIDE2"),
        "; ".join(f"{name}: " + ", ".join(f"{r:.0f}" for r in values) for name, values in rates.items()),
    )
    volume = {name: launch["tallies"]["dram_transactions"] for name, launch in found.items()}
    f.claim(
        "HBM transactions, GSRB_STRIDE2: more than GSRB_BRANCH",
        volume["GSRB_STRIDE2"] > volume["GSRB_BRANCH"],
        f"{volume['GSRB_STRIDE2'] / 1e6:.1f} and {volume['GSRB_BRANCH'] / 1e6:.1f} M",
        "reloads of stride 2 (roofline_examples.md)",
    )
    f.say(
        "Levels 5 to 8 are 32^3 to 256^3 cells here (the paper: eight boxes of 16^3 to 128^3). At level 5"
        " half of the lanes of GSRB_STRIDE2 have no cell. The paper says of this one that its GIPS fall with"
        " the level. In its pictures solid dots are instructions of active lanes, and dotted lines those of"
        " warps: in ours the small dots, and the large ones."
    )
    f.plot(SMOOTHER, "roofline_5.svg", "Instruction roofline of three smoothers on a V100, level 8")


@PAPER.figure("6", "HPGMG, time, flops and instructions")
def smoother_mix(f):
    found = smoothers(f)
    masked, branch, stride = (found[name] for name in NAMES)
    time = {name: launch["tallies"]["time"] for name, launch in found.items()}
    f.number(
        "time, GSRB_STRIDE2 over GSRB_FP",
        time["GSRB_STRIDE2"] / time["GSRB_FP"],
        "on an H200, where it was measured, stride 2 is now predicted the slowest, as it was"
        " (roofline_examples.md); on the V100 our GSRB_FP reloads planes from DRAM, too, and our smoother has"
        " 7 points of 6 arrays where the paper's has 25",
    )
    more = f"our GSRB_FP moves {more_volume(found):.0f} % more from and to DRAM than GSRB_BRANCH (figure 5)"
    f.number("time, GSRB_FP over GSRB_BRANCH", time["GSRB_FP"] / time["GSRB_BRANCH"], more)
    flops = {name: launch["tallies"]["flops_f64"] / time[name] for name, launch in found.items()}
    f.number("flops per second, GSRB_FP over GSRB_BRANCH", flops["GSRB_FP"] / flops["GSRB_BRANCH"], more)
    f.number("lanes active, GSRB_FP", active(masked))
    f.number(
        "lanes active, GSRB_BRANCH",
        active(branch),
        "half of the lanes relax, but all of them compute indices and copy",
    )
    f.number("lanes active, GSRB_STRIDE2", active(stride))
    n, row, plane = 256, 288, 288 * 258
    origin, field = 16 + row + plane, plane * 258 + 256
    array = f"buf:2G:{8 * origin}"
    p = f.predictions(
        f"warpline predict {PTX} --kernel k_smooth_mask --device v100-sxm2 --block 32x4 --grid 8x64x32"
        f" --registers 32 --arg {array} --arg {array} --arg buf:2G:{8 * (origin + field)} --arg {field} --arg"
        f" buf:{8 * (2 * plane + origin)}:{8 * origin} --arg {n} --arg {n} --arg {row} --arg {plane} --arg 0"
    )[0]
    classes = {name: c["warp"] for name, c in p["instructions"]["classes"].items()}
    all_of = sum(classes.values())
    f.number("integer instructions", classes["int"] / all_of, OURS)
    f.number("loads and stores", (classes["load"] + classes["store"]) / all_of, OURS)
    f.number("floating-point instructions", classes["fp64"] / all_of, OURS)
    levels = f.json(LEVELS)["launches"]
    series = [
        (
            name,
            "line",
            [
                (side, launch["tallies"]["time"] * 1e6)
                for side, launch in zip((32, 64, 128, 256), levels[i::3] + [found[name]])
            ],
        )
        for i, name in enumerate(NAMES)
    ]
    svg.chart(
        f.draw("roofline_6.svg", "Time of three smoothers over the level"),
        "Instruction roofline, figure 6: time, predicted for a V100",
        "cells on a side",
        "us",
        series,
        x_log=True,
        y_log=True,
    )


def transposes(f):
    return f.json(TRANSPOSE)["launches"]


def instructions(f, kernel):
    return f.predictions(
        f"warpline predict {PTX} --kernel '{kernel}' --device v100-sxm2 --block 32x8 --grid 32x32 --arg"
        " buf:4M --arg buf:4M --arg 1024"
    )[0]


@PAPER.figure("7a", "naive transpose, global memory", head="naive, transactions of a store")
def naive(f):
    p = instructions(f, "k_transpose_naive<float>")
    f.number("naive, transactions of a load", p["derived"]["sectors_per_load"])
    f.number("naive, transactions of a store", p["derived"]["sectors_per_store"])
    launch = transposes(f)[0]
    l1, l2, dram = (point(launch, "all", level)["intensity"] for level in ("L1", "L2", "DRAM"))
    f.claim(
        "naive, poor locality in the L1, good in the L2",
        l2 / l1 < 1.5 and dram / l2 > 3,
        f"instructions per transaction: L1 {l1:.2f}, L2 {l2:.2f}, DRAM {dram:.2f}",
    )
    f.plot(TRANSPOSE, "roofline_7.svg", "Instruction roofline of three transposes on a V100")


@PAPER.figure("7b", "naive transpose, shared memory")
def naive_shared(f):
    f.number("shared memory of the naive transpose", transposes(f)[0]["tallies"]["inst_shared"])
    f.say("As the paper says, there is no figure 7b with points.")


@PAPER.figure("7c", "transpose through a tile, global memory")
def coalesced(f):
    launch = transposes(f)[1]
    f.number("coalesced, global loads and stores per transaction", point(launch, "global")["intensity"])
    f.claim(
        "coalesced is nearly L1-bound",
        peak(launch, "L1") == max(p["share"] for p in launch["of_peak"]) > 0.7,
        f"{100 * peak(launch, 'L1'):.0f} % of the L1's roof, the nearest one",
    )


@PAPER.figure("7d", "transpose through a tile, shared memory")
def conflicts(f):
    passes = 1 / point(transposes(f)[1], "shared")["intensity"]
    f.number("coalesced, passes of a shared load of a column", 2 * passes - 1)
    f.say(
        f"Half of the accesses are stores of rows, which take one pass: {passes:.1f} on average. The text"
        " also speaks of a 16-way conflict; with 32 banks of 4 bytes and rows of 32 floats, a column lies in"
        " one bank."
    )


@PAPER.figure("7e", "padded transpose, global memory")
def padded(f):
    launches = transposes(f)
    f.number(
        "padded, global loads and stores as coalesced",
        point(launches[2], "global")["intensity"] / point(launches[1], "global")["intensity"],
    )


@PAPER.figure("7f", "padded transpose, shared memory")
def padded_shared(f):
    f.number("padded, shared loads per pass", point(transposes(f)[2], "shared")["intensity"])


def alignments(f):
    return f.json(ALIGN)["launches"]


@PAPER.figure("8a", "Smith-Waterman by rows, global memory", head="naive, part of the peak of instructions")
def rows(f):
    launch = alignments(f)[0]
    f.number("naive, one transaction for each thread", point(launch, "global")["intensity"])
    f.number(
        "naive, part of the peak of instructions",
        peak(launch, "issue"),
        "ours stores every score as 4 bytes in another row, and is predicted to wait for the L2 to merge such"
        " pieces; the paper's program also traces back, and what it stores is not described",
    )
    f.plot(ALIGN, "roofline_8.svg", "Instruction roofline of Smith-Waterman on a V100")


@PAPER.figure("8b", "Smith-Waterman by rows, shared memory")
def rows_shared(f):
    f.number("naive, shared loads and stores per pass", point(alignments(f)[0], "shared")["intensity"])


@PAPER.figure("8c", "Smith-Waterman by diagonals, global memory")
def diagonals(f):
    f.number(
        "coalesced, global loads and stores per transaction",
        point(alignments(f)[1], "global")["intensity"],
        "a diagonal has 126 scores of 4 bytes, so that most do not begin at a transaction",
    )


@PAPER.figure("8d", "Smith-Waterman by diagonals, shared memory")
def diagonals_shared(f):
    by_rows, by_diagonals = alignments(f)
    f.number("coalesced, shared loads and stores per pass", point(by_diagonals, "shared")["intensity"])
    f.claim(
        "coalesced has the higher rate of instructions",
        rate(by_diagonals) > rate(by_rows),
        f"{rate(by_diagonals):.0f} and {rate(by_rows):.0f} GIPS",
    )


OWN_KERNEL = (
    "our kernel is not cudaTensorCoreGemm, whose PTX we do not have: it keeps more results per warp, and its"
    " tiles have fewer conflicts"
)


def product(f):
    return f.json(PRODUCT)


@PAPER.figure("9", "tensor instructions")
def tensor(f):
    found = product(f)
    launch = found["launches"][0]
    at = {roof["name"]: roof["rate"] / 1e9 for roof in found["roofs"]}
    f.number("peak of HMMA instructions", at["tensor instructions"])
    f.number(
        "flops of an HMMA instruction", launch["tallies"]["tensor_f16"] / launch["tallies"]["inst_tensor"]
    )


@PAPER.figure("9a", "WMMA, global memory")
def wmma(f):
    launch = product(f)["launches"][0]
    f.number("WMMA", launch["tallies"]["tensor_f16"] / launch["tallies"]["time"] / 1e12, OWN_KERNEL)
    intensity = point(launch, "global")["intensity"]
    f.claim(
        "WMMA, global loads per transaction are between stride 8 and stride 1",
        1 / 32 < intensity < 1 / 4,
        f"{intensity:.4f}",
    )
    f.plot(PRODUCT, "roofline_9.svg", "Instruction roofline of a product with tensor instructions on a V100")


@PAPER.figure("9b", "WMMA, shared memory")
def wmma_shared(f):
    launch = product(f)["launches"][0]
    f.number("WMMA, passes of a shared load or store", 1 / point(launch, "shared")["intensity"], OWN_KERNEL)
    f.claim(
        "WMMA is bound by shared memory",
        "shared" in limiter(launch),
        f"limited by {limiter(launch)}",
        OWN_KERNEL,
    )


@PAPER.figure("10", "cuBLAS")
def cublas(f):
    launch = product(f)["launches"][0]
    f.number(
        "cuBLAS",
        launch["tallies"]["tensor_f16"] / launch["tallies"]["time"] / 1e12,
        "cuBLAS is closed; ours is the same kernel as in figure 9, which is not as good",
    )
    peak_flops = next(p["peak"] for p in launch["of_peak"] if p["of"] == "tensor f16")
    f.say(
        f"cuBLAS reaches {100 * f.value('cuBLAS') * 1e12 / peak_flops:.0f} % of the peak of tensor cores,"
        f" {peak_flops / 1e12:.0f} TFLOP/s. Its PTX is not published, so its points cannot be predicted."
    )


@PAPER.figure("table I", "counters", sample=True)
def counters(f):
    listed = f.row_of("counters of nvprof that have a name of ours")["words"].split()
    found = f.json("warpline metrics")
    names = {
        word
        for c in found["counters"] + found["tallies"]
        for word in (c.get("nvprof") or "").replace("+", " ").split()
    }
    f.number("counters of nvprof that have a name of ours", sum(name in names for name in listed))
    f.say(
        "Not among them: "
        + ", ".join(f"`{name}`" for name in listed if name not in names)
        + " (nvprof itself calls them "
        "`sysmem_..`), and the tensor instructions, which are a counter of Nsight Compute."
    )
