#!/usr/bin/env python3
"""time_models.py WARPLINE [--data DIRECTORY] [--jobs N] [--each N]: writes the section of docs/accuracy.md that has all
time models side by side, from `compare --model all` of launches on an H200: kernels that follow data, regular ones, and
those that Triton generates. Needs no GPU. SPDX-License-Identifier: MIT"""
import argparse
import concurrent.futures
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "validate", "ptx"))
import commands  # pylint: disable=wrong-import-position
import waiting_report  # pylint: disable=wrong-import-position

SHORT = 20e-6  # s; launching takes long in shorter ones
MODELS = [("", "default"), ("limiter", "`limiter`"), ("four-limiters", "`four-limiters`"), ("simple", "`simple`"),
          ("gpumech", "`gpumech`"), ("gpumech+", "`gpumech+`"), ("mdm-queue", "`mdm-queue`"), ("mdm-mshr", "`mdm-mshr`"),
          ("mdm", "`mdm`")]
WAITING, PROBE, HELD_OUT = "h200_waiting", "h200_triton", "h200_heldout"


def read(folder, name):
    with open(os.path.join(ROOT, "validate", folder, name + ".csv"), newline="", encoding="ascii") as file:
        return list(csv.DictReader(file))


def of_family(rows):
    found = {}
    for row in rows:
        found.setdefault(row["family"], []).append(row)
    return found


def spread(rows, most):
    """At most that many of the rows, evenly over the table."""
    return rows if len(rows) <= most else [rows[i * len(rows) // most] for i in range(most)]


def launch_of(row, time, **more):
    """A row of a table for `compare`, and what its map says."""
    kept = ("variant", "params", "bx", "by", "bz", "gx", "gy", "gz", "regs", "smem", "work")
    return {k: row[k] for k in kept if k in row} | time, more


def from_ptx(rows, data):
    """Launches of h200_waiting, and the arguments of each."""
    program, families = commands.PROGRAMS[WAITING]
    for row in rows:
        entry, arguments, *dynamic = families[row["family"]](commands.Launch(row, data))
        yield launch_of(row, {"ms_median": row["ms_median"]}, entry=entry, args=[str(a) for a in arguments],
                        kernel=os.path.join(ROOT, "validate", "ptx", program + ".sm_90.ptx"),
                        dynamic_shared=dynamic[0] if dynamic else 0)


def triton_file(row):
    return os.path.join(ROOT, "validate", "triton", "ptx", row["file"])


def from_triton(rows):
    for row in rows:
        yield launch_of(row, {"ncu_ns": row["ncu_ns"]}, entry=row["kernel"], args=row["arguments"].split(),
                        kernel=triton_file(row), dynamic_shared=int(row["smem"]))


def quoted(text):
    return json.dumps(str(text))  # a string of YAML as well


def table_and_map(launches, folder):
    """A family for each row, so that the map can tell them apart."""
    table, map_ = os.path.join(folder, "launches.csv"), os.path.join(folder, "map.yaml")
    with open(table, "w", newline="", encoding="ascii") as file:
        writer = csv.DictWriter(file, ["family", *launches[0][0]], lineterminator="\n")
        writer.writeheader()
        writer.writerows({"family": f"launch{i}", **row} for i, (row, _) in enumerate(launches))
    with open(map_, "w", encoding="ascii") as file:
        for i, (_, how) in enumerate(launches):
            words = [f"family: launch{i}", f"kernel: {quoted(how['kernel'])}", f"entry: {quoted(how['entry'])}",
                     "args: [" + ", ".join(map(quoted, how["args"])) + "]"]
            if how["dynamic_shared"]:
                words.append(f"dynamic_shared: {how['dynamic_shared']}")
            file.write("- {" + ", ".join(words) + "}\n")
    return ["--map", map_, table]


def compare(warpline, words):
    command = [warpline, "compare", *words, "--device", "h200", "--metric", "time", "--model", "all", "--format", "json"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(f"time_models.py: {' '.join(command)}: {result.stderr}")
    return json.loads(result.stdout)["rows"]


def times(row):
    """Measured, and predicted by model."""
    predicted = {name: row["predicted"].get("time_" + name if name else "time") for name, _ in MODELS}
    return row["measured"]["time"], predicted


def of_launches(warpline, key, launches):
    with tempfile.TemporaryDirectory() as folder:
        return [(key, *times(row)) for row in compare(warpline, table_and_map(launches, folder))]


def of_kernel_files(warpline, rows):
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "launches.csv")
        with open(table, "w", newline="", encoding="ascii") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        words = ["--map", os.path.join(ROOT, "validate", "families.yaml"), table]
        return [(row["family"], *times(row)) for row in compare(warpline, words)]


def jobs_of(options):
    """(kind, what finds the times of its launches: family, measured, predicted by model)"""
    for family, rows in of_family(read("data", WAITING)).items():
        kind = "divergent" if family in waiting_report.DIVERGENT else "regular"
        launches = list(from_ptx(spread([r for r in rows if float(r["ms_median"]) >= SHORT * 1e3], options.each), options.data))
        yield kind, lambda f=family, l=launches: of_launches(options.warpline, f, l) if l else []
    for family, rows in of_family(read("probes", PROBE)).items():
        kept = [r for r in rows if float(r["ncu_ns"]) >= SHORT * 1e9 and os.path.exists(triton_file(r))]
        launches = list(from_triton(spread(kept, 3 * options.each)))
        yield "triton", lambda f=family, l=launches: of_launches(options.warpline, f, l) if l else []
    for rows in of_family(read("data", HELD_OUT)).values():
        chosen = spread([r for r in rows if float(r["ms_median"]) >= SHORT * 1e3], options.each)
        yield "files", lambda c=chosen: of_kernel_files(options.warpline, c) if c else []


KINDS = {"divergent": "h200_waiting, families that follow data", "regular": "h200_waiting, regular families",
         "triton": "kernels of Triton's tutorials", "files": "h200_heldout, from kernel files"}


def percent(value):
    return f"{100 * value:.1f}" if value < 0.0995 else f"{100 * value:.0f}"


def cell(found):
    """Of one model: mean and median error of families, tau of all launches, mean tau of families."""
    pairs = {}
    for family, measured, predicted in found:
        if predicted:
            pairs.setdefault(family, []).append((measured, predicted))
    if not pairs:
        return "-"
    errors = [statistics.mean(abs(p / m - 1) for m, p in of) for of in pairs.values()]
    every = waiting_report.tau([pair for of in pairs.values() for pair in of])
    within = [t for t in (waiting_report.tau(of) for of in pairs.values() if len(of) > 2) if t is not None]
    return ", ".join([f"{percent(statistics.mean(errors))} / {percent(statistics.median(errors))}",
                      "-" if every is None else f"{every:.2f}", f"{statistics.mean(within):.2f}" if within else "-"])


INTRO = """## All time models

`compare --model all` on an H200: launches of 20 us and more, evenly spread over the tables, at most
{each} of a family ({triton} of Triton's tutorials), so that it takes minutes; the tables above have
every launch of the default. Cells: mean / median over families of the mean error of a family, in
percent; Kendall's tau of all launches; mean tau within the families of which three launches or more
are here. The interval models take lives, volumes and numbers of the GPU from the default;
[model.md](model.md#interval-models) has their equations, and
[intervals.md](../validate/notes/intervals.md#on-an-h200) says what is wrong with them here. Of
Triton's kernels, durations with cold caches were measured.
"""


def write(results, options):
    print(INTRO.format(each=options.each, triton=3 * options.each))
    kinds = [k for k in KINDS if results.get(k)]
    print("| model | " + " | ".join(f"{KINDS[k]}: {len(results[k])}" for k in kinds) + " |")
    print("|---|" + "---|" * len(kinds))
    for name, label in MODELS:
        of = [cell([(f, m, predicted[name]) for f, m, predicted in results[k]]) for k in kinds]
        print(f"| {label} | " + " | ".join(of) + " |")
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warpline")
    parser.add_argument("--data", default="build/data")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--each", type=int, default=6, help="launches of a family, at most")
    parser.add_argument("--kind", choices=KINDS, help="only this column")
    options = parser.parse_args()
    options.data = os.path.abspath(options.data)
    results = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        started = [(kind, pool.submit(find)) for kind, find in jobs_of(options) if options.kind in (None, kind)]
        for kind, of in started:
            results.setdefault(kind, []).extend(of.result())
    write(results, options)


if __name__ == "__main__":
    main()
