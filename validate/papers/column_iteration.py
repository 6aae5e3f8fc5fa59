"""Figures of N. Prasetya's thesis, 2022. SPDX-License-Identifier: MIT"""

import math
import re

from common import Paper, read_csv, tau
import svg

PAPER = Paper(
    "Column iteration",
    "Improving cache performance in structured GPGPU workloads via specialized thread schedules",
    "paper_columns.csv",
    ("5.1a", "blocks of 256: columns of 32 over naive"),
    "N. Prasetya, thesis, 2022",
    "Chapters 3 and 4 simulate small caches and give equations; chapter 5 measures an RTX 2080 Super. The"
    " diagrams are pictures without numbers: compared are the thesis' equations, with the values of its"
    " tables 3.1 and 3.2, and what the same simulation counts. Figures 2.1, 2.2, 4.1 to 4.3 and 4.5 are"
    " illustrations; `warpline emit --schedule column:32` prints listing 5, and [schedule.md](schedule.md)"
    " has its mapping. Section 5.3 of the thesis has no data.",
)

COMPARE = (
    "warpline compare --map validate/families.yaml validate/published/rtx2080s_columns.csv --device rtx2080s"
    " --metric time"
)
BLOCKS = (32, 64, 128, 256, 512, 1024)
LAW = (
    "the equation takes every row of tasks to fetch its lines anew; lines that are still in the cache are not"
    " fetched"
)


def setup(f, table):
    """Values of table 3.1 or 3.2."""
    return {row["quantity"]: int(row["value"]) for row in f.paper.rows if row["figure"] == table}


def trace(f, example, lines, schedule="linear"):
    order = "" if schedule == "linear" else f" --schedule {schedule}"
    return f.json(f"warpline trace --example {example} --lines {lines}{order}")


def rows_of_tasks(f):
    """Lines of a row with its stencil, as the thesis counts them; side of the input, and of the
    stencil."""
    t = setup(f, "table 3.1")
    side, stencil = t["input, cells on a side"], t["stencil, cells on a side"]
    return math.ceil((side + stencil) / t["cache line"]), side, stencil, t


def columns_by_4_8(f, width):
    _, side, stencil, t = rows_of_tasks(f)
    return math.ceil(side / width) * math.ceil((width + stencil) / t["cache line"]) * (side + stencil)


@PAPER.figure("table 2.1", "caches", sample=True)
def caches(f):
    for name, label in (("t4", "T4"), ("v100", "V100")):
        of = f.device(name)
        f.number(
            f"{label}, L1",
            of("l1_size") / 1024,
            "96 KiB are the L1 and shared memory of Turing together; at least 32 KiB of "
            "them are shared memory, so that a launch has 64 KiB of L1 at most, as in the thesis",
        )
        f.number(f"{label}, L2", of("l2_size") / 1024)
        f.number(f"{label}, line of the L1", of("l1_sector"))
        f.number(f"{label}, line of the L2", of("dram_fetch"))
    f.say(
        "Lines: what one request moves, between L2 and L1 and from DRAM. The P100 and M60 of the table have"
        " no device file."
    )


@PAPER.figure("section 2.1.2", "latencies of Turing", sample=True, inputs=True)
def latencies(f):
    of = f.device("t4")
    f.number("latency of a hit in the L1", of("l1_latency"))
    f.number("latency of a hit in the L2", of("l2_latency"))
    f.number("latency of DRAM", of("dram_latency"))
    f.number("latency of DRAM and a miss in the TLB", of("dram_latency"), "the TLB is not modelled")
    f.say("The device file cites the measurements that the thesis cites.")


@PAPER.figure(
    "table 3.1", "the stencil of the diagrams", head="fetched lines, columns of 8", sample=True, inputs=True
)
def stencil_setup(f):
    t = trace(f, "stencil", 24, "column:8")
    f.number("cache", t["cache"]["lines"])
    f.number("cache line", t["cache"]["line_bytes"] / 4)
    f.number("stencil, cells on a side", int(t["name"].split("x")[-1]))
    f.number("input, cells on a side", t["tasks"] ** 0.5)
    f.number("column", int(t["schedule"].split(":")[1]))
    f.number("fetched lines, columns of 8", t["fetches"], LAW, columns_by_4_8(f, 8), "equation 4.8")


@PAPER.figure(
    "table 3.2",
    "the matrix product of the diagrams",
    head="lines that columns of 8 need",
    sample=True,
    inputs=True,
)
def product_setup(f):
    t = trace(f, "matmul", 32, "column:8")
    f.number("cache", t["cache"]["lines"])
    f.number("cache line", t["cache"]["line_bytes"] / 4)
    f.number("input, cells on a side", t["tasks"] ** 0.5)
    f.number("column", int(t["schedule"].split(":")[1]))
    s = setup(f, "table 3.2")
    line, side = s["cache line"], s["input, cells on a side"]
    needed = side // line + side * math.ceil(s["column"] / line)
    again = trace(f, "matmul", 40, "column:8")["fetches"]
    f.number(
        "lines that columns of 8 need",
        40 if again < t["fetches"] / 2 else 0,
        "two rows of A are in use between two uses of a line of B, the equation has one",
        needed,
        "section 4.4",
    )
    f.say(
        f"With the 32 lines of the table {t['fetches']} lines are fetched in columns of 8, with 40 lines"
        f" {again}."
    )


@PAPER.figure("section 3.3.1", "cache for rows of 2048 floats", sample=True)
def rows_needed(f):
    command = (
        "warpline schedule validate/papers/kernels/box9x9.yaml --device rtx2080s --block 256 --orders column"
        " --widths 32"
    )
    forms = f.json(command)["closed_forms"]
    f.number(
        "9x9 stencil, rows of 2048 floats: cache it needs",
        forms["orders"][0]["lines_needed"] * forms["line_bytes"] / 1024,
        'the thesis rounds up ("roughly"): its equation 3.2 gives '
        f"{math.ceil((2048 + 9) / 32) * 9 * 128 / 1024:.0f} KiB",
    )
    f.number("array of 2048 x 2048 floats", forms["lines_least"] * forms["line_bytes"] / 2**20)


@PAPER.figure("3.1", "stencil row by row", sample=True)
def stencil_linear(f):
    row, side, stencil, _ = rows_of_tasks(f)
    t = trace(f, "stencil", 24)
    f.number(
        "fetched lines, at most",
        t["fetches"],
        "an upper bound: uses at the edges and in the lines that are still there are not fetched again",
        row * side * stencil,
        "section 3.3.1",
    )
    enough = next(n for n in range(24, 60) if trace_quiet(f, n)["fetches"] == t["least"])
    trace(f, "stencil", enough)
    f.number(
        "lines that are enough",
        enough,
        "with clipped edges a row of 16 cells has 4 lines, the equation's has 6 "
        "(16 + 7 cells); and one line less than 7 rows is enough",
        row * stencil,
        "equation 3.2",
    )
    f.existing("trace_3_1_stencil.svg", "Stencil row by row, 24 lines")


def trace_quiet(f, lines):
    return f.json(f"warpline trace --example stencil --lines {lines}", shown=False)


@PAPER.figure("3.2a", "a cache that is large enough", sample=True)
def stencil_enough(f):
    row, side, _, _ = rows_of_tasks(f)
    t = trace(f, "stencil", 27)
    f.number(
        "fetched lines",
        t["fetches"],
        "clipped at the edges, a row of 16 cells has 4 lines, not 6",
        row * side,
        "section 3.3.1",
    )
    f.say(f"27 lines are enough to fetch each of the {t['least']} lines once.")
    f.existing("trace_3_2a_enough.svg", "Stencil row by row, 27 lines")


@PAPER.figure("3.2b", "a cache that is too small", sample=True)
def stencil_small(f):
    t, enough = trace(f, "stencil", 26), trace(f, "stencil", 27)
    f.claim(
        "data is evicted before it is reused",
        t["fetches"] > 4 * enough["fetches"],
        f"one line less: {t['fetches']} lines fetched, not {enough['fetches']}",
    )
    f.existing("trace_3_2b_too_small.svg", "Stencil row by row, 26 lines")


@PAPER.figure("3.3", "matrix product row by row", sample=True)
def product_linear(f):
    s = setup(f, "table 3.2")
    line, side = s["cache line"], s["input, cells on a side"]
    t = trace(f, "matmul", 32)
    f.number(
        "fetched lines",
        t["fetches"],
        "the equation has I_w where a line of B serves as many tasks as it has elements: with "
        "ceil(I_w / L) it gives what is counted",
        side // line * side + side * side * side,
        "equation 3.7",
    )
    f.number(
        "fetched lines, with that correction",
        t["fetches"],
        "",
        side // line * side + side * math.ceil(side / line) * side,
        "equation 3.7, corrected",
    )
    f.existing("trace_3_3_matmul.svg", "Matrix product row by row, 32 lines")


@PAPER.figure("4.4", "stencil in columns of 4", sample=True)
def stencil_columns(f):
    t, linear = trace(f, "stencil", 24, "column:4"), trace(f, "stencil", 24)
    f.number("fetched lines", t["fetches"], LAW, columns_by_4_8(f, 4), "equation 4.8")
    f.say(f"Row by row {linear['fetches']} lines are fetched (figure 3.1).")
    f.existing("trace_4_4_column.svg", "Stencil in columns of 4")


@PAPER.figure("4.6", "matrix product in columns of 4", sample=True)
def product_columns(f):
    t, linear = trace(f, "matmul", 32, "column:4"), trace(f, "matmul", 32)
    f.claim(
        "fetches in columns are fewer than in rows",
        t["fetches"] < linear["fetches"],
        f"{t['fetches']} lines, row by row {linear['fetches']}",
    )
    s = setup(f, "table 3.2")
    line, side = s["cache line"], s["input, cells on a side"]
    f.number(
        "lines that columns of 4 need",
        next(
            n
            for n in range(12, 40)
            if f.json(f"warpline trace --example matmul --lines {n} --schedule column:4", shown=False)[
                "fetches"
            ]
            == t["fetches"]
        ),
        "two rows of A are in use between two uses of a line of B, the equation has one",
        side // line + side,
        "section 4.4",
    )
    f.existing("trace_4_6_matmul_column.svg", "Matrix product in columns of 4")


def measured(f, figure):
    """(width, block): published and predicted milliseconds; width 0 is naive."""
    out = {}
    for row in f.csv(COMPARE):
        if row["variant"] == "fig" + figure:
            width = int(re.match(r"col=(\d+)", row["params"]).group(1))
            out[width, int(row["block_x"])] = (1e3 * float(row["measured"]), 1e3 * float(row["predicted"]))
    rows = [row for row in read_csv("rtx2080s_columns.csv") if row["variant"] == "fig" + figure]
    assert len(rows) == len(out)
    return out


def name(width):
    return str(width) if width else "naive"


def time_table(f, figure, what, why_ratio, why_best):
    times = measured(f, figure)
    f.points(
        "times of all widths and blocks",
        list(times.values()),
        published=f"{len(times)} times (rtx2080s_columns.csv)",
        why=why_ratio,
    )
    widths = sorted({width for width, _ in times})
    for block in (128, 256):
        best = min((pair[0], width) for (width, b), pair in times.items() if b == block)[1]
        picked = min((pair[1], width) for (width, b), pair in times.items() if b == block)[1]
        loss = times[picked, block][0] / times[best, block][0]
        f.number(
            f"blocks of {block}: measured time of the width predicted best ({name(picked)}), over that of the"
            f" best ({name(best)})",
            loss,
            why_best,
            1.0,
            f"figure {figure}",
        )
        f.number(
            f"blocks of {block}: columns of 32 over naive",
            times[32, block][1] / times[0, block][1],
            why_ratio,
            times[32, block][0] / times[0, block][0],
            f"figure {figure}",
        )
    for label, width, why in (("naive", 0, CODE if figure != "5.1b" else ""), ("columns of 2048", 2048, "")):
        f.number(
            f"blocks of 32: columns of 32 over {label}",
            times[32, 32][1] / times[width, 32][1],
            why,
            times[32, 32][0] / times[width, 32][0],
            f"figure {figure}",
        )
    series = []
    for which, kind, label in ((0, "dots", "published"), (1, "line", "predicted")):
        for colour, block in enumerate((64, 256, 1024)):
            points = [(i, times[w, block][which]) for i, w in enumerate(widths)]
            series.append((f"blocks of {block}, {label}", kind, points, colour))
    svg.chart(
        f.draw(f"columns_{figure.replace('.', '_')}.svg", f"Times over widths of columns, figure {figure}"),
        f"Column iteration, figure {figure}: {what}",
        "width of a column",
        "ms",
        series,
        y_log=True,
        categories=[name(w) for w in widths],
    )
    by_block = [
        [str(block), f"{tau([pair for (w, b), pair in times.items() if b == block]) or 0.0:.2f}"] for block in BLOCKS
    ]
    f.listing(["threads of a block", "tau over widths"], by_block)


NAIVE = (
    "naive order and wide columns are predicted too fast: measured times grow by 0.22 ms with the share of"
    " rows that a warp loads itself, in blocks of 64 to 512; waits and the fills of the L1 explain half of it"
)
CODE = (
    "columns of 2048 visit the cells in the same order but for a seam, and take 1.49 ms: in blocks of 32 it is"
    " the code of the naive kernel that is slower, not its order"
)


@PAPER.figure("5.1a", "times of a 9x9 stencil, 4096 x 4096")
def box(f):
    time_table(f, "5.1a", "9x9 stencil, 4096 x 4096", NAIVE, NAIVE)


@PAPER.figure("5.1b", "times of a matrix product, 1024 x 1024")
def product(f):
    time_table(
        f,
        "5.1b",
        "matrix product, 1024 x 1024",
        "columns of 32 are predicted too fast with these blocks, and we do not know why: "
        "their volumes agree (section 5.2)",
        "",
    )


@PAPER.figure("5.2", "times of a 9x9 stencil, 4037 x 4037")
def odd_box(f):
    time_table(f, "5.2", "9x9 stencil, 4037 x 4037", NAIVE, NAIVE)


def relative(f, kernel, sweep, widths):
    """Time over naive time by size, for each width."""

    def times(schedule):
        command = (
            f"warpline predict validate/kernels/{kernel}.yaml --device rtx2080s --block 256 --schedule"
            f" {schedule} {sweep}"
        )
        return {int(row["w"]): float(row["time_s"]) for row in f.csv(command)}

    naive = times("linear")
    return {width: {n: t / naive[n] for n, t in times(f"column:{width}").items()} for width in widths}


def relative_picture(f, number, ratios):
    series = [(f"columns of {width}", "line", sorted(values.items())) for width, values in ratios.items()]
    title = f"Time in columns over naive time, figure {number}"
    svg.chart(
        f.draw(f"columns_{number.replace('.', '_')}.svg", title),
        f"Column iteration, figure {number}, predicted: blocks of 256",
        "N",
        "time / naive time",
        series,
        x_log=True,
    )


@PAPER.figure("5.3", "9x9 stencil, columns over naive by size", head="a width of 32 is faster than naive")
def box_sizes(f):
    ratios = relative(f, "box2d", "--set w=256..4096:x2 --set h=w", (16, 31, 32, 33, 64, 128))
    large = {width: values[4096] for width, values in ratios.items()}
    shown = ", ".join(f"{width}: {ratio:.2f}" for width, ratio in large.items())
    f.claim(
        "multiples of 32 are faster than other widths",
        max(large[w] for w in (32, 64, 128)) < min(large[w] for w in (16, 31, 33)),
        f"of naive time, N = 4096: {shown}",
    )
    f.claim(
        "a width of 32 is faster than naive",
        large[32] < 1,
        f"N = 4096, blocks of 256: {large[32]:.2f} of naive time",
        NAIVE,
    )
    f.say("The block of the figure is not given; ours has 256 threads.")
    relative_picture(f, "5.3", ratios)


@PAPER.figure("5.4", "matrix product, columns over naive by size")
def product_sizes(f):
    ratios = relative(f, "product", "--set w=64..2048:x2 --set h=w --set depth=w", (32, 64, 128))
    of = ratios[32]
    f.number("product, size from which columns are faster", min(n for n, ratio in of.items() if ratio < 0.99))
    f.number(
        "product, size after which the gain grows little",
        next(n for n in sorted(of) if 2 * n in of and of[n] < 0.99 and of[2 * n] > of[n] - 0.03),
        "ours has nearly its full gain at this size; the points of the thesis' figure are only in its"
        " picture",
    )
    relative_picture(f, "5.4", ratios)


@PAPER.figure("section 5.2", "L1 and L2, matrix product 1024 x 1024", head="L2 to L1, columns of 32")
def utilization(f):
    found = f.json("warpline schedule matmul --device rtx2080s --block 128 --orders column --widths 32")[
        "launches"
    ]
    naive, column = found[0], found[1]
    gib = 2**30
    hits = "blocks that run through the same data share more than measured: a replay, not a count"
    f.number("L1 hit rate, naive", naive["l1_hit_rate"], hits)
    f.number("L1 hit rate, columns of 32", column["l1_hit_rate"])
    f.number("L2 to L1, naive", naive["metrics"]["l2_load_bytes"] / gib)
    f.number("L2 to L1, columns of 32", column["metrics"]["l2_load_bytes"] / gib, hits)
    for quantity, launch in (("naive", naive), ("columns of 32", column)):
        f.number(
            f"L2 hit rate, {quantity}",
            1 - launch["metrics"]["dram_load_bytes"] / launch["metrics"]["l2_load_bytes"],
        )
    f.say(
        "The thesis does not give the block: 128 threads fit its numbers"
        " ([schedule.md](schedule.md#the-published-tables-of-columns)). Its GB are taken as 2^30 bytes, with"
        " which hits and volumes agree."
    )
