"""Kernels of pystencils and lbmpy: predicted, ranked and emitted without a GPU.

    import pystencils, warpline.pystencils

    kernel = pystencils.create_kernel(assignments, config=config)      # for a GPU
    warpline.pystencils.predict(kernel, "h200", (128, 2), shape=(512, 512, 512))["model"]["time_s"]
    best = warpline.pystencils.best_launch(kernel, "h200", shape=(512, 512, 512))
    best.block, best.fold, best.cuda

Loads, stores, conditions and arithmetic are those of the kernel's syntax tree; releases 1 and 2 are read. docs/python.md
has the whole of it. SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import os
import pathlib
import tempfile
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple, Union

from . import errors
from .arrays import Layout as Array
from .cuda_sources import compile_cuda
from .devices import Device, DeviceLike, as_device
from .kernels import Kernel
from .launch_arguments import Shape, shape as extents
from .predictions import predict as _predict
from .pystencils_cuda import cuda_of
from .pystencils_reader import Generated, generated
from .rankings import Ranking, rank as _rank
from .stencil_program import kernel_file

__all__ = ["Array", "BestLaunch", "best_launch", "cuda", "kernel", "predict", "rank", "text"]

Arrays = Optional[Mapping[str, Any]]
Params = Optional[Mapping[str, Any]]
Registers = Union[None, int, str]


def _read(made: Any, shape: Any, arrays: Arrays, params: Params) -> Generated:
    return made if isinstance(made, Generated) else generated(made, shape, arrays, params)


def text(kernel: Any, shape: Any = None, *, arrays: Arrays = None, params: Params = None,
         registers: Optional[int] = None) -> str:
    """The kernel as a kernel file, which the command line takes, too."""
    made = _read(kernel, shape, arrays, params)
    with errors.about(made.name):
        return kernel_file(made.name, made.program, made.fields, made.domain, made.start, registers)


def kernel(kernel: Any, shape: Any = None, *, arrays: Arrays = None, params: Params = None,
           registers: Optional[int] = None) -> Kernel:
    """The kernel as a `warpline.Kernel`, to predict many launches of."""
    made = _read(kernel, shape, arrays, params)
    return Kernel.parse(text(made, registers=registers), name=made.name)


def cuda(kernel: Any, block: Optional[Shape] = None, fold: Shape = 1, *, shape: Any = None, arrays: Arrays = None,
         params: Params = None) -> str:
    """The CUDA that pystencils prints, ready for nvcc, with ``__launch_bounds__`` of a block.

    With ``fold``, each thread computes that many consecutive cells; this needs the extents of the arrays
    (``shape``, ``arrays``) where the kernel leaves them open, and they are then compiled in as its bounds.
    """
    made = _read(kernel, shape, arrays, params)
    with errors.about(made.name):
        return cuda_of(made, extents(block, "block") if block is not None else None, extents(fold, "fold"))


def _registers_of(made: Generated, device: Device, block: Optional[Shape], fold: Shape) -> Optional[int]:
    """What ptxas gives the CUDA of the kernel; None: there is no ptxas."""
    with tempfile.TemporaryDirectory(prefix="warpline-") as folder:
        path = pathlib.Path(folder) / (made.name + ".cu")
        path.write_text(cuda(made, block, fold))
        found = compile_cuda(os.fspath(path), device).resources.get(made.source.name)
    return found.registers if found else None


def _registers(registers: Registers, made: Generated, device: Device, block: Optional[Shape],
               fold: Shape) -> Optional[int]:
    if isinstance(registers, str):
        if registers != "nvcc":
            raise errors.InputError(f"a number, or \"nvcc\" to compile the kernel for them, not {registers!r}",
                                    status="bad input", input="registers")
        return _registers_of(made, device, block, fold)
    return registers


def predict(kernel: Any, device: DeviceLike, block: Shape, *, shape: Any = None, arrays: Arrays = None,
            params: Params = None, fold: Optional[Shape] = None, registers: Registers = None,
            what_if: Optional[Mapping[str, Any]] = None, **options: Any) -> Dict[str, Any]:
    """Predicts a launch of a kernel of pystencils, as `warpline.predict` does.

    kernel      what pystencils.create_kernel returns for a GPU, what its compile() returns, or assignments,
                such as an update rule of lbmpy
    shape       extents of all arrays, ghost layers included; not needed for fields of a fixed size
    arrays      instead of it or besides, by field: arrays of NumPy, CuPy, .., or ``Array(shape, strides, dtype)``
                with strides in elements
    params      values of the kernel's integers; other numbers are not needed
    registers   of a thread: a number, or "nvcc" to compile the kernel for it

    device, block, fold and options are those of `warpline.predict`.
    """
    made, where = _read(kernel, shape, arrays, params), as_device(device, what_if)
    parsed = Kernel.parse(text(made), name=made.name)
    out: Dict[str, Any] = _predict(parsed, where, block, fold=fold,
                                   registers=_registers(registers, made, where, block, fold or 1), **options)
    out["warnings"] += made.program.notes
    return out


def rank(kernel: Any, device: DeviceLike, *, shape: Any = None, arrays: Arrays = None, params: Params = None,
         registers: Union[Registers, Mapping[Any, int]] = None, what_if: Optional[Mapping[str, Any]] = None,
         **space: Any) -> Ranking:
    """Predicts every launch of a space, best first: blocks and foldings, as `warpline.rank` does.

    kernel, shape, arrays and params are those of `predict`; block_x, fold, where, top and the other arguments
    those of `warpline.rank`. ``registers`` is a number for all foldings, one for each, or "nvcc", which
    compiles each folding once.
    """
    made, where = _read(kernel, shape, arrays, params), as_device(device, what_if)
    parsed = Kernel.parse(text(made), name=made.name)
    if isinstance(registers, str):
        foldings = _foldings(made, space.get("fold"))
        found = {f: _registers(registers, made, where, None, f) for f in foldings}
        space["fold"] = foldings
        registers = {f: n for f, n in found.items() if n is not None} or None
    ranking = _rank(parsed, where, registers=registers, **space)
    ranking.notes += made.program.notes
    return ranking


def _foldings(made: Generated, fold: Any) -> List[Tuple[int, ...]]:
    """The ones to compile: those that are given, else those of `warpline.rank`: none, and two cells along an axis."""
    if isinstance(fold, str):
        fold = fold.split(",")
    if isinstance(fold, Mapping):
        raise errors.InputError("give a list of foldings together with registers=\"nvcc\"", status="bad input", input="fold")
    if fold is None:
        fold = [(1, 1, 1), *(tuple(2 if d == e else 1 for e in range(3)) for d in range(len(made.domain)))]
    one = isinstance(fold, int) or all(isinstance(e, int) for e in fold)
    return [extents(f, "fold") for f in ([fold] if one else fold)]


class BestLaunch(NamedTuple):
    """The launch that is predicted to be fastest, from `best_launch`."""
    block: Tuple[int, int, int]
    fold: Tuple[int, int, int]
    grid: Tuple[int, int, int]
    time_s: float
    cuda: str               # with the folding and __launch_bounds__ of the block
    ranking: Ranking


def best_launch(kernel: Any, device: DeviceLike, *, shape: Any = None, arrays: Arrays = None, params: Params = None,
                **space: Any) -> BestLaunch:
    """Ranks, and emits the best: the arguments are those of `rank`."""
    made = _read(kernel, shape, arrays, params)
    ranking = rank(made, device, **space)
    best = ranking.best
    block, fold, grid = (tuple(int(best[f"{what}_{a}"]) for a in "xyz") for what in ("block", "fold", "grid"))
    return BestLaunch(block, fold, grid, best["time_s"], cuda(made, block, fold), ranking)  # type: ignore[arg-type]
