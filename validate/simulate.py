#!/usr/bin/env python3
"""simulate.py [WARPLINE [ROWS [BUDGET]]]

The cache simulator against the hardware: L2-L1 loads of measured launches of an H200 by `--fidelity simulate`,
beside those of the laws on the same rows. ROWS launches of each family (default 16), evenly spaced over its table;
BUDGET addresses of each are simulated (default 9000000). Prints the table of docs/schedule.md, "Against the
hardware". Families of h200_waiting.csv come from PTX.
SPDX-License-Identifier: MIT
"""
import csv
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "ptx"))

import launches  # noqa: E402

# The rule for a warp's turn was chosen on the first group; the second was not looked at before it.
GROUPS = [
    ("chosen on", [("h200_fit", "star3d"), ("h200_fit2", "star7"), ("h200_fit2", "box9")]),
    ("other", [("h200_fit", "lbm_d3q15_pf"), ("h200_fit", "box2d_col"), ("h200_heldout", "box27"),
               ("h200_heldout", "d3q19"), ("h200_heldout", "star2d5"), ("h200_heldout", "star2dr3"),
               ("h200_heldout", "star3dr2")]),
    ("long loops", [("h200_fit", "matmul_col"), ("h200_heldout", "matmul2d")]),
    ("row passes", [("h200_waiting", "softmax"), ("h200_waiting", "layernorm"), ("h200_waiting", "argmax")]),
]


def spaced(rows, count):
    return rows if len(rows) <= count else [rows[i * len(rows) // count] for i in range(count)]


def drawn(table, family, count):
    with open(os.path.join(HERE, "data", table + ".csv"), newline="") as file:
        reader = csv.DictReader(file)
        return reader.fieldnames, spaced([row for row in reader if row["family"] == family], count)


def errors_of_files(warpline, names, rows, extra):
    """By `warpline compare`, in the order of the rows."""
    with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)
        file.flush()
        words = [warpline, "compare", "--map", os.path.join(HERE, "families.yaml"), file.name, "--device", "h200",
                 "--metric", "l2_load_bytes", "--format", "csv", *extra]
        found = subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return [float(row["error"]) for row in csv.DictReader(found.splitlines())]


def errors_of_ptx(warpline, table, rows, extra):
    found = [launches.run(warpline, table, row, os.path.join(HERE, "ptx"), extra) for row in rows]
    for one in found:
        if "failed" in one:
            print(f"{one['family']} {one['params']} {one['block']}: {one['failed']}", file=sys.stderr)
    return [launches.ratio(one, "l2_load_bytes") - 1 for one in found if "failed" not in one]


def mean(values):
    return sum(map(abs, values)) / len(values) if values else float("nan")


def main():
    warpline = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "build", "release", "warpline")
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 16
    budget = sys.argv[3] if len(sys.argv) > 3 else "9000000"
    start = time.process_time()
    print("| family | | rows | simulated: mean | largest | laws: mean | largest |\n|---|---|---|---|---|---|---|")
    for group, families in GROUPS:
        for table, family in families:
            names, rows = drawn(table, family, count)
            result = []
            for extra in (("--fidelity", "simulate", "--budget", budget), ()):
                if table == "h200_waiting":
                    result.append(errors_of_ptx(warpline, table, rows, extra))
                else:
                    result.append(errors_of_files(warpline, names, rows, extra))
            cells = " | ".join(f"{100 * mean(r):.1f} % | {100 * max(r, key=abs, default=0):+.1f} %" for r in result)
            print(f"| {family} | {group} | {len(result[0])} | {cells} |", flush=True)
    children = os.times()
    print(f"{children.children_user + time.process_time() - start:.0f} s of processor time", file=sys.stderr)


if __name__ == "__main__":
    main()
