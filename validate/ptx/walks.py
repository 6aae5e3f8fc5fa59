"""What the kernels of walks.cu were called with, derived from its main(). See commands.py. SPDX-License-Identifier: MIT"""

ARRAY = 1 << 29  # bytes of its two arrays


def buffer(elements=0):
    """So many 4-byte elements behind the start of an array."""
    return f"buf:{ARRAY}" + (f":{4 * elements}" if elements else "")


def pairs(l):
    entry = {"direct": "_Z7k_pairsPK6float4PS_i", "tiles": "_Z13k_pairs_tilesPK6float4PS_i"}[l.variant]
    return entry, [buffer(), buffer(), l["n"]], int(l.row["smem"])


def scores(l):
    arrays = [buffer(), buffer(1 << 24), buffer(), buffer(1 << 24)]
    return f"_Z8k_scoresILi{l.variant[1:]}EEvPKfS1_PfPiii", arrays + [l["n"], l["queries"]]


def nearest(l):
    return f"_Z9k_nearestILi{l.variant[1:]}EEvPKfS1_Piii", [buffer(), buffer(1 << 26), buffer(), l["n"], l["points"]]


def sweep(l):
    return "_Z7k_sweepPKfS0_Pfi", [buffer(), buffer(1 << 20), buffer(), l["n"]]


FAMILIES = {"pairs": pairs, "scores": scores, "nearest": nearest, "sweep": sweep}
