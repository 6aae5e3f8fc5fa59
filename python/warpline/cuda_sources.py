"""CUDA compiled by the nvcc or clang of this machine, as the command line does it. SPDX-License-Identifier: MIT"""
from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import tempfile
from typing import Dict, List, NamedTuple, Optional, Sequence

from . import errors
from .cubins import Resources, resources
from .devices import Device, read_file

__all__ = ["Compiled", "compile_cuda"]

_ARCH_DEFAULT = "sm_80"  # where the device has no compute capability


class Compiled(NamedTuple):
    ptx: bytes
    source: bytes
    resources: Dict[str, Resources]  # by symbol; empty: there is no ptxas


def architecture(device: Optional[Device]) -> str:
    """The architecture of a device as compilers call it: sm_90."""
    capability = device.compute_capability if device else None
    return "sm_" + capability.replace(".", "") if capability else _ARCH_DEFAULT


def _installed(name: str) -> Optional[str]:
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or "/usr/local/cuda"
    return shutil.which(os.path.join(home, "bin", name))


def _compiler(source: str) -> str:
    named = os.environ.get("NVCC")
    found = shutil.which(named) if named else (
        shutil.which("nvcc") or _installed("nvcc") or shutil.which("clang++") or shutil.which("clang"))
    if found:
        return found
    if named:
        raise errors.FileError(f"'{named}' cannot be run", status="cannot be read", input="NVCC")
    raise errors.UnsupportedError(
        "there is no nvcc or clang here ($NVCC names one); elsewhere, "
        f"'nvcc -ptx -lineinfo -arch=sm_90 {source}' makes a .ptx file that can be given instead",
        status="not supported", input=source)


def _is_clang(compiler: str) -> bool:
    return "clang" in os.path.basename(compiler)


def _words(compiler: str, arch: str, options: Sequence[str]) -> List[str]:
    words = [compiler, *(["-x", "cuda", "--cuda-device-only", "-S", "-gline-directives-only", "--cuda-gpu-arch=" + arch]
                         if _is_clang(compiler) else ["-ptx", "-lineinfo", "-arch=" + arch])]
    for default, start in (("-O3", "-O"), ("-std=c++17", "-std")):  # compilers refuse two
        if not any(o.startswith(start) for o in options):
            words.append(default)
    return words + list(options)


def _resources(compiler: str, arch: str, folder: pathlib.Path) -> Dict[str, Resources]:
    """What ptxas says, or nvcc, which knows where it is; without them, or if they refuse the text, nothing."""
    ptxas = shutil.which("ptxas", path=os.path.dirname(compiler)) or shutil.which("ptxas") or _installed("ptxas")
    if not ptxas and _is_clang(compiler):
        return {}
    cubin = folder / "kernel.cubin"
    made = subprocess.run([*([ptxas] if ptxas else [compiler, "-cubin"]), "-arch=" + arch, "-o", str(cubin),
                           str(folder / "kernel.ptx")], capture_output=True)
    try:
        return resources(cubin.read_bytes()) if made.returncode == 0 else {}
    except ValueError:
        return {}


def compile_cuda(path: str, device: Optional[Device], options: Sequence[str] = ()) -> Compiled:
    """The PTX of a CUDA file for the architecture of a device. ``options`` are passed on to the compiler."""
    source = read_file(path)
    compiler, arch = _compiler(path), architecture(device)
    with tempfile.TemporaryDirectory(prefix="warpline-") as name:
        folder = pathlib.Path(name)
        made = subprocess.run([*_words(compiler, arch, options), "-o", str(folder / "kernel.ptx"), path],
                              capture_output=True, text=True, errors="replace")
        if made.returncode != 0:
            said = [line for line in (made.stderr + made.stdout).splitlines() if "error" in line.lower()]
            raise errors.InputError(f"{compiler} does not compile it (exit code {made.returncode})"
                                    + (": " + said[0].strip() if said else ""), status="bad input", input=path)
        return Compiled((folder / "kernel.ptx").read_bytes(), source, _resources(compiler, arch, folder))
