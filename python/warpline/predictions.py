"""Predictions as dicts. SPDX-License-Identifier: MIT"""
from __future__ import annotations

import json
import os
from ctypes import byref, c_void_p
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from ._native import WL_FORMAT_JSON_LINE, Handle, Launch, lib, take_text
from .devices import Device, DeviceLike, as_device, read_file
from .kernels import Kernel, KernelLike, as_kernel, is_ptx
from .launch_arguments import Params, Shape, apply_rule, launch, predict_options, several

__all__ = ["Predictor", "predict", "explain"]

Arguments = Union[Sequence[Any], Mapping[str, Any]]
PtxLike = Union[str, bytes, "os.PathLike[str]"]


class Predictor:
    """One kernel on one device; keeps what its launches have in common. One per thread."""

    def __init__(self, kernel: Kernel, device: DeviceLike):
        self.kernel = kernel
        self.device: Device = as_device(device)
        self._handle = Handle(lib.wl_predictor_free, kernel, self.device)
        lib.wl_predictor_new(kernel._handle.pointer, self.device._handle.pointer, self._handle.out)
        self._out = Handle(lib.wl_prediction_free)
        lib.wl_prediction_new(self._out.out)

    def _predict(self, what: Launch, **options: Any) -> None:
        made = predict_options(**options)
        made.emulate = True  # predication and divergence are worth some milliseconds
        lib.wl_predict(self._handle.pointer, byref(what), byref(made), self._out.pointer)

    def predict(self, block: Shape, *, fold: Optional[Shape] = None, grid: Any = None,
                registers: Optional[int] = None, shared_bytes: Optional[int] = None, schedule: Optional[str] = None,
                params: Optional[Params] = None, **options: Any) -> Dict[str, Any]:
        """What `predict` gives for one launch. ``params`` are names that a rule for the grid uses."""
        what = launch(block, fold, grid, registers, shared_bytes, schedule)
        apply_rule(grid, params, self.device._handle.pointer, self.kernel.domain, what, self.kernel._handle.pointer)
        self._predict(what, **options)
        text = c_void_p()
        lib.wl_prediction_render(self._out.pointer, self.kernel._handle.pointer, self.device._handle.pointer,
                                 WL_FORMAT_JSON_LINE, byref(text))
        return json.loads(take_text(text))

    def time(self, block: Shape, **options: Any) -> float:
        """Only the predicted time in seconds; takes a tenth of what the whole dict takes."""
        launched = {k: options.pop(k, None) for k in ("fold", "grid", "registers", "shared_bytes", "schedule")}
        what = launch(block, **launched)
        apply_rule(launched["grid"], options.pop("params", None), self.device._handle.pointer, self.kernel.domain, what,
                   self.kernel._handle.pointer)
        self._predict(what, **options)
        return lib.wl_prediction_time(self._out.pointer)


def as_launched_kernel(kernel: KernelLike, device: Device, block: Shape, grid: Any, registers: Optional[int],
                       shared_bytes: Optional[int], of_ptx: Dict[str, Any], effort: Optional[float],
                       **given: Any) -> Kernel:
    """A kernel; of PTX, the one read for this launch."""
    ptx = None
    if is_ptx(kernel):
        ptx = {"block": block, "grid": grid, "registers": registers, "shared_bytes": shared_bytes, "effort": effort}
    return as_kernel(kernel, ptx=ptx, device=device, **of_ptx, **given)


def _as_ptx(ptx: PtxLike) -> KernelLike:
    """PTX as a kernel that is known to be PTX."""
    if isinstance(ptx, bytes) or is_ptx(ptx):
        return ptx
    text = os.fspath(ptx)
    return text.encode() if "\n" in text else read_file(text)


def predict(kernel: Optional[KernelLike] = None, device: Optional[DeviceLike] = None,
            block: Optional[Union[Shape, Sequence[Shape]]] = None, *, ptx: Optional[PtxLike] = None,
            fold: Optional[Shape] = None, grid: Any = None, registers: Optional[int] = None,
            shared_bytes: Optional[int] = None, schedule: Optional[str] = None, params: Optional[Params] = None,
            domain: Optional[Shape] = None, dtype: Optional[str] = None, args: Arguments = (),
            entry: Optional[str] = None, constants: Optional[Mapping[str, Any]] = None, dynamic_shared: int = 0,
            cluster: Optional[Shape] = None, effort: Optional[float] = None, compiler_options: Sequence[str] = (),
            what_if: Optional[Mapping[str, Any]] = None,
            **options: Any) -> Any:
    """Predicts volumes, limiter and time of a launch.

    kernel   a `Kernel`, the name of a built-in one, a file (kernel file, .ptx, .cu), the text of a kernel
             file or of PTX, or a stencil assignment, which needs ``domain`` (and ``dtype``, default "f64")
    ptx      instead of it: PTX, as text or bytes, or the name of a file, whatever its suffix
    device   a `Device`, the name of a built-in one, or a device file; ``what_if`` changes its numbers
    block    threads per block: 256, (32, 8) or "32x8"; a list of such blocks gives a list of results
    fold     consecutive cells that each thread computes
    grid     blocks, or a rule: "cdiv(nx,block.x),ny"; default: as many as the domain needs
    params   values of the kernel's parameters, and of names in ``grid``
    args     and entry, constants, dynamic_shared, cluster, effort: of PTX, see `Kernel.ptx`; of .cu,
             which nvcc or clang compiles, also compiler_options: ["-DTILE=4", "-Iinclude"]
    options  model="limiter", per_access=True, per_line=True, confidence=True, simulate=True (or the
             number of addresses to evaluate), l1_samples=N

    The dict has the keys of ``warpline predict --format json``, docs/manual.md: ``launch``,
    ``occupancy``, ``work``, ``metrics``, ``model`` (``time_s``, ``limiter``, ..), ``warnings``.
    """
    if device is None or block is None or (kernel is None) == (ptx is None):
        raise TypeError("predict() needs a kernel or ptx=, a device and a block")
    blocks = several(block)
    where = as_device(device, what_if)
    if ptx is not None:
        kernel = _as_ptx(ptx)
    of_ptx = {"args": args, "entry": entry, "constants": constants, "dynamic_shared": dynamic_shared,
              "cluster": cluster, "compiler_options": compiler_options}
    first: Any = blocks[0] if blocks else block
    assert kernel is not None
    what = as_launched_kernel(kernel, where, first, grid, registers, shared_bytes, of_ptx, effort, params=params,
                              domain=domain, dtype=dtype)
    predictor = Predictor(what, where)

    def one(b: Any) -> Dict[str, Any]:
        return predictor.predict(b, fold=fold, grid=grid, registers=registers, shared_bytes=shared_bytes,
                                 schedule=schedule, params=params, **options)

    return one(block) if blocks is None else [one(b) for b in blocks]


def explain(metric: str) -> str:
    """What a metric means and which hardware counter measures it."""
    from ctypes import c_int
    found, text = c_int(), c_void_p()
    if not lib.wl_metric_find(metric.encode(), byref(found)):
        raise KeyError(metric)
    lib.wl_metric_text(found, byref(text))
    return take_text(text)
