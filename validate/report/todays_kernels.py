#!/usr/bin/env python3
"""todays_kernels.py WARPLINE: writes the section of docs/accuracy.md about kernels of today: bulk copies, warp roles,
attention, Triton's tutorials, blocks that wait for each other. Compares launches of validate/probes, whose PTX is kept,
with their predictions; needs no GPU. SPDX-License-Identifier: MIT"""
import concurrent.futures
import os
import statistics
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
for folder in ("tests/accuracy", "validate/ptx", "validate/triton"):
    sys.path.insert(0, os.path.join(ROOT, folder))
import attention  # pylint: disable=wrong-import-position
import known_ratios  # pylint: disable=wrong-import-position
import tickets  # pylint: disable=wrong-import-position
import tma  # pylint: disable=wrong-import-position
import tutorials  # pylint: disable=wrong-import-position

SHORT_NS = 20000  # launching takes long in shorter ones
EFFORT = "1"


def probe(name):
    return known_ratios.read_rows(os.path.join(ROOT, "validate", "probes", name))


def ptx(*parts):
    return os.path.join(ROOT, "validate", *parts)


def group_of_tma(row):
    if row["family"] == "tma_copy":
        return "copies by bulk copies"
    what = row["variant"].split("_")[0]
    names = {"roles": "products, producer and consumer warps", "beside": "products, producer and consumer warps",
             "pairs": "products, copies to pairs of blocks", "unfenced": "products, copies to pairs of blocks",
             "alone": "products, one group of warps", "async": "products by cp.async"}
    return names[what] + (", persistent" if "_" in row["variant"] else "")


def group_of_tickets(row):
    waits = ("scan", "select", "onesweep", "lock", "stream_k", "grid_barrier")
    return "blocks that wait for others" if row["variant"].startswith(waits) else "tickets, last block"


def launches():
    """Group, row, command, file, nanoseconds."""
    for row in probe("h200_tma.csv"):
        yield group_of_tma(row), row, tma.command(row), ptx("ptx", "tma.sm_90a.ptx"), float(row["ncu_ns"])
    for row in probe("h200_attention.csv"):
        kind = "backward" if row["variant"].startswith("backward") else "forward"
        yield f"attention, {kind}", row, attention.command(row), ptx("ptx", "attention.sm_90a.ptx"), float(row["ncu_ns"])
    for row in probe("h200_triton.csv"):
        kind = {"matmul": "product", "layer_norm": "layer norm"}.get(row["family"], row["family"])
        if kind in ("layer norm", "attention"):
            kind += ", backward" if row["variant"].startswith(("backward", "delta", "sums")) else ", forward"
        yield f"Triton: {kind}", row, tutorials.command(row), ptx("triton", "ptx", row["file"]), float(row["ncu_ns"])
    for row in probe("h200_tickets.csv"):
        yield group_of_tickets(row), row, tickets.command(row), ptx("ptx", "tickets.sm_90.ptx"), 1e6 * float(row["ms_median"])


def compare(warpline, launch):
    """Group and ratios, predicted / measured; None: there is no PTX of it, or no prediction."""
    group, row, words, file, duration = launch
    if duration < SHORT_NS or not os.path.exists(file):
        return group, None
    prediction = known_ratios.predict(warpline, words, file, EFFORT)
    if not isinstance(prediction, dict):
        return group, None
    metrics = prediction["metrics"]
    measured = {"L2": ("l2_load_bytes", 32 * float(row["l2_sectors_rd_tex"])),
                "DRAM": ("dram_load_bytes", float(row["dram_rd_bytes"]))}
    found = {what: metrics[name]["value"] / bytes_read for what, (name, bytes_read) in measured.items()
             if bytes_read > 0 and metrics[name]["value"] is not None}
    return group, found | {"time": prediction["model"]["time_s"] * 1e9 / duration}


def cell(ratios):
    if not ratios:
        return "-"
    error = 100 * statistics.median(abs(r - 1) for r in ratios)
    return f"{error:.1f} % ({min(ratios):.2f} to {max(ratios):.2f})"


def main():
    warpline = sys.argv[1]
    groups = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for group, found in pool.map(lambda launch: compare(warpline, launch), launches()):
            compared = groups.setdefault(group, [0, []])
            compared[0] += 1
            compared[1] += [found] if found else []
    print("## Today's kernels\n")
    print("Launches on an H200 (`validate/probes`: h200_tma, h200_attention, h200_triton, h200_tickets) of 20 us and more,"
          " whose PTX is kept: bulk copies, warp roles, clusters, tensor cores, and blocks that wait for each other."
          " Cells: median error, and predicted / measured from the least to the most. L2 loads are sectors that the"
          " multiprocessors request; those that several request at once are joined, which is predicted for pairs alone.\n")
    print("| kernels | launches | L2 loads | DRAM loads | time |\n|---|---|---|---|---|")
    for group, (all_of_them, found) in groups.items():
        if found:
            cells = [cell([f[what] for f in found if what in f]) for what in ("L2", "DRAM", "time")]
            print(f"| {group} | {len(found)} of {all_of_them} | " + " | ".join(cells) + " |")
    print()


main()
