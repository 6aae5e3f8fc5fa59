#!/usr/bin/env python3
"""bulk_copies.py WARPLINE UNUSED SOURCE_ROOT DIRECTORY

Predicts launches of validate/cuda/tma.cu from PTX: bulk copies through tensor maps, producer and consumer warps, clusters.
What copies request must equal the bytes that arrived on the multiprocessors, L2 loads, clock and time must be as near as
they are known to be. SPDX-License-Identifier: MIT
"""
import sys

import known_ratios

KNOWN = [
    ("roles", "m=2048", "time", (1.0, 1.25), "two waves: waits and the rate of the L2 add up more than they do"),
    ("pairs*", "", "arrived", (0.7, 0.8), "one request brings data to two multiprocessors"),
    ("unfenced*", "", "arrived", (0.7, 0.8), "the same"),
    ("async", "", "clock", (1, 1.08), "predicted a tenth too slow, so tensor cores are less busy"),
    ("async", "", "l2", (1, 1.3), "requests of neighbours join more often than assumed"),
    ("sums", "width=8100", "arrived", (0.97, 1.01), "what lies outside of an array is requested in part"),
    ("sums", "width=8100", "l2", (0.97, 1.01), "the same"),
]
USUAL = {"arrived": 0.01, "l2": 0.2, "clock": 0.07, "time": 0.2, "dram": 0.2}


def ratios(row, prediction):
    """Those of every product, and what comes from memory: persistent blocks load it again."""
    loaded = prediction["metrics"]["dram_load_bytes"]["value"] / float(row["dram_rd_bytes"])
    return known_ratios.tensor_ratios(row, prediction) | {"dram": loaded}


def main():
    checker = known_ratios.Checker(sys.argv)
    import tma  # pylint: disable=import-outside-toplevel,import-error
    for row in checker.table("h200_tma.csv"):
        if float(row["ncu_ns"]) > 20000:  # launching takes long in others
            checker.launch(row, tma.command(row), checker.path("ptx", "tma.sm_90a.ptx"), "0.3",
                           ratios, USUAL, KNOWN)
    checker.end(10)


main()
