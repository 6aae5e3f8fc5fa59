#!/usr/bin/env python3
"""cache_volumes.py WARPLINE UNUSED SOURCE_ROOT DIRECTORY

Predicts the launches of validate/cuda/cache_operators.cu from PTX: bytes that are loaded from the L2 and from memory, and
stored to the L2, must be within 5 % of the counters, or as far off as they are known to be. WARPLINE_TEST_EFFORT=quick
takes a fourth of the launches, of operators that do not do the same. SPDX-License-Identifier: MIT
"""
import csv
import json
import os
import subprocess
import sys

NEAR = 0.05
LITTLE = 1 << 20  # bytes; less is not compared
VOLUMES = [("l2_load_bytes", "l2_sectors_rd_tex", 32), ("dram_load_bytes", "dram_rd_bytes", 1),
           ("l2_store_bytes", "l2_sectors_wr_tex", 32)]

PAST_L1 = ["cg", "lu", "cv", "changing", "relaxed_gpu", "relaxed_sys", "acquire_gpu", "nc_skip", "skip"]
WEAK_PAST_L1 = ["cg", "lu", "cv", "nc_skip", "skip"]

# families, operators (None: all), volume, predicted / measured, and why they differ
KNOWN = [
    (["again"], WEAK_PAST_L1, "l2_load_bytes", 16, "ptxas loads once, before the loop: no order keeps it from that"),
    (["warmed"], ["cg"], "l2_load_bytes", 2, "the same"),
    (["neighbours"], [o for o in PAST_L1 if o != "acquire_gpu"], "l2_load_bytes", 1.35,
     "a warp's requests of a line that is on its way join in part"),
    (["columns"], ["acquire_cta"], "l2_load_bytes", 0.96, "2 to 6 % of the lines that fit are loaded again"),
    (["columns"], ["cs", "nc_cs", "first"], "l2_load_bytes", 0.63, "lines that go first go early"),
    (["stream"], ["acquire_gpu"], "l2_load_bytes", 0.825, "the stream evicts what is kept"),
    (["stream"], ["acquire_gpu"], "dram_load_bytes", 0.83, "the same"),
    (["stream"], ["cs", "first", "unchanged"], "l2_load_bytes", 1.212, "a stream that goes first leaves what is kept"),
    (["stream"], ["cs", "first", "unchanged"], "dram_load_bytes", 1.212, "the same"),
    (["l2_keep"], ["stream_first", "both"], "dram_load_bytes", 1.2, "the same"),
    (["flag"], ["changing", "relaxed_gpu"], "l2_load_bytes", 0.915, "warps that drift apart join less"),
    (["flag"], ["acquire_gpu"], "l2_load_bytes", 0.127, "an acquire at gpu empties the L1"),
    (["fence"], ["fence_gpu", "fence_sc", "fence_membar"], "l2_load_bytes", 0.125, "so does a fence"),
    (["again"], ["l2_256"], "l2_load_bytes", 0.885, "what the L2 prefetches is counted as read"),
    (["warps"], ["l2_256"], "l2_load_bytes", 0.8, "the same"),
    (["columns"], ["l2_256"], "l2_load_bytes", 0.864, "the same"),
    (["neighbours"], ["l2_256"], "l2_load_bytes", 0.838, "the same"),
    (["left_async"], ["async_cg16_256"], "l2_load_bytes", 0.889, "the same"),
    (["sparse"], ["l2_256", "nc_256", "skip_256"], "l2_load_bytes", (0.8, 0.333), "the same, by stride"),
    (["sparse_async"], ["async_cg16_256"], "l2_load_bytes", (1, 0.333), "the same"),
    (["sparse"], ["l2_128"], "dram_load_bytes", (1, 0.5), "prefetched: the rest of the line"),
    (["sparse"], ["l2_256", "nc_256", "skip_256"], "dram_load_bytes", (1, 0.259), "and of the next one"),
    (["sparse_async"], ["async_ca16_128", "async_cg16_128"], "dram_load_bytes", (1, 0.5), "the same"),
    (["sparse_async"], ["async_cg16_256"], "dram_load_bytes", (1, 0.259), "the same"),
    (["store"], None, "l2_store_bytes", 0.262, "stores repeated in a loop do not combine, as those of one step do"),
    (["store_halves"], ["st_release", "st_skip"], "l2_store_bytes", 0.507, "these do not combine"),
]
# others with these effects stay in
QUICK_WITHOUT = ["ca", "weak", "cv", "relaxed_sys", "acquire_cta", "nc", "nc_cs", "nc_skip", "unchanged", "l2_first",
                 "fence_sc", "fence_membar", "async_ca4", "async_ca16_128", "st_wb", "st_cs", "st_wt", "st_changing",
                 "st_relaxed", "st_last"]


def expected(row, volume):
    for families, operators, of, ratio, _ in KNOWN:
        if row["family"] in families and of == volume and (operators is None or row["variant"] in operators):
            return ratio[row["params"] == "stride=64"] if isinstance(ratio, tuple) else ratio
    return 1


def check(warpline, root, operators, row):
    """Messages about the volumes of one launch."""
    file = os.path.join(root, "validate", "ptx", "cache_operators.sm_90.ptx")
    words = [warpline, *operators.command(row), file, "--device", "h200", "--format", "json", "--effort", "0.3"]
    result = subprocess.run(words, capture_output=True, text=True, check=False)
    name = f"{row['family']} {row['variant']} {row['params']}"
    if result.returncode != 0:
        return [f"{name}: {result.stderr.strip()}"]
    metrics = json.loads(result.stdout)["predictions"][0]["metrics"]
    wrong = []
    for volume, column, size in VOLUMES:
        measured, predicted = int(row[column]) * size, metrics[volume]["value"]
        if measured < LITTLE:
            continue
        ratio, wanted = predicted / measured, expected(row, volume)
        if abs(ratio / wanted - 1) > NEAR:
            wrong.append(f"{name}: {volume} is {ratio:.3f} of what was measured, not {wanted}")
    return wrong


def main():
    warpline, _, root, _ = sys.argv[1:]
    sys.path.insert(0, os.path.join(root, "validate", "ptx"))
    import cache_operators as operators

    quick = os.environ.get("WARPLINE_TEST_EFFORT") == "quick"
    with open(os.path.join(root, "validate", "probes", "h200_cache_operators.csv"), newline="") as table:
        rows = [row for row in csv.DictReader(table) if not quick or row["variant"] not in QUICK_WITHOUT]
        rows = rows[:: 4 if quick else 1]
    wrong = [message for row in rows for message in check(warpline, root, operators, row)]
    print(*wrong, f"{len(rows)} launches, {len(wrong)} volumes that differ", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
