#!/usr/bin/env python3
"""block_order.py WARPLINE UNUSED SOURCE_ROOT DIRECTORY

Predicts launches of validate/cuda/tickets.cu from PTX: blocks that draw tickets, the last block of a reduction,
look-back, locks, waits for other blocks. Instructions, volumes of the L2 and of memory, and times must be as near to the
measured ones as they are known to be. SPDX-License-Identifier: MIT
"""
import csv
import json
import os
import subprocess
import sys

# variant, part of the params: value, the least and most predicted / measured that is known, and why it is off
LOOKS_BACK = "how far a block looks back, and how often it polls, depends on time"
SCATTERED = "stores of few lanes combine less in the L1 than assumed"
KNOWN = [
    ("ticket", "flops=0", "inst", (0.85, 1), "what the assembler makes of loops that are skipped"),
    ("dynamic", "flops=0", "inst", (0.7, 1), "the same"),
    ("dynamic_warps", "flops=64", "time", (1, 1.3), "draws and instructions take as long, and overlap fully"),
    ("scan", "", "inst", (0.85, 1), LOOKS_BACK),
    ("scan", "", "l2_load", (0.75, 1), LOOKS_BACK),
    ("scan", "", "l2_store", (0.8, 1), SCATTERED),
    ("scan", "", "time", (0.55, 0.9), LOOKS_BACK),
    ("scan_flags", "", "inst", (0.5, 1), LOOKS_BACK),
    ("scan_flags", "", "l2_load", (0.8, 1), LOOKS_BACK),
    ("scan_flags", "", "time", (0.15, 0.3), "one thread looks back, tile by tile"),
    ("select", "", "inst", (0.8, 1), LOOKS_BACK),
    ("select", "", "l2_load", (0.75, 1), LOOKS_BACK),
    ("select", "", "l2_store", (0.3, 1), SCATTERED),
    ("select", "", "time", (0.45, 0.9), LOOKS_BACK),
    ("compact", "", "l2_store", (0.3, 1), SCATTERED),
    ("onesweep", "", "inst", (0.4, 1), LOOKS_BACK),
    ("onesweep", "", "l2_load", (0.2, 0.5), LOOKS_BACK),
    ("onesweep", "", "l2_store", (0.8, 1), SCATTERED),
    ("lock", "rows=64", "time", (0.3, 0.6), "blocks wait for those that hold the lock"),
    ("grid_barrier", "", "dram_load", (1, 1.8), "what others have just written is still in the L2"),
    ("grid_barrier", "", "dram_store", (1, 1.9), "the same"),
    ("grid_barrier", "", "time", (1.2, 1.6), "the same"),
    ("lock", "", "dram_store", (0, 1), "a few MB that stay in the L2"),
    ("sum_last", "", "dram_store", (0, 1), "the same"),
    ("columns_last", "", "dram_store", (0.4, 1), "the same"),
    ("stream_k", "", "dram_store", (0, 1), "the same"),
    ("stream_k", "", "inst", (0.85, 1), "the assembler unrolls the loop further"),
    ("stream_k", "", "time", (1.2, 2.2), "more loads of a warp are in flight than assumed"),
]
BOUNDS = {"inst": 0.12, "l2_load": 0.05, "l2_store": 0.05, "dram_load": 0.05, "dram_store": 0.08, "time": 0.2}
METRICS = {"inst": ("inst_executed", "inst", 1), "l2_load": ("l2_load_bytes", "l2_sectors_rd_tex", 32),
           "l2_store": ("l2_store_bytes", "l2_sectors_wr_tex", 32), "dram_load": ("dram_load_bytes", "dram_rd_bytes", 1),
           "dram_store": ("dram_store_bytes", "dram_wr_bytes", 1)}


def bounds(row, what):
    for variant, params, value, (low, high), _ in KNOWN:
        if row["variant"] == variant and params in row["params"] and value == what:
            return low, high
    return 1 - BOUNDS[what], 1 + BOUNDS[what]


def ratios(row, prediction):
    """Predicted / measured, by value."""
    found = {what: prediction["metrics"][metric]["value"] / (unit * float(row[column]))
             for what, (metric, column, unit) in METRICS.items()}
    found["time"] = prediction["model"]["time_s"] * 1e3 / float(row["ms_median"])
    return found


def check(warpline, root, tickets, row):
    """Messages about one launch."""
    file = os.path.join(root, "validate", "ptx", "tickets.sm_90.ptx")
    words = [warpline, *tickets.command(row), file, "--device", "h200", "--format", "json", "--effort", "0.3"]
    result = subprocess.run(words, capture_output=True, text=True, check=False)
    name = f"{row['variant']} {row['params']}"
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
    import tickets  # pylint: disable=import-outside-toplevel,import-error
    with open(os.path.join(root, "validate", "probes", "h200_tickets.csv"), encoding="ascii") as file:
        rows = list(csv.DictReader(file))
    messages = [m for row in rows for m in check(warpline, root, tickets, row)]
    print("\n".join(messages))
    print(f"{len(rows)} launches, {len(messages)} messages")
    sys.exit(1 if messages or len(rows) < 20 else 0)


main()
