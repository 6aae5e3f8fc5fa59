"""Kernels: built-in ones, kernel files, stencils, PTX. SPDX-License-Identifier: MIT"""
from __future__ import annotations

import ctypes
import os
import re
from ctypes import byref, c_int64, c_size_t, c_void_p
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import arrays, errors
from ._native import (LOAD, WL_E_IO, WL_OK, Handle, KernelOptions, PtxOptions, lib, strings, take_text)
from .cubins import Resources
from .cuda_sources import compile_cuda
from .devices import Device, read_file
from .launch_arguments import Params, Shape, apply_rule, assignments, launch, shape

__all__ = ["Kernel", "kernels", "show"]

_EFFORT_OF_MANY = 0.1  # seconds to emulate each of many launches, as `warpline rank` does


def kernels() -> List[str]:
    """The names of the built-in kernels."""
    return [lib.wl_kernel_builtin_name(i).decode() for i in range(lib.wl_kernel_builtin_count())]


def _builtin_text(name: str) -> Optional[bytes]:
    length = c_size_t()
    at = lib.wl_kernel_builtin_text(name.encode(), byref(length))
    return ctypes.string_at(at, length.value) if at else None


class Kernel:
    """What one thread of a kernel does. Make one with a class method, or give what these take to
    `predict`, `rank` and the others."""

    def __init__(self, handle: Handle):
        self._handle = handle

    @classmethod
    def parse(cls, text: Union[str, bytes], params: Optional[Params] = None, *, name: str = "kernel") -> "Kernel":
        """A kernel from the text of a kernel file; ``params`` override those of the text."""
        sets = assignments(params)
        array = strings(sets)
        options = KernelOptions(array, len(sets))
        data = text.encode() if isinstance(text, str) else text
        handle = Handle(lib.wl_kernel_free)
        lib.wl_kernel_parse(name.encode(), data, len(data), byref(options), handle.out)
        return cls(handle)

    @classmethod
    def load(cls, kernel: Union[str, "os.PathLike[str]"], params: Optional[Params] = None,
             domain: Optional[Shape] = None) -> "Kernel":
        """A built-in kernel or a kernel file. ``domain`` sets the params that are the domain's extents."""
        name = os.fspath(kernel)
        text = _builtin_text(name) if isinstance(kernel, str) and not os.path.exists(name) else None
        if text is None and isinstance(kernel, str) and "/" not in name and "." not in name and not os.path.exists(name):
            raise errors.InputError("there is no such built-in kernel: " + ", ".join(kernels()),
                                    status="bad input", input=name)
        text = read_file(name) if text is None else text
        made = cls.parse(text, params, name=name)
        if domain is None:
            return made
        return cls.parse(text, {**(params or {}), **made._domain_params(shape(domain, "domain"))}, name=name)

    @classmethod
    def stencil(cls, update: str, domain: Shape, dtype: str = "f64") -> "Kernel":
        """A kernel from one assignment: ``Kernel.stencil("dst[0,0] = src[-1,0] + src[1,0]", (4096, 4096), "f32")``."""
        handle = Handle(lib.wl_kernel_free)
        # as given: (4096, 4096) has two dimensions
        extents = domain if isinstance(domain, str) else "x".join(
            str(int(e)) for e in ([domain] if isinstance(domain, int) else domain))
        lib.wl_kernel_from_update(update.encode(), extents.encode(), dtype.encode(), handle.out)
        return cls(handle)

    @classmethod
    def ptx(cls, file: Union[str, bytes, "os.PathLike[str]"], block: Shape, *, entry: Optional[str] = None,
            args: Union[Sequence[Any], Mapping[str, Any]] = (), constants: Optional[Mapping[str, Any]] = None,
            grid: Any = None, domain: Optional[Shape] = None, params: Optional[Params] = None,
            registers: Optional[int] = None, shared_bytes: Optional[int] = None, dynamic_shared: int = 0,
            cluster: Optional[Shape] = None, effort: Optional[float] = None, device: Any = None,
            source: Optional[Tuple[str, bytes]] = None,
            resources: Optional[Mapping[str, Resources]] = None) -> "Kernel":
        """A kernel of a PTX file, or of the text of one, read for a launch of this block.

        ``args`` has one value for each parameter, in order or by name or number: numbers, the texts of
        ``--arg`` ("buf:64MiB", "{1, 2.5}"), anything with the buffer interface (bytes, NumPy arrays): a
        buffer with these contents, or an array of another package (CuPy, PyTorch, JAX, Numba): a buffer
        of its size, with its contents if they are in host memory. ``constants`` are the contents of
        ``__constant__`` variables. Registers are not in PTX: without ``registers`` they are assumed, and
        predictions say so. ``source`` is the name and the text of the CUDA file that it was compiled
        from, ``resources`` what ptxas says of its kernels.
        """
        name, text = _ptx_text(file)
        module = Handle(lib.wl_ptx_free, text)
        lib.wl_ptx_parse(name.encode(), text, len(text), module.out)
        if registers is None and resources:
            registers = _registers(module, entry, resources)
        made = PtxOptions(dynamic_shared=dynamic_shared, effort=effort or 0)
        made.launch = launch(block, None, grid, registers, shared_bytes)
        if domain is not None:
            made.domain[:] = shape(domain, "domain")
        if cluster is not None:
            made.cluster[:] = shape(cluster, "cluster")
        apply_rule(grid, params, device, list(made.domain) if domain is not None else (), made.launch)
        buffers = _Buffers()
        values = _arguments(args, buffers)
        contents = [f"{k}={_value(v, buffers, variable=True)}" for k, v in (constants or {}).items()]
        made.args, made.arg_count = strings(values), len(values)
        made.constants, made.constant_count = strings(contents), len(contents)
        made.entry = entry.encode() if entry else None
        made.load = buffers.load
        borrowed = (source[0].encode(), source[1]) if source is not None else None
        if borrowed is not None:
            lib.wl_ptx_set_source(module.pointer, *borrowed, len(borrowed[1]))
        handle = Handle(lib.wl_kernel_free, module, buffers, made, borrowed)
        lib.wl_kernel_from_ptx(module.pointer, byref(made), handle.out)
        return cls(handle)

    def _domain_params(self, wanted: Tuple[int, ...]) -> Dict[str, int]:
        dims = len(self.domain)
        sets = {}
        for d, extent in enumerate(wanted):
            param = lib.wl_kernel_domain_param(self._handle.pointer, d) if d < dims else None
            if d >= dims and extent == 1:
                continue
            if not param:
                raise errors.InputError(
                    f"the kernel's extent in {'xyz'[d]} is no single param: set what it is made of with params"
                    if d < dims else f"the kernel's domain has no {'xyz'[d]}", status="bad input", input="domain")
            sets[param.decode()] = extent
        return sets

    @property
    def name(self) -> str:
        return lib.wl_kernel_name(self._handle.pointer).decode()

    @property
    def domain(self) -> Tuple[int, ...]:
        """The extents of the domain; () where the kernel leaves it to the grid."""
        extent = (c_int64 * 3)()
        return tuple(extent[:lib.wl_kernel_domain(self._handle.pointer, extent)])

    @property
    def notes(self) -> List[str]:
        """What was assumed, or not understood, when the kernel was read."""
        notes: List[str] = []
        while True:
            note = lib.wl_kernel_note(self._handle.pointer, len(notes))
            if note is None:
                return notes
            notes.append(note.decode())

    def show(self) -> str:
        """The kernel as a kernel file that predicts the same."""
        text = c_void_p()
        lib.wl_kernel_show(self._handle.pointer, byref(text))
        return take_text(text)

    def __repr__(self) -> str:
        return f"<Kernel {self.name} {'x'.join(map(str, self.domain)) or 'without a domain'}>"


# ---- arguments of PTX kernels ----


def _ptx_text(file: Union[str, bytes, "os.PathLike[str]"]) -> Tuple[str, bytes]:
    """The name and the contents of a PTX file; text with several lines is PTX itself."""
    if isinstance(file, bytes):
        return "ptx", file
    name = os.fspath(file)
    return ("ptx", name.encode()) if "\n" in name else (name, read_file(file))


def _registers(module: Handle, entry: Optional[str], resources: Mapping[str, Resources]) -> Optional[int]:
    """Of the kernel that is meant; None: not known."""
    found = c_size_t()
    lib.wl_ptx_entry_find(module.pointer, entry.encode() if entry else None, byref(found))
    known = resources.get(lib.wl_ptx_entry_symbol(module.pointer, found).decode())
    return known.registers if known else None


class _Buffers:
    """Python buffers as the files that arguments name; they live as long as the kernel."""

    def __init__(self) -> None:
        self._views: Dict[bytes, Tuple[Any, int]] = {}
        self.load = LOAD(self._load)

    def add(self, buffer: Any) -> Tuple[str, int]:
        data = bytes(memoryview(buffer).cast("B")) if not isinstance(buffer, bytes) else buffer
        name = f"python-buffer-{len(self._views)}"
        self._views[name.encode()] = (data, len(data))
        return name, len(data)

    def _load(self, _user: Any, path: bytes, out: Any, length: Any, err: Any) -> int:
        known = self._views.get(path)
        data = known[0] if known else None
        if data is None:
            try:
                data = read_file(os.fsdecode(path))
            except errors.FileError as failure:
                err.contents.code = WL_E_IO
                err.contents.input = path[:127]
                err.contents.message = failure.message.encode()[:255]
                return WL_E_IO
            self._views[path] = (data, len(data))
        out[0] = ctypes.cast(ctypes.c_char_p(data), c_void_p).value
        length[0] = len(data)
        return WL_OK


def _value(value: Any, buffers: _Buffers, variable: bool = False) -> str:
    """One argument, or what a variable holds, as the text that the library reads."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, (int, float)):
        return repr(value)
    if hasattr(value, "dtype") and getattr(value, "ndim", 1) == 0:  # a NumPy number
        return repr(value.item())
    if isinstance(value, (tuple, list)):
        return "{" + ", ".join(_value(v, buffers) for v in value) + "}"
    described = arrays.layout(value)
    known = arrays.contents(value, described) if described else value
    if described and known is None:
        if variable:
            raise errors.InputError("the contents of a variable must be in host memory and without gaps",
                                    status="bad input", input="constants")
        return described.argument
    name, size = buffers.add(known)
    return name if variable else f"buf:{size}={name}"


def _arguments(args: Union[Sequence[Any], Mapping[str, Any]], buffers: _Buffers) -> List[str]:
    if isinstance(args, Mapping):
        return [f"{name}={_value(v, buffers)}" for name, v in args.items()]
    return [_value(v, buffers) for v in args]


# ---- whatever users give for a kernel ----

KernelLike = Union[Kernel, str, bytes, "os.PathLike[str]"]  # bytes are PTX


def is_ptx(kernel: Any) -> bool:
    """Is it PTX, or what PTX is compiled from: the name of such a file, or the text itself?"""
    if isinstance(kernel, bytes):
        return True
    if not isinstance(kernel, (str, os.PathLike)):
        return False
    text = os.fspath(kernel)
    return text.endswith((".ptx", ".cu")) or "\n" in text and _PTX_STARTS.search(text) is not None


_PTX_STARTS = re.compile(r"^\s*\.version\s", re.MULTILINE)


def as_kernel(kernel: KernelLike, *, params: Optional[Params] = None, domain: Optional[Shape] = None,
              dtype: Optional[str] = None, ptx: Optional[Dict[str, Any]] = None, device: Optional[Device] = None,
              compiler_options: Sequence[str] = (), **of_ptx: Any) -> Kernel:
    """A kernel, built-in name, file (YAML, .ptx or .cu), text of a kernel file or of PTX, or stencil assignment."""
    if isinstance(kernel, Kernel):
        if params or domain or dtype or any(of_ptx.values()):
            raise TypeError("params, domain, dtype and arguments go with the name, file or text of a kernel")
        return kernel
    if is_ptx(kernel):
        given = {"params": params, "domain": domain, **of_ptx, **(ptx or {}),
                 "device": device._handle.pointer if device else None}
        if isinstance(kernel, bytes) or not os.fspath(kernel).endswith(".cu"):
            return Kernel.ptx(kernel, **given)
        name = os.fspath(kernel)
        made = compile_cuda(name, device, compiler_options)
        return Kernel.ptx(made.ptx, source=(name, made.source), resources=made.resources, **given)
    assert not isinstance(kernel, bytes)  # that is PTX
    text = os.fspath(kernel)
    if any(of_ptx.values()) or compiler_options:
        raise TypeError(", ".join(k for k, v in of_ptx.items() if v) + ": only of a .ptx or .cu file")
    if "\n" in text:
        made_of_text = Kernel.parse(text, params)
        return made_of_text if domain is None else Kernel.parse(
            text, {**(params or {}), **made_of_text._domain_params(shape(domain, "domain"))})
    if "=" in text and "[" in text:
        if domain is None or params:
            raise TypeError("a stencil needs a domain and has no params" if params or domain is None else "")
        return Kernel.stencil(text, domain, dtype or "f64")
    if dtype is not None:
        raise TypeError("dtype is only for a stencil assignment")
    return Kernel.load(kernel, params, domain)


def show(kernel: KernelLike, block: Shape = 256, **options: Any) -> str:
    """A kernel as a kernel file: what was recovered of PTX, or the text of a built-in kernel.

    A kernel in PTX is read for one launch of this block; options are those of `Kernel.ptx`.
    """
    return as_kernel(kernel, ptx={"block": block} if is_ptx(kernel) else None, **options).show()
