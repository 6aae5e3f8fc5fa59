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
    ("forward_64_causal*", "", "time", (0.7, 1.2), "unequal blocks wait for copies as for loads, in rounds"),
    ("forward_64_full_128x64_s3*", "", "time", (0.75, 1.2), "four warps with three stages wait longer than predicted"),
]
USUAL = {"arrived": 0.1, "l2": 0.3, "clock": 0.08, "time": 0.2}


def one_of_each(rows):
    """The first launch of each kernel that takes longer than launching does."""
    seen = {}
    for row in rows:
        if float(row["ncu_ns"]) >= 20000:
            seen.setdefault((row["variant"], row.get("file"), "causal=1" in row["params"]), row)
    return seen.values()


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
    checker.end(12)


main()
