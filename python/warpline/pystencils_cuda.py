"""The CUDA of a generated kernel, with launch bounds and folding. SPDX-License-Identifier: MIT"""
from __future__ import annotations

import math
import re
from typing import List, Optional, Sequence

from . import errors
from .pystencils_reader import Generated
from .stencil_program import AXES

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


def _folded(made: Generated, parameters: str, body: str, block: Optional[Sequence[int]], fold: Sequence[int]) -> str:
    """The body becomes a function of one cell: it sees a block of one thread, whose index is the cell."""
    name, dims = made.source.name, len(made.domain)
    if any(f > 1 for f in fold[dims:]):
        raise errors.InputError(f"the kernel has {dims} dimensions", status="bad input", input="fold")
    names = [re.split(r"[\s*]+", p.strip())[-1] for p in parameters.split(",")]

    def calls(indent: str) -> List[str]:
        return [f"{indent}{name}_cell({', '.join(names)}, warpline_index{{{', '.join(c)}}}, one, zero);"
                for c in (tuple(_cell(d, k) for d, k in enumerate((x, y, z)))
                          for z in range(fold[2]) for y in range(fold[1]) for x in range(fold[0]))]

    # inside, no cell needs a check of its own: the compiler knows that each holds, and shares loads between cells
    inside = [f"__builtin_assume({_cell(d, k)} < {made.domain[d]}u);" for d in range(dims) for k in range(fold[d])]
    sizes = [f"    __builtin_assume({p.name} == {made.numbers[p.name]});" for p in made.parameters if p.kind == "shape"]
    guard = " && ".join(f"{_cell(d, fold[d] - 1)} < {made.domain[d]}u" for d in range(dims))
    lines = ["struct warpline_index { unsigned x, y, z; };", "",
             f"static __device__ __forceinline__ void {name}_cell({parameters}, const warpline_index blockIdx, "
             f"const warpline_index blockDim, const warpline_index threadIdx){body.rstrip()}", "",
             f'extern "C" __global__ {_bounds(block)}void {name}({parameters})', "{", *sizes,
             "    constexpr warpline_index one = {1, 1, 1}, zero = {0, 0, 0};",
             *(f"    const unsigned {a} = (blockIdx.{a} * blockDim.{a} + threadIdx.{a}) * {fold[d]}u;"
               for d, a in enumerate(AXES)),
             f"    if ({guard}) {{", *("        " + line for line in inside), *calls(" " * 8), "    }"]
    if any(made.domain[d] % fold[d] for d in range(dims)):
        lines += ["    else {", *calls(" " * 8), "    }"]
    return "\n".join([*lines, "}", ""])


def _cell(d: int, offset: int) -> str:
    return f"{AXES[d]}{f' + {offset}u' if offset else ''}"
