#!/usr/bin/env python3
"""report.py WARPLINE [--data DIRECTORY] [--jobs N] [--results FILE] [--again] [--numbers FILE] [--bars FILE]

Predicts every measured launch of the tables with PTX (commands.py) and prints, as sections of
docs/accuracy.md, how far that is from what was measured. --numbers writes the numbers of every family as JSON, --bars
rows of the table of bars, --results keeps what was predicted, --again reports that file without predicting.
SPDX-License-Identifier: MIT
"""
import argparse
import json
import statistics
import sys

import commands
import launches
import waiting_report
from scores import (COUNT_HEADS, ERRORS, by_family, counts_rows, error, label, not_predicted, numbers_of, percent, reasons,
                    table_of)

# Launches that are looked at in full, too: table, family, places among the family's rows.
IN_FULL = [("h200_fit", "box2d_col", [35]), ("h200_fit", "matmul_col", [48]), ("h200_fit2", "star7", [14]),
           ("h200_fit2", "pieces", [12]), ("h200_data", "spmv", [5, 7, 8]), ("h200_data", "reduce_shuffle", [1]),
           ("h200_data", "copy_async", [0])]


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


INTRO = """## Kernels from PTX

The launches of h200_fit, h200_fit2, h200_data, h200_uneven, h200_blocked_more, h200_walks, h200_passes, h200_staggered,
h200_steps, h200_roofline and h200_texture predicted from PTX (nvcc 13.0, sm_90) instead of kernel files (h200_waiting has a section of its own, below):
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
    lines += [*not_predicted(results["rows"]), REASONS, *reasons(numbers)]
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
    parser.add_argument("--bars")
    options = parser.parse_args()
    if options.again:
        with open(options.results) as file:
            results = json.load(file)
    else:
        results = predict_all(options)
        if options.results:
            with open(options.results, "w") as file:
                json.dump(results, file)
    waiting = [r for r in results["rows"] if r["table"] == waiting_report.TABLE]
    others = [r for r in results["rows"] if r["table"] != waiting_report.TABLE]
    numbers = write({**results, "rows": others}, sys.stdout)
    numbers.update(waiting_report.write(waiting, sys.stdout))
    if options.bars:
        with open(options.bars, "w") as file:
            file.write("\n".join(waiting_report.bars(waiting)) + "\n")
    if options.numbers:
        families = [{"table": table, "family": family, **rounded(n)} for (table, family), n in numbers.items()]
        with open(options.numbers, "w") as file:
            json.dump({"schema": "warpline.accuracy_ptx/1", "device": "h200",
                       "waiting_sample": rounded(waiting_report.sample_numbers(waiting)), "families": families}, file, indent=1)
            file.write("\n")
    return 1 if any("failed" in r for r in results["rows"] + results["in_full"]) else 0


if __name__ == "__main__":
    sys.exit(main())
