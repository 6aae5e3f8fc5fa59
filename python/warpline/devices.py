"""GPUs as data. SPDX-License-Identifier: MIT"""
from __future__ import annotations

import json
import os
import pathlib
from ctypes import c_void_p, byref
from typing import Any, Dict, List, Mapping, Optional, Union

from . import errors
from ._native import Handle, lib, take_text

__all__ = ["Device", "device_names", "devices", "occupancy"]

_FORMAT_JSON = 1
DeviceLike = Union["Device", str, "os.PathLike[str]"]


def read_file(path: Union[str, "os.PathLike[str]"]) -> bytes:
    try:
        return pathlib.Path(path).read_bytes()
    except OSError as failure:
        raise errors.FileError(failure.strerror or str(failure), status="cannot be read", input=str(path)) from failure


class Device:
    """A GPU: the name of a built-in one, or a device file (a path with a slash or a suffix).

    ``what_if`` changes numbers: ``Device("a100-40gb", {"l2_size": "80MiB"})``; plain numbers are in
    base units (bytes, Hz, bytes/s, cycles, seconds).
    """

    def __init__(self, device: Union[str, "os.PathLike[str]"], what_if: Optional[Mapping[str, Any]] = None):
        self._handle = Handle(lib.wl_device_free)
        name = os.fspath(device)
        if isinstance(device, str) and "/" not in name and "." not in name:
            lib.wl_device_builtin(name.encode(), self._handle.out)
        else:
            text = read_file(name)
            lib.wl_device_parse(name.encode(), text, len(text), self._handle.out)
        for key, value in (what_if or {}).items():
            shown = "[" + ",".join(repr(v) for v in value) + "]" if isinstance(value, (list, tuple)) else str(value)
            lib.wl_device_set(self._handle.pointer, f"{key}={shown}".encode())

    @property
    def name(self) -> str:
        return lib.wl_device_name(self._handle.pointer).decode()

    @property
    def title(self) -> str:
        return lib.wl_device_title(self._handle.pointer).decode()

    @property
    def architecture(self) -> str:
        return lib.wl_device_architecture(self._handle.pointer).decode()

    @property
    def compute_capability(self) -> Optional[str]:
        text = lib.wl_device_compute_capability(self._handle.pointer)
        return text.decode() if text else None

    def numbers(self) -> Dict[str, Dict[str, Any]]:
        """Every number the device has: ``{"l2_size": {"value": 41943040.0, "source": "..."}}``."""
        text = c_void_p()
        lib.wl_device_render(self._handle.pointer, _FORMAT_JSON, byref(text))
        keys = {k: v for k, v in json.loads(take_text(text)).items() if isinstance(v, dict) and "value" in v}
        return {k: {**v, "value": v["value"][0] if len(v["value"]) == 1 else v["value"]} for k, v in keys.items()}

    def to_dict(self) -> Dict[str, Any]:
        """Name, title, architecture, and every number that is no list: one row of a table of GPUs."""
        row: Dict[str, Any] = {"name": self.name, "title": self.title, "architecture": self.architecture,
                               "compute_capability": self.compute_capability}
        row.update((k, v["value"]) for k, v in self.numbers().items() if not isinstance(v["value"], list))
        return row

    def __repr__(self) -> str:
        return f"Device({self.name!r})"


def as_device(device: DeviceLike, what_if: Optional[Mapping[str, Any]] = None) -> Device:
    if isinstance(device, Device):
        if what_if:
            raise TypeError("what_if needs the name or file of a device; give it to Device() instead")
        return device
    return Device(device, what_if)


def device_names() -> List[str]:
    """The built-in devices, in alphabetical order."""
    return [lib.wl_device_builtin_name(i).decode() for i in range(lib.wl_device_builtin_count())]


def devices() -> List[Dict[str, Any]]:
    """The built-in devices with their numbers, a dict each: ``pandas.DataFrame(warpline.devices())``.

    A number that is not known is not there.
    """
    return [Device(name).to_dict() for name in device_names()]


def occupancy(device: DeviceLike, threads: int, registers: int, shared_bytes: int = 0) -> Dict[str, Any]:
    """Blocks and warps per multiprocessor, what limits them, and what one more block would need."""
    text = c_void_p()
    d = as_device(device)
    lib.wl_occupancy_render(d._handle.pointer, threads, registers, shared_bytes, _FORMAT_JSON, byref(text))
    return json.loads(take_text(text))
