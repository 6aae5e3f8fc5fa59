"""Arrays of other packages, described without importing any: NumPy, CuPy, PyTorch, JAX, Numba. SPDX-License-Identifier: MIT"""
from __future__ import annotations

from typing import Any, NamedTuple, Optional, Sequence, Tuple

from . import errors

__all__ = ["BYTES", "Layout", "layout", "type_name"]

# bytes of the types that this package knows; names are those of --arg, with "bool" besides
BYTES = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "e4m3": 1, "e5m2": 1, "s8": 1, "s16": 2, "s32": 4, "s64": 8,
         "u8": 1, "u16": 2, "u32": 4, "u64": 8, "bool": 1}
_NAMES = {"float16": "f16", "half": "f16", "bfloat16": "bf16", "float32": "f32", "float": "f32", "float64": "f64",
          "double": "f64", "float8_e4m3fn": "e4m3", "float8_e5m2": "e5m2", "bool_": "bool", "fp16": "f16",
          "fp32": "f32", "fp64": "f64", "fp8e4nv": "e4m3", "fp8e5": "e5m2", "i1": "bool",
          **{f"int{n}": f"s{n}" for n in (8, 16, 32, 64)}, **{f"uint{n}": f"u{n}" for n in (8, 16, 32, 64)},
          **{f"i{n}": f"s{n}" for n in (8, 16, 32, 64)}}
_KINDS = {"f": "f", "i": "s", "u": "u"}  # of NumPy's array interface, <f4


def type_name(dtype: Any) -> str:
    """The type of elements as this package calls it: f16, bf16, f32, s32, ..; from a name or a dtype of any package."""
    text = getattr(dtype, "__name__", None) or getattr(dtype, "name", None) or str(dtype)
    text = text.split(".")[-1]
    name = text if text in BYTES else _NAMES.get(text)
    if name is None:
        raise errors.InputError(f"arrays of {text} are not supported: give one of {', '.join(BYTES)}, as in "
                                "array.view(..)", status="bad input")
    return name


def _type_of_interface(typestr: str) -> str:
    if typestr[1:] == "b1":
        return "bool"
    return type_name(_KINDS.get(typestr[1], typestr) + str(8 * int(typestr[2:])) if typestr[1] in _KINDS else typestr)


class Layout(NamedTuple):
    """An array: where its elements lie, in elements; where it starts, if that is known."""
    shape: Tuple[int, ...]
    strides: Tuple[int, ...]
    dtype: str
    address: int = 0

    @property
    def span(self) -> Tuple[int, int]:
        """The first element and the one behind the last one, counted from where the array starts."""
        if 0 in self.shape:
            return 0, 0
        steps = [(n - 1) * s for n, s in zip(self.shape, self.strides)]
        return sum(min(s, 0) for s in steps), sum(max(s, 0) for s in steps) + 1

    @property
    def argument(self) -> str:
        """The buffer, as --arg describes it."""
        first, last = self.span
        size = BYTES[self.dtype]
        offset = f":{-first * size}" if first < 0 else ""
        return f"buf:{max(last - first, 1) * size}{offset}"


def contiguous(shape: Sequence[int]) -> Tuple[int, ...]:
    """Strides of an array without gaps, the last dimension first."""
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))


def _layout_of_interface(face: Any, dtype: Any) -> Layout:
    name = type_name(dtype) if dtype is not None else _type_of_interface(face["typestr"])
    shape = tuple(face["shape"])
    strides = face.get("strides")
    size = BYTES[name]
    steps = tuple(s // size for s in strides) if strides else contiguous(shape)
    return Layout(shape, steps, name, (face.get("data") or (0,))[0] or 0)


def _interface(value: Any, name: str) -> Any:
    try:
        return getattr(value, name, None)
    except (RuntimeError, TypeError):  # PyTorch: of tensors with gradients
        return None


def layout(value: Any) -> Optional[Layout]:
    """The layout of an array; None: this is none.

    An array is what has a shape and a dtype, and if it has memory of its own, one of: the strides and
    the pointer of a PyTorch tensor, __cuda_array_interface__, __array_interface__.
    """
    dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
    if callable(getattr(value, "stride", None)) and dtype is not None:
        pointer = getattr(value, "data_ptr", None)
        return Layout(tuple(map(int, value.shape)), tuple(map(int, value.stride())), type_name(dtype),
                      pointer() if pointer and not getattr(value, "is_meta", False) else 0)
    for name in ("__cuda_array_interface__", "__array_interface__"):
        face = _interface(value, name)
        if face is not None:
            return _layout_of_interface(face, dtype)
    if shape is None or dtype is None:
        return None
    extents = tuple(map(int, shape))
    return Layout(extents, contiguous(extents), type_name(dtype))


def contents(value: Any, where: Layout) -> Any:
    """What the host can read of an array, as a memoryview; None: it is elsewhere, or it has gaps."""
    if where.strides != contiguous(where.shape) or _interface(value, "__cuda_array_interface__") is not None:
        return None
    try:
        if callable(getattr(value, "detach", None)):  # a tensor of PyTorch, which has no buffer interface
            value = value.detach().numpy() if value.device.type == "cpu" else None
        return memoryview(value)
    except (TypeError, ValueError, RuntimeError, BufferError):  # no memory, or types that NumPy does not have
        return None
