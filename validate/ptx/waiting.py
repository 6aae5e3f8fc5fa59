"""What the kernels of waiting.cu were called with, derived from its main(). See commands.py. SPDX-License-Identifier: MIT"""

ARRAY = 1 << 31  # bytes of its two arrays
LATER = 1 << 29  # bytes before what is read beside the first one


def buffer(bytes_, offset=0, contents=None):
    return f"buf:{bytes_}" + (f":{offset}" if offset else "") + (f"={contents}" if contents else "")


def from_to(entry, *names):
    """A kernel that reads one array, writes the other, and takes numbers of the row."""
    return lambda l: (entry, [buffer(ARRAY)] * 2 + [l[name] for name in names])


def softmax(l):
    name = "_Z15k_softmax_blockPKfPfi" if l.variant == "block" else "_Z14k_softmax_warpPKfPfi"
    return name, [buffer(ARRAY)] * 2 + [l["columns"]]


def layernorm(l):
    n = l["columns"]
    arrays = [buffer(ARRAY), buffer(ARRAY, LATER), buffer(ARRAY, LATER + 4 * n), buffer(ARRAY)]
    return "_Z11k_layernormPKfS0_S0_Pfi", arrays + [n]


def argmax(l):
    return "_Z8k_argmaxPKfPii", [buffer(ARRAY, 0, l.repeat("pattern1024")), buffer(ARRAY), l["columns"]]


def scan(l):
    return {"step": "_Z11k_scan_stepPKfPf", "tree": "_Z11k_scan_treePKfPf"}[l.variant], [buffer(ARRAY)] * 2


def update(l):
    n = l["n"]
    return "_Z8k_updatePfS_S_PKffi", [buffer(ARRAY, 4 * n * i) for i in range(3)] + [buffer(ARRAY), 0.001, n]


def attention(l):
    each = l["heads"] * l["keys"] * 64 * 4
    arrays = [buffer(ARRAY), buffer(ARRAY, each), buffer(ARRAY, 2 * each), buffer(ARRAY)]
    return "_Z16k_attention_warpPKfS0_S0_Pfi", arrays + [l["keys"]]


def product(l):
    entry = {"t8": "_Z7k_tiledILi8EEvPKfS1_Pfi", "t16": "_Z7k_tiledILi16EEvPKfS1_Pfi",
             "t32": "_Z7k_tiledILi32EEvPKfS1_Pfi", "t64r4": "_Z9k_blockedILi64ELi4EEvPKfS1_Pfi",
             "t64r8": "_Z9k_blockedILi64ELi8EEvPKfS1_Pfi", "t128r8": "_Z9k_blockedILi128ELi8EEvPKfS1_Pfi"}[l.variant]
    n = l["n"]
    return entry, [buffer(ARRAY), buffer(ARRAY, 4 * n * n), buffer(ARRAY), n]


def convolution(l):
    arrays = [buffer(ARRAY), buffer(ARRAY, LATER // 2), buffer(ARRAY)]
    return "_Z13k_convolutionPKfS0_Pfiii", arrays + [l["channels"], l["w"], l["h"]]


def hotspot(l):
    n = l["n"]
    arrays = [buffer(ARRAY), buffer(ARRAY, 4 * n * n), buffer(ARRAY)]
    return f"_Z9k_hotspotILi{l.variant[1:]}EEvPKfS1_Pfiiffff", arrays + [n, l["steps"], 0.5, 0.1, 0.1, 0.01]


def srad(l):
    n = l["n"]
    outputs = [buffer(ARRAY, 4 * n * n * i) for i in range(5)]
    return "_Z6k_sradPKfPfS1_S1_S1_S1_if", [buffer(ARRAY)] + outputs + [n, 0.05]


def backprop(l):
    first = [buffer(ARRAY), buffer(ARRAY, LATER // 2), buffer(ARRAY)]
    if l.variant == "forward":
        return "_Z9k_forwardPKfS0_Pfi", first + [l["hidden"]]
    return "_Z8k_adjustPKfS0_PfS1_i", first + [buffer(ARRAY, 1 << 30), l["hidden"]]


def fdtd(l):
    size = [l["nx"], l["ny"], l["nz"]]
    arrays = [buffer(ARRAY), buffer(ARRAY), buffer(ARRAY, 4 * size[0] * size[1] * size[2])]
    return "_Z6k_fdtdPKfS0_Pfiii", arrays + size


def lists(l, name, rows, entries):
    return [buffer(4 * rows + 4, 0, l.file(f"{name}_first")), buffer(4 * entries, 0, l.file(f"{name}_column"))]


def csr(l):
    how, matrix = l.variant.split("_")
    entry = {"scalar": "_Z12k_csr_scalarPKjS0_PKfS2_Pfj", "warp": "_Z10k_csr_warpPKjS0_PKfS2_Pfj"}[how]
    matrix = lists(l, f"waiting_matrix_{matrix}_{l['rows']}", l["rows"], l["entries"])
    return entry, matrix + [buffer(ARRAY), buffer(ARRAY, LATER), buffer(ARRAY), l["rows"]]


def graph(l):
    return f"waiting_graph_{l.variant}_{l['vertices']}"


def bfs(l):
    n, depth = l["vertices"], l["depth"]
    level = buffer(4 * n, 0, l.file(f"{graph(l)}_level{depth}"))
    return "_Z5k_bfsPKjS0_PKiPiji", lists(l, graph(l), n, l["edges"]) + [level, buffer(ARRAY), n, depth]


def pagerank(l):
    n = l["vertices"]
    return "_Z10k_pagerankPKjS0_PKfPfj", lists(l, graph(l), n, l["edges"]) + [buffer(ARRAY)] * 2 + [n]


def kmeans(l):
    points = buffer(ARRAY, 0, l.repeat("pattern1024"))
    centres = buffer(ARRAY, LATER, l.repeat("pattern1024"))
    return "_Z8k_kmeansPKfS0_Piiii", [points, centres, buffer(ARRAY), l["n"], l["clusters"], l["dims"]]


def flux(l):
    n = l["n"]
    neighbours = buffer(16 * n, 0, l.file(f"mesh_{n}"))
    return "_Z6k_fluxPKiPKfS2_Pfi", [neighbours, buffer(ARRAY), buffer(ARRAY, LATER), buffer(ARRAY), n]


def words(l):
    how, text = l.variant.split("_")
    entry = {"global": "_Z14k_words_globalPKjPji", "shared": "_Z14k_words_sharedPKjPji"}[how]
    return entry, [buffer(4 << 24, 0, l.file(f"words_{text}")), buffer(ARRAY), l["n"]]


def btree(l):
    nodes = buffer((1 + 16 + 256 + 4096) * 128, 0, l.file("tree_nodes"))
    want = buffer(4 << 22, 0, l.file("waiting_wanted"))
    return "_Z7k_btreePK4NodePKiPiii", [nodes, want, buffer(ARRAY), l["n"], 4]


def jump(l):
    n = l["n"]
    links = buffer(4 * n, 0, l.file(f"links_{n}"))
    return "_Z6k_jumpPKjS0_PjS1_ji", [links, buffer(ARRAY), buffer(ARRAY), buffer(ARRAY, 4 * n), n, l["steps"]]


FAMILIES = {
    "softmax": softmax, "layernorm": layernorm, "argmax": argmax, "scan": scan,
    "reduce_shared": from_to("_Z15k_reduce_sharedPKfPfi", "n"),
    "reduce_shuffle": from_to("_Z16k_reduce_shufflePKfPfi", "n"), "update": update, "attention": attention,
    "tiled": product, "blocked": product, "convolution": convolution, "hotspot": hotspot, "srad": srad,
    "backprop": backprop, "fdtd": fdtd, "csr": csr, "bfs": bfs, "pagerank": pagerank, "kmeans": kmeans, "flux": flux,
    "words": words, "btree": btree, "jump": jump}
# Chosen before anything was predicted: no number is fitted to these and no form of a law is chosen by them.
HELD_OUT = {"layernorm", "argmax", "reduce_shared", "attention", "blocked", "srad", "fdtd", "kmeans", "pagerank", "flux",
            "jump"}
