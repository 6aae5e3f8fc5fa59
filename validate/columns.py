#!/usr/bin/env python3
"""columns.py [WARPLINE [--check]]

The published tables of column widths (validate/published/rtx2080s_columns.csv: N. Prasetya, "Improving Cache Performance in
Structured GPGPU Workloads via Specialized Thread Schedules", 2022, figures 5.1a, 5.1b and 5.2; column 0 is the naive
order) against predictions for the RTX 2080 Super: Kendall's tau of each table and of each block size, and the widths
that are best. Predictions of the boxes come from a sample of blocks and are known to 1 or 2 % (the notes of `predict`);
differences below 1 % rank nothing, so tau is printed with these as ties, too. Takes half a minute. --check: blocks of
64 to 256 of figures 5.1 alone, and fails where columns of 32 are not faster than naive order, or a tau is below 0.75.
SPDX-License-Identifier: MIT
"""
import csv
import os
import subprocess
import sys
import tempfile

from tau import tau

HERE = os.path.dirname(os.path.abspath(__file__))
SAME = 1.01  # times within one part in a hundred are equally good
LEAST = 0.75  # of tau, with --check
QUICK = os.environ.get("WARPLINE_TEST_EFFORT") == "quick"
CHECKED = ("128",) if QUICK else ("64", "128", "256")  # threads of a block


def order(pairs, same=1.0):
    return tau(pairs, same) or 0.0  # where all are equal


def best(rows, key):
    least = min(row[key] for row in rows)
    return ", ".join(str(row["width"]) or "0" for row in rows if row[key] <= SAME * least)


def chosen_rows(table, check, file):
    """A copy of the table with the rows that are looked at."""
    with open(table, newline="", encoding="utf-8") as source:
        reader = csv.DictReader(source)
        writer = csv.DictWriter(file, reader.fieldnames)
        writer.writeheader()
        writer.writerows(r for r in reader if not check or (r["bx"] in CHECKED and r["variant"] != "fig5.2"))
    file.flush()


def predicted_rows(warpline, table):
    words = [warpline, "compare", "--map", os.path.join(HERE, "families.yaml"), table, "--device", "rtx2080s", "--metric", "time",
             "--format", "csv"]
    text = subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    rows = []
    for row in csv.DictReader(text.splitlines()):
        width = int(row["params"].split(";")[0].split("=")[1])
        rows.append({"figure": row["variant"], "width": width, "block": int(row["block_x"]),
                     "measured": float(row["measured"]), "predicted": float(row["predicted"])})
    return rows


def failures(rows):
    for figure in sorted({row["figure"] for row in rows}):
        table = [row for row in rows if row["figure"] == figure]
        if order([(r["measured"], r["predicted"]) for r in table]) < LEAST:
            yield f"{figure}: tau is below {LEAST}"
        for block in sorted({row["block"] for row in table}):
            time = {r["width"]: r["predicted"] for r in table if r["block"] == block}
            if not time[32] < time[0]:
                yield f"{figure}, blocks of {block}: columns of 32 are not predicted faster than naive order"


def main():
    warpline = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "build", "release", "warpline")
    check = "--check" in sys.argv
    with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="", encoding="utf-8") as file:
        chosen_rows(os.path.join(HERE, "published", "rtx2080s_columns.csv"), check, file)
        rows = predicted_rows(warpline, file.name)
    for figure in sorted({row["figure"] for row in rows}):
        table = [row for row in rows if row["figure"] == figure]
        error = sum(abs(row["predicted"] / row["measured"] - 1) for row in table) / len(table)
        pairs = [(r["measured"], r["predicted"]) for r in table]
        print(f"{figure}: tau {order(pairs):.3f}, with predictions that the sample of blocks cannot tell apart as ties "
              f"{order(pairs, SAME):.3f}, mean error of the time {100 * error:.1f} %")
        for block in sorted({row["block"] for row in table}):
            some = [row for row in table if row["block"] == block]
            chosen = min(some, key=lambda row: (row["predicted"], row["width"] or 1 << 30))
            fastest = min(row["measured"] for row in some)
            print(f"  block {block:4d}: tau {order([(r['measured'], r['predicted']) for r in some]):6.3f}; best measured "
                  f"{best(some, 'measured')}; predicted {best(some, 'predicted')}; narrowest of these: "
                  f"{100 * (chosen['measured'] / fastest - 1):.1f} % slower than the best")
    failed = list(failures(rows)) if check else []
    print("\n".join(failed))
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
