"""What users write for blocks, foldings, grids and schedules. SPDX-License-Identifier: MIT"""
from __future__ import annotations

from ctypes import byref, c_int, c_int64
from typing import Any, List, Mapping, Optional, Sequence, Tuple, Union

from . import errors
from ._native import Handle, Launch, PredictOptions, lib, strings

Shape = Union[int, str, Sequence[int]]
Params = Mapping[str, Any]


def shape(value: Shape, name: str) -> Tuple[int, ...]:
    """256, (32, 8) or "32x8x1"; missing extents are 1."""
    try:
        parts = value.split("x") if isinstance(value, str) else [value] if isinstance(value, int) else list(value)
        extents = tuple(int(p) for p in parts)
    except (TypeError, ValueError):
        extents = ()
    if not 1 <= len(extents) <= 3 or min(extents) < 1:
        raise errors.InputError(f"one to three whole numbers above 0 are needed, as (32, 4, 2), not {value!r}",
                                status="bad input", input=name)
    return extents + (1,) * (3 - len(extents))


def shape_text(value: Shape, name: str) -> str:
    return "x".join(str(e) for e in shape(value, name))


def several(block: Any) -> Optional[List[Any]]:
    """The blocks of a list of blocks; None for one block."""
    if isinstance(block, (int, str)) or all(isinstance(e, int) for e in block):
        return None
    return list(block)


def assignments(params: Optional[Params]) -> List[str]:
    return [f"{name}={value}" for name, value in (params or {}).items()]


def is_rule(grid: Any) -> bool:
    return isinstance(grid, str) and not all(c in "0123456789x" for c in grid)


def launch(block: Shape, fold: Optional[Shape] = None, grid: Any = None, registers: Optional[int] = None,
           shared_bytes: Optional[int] = None, schedule: Optional[str] = None) -> Launch:
    out = Launch()
    out.block[:] = shape(block, "block")
    if fold is not None:
        out.fold[:] = shape(fold, "fold")
    if grid is not None and not is_rule(grid):
        out.grid[:] = shape(grid, "grid")
    out.registers = registers or 0
    out.shared_bytes = shared_bytes or 0
    if schedule is not None:
        lib.wl_schedule_parse(schedule.encode(), byref(out.schedule))
    return out


def apply_rule(grid: Any, params: Optional[Params], device: Any, domain: Sequence[int], out: Launch,
               kernel: Any = None) -> None:
    """The grid that a rule, "cdiv(nx,block.x),ny", gives for a launch; it may name params of the kernel."""
    if not is_rule(grid):
        return
    rule = Handle(lib.wl_grid_rule_free)
    names = assignments(params)
    extent = (c_int64 * 3)(*(tuple(domain) + (1,) * (3 - len(domain)) if domain else (0, 0, 0)))
    with errors.about("grid"):
        lib.wl_grid_rule_parse(kernel, grid.encode(), strings(names), len(names), rule.out)
        lib.wl_grid_rule_apply(rule.pointer, device, extent, byref(out))


CACHES = ("warm", "cold")  # as wl_caches


def predict_options(model: Optional[str] = None, per_access: bool = False, per_line: bool = False,
                    confidence: bool = False, simulate: Union[bool, int] = False,
                    l1_samples: Optional[int] = None, caches: str = "warm") -> PredictOptions:
    out = PredictOptions(per_access=per_access, per_line=per_line, confidence=confidence)
    if model is not None:
        found = c_int()
        if not lib.wl_model_find(model.encode(), byref(found)):
            raise errors.InputError(f"there is no such model: {model!r}", status="bad input", input="model")
        out.model = found.value
    if caches not in CACHES:
        raise errors.InputError(f"caches are warm or cold, not {caches!r}", status="bad input", input="caches")
    out.caches = CACHES.index(caches)
    out.simulate = -1 if simulate is True else int(simulate)
    out.l1_samples = l1_samples or 0
    return out
