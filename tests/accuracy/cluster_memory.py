#!/usr/bin/env python3
"""cluster_memory.py WARPLINE UNUSED SOURCE_ROOT DIRECTORY

Predicts launches of validate/cuda/clusters.cu from PTX: blocks that use each other's shared memory. Bytes between blocks must
equal the measured ones, times must be within 25 %. SPDX-License-Identifier: MIT
"""
import sys

import known_ratios

EFFORT = "1"
BLOCKS = "4"  # of the clusters
KNOWN = [("exchange", "rounds=16;", "time", (0.7, 1.25), "rounds between barriers of a cluster take longer")]
BOUNDS = {"loads": 0.01, "stores": 0.01, "time": 0.25}


def ratio(predicted, measured):
    return predicted / measured if measured > 0 else 1 + predicted


def ratios(row, prediction):
    """Predicted / measured, by value."""
    def value(name):
        return prediction["metrics"].get(name, {"value": 0})["value"]
    return {"loads": ratio(value("dsmem_load_bytes"), float(row["dsmem_bytes_ld"])),
            "stores": ratio(value("dsmem_store_bytes"), float(row["dsmem_bytes_st"]) + float(row["dsmem_bytes_atom"])),
            "time": ratio(prediction["model"]["time_s"] * 1e9, float(row["ncu_ns"]))}


def main():
    checker = known_ratios.Checker(sys.argv)
    import clusters  # pylint: disable=import-outside-toplevel,import-error
    for row in checker.table("h200_clusters.csv"):
        if row["family"] == "cluster" and row["params"].endswith(f"cluster={BLOCKS}"):
            checker.launch(row, clusters.command(row), checker.path("ptx", "clusters.sm_90a.ptx"), EFFORT, ratios, BOUNDS, KNOWN)
    checker.end(6)


main()
