"""Figures of Ernst et al. 2022. SPDX-License-Identifier: MIT"""

import json
import math
import statistics

from common import Paper, read_csv
import svg

PAPER = Paper(
    "Warpspeed",
    "Analytical performance estimation during code generation on modern GPUs",
    "paper_warpspeed.csv",
    ("24", "predicted best, of the fastest"),
    "D. Ernst, M. Holzer, G. Hager, M. Knorr, G. Wellein, J. Parallel Distrib. Comput., 2022",
    "Warpline builds on this paper. `--model paper` is its estimator as published; without it, the default"
    " model predicts, with measured laws. Its figures compare A100 measurements with predictions; their"
    " points are not in its text. What can be compared are the numbers and findings that the text gives, and"
    " the V100 measurements and predictions that the authors published with their code"
    " (`validate/published/v100_star3d.csv`), for the same stencil. Figures 1, 5, 8, 10 and 11 are"
    " illustrations and listings.",
)

STAR, LBM = "star3d_r4", "validate/others/kernels/lbm_interface.yaml"
PAPERS_MODEL = " --model paper"
BLOCKS = "--block-x 1..1024:x2 --block-y 1..1024:x2 --block-z 1..64:x2"
FOLDS = "--fold 1x1x1 --fold 1x2x1 --fold 1x1x2 --registers 1x1x1:32,1x2x1:54,1x1x2:54"
BANKED = "validate/papers/kernels/banks.yaml"
WARP, HALF = 32, 2  # lanes of a warp, half warps of one
SHAPES = [
    "16x8x8",
    "32x32x1",
    "32x1x32",
    "512x2x1",
    "2x512x1",
    "1x16x64",
    "256x1x4",
    "256x1x4:fold=1x2x1:regs=54",
    "256x1x4:fold=1x1x2:regs=54",
]
SAME_REGISTERS = ["256x1x4", "256x1x4:fold=1x2x1:regs=32"]  # so that as many blocks are resident
LBM_SHAPES = ["64x1x8", "32x4x4", "8x1x64", "512x1x1", "2x64x4", "1x64x8"]
V100_STAR = (
    "warpline compare --map validate/others/families.yaml validate/published/v100_star3d.csv --device v100"
)
LAYERS = "warpline predict --batch validate/papers/layers.jsonl --device a100-40gb"


def star_space(f, model=PAPERS_MODEL, device="a100-40gb"):
    return f.json(f"warpline rank {STAR} --device {device}{model} {BLOCKS} --threads 1024 {FOLDS}")["spaces"][
        0
    ]


def lbm_space(f, model=PAPERS_MODEL):
    return f.json(f"warpline rank {LBM} --device a100-40gb{model} {BLOCKS} --threads 512 --fold 1x1x1")[
        "spaces"
    ][0]


def block(launch):
    text = "x".join(str(n) for n in launch["block"])
    return text + {(1, 1, 1): "", (1, 2, 1): " 2y", (1, 1, 2): " 2z"}[tuple(launch["fold"])]


def per_update(space, metric):
    return {block(launch): launch["metrics"][metric] / space["items"] for launch in space["launches"]}


def shapes(f, kernel, names, model=PAPERS_MODEL):
    """Predictions of some blocks, by name."""
    words = " ".join("--block " + name for name in names)
    return {
        block(p["launch"]): p
        for p in f.predictions(f"warpline predict {kernel} --device a100-40gb{model} {words}")
    }


def parts(prediction, metric):
    items = prediction["work"]["items"]
    return {name: value / items for name, value in prediction["metrics"][metric]["parts"].items()}


def total(prediction, metric):
    return prediction["metrics"][metric]["value"] / prediction["work"]["items"]


def v100_rows(f, model):
    rows = {}
    for row in f.json(V100_STAR + model)["rows"]:
        rows["x".join(str(n) for n in row["block"])] = row
    return rows


def authors():
    return {f"{row['bx']}x{row['by']}x{row['bz']}": row for row in read_csv("v100_star3d.csv")}


def v100_volume(f, metric, column, name, title):
    """Rows and a picture: loads of 40 launches on a V100, measured, predicted by the authors, by
    us."""
    paper, default, theirs = v100_rows(f, PAPERS_MODEL), v100_rows(f, ""), authors()
    measured = [row for row in paper.values() if metric in row["measured"]]
    cells = float(next(iter(theirs.values()))["work"])
    pairs = {"paper": [], "default": [], "authors": [], "same": []}
    for row in measured:
        key = "x".join(str(n) for n in row["block"])
        at = row["measured"][metric] / cells
        pairs["paper"].append((at, row["predicted"][metric] / cells))
        pairs["default"].append((at, default[key]["predicted"][metric] / cells))
        pairs["authors"].append((at, float(theirs[key][column])))
        pairs["same"].append((float(theirs[key][column]), row["predicted"][metric] / cells))
    launches = f"{len(measured)} launches (v100_star3d.csv)"
    f.points("V100, measured, with the paper's model", pairs["paper"], published=launches)
    f.points("V100, measured, with the default model", pairs["default"], published=launches)
    off = statistics.mean(abs(o / m - 1) for m, o in pairs["authors"])
    f.points(
        "V100, the authors' predictions, with the paper's model",
        pairs["same"],
        published=launches,
        why=(
            "the authors' predictions in that table are compulsory volumes alone; ours adds capacity misses "
            f"(theirs are {100 * off:.1f} % off the measurements)"
        ),
    )
    svg.chart(
        f.draw(name, title),
        title,
        "measured on a V100, B/LUP",
        "predicted, B/LUP",
        [
            ("the paper's model", "dots", pairs["paper"]),
            ("default model", "open", pairs["default"]),
            ("authors' predictions", "dots", pairs["authors"]),
        ],
        x_log=True,
        y_log=True,
        diagonal=True,
    )


@PAPER.figure("table 1", "numbers of the two GPUs", head="A100, L2 bandwidth", sample=True, inputs=True)
def table_1(f):
    for name, label in (("v100", "V100"), ("a100-40gb", "A100")):
        of = f.device(name)
        f.number(f"{label}, SMs", of("sm_count"))
        f.number(f"{label}, clock", of("clock") / 1e9)
        f.number(f"{label}, L1", of("l1_size") / 1024)
        f.number(f"{label}, L2", of("l2_size") / 2**20)
        f.number(f"{label}, DRAM bandwidth", of("dram_bandwidth") / 1e9)
        f.number(f"{label}, L2 bandwidth", of("l2_bandwidth") / 1e9)
    f.say(
        "The device files take multiprocessors, clocks and caches from this table, bandwidths from published"
        " measurements (`warpline devices show` names every source)."
    )


@PAPER.figure(
    "2",
    "rate over the size of a data set that is used again and again",
    head="A100, rate of loads out of the L2",
)
def rates(f):
    gigabytes = 8 / 1e9
    series = []
    plateau = {}
    for device, label, step in (("v100", "V100", 65536), ("a100-40gb", "A100", 262144)):
        for kind, bytes_of in (("load", 1), ("scale", 2)):
            rows = f.csv(
                f"warpline predict validate/papers/kernels/repeated_{kind}.yaml --device {device} --block"
                f" 1024 --registers 16 --set n={step}..{32 * step}:{step}"
            )
            points = [
                (int(row["n"]) * 8 * bytes_of / 2**20, float(row["items_per_s"]) * gigabytes * bytes_of)
                for row in rows
            ]
            plateau[label, kind] = points[1][1]
            series.append(
                (
                    f"{label}, {kind.upper()}",
                    "line" if kind == "load" else "dashed",
                    points,
                    int(label == "A100"),
                )
            )
            if (label, kind) == ("A100", "load"):
                served = max(
                    int(row["n"]) * 8 / 2**20 for row in rows if float(row["dram_load_bytes"]) < 0.05 * 8
                )
    f.number("A100, data set that the L2 still serves", served)
    starts = (
        "one element per thread: our launches are limited by the start of blocks; the text does not say how"
        " many elements a thread of the figure reads"
    )
    f.number("V100, rate of loads out of the L2", plateau["V100", "load"], starts)
    f.number("A100, rate of loads out of the L2", plateau["A100", "load"], starts)
    ratio = max(plateau[label, "scale"] / plateau[label, "load"] for label in ("V100", "A100"))
    f.claim("LOAD and SCALE have similar rates", ratio < 1.35, f"SCALE at most {ratio:.2f} times LOAD")
    f.say(
        "Served: less than a twentieth of the loads comes from DRAM. Beyond the L2 SCALE is predicted too"
        " fast: stores repeated far beyond the L2 are not modelled ([model.md](model.md#what-is-assumed))."
    )
    svg.chart(
        f.draw("warpspeed_2.svg", "Rate over the size of the data set, predicted"),
        "Warpspeed, figure 2, predicted",
        "data set, MiB",
        "GB/s",
        series,
        x_log=True,
        lines=[(20, "20 MB")],
    )


@PAPER.figure(
    "3",
    "SCALE over occupancy, two blocks on a multiprocessor",
    head="A100, rates that the first author published with his benchmarks",
)
def occupancy(f):
    series, full = [], {}
    for device, label, source, shared in (
        ("v100", "V100", "v100", "48KiB"),
        ("a100-40gb", "A100", "a100_40", "81KiB"),
    ):
        published = {}
        for row in read_csv("streams.csv"):  # the first run of the device
            if row["device"] == source and row["blocks_per_sm"] == "2":
                published.setdefault(int(row["block_threads"]), float(row["scale"]))
        words = " ".join(f"--block {n}" for n in published)
        found = f.predictions(
            f"warpline predict validate/others/kernels/stream.yaml --device {device} --shared {shared}"
            f" {words}"
        )
        ours = {p["launch"]["block"][0]: 16e-9 * p["model"]["items_per_s"] for p in found}
        f.points(
            f"{label}, rates that the first author published with his benchmarks",
            [(published[n], ours[n]) for n in published],
            published=f"{len(published)} rates (streams.csv)",
        )
        full[label] = ours[1024]
        f.number(f"{label}, rate at full occupancy", ours[1024])
        colour = len(full) - 1
        series.append((f"{label}, published", "dots", [(2 * n, published[n]) for n in published], colour))
        series.append((f"{label}, predicted", "line", [(2 * n, ours[n]) for n in published], colour))
    f.number("A100 over V100", full["A100"] / full["V100"])
    half = [
        next(x for x, y in points if y >= 0.95 * points[-1][1])
        for name, _, points, _ in series
        if "predicted" in name
    ]
    f.claim(
        "the A100 needs a higher occupancy to saturate its memory",
        half[1] > half[0],
        f"95 % of the rate with {half[0]} threads on a V100, {half[1]} on an A100",
    )
    svg.chart(
        f.draw("warpspeed_3.svg", "SCALE over occupancy"),
        "Warpspeed, figure 3",
        "threads of a multiprocessor",
        "GB/s",
        series,
    )


@PAPER.figure("4", "conflicts of the banks of the L1", head="D[16 x], cycles per half warp", sample=True)
def banks(f):
    for stride, name in ((1, "A[x]"), (2, "B[2 x]"), (16, "D[16 x]")):
        p = f.predictions(
            f"warpline predict {BANKED} --set stride={stride} --device a100-40gb --model paper --block 256"
        )[0]
        f.number(
            f"{name}, cycles per half warp",
            p["metrics"]["l1_wavefronts"]["value"] / p["metrics"]["inst_global_ld"]["value"] / HALF,
        )


@PAPER.figure("6", "the footprint of four threads with a 4-point stencil", sample=True)
def footprint(f):
    p = f.predictions(
        "warpline predict star2d_4pt --device a100-40gb --model paper --block 2x2 --domain 2x2"
    )[0]
    f.number("cache lines of the four threads", p["metrics"]["l2_load_bytes"]["parts"]["compulsory"] / 32)
    f.number("loads of the four threads", 4 * p["metrics"]["inst_global_ld"]["value"])
    p = f.predictions(
        "warpline predict validate/papers/kernels/spread_4pt.yaml --device a100-40gb --model paper"
        " --block 2x2"
    )[0]
    f.number(
        "addresses of the four threads",
        p["metrics"]["l2_load_bytes"]["parts"]["compulsory"] / 32,
        "four threads in a square have four cells and eight neighbours around them, all of which are loaded:"
        " twelve; the paper's ten seems to be a slip",
    )


@PAPER.figure("7", "shapes of blocks, 2D star of five points")
def shapes_2d(f):
    names = ["32x32", "1024x1", "512x2", "2x512", "1x1024"]
    words = " ".join("--block " + name for name in names)
    found = f.predictions(f"warpline predict star2d_5pt --device a100-40gb --model paper {words}")
    volume = {name: total(p, "l2_load_bytes") for name, p in zip(names, found)}
    shown = ", ".join(f"{name} {value:.1f}" for name, value in volume.items()) + " B/LUP"
    f.claim(
        "elongated blocks load more per thread than square ones",
        volume["32x32"] == min(volume.values()),
        shown,
    )
    f.claim(
        "wide blocks load less than tall ones",
        volume["1024x1"] < volume["1x1024"] and volume["512x2"] < volume["2x512"],
        shown,
    )


@PAPER.figure("9", "the layer condition", head="XY side up to which nine layers fit into 10 MB")
def layer_condition(f):
    p = f.predictions(f"warpline predict {STAR} --device a100-40gb --model paper --block 512x2")[0][
        "layer_condition"
    ]
    f.number("three layers of 640 x 512", 3 * p["needed_bytes"] / p["layers"] / 2**20)
    side = (p["room_bytes"] / (p["needed_bytes"] / (640 * 512))) ** 0.5
    f.number("XY side up to which nine layers fit into 10 MB", side)
    f.say(
        f"A range of four needs {p['layers']} layers, as section 5.7 says, not the three of section 5.2:"
        f" {p['needed_bytes'] / 2 ** 20:.1f} MiB, for which half of a section of the L2"
        f" ({p['room_bytes'] / 2 ** 20:.0f} MiB) has no room."
    )


@PAPER.figure("12", "cycles in the L1", head="V100, the authors' predictions")
def l1_cycles(f):
    space = star_space(f)
    waves = {name: WARP * value for name, value in per_update(space, "l1_wavefronts").items()}
    width = {block(launch): launch["block"][0] for launch in space["launches"]}
    plain = {name: value for name, value in waves.items() if " " not in name}
    accesses = 26  # loads and the store
    f.number(
        "wavefronts per half warp and load, blocks 16 wide or wider",
        max(value for name, value in plain.items() if width[name] >= 16) / accesses / HALF,
    )
    at = {
        w: statistics.mean(value for name, value in plain.items() if width[name] == w)
        for w in sorted(set(width.values()))
    }
    narrow = [at[w] for w in (1, 2, 4, 8, 16)]
    f.claim(
        "narrower blocks have more bank conflicts",
        all(a > b for a, b in zip(narrow, narrow[1:])),
        ", ".join(f"{value:.0f}" for value in narrow) + " cycles for blocks 1, 2, 4, 8, 16 wide",
    )
    folded = all(
        waves[name + fold] < waves[name] for name in plain for fold in (" 2y", " 2z") if name + fold in waves
    )
    f.claim(
        "folding lowers the time in the L1",
        folded,
        f"16x2x32: {waves['16x2x32']:.0f} cycles, with two cells in z {waves['16x2x32 2z']:.0f}",
    )
    theirs = authors()
    pairs = [
        (
            float(theirs[name]["authors_l1_cycles"]),
            row["predicted"]["l1_wavefronts"] / (float(theirs[name]["work"]) / WARP),
        )
        for name, row in v100_rows(f, PAPERS_MODEL).items()
    ]
    f.points("V100, the authors' predictions", pairs, published=f"{len(pairs)} launches (v100_star3d.csv)")
    series = [
        (
            label,
            "dots" if fold == "" else "open",
            sorted(
                (width[name], value)
                for name, value in waves.items()
                if name.endswith(fold) and (" " in name) == bool(fold)
            ),
        )
        for fold, label in (("", "no folding"), (" 2y", "two cells in y"), (" 2z", "two cells in z"))
    ]
    svg.chart(
        f.draw("warpspeed_12.svg", "Cycles in the L1 per update of a warp"),
        "Warpspeed, figure 12, predicted for an A100",
        "threads of a block in x",
        "cycles per update of a warp",
        series,
        x_log=True,
        y_log=True,
    )


@PAPER.figure("13", "L2 to L1 loads of the range-4 star", head="V100, measured, with the paper's model")
def star_l2(f):
    found = shapes(f, STAR, SHAPES)
    volume = {name: total(p, "l2_load_bytes") for name, p in found.items()}
    f.claim(
        "cubes load less than flat blocks: 16x8x8 against 512x2x1 and 2x512x1",
        volume["16x8x8"] < min(volume["512x2x1"], volume["2x512x1"]),
        ", ".join(f"{volume[name]:.0f}" for name in ("16x8x8", "512x2x1", "2x512x1")) + " B/LUP",
    )
    misses = {name: parts(p, "l2_load_bytes") for name, p in found.items()}
    capacity = {name: m["capacity"] for name, m in misses.items()}
    f.claim(
        "narrow blocks have most capacity misses: 1x16x64",
        capacity["1x16x64"] == max(capacity.values()),
        f"{capacity['1x16x64']:.0f} B/LUP, 16x8x8: {capacity['16x8x8']:.0f}",
    )
    plain, folded = [parts(p, "l2_load_bytes") for p in shapes(f, STAR, SAME_REGISTERS).values()]
    f.claim(
        "folding lowers compulsory and raises capacity volume",
        folded["compulsory"] < plain["compulsory"] and folded["capacity"] > plain["capacity"],
        f"256x1x4: {plain['compulsory']:.0f} + {plain['capacity']:.0f} B/LUP, two cells in "
        f"y: {folded['compulsory']:.0f} + {folded['capacity']:.0f}",
    )
    f.say(
        "Folding is compared with two blocks resident. The folded kernel that we compiled has 54 registers,"
        " so that one block has the L1 for itself, and less is missed."
    )
    v100_volume(
        f,
        "l2_load_bytes",
        "authors_l2_load",
        "warpspeed_13.svg",
        "Warpspeed, figure 13, on a V100: L2 to L1 loads",
    )


@PAPER.figure("14", "L2 to L1 loads of the D3Q15 kernel", head="volume of 32x4x4, of the lowest")
def lbm_l2(f):
    space = lbm_space(f)
    volume = per_update(space, "l2_load_bytes")
    least = min(space["launches"], key=lambda launch: launch["metrics"]["l2_load_bytes"])
    f.number("volume of 32x4x4, of the lowest", volume["32x4x4"] / min(volume.values()))
    found = shapes(f, LBM, LBM_SHAPES)
    share = {
        name: parts(p, "l2_load_bytes")["capacity"] / total(p, "l2_load_bytes") for name, p in found.items()
    }
    wide_share = max(value for name, value in share.items() if not name.startswith(("1x", "2x")))
    f.claim(
        "capacity misses are few",
        wide_share < 0.1,
        f"at most {100 * wide_share:.1f} % in blocks of 8 or more in x, up to "
        f"{100 * max(share.values()):.0f} % in narrower ones",
    )
    f.say(
        f"Lowest of all is {block(least)} with {min(volume.values()):.0f} B/LUP. The domain is not published:"
        " 256^3 here."
    )
    order = sorted(volume, key=volume.get)
    svg.chart(
        f.draw("warpspeed_14.svg", "L2 to L1 loads of all blocks"),
        "Warpspeed, figure 14: all blocks of 512 threads, predicted",
        "blocks, by volume",
        "B/LUP",
        [("L2 to L1 loads", "dots", [(i + 1, volume[name]) for i, name in enumerate(order)])],
    )


@PAPER.figure("15", "what L2 to L1 loads are made of")
def l2_parts(f):
    found = {
        **shapes(f, STAR, SHAPES),
        **{"LBM " + k: p for k, p in shapes(f, LBM, ["32x4x4", "64x1x8", "512x1x1"]).items()},
    }
    p = found["LBM 64x1x8"]
    streamed = sum(
        p["fields"][name][metric] for name, metric in (("f", "l2_load_bytes"), ("g", "l2_store_bytes"))
    )
    f.number("LBM, streamed per update", streamed / p["work"]["items"])
    f.say("Ours counts the sectors that unaligned loads touch, so a little more than the elements.")
    names = list(found)
    made = [parts(found[name], "l2_load_bytes") for name in names]
    upper = [
        found[name]["metrics"]["l1_sectors_ld"]["value"] * 32 / found[name]["work"]["items"] for name in names
    ]
    f.listing(
        ["block", "compulsory", "capacity", "requested of the L1, B/LUP"],
        [
            [name, f"{m['compulsory']:.1f}", f"{m['capacity']:.1f}", f"{u:.0f}"]
            for name, m, u in zip(names, made, upper)
        ],
    )
    svg.chart(
        f.draw("warpspeed_15.svg", "L2 to L1 loads by cause"),
        "Warpspeed, figure 15, predicted for an A100",
        "",
        "B/LUP",
        [
            ("compulsory", "bar", [(i, m["compulsory"]) for i, m in enumerate(made)]),
            ("capacity", "bar", [(i, m["capacity"]) for i, m in enumerate(made)]),
        ],
        categories=names,
    )


def reuse(f, axis):
    """(oversubscription, hit rate, block, cells of a plane) of many domains and blocks."""
    out = []
    for line in f.text(LAYERS).splitlines():
        p = json.loads(line)
        grid, blk = p["launch"]["grid"], p["launch"]["block"]
        if axis in p["reuse"]:
            out.append(
                (
                    p["reuse"][axis]["oversubscription"],
                    p["reuse"][axis]["hit_rate"],
                    blk,
                    grid[0] * blk[0] * grid[1] * blk[1],
                )
            )
    return out


def reuse_picture(f, found, axis, number):
    kinds = (
        ("wide blocks", lambda b: b[0] > 8 * b[1]),
        ("tall blocks", lambda b: b[1] > 8 * b[0]),
        ("others", lambda b: b[0] <= 8 * b[1] and b[1] <= 8 * b[0]),
    )
    series = [(name, "dots", [(o, h) for o, h, b, _ in found if test(b) and o < 6]) for name, test in kinds]
    title = f"Hits in the {axis} layer over oversubscription"
    svg.chart(
        f.draw(f"warpspeed_{number}.svg", title),
        f"Warpspeed, figure {number}: hits in the {axis} layer, by the paper's curve",
        "oversubscription of the L2",
        "hit rate",
        [s for s in series if s[2]],
    )


FITS = {
    "V100": "validate/others/families.yaml validate/published/v100_star3d.csv --device v100",
    "H200": "validate/families.yaml validate/data/h200_fit.csv --family star3d --device h200",
}


def refit(f, target, volume, picture):
    """The curve fitted to measured launches of the star, as the paper does."""
    found = {gpu: f.json(f"warpline fit --map {words} --target {target}") for gpu, words in FITS.items()}
    rows = []
    for gpu, fit in found.items():
        for name in ("before", "fitted"):
            c = fit[name]
            numbers = [f"{c[n]:.3g}" for n in "abc"]
            which = f"{gpu}, fitted to {fit['launches']} launches" if name == "fitted" else f"{gpu}, device file"
            rows.append([which, *numbers, f"{100 * c['volume_error']:.1f} %"])
    f.say("The curve of the device file and one fitted to measured launches of the range-4 star, a exp(-b exp(-c O)):")
    f.listing(["misses", "a", "b", "c", f"mean error of {volume}"], rows)
    series = []
    for colour, (gpu, fit) in enumerate(found.items()):
        points = [(main_term(p), 1 - p["miss"]) for p in fit["points"] if main_term(p) is not None]
        most = max(o for o, _ in points)
        line = [(o, hits(fit["fitted"], o)) for o in (most * i / 100 for i in range(101))]
        series += [(f"{gpu}, measured", "dots", points, colour), (f"{gpu}, fitted", "line", line, colour)]
    number, alt = picture
    svg.chart(
        f.draw(f"warpspeed_{number}_fit.svg", alt),
        f"Warpspeed, figure {number}, measured and fitted: {alt[0].lower()}{alt[1:]}",
        "oversubscription",
        "hit rate",
        series,
    )


def hits(curve, oversubscription):
    return 1 - curve["a"] * math.exp(-curve["b"] * math.exp(-curve["c"] * oversubscription))


def main_term(point):
    """The oversubscription of the direction that nearly all of the reuse comes from."""
    most = max(point["terms"], key=lambda t: t["share"])
    return most["oversubscription"] if most["share"] > 0.9 else None


@PAPER.figure("16", "hits in the y layer")
def y_hits(f):
    found = reuse(f, "y")
    within = [h for _, h, b, plane in found if plane <= 1.1e7 and b[0] >= b[1]]
    f.claim(
        "hit rates stay high, planes of up to 10000 x 1000",
        statistics.mean(within) > 0.8,
        f"{statistics.mean(within):.2f} on average of {len(within)} domains and blocks",
    )
    f.say(
        "The curve is the one that the authors published; blocks that are taller than wide have a row of"
        " blocks in y that is longer than the wave."
    )
    reuse_picture(f, found, "y", 16)


@PAPER.figure("17", "hits in the z layer", head="hit rate with an oversubscription above two")
def z_hits(f):
    found = reuse(f, "z")
    below = [h for o, h, _, _ in found if o < 1]
    above = [h for o, h, _, _ in found if o > 2]
    f.number("hit rate with an oversubscription below one", statistics.mean(below))
    f.number("hit rate with an oversubscription above two", statistics.mean(above))
    reuse_picture(f, found, "z", 17)
    refit(f, "l2_reuse_curve", "DRAM loads", (17, "Hits of what earlier blocks loaded"))


@PAPER.figure("18", "hits of stores that are not alone in their sector")
def store_hits(f):
    names = [
        f"{x}x{512 // x * 2 // z}x{z}" for x in (1, 2) for z in (1, 4, 16, 64) if 512 // x * 2 // z <= 512
    ]
    found = shapes(f, STAR, names)
    rates = []
    for p in found.values():
        again = total(p, "l2_store_bytes") - 8  # B/LUP, beyond the first store of each cell
        rates.append((1 - parts(p, "dram_load_bytes")["partial_stores"] / again, again))
    f.number("stores hit in the L2, blocks one or two wide", statistics.mean(rate for rate, _ in rates))
    names = list(found)
    svg.chart(
        f.draw("warpspeed_18.svg", "Hit rate of stores of narrow blocks"),
        "Warpspeed, figure 18: stores of narrow blocks",
        "",
        "hit rate",
        [("hit rate in the L2", "dots", [(i, rate) for i, (rate, _) in enumerate(rates)])],
        categories=names,
    )
    refit(f, "l2_store_curve", "DRAM stores", (18, "Hits of repeated stores"))


@PAPER.figure("19", "what DRAM loads of the star are made of")
def dram_parts(f):
    found = shapes(f, STAR, SHAPES)
    made = {name: parts(p, "dram_load_bytes") for name, p in found.items()}
    plain, in_y, in_z = made["256x1x4"], made["256x1x4 2y"], made["256x1x4 2z"]
    f.claim(
        "folding 256x1x4 in z lowers the compulsory volume",
        in_z["compulsory"] < plain["compulsory"],
        f"{plain['compulsory']:.1f} and {in_z['compulsory']:.1f} B/LUP",
    )
    volume = {name: total(p, "dram_load_bytes") for name, p in found.items()}
    f.claim(
        "folding 256x1x4 in y does not help",
        volume["256x1x4 2y"] >= 0.99 * volume["256x1x4"],
        f"{volume['256x1x4']:.1f} B/LUP, two cells in y: {volume['256x1x4 2y']:.1f} (compulsory"
        f" {in_y['compulsory']:.1f})",
    )
    names = list(found)
    saved = {name: -sum(v for k, v in m.items() if k.startswith("reuse")) for name, m in made.items()}
    svg.chart(
        f.draw("warpspeed_19.svg", "DRAM loads by cause"),
        "Warpspeed, figure 19, predicted for an A100",
        "",
        "B/LUP",
        [
            (
                "loaded",
                "bar",
                [
                    (i, volume[n] - made[n]["capacity"] - made[n]["partial_stores"])
                    for i, n in enumerate(names)
                ],
            ),
            ("capacity", "bar", [(i, made[n]["capacity"]) for i, n in enumerate(names)]),
            ("to complete stores", "bar", [(i, made[n]["partial_stores"]) for i, n in enumerate(names)]),
            ("found in the L2, from earlier blocks", "bar", [(i, saved[n]) for i, n in enumerate(names)]),
        ],
        categories=names,
    )


@PAPER.figure("20", "DRAM loads of the star", head="V100, measured, with the paper's model")
def star_dram(f):
    volume = per_update(star_space(f), "dram_load_bytes")
    f.number("lowest volume", min(volume.values()))
    names = ("32x1x32", "32x32x1", "2x512x1")
    f.claim(
        "wide and deep blocks load least, tall ones most: 32x1x32, 32x32x1, 2x512x1",
        volume[names[0]] < volume[names[1]] < volume[names[2]],
        ", ".join(f"{volume[name]:.1f}" for name in names) + " B/LUP",
    )
    v100_volume(
        f,
        "dram_load_bytes",
        "authors_dram_load",
        "warpspeed_20.svg",
        "Warpspeed, figure 20, on a V100: DRAM loads",
    )


@PAPER.figure("21", "DRAM loads of the D3Q15 kernel")
def lbm_dram(f):
    paper, default = per_update(lbm_space(f), "dram_load_bytes"), per_update(
        lbm_space(f, ""), "dram_load_bytes"
    )
    wide = sorted(value for name, value in default.items() if int(name.split("x")[0]) > 2)
    f.number("volume of most blocks", statistics.median(wide))
    narrow = min(value for name, value in paper.items() if int(name.split("x")[0]) <= 2)
    f.claim(
        "blocks that are one or two wide load more",
        narrow > statistics.median(paper.values()),
        f"at least {narrow:.0f} B/LUP, the median of all blocks is {statistics.median(paper.values()):.0f}",
    )
    f.say(
        "The kernel reads the velocity as well, as the generated code does; domain 256^3, as the paper's is"
        " not published."
    )
    order = sorted(default, key=default.get)
    svg.chart(
        f.draw("warpspeed_21.svg", "DRAM loads of all blocks"),
        "Warpspeed, figure 21: all blocks of 512 threads, predicted",
        "blocks, by volume",
        "B/LUP",
        [
            ("default model", "dots", [(i + 1, default[n]) for i, n in enumerate(order)]),
            ("the paper's model", "open", [(i + 1, paper[n]) for i, n in enumerate(order)]),
        ],
    )


@PAPER.figure("22", "what DRAM loads of the D3Q15 kernel are made of")
def lbm_parts(f):
    volume = per_update(lbm_space(f), "dram_load_bytes")
    found = shapes(f, LBM, LBM_SHAPES)
    p = found["64x1x8"]
    f.number("populations alone", p["fields"]["f"]["dram_load_bytes"] / p["work"]["items"])
    f.number("volume of 64x1x8, of the lowest", volume["64x1x8"] / min(volume.values()))
    names = list(found)
    fields = [("populations", "f"), ("phase field", "phi"), ("velocity", "u"), ("to complete stores", "g")]
    svg.chart(
        f.draw("warpspeed_22.svg", "DRAM loads of the D3Q15 kernel by field"),
        "Warpspeed, figure 22, predicted for an A100",
        "",
        "B/LUP",
        [
            (
                label,
                "bar",
                [
                    (i, found[n]["fields"][field]["dram_load_bytes"] / found[n]["work"]["items"])
                    for i, n in enumerate(names)
                ],
            )
            for label, field in fields
        ],
        categories=names,
    )


@PAPER.figure("23", "DRAM loads over the size of a plane", head="large planes, wave of 1 layer")
def planes(f):
    depths = {"512x2x1": 1, "256x2x2": 2, "128x2x4": 4, "64x2x8": 8, "16x2x32": 32}
    words = " ".join("--block " + name for name in depths)
    sweep = (
        f"warpline predict {STAR} --device a100-40gb{{}} {words} --set nx=128..1024:32 --set ny=nx --set"
        " nz=536870912/nx/nx"
    )
    lines = {}
    for model in (PAPERS_MODEL, ""):
        for row in f.csv(sweep.format(model)):
            lines.setdefault((row["launch"].split(", ")[1], model), []).append(
                (int(row["nx"]), float(row["dram_load_bytes"]))
            )
    paper = {name: lines[name, PAPERS_MODEL] for name in depths}
    f.number(
        "small planes, blocks of all depths",
        statistics.mean(min(y for _, y in points) for points in paper.values()),
        "the edges of the domain and of blocks are loaded as well",
    )
    for name, depth in depths.items():
        f.number(f"large planes, wave of {depth} layer" + ("s" if depth > 1 else ""), paper[name][-1][1])
    low = min(y for _, y in paper["512x2x1"])
    f.number(
        "side at which the volume of 512x2x1 starts to rise",
        next(x for x, y in paper["512x2x1"] if x > 256 and y > 1.2 * low),
    )
    f.say("Rises: 20 % above its least volume. Lines: the paper's model; dashes: the default model.")
    series = [(name, "line", paper[name]) for name in depths] + [
        (name + ", default", "dashed", lines[name, ""], list(depths).index(name))
        for name in ("512x2x1", "64x2x8")
    ]
    svg.chart(
        f.draw("warpspeed_23.svg", "DRAM loads over the side of a plane"),
        "Warpspeed, figure 23, predicted for an A100",
        "cells in x and in y",
        "B/LUP",
        series,
        lines=[(381, "layer condition")],
    )


@PAPER.figure("24", "performance of the star", head="predicted best, of the fastest")
def star_performance(f):
    space, default = star_space(f), star_space(f, "")
    speed = {block(launch): launch["items_per_s"] / 1e9 for launch in space["launches"]}
    ours = {block(launch): launch["items_per_s"] / 1e9 for launch in default["launches"]}
    pick = "16x2x32 2z"
    place = 1 + sum(value > 1.001 * speed[pick] for value in speed.values())
    f.number("place of 16x2x32, two cells in z, in the paper's prediction", place)
    measured = {
        pick: f.value("speed of 16x2x32, two cells in z"),
        "64x4x4 2z": f.value("speed of 64x4x4, two cells in z, the fastest"),
    }
    if place == 1:
        f.number("predicted best, of the fastest", measured[pick] / max(measured.values()))
    else:
        f.unknown(
            "predicted best, of the fastest", "the measured speed of the launch that we pick is not published"
        )
    f.number("speed of 16x2x32, two cells in z", ours[pick])
    moved = sum(
        per_update(default, metric)["64x4x4 2z"] for metric in ("dram_load_bytes", "dram_store_bytes")
    )
    busy = 1e9 * measured["64x4x4 2z"] * moved / f.device("a100-40gb", shown=False)("dram_bandwidth")
    f.number(
        "speed of 64x4x4, two cells in z, the fastest",
        ours["64x4x4 2z"],
        "one block of 1024 threads is resident, and our default model has it wait for memory; with the volume"
        f" that we predict, the measured launch keeps DRAM at {100 * busy:.0f} % of its bandwidth",
    )
    first = space["launches"][:5]
    f.claim(
        "the fastest launches are limited by DRAM",
        all(launch["limiter"] == "dram" for launch in first),
        ", ".join(f"{block(launch)}: {launch['limiter']}" for launch in first),
    )
    times = {
        block(p["launch"]): p["model"]["time_s"]
        for p in f.predictions(f"warpline predict {STAR} --device v100 --block 16x2x32 --block 8x8x8")
    }
    f.number("V100: 16x2x32 over 8x8x8", times["8x8x8"] / times["16x2x32"])
    picks = []
    for volumes in ("", " --volumes measured"):
        rows = f.json(V100_STAR + PAPERS_MODEL + volumes)["rows"]
        best = min(rows, key=lambda row: row["predicted"]["time"])
        speed_of_best = min(row["measured"]["time"] for row in rows) / best["measured"]["time"]
        picks.append(("x".join(str(n) for n in best["block"]), speed_of_best))
    f.claim(
        "the model picks the same launch with measured volumes",
        picks[0] == picks[1],
        f"V100, {len(rows)} launches: {picks[0][0]} and {picks[1][0]}, {100 * picks[0][1]:.0f} % of the"
        " fastest",
    )
    volta = star_space(f, device="v100")["launches"]
    tied = [block(launch) for launch in volta if launch["time_s"] < 1.001 * volta[0]["time_s"]]
    f.claim(
        "V100, best predicted block: 32x2x16",
        any(name.startswith("32x2x16") for name in tied),
        " and ".join(tied) + " (the same cells)",
    )
    f.say(
        f"The headline: with the paper's model, {pick} is predicted to be the fastest of {len(speed)}"
        f" launches, {speed[pick]:.0f} GLUP/s, as in the paper; 16x1x64 with two cells in y covers the same"
        " cells and ties. The paper says that its model overpredicts; the default model, which knows waits,"
        f" predicts {100 * ours[pick] / measured[pick]:.0f} % of the measured speed of this launch. It puts"
        f" {max(ours, key=ours.get)} first with {max(ours.values()):.1f} GLUP/s, and {pick} within"
        f" {100 * (max(ours.values()) / ours[pick] - 1):.0f} % of it."
    )
    order = sorted(speed, key=speed.get, reverse=True)[:60]
    svg.chart(
        f.draw("warpspeed_24.svg", "Predicted performance of the star"),
        "Warpspeed, figure 24: the 60 best launches by the paper's model",
        "place",
        "GLUP/s",
        [
            ("the paper's model", "dots", [(i + 1, speed[n]) for i, n in enumerate(order)]),
            ("default model", "open", [(i + 1, ours[n]) for i, n in enumerate(order)]),
            (
                "measured (two are published)",
                "dots",
                [(order.index(n) + 1, v) for n, v in measured.items() if n in order],
            ),
        ],
    )


@PAPER.figure("25", "performance of the D3Q15 kernel")
def lbm_performance(f):
    default = lbm_space(f, "")["launches"]
    narrow = sorted({launch["limiter"] for launch in default if launch["block"][0] == 1})
    others = sorted({launch["limiter"] for launch in default if launch["block"][0] > 1})
    f.claim(
        "narrow blocks are limited by the L2, all others by DRAM",
        set(narrow) <= {"l2", "pieces"} and others == ["dram"],
        f"one wide: {', '.join(narrow)}; others: {', '.join(others)}",
    )
    f.say(
        "`pieces` are partly written sectors that the L2 merges. The paper gives no speed of this kernel in"
        " its text."
    )
    order = sorted(default, key=lambda launch: launch["time_s"])
    series = [("limited by DRAM", "dots", "dram"), ("by the L2, merging pieces", "open", "pieces")]
    svg.chart(
        f.draw("warpspeed_25.svg", "Predicted performance of the D3Q15 kernel"),
        "Warpspeed, figure 25: all blocks of 512 threads",
        "place",
        "GLUP/s",
        [
            (
                label,
                kind,
                [
                    (i + 1, launch["items_per_s"] / 1e9)
                    for i, launch in enumerate(order)
                    if launch["limiter"] == limiter
                ],
            )
            for label, kind, limiter in series
        ],
    )
