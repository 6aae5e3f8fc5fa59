"""The CUDA of a generated kernel, with launch bounds and folding. SPDX-License-Identifier: MIT"""
from __future__ import annotations

import math
import re
from typing import Dict, Mapping, Optional, Sequence, Tuple

from . import errors
from .pystencils_reader import Generated
from .stencil_program import AS_VALUE, AXES, place

__all__ = ["cuda_of"]

_SIGNATURE = r"(?:FUNC_PREFIX|__global__)?\s*(?:__launch_bounds__\s*\([^)]*\))?\s*void\s+{name}\s*\(([^)]*)\)"


def _head(code: str) -> str:
    lines = ["#include <cstdint>", "#define RESTRICT __restrict__"]
    headers = (("half", "cuda_fp16.h"),)
    lines += [f"#include <{header}>" for word, header in headers if re.search(rf"\b{word}\b", code)]
    return "\n".join(lines) + "\n\n"


def _bounds(block: Optional[Sequence[int]]) -> str:
    return f"__launch_bounds__({math.prod(block)}) " if block else ""


def cuda_of(made: Generated, block: Optional[Sequence[int]], fold: Sequence[int]) -> str:
    code: str = made.source.code()
    name = made.source.name
    found = re.search(_SIGNATURE.format(name=re.escape(name)), code)
    if not found:
        raise errors.UnsupportedError(f"there is no kernel '{name}' in what pystencils prints", status="not supported",
                                      input=name)
    parameters = found.group(1)
    before, body = code[:found.start()], code[found.end():]
    if math.prod(fold) == 1:
        return f'{_head(code)}{before}extern "C" __global__ {_bounds(block)}void {name}({parameters}){body}'
    return _head(code) + before + _folded(made, parameters, body, block, fold)


def _steps(made: Generated) -> Optional[Dict[str, Tuple[int, ...]]]:
    """By field, how far the elements of neighbouring cells are apart along each axis; None: not always as far."""
    accesses = [*made.program.needed_loads(), *(a for a, _ in made.program.stores)]
    if any(a.when for a in accesses) or any(name.startswith(AS_VALUE) for name in made.program.scalars()):
        return None  # what a cell does depends on its coordinates
    out: Dict[str, Tuple[int, ...]] = {}
    for access in accesses:
        found = place(access.index, len(made.domain))
        if found is None or out.setdefault(access.field, found.steps) != found.steps:
            return None
    return out


def _folded(made: Generated, parameters: str, body: str, block: Optional[Sequence[int]], fold: Sequence[int]) -> str:
    """The body becomes a function of one cell: it sees a block of one thread, whose index is the cell.

    Shapes and strides are numbers. If the cells of a thread differ in their addresses alone, each is the first cell of
    arrays that begin elsewhere: its addresses are pointers and numbers, so that the compiler sees which loads are those
    of another cell, and no cell has a check of its own.
    """
    name, dims = made.source.name, len(made.domain)
    if any(f > 1 for f in fold[dims:]):
        raise errors.InputError(f"the kernel has {dims} dimensions", status="bad input", input="fold")
    steps = _steps(made)
    offsets = [(x, y, z) for z in range(fold[2]) for y in range(fold[1]) for x in range(fold[0])]

    def call(offset: Sequence[int], shift: Optional[Mapping[str, Sequence[int]]]) -> str:
        given = [str(made.numbers[p.name]) if p.kind in ("shape", "stride") else
                 f"first_{p.name}" + _plus(sum(s * k for s, k in zip(shift[p.field], offset)))
                 if p.kind == "pointer" and shift and p.field in shift else p.name for p in made.parameters]
        cell = "zero" if shift else f"warpline_index{{{', '.join(a + _plus(k) for a, k in zip(AXES, offset))}}}"
        return f"        {name}_cell({', '.join(given)}, {cell}, one, zero);"

    guard = " && ".join(f"{AXES[d]}{_plus(fold[d] - 1)} < {made.domain[d]}" for d in range(dims))
    first = [f"        auto *const RESTRICT first_{p.name} = {p.name} + "
             + " + ".join(f"{s} * {a}" for s, a in zip(steps[p.field], AXES)) + ";"
             for p in made.parameters if steps and p.kind == "pointer" and p.field in steps]
    lines = ["struct warpline_index { int64_t x, y, z; };", "",
             f"static __device__ __forceinline__ void {name}_cell({parameters}, const warpline_index blockIdx, "
             f"const warpline_index blockDim, const warpline_index threadIdx){body.rstrip()}", "",
             f'extern "C" __global__ {_bounds(block)}void {name}({parameters})', "{",
             "    constexpr warpline_index one = {1, 1, 1}, zero = {0, 0, 0};",
             *(f"    const int64_t {a} = int64_t(blockIdx.{a} * blockDim.{a} + threadIdx.{a}) * {fold[d]};"
               for d, a in enumerate(AXES)),
             f"    if ({guard}) {{", *first, *(call(offset, steps) for offset in offsets), "    }"]
    if any(made.domain[d] % fold[d] for d in range(dims)):  # at the end of a row, each cell is checked
        lines += ["    else {", *(call(offset, None) for offset in offsets), "    }"]
    return "\n".join([*lines, "}", ""])


def _plus(offset: int) -> str:
    return f" + {offset}" if offset else ""
