#!/usr/bin/env python3
"""cluster_memory.py WARPLINE UNUSED SOURCE_ROOT DIRECTORY

Predicts launches of validate/cuda/clusters.cu from PTX: blocks that use each other's shared memory. Bytes between blocks must
equal the measured ones, times must be within 25 %. SPDX-License-Identifier: MIT
"""
import csv
import json
import os
import subprocess
import sys

EFFORT = "1"
BLOCKS = "4"  # of the clusters
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


def check(warpline, root, clusters, row):
    """Messages about one launch."""
    file = os.path.join(root, "validate", "ptx", "clusters.sm_90a.ptx")
    words = [warpline, *clusters.command(row), file, "--device", "h200", "--format", "json", "--effort", EFFORT]
    result = subprocess.run(words, capture_output=True, text=True, check=False)
    name = f"{row['variant']} {row['params']}"
    if result.returncode != 0:
        return [f"{name}: {result.stderr.strip()}"]
    prediction = json.loads(result.stdout)["predictions"][0]
    wrong = [f"{name}: incomplete"] if prediction.get("incomplete") else []
    for what, found in ratios(row, prediction).items():
        if abs(found - 1) > BOUNDS[what]:
            wrong.append(f"{name}: {what} is {found:.3f} of the measured one")
    return wrong


def main():
    warpline, root = sys.argv[1], sys.argv[3]
    sys.path.insert(0, os.path.join(root, "validate", "ptx"))
    import clusters  # pylint: disable=import-outside-toplevel,import-error
    with open(os.path.join(root, "validate", "probes", "h200_clusters.csv"), encoding="ascii") as file:
        rows = [r for r in csv.DictReader(file) if r["family"] == "cluster" and r["params"].endswith(f"cluster={BLOCKS}")]
    messages = [m for row in rows for m in check(warpline, root, clusters, row)]
    print("\n".join(messages))
    print(f"{len(rows)} launches, {len(messages)} messages")
    sys.exit(1 if messages or len(rows) < 6 else 0)


main()
