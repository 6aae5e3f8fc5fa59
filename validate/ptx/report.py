#!/usr/bin/env python3
"""report.py WARPLINE [--data DIRECTORY] [--jobs N] [--results FILE] [--again] [--numbers FILE]

Predicts every measured launch of the tables with PTX (commands.py) and prints, as a section of
docs/accuracy.md, how far that is from what was measured. --numbers writes the numbers of every family as JSON,
--results keeps what was predicted, --again reports that file without predicting.
SPDX-License-Identifier: MIT
"""
import argparse
import json
import math
import os
import statistics
import sys

import commands
import launches

SHORT = 20e-6  # s; shorter launches mostly measure the launch itself
RESIDENT = 48e6  # bytes; smaller volumes stay in the L2 at the end of a launch
FAR = 0.30  # an error of time that wants a reason

# Launches that are looked at in full, too: table, family, places among the family's rows.
IN_FULL = [("h200_fit", "box2d_col", [35]), ("h200_fit", "matmul_col", [48]), ("h200_fit2", "star7", [14]),
           ("h200_fit2", "pieces", [12]), ("h200_data", "spmv", [5, 7, 8]), ("h200_data", "reduce_shuffle", [1]),
           ("h200_data", "copy_async", [0])]

EXACT = ["loads", "stores", "load_requests", "store_requests", "sectors_loaded", "sectors_stored", "shared_wavefronts"]
RATIOS = ["instructions", "thread_instructions"]
ERRORS = ["l1_wavefronts", "l2_load_bytes", "l2_store_bytes", "dram_load_bytes"]


def in_full():
    for table, family, places in IN_FULL:
        rows = [r for r in launches.rows_of(table) if r["family"] == family]
        for place in places:
            yield table, rows[place], ("--l1-samples", "all")


def predict_all(options):
    rows = [(table, row) for table in commands.PROGRAMS for row in launches.rows_of(table)]
    full = list(in_full())
    # What takes longest comes first, so that it does not run alone at the end.
    done = launches.run_all(options.warpline, options.jobs, full + rows, options.data)
    return {"rows": done[len(full):], "in_full": done[:len(full)]}


def by_family(results):
    out = {}
    for one in results:
        out.setdefault((one["table"], one["family"]), []).append(one)
    return out


def error(one, name):
    value = launches.ratio(one, name)
    if value is None or (name.startswith("dram") and one["measured"][name] < RESIDENT):
        return None
    return value - 1


def known(values):
    return [v for v in values if v is not None]


def spread(values):
    return {"least": min(values), "most": max(values)} if values else None


def numbers_of(rows):
    """What the section says about a family."""
    rows = [r for r in rows if "predicted" in r]
    out = {"rows": len(rows), "exact": {}, "of": {}, "ratio": {}, "mean_error": {}}
    for name in EXACT:
        same = known(launches.equal(r, name) for r in rows)
        out["exact"][name], out["of"][name] = sum(same), len(same)
    for name in EXACT + RATIOS:
        out["ratio"][name] = spread(known(launches.ratio(r, name) for r in rows))
    for name in ERRORS:
        errors = known(error(r, name) for r in rows)
        out["mean_error"][name] = statistics.mean(map(abs, errors)) if errors else None
    long = [error(r, "time") for r in rows if r["measured"]["time"] >= SHORT]
    short = [error(r, "time") for r in rows if r["measured"]["time"] < SHORT]
    out["time"] = {"rows": len(long), "short_rows": len(short),
                   "mean": statistics.mean(map(abs, long)) if long else None,
                   "median": statistics.median(map(abs, long)) if long else None,
                   "worst": max(long, key=abs) if long else None,
                   "short_mean": statistics.mean(short) if short else None}
    return out


# ---- text ----

def percent(value, sign=False):
    return "-" if value is None else f"{100 * value:{'+' if sign else ''}.{1 if abs(value) < 0.0995 else 0}f}"


def number(value):
    """With as many digits as tell it from 1."""
    digits = 0 if value == 1 else min(7, max(2, 1 + math.ceil(-math.log10(abs(value - 1)))))
    return f"{value:.{digits}f}"


def range_text(spread_, text):
    if not spread_:
        return "-"
    least, most = text(spread_["least"]), text(spread_["most"])
    return least if least == most else f"{least} to {most}"


def exact_text(n, names):
    of = sum(n["of"][name] for name in names)
    if not of:
        return "-"
    same = sum(n["exact"][name] for name in names)
    if same == of:
        return "all"
    ratios = known(n["ratio"][name] for name in names)
    both = {"least": min(r["least"] for r in ratios), "most": max(r["most"] for r in ratios)} if ratios else None
    return f"{same} of {of}" + (f": {range_text(both, number)}" if both else "")


def label(key, families):
    table, family = key
    return f"{family} ({table})" if sum(f == family for _, f in families) > 1 else family


def table_of(heads, rows):
    yield "| " + " | ".join(heads) + " |"
    yield "|" + "---|" * len(heads)
    for cells in rows:
        yield "| " + " | ".join(cells) + " |"


COUNT_HEADS = ["family", "launches", "loads", "stores", "requests", "sectors loaded", "sectors stored",
               "shared wavefronts", "instructions", "of threads"]
COUNT_NAMES = [["loads"], ["stores"], ["load_requests", "store_requests"], ["sectors_loaded"], ["sectors_stored"],
               ["shared_wavefronts"]]


def counts_rows(numbers):
    for key, n in numbers.items():
        ratios = [range_text(n["ratio"][name], "{:.2f}".format) for name in RATIOS]
        yield [label(key, numbers), str(n["rows"]), *(exact_text(n, names) for names in COUNT_NAMES), *ratios]


TIME_HEADS = ["family", "L1 wavefronts", "L2 loads", "L2 stores", "DRAM loads", "launches of 20 us and more",
              "time: mean / median / worst", "shorter", "their mean", "seconds to predict: median / most"]


def times_rows(families, numbers):
    for key, n in numbers.items():
        t = n["time"]
        seconds = sorted(r["seconds"] for r in families[key])
        errors = [percent(t["mean"]), percent(t["median"]), percent(t["worst"], True)]
        yield [label(key, numbers), *(percent(n["mean_error"][name]) for name in ERRORS), str(t["rows"]),
               " / ".join(errors) if t["rows"] else "-", str(t["short_rows"]), percent(t["short_mean"], True),
               f"{statistics.median(seconds):.2f} / {seconds[-1]:.2f}"]


FULL_NAMES = ["load_requests", "sectors_loaded", "sectors_stored"]
FULL_HEADS = ["launch", "load requests", "sectors loaded", "sectors stored", "seconds"]


def off(one, name):
    same = launches.equal(one, name)
    return "-" if same is None else "exact" if same else f"{100 * error(one, name):+.3g} %"


def full_rows(results):
    for full in results["in_full"]:
        sample = next(r for r in results["rows"] if all(r[k] == full[k] for k in ("table", "row")))
        cells = [f"{off(sample, name)}, {off(full, name)}" for name in FULL_NAMES]
        yield [f"{full['family']} {full['variant']}, {full['params'].replace(';', ' ')}, {full['block']}", *cells,
               f"{sample['seconds']:.1f}, {full['seconds']:.1f}"]


def explanations():
    """Of explanations.yaml: `key: text`, the text on the same line or indented below."""
    out, key = {}, None
    with open(os.path.join(commands.HERE, "explanations.yaml")) as file:
        for line in file:
            if line.startswith("#") or not line.strip():
                continue
            if not line.startswith(" "):
                key, line = line.split(":", 1)
                out[key] = ""
            out[key] = (out[key] + " " + line.strip().removeprefix(">-")).strip()
    return out


def wants_reason(n):
    inexact = any(n["exact"][name] < n["of"][name] for name in EXACT)
    return inexact or (n["time"]["worst"] is not None and abs(n["time"]["worst"]) > FAR)


def reasons(numbers):
    texts = explanations()
    used = set()
    for key, n in numbers.items():
        name = "/".join(key) if "/".join(key) in texts else key[1]
        if name in texts and name not in used:
            used.add(name)
            yield f"- **{label(key, numbers) if '/' in name else key[1]}**: {texts[name]}"
        elif name not in texts and wants_reason(n):
            print(f"report.py: no word in explanations.yaml on {'/'.join(key)}", file=sys.stderr)
            yield f"- **{label(key, numbers)}**: not understood."


INTRO = """## Kernels from PTX

The launches of h200_fit, h200_fit2, h200_data, h200_uneven and h200_texture predicted from PTX (nvcc 13.0, sm_90)
instead of kernel files:
{rows} launches, {families} families, device `h200`; `validate/ptx/commands.py` prints the commands. Addresses are
recovered or emulated, registers are those of the machine code, inputs those that were measured with. How many machine
instructions a PTX instruction stands for was fitted to the machine code of h200_fit and h200_data: there, the columns
of instructions are no independent test. The numbers are in
[validate/accuracy_ptx.json](../validate/accuracy_ptx.json); the test `ptx_counts` checks some of the launches.

Counts: `all` means that every launch's number is the measured one, to the last count; otherwise in how many launches
it is, and from where to where predicted / measured goes. `loads` and `stores` are warp instructions to global memory;
`requests` those of both that reach the L1: an instruction whose predicate is off in all lanes is none (requests of
stores were measured in h200_data alone). Where requests and sectors are exact, so are sectors per request. `shared
wavefronts` include reads of thread indices and shuffles. `instructions` are executed machine instructions, which
follow from PTX only about, `of threads` the same per active lane: predicted / measured.
"""

TIMES = """
Volumes and time: mean size of the relative error in percent; the worst error of time with its sign. As above, memory
volumes below 48 MB are left out, and launches shorter than 20 us have columns of their own. Seconds to predict are
processor time of the whole process: reading, recovery or emulation, prediction.
"""

FULL = """
### Looked at in full

Where addresses are no linear function of thread and block, counts come from a sample of blocks by default. With
`--l1-samples all` every block is looked at; by default, and then so:
"""

REASONS = """
### Why it differs
"""


def write(results, out):
    families = by_family(results["rows"])
    numbers = {key: numbers_of(rows) for key, rows in families.items()}
    lines = [INTRO.format(rows=len(results["rows"]), families=len(families)),
             *table_of(COUNT_HEADS, counts_rows(numbers)), TIMES, *table_of(TIME_HEADS, times_rows(families, numbers)),
             FULL, *table_of(FULL_HEADS, full_rows(results))]
    failed = [r for r in results["rows"] if "failed" in r]
    if failed:
        lines += ["", "### Not predicted", ""]
        lines += [f"- {r['family']} {r['variant']} {r['params']} {r['block']}: {r['failed']}" for r in failed]
    lines += [REASONS, *reasons(numbers)]
    out.write("\n".join(lines) + "\n")
    return numbers


def rounded(value):
    if isinstance(value, dict):
        return {k: rounded(v) for k, v in value.items()}
    return round(value, 6) if isinstance(value, float) else value


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warpline")
    parser.add_argument("--data", default="build/data")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--results")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--numbers")
    options = parser.parse_args()
    if options.again:
        with open(options.results) as file:
            results = json.load(file)
    else:
        results = predict_all(options)
        if options.results:
            with open(options.results, "w") as file:
                json.dump(results, file)
    numbers = write(results, sys.stdout)
    if options.numbers:
        families = [{"table": table, "family": family, **rounded(n)} for (table, family), n in numbers.items()]
        with open(options.numbers, "w") as file:
            json.dump({"schema": "warpline.accuracy_ptx/1", "device": "h200", "families": families}, file, indent=1)
            file.write("\n")
    return 1 if any("failed" in r for r in results["rows"] + results["in_full"]) else 0


if __name__ == "__main__":
    sys.exit(main())
