"""What the kernels of roofline.cu were called with, derived from its main(). See commands.py. SPDX-License-Identifier: MIT"""

ARRAY = 1 << 31   # bytes of its two arrays
HALVES = 1 << 30  # bytes before the half-precision numbers of the first
NUMBERS = 1 << 24  # that are binned


def buffer(bytes_, offset=0, contents=None):
    return f"buf:{bytes_}" + (f":{offset}" if offset else "") + (f"={contents}" if contents else "")


def transpose(l):
    how, t = l.variant.split("_")
    letter = {"f32": "f", "f64": "d"}[t]
    entry = {"naive": f"_Z17k_transpose_naiveI{letter}EvPKT_PS0_i",
             "tiled": f"_Z17k_transpose_tiledI{letter}Li0EEvPKT_PS0_i",
             "padded": f"_Z17k_transpose_tiledI{letter}Li1EEvPKT_PS0_i"}[how]
    return entry, [buffer(ARRAY)] * 2 + [l["n"]]


def smoother(l):
    at = buffer(ARRAY, 8 * l["origin"])
    coefficients = buffer(ARRAY, 8 * (l["origin"] + l["field"]))
    mask = [buffer(8 * (2 * l["sz"] + l["origin"]), 8 * l["origin"])] if l.variant == "mask" else []
    entry = {"branch": "_Z15k_smooth_branchPKdPdS0_liilli", "mask": "_Z13k_smooth_maskPKdPdS0_lS0_iilli",
             "stride": "_Z15k_smooth_stridePKdPdS0_liilli"}[l.variant]
    return entry, [at, at, coefficients, l["field"], *mask, l["nx"], l["ny"], l["sy"], l["sz"], 0]


def align(l):
    letters = [buffer(1 << 23, 0, l.file("letters")), buffer(1 << 23, 1 << 21, l.file("letters"))]
    best = buffer(ARRAY, ARRAY - 4 * (1 << 12))
    entry = {"rows": "_Z7k_alignILb0EEvPKhS1_PiS2_ii", "diagonals": "_Z7k_alignILb1EEvPKhS1_PiS2_ii"}[l.variant]
    return entry, letters + [buffer(ARRAY), best, l["m"], l["n"]]


def product(l):
    n = l["n"]
    if l.variant == "single":
        return "_Z9k_productIfEvPKT_S2_Pfi", [buffer(ARRAY), buffer(ARRAY, 4 * n * n), buffer(ARRAY), n]
    entry = {"half": "_Z9k_productI6__halfEvPKT_S3_Pfi", "tensor": "_Z16k_product_tensorPK6__halfS1_Pfi"}[l.variant]
    return entry, [buffer(ARRAY, HALVES), buffer(ARRAY, HALVES + 2 * n * n), buffer(ARRAY), n]


def copy(l):
    return "_Z6k_copyPKfPfi", [buffer(ARRAY)] * 2 + [l["n"]]


def triad(l):
    return "_Z7k_triadPKdS0_Pddi", [buffer(ARRAY), buffer(ARRAY, 8 * l["n"]), buffer(ARRAY), 3.0, l["n"]]


def star7(l):
    at = buffer(ARRAY, 8 * l["origin"])
    return "_Z7k_star7PKdPdiiilldd", [at, at, l["nx"], l["ny"], l["nz"], l["sy"], l["sz"], 0.4, 0.1]


def blur(l):
    return "_Z6k_blurPKfPfii", [buffer(ARRAY)] * 2 + [l["w"], l["h"]]


def total(l):
    return "_Z5k_sumPKfPfi", [buffer(ARRAY)] * 2 + [l["n"]]


def bins(l):
    return "_Z6k_binsPKjPji", [buffer(4 * NUMBERS, 0, l.file("roofline_binned")), buffer(ARRAY), l["n"]]


FAMILIES = {
    "transpose": transpose, "smoother": smoother, "align": align, "product": product, "copy": copy, "triad": triad,
    "star7": star7, "blur": blur, "sum": total, "bins": bins}
