"""Models of PyTorch: where the time of what torch.compile makes of them goes, on any GPU.

    import warpline.torch

    profile = warpline.torch.profile(model, (x,), device="h100")
    print(profile)                        # a table; profile.report("model.html") is a page
    pandas.DataFrame(profile.rows)

Triton kernels that Inductor generates are predicted from their PTX. Calls of cuBLAS, cuDNN and other
libraries have none: they are listed with a roofline estimate, and marked. Inductor needs a GPU to
compile: without one, give a recording that was made on a machine with one. SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import html
import importlib
import os
import pathlib
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import arrays, errors, triton
from .devices import Device, DeviceLike, as_device
from .recordings import Recording

__all__ = ["Profile", "profile"]

PREDICTED, ESTIMATED = "predicted", "roofline estimate"
_HEADS = ("share", "time", "calls", "limiter", "kernel", "time is")
_Launched = Tuple[str, Optional[float], Optional[str], Optional[str]]  # kernel, seconds, limiter, why there are none
_NO_WORK = ("empty", "empty_strided", "empty_like", "new_empty", "new_empty_strided", "detach", "set_", "resize_",
            "lift_fresh", "_unsafe_view", "_local_scalar_dense")


def _torch() -> Any:
    try:
        return importlib.import_module("torch")
    except ImportError:
        raise ImportError("warpline.torch needs PyTorch: pip install torch") from None


# ---- calls of libraries ----


class Call(NamedTuple):
    """A call of an operation that Inductor leaves to a library."""
    name: str
    flops: float
    bytes: int
    kind: str  # of its elements


def _tensors(values: Iterable[Any]) -> List[Any]:
    found: List[Any] = []
    for value in values:
        if isinstance(value, (tuple, list)):
            found += _tensors(value)
        elif hasattr(value, "data_ptr") and hasattr(value, "numel"):
            found.append(value)
    return found


def _call(function: Any, args: Sequence[Any], named: Mapping[str, Any], result: Any) -> Optional[Call]:
    """What it moves, each tensor once, and computes; None: nothing."""
    tensors = {(t.data_ptr(), t.numel()): t for t in _tensors([*args, *named.values(), result])}
    if function.is_view or function._overloadpacket.__name__ in _NO_WORK or not tensors:
        return None
    counter = importlib.import_module("torch.utils.flop_counter").flop_registry.get(function._overloadpacket)
    flops = counter(*args, **named, out_val=result) if counter is not None else 0
    moved = sum(min(t.numel() * t.element_size(), t.untyped_storage().nbytes()) for t in tensors.values())
    kinds = [arrays.type_name(t.dtype) for t in tensors.values() if t.is_floating_point() or not flops]
    smallest = min(kinds or ["f32"], key=lambda kind: arrays.BYTES[kind])
    return Call(str(function._overloadpacket), float(flops), moved, smallest)


def _watch(calls: List[Call]) -> Any:
    """A mode that sees the operations that compiled code calls."""
    base: Any = importlib.import_module("torch.utils._python_dispatch").TorchDispatchMode
    if not hasattr(base, "ignore_compile_internals"):
        raise errors.UnsupportedError("this PyTorch does not let anyone see what compiled code calls; 2.11 does: "
                                      "pip install 'torch>=2.11'", status="not supported", input="warpline.torch")

    class Calls(base):  # type: ignore[misc]
        @classmethod
        def ignore_compile_internals(cls) -> bool:
            return True

        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            result = function(*args, **(kwargs or {}))
            made = _call(function, args, kwargs or {}, result)
            if made is not None:
                calls.append(made)
            return result
    return Calls()


def _rate(numbers: Mapping[str, Any], kind: str) -> float:
    """Operations of a multiprocessor in a cycle, by tensor cores where they take the type."""
    plain = 2 * numbers.get("fp64_rate" if kind == "f64" else "fp32_rate", numbers["fp32_rate"])
    tensor = {"f16": "tensor_f16_rate", "bf16": "tensor_f16_rate", "f64": "tensor_f64_rate", "f32": "tensor_tf32_rate"}
    if kind == "f32" and _torch().get_float32_matmul_precision() == "highest":
        return plain
    return max(plain, numbers.get(tensor.get(kind, "tensor_i8_rate"), 0))


def estimate(call: Call, device: Device) -> Tuple[float, str]:
    """Seconds and limiter by the roofline: no library takes less; most take somewhat longer."""
    numbers = device.to_dict()
    bounds = {"dram": call.bytes / numbers["dram_bandwidth"],
              "tensor": call.flops / (_rate(numbers, call.kind) * numbers["sm_count"] * numbers["clock"]),
              "launch": numbers.get("launch_duration", 0.0)}
    limiter = max(bounds, key=lambda name: bounds[name])
    return bounds[limiter], limiter


# ---- the profile ----


class Profile:
    """Where the time goes. ``rows``: a dict for each kernel or library call, by time: ``kernel``,
    ``kind`` ("triton" or "library"), ``calls``, ``time_s``, ``share``, ``limiter``, ``basis``
    ("predicted" or "roofline estimate"), and ``reason`` where a kernel cannot be predicted.
    ``recording`` has the launches of Triton kernels; ``notes`` say what is not in the table.
    """

    def __init__(self, name: str, device: Device, recording: Recording, calls: Sequence[Call], notes: Sequence[str]):
        self.name, self.device, self.recording = name, device, recording
        self.notes = [*recording.notes, *notes]
        launches = recording.launches(device) if len(recording) else []
        kernels = _rows("triton", PREDICTED, ((x["kernel"], x["time_s"], x["limiter"], x["reason"]) for x in launches))
        libraries = _rows("library", ESTIMATED, ((c.name, *estimate(c, device), None) for c in calls))
        self.rows: List[Dict[str, Any]] = sorted([*kernels, *libraries], key=lambda row: -(row["time_s"] or 0))
        self.time_s: float = sum(row["time_s"] or 0 for row in self.rows)
        for row in self.rows:
            row["share"] = row["time_s"] / self.time_s if row["time_s"] else None

    @property
    def _headline(self) -> str:
        counts = {kind: sum(row["calls"] for row in self.rows if row["kind"] == kind) for kind in ("triton", "library")}
        return (f"{self.name} on {self.device.name} ({self.device.title}): {_seconds(self.time_s)}, {counts['triton']} launches of "
                f"Triton kernels, {counts['library']} calls of libraries")

    def _cells(self) -> List[List[str]]:
        return [["-" if row["share"] is None else f"{100 * row['share']:.1f}%", _seconds(row["time_s"]), str(row["calls"]),
                 row["limiter"] or "-", row["kernel"], row["basis"] if row["reason"] is None else row["reason"]]
                for row in self.rows]

    def __str__(self) -> str:
        table = [_HEADS, *self._cells()]
        widths = [max(len(line[i]) for line in table) for i in range(len(_HEADS))]
        lines = ["  ".join(cell.rjust(w) if i < 3 else cell.ljust(w) for i, (cell, w) in enumerate(zip(line, widths))).rstrip()
                 for line in table]
        return "\n".join([self._headline, "", *lines, *([""] if self.notes else []), *(f"note: {n}" for n in self.notes)])

    def __repr__(self) -> str:
        return f"<Profile of {self._headline}>"

    def _repr_html_(self) -> str:
        heads = "".join(f"<th>{head}</th>" for head in _HEADS)
        body = "\n".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in line) + "</tr>" for line in self._cells())
        notes = "".join(f"<p>note: {html.escape(note)}</p>" for note in self.notes)
        return f"<p>{html.escape(self._headline)}</p>\n<table>\n<tr>{heads}</tr>\n{body}\n</table>\n{notes}"

    def report(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the table as a page of HTML that needs nothing else."""
        style = ("body{font-family:sans-serif;margin:2em}table{border-collapse:collapse}td,th{padding:.2em .8em;"
                 "text-align:left;border-bottom:1px solid #ccc}td:nth-child(-n+3){text-align:right}")
        pathlib.Path(path).write_text(
            f"<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>{html.escape(self.name)}</title>"
            f"<style>{style}</style></head>\n<body>\n{self._repr_html_()}\n</body></html>\n", encoding="utf-8")


def _seconds(value: Optional[float]) -> str:
    if value is None:
        return "-"
    factor, unit = next(((f, u) for f, u in ((1, "s"), (1e3, "ms")) if value * f >= 1), (1e6, "us"))
    return f"{value * factor:.4g} {unit}"


def _rows(kind: str, basis: str, launches: Iterable[_Launched]) -> List[Dict[str, Any]]:
    """A row for each kernel; its limiter is that of the longest launch."""
    rows: Dict[str, Dict[str, Any]] = {}
    longest: Dict[str, float] = {}
    for name, seconds, limiter, reason in launches:
        row = rows.setdefault(name, {"kernel": name, "kind": kind, "calls": 0, "time_s": None, "limiter": None,
                                     "basis": basis, "reason": None})
        row["calls"] += 1
        if seconds is None:
            row["reason"] = f"not predicted: {reason}"
            continue
        row["time_s"] = (row["time_s"] or 0.0) + seconds
        if seconds > longest.get(name, 0):
            longest[name], row["limiter"] = seconds, limiter
    return list(rows.values())


def _run(model: Any, inputs: Any) -> Any:
    if isinstance(inputs, Mapping):
        return model(**inputs)
    return model(*inputs) if isinstance(inputs, (tuple, list)) else model(inputs)


def profile(model: Any = None, inputs: Any = (), device: DeviceLike = "h100", *,
            recording: Union[None, Recording, str, "os.PathLike[str]"] = None,
            keep: Union[None, str, "os.PathLike[str]"] = None, what_if: Optional[Mapping[str, Any]] = None) -> Profile:
    """Compiles a model, runs it once on the GPU of this machine, and predicts it on a device.

    model      a module, or a function that does a step; what torch.compile returned is taken as it is
    inputs     its arguments: a tuple, a dict of keywords, or one tensor, on the GPU
    device     what to predict; the kernels are those that Inductor makes for the GPU of this machine
    recording  instead of a model: what `warpline.triton.record` wrote. It has no calls of libraries
    keep       a file for the recording

    Gradients are computed if the model asks for them: use torch.no_grad() for inference.
    """
    where = as_device(device, what_if)
    if recording is not None:
        made = recording if isinstance(recording, Recording) else Recording(recording)
        return Profile(made.command or "recording", where, made, (), [
            "calls of cuBLAS, cuDNN and other libraries are not in a recording"])
    if model is None:
        raise TypeError("profile() needs a model, or recording=")
    torch = _torch()
    if not torch.cuda.is_available():
        raise errors.UnsupportedError(
            "Inductor needs a GPU to compile a model. On a machine with one: 'with warpline.triton.record(\"model.wlrec\"): "
            "model(x)'; here: warpline.torch.profile(recording=\"model.wlrec\", device=..)", status="not supported",
            input="warpline.torch")
    compiled = model if hasattr(model, "_orig_mod") or hasattr(model, "_torchdynamo_orig_callable") else torch.compile(model)
    calls: List[Call] = []
    for _ in range(2):  # what is searched is searched here
        _run(compiled, inputs)
    torch.cuda.synchronize()
    with triton.record(keep) as part, torch.autograd.set_multithreading_enabled(False), _watch(calls):
        _run(compiled, inputs)
    name = getattr(getattr(model, "_orig_mod", model), "__name__", None) or type(getattr(model, "_orig_mod", model)).__name__
    return Profile(name, where, part.recording, calls, [] if len(part.recording) else [
        "no kernel of Triton ran: is the model on the GPU?"])
