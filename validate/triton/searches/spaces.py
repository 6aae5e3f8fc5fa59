"""The searches: kernels, arguments, grids and configurations. What is here needs no GPU. SPDX-License-Identifier: MIT"""
import dataclasses
import itertools
from typing import Any, Callable, Dict, List, Tuple

import triton
import search_kernels as kernels


@dataclasses.dataclass
class Search:
    name: str
    kernel: Any
    tensors: Dict[str, Tuple[Tuple[int, ...], str]]  # shape and type of each, in the order of the parameters
    numbers: Dict[str, Any]                         # the other parameters
    grid: Callable[[Dict[str, Any]], Tuple[int, ...]]
    configs: List[Any]


def configs(names, values, warps, stages=(3,), where=lambda *_: True):
    """All that combine the values, or those of them for which `where` (of values, warps and stages) holds."""
    return [triton.Config(dict(zip(names, chosen)), num_warps=w, num_stages=s)
            for *chosen, w, s in itertools.product(*values, warps, stages) if where(*chosen, w, s)]


def product(name, kernel, m, n, k, kind, turned, depths):
    def fits(rows, columns, _depth, _group, warps, _stages):  # 16 rows for each warp, 128 sums for each thread
        return rows * columns <= 128 * 32 * warps and rows >= 16 * warps
    return Search(name, kernel, {"a": ((m, k), kind), "b": ((n, k) if turned else (k, n), kind), "c": ((m, n), "bf16")},
                  {"M": m, "N": n, "K": k}, lambda p: (m // p["ROWS"] * (n // p["COLUMNS"]),),
                  configs(("ROWS", "COLUMNS", "DEPTH", "GROUP"), ((64, 128), (64, 128, 256), depths, (8,)), (4, 8), (3, 4), fits))


def split(m, n, k):
    return Search("split product", kernels.split_product,
                  {"a": ((m, k), "bf16"), "b": ((k, n), "bf16"), "c": ((m, n), "f32")}, {"M": m, "N": n, "K": k},
                  lambda p: (m // p["ROWS"] * (n // p["COLUMNS"]), p["PARTS"]),
                  configs(("ROWS", "COLUMNS", "DEPTH", "PARTS"), ((64, 128), (64, 128), (64,), (1, 2, 4, 8, 16, 32)), (4,), (4,)) +
                  configs(("ROWS", "COLUMNS", "DEPTH", "PARTS"), ((128,), (128,), (64,), (1, 4, 16)), (8,), (4,)))


def causal(heads, length, width):
    size = ((heads, length, width), "bf16")
    return Search("attention", kernels.attention, {"q": size, "k": size, "v": size, "out": size},
                  {"scale": width ** -0.5, "LENGTH": length, "WIDTH": width}, lambda p: (length // p["ROWS"], heads),
                  configs(("ROWS", "COLUMNS"), ((64, 128), (32, 64, 128)), (4, 8), (2, 3, 4),
                          lambda rows, _columns, warps, _stages: rows >= 16 * warps))


def norm(height, width):
    return Search("layer norm", kernels.layer_norm,
                  {"x": ((height, width), "bf16"), "y": ((height, width), "bf16"), "weight": ((width,), "bf16"),
                   "bias": ((width,), "bf16")}, {"height": height, "width": width, "eps": 1e-5},
                  lambda p: (height // p["ROWS"],),
                  configs(("ROWS", "COLUMNS"), ((1, 2, 4), (256, 1024, 2048, 4096)), (1, 4, 8),
                          where=lambda rows, columns, warps, _: rows * columns <= 4096 * warps))


def searches():
    return [product("product bf16", kernels.matmul, 4096, 4096, 4096, "bf16", False, (32, 64)),
            product("product fp8", kernels.matmul_turned, 4096, 4096, 8192, "e4m3", True, (64, 128)),
            split(512, 512, 16384),
            causal(64, 4096, 128),
            norm(16384, 4096)]
