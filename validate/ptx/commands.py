#!/usr/bin/env python3
"""commands.py TABLE [--family NAME ..] [--row N ..] [--data DIRECTORY]

Prints, for every launch of a measured table (h200_fit, h200_fit2, h200_data, h200_uneven, h200_waiting,
h200_blocked_more, h200_staggered, h200_steps, h200_walks, h200_passes, h200_roofline, h200_texture), the command that
predicts it from PTX.
What a program was called with is derived from its main(): an array's elements start `origin` elements behind a 256-byte
aligned base. Inputs are read from DIRECTORY (make_data writes them; default: build/data).
SPDX-License-Identifier: MIT
"""
import argparse
import csv
import os
import shlex
import sys

import blocked_more
import passes
import roofline
import staggered
import steps
import waiting
import walks

HERE = os.path.dirname(os.path.abspath(__file__))
SINGLES, DOUBLES = 600 << 20, 700 << 20  # elements of the arrays of fit2.cu (f32) and fit.cu (f64)


def buffer(bytes_, offset=0, contents=None):
    return f"buf:{bytes_}" + (f":{offset}" if offset else "") + (f"={contents}" if contents else "")


class Launch:
    """One row: its params as numbers, and words of the command that several families share."""

    def __init__(self, row, data):
        self.row, self.data = row, data
        self.variant = row["variant"]
        self.params = {k: int(v) for k, v in (p.split("=") for p in row["params"].split(";") if p)}

    def __getitem__(self, name):
        return self.params[name]

    def file(self, name):
        return os.path.join(self.data, name + ".bin")

    def repeat(self, name):
        return "repeat:" + (os.path.join(HERE, name + ".bin") if name == "pattern1024" else self.file(name))

    def bytes(self):
        """Of an element, from a variant like fy1_fz1_b64."""
        return int([w for w in self.variant.split("_") if w.startswith("b")][0][1:]) // 8

    def fold(self):
        words = dict((w[:2], w[2:]) for w in self.variant.split("_"))
        return words["fy"], words["fz"]


def star3d(l):
    fy, fz = l.fold()
    at = buffer(DOUBLES * 8, l["origin"] * 8)
    return f"_Z8k_star3dIdLi4ELi{fy}ELi{fz}EEvPKT_PS0_iiill", [at, at, l["nx"], l["ny"], l["nz"], l["sy"], l["sz"]]


def lbm(l):
    at, phi = buffer(DOUBLES * 8, l["origin"] * 8), buffer((l["sf"] + 16) * 8, l["origin"] * 8)
    return "_Z14k_lbm_d3q15_pfPKdPdS0_iiilll", [at, at, phi, l["nx"], l["ny"], l["nz"], l["sy"], l["sz"], l["sf"]]


def box2d(l):
    return "_Z11k_box2d_colILi9EEvPfPKfiii", [buffer(DOUBLES * 8)] * 2 + [l["w"], l["h"], l["col"]]


def matmul(l):
    b = buffer(17307136 * 8)
    return "_Z12k_matmul_colPfPKfS1_iiii", [buffer(DOUBLES * 8)] * 2 + [b, l["depth"], l["w"], l["h"], l["col"]]


def transpose(l):
    entry = {"naive": "_Z17k_transpose_naivePfPKfi", "coalesced": "_Z17k_transpose_tiledILi0EEvPfPKfi",
             "nobankconflict": "_Z17k_transpose_tiledILi1EEvPfPKfi"}
    return entry[l.variant], [buffer(DOUBLES * 8)] * 2 + [l["w"]]


def pattern(l):
    b = l["bytes"]
    shape = [l["wide"], l["pitch"], l["stride"], l["loads"]]
    return f"_Z9k_patternILi{b}EEvPfPKcilii", [buffer(DOUBLES * 8)] * 2 + shape


def star7(l):
    fy, fz = l.fold()
    t, at = {4: "f", 8: "d"}[l.bytes()], buffer(SINGLES * 4, l["origin"] * l.bytes())
    return f"_Z7k_star7I{t}Li{fy}ELi{fz}EEvPKT_PS0_iiill", [at, at, l["nx"], l["ny"], l["nz"], l["sy"], l["sz"]]


def box9(l):
    t, at = {4: "f", 8: "d"}[l.bytes()], buffer(SINGLES * 4, l["origin"] * l.bytes())
    return f"_Z6k_box9I{t}EvPKT_PS0_iil", [at, at, l["nx"], l["ny"], l["sy"]]


def copy(l):
    t = {4: "f", 8: "d"}[l.bytes()]
    return f"_Z6k_copyI{t}EvPKT_PS0_lii", [buffer(SINGLES * 4)] * 2 + [l["n"], l["read_offset"], l["write_offset"]]


def aos(l):
    return f"_Z5k_aosILi{l['width']}EEvPKfPfl", [buffer(SINGLES * 4)] * 2 + [l["n"]]


def aos2soa(l):
    return f"_Z9k_aos2soaILi{l['width']}EEvPKfPfl", [buffer(SINGLES * 4)] * 2 + [l["n"]]


def pieces(l):
    return "_Z8k_piecesPKfPfjjj", [buffer(SINGLES * 4)] * 2 + [l["n"], l["piece"], l["window"]]


def reduce(l):
    return "_Z8k_reducePKfPfl", [buffer(SINGLES * 4)] * 2 + [l["n"]]


def arith(l):
    t = {4: "f", 8: "d"}[l.bytes()]
    return f"_Z7k_arithI{t}Li{l['fma']}EEvPKT_PS0_l", [buffer(SINGLES * 4)] * 2 + [l["n"]]


def binned(l):
    if l.variant in ("shared", "global"):  # of fit2.cu
        return buffer(SINGLES * 4, 0, l.repeat("pattern1024")), buffer(SINGLES * 4)
    return buffer(l["n"] * 4, 0, l.file("binned_" + l.variant)), buffer(1 << 29)


def histogram(l):
    return "_Z11k_histogramPKjPjlj", [*binned(l), l["n"], l["bins"]], l["bins"] * 4


def scatter_add(l):
    return "_Z13k_scatter_addPKjPjlj", [*binned(l), l["n"], l["bins"]]


def append(l):
    return "_Z8k_appendPKjPjS1_jj", [*binned(l), buffer(4, 0, "zero"), l["n"], l["below"]]


def gather(l):
    index = buffer(l["n"] * 4, 0, l.file("index_" + l.variant))
    return "_Z8k_gatherPKfPKjPfj", [buffer(1 << 29), index, buffer(1 << 29), l["n"]]


def spmv(l):
    how, matrix = l.variant.rsplit("_", 1)
    first = buffer(l["rows"] * 4 + 4, 0, l.file(f"matrix_{matrix}_first"))
    column = buffer(l["entries"] * 4, 0, l.file(f"matrix_{matrix}_column"))
    entry = {"scalar": "_Z13k_spmv_scalarPKjS0_PKfS2_Pfj", "vector": "_Z13k_spmv_vectorPKjS0_PKfS2_Pfj",
             "plain": "_Z12k_spmv_plainPKjS0_PKfS2_Pfj"}[how]
    return entry, [first, column, buffer(1 << 29), buffer(1 << 29, 1 << 28), buffer(1 << 29), l["rows"]]


def bfs(l):
    n, depth = l["vertices"], l["depth"]
    graph = [buffer(n * 4 + 4, 0, l.file("graph_first")), buffer(l["edges"] * 4, 0, l.file("graph_column"))]
    level = buffer(n * 4, 0, l.file(f"graph_level{depth}"))
    if l.variant == "bits":
        bits = [buffer(n // 8, 0, l.file(f"graph_{name}{depth}")) for name in ("frontier", "visited")]
        return "_Z10k_bfs_bitsPKjS0_S0_S0_Pjj", graph + bits + [buffer(1 << 29), n]
    entry = {"level": "_Z11k_bfs_levelPKjS0_PKiPiji", "in_place": "_Z14k_bfs_in_placePKjS0_PiS1_ji"}[l.variant]
    return entry, graph + [level, buffer(1 << 29), n, depth]


def collatz(l):
    return "_Z9k_collatzPKjPjj", [buffer(l["n"] * 4, 0, l.file("collatz")), buffer(1 << 29), l["n"]]


def switch(l):
    return "_Z8k_switchPKjPfj", [buffer(l["n"] * 4, 0, l.file("switch")), buffer(1 << 29), l["n"]]


def local(l):
    return "_Z7k_localPKjPjj", [buffer(l["n"] * 4, 0, l.file("switch")), buffer(1 << 29), l["n"]]


def matmul_tiled(l):
    n = l["n"]
    return "_Z14k_matmul_tiledPKfS0_Pfi", [buffer(1 << 29), buffer(1 << 29, n * n * 4), buffer(1 << 29), n]


def scan(l):
    entry = {"shared": "_Z13k_scan_sharedPKfPfj", "shuffle": "_Z14k_scan_shufflePKfPfj"}[l.variant]
    return entry, [buffer(1 << 29)] * 2 + [l["n"]], int(l.row["bx"]) * 8 if l.variant == "shared" else 0


def reduce_shuffle(l):
    return "_Z16k_reduce_shufflePK6float4Pfj", [buffer(1 << 29)] * 2 + [l["n"] // 4]


def banks(l):
    t = {"b32": "f", "b64": "d", "b128": "6float4"}[l.variant]
    return f"_Z7k_banksI{t}EvPfii", [buffer(1 << 29), l["stride"], l["rounds"]]


def copy_async(l):
    return "_Z12k_copy_asyncPK6float4PS_j", [buffer(1 << 29)] * 2 + [l["tiles"]]


def tensor(name):
    def launch(l):
        n = l["n"]
        arrays = [buffer(1 << 29), buffer(1 << 29, n * n * 2), buffer(1 << 29)]
        return f"_Z{len(name) + 2}k_{name}PK6__halfS1_Pfi", arrays + [n]
    return launch


def math(l):
    name, t = l.variant.rsplit("_", 1)
    letter, size = {"float": ("f", 4), "double": ("d", 8), "int": ("i", 4), "unsigned": ("j", 4), "long": ("l", 8)}[t]
    if t in ("float", "double"):
        a, at = 1 << 29 if t == "float" else 1 << 25, l.repeat("pattern1024" if t == "float" else "pattern1024_f64")
    else:
        a, at = 1 << 24, l.file("binned_random")
    kernel = f"k_math_{name}_{t}"
    n = l["n"]
    arrays = [buffer(a, 0, at), buffer(a, n * size, at), buffer(1 << 29)]
    return f"_Z{len(kernel)}{kernel}PK{letter}S0_P{letter}j", arrays + [n]


ARRAY = 1 << 29  # bytes of the arrays of data.cu and uneven.cu


def counts(l):
    return "_Z8k_countsPKiPKfPfi", [buffer(4096 * 4, 0, l.file("uneven_count")), buffer(ARRAY), buffer(ARRAY), l["n"]]


def idle(l):
    return "_Z6k_idlePKfPfi", [buffer(ARRAY)] * 2 + [l["n"]]


def frontier(l):
    n, depth = l["vertices"], l["depth"]
    graph = [buffer(n * 4 + 4, 0, l.file("graph_first")), buffer(l["edges"] * 4, 0, l.file("graph_column"))]
    return "_Z10k_frontierPKjS0_PKiPiji", graph + [buffer(n * 4, 0, l.file(f"graph_level{depth}")), buffer(ARRAY), n, depth]


def triangle(l):
    return "_Z10k_trianglePKfPfi", [buffer(ARRAY)] * 2 + [l["n"]]


def rows(l):
    first = buffer(l["rows"] * 4 + 4, 0, l.file("matrix_tail_first"))
    column = buffer(l["entries"] * 4, 0, l.file("matrix_tail_column"))
    entry = f"_Z13k_rows_{l.variant}PKjS0_PKfS2_Pfj"
    return entry, [first, column, buffer(ARRAY), buffer(ARRAY, ARRAY // 2), buffer(ARRAY), l["rows"]]


def product(name):
    def launch(l):
        n = l["n"]
        return f"_Z{len(name) + 2}k_{name}PKfS0_Pfi", [buffer(ARRAY), buffer(ARRAY, n * n * 4), buffer(ARRAY), n]
    return launch


def attention(l):
    each = l["heads"] * l["keys"] * l["d"] * 4
    arrays = [buffer(ARRAY), buffer(ARRAY, each), buffer(ARRAY, 2 * each), buffer(ARRAY)]
    if l.variant == "block":
        return "_Z11k_attentionPKfS0_S0_Pfii", arrays + [l["keys"], l["d"]], (l["d"] + 2) * 4
    return "_Z15k_attention_rowPKfS0_S0_Pfi", arrays + [l["keys"]]


def argmax(l):
    return "_Z8k_argmaxPKfPii", [buffer(ARRAY, 0, l.repeat("pattern1024")), buffer(ARRAY), l["columns"]]


def softmax(l):
    return "_Z9k_softmaxPKfPfi", [buffer(ARRAY)] * 2 + [l["columns"]]


def particle(l):
    n = l["n"]
    draw = buffer(10000 * 4, 0, l.file("particle_draw"))
    return "_Z10k_particlePKfS0_S0_Pfi", [buffer(n * 4, 0, l.file(f"distribution_{n}")), draw, *[buffer(ARRAY)] * 2, n]


def forces(l):
    c, n = l["cells"], l["particles"]
    first = buffer((c ** 3 + 1) * 4, 0, l.file("cells_first"))
    return "_Z8k_forcesPKiPK6float4PS1_if", [first, buffer(n * 16, 0, l.file("cells_particles")), buffer(ARRAY), c, 0.5]


def tree(l):
    nodes, want = buffer(l["nodes"] * 128, 0, l.file("tree_nodes")), buffer(l["n"] * 4, 0, l.file("tree_wanted"))
    return "_Z6k_treePK4NodePKiPiii", [nodes, want, buffer(ARRAY), l["n"], l["height"]]


def search(l):
    lists = [buffer(l["n"] * 4, 0, l.file("search_sorted")), buffer(l["m"] * 4, 0, l.file("search_wanted"))]
    return "_Z8k_searchPKiS0_Piii", lists + [buffer(ARRAY), l["n"], l["m"]]


def needle(l):
    return "_Z8k_needlePKiPiiii", [buffer(ARRAY)] * 2 + [l["cols"], 10, l["diagonal"]]


def path(l):
    arrays = [buffer(ARRAY), buffer(ARRAY, 1 << 27), buffer(ARRAY)]
    return "_Z6k_pathPKiS0_Piiiii", arrays + [l["cols"], l["rows"], 0, 1]


def wavelet(l):
    return "_Z9k_waveletPKiPiii", [buffer(ARRAY)] * 2 + [l["w"], l["h"]]


PLANE = 1 << 27  # bytes of the arrays of texture.cu


def texture(kind, l, *options):
    extents = "x".join(str(l[name]) for name in ("w", "h", "d") if name in l.params)
    return ":".join((kind, extents, *options))


def tex1d(l):
    n = l["n"]
    if l.variant == "pair":
        return "_Z7k_tex1dyPfi", [f"tex:{n}:f32", buffer(PLANE), n]
    return "_Z14k_tex1d_strideyPfi", [f"tex:{l['length']}:f32", buffer(PLANE), n]


def tex2d_copy(l):
    how, what = l.variant.split("_")
    dx, dy = {"right": (0.75, 0.5), "corner": (1, 1)}.get(what, (0.5, 0.5))
    texel = what if how == "point" else "f32"
    letter = {"f32": "f", "u8": "h", "u8x4": "6uchar4", "f32x2": "6float2", "f32x4": "6float4"}[texel]
    options = [texel] + ([] if how == "point" else [how])
    return f"_Z12k_tex2d_copyI{letter}EvyPfiiff", [texture("tex", l, *options), buffer(PLANE), l["w"], l["h"], dx, dy]


def tex2d_normal(l):
    place = [1 / 2048, 1 / 2048, 0.5 / 2048 + 0.25, 0.5 / 2048 + 0.25]
    at = texture("tex", l, "f32", "normalized", "wrap")
    return "_Z14k_tex2d_normalyPfiiffff", [at, buffer(PLANE), l["w"], l["h"], *place]


def tex2d(l):
    at = texture("tex", l, "f32", *["linear"] * (l.variant == "linear3x3"))
    return "_Z7k_tex2dyPfii", [at, buffer(PLANE), l["w"], l["h"]]


def tex3d(l):
    return "_Z7k_tex3dyPfiii", [texture("tex", l, "f32"), buffer(PLANE), l["w"], l["h"], l["d"]]


def surface(l):
    letter = {"f32": "f", "f32x4": "6float4"}[l.variant]
    return f"_Z9k_surfaceI{letter}Evyyii", [texture("surf", l, l.variant)] * 2 + [l["w"], l["h"]]


def surface_from(l):
    return "_Z14k_surface_fromPKfyii", [buffer(PLANE), texture("surf", l, "f32"), l["w"], l["h"]]


PROGRAMS = {
    "h200_fit": ("fit", {
        "star3d": star3d, "layer": star3d, "lbm_d3q15_pf": lbm, "box2d_col": box2d, "matmul_col": matmul,
        "transpose": transpose, "pattern": pattern}),
    "h200_fit2": ("fit2", {
        "star7": star7, "box9": box9, "copy": copy, "aos": aos, "aos2soa": aos2soa, "pieces": pieces, "reduce": reduce,
        "histogram": histogram, "scatter_add": scatter_add, "arith": arith}),
    "h200_data": ("data", {
        "gather": gather, "spmv": spmv, "bfs": bfs, "histogram": histogram, "scatter_add": scatter_add,
        "append": append, "collatz": collatz, "switch": switch, "local": local, "matmul_tiled": matmul_tiled,
        "scan": scan, "reduce_shuffle": reduce_shuffle, "banks": banks, "copy_async": copy_async,
        "wmma": tensor("wmma"), "mma": tensor("mma"), "math": math}),
    "h200_uneven": ("uneven", {
        "counts": counts, "idle": idle, "frontier": frontier, "triangle": triangle, "rows": rows,
        "gemm64": product("gemm64"), "wmma": tensor("wmma"), "product": product("product"), "attention": attention,
        "argmax": argmax, "softmax": softmax, "particle": particle, "forces": forces, "tree": tree, "search": search,
        "needle": needle, "path": path, "wavelet": wavelet}),
    "h200_waiting": ("waiting", waiting.FAMILIES),
    "h200_blocked_more": ("blocked_more", blocked_more.FAMILIES),
    "h200_staggered": ("staggered", staggered.FAMILIES),
    "h200_steps": ("steps", steps.FAMILIES),
    "h200_walks": ("walks", walks.FAMILIES),
    "h200_passes": ("passes", passes.FAMILIES),
    "h200_roofline": ("roofline", roofline.FAMILIES),
    "h200_texture": ("texture", {
        "tex1d": tex1d, "tex2d_copy": tex2d_copy, "tex2d_normal": tex2d_normal, "tex2d": tex2d, "tex3d": tex3d,
        "surface": surface, "surface_from": surface_from}),
}


def command(launch, program, make):
    entry, arguments, *dynamic = make(launch)
    row = launch.row
    words = ["warpline", "predict", os.path.join(HERE, f"{program}.sm_90.ptx"), "--kernel", entry,
             "--grid", "x".join(row["g" + d] for d in "xyz"), "--block", "x".join(row["b" + d] for d in "xyz"),
             "--registers", row["regs"]]
    if dynamic and dynamic[0]:
        words += ["--dynamic-shared", str(dynamic[0])]
    for a in arguments:
        words += ["--arg", str(a)]
    return " ".join(shlex.quote(w) for w in words)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=PROGRAMS)
    parser.add_argument("--family", action="append")
    parser.add_argument("--row", action="append", type=int)
    parser.add_argument("--data", default="build/data")
    options = parser.parse_args()
    program, families = PROGRAMS[options.table]
    with open(os.path.join(HERE, "..", "data", options.table + ".csv"), newline="") as table:
        for row in csv.DictReader(table):
            wanted = not options.family or row["family"] in options.family
            if wanted and (not options.row or int(row["row"]) in options.row):
                print(command(Launch(row, options.data), program, families[row["family"]]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
