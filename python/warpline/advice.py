"""Which changes to a launch help most. SPDX-License-Identifier: MIT"""
from __future__ import annotations

import json
from ctypes import byref, c_int, c_size_t, c_void_p
from typing import Any, Dict, Mapping, Optional

from ._native import AdviseOptions, AdviseReport, Elsewhere, Handle, lib, take_text
from .devices import DeviceLike, as_device
from .kernels import KernelLike
from .launch_arguments import Params, Shape, apply_rule, launch, predict_options
from .predictions import Arguments, as_launched_kernel

__all__ = ["advise"]

_FORMAT_JSON = 1
_OTHER_DEVICES = 3


def advise(kernel: KernelLike, device: DeviceLike, block: Shape, *, fold: Optional[Shape] = None, grid: Any = None,
           registers: Optional[int] = None, shared_bytes: Optional[int] = None, schedule: Optional[str] = None,
           params: Optional[Params] = None, domain: Optional[Shape] = None, dtype: Optional[str] = None,
           args: Arguments = (), entry: Optional[str] = None, constants: Optional[Mapping[str, Any]] = None,
           dynamic_shared: int = 0, effort: Optional[float] = None, what_if: Optional[Mapping[str, Any]] = None,
           model: Optional[str] = None, devices: Optional[int] = None, jobs: int = 0) -> Dict[str, Any]:
    """The changes to a launch that help most: block, folding, schedule, layout, registers, shared memory.

    The launch is given as for `predict`. ``devices`` is how many other devices to compare with (default 3,
    none where that would take long). The dict has the keys of ``warpline advise --format json``:
    ``predicted``, ``advice`` (most helpful first, with ``gain`` and ``launch``), ``together``, ``notes``.
    """
    place = as_device(device, what_if)
    of_ptx = {"args": args, "entry": entry, "constants": constants, "dynamic_shared": dynamic_shared}
    made = as_launched_kernel(kernel, place, block, grid, registers, shared_bytes, of_ptx, effort, params=params,
                              domain=domain, dtype=dtype)
    what = launch(block, fold, grid, registers, shared_bytes, schedule)
    apply_rule(grid, params, place._handle.pointer, made.domain, what, made._handle.pointer)
    options = AdviseOptions(predict=predict_options(model), threads=jobs)
    result = Handle(lib.wl_advised_free, made, place)
    on = (made._handle.pointer, place._handle.pointer)
    lib.wl_advise(*on, byref(what), byref(options), result.out)
    left = devices is None and lib.wl_advised_costly(result.pointer)
    others = (0 if left else _OTHER_DEVICES) if devices is None else devices
    elsewhere, count, by = (Elsewhere * (others + 1))(), c_size_t(), c_int()
    if others > 0:
        lib.wl_advise_devices(*on, byref(what), byref(options), elsewhere, others + 1, byref(count), byref(by))
    report = AdviseReport(kernel=on[0], device=on[1], result=result.pointer, devices=elsewhere,
                          device_count=count.value, device_model=by.value, devices_left=left)
    text = c_void_p()
    lib.wl_advise_render(byref(report), _FORMAT_JSON, byref(text))
    return json.loads(take_text(text))
