#!/usr/bin/env python3
"""machine_code.py WARPLINE [--data DIRECTORY] [--launches N] [--jobs N] [--results FILE]

Instructions and times of measured launches, predicted with rules about the assembler and with its machine code: the
table of docs/ptx.md. Of each family, N launches (default 3), evenly spaced in the table. Needs ptxas, no GPU.
SPDX-License-Identifier: MIT"""
import argparse
import json
import os
import shlex
import statistics
import subprocess
import tempfile

import commands
import launches
import scores

MODES = ["rules", "machine code"]


def chosen(most):
    """(table, row), evenly spaced."""
    for table, (_, families) in ((t, (p, commands.PROGRAMS[t][1])) for t, p in commands.PROGRAMS.items()):
        by_family = {}
        for row in launches.rows_of(table):
            if row["family"] in families:
                by_family.setdefault(row["family"], []).append(row)
        for rows in by_family.values():
            n = min(most, len(rows))
            yield from ((table, rows[(2 * i + 1) * len(rows) // (2 * n)]) for i in range(n))


def source_of(table, row, data):
    program, families = commands.PROGRAMS[table]
    return shlex.split(commands.command(commands.Launch(row, data), program, families[row["family"]]))[2]


def assemble(sources, folder):
    """By source: the cubin."""
    out = {}
    for source in sorted(set(sources)):
        target = os.path.basename(source).split(".")[1]
        out[source] = os.path.join(folder, os.path.basename(source) + ".cubin")
        subprocess.run(["ptxas", "-lineinfo", "-arch=" + target, "-o", out[source], source], check=True,
                       stderr=subprocess.DEVNULL)
    return out


def errors(results, name):
    ratios = [launches.ratio(r, name) for r in results if "predicted" in r]
    if name == "time":
        ratios = [launches.ratio(r, name) for r in results if "predicted" in r and r["measured"]["time"] >= scores.SHORT]
    return [abs(r - 1) for r in ratios if r is not None]


def mean_median(values):
    if not values:
        return "-"
    return f"{100 * statistics.mean(values):.1f} / {100 * statistics.median(values):.1f}"


def table_rows(by_mode):
    tables = list(dict.fromkeys(r["table"] for r in by_mode[MODES[0]]))
    for table in tables + ["all"]:
        of = {m: [r for r in rs if table in ("all", r["table"])] for m, rs in by_mode.items()}
        yield ([table.replace("h200_", ""), str(len(of[MODES[0]]))] +
               [mean_median(errors(of[m], n)) for n in ("instructions", "thread_instructions", "time") for m in MODES])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warpline")
    parser.add_argument("--data", default="build/data")
    parser.add_argument("--launches", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--results")
    options = parser.parse_args()
    rows = list(chosen(options.launches))
    with tempfile.TemporaryDirectory() as folder:
        sources = [source_of(table, row, options.data) for table, row in rows]
        cubins = assemble(sources, folder)
        by_mode = {MODES[0]: launches.run_all(options.warpline, options.jobs,
                                              [(t, r, ("--machine-code", "rules")) for t, r in rows], options.data),
                   MODES[1]: launches.run_all(options.warpline, options.jobs,
                                              [(t, r, ("--machine-code", cubins[s])) for (t, r), s in zip(rows, sources)],
                                              options.data)}
    if options.results:
        with open(options.results, "w") as file:
            json.dump(by_mode, file)
    heads = ["table", "launches"] + [f"{what}, {m}" for what in ("instructions", "of threads", "time") for m in MODES]
    print("\n".join(scores.table_of(heads, table_rows(by_mode))))


if __name__ == "__main__":
    main()
