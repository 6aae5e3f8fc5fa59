"""Arguments of Triton kernels: tensors without memory, and what a launch passes to the kernel. SPDX-License-Identifier: MIT"""
from __future__ import annotations

import copy
from typing import Any, Dict, Iterator, List, NamedTuple, NoReturn, Optional, Sequence, Tuple, Union

from . import arrays, errors
from .triton_compiler import CONSTANT, Kernel

__all__ = ["CONTENTS_MOST", "Tensor", "TensorMap", "as_argument", "entry_arguments", "entry_values", "pairs",
           "passed"]

_TRITON_NAMES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "e4m3": "float8_e4m3fn",
                 "e5m2": "float8_e5m2", "bool": "bool",
                 **{f"{kind}{n}": f"{word}{n}" for kind, word in (("s", "int"), ("u", "uint")) for n in (8, 16, 32, 64)}}
CONTENTS_MOST = 1 << 26  # bytes: larger arrays of integers are hardly indices
_SWIZZLES = (0, 32, 64, 128)


class _Type:
    """A type of elements, as Triton asks one of PyTorch."""

    def __init__(self, name: str):
        self.name = _TRITON_NAMES[name]
        self.short = name
        self.itemsize = arrays.BYTES[name]
        self.is_floating_point = name[0] in "fe" or name == "bf16"

    def __str__(self) -> str:
        return "torch." + self.name

    __repr__ = __str__


_TYPES = {name: _Type(name) for name in _TRITON_NAMES}  # one object each: Triton knows types by their identity


class Tensor:
    """A tensor without memory: ``Tensor((4096, 4096), "f16")``, also as base of a TensorDescriptor of Triton.

    dtype     f16, bf16, f32, f64, e4m3, e5m2, s8 .. s64, u8 .. u64, bool; PyTorch's names and objects, too
    strides   in elements, the last dimension last; default: without gaps
    contents  what it holds, where addresses or branches depend on that: bytes, or a text as behind
              ``buf:SIZE=`` on the command line: "zero", "random:u32:0..4095"
    aligned   to 16 bytes; Triton compiles other kernels for tensors that are not
    """

    def __init__(self, shape: Union[int, Sequence[int]], dtype: Any, strides: Optional[Sequence[int]] = None, *,
                 contents: Union[str, bytes, None] = None, aligned: bool = True):
        self.shape = (shape,) if isinstance(shape, int) else tuple(shape)
        self.dtype = _TYPES[arrays.type_name(dtype)]
        self.strides = tuple(strides) if strides is not None else arrays.contiguous(self.shape)
        self.contents = contents
        self.aligned = aligned
        if len(self.strides) != len(self.shape):
            raise errors.InputError(f"{len(self.shape)} extents and {len(self.strides)} strides", status="bad input",
                                    input="Tensor")

    # what kernels' hooks and Triton ask of a tensor

    def data_ptr(self) -> int:
        return 0 if self.aligned else self.dtype.itemsize

    def stride(self, dim: Optional[int] = None) -> Any:
        return self.strides if dim is None else self.strides[dim]

    def size(self, dim: Optional[int] = None) -> Any:
        return self.shape if dim is None else self.shape[dim]

    def numel(self) -> int:
        product = 1
        for extent in self.shape:
            product *= extent
        return product

    def element_size(self) -> int:
        return self.dtype.itemsize

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def zero_(self) -> "Tensor":
        """For hooks that clear an output: it then holds zeros."""
        self.contents = "zero"
        return self

    @property
    def argument(self) -> Any:
        """What a prediction takes for it."""
        if isinstance(self.contents, bytes):
            return self.contents
        described = arrays.Layout(self.shape, self.strides, self.dtype.short).argument
        return described + (f"={self.contents}" if self.contents else "")

    def __repr__(self) -> str:
        return f"Tensor({self.shape}, {self.dtype.short!r})"


def _contents(value: Any, where: arrays.Layout) -> Optional[bytes]:
    """Of integers and booleans: addresses and branches may depend on them."""
    first, last = where.span
    if where.dtype[0] not in "sub" or where.dtype == "bf16" or (last - first) * arrays.BYTES[where.dtype] > CONTENTS_MOST:
        return None
    if getattr(value, "is_cuda", False):
        value = value.cpu()
    known = arrays.contents(value, where)
    return bytes(known) if known is not None else None


def _tensor(value: Any) -> Optional[Tensor]:
    """An array of any package; None: this is none."""
    if isinstance(value, Tensor):
        return copy.copy(value)
    where = arrays.layout(value)
    if where is None:
        return None
    return Tensor(where.shape, where.dtype, where.strides, contents=_contents(value, where),
                  aligned=where.address % 16 == 0)


def _is_number(value: Any) -> bool:
    """One of NumPy's, which has a dtype as an array has."""
    return getattr(value, "shape", None) == () and hasattr(value, "item") and not hasattr(value, "__setitem__")


def _refuse(name: str, value: Any) -> NoReturn:
    if hasattr(value, "tma_desc_cpu_ptr"):
        raise errors.UnsupportedError("a descriptor of Triton 3.2 does not tell its tensor: use TensorDescriptor of "
                                      "Triton 3.4 or newer", status="not supported", input=name)
    raise errors.InputError(f"a {type(value).__name__} is no argument of a kernel: give a number, an array, "
                            'warpline.triton.Tensor((4096, 4096), "f16") or a TensorDescriptor', status="bad input",
                            input=name)


def as_argument(name: str, value: Any) -> Any:
    """An argument with tensors without memory in place of arrays."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, (tuple, list)):
        parts = [as_argument(name, v) for v in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if hasattr(value, "block_shape") and hasattr(value, "base"):  # a descriptor
        described = copy.copy(value)
        described.base = as_argument(name, value.base)
        return described
    if _is_number(value):
        return value.item()
    with errors.about(name):
        made = _tensor(value)
    return made if made is not None else _refuse(name, value)


# ---- what the kernel gets ----


def pairs(types: Any, values: Any) -> Iterator[Tuple[Any, Any]]:
    """(type, value) of each parameter of the machine code, which takes tuples apart; without constants."""
    for kind, value in zip(types, values):
        if isinstance(kind, (tuple, list)):
            yield from pairs(kind, value)
        elif kind != CONSTANT:
            yield kind, value


def passed(source: Any, args: Sequence[Any]) -> List[Any]:
    """Which arguments of a launch, in the order of the parameters, the machine code gets.

    3.2 and old launchers leave constexprs out; constants are known by name there, later by place.
    """
    fn, names = source.fn, list(source.fn.arg_names)
    if len(args) != len(names):
        names = [p.name for p in fn.params if not p.is_constexpr]
    values = dict(zip(names, args))
    constants = getattr(source, "constants", {})
    return [value for name, kind in source.signature.items()
            if name in values and name not in constants and (fn.arg_names.index(name),) not in constants
            for _, value in pairs([kind], [values[name]])]


class TensorMap(NamedTuple):
    """A descriptor that the kernel gets as a map of the hardware; `meta`: its box and swizzle."""
    of: Any
    meta: Dict[str, Any]


def _tensor_map(value: Any, meta: Dict[str, Any]) -> str:
    """A tensor map as --arg describes it: the contiguous dimension comes first."""
    if meta.get("is_im2col") or meta.get("fp4_padded"):
        raise errors.UnsupportedError("descriptors of images and of fp4 are not supported", status="not supported",
                                      input="TensorDescriptor")
    kind = "tf32" if getattr(value, "round_f32_to_tf32", False) else value.base.dtype.short
    size = value.base.dtype.itemsize
    text = ["tensormap", kind, "x".join(str(e) for e in reversed(value.shape)),
            "x".join(str(e) for e in reversed(meta["block_size"]))]
    if _SWIZZLES[meta["swizzle"]]:
        text.append(f"swizzle={_SWIZZLES[meta['swizzle']]}")
    if tuple(value.strides) != arrays.contiguous(value.shape):
        text.append("pitch=" + "x".join(str(s * size) for s in reversed(list(value.strides)[:-1])))
    if getattr(value, "padding", "zero") == "nan":
        text.append("fill=nan")
    return ":".join(text)


def _descriptor(value: Any, meta: Optional[Dict[str, Any]], flags: int) -> List[Any]:
    """A descriptor is passed with its shape and strides; without tensor maps, as a pointer with them twice."""
    extents = [*map(int, value.shape), *map(int, value.strides)]
    if meta is not None:
        return [TensorMap(value, meta), *extents]
    options = [getattr(value, "padding", "zero") == "nan", getattr(value, "round_f32_to_tf32", False)]
    return [value.base, *extents, *options[:flags], *extents]


def entry_values(kernel: Kernel, values: Sequence[Any]) -> List[Any]:
    """Arguments as the entry has them, without scratch memory: descriptors are taken apart."""
    described = [v for v in values if hasattr(v, "block_shape")]
    for flags in range(3):  # options that releases of Triton pass of a descriptor without a tensor map
        metas = iter(kernel.descriptors or [None] * len(described))
        found: List[Any] = []
        for value in values:
            found += _descriptor(value, next(metas, None), flags) if hasattr(value, "block_shape") else [value]
        if len(found) + len(kernel.scratch) == kernel.parameters:
            return found
    raise errors.InputError(f"the kernel has {kernel.parameters - len(kernel.scratch)} parameters, which are not these "
                            f"{len(values)} arguments", status="bad input", input=kernel.name)


def _described(value: Any) -> Any:
    return value.argument if isinstance(value, Tensor) else _tensor_map(*value) if isinstance(value, TensorMap) else value


def entry_arguments(kernel: Kernel, values: Sequence[Any], blocks: int) -> List[Any]:
    """What a prediction takes for the parameters of the entry: those of the kernel, then scratch memory."""
    scratch = [f"buf:{size * blocks * kernel.ctas}" if size else 0 for size in kernel.scratch]
    return [_described(value) for value in entry_values(kernel, values)] + scratch
