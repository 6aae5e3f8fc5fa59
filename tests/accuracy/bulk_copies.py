#!/usr/bin/env python3
"""bulk_copies.py WARPLINE UNUSED SOURCE_ROOT DIRECTORY

Predicts launches of validate/cuda/tma.cu from PTX: bulk copies through tensor maps, producer and consumer warps, clusters.
What copies request must equal the bytes that arrived on the multiprocessors, L2 loads, cycles, clock and time must be as
near as they are known to be. SPDX-License-Identifier: MIT
"""
import csv
import json
import os
import subprocess
import sys

# variant, part of the params: value, the least and most predicted / measured that is known, and why it is off
KNOWN = [
    ("roles", "stages=2", "time", (0.7, 0.9), "copies take longer while all multiprocessors load"),
    ("pairs", "", "arrived", (0.7, 0.8), "one request brings data to two multiprocessors"),
    ("unfenced", "", "arrived", (0.7, 0.8), "the same"),
    ("async", "", "l2", (1, 1.3), "requests of neighbours join more often than assumed"),
    ("sums", "width=8100", "arrived", (0.97, 1.01), "what lies outside of an array is requested in part"),
    ("sums", "width=8100", "l2", (0.97, 1.01), "the same"),
]
BOUNDS = {"arrived": 0.01, "l2": 0.2, "clock": 0.07, "time": 0.2}


def bounds(row, what):
    for variant, params, value, (low, high), _ in KNOWN:
        if row["variant"].split("_")[0] == variant and params in row["params"] and value == what:
            return low, high
    return 1 - BOUNDS[what], 1 + BOUNDS[what]


def ratios(row, prediction):
    """Predicted / measured, by value."""
    metrics, model = prediction["metrics"], prediction["model"]
    clock = model.get("clock", {}).get("hz", 1.98e9)
    return {"arrived": 32 * metrics["l1_sectors_ld"]["value"] / float(row["l1_bytes_from_l2"]),
            "l2": metrics["l2_load_bytes"]["value"] / (32 * float(row["l2_sectors_rd_tex"])),
            "clock": clock / float(row["clock_hz"]),
            "time": model["time_s"] * 1e9 / float(row["ncu_ns"])}


def check(warpline, root, tma, row):
    """Messages about one launch; None: the file has no such kernel."""
    file = os.path.join(root, "validate", "ptx", "tma.sm_90a.ptx")
    words = [warpline, *tma.command(row), file, "--device", "h200", "--format", "json", "--effort", "0.3"]
    result = subprocess.run(words, capture_output=True, text=True, check=False)
    name = f"{row['variant']} {row['params']}"
    if "no kernel" in result.stderr or "no entry" in result.stderr:
        return None
    if result.returncode != 0:
        return [f"{name}: {result.stderr.strip()}"]
    prediction = json.loads(result.stdout)["predictions"][0]
    wrong = [f"{name}: incomplete"] if prediction.get("incomplete") else []
    for what, ratio in ratios(row, prediction).items():
        low, high = bounds(row, what)
        if not low <= ratio <= high:
            wrong.append(f"{name}: {what} is {ratio:.3f} of the measured one, not {low:.2f} to {high:.2f}")
    return wrong


def main():
    warpline, root = sys.argv[1], sys.argv[3]
    sys.path.insert(0, os.path.join(root, "validate", "ptx"))
    import tma  # pylint: disable=import-outside-toplevel,import-error
    with open(os.path.join(root, "validate", "probes", "h200_tma.csv"), encoding="ascii") as file:
        rows = [r for r in csv.DictReader(file) if float(r["ncu_ns"]) > 20000]  # launching takes long in others
    found = [w for w in (check(warpline, root, tma, r) for r in rows) if w is not None]
    messages = [m for wrong in found for m in wrong]
    print("\n".join(messages))
    print(f"{len(found)} launches, {len(messages)} messages")
    sys.exit(1 if messages or len(found) < 10 else 0)


main()
