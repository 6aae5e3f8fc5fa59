#!/usr/bin/env python3
"""attention_kernels.py WARPLINE UNUSED SOURCE_ROOT DIRECTORY

Predicts launches of validate/cuda/attention.cu and of validate/triton from PTX: attention, products, softmax, layer
normalisation. Bytes, L2 loads, clock and time must be as near to the measured ones as they are known to be.
SPDX-License-Identifier: MIT
"""
import os
import sys

import tensor_kernels

# Start of the variant, part of the params: value, the least and most predicted / measured that is known, and why it is off
ATTENTION = [
    ("backward_keys", "", "l2", (1.0, 1.8), "blocks of a head walk in step, and requests of neighbours join"),
    ("backward_queries", "", "l2", (0.6, 1.5), "the same"),
    ("forward_plain", "", "l2", (0.5, 1.4), "what blocks that walk in step find in the L1"),
    ("delta", "", "time", (1.0, 1.4), "little more than what a launch takes"),
]
TRITON = [
    ("128x", "", "time", (0.7, 2.1), "cp.async.cg takes fewer wavefronts than a load and a store"),
    ("64x", "", "time", (0.7, 2.1), "the same"),
    ("128x", "", "clock", (0.9, 1.2), "so tensor cores are busier"),
    ("64x", "", "clock", (0.9, 1.2), "the same"),
    ("128x", "", "l2", (0.8, 1.9), "requests of neighbours join more often than assumed"),
    ("64x", "", "l2", (0.8, 1.9), "the same"),
    ("forward_8192", "", "arrived", (3.5, 4.5), "a row is read three times, twice from the L1"),
    ("backward_8192", "", "time", (0.5, 1.3), "blocks wait for locks of others"),
    ("backward_64", "", "time", (0.9, 1.35), "DRAM loads of blocks that share keys are too many"),
    ("backward_64", "", "l2", (0.5, 1.1), "requests of neighbours join less often than assumed"),
    ("forward_64_full", "", "l2", (0.55, 1.1), "the same"),
]
USUAL = {"arrived": 0.1, "l2": 0.3, "clock": 0.08, "time": 0.25}


def check_all(warpline, table, command, file_of, known):
    """Messages, and the number of launches that were predicted."""
    messages, found = [], 0
    for row in tensor_kernels.read_rows(table):
        if float(row["ncu_ns"]) < 20000 or not os.path.exists(file_of(row)):  # launching takes long in others
            continue
        prediction = tensor_kernels.predict(warpline, command(row), file_of(row))
        if prediction is None:
            continue
        found += 1
        messages += tensor_kernels.check(row, prediction, USUAL, known)
    return messages, found


def main():
    warpline, root = sys.argv[1], sys.argv[3]
    for part in ("ptx", "triton"):
        sys.path.insert(0, os.path.join(root, "validate", part))
    import attention  # pylint: disable=import-outside-toplevel,import-error
    import tutorials  # pylint: disable=import-outside-toplevel,import-error
    probes = os.path.join(root, "validate", "probes")
    own, count = check_all(warpline, os.path.join(probes, "h200_attention.csv"), attention.command,
                           lambda row: os.path.join(root, "validate", "ptx", "attention.sm_90a.ptx"), ATTENTION)
    others, more = check_all(warpline, os.path.join(probes, "h200_triton.csv"), tutorials.command,
                             lambda row: os.path.join(root, "validate", "triton", "ptx", row["file"]), TRITON)
    print("\n".join(own + others))
    print(f"{count} launches of attention.cu, {more} of Triton, {len(own + others)} messages")
    sys.exit(1 if own or others or count < 8 or more < 12 else 0)


main()
