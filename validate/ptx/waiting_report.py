"""The section of docs/accuracy.md on kernels whose threads loop and wait (h200_waiting), and its rows of the table of
bars. See report.py. SPDX-License-Identifier: MIT"""
import math
import os
import statistics
import sys

import waiting
from scores import (COUNT_HEADS, SHORT, by_family, counts_rows, error, explanations, known, not_predicted, numbers_of,
                    percent, table_of, wants_reason)

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tau import tau  # noqa: E402

TABLE = "h200_waiting"
LEAST = 3e-6  # s; shorter launches say nothing about a kernel
DIVERGENT = ["csr", "bfs", "pagerank", "kmeans", "flux", "words", "btree", "jump"]
REGULAR = [family for family in waiting.FAMILIES if family not in DIVERGENT]
ROW_PASSES = ["softmax", "layernorm", "argmax"]
# Bars that are worked on: what misses one of them is `open`, what misses another one `fail`. One that is kept is taken
# out of here for good when the work on it ends.
OPEN = {"time, held out", "pick"}


def sizes(rows, name, least=0.0, below=math.inf):
    """Of the errors of launches that took `least` to `below` seconds. A volume that was not predicted is all wrong."""
    out = []
    for one in rows:
        if "predicted" in one and least <= one["measured"]["time"] < below:
            value = error(one, name)
            out.append(1.0 if one["predicted"][name] is None and judged(one, name) else value)
    return [abs(v) for v in known(out)]


def judged(one, name):
    """Would it be, had it been predicted?"""
    return error({**one, "predicted": {name: 1}}, name) is not None


def of_families(rows, families):
    return [r for r in rows if r["family"] in families]


# ---- the choice among launches of one problem ----

def problem(one):
    """What is computed. A variant is a way to do it, but for the text whose words are counted, and for the two steps of
    back-propagation."""
    what = {"words": one["variant"].rpartition("_")[2], "backprop": one["variant"]}
    return one["family"], one["params"], what.get(one["family"], "")


def problems(rows):
    out = {}
    for one in rows:
        if "predicted" in one and one["measured"]["time"] >= LEAST:
            out.setdefault(problem(one), []).append((one["measured"]["time"], one["predicted"]["time"]))
    return [times for times in out.values() if len(times) > 1]


def pick(times):
    return min(times)[0] / min(times, key=lambda t: t[1])[0]


def choice(rows):
    """Picks of all problems, and taus of those with three launches or more."""
    all_ = problems(rows)
    return [pick(t) for t in all_], known(tau(t) for t in all_ if len(t) > 2)


# ---- text ----

HEADS = ["family", "launches", "instructions", "L2 loads", "DRAM loads", "20 us and more", "time", "3 to 20 us", "their time",
         "per problem: tau, pick %, worst"]


def three(values):
    if not values:
        return "-"
    return " / ".join(percent(v) for v in (statistics.mean(values), statistics.median(values), max(values)))


def choice_text(rows):
    picks, taus = choice(rows)
    if not picks:
        return "-"
    order = f"{statistics.mean(taus) + 1e-9:.2f}" if taus else "-"  # no "-0.00"
    return f"{order}, {100 * statistics.mean(picks):.1f}, {100 * min(picks):.1f} ({len(picks)})"


def unknown(rows, volume):
    return sum("predicted" in r and r["predicted"][volume] is None and judged(r, volume) for r in rows)


def row(name, rows):
    times = sizes(rows, "time", SHORT), sizes(rows, "time", LEAST, SHORT)
    volumes = []
    for volume in ("l2_load_bytes", "dram_load_bytes"):
        missing = unknown(rows, volume)
        volumes.append(three(sizes(rows, volume)) + (f", {missing} unknown" if missing else ""))
    return [name, str(len(rows)), three(sizes(rows, "instructions")), *volumes, str(len(times[0])), three(times[0]),
            str(len(times[1])), three(times[1]), choice_text(rows)]


def family_rows(rows, families):
    for family in families:
        yield row(family + ("*" if family in waiting.HELD_OUT else ""), of_families(rows, [family]))


def sum_rows(rows):
    used = [f for f in waiting.FAMILIES if f not in waiting.HELD_OUT]
    for name, group in (("regular", REGULAR), ("divergent and looping", DIVERGENT), ("all", list(waiting.FAMILIES))):
        for half, members in (("not held out", used), ("held out", waiting.HELD_OUT)):
            yield row(f"{name}, {half}", of_families(rows, set(group) & set(members)))
        yield row(name, of_families(rows, group))


INTRO = """
## Threads that loop and wait

The launches of h200_waiting predicted from PTX: {rows} launches, {families} families of kernels
whose threads walk rows, stride through a grid, reduce behind barriers or follow data. Errors
are `mean / median / largest` of their size, in percent. Launches of 3 to 20 us have columns of
their own; memory volumes below 48 MB are left out, as above, and one that is not predicted
counts as 100 % (and as `unknown`). A problem is what is computed: among its launches, blocks,
grids and ways to compute it (a block or a warp per row, tiles) are the choice. Pick is that of
all problems of two launches or more, tau that of three or more.

Held out (`*`) are {held_out}. They were named before anything was predicted, and no number was
fitted to them. For times no form was chosen with them either. For volumes they were looked at
twice: after the first look, sharing between blocks became one per field (layernorm), and the
law of passes was kept from sliding windows (fdtd). Volumes of layernorm and fdtd are no test of
those laws. When the laws of walking stencils were made (h200_staggered), the means of fdtd were
read six times, and those of kmeans and attention with them: variants that made them much worse
were dropped. Volumes and times of these three are no test of those laws either. When the laws
of steps and conflicts were made (h200_steps), the mean of all held-out families together was
read three times, and nothing else of them; once more when times were fitted anew with all that
a launch stores written. When warps in step and common walks were made (h200_blocked_more,
h200_walks), all held-out families were read after the first form and after the last one
(requests served in stalls, unit_norm). The last step was chosen by the others: it made kmeans,
attention and fdtd worse and blocked better, and was kept. When waits at barriers were made
(h200_passes), all were read once, with a rule of registers that was then dropped: it made
matmul_col, steps and kmeans (22 to 55 %) worse. When the waits of the warp that leads a walk
were made (h200_passes, h200_walks), the means of kmeans, attention and blocked were read with
all variants; the choice was made by the other families. One problem of attention, picked
wrongly, led to the probe h200_warp_ends. The law of ends comes from that probe, and unit_norm
from the other families; attention and kmeans were read with all variants.
"""

REGULAR_INTRO = """
### Regular families
"""

DIVERGENT_INTRO = """
### Divergent and looping families
"""

SUM_INTRO = """
### Groups and halves
"""

COUNTS_INTRO = """
### Counts of these launches

Columns as under "Kernels from PTX".
"""

REASONS_INTRO = """
### Why these differ

Held-out families that differ are not explained: nobody looked for the reason while the laws were made.
"""


def reasons(numbers):
    texts = explanations()
    for (table, family), n in numbers.items():
        text = texts.get(f"{table}/{family}")
        if text:
            yield f"- **{family}**: {text}"
        elif family not in waiting.HELD_OUT and wants_reason(n):
            print(f"report.py: no word in explanations.yaml on {table}/{family}", file=sys.stderr)
            yield f"- **{family}**: the cause is not known."


def write(rows, out):
    """Returns the numbers of the families as numbers_of() does, with those of the choice."""
    families = by_family(rows)
    numbers = {key: numbers_of(rows_) for key, rows_ in families.items()}
    lines = [INTRO.format(rows=len(rows), families=len(families), held_out=", ".join(sorted(waiting.HELD_OUT))),
             REGULAR_INTRO, *table_of(HEADS, family_rows(rows, REGULAR)),
             DIVERGENT_INTRO, *table_of(HEADS, family_rows(rows, DIVERGENT)),
             SUM_INTRO, *table_of(HEADS, sum_rows(rows)),
             COUNTS_INTRO, *table_of(COUNT_HEADS, counts_rows(numbers)), *not_predicted(rows),
             REASONS_INTRO, *reasons(numbers)]
    out.write("\n".join(lines) + "\n")
    for (_, family), n in numbers.items():
        mine = of_families(rows, [family])
        picks, taus = choice(mine)
        times = sizes(mine, "time", LEAST, SHORT)
        n["held_out"] = family in waiting.HELD_OUT
        n["group"] = "divergent" if family in DIVERGENT else "regular"
        n["time"]["mean_3_to_20_us"] = statistics.mean(times) if times else None
        n["per_problem"] = {"problems": len(picks), "tau": statistics.mean(taus) if taus else None,
                            "pick": statistics.mean(picks) if picks else None, "worst_pick": min(picks, default=None)}
    return numbers


# ---- a sample, for the test `accuracy_waiting` ----

# Of these families only launches with small inputs are in it, of `words` and `btree` none; prefixes of those inputs.
SMALL = {"csr": "rows=8192;", "bfs": "vertices=16384;", "pagerank": "vertices=16384;", "flux": "n=32768", "jump": "n=16384;"}
SAMPLE_INPUTS = ["pattern1024", "waiting_matrix_equal16_8192", "waiting_matrix_power_8192", "waiting_graph_even_16384",
                 "mesh_32768", "links_16384"]


def sample(rows):
    """The first long and the first short launch of a family. `rows`: of the table or predicted."""
    chosen = {}
    for one in rows:
        time = one["measured"]["time"] if "measured" in one else float(one["ms_median"]) * 1e-3
        if one["family"] not in ("words", "btree") and one["params"].startswith(SMALL.get(one["family"], "")):
            chosen.setdefault((one["family"], time >= SHORT), one)
    return list(chosen.values())


def sample_numbers(rows):
    out = {}
    for group, families in (("regular", REGULAR), ("divergent", DIVERGENT)):
        mine = of_families(sample(rows), families)
        out[group] = {"launches": len(mine), "time": statistics.mean(sizes(mine, "time", LEAST)),
                      **{v: statistics.mean(sizes(mine, v) or [0]) for v in ("l2_load_bytes", "dram_load_bytes")}}
    return out


# ---- bars ----

def judge(name, kept):
    return "pass" if kept else "**open**" if name in OPEN else "**fail**"


def most(name, family, what, bar, values):
    if not values:
        return f"| {family} | {what} | at most {100 * bar:.0f} % | - | {judge(name, False)} |"
    value = statistics.mean(values)
    return f"| {family} | {what} | at most {100 * bar:.0f} % | {100 * value:.1f} % | {judge(name, value <= bar)} |"


def worst_family(rows, value, choose):
    """The family with the largest or smallest value, and that."""
    values = [(value(of_families(rows, [family])), family) for family in waiting.FAMILIES]
    return choose(v for v in values if v[0] is not None)


def mean_time(rows):
    values = sizes(rows, "time", SHORT)
    return statistics.mean(values) if values else None


def bars(rows):
    """Lines of the table of bars."""
    time = "mean error of time from PTX"
    yield most("time, regular", "waiting, regular", time, 0.12, sizes(of_families(rows, REGULAR), "time", SHORT))
    yield most("time, divergent and looping", "waiting, divergent and looping", time, 0.20,
               sizes(of_families(rows, DIVERGENT), "time", SHORT))
    worst, name = worst_family(rows, mean_time, max)
    yield (f"| waiting, every family | {time} | at most 35 % | {100 * worst:.1f} % ({name}) | "
           f"{judge('time, every family', worst <= 0.35)} |")
    held_out = of_families(rows, waiting.HELD_OUT)
    times = mean_time(held_out) / mean_time([r for r in rows if r["family"] not in waiting.HELD_OUT])
    yield (f"| waiting, held-out half | {time}, against the other half | at most 1.3 times | {times:.2f} | "
           f"{judge('time, held out', times <= 1.3)} |")
    yield most("time, 3 to 20 us", "waiting, launches of 3 to 20 us", time, 0.25, sizes(rows, "time", LEAST, SHORT))
    least, name = worst_family(rows, lambda r: min(choice(r)[0], default=None), min)
    yield (f"| waiting, every family | best pick of each problem | at least 95 % | {100 * least:.1f} % ({name}) | "
           f"{judge('pick', least >= 0.95)} |")
    passes = of_families(rows, ROW_PASSES)
    yield most("L2 loads, row passes", "waiting, row passes", "mean error of L2 loads", 0.10, sizes(passes, "l2_load_bytes"))
    yield most("DRAM loads, row passes", "waiting, row passes", "mean error of DRAM loads", 0.08,
               sizes(passes, "dram_load_bytes"))
