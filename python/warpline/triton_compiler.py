"""Triton's compiler, without a GPU and without a driver. What differs between its releases is here.

Triton itself specialises arguments, so that a kernel is compiled as it would be for a launch: 3.2 gives
types, attributes and constants apart, later ones (types, specialisation) of each parameter; from 3.5 on
a method of the kernel puts these together. SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import importlib
import json
import pathlib
import re
from typing import Any, Dict, NamedTuple, Optional, Tuple

from . import errors
from .cubins import resources

__all__ = ["Compiled", "Kernel", "compile_kernel", "kernel_of", "part", "read_cache", "triton"]

_BLACKWELL = 100
CONSTANT = "constexpr"  # the type of a parameter that is compiled into the kernel


def triton() -> Any:
    """The package, 3.2 or newer."""
    try:
        package = importlib.import_module("triton")
    except ImportError:
        raise ImportError("warpline.triton needs Triton: pip install 'triton>=3.2'") from None
    if tuple(int(n) for n in package.__version__.split(".")[:2]) < (3, 2):
        raise ImportError(f"warpline.triton needs Triton 3.2 or newer, not {package.__version__}: "
                          "pip install 'triton>=3.2'")
    return package


def part(name: str) -> Any:
    """A module of the package."""
    return importlib.import_module("triton." + name)


class Kernel(NamedTuple):
    """A compiled kernel: what a launch of it needs to be predicted."""
    name: str       # of its entry
    ptx: bytes
    registers: Optional[int]
    stack_bytes: int  # of each thread, in local memory
    warps: int
    shared_bytes: int
    ctas: int       # blocks of a cluster
    scratch: Tuple[int, ...]  # bytes for each block, of the pointers behind the parameters
    descriptors: Tuple[Any, ...]  # of tensor descriptors: swizzle and box; None: they are passed as pointers
    parameters: int  # of the entry


class Compiled(NamedTuple):
    kernel: Kernel
    values: Dict[str, Any]  # of all parameters
    types: Dict[str, Any]   # of parameters that the kernel still has; others were compiled into it


# ---- arguments ----


def _specialised_3_2(fn: Any, backend: Any, binder: Any, named: Dict[str, Any], options: Dict[str, Any]) -> Any:
    bound, keys, _, _, _ = binder(**named, **options)
    names = [p.name for p in fn.params if not p.is_constexpr]
    types = {k: "*i8" if t == "none" else t for k, t in zip(names, keys)}
    attributes = backend.get_attrs_descriptor(fn.params, tuple(bound.values()))
    inside = attributes.get_constants()
    constants = {p.name: v for v, p in zip(bound.values(), fn.params) if p.is_constexpr or p.num in inside or v is None}
    return types, constants, attributes


def _specialised_3_3(fn: Any, backend: Any, binder: Any, named: Dict[str, Any], options: Dict[str, Any]) -> Any:
    bound, found, rest = binder(**named, **options)
    if hasattr(fn, "_pack_args"):
        _, types, constants, attributes = fn._pack_args(backend, options, bound, found, rest)
        return types, constants, attributes
    find_paths_if, get_iterable_path = part("_utils").find_paths_if, part("_utils").get_iterable_path
    types = {p.name: t[0] for p, t in zip(fn.params, found)}
    paths = find_paths_if(list(types.values()), lambda _, t: t == CONSTANT)
    constants = {path: get_iterable_path(list(bound.values()), path) for path in paths}
    marks = [t[1] for t in found]
    attributes = {path: backend.parse_attr(get_iterable_path(marks, path))
                  for path in find_paths_if(marks, lambda _, m: isinstance(m, str))}
    return types, constants, attributes


def compile_kernel(fn: Any, named: Dict[str, Any], options: Dict[str, Any], capability: int) -> Compiled:
    """Compiles a @triton.jit function for arguments by name; `options`: num_warps and so on."""
    compiler = part("compiler")
    target = part("backends.compiler").GPUTarget("cuda", capability, 32)
    backend = compiler.make_backend(target)
    options = {"debug": False, **options}  # Triton's launches state it, and its cache tells them apart by it
    parsed = backend.parse_options(options)
    unknown = [name for name in options if name not in parsed.__dict__]
    if unknown:
        raise errors.InputError(f"the kernel has no parameter '{unknown[0]}', and it is no option of Triton's",
                                status="bad input", input=fn.__name__)
    old = hasattr(backend, "get_attrs_descriptor")
    if old and capability >= _BLACKWELL:  # its passes would end the process
        raise errors.UnsupportedError(f"Triton 3.2 does not know GPUs of compute capability {capability / 10}: "
                                      "pip install 'triton>=3.3'", status="not supported", input="device")
    specialised = _specialised_3_2 if old else _specialised_3_3
    binder = part("runtime.jit").create_function_from_signature(fn.signature, fn.params, backend)
    types, constants, attributes = specialised(fn, backend, binder, named, options)
    source = compiler.ASTSource(fn, types, constants, attributes)
    made = compiler.compile(source, target=target, options=parsed.__dict__)
    if old:
        types = {name: t for name, t in types.items() if name not in constants}
    return Compiled(_kernel(made.metadata._asdict(), made.asm["ptx"], made.asm.get("cubin")), named,
                    {name: t for name, t in types.items() if t != CONSTANT})


# ---- what was compiled ----

_ENTRY = re.compile(r"\.entry\s+([\w$]+)\s*\(([^)]*)\)")


def _kernel(metadata: Dict[str, Any], ptx: Any, cubin: Optional[bytes]) -> Kernel:
    text = ptx if isinstance(ptx, bytes) else ptx.encode()
    found = _ENTRY.search(text.decode("utf-8", "replace"))
    if not found:
        raise errors.InputError("there is no kernel in this PTX", status="bad input", input="triton")
    name: str = metadata.get("name") or found[1]
    known = resources(cubin).get(name) if cubin else None
    scratch = [metadata[key] for key in ("global_scratch_size", "profile_scratch_size") if key in metadata]
    return Kernel(name, text, known.registers if known else None, known.stack_bytes if known else 0,
                  metadata["num_warps"], metadata["shared"], metadata.get("num_ctas", 1), tuple(scratch),
                  tuple(metadata.get("tensordesc_meta") or ()), found[2].count(".param"))


def kernel_of(compiled: Any) -> Kernel:
    """Of a CompiledKernel of Triton's."""
    return _kernel(compiled.metadata._asdict(), compiled.asm["ptx"], compiled.asm.get("cubin"))


def read_cache(path: pathlib.Path) -> Kernel:
    """A kernel of Triton's cache: the folder of one kernel, or one of the files in it."""
    if not path.exists():
        raise errors.FileError("No such file or directory", status="cannot be read", input=str(path))
    folder = path if path.is_dir() else path.parent
    stem = None if path.is_dir() else path.name.split(".")[0]
    texts = sorted(p for p in folder.glob("*.ptx") if stem in (None, p.stem))
    if len(texts) != 1:
        folders = sorted(p.parent.name for p in folder.glob("*/*.ptx"))
        raise errors.InputError(
            f"there are {len(texts)} kernels here: name the .ptx file of one" if texts else
            f"this holds folders of kernels: name one of them, as {folders[0]}" if folders else
            "there is no .ptx file here: this is no folder of Triton's cache", status="bad input", input=str(path))
    described = texts[0].with_suffix(".json")
    try:
        metadata = json.loads(described.read_bytes())
        cubin = texts[0].with_suffix(".cubin")
        return _kernel(metadata, texts[0].read_bytes(), cubin.read_bytes() if cubin.exists() else None)
    except OSError as failure:
        raise errors.FileError(failure.strerror or str(failure), status="cannot be read",
                               input=str(described)) from failure
    except (KeyError, ValueError) as failure:
        raise errors.InputError(f"this does not describe a kernel for NVIDIA GPUs ({failure})", status="bad input",
                                input=str(described)) from failure
