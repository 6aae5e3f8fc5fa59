#!/usr/bin/env python3
"""compare_counts.py COUNTS TABLE [--family NAME ..] [--data DIRECTORY] [--blocks N] [--rows]

Emulates the launches of a measured table from PTX (COUNTS is the program made of emulated_counts.c) and compares what is
counted with what was measured, family by family: the smallest and largest ratio of emulated to measured, and in how
many launches both are equal. --rows prints every launch that differs.
SPDX-License-Identifier: MIT
"""
import argparse
import csv
import os
import subprocess
import sys

import commands

# emulated column, measured columns that it is compared with (added up)
PAIRS = [
    ("inst", ["inst"]), ("thread_inst", ["thread_inst"]), ("thread_on", ["thread_inst_pred_on"]),
    ("global_ld", ["l1_requests_ld"]), ("sectors_ld", ["l1_sectors_ld"]),
    ("global_st", ["l1_requests_st"]), ("sectors_st", ["l1_sectors_st"]),
    ("global_red", ["l1_requests_red", "l1_requests_atom"]), ("sectors_red", ["l1_sectors_red", "l1_sectors_atom"]),
    ("shared_ld", ["inst_shared_ld_on", "inst_ldsm"]), ("wavefronts_ld", ["shared_wavefronts_ld"]),
    ("shared_st", ["inst_shared_st_on"]), ("wavefronts_st", ["shared_wavefronts_st"]),
    ("shared_red", ["inst_shared_atom"]), ("wavefronts_red", ["shared_wavefronts_atom"]),
    ("local_ld", ["inst_local_ld"]), ("local_st", ["inst_local_st"]),
]


def measured(row, names):
    """The sum of columns; None: not measured. Older tables count no requests of stores and no instructions whose
    predicate is on (_on): there, all instructions count."""
    total, found = 0, False
    for name in names:
        if name == "l1_requests_st" and name not in row:
            name = "inst_global_st"
        name = name if name in row else name.removesuffix("_on")
        if name in row:
            total, found = total + int(row[name]), True
    return total if found else None


def emulate(options, table):
    program, families = commands.PROGRAMS[options.table]
    rows = [r for r in table if not options.family or r["family"] in options.family]
    lines = [commands.command(commands.Launch(r, options.data), program, families[r["family"]]) for r in rows]
    run = subprocess.run([options.counts, "--blocks", str(options.blocks)], input="\n".join(lines) + "\n", text=True,
                         stdout=subprocess.PIPE, check=False)
    return rows, list(csv.DictReader(run.stdout.splitlines(), delimiter="\t"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("counts")
    parser.add_argument("table", choices=commands.PROGRAMS)
    parser.add_argument("--family", action="append")
    parser.add_argument("--data", default="build/data")
    parser.add_argument("--blocks", type=int, default=2048)
    parser.add_argument("--rows", action="store_true")
    options = parser.parse_args()
    with open(os.path.join(commands.HERE, "..", "data", options.table + ".csv"), newline="") as table:
        rows, counts = emulate(options, list(csv.DictReader(table)))
    if len(counts) != len(rows):
        print(f"{len(rows)} launches, {len(counts)} emulated", file=sys.stderr)
    found = {}
    for row, count in zip(rows, counts):
        for column, names in PAIRS:
            value = measured(row, names)
            if value is None or (value == 0 and int(count[column]) == 0):
                continue
            got = int(count[column])
            found.setdefault(row["family"], {}).setdefault(column, []).append((got, value))
            if options.rows and got != value:
                print(f"{row['family']} {row['variant']} {row['params']} {row['bx']}x{row['by']}x{row['bz']} "
                      f"{column}: {got}, measured {value}" + (f", {got / value:.3f}" if value else ""))
    for family, columns in found.items():
        for column, pairs in columns.items():
            ratios = [g / m if m else float("inf") for g, m in pairs]
            exact = sum(g == m for g, m in pairs)
            print(f"{family:16} {column:16} {min(ratios):7.3f} .. {max(ratios):7.3f}   exact {exact} of {len(pairs)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
