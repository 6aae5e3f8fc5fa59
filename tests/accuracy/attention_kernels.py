#!/usr/bin/env python3
"""attention_kernels.py WARPLINE UNUSED SOURCE_ROOT DIRECTORY

Predicts launches of validate/cuda/attention.cu and of validate/triton from PTX: attention, products, softmax, layer
normalisation. Bytes, L2 loads, clock and time must be as near to the measured ones as they are known to be.
SPDX-License-Identifier: MIT
"""
import os
import sys

import known_ratios

ATTENTION = [
    ("backward_keys*", "", "l2", (1.0, 1.8), "blocks of a head walk in step, and requests of neighbours join"),
    ("backward_queries*", "", "l2", (0.6, 1.6), "the same"),
    ("forward_plain*", "", "l2", (0.5, 1.4), "what blocks that walk in step find in the L1"),
    ("delta*", "", "time", (1.0, 1.4), "little more than what a launch takes"),
]
TRITON = [
    ("64x32x32*", "", "clock", (0.9, 1.1), "small tiles are too fast, so tensor cores are busier"),
    ("128x*", "", "l2", (0.8, 1.9), "requests of neighbours join more often than assumed"),
    ("forward_8192*", "", "arrived", (3.5, 4.5), "a row is read three times, twice from the L1"),
    ("backward_8192*", "", "time", (0.75, 1.0), "blocks wait for locks of others"),
    ("backward_64*", "", "l2", (0.5, 1.1), "requests of neighbours join less often than assumed"),
    ("forward_64_full*", "", "l2", (0.55, 1.1), "the same"),
]
SEARCHES = [
    ("ROWS=64;COLUMNS=32*", "", "l2", (0.55, 1.1), "requests of neighbours join less often than assumed"),
    ("ROWS=128;COLUMNS=256*", "", "l2", (1.0, 1.5), "requests of neighbours join more often than assumed"),
]
USUAL = {"arrived": 0.1, "l2": 0.3, "clock": 0.08, "time": 0.2}


def one_of_each(rows):
    """The first launch of each kernel that takes longer than launching does."""
    seen = {}
    for row in rows:
        if float(row["ncu_ns"]) >= 20000:
            seen.setdefault((row["variant"], row.get("file"), "causal=1" in row["params"]), row)
    return seen.values()


def searched(row):
    """The words behind `warpline` that predict a launch of a search from its PTX, without file and device."""
    words = ["predict", "--kernel", row["kernel"], "--registers", row["regs"], "--dynamic-shared", row["smem"], "--block", row["bx"],
             "--grid", f"{row['gx']}x{row['gy']}x{row['gz']}"]
    return words + [word for argument in row["arguments"].split() for word in ("--arg", argument)]


def main():
    checker = known_ratios.Checker(sys.argv)
    import attention  # pylint: disable=import-outside-toplevel,import-error
    import tutorials  # pylint: disable=import-outside-toplevel,import-error
    for row in one_of_each(checker.table("h200_attention.csv")):
        checker.launch(row, attention.command(row), checker.path("ptx", "attention.sm_90a.ptx"), "1",
                       known_ratios.tensor_ratios, USUAL, ATTENTION)
    for row in one_of_each(checker.table("h200_triton.csv")):
        if os.path.exists(checker.path("triton", "ptx", row["file"])):
            checker.launch(row, tutorials.command(row), checker.path("triton", "ptx", row["file"]), "1",
                           known_ratios.tensor_ratios, USUAL, TRITON)
    for row in checker.table("h200_triton_launches.csv"):
        file = checker.path("triton", "ptx", row["file"])
        if os.path.exists(file):
            checker.launch({"family": row["search"], "variant": row["config"], "params": "", **row}, searched(row), file, "1",
                           known_ratios.tensor_ratios, USUAL, SEARCHES)
    checker.end(16)


main()
