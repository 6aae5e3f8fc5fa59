"""Launches of a Triton program that runs, kept as a recording (docs/recording.md).

Triton asks a compiled kernel for the metadata of each launch before it: that is where launches are
seen. PyTorch's Inductor asks only if a hook is set, and has a launcher of its own for kernels that it
compiled with none; it names what Triton compiled by a hash. SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import contextlib
import importlib
import os
import pathlib
import re
import shutil
import struct
import sys
import tempfile
import threading
import weakref
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple, Union

from . import arrays, errors, triton_compiler
from .recording_writer import Writer
from .recordings import Recording
from .triton_arguments import CONTENTS_MOST, TensorMap, entry_values, passed
from .triton_compiler import Kernel

__all__ = ["record"]

_WARP = 32
_APART = 1 << 30  # bytes between buffers that the recorder places itself
_MAP_MAGIC = 0x70616d726f736e74  # src/ptx/async/tensor_map.h has these 128 bytes
_MAP = struct.Struct("<QQ4Q5I5H5BBBBBBHH3h3h24x")
_WIDTHS = {**{f"{kind}{n}": n // 8 for kind in "bus" for n in (8, 16, 32, 64)}, "f16": 2, "f32": 4, "f64": 8, "b128": 16}


# ---- parameters ----


class _Parameter(NamedTuple):
    """Of an entry of PTX: where it lies among the bytes that a launch passes."""
    offset: int
    bytes: int
    kind: str


_ENTRY = re.compile(r"\.entry\s+([\w$]+)\s*\(([^)]*)\)")
_PARAMETER = re.compile(r"\.param\s+(?:\.align\s+(\d+)\s+)?\.(\w+)[^\[,]*(?:\[(\d+)\])?")


def _parameters(kernel: Kernel) -> List[_Parameter]:
    text = next((m[2] for m in _ENTRY.finditer(kernel.ptx.decode("utf-8", "replace")) if m[1] == kernel.name), "")
    found, end = [], 0
    for align, kind, count in _PARAMETER.findall(text):
        size = _WIDTHS[kind] * int(count or 1)
        aligned = int(align) if align else _WIDTHS[kind]
        end = -(-end // aligned) * aligned
        found.append(_Parameter(end, size, kind))
        end += size
    return found


def _number(value: Any, where: _Parameter) -> bytes:
    """A number as the kernel gets it."""
    item = value.item() if hasattr(value, "item") else value
    if where.kind[0] == "f" and where.bytes >= 4:
        return struct.pack("<f" if where.bytes == 4 else "<d", item)
    if isinstance(item, float):  # a half is passed in 16 bits, of which Triton takes those of f16 or bf16
        return struct.pack("<e", item) if where.bytes == 2 else struct.pack("<f" if where.bytes == 4 else "<d", item)
    return int(item).to_bytes(where.bytes + 1, "little", signed=True)[:where.bytes]


# ---- memory ----


class _Memory(NamedTuple):
    """What was allocated, as far as it is known."""
    address: int
    bytes: int
    tensor: Any
    integers: bool


def _memory(value: Any) -> _Memory:
    """The allocation of an array."""
    given = value
    if hasattr(value, "data_ptr") and not hasattr(value, "stride"):  # one that Triton views as another type
        value = getattr(value, "base", None)
    where = arrays.layout(value)
    if where is None:
        raise errors.InputError(f"a {type(given).__name__} is no array: its memory is not known", status="bad input",
                                input="argument")
    integers = where.dtype[0] in "su" or where.dtype == "bool"
    storage = getattr(value, "untyped_storage", None)
    if storage is not None:
        held = storage()
        return _Memory(held.data_ptr(), held.nbytes(), value, integers)
    first, last = where.span
    size = arrays.BYTES[where.dtype]
    return _Memory(where.address + first * size, (last - first) * size, value, integers)


def _contents(memory: _Memory) -> Optional[bytes]:
    """Of integers and booleans: addresses and branches may depend on them. Waits for the GPU."""
    if not memory.integers or not 0 < memory.bytes <= CONTENTS_MOST:
        return None
    value = memory.tensor
    if hasattr(value, "untyped_storage"):
        torch = importlib.import_module("torch")
        if value.is_cuda and torch.cuda.is_current_stream_capturing():
            return None
        with _unwatched():
            value = torch.empty(0, dtype=torch.uint8, device=value.device).set_(value.untyped_storage()).cpu()
    elif hasattr(value, "get"):  # CuPy's
        value = value.get()
    where = arrays.layout(value)
    known = arrays.contents(value, where) if where is not None else None
    return bytes(known) if known is not None and known.nbytes == memory.bytes else None


def _unwatched() -> Any:
    """Modes of PyTorch's dispatcher do not see what is done here."""
    modes = importlib.import_module("torch.utils._python_dispatch")
    disabled = getattr(modes, "_disable_current_modes", None)
    return disabled() if disabled is not None else contextlib.nullcontext()


def _address(value: Any) -> int:
    where = arrays.layout(value)
    return int(value.data_ptr()) if hasattr(value, "data_ptr") else where.address if where is not None else 0


class _Image:
    """The bytes of the parameters of a launch, and the memory behind them."""

    def __init__(self, kernel: Kernel, values: Sequence[Any], blocks: int):
        self.layout = _parameters(kernel)
        self.params = bytearray(max((p.offset + p.bytes for p in self.layout), default=0))
        self.maps: List[Dict[str, Any]] = []
        self.memory: List[_Memory] = []
        self._pointers: List[Tuple[int, int]] = []
        given = entry_values(kernel, values)
        for where, value in zip(self.layout, given):
            self._put(where, value)
        for where, size in zip(self.layout[len(given):], kernel.scratch):
            if size:
                self._put_scratch(where, size * blocks * kernel.ctas)
        self.memory = _joined(self.memory)

    def _put(self, where: _Parameter, value: Any) -> None:
        if isinstance(value, TensorMap):
            self.memory.append(_memory(value.of.base))
            self.maps.append({"at": where.offset, "map": _map_bytes(value).hex()})
        elif arrays.layout(value) is not None and getattr(value, "shape", None) != () or hasattr(value, "data_ptr"):
            self.memory.append(_memory(value))
            self._point(where, _address(value))
        elif value is not None:
            self.params[where.offset:where.offset + where.bytes] = _number(value, where)

    def _put_scratch(self, where: _Parameter, size: int) -> None:
        address = max((m.address + m.bytes for m in self.memory), default=0) // _APART * _APART + 2 * _APART
        self.memory.append(_Memory(address, size, None, False))
        self._point(where, address)

    def _point(self, where: _Parameter, address: int) -> None:
        self.params[where.offset:where.offset + 8] = address.to_bytes(8, "little")
        self._pointers.append((where.offset, address))

    @property
    def pointers(self) -> List[List[int]]:
        found = []
        for offset, address in self._pointers:
            # where one buffer ends and the next begins, it is the next one's
            number = next((i for i, m in reversed(list(enumerate(self.memory)))
                           if m.address <= address <= m.address + m.bytes), None)
            if number is not None and address:
                found.append([offset, number, address - self.memory[number].address])
        return found

    @property
    def key(self) -> Any:
        """Of launches that are alike: what is not an address."""
        plain = bytearray(self.params)
        for offset, _ in self._pointers:
            plain[offset:offset + 8] = bytes(8)
        return bytes(plain), tuple(map(tuple, self.pointers)), tuple(m.bytes for m in self.memory), str(self.maps)


def _joined(found: Sequence[_Memory]) -> List[_Memory]:
    """Sorted, and apart from each other: what overlaps becomes one, whose contents are not known unless it is the same."""
    joined: List[_Memory] = []
    for m in sorted((m for m in found if m.bytes), key=lambda m: (m.address, -m.bytes)):
        last = joined[-1] if joined else None
        if last is None or m.address >= last.address + last.bytes:
            joined.append(m)
            continue
        end = max(last.address + last.bytes, m.address + m.bytes)
        if end != last.address + last.bytes:
            joined[-1] = _Memory(last.address, end - last.address, None, False)
        elif m.bytes == last.bytes and m.integers:
            joined[-1] = m
    return joined


def _map_bytes(value: TensorMap) -> bytes:
    of, meta = value
    if meta.get("is_im2col") or meta.get("fp4_padded"):
        raise errors.UnsupportedError("descriptors of images and of fp4 are not supported", status="not supported",
                                      input="TensorDescriptor")
    size = arrays.BYTES[arrays.type_name(of.base.dtype)]
    shape, strides, box = (list(map(int, reversed(list(of_all)))) for of_all in (of.shape, of.strides, meta["block_size"]))

    def filled(values: Sequence[int], count: int) -> List[int]:
        return [*values, *[0] * (count - len(values))]
    return _MAP.pack(_MAP_MAGIC, _address(of.base), *filled([s * size for s in strides[1:]], 4), *filled(shape, 5),
                     *filled(box, 5), *filled([1] * len(shape), 5), len(shape), size, 0, meta["swizzle"],
                     getattr(of, "padding", "zero") == "nan", 0, 0, 0, 0, 0, 0, 0, 0)


# ---- the recorder ----


class _Recorder:
    """Writes launches as they come, from whatever threads."""

    def __init__(self, path: pathlib.Path, launches: int):
        self.writer, self.kept = Writer(path), launches
        self.lock = threading.Lock()
        self.count = 0
        self.modules: Dict[str, int] = {}
        self.kernels: "weakref.WeakKeyDictionary[Any, Kernel]" = weakref.WeakKeyDictionary()
        self.streams: Dict[int, int] = {0: 0}
        self.alike: Dict[Any, List[int]] = {}
        self.noted: Set[str] = set()
        self.tuning = threading.local()
        self.writer.event("program", {"version": 1, "command": sys.argv or ["python"], "mode": "record", **_gpu()})

    def note(self, text: str) -> None:
        if text not in self.noted:
            self.noted.add(text)
            self.writer.event("note", {"text": text})

    def launch(self, made: Any, kernel_of: Callable[[Any], Kernel], values: Sequence[Any], grid: Sequence[int],
               stream: int) -> None:
        """A launch that comes next, of what `kernel_of` describes once."""
        x, y, z = (*map(int, grid), 1, 1)[:3]
        if getattr(self.tuning, "depth", 0) or x * y * z == 0:
            return
        with self.lock:
            try:
                kernel = self.kernels.get(made) or kernel_of(made)
                self.kernels[made] = kernel
                self._write(kernel, _Image(kernel, values, x * y * z), (x * kernel.ctas, y, z), int(stream or 0))
            except errors.Error as wrong:  # the program goes on
                self.note(f"launches of {made.name} were not recorded: {wrong.message}")

    def _write(self, kernel: Kernel, image: _Image, grid: Tuple[int, int, int], stream: int) -> None:
        module = self._module(kernel)
        members: Dict[str, Any] = {
            "id": self.count, "kernel": kernel.name, "module": module, "grid": grid,
            "block": (_WARP * kernel.warps, 1, 1), "shared": kernel.shared_bytes,
            "stream": self.streams.setdefault(stream, len(self.streams))}
        if kernel.ctas > 1:
            members["cluster"] = (kernel.ctas, 1, 1)
        if kernel.registers:
            members["registers"] = kernel.registers
        alike = self.alike.setdefault((module, kernel.name, grid, image.key), [])
        if len(alike) < self.kept or not alike:
            alike.append(self.count)
            members.update(params=image.params.hex(), pointers=image.pointers, buffers=[
                {"address": f"0x{m.address:x}", "bytes": m.bytes, **self._kept(m)} for m in image.memory])
            if image.maps:
                members["maps"] = image.maps
        else:
            members["like"] = alike[-1]
        self.writer.event("launch", members)
        self.count += 1

    def _kept(self, memory: _Memory) -> Dict[str, str]:
        known = _contents(memory)
        return {} if known is None else {"contents": self.writer.blob(known)}

    def _module(self, kernel: Kernel) -> int:
        digest = self.writer.blob(kernel.ptx)
        if digest not in self.modules:
            self.modules[digest] = len(self.modules)
            target = re.search(rb"\.target\s+(\w+)", kernel.ptx)
            self.writer.event("module", {"module": self.modules[digest], "ptx": digest,
                                         **({"target": target[1].decode()} if target else {})})
        return self.modules[digest]

    @contextlib.contextmanager
    def unseen(self) -> Iterator[None]:
        """What a search of configurations launches is not what the program does."""
        self.tuning.depth = getattr(self.tuning, "depth", 0) + 1
        try:
            yield
        finally:
            self.tuning.depth -= 1

    def end(self) -> None:
        self.writer.event("end", {"launches": self.count})
        self.writer.close()


def _gpu() -> Dict[str, str]:
    torch = sys.modules.get("torch")
    return {"device": torch.cuda.get_device_name()} if torch is not None and torch.cuda.is_initialized() else {}


# ---- where launches are seen ----


def _replace(undo: contextlib.ExitStack, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
    """Puts something else in place of a member, until the end."""
    own = name in vars(owner)
    before = getattr(owner, name)
    setattr(owner, name, make(before))
    undo.callback(lambda: setattr(owner, name, before) if own else delattr(owner, name))


def _watch_triton(recorder: _Recorder, undo: contextlib.ExitStack) -> None:
    compiler, tuner = triton_compiler.part("compiler.compiler"), triton_compiler.part("runtime.autotuner")

    def seen(before: Any) -> Any:
        def launch_metadata(self: Any, grid: Any, stream: Any, *args: Any) -> Any:
            recorder.launch(self, triton_compiler.kernel_of, passed(self.src, args), grid, stream)
            return before(self, grid, stream, *args)
        return launch_metadata

    _replace(undo, compiler.CompiledKernel, "launch_metadata", seen)
    _replace(undo, tuner.Autotuner, "_bench", lambda before: _unseen(recorder, before))
    owner = getattr(getattr(triton_compiler.triton(), "knobs", None), "runtime", compiler.CompiledKernel)
    hook = owner.launch_enter_hook
    if hasattr(hook, "add"):
        hook.add(_nothing)
        undo.callback(hook.remove, _nothing)
    elif hook is None:  # launchers of Inductor that are made now then ask for metadata
        owner.launch_enter_hook = _nothing
        undo.callback(setattr, owner, "launch_enter_hook", None)


def _nothing(_metadata: Any) -> None:
    """A hook, so that metadata are asked for."""


def _unseen(recorder: _Recorder, before: Any) -> Any:
    def bench(*args: Any, **named: Any) -> Any:
        with recorder.unseen():
            return before(*args, **named)
    return bench


def _watch_inductor(recorder: _Recorder, undo: contextlib.ExitStack) -> None:
    """Only if PyTorch is in use."""
    if "torch" not in sys.modules:
        return
    try:
        heuristics = importlib.import_module("torch._inductor.runtime.triton_heuristics")
    except ImportError:
        return
    _replace(undo, heuristics.CachingAutotuner, "bench", lambda before: _unseen(recorder, before))
    for name in ("static_triton_launcher", "static_cuda_launcher"):
        with contextlib.suppress(ImportError):
            module = importlib.import_module("torch._inductor.runtime." + name)
            static = getattr(module, "StaticallyLaunchedTritonKernel", None) or module.StaticallyLaunchedCudaKernel
            _replace(undo, static, "run", lambda before: _static(recorder, before))
            _replace(undo, heuristics.CachingAutotuner, "run", lambda before: _made_before(undo, before))
            break


def _made_before(undo: contextlib.ExitStack, before: Any) -> Any:
    """Launchers of Inductor keep the method that starts their kernel as it was when they were made."""
    def run(self: Any, *args: Any, **named: Any) -> Any:
        for launcher in self.launchers:
            kept = getattr(launcher, "__globals__", {})
            runner = kept.get("runner")
            static = getattr(runner, "__self__", None) if getattr(launcher, "_is_static", False) else None
            if static is not None and runner != static.run:
                kept["runner"] = static.run
                undo.callback(kept.__setitem__, "runner", runner)
        return before(self, *args, **named)
    return run


def _static(recorder: _Recorder, before: Any) -> Any:
    def run(self: Any, x: int, y: int, z: int, stream: int, *args: Any) -> None:
        recorder.launch(self, _static_kernel, args, (x, y, z), stream)
        before(self, x, y, z, stream, *args)
    return run


def _static_kernel(static: Any) -> Kernel:
    """What Triton compiled is in its cache, under the hash."""
    key_of = importlib.import_module("torch._inductor.runtime.runtime_utils").triton_hash_to_path_key
    folder_of = importlib.import_module("torch._inductor.runtime.cache_dir_utils").triton_cache_dir
    device = importlib.import_module("torch").cuda.current_device()
    return triton_compiler.read_cache(pathlib.Path(folder_of(device)) / key_of(static.hash))


class record:
    """The launches of Triton kernels in a part of this program, those of torch.compile included:

        with warpline.triton.record() as part:
            model(x)
        part.recording.launches("h200")

        with warpline.triton.record("model.wlrec"): ..    # then: warpline predict model.wlrec --device h200

    path      the file; without it, one that is removed when nothing needs the recording
    launches  of each kernel with equal sizes, so many are kept; others are recorded as like the last of these

    Integers in memory are kept, up to 64 MiB, as addresses may depend on them: such a launch waits for the GPU.
    What searches of configurations launch is left out, and so are kernels that Triton did not compile (cuBLAS, ..).
    """

    recording: Recording

    def __init__(self, path: Union[None, str, "os.PathLike[str]"] = None, *, launches: int = 2):
        triton_compiler.triton()
        self._launches, self._folder = launches, None if path else tempfile.mkdtemp(prefix="warpline-")
        self.path = pathlib.Path(path or os.path.join(str(self._folder), "triton.wlrec"))

    def __enter__(self) -> "record":
        self._undo = contextlib.ExitStack()
        self._recorder = _Recorder(self.path, self._launches)
        _watch_triton(self._recorder, self._undo)
        _watch_inductor(self._recorder, self._undo)
        return self

    def __exit__(self, *failure: Any) -> None:
        self._undo.close()
        self._recorder.end()
        self.recording = Recording(self.path)
        if self._folder:
            weakref.finalize(self.recording, shutil.rmtree, self._folder, True)
