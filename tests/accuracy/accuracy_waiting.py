#!/usr/bin/env python3
"""accuracy_waiting.py WARPLINE MAKE_DATA SOURCE_ROOT DIRECTORY

Predicts a sample of the launches of threads that loop and wait (of every family one or two, with little input) and
fails when the mean error of time, L2 loads or memory loads of a group of families is worse than in
validate/accuracy_ptx.json by more than a tenth and 0.2 percentage points. Inputs are written to DIRECTORY.
SPDX-License-Identifier: MIT
"""
import json
import os
import subprocess
import sys

TENTH, POINTS = 1.1, 0.002


def main():
    warpline, make_data, root, directory = sys.argv[1:]
    os.makedirs(directory, exist_ok=True)
    subprocess.run([make_data, directory, *waiting_report.SAMPLE_INPUTS], check=True)
    rows = waiting_report.sample(launches.rows_of(waiting_report.TABLE))
    results = launches.run_all(warpline, 2, [(waiting_report.TABLE, row) for row in rows], directory)
    failures = [f"{r['family']} {r['params']} {r['block']}: {r['failed']}" for r in results if "failed" in r]
    with open(os.path.join(root, "validate", "accuracy_ptx.json")) as file:
        before = json.load(file)["waiting_sample"]
    now = waiting_report.sample_numbers(results)
    for group, values in before.items():
        for name, value in values.items():
            if name == "launches" and now[group][name] != value:
                failures.append(f"{group}: {now[group][name]} launches, were {value}")
            elif now[group][name] > TENTH * value + POINTS:
                failures.append(f"{group}: mean error of {name} was {value:.4f}, is {now[group][name]:.4f}")
    print("\n".join(failures))
    print(f"{len(results)} launches, {sum(r['seconds'] for r in results):.1f} s of processor time")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.path.insert(0, os.path.join(sys.argv[3], "validate", "ptx"))
    import launches
    import waiting_report
    sys.exit(main())
