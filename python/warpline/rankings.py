"""Spaces of launches, searched; whole columns come out of one C call. SPDX-License-Identifier: MIT"""
from __future__ import annotations

import bisect
import ctypes
import functools
import json
import math
import operator
from ctypes import byref, c_double
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Union, overload

from . import errors
from ._native import (PROGRESS, RANK_VALUES, SCHEDULE_TEXT_MAX, SINK, WL_OK, Handle, Launch, Ranked, RankedSpace,
                      Ranking as CRanking, RankOptions, RankWriter, Schedule, lib, strings)
from .devices import Device, DeviceLike, as_device
from .kernels import _EFFORT_OF_MANY, Kernel, KernelLike
from .launch_arguments import Params, Shape, assignments, is_rule, predict_options, shape, shape_text
from .predictions import Arguments, as_launched_kernel

try:
    import numpy
except ImportError:  # everything works without it; columns are lists then
    numpy = None  # type: ignore[assignment]

__all__ = ["Ranking", "rank"]

Numbers = Union[str, int, Sequence[int]]
_JSON = 1
_DTYPES: Dict[Any, Any] = {}
_COMMON_BLOCKS = {1: (256,), 2: (32, 8), 3: (32, 4, 2)}  # a kernel in PTX is read with, as `warpline rank` does


def _array_of(struct: Any, count: int) -> Any:
    """Room for `count` structs: a NumPy array that the library writes into, or a ctypes array."""
    if numpy is None:
        return (struct * max(count, 1))()
    if struct not in _DTYPES:  # made once: that takes longer than some launches
        _DTYPES[struct] = numpy.dtype(struct)
    return numpy.empty(max(count, 1), dtype=_DTYPES[struct])


def _address(array: Any) -> int:
    return array.ctypes.data if numpy is not None else ctypes.addressof(array)


def _whole_numbers(count: int) -> Any:
    return numpy.zeros(max(count, 1), dtype="int64") if numpy is not None else (ctypes.c_int64 * max(count, 1))()


class Ranking(Sequence[Dict[str, Any]]):
    """Launches, best first: a sequence of dicts, and ``columns``, a dict of NumPy arrays.

    ``pandas.DataFrame(ranking.columns)`` is a table of all launches. Launches of one ``group`` are
    closer to one another than the model's error: their order means nothing.
    """

    def __init__(self, kernel: Kernel, device: Device, records: Any, launches: Any, items: Any, count: int,
                 summary: Dict[str, Any], trust: Any):
        self.kernel = kernel
        self.device = device
        self._records, self._launches, self._items, self._count = records, launches, items, count
        self._trust = trust
        self._columns: Optional[Dict[str, Any]] = None
        space = summary["spaces"][0]
        self.domain: Optional[List[int]] = space.get("domain")
        self.predicted: int = space["predicted"]
        self.left_out: List[Dict[str, Any]] = space["left_out"]
        self.notes: List[str] = space["notes"]
        self.tie: float = math.exp(trust.error)
        self.error_basis: str = space["error_basis"]
        self.interrupted: bool = space["interrupted"]

    @property
    def columns(self) -> Dict[str, Any]:
        """The launches as columns. NaN: not known."""
        if self._columns is None:
            self._columns = self._numpy_columns() if numpy is not None else self._list_columns()
        return self._columns

    def _numpy_columns(self) -> Dict[str, Any]:
        records, launches, items = (a[:self._count] for a in (self._records, self._launches, self._items))
        out: Dict[str, Any] = {"rank": numpy.arange(1, self._count + 1),
                               "group": _groups(records["time_s"], self.tie)}
        for name, least in (("block", 1), ("fold", 1), ("grid", 0)):
            extents = numpy.maximum(launches[name].T, least)
            out[name + "_x"], out[name + "_y"], out[name + "_z"] = extents
        out["schedule"] = _schedule_column(launches["schedule"])
        for name in ("registers", "shared_bytes"):
            out[name] = launches[name].copy()
        for name in ("blocks_per_sm", "warps_per_sm", "time_s"):
            out[name] = records[name].copy()
        out["items"] = items
        out["items_per_s"] = items / out["time_s"]
        for name, field in (("limiter", "limiter"), ("next_limiter", "next")):
            codes = records[field]
            names = [_bound(code) for code in range(int(codes.max(initial=0)) + 1)]
            out[name] = numpy.array(names)[codes]
        out.update(zip(_metric_names(), records["values"].T.copy()))
        return out

    def _list_columns(self) -> Dict[str, Any]:
        """The same without NumPy: whole columns are copied out of the structs, not field by field."""
        records, launches = (_fields(s, a, self._count) for s, a in ((Ranked, self._records), (Launch, self._launches)))
        time, items = records["time_s"], self._items[:self._count]
        out: Dict[str, Any] = {"rank": list(range(1, self._count + 1)), "group": _list_groups(time, self.tie)}
        for name, least in (("block", 1), ("fold", 1), ("grid", 0)):
            for d, axis in enumerate("xyz"):
                extents = launches[f"{name}.{d}"]
                out[f"{name}_{axis}"] = [e or least for e in extents] if least and 0 in extents else extents
        out["schedule"] = _schedule_texts(*(launches["schedule." + part] for part in ("kind", "width", "height")))
        for name in ("registers", "shared_bytes"):
            out[name] = launches[name]
        for name in ("blocks_per_sm", "warps_per_sm", "time_s"):
            out[name] = records[name]
        out["items"] = items
        out["items_per_s"] = list(map(operator.truediv, items, time))
        for name, field in (("limiter", "limiter"), ("next_limiter", "next")):
            out[name] = _texts(records[field], _bound)
        out.update((name, records[f"values.{v}"]) for v, name in enumerate(_metric_names()))
        return out

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Dict[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> List[Dict[str, Any]]: ...

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._count))]
        i = range(self._count)[index]  # negative ones, and IndexError
        return {key: (column[i].item() if numpy is not None else column[i]) for key, column in self.columns.items()}

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        lists = {k: (c.tolist() if numpy is not None else c) for k, c in self.columns.items()}
        return (dict(zip(lists, row)) for row in zip(*lists.values()))

    @property
    def best(self) -> Dict[str, Any]:
        """The launch that is predicted to be fastest."""
        return self[0]

    def to_benchmark(self, probability: float = 0.9) -> List[Dict[str, Any]]:
        """The launches to measure so that the fastest is among them with at least this probability."""
        ratio = c_double()
        if not lib.wl_trust_ratio(byref(self._trust), probability, byref(ratio)):
            raise errors.UnsupportedError(f"the validation data ({self.error_basis}) says nothing beyond "
                                          f"{100 * lib.wl_trust_probability(byref(self._trust), math.inf):.0f} %",
                                          status="not supported", input="probability")
        times = self.columns["time_s"]
        chosen = sum(1 for t in times if t <= times[0] * ratio.value) if self._count else 0
        if chosen == self._count < self.predicted:
            raise errors.LimitError("more launches are in the set than were kept: give a larger top, or none",
                                    status="limit", input="top")
        return self[:chosen]

    def __repr__(self) -> str:
        return (f"<Ranking of {self.kernel.name} on {self.device.name}: the best {self._count} of {self.predicted} "
                "launches>")


_NO_COLUMNS = {"index", "outcome", "condition"}  # of a record: only the search itself needs them
_CODES = {ctypes.c_int64: "q", ctypes.c_double: "d", ctypes.c_int32: "i", ctypes.c_int: "i", ctypes.c_uint8: "B"}


@functools.lru_cache(maxsize=None)
def _places(struct: Any) -> Dict[str, Any]:
    """The numbers of a struct, as name -> (offset, code): "block.0" of an array, "schedule.kind" of a struct in it."""
    found: Dict[str, Any] = {}
    for name, kind in struct._fields_:
        offset = getattr(struct, name).offset
        if kind in _CODES:
            found[name] = offset, _CODES[kind]
        elif hasattr(kind, "_length_"):
            size = ctypes.sizeof(kind._type_)
            found.update((f"{name}.{i}", (offset + i * size, _CODES[kind._type_])) for i in range(kind._length_))
        else:
            found.update((f"{name}.{inner}", (offset + at, code)) for inner, (at, code) in _places(kind).items())
    return found


def _fields(struct: Any, array: Any, count: int) -> Dict[str, List[Any]]:
    """The fields of many structs, a list each. A step through the memory is much faster than a look at each struct."""
    size = ctypes.sizeof(struct)
    memory: Any = memoryview(array).cast("B")[:count * size]
    views = {code: memory.cast(code) for code in set(_CODES.values())}
    return {name: views[code][offset // views[code].itemsize::size // views[code].itemsize].tolist()
            for name, (offset, code) in _places(struct).items() if name not in _NO_COLUMNS}


def _texts(keys: List[Any], text_of: Callable[[Any], str]) -> List[str]:
    """The text of each key; few of them differ."""
    known = {key: text_of(key) for key in set(keys)}
    return list(map(known.__getitem__, keys))


@functools.lru_cache(maxsize=None)
def _bound(code: int) -> str:
    return lib.wl_bound_name(int(code)).decode()


@functools.lru_cache(maxsize=None)
def _metric_names() -> List[str]:
    return [lib.wl_metric_name(lib.wl_rank_metric(v)).decode() for v in range(RANK_VALUES)]


@functools.lru_cache(maxsize=None)
def _schedule_text(kind: int = 0, width: int = 0, height: int = 0) -> str:
    text = ctypes.create_string_buffer(SCHEDULE_TEXT_MAX)
    lib.wl_schedule_print(byref(Schedule(kind, width, height)), text)
    return text.value.decode()


def _schedule_texts(kinds: List[int], widths: List[int], heights: List[int]) -> List[str]:
    if not any(kinds):
        return [_schedule_text()] * len(kinds)
    return _texts(list(zip(kinds, widths, heights)), lambda schedule: _schedule_text(*schedule))


def _schedule_column(schedules: Any) -> Any:
    if not schedules["kind"].any():
        return numpy.full(len(schedules), _schedule_text())
    kinds = numpy.stack([schedules[f].astype("int64") for f in ("kind", "width", "height")], axis=1)
    distinct, where = numpy.unique(kinds, axis=0, return_inverse=True)
    texts = numpy.array([_schedule_text(*(int(v) for v in row)) for row in distinct])
    return texts[where.reshape(-1)]


def _groups(times: Any, tie: float) -> Any:
    """A launch begins a group when it is slower than the first of the group before by more than a tie."""
    groups = numpy.empty(len(times), dtype="int64")
    start, group = 0, 0
    ascending = numpy.ascontiguousarray(times)
    while start < len(times):
        end = int(ascending.searchsorted(ascending[start] * tie, "right"))
        group += 1
        groups[start:end] = group
        start = end
    return groups


def _list_groups(times: Sequence[float], tie: float) -> List[int]:
    groups: List[int] = []
    group = 0
    while len(groups) < len(times):
        end = bisect.bisect_right(times, times[len(groups)] * tie)
        group += 1
        groups += [group] * (end - len(groups))
    return groups


def _numbers(value: Numbers) -> str:
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else ",".join(map(str, value))


def _space(settings: Mapping[str, Any], names: Optional[Params], kernel: Kernel) -> Handle:
    space = Handle(lib.wl_space_free, kernel)
    lib.wl_space_new(space.out)
    sets = assignments(names)
    lib.wl_space_names(space.pointer, kernel._handle.pointer, strings(sets), len(sets))
    for key, text in settings.items():
        try:
            lib.wl_space_set(space.pointer, key.encode(), text.encode())
        except errors.InputError as wrong:
            raise errors.InputError(wrong.message, status=wrong.status, input=wrong.input or key, line=wrong.line,
                                    column=wrong.column) from None
    return space


class _Progress:
    """Called by the library some times a second; what is raised here is raised again after the call."""

    def __init__(self, user: Optional[Callable[[int, int], Any]]):
        self._user = user
        self.raised: Optional[BaseException] = None
        self.call = PROGRESS(self._call)

    def _call(self, _user: Any, done: int, total: int) -> bool:
        try:
            return self._user is None or self._user(done, total) is not False
        except BaseException as raised:  # Ctrl-C, too
            self.raised = raised
            return False


def _summary(space: RankedSpace) -> Dict[str, Any]:
    """What is known of a search beside its launches: warpline.rank/1 without them."""
    pieces: List[bytes] = []

    def keep(_user: Any, text: int, length: int, _err: Any) -> int:
        pieces.append(ctypes.string_at(text, length))
        return WL_OK

    writer = RankWriter(format=_JSON, sink=SINK(keep))
    lib.wl_rank_write_sorted(byref(writer), byref(space), 0)
    lib.wl_rank_write_end(byref(writer))
    return json.loads(b"".join(pieces))


def _search(kernel: Kernel, device: Device, space: Handle, top: Optional[int], options: RankOptions,
            progress: _Progress) -> Ranking:
    ranker = Handle(lib.wl_ranker_free, kernel, device, progress)
    lib.wl_ranker_new(kernel._handle.pointer, device._handle.pointer, space.pointer, byref(options), ranker.out)
    size = lib.wl_ranker_size(ranker.pointer)
    capacity = size if top is None else min(top, size)
    records, found = _array_of(Ranked, capacity), CRanking()
    try:
        lib.wl_rank(ranker.pointer, _address(records), capacity, byref(found))
    finally:
        if progress.raised is not None:
            raise progress.raised
    launches, items = _array_of(Launch, found.count), _whole_numbers(found.count)
    lib.wl_ranker_launches(ranker.pointer, _address(records), found.count, _address(launches), _address(items))
    result = RankedSpace(ranker=ranker.pointer, count=0, ranking=found)
    lib.wl_trust_of(device._handle.pointer, options.predict.model, byref(result.trust))
    result.dims = len(kernel.domain)
    result.domain[:] = tuple(kernel.domain) + (1,) * (3 - result.dims)
    result.tie = math.exp(result.trust.error)
    return Ranking(kernel, device, records, launches, items, found.count, _summary(result), result.trust)


def _dimensions(domain: Optional[Shape], grid: Optional[str]) -> int:
    """How many a block should have: those of the domain that are not 1, or of the grid."""
    if domain is not None:
        return max([1] + [d + 1 for d, extent in enumerate(shape(domain, "domain")) if extent > 1])
    if grid is None:
        return 1
    depth, commas = 0, 0
    for letter in grid:
        depth += (letter == "(") - (letter == ")")
        commas += letter == "," and depth == 0
    return min(commas + 1 if is_rule(grid) else len(grid.split("x")), 3)


def _foldings(fold: Any) -> str:
    """One folding, or several."""
    if isinstance(fold, str):
        return fold
    one = isinstance(fold, int) or all(isinstance(e, int) for e in fold)
    return shape_text(fold, "fold") if one else ",".join(shape_text(f, "fold") for f in fold)


def rank(kernel: KernelLike, device: DeviceLike, *, block_x: Optional[Numbers] = None,
         block_y: Optional[Numbers] = None, block_z: Optional[Numbers] = None, threads: Optional[Numbers] = None,
         fold: Optional[Union[Shape, Sequence[Shape], Mapping[str, Numbers]]] = None,
         registers: Optional[Union[int, Mapping[Any, int]]] = None, where: Union[str, Sequence[str]] = (),
         grid: Any = None, schedules: Optional[Union[str, Sequence[str]]] = None, top: Optional[int] = None,
         jobs: int = 0, params: Optional[Params] = None, domain: Optional[Shape] = None,
         dtype: Optional[str] = None, args: Arguments = (), entry: Optional[str] = None,
         constants: Optional[Mapping[str, Any]] = None, dynamic_shared: int = 0, block: Optional[Shape] = None,
         shared_bytes: Optional[int] = None, effort: Optional[float] = None,
         what_if: Optional[Mapping[str, Any]] = None, model: Optional[str] = None,
         l1_samples: Optional[int] = None, progress: Optional[Callable[[int, int], Any]] = None) -> Ranking:
    """Predicts every launch of a space and gives them best first.

    kernel and device are those of `predict`. Without more, the space is that of ``warpline rank``:
    blocks whose extents are powers of two or, in x, multiples of a warp; foldings of 1 and of 2.

    block_x, block_y, block_z, threads   numbers to try: [32, 64], "1..64", "32..1024:32", "1..1024:x2"
    fold        foldings to try: "1x2x1", [(1, 1, 1), (1, 2, 1)], or numbers by axis: {"y": [1, 2, 4]}
    registers   per thread, or by folding: {(1, 1, 1): 32, "1x2x1": 40}
    where       conditions that launches must meet: "block.x * block.y <= 512"
    schedules   orders of threads or blocks: "linear,column:32", a list of such, or "all"
    grid        blocks, the same for all launches or by a rule: "cdiv(nx,block.x),ny"
    top         keep only the best so many; jobs: threads to use (0: all cores)
    block       and args, entry, ..: of a .ptx file, the launch that it is read with
    progress    called with launches done and all, some times a second; False stops the search

    Raises InputError where no launch is left, saying why.
    """
    settings: Dict[str, str] = {}
    for key, value in (("block.x", block_x), ("block.y", block_y), ("block.z", block_z), ("threads", threads)):
        if value is not None:
            settings[key] = _numbers(value)
    if isinstance(fold, Mapping):
        settings.update({f"fold.{axis}": _numbers(numbers) for axis, numbers in fold.items()})
    elif fold is not None:
        settings["fold"] = _foldings(fold)
    if isinstance(registers, Mapping):
        settings["registers"] = ",".join(f"{shape_text(f, 'registers')}:{n}" for f, n in registers.items())
    elif registers is not None:
        settings["registers"] = str(registers)
    if schedules is not None:
        settings["schedule"] = schedules if isinstance(schedules, str) else ",".join(schedules)
    if grid is not None:
        settings["grid"] = grid if isinstance(grid, str) else shape_text(grid, "grid")
    place = as_device(device, what_if)
    of_ptx = {"args": args, "entry": entry, "constants": constants, "dynamic_shared": dynamic_shared}
    made = as_launched_kernel(kernel, place, block or _COMMON_BLOCKS[_dimensions(domain, settings.get("grid"))], grid,
                              registers if isinstance(registers, int) else None, shared_bytes, of_ptx,
                              effort or _EFFORT_OF_MANY, params=params, domain=domain, dtype=dtype)
    space = _space(settings, params, made)
    for condition in [where] if isinstance(where, str) else where:
        lib.wl_space_set(space.pointer, b"where", condition.encode())
    pulse = _Progress(progress)
    options = RankOptions(predict=predict_options(model, l1_samples=l1_samples), threads=jobs, progress=pulse.call)
    ranking = _search(made, place, space, top, options, pulse)
    if ranking.predicted == 0 and not ranking.interrupted:
        reasons = "; ".join(f"{left['count']} {left.get('condition') or left['reason']}" for left in ranking.left_out)
        raise errors.InputError("no launch is left to rank: " + (reasons or "the space is empty"), status="bad input")
    return ranking
