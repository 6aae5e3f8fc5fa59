#!/usr/bin/env python3
"""block_order.py WARPLINE UNUSED SOURCE_ROOT DIRECTORY

Predicts launches of validate/cuda/tickets.cu from PTX: blocks that draw tickets, the last block of a reduction,
look-back, locks, waits for other blocks. Instructions, volumes of the L2 and of memory, and times must be as near to the
measured ones as they are known to be. SPDX-License-Identifier: MIT
"""
import sys

import known_ratios

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
    ("scan_flags", "", "time", (0.25, 0.4), "fences between the looks, which take no time here"),
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


def ratios(row, prediction):
    """Predicted / measured, by value."""
    found = {what: prediction["metrics"][metric]["value"] / (unit * float(row[column]))
             for what, (metric, column, unit) in METRICS.items()}
    found["time"] = (prediction["model"]["time_s"] + prediction["model"]["launch_gap_s"]) * 1e3 / float(row["ms_median"])
    return found


def main():
    checker = known_ratios.Checker(sys.argv)
    import tickets  # pylint: disable=import-outside-toplevel,import-error
    for row in checker.table("h200_tickets.csv"):
        checker.launch(row, tickets.command(row), checker.path("ptx", "tickets.sm_90.ptx"), "0.3", ratios, BOUNDS, KNOWN)
    checker.end(20)


main()
