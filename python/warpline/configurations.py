"""Configurations of a kernel, ranked: of Triton and of Kernel Tuner. SPDX-License-Identifier: MIT"""
from __future__ import annotations

import concurrent.futures
import math
import os
import threading
import time
from ctypes import byref, c_double
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Union, overload

from . import errors
from ._native import Trust, lib
from .devices import Device
from .launch_arguments import predict_options

__all__ = ["LeftOut", "Ranked", "Ranking", "Tried", "Work", "words"]


def words(config: Any) -> Dict[str, Any]:
    """A configuration as keywords: of a triton.Config, or a dict."""
    if config is None:
        return {}
    return dict(config) if isinstance(config, Mapping) else dict(config.all_kwargs())


class Ranked(NamedTuple):
    """A configuration with its prediction."""
    config: Any
    time_s: float
    prediction: Dict[str, Any]


class LeftOut(NamedTuple):
    """A configuration that cannot run, and why."""
    config: Any
    reason: str


class Ranking(Sequence[Ranked]):
    """Configurations, best first, from `rank`. ``left_out`` has those that cannot run.

    ``tie``: configurations whose times differ by less than this factor are equal as far as the model
    knows. ``compile_s`` and ``predict_s`` are the seconds that it took.
    """

    def __init__(self, name: str, device: Device, found: List[Ranked], left_out: List[LeftOut], model: Optional[str],
                 compile_s: float, predict_s: float):
        self.name, self.device = name, device
        self._found = sorted(found, key=lambda r: r.time_s)
        self.left_out = left_out
        self.compile_s, self.predict_s = compile_s, predict_s
        self._trust = Trust()
        lib.wl_trust_of(device._handle.pointer, predict_options(model).model, byref(self._trust))

    @property
    def best(self) -> Ranked:
        """The configuration that is predicted to be fastest."""
        return self._found[0]

    @property
    def tie(self) -> float:
        return math.exp(self._trust.error)

    def to_benchmark(self, probability: float = 0.9) -> List[Any]:
        """The configurations to measure so that the fastest is among them with at least this probability."""
        ratio = c_double()
        if not lib.wl_trust_ratio(byref(self._trust), probability, byref(ratio)):
            raise errors.UnsupportedError(f"the validation data ({self._trust.basis.decode()}) says less about "
                                          f"{self.device.name}", status="not supported", input="probability")
        return [r.config for r in self._found if r.time_s <= self.best.time_s * ratio.value]

    @property
    def columns(self) -> Dict[str, List[Any]]:
        """The configurations as columns, for pandas.DataFrame: constexprs and options, then what is predicted."""
        rows = [words(r.config) for r in self._found]
        names = list(dict.fromkeys(name for row in rows for name in row))
        out: Dict[str, List[Any]] = {name: [row.get(name) for row in rows] for name in names}
        out["time_s"] = [r.time_s for r in self._found]
        out["limiter"] = [r.prediction["model"]["limiter"] for r in self._found]
        for key in ("registers", "shared_bytes"):
            out[key] = [r.prediction["launch"][key] for r in self._found]
        out["blocks_per_sm"] = [r.prediction["occupancy"]["blocks_per_sm"] for r in self._found]
        return out

    def __len__(self) -> int:
        return len(self._found)

    @overload
    def __getitem__(self, index: int) -> Ranked: ...
    @overload
    def __getitem__(self, index: slice) -> List[Ranked]: ...

    def __getitem__(self, index: Any) -> Any:
        return self._found[index]

    def __repr__(self) -> str:
        return f"<Ranking of {self.name} on {self.device.name}: {len(self)} configurations, {len(self.left_out)} left out>"


def _cores() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Tried(NamedTuple):
    """What has become of configurations, and the seconds that it took."""
    found: List[Ranked]
    left_out: List[LeftOut]
    compile_s: float
    predict_s: float


class Work:
    """Compiles and predicts configurations in threads: compilers and the library run beside the interpreter."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._done: Dict[Any, "concurrent.futures.Future[Any]"] = {}
        self._ends = False

    def prepare(self, config: Any) -> Any:
        """A launch that is compiled. Raises why there is none."""
        raise NotImplementedError

    def predict(self, launch: Any) -> Dict[str, Any]:
        """Its prediction. Raises why there is none."""
        raise NotImplementedError

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """What it makes; the first thread that asks makes it."""
        with self._lock:
            known = self._done.get(key)
            mine = known is None
            if known is None:
                known = self._done[key] = concurrent.futures.Future()
        if mine:
            try:
                known.set_result(make())
            except BaseException as failure:  # also of those who wait for it
                known.set_exception(failure)
        return known.result()

    def _reached(self, step: Callable[[Any], Any], of: Any) -> Any:
        """What a step makes of a configuration or a launch, or why there is nothing."""
        if self._ends:
            return "stopped"
        try:
            return step(of)
        except errors.Error as wrong:
            return wrong.message

    def run(self, configs: Sequence[Any], jobs: int, name: str) -> Tried:
        """All of them. Raises InputError if none can run."""
        start = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(jobs or _cores()) as pool:
            try:
                launches = list(pool.map(lambda c: self._reached(self.prepare, c), configs))
                compiled = time.monotonic()
                predictions: List[Union[Dict[str, Any], str]] = list(
                    pool.map(lambda launch: launch if isinstance(launch, str) else self._reached(self.predict, launch), launches))
                end = time.monotonic()
            finally:  # after Ctrl-C, what waits is not begun
                self._ends = True
        found = [Ranked(c, p["model"]["time_s"], p) for c, p in zip(configs, predictions) if not isinstance(p, str)]
        left = [LeftOut(c, p) for c, p in zip(configs, predictions) if isinstance(p, str)]
        if not found:
            reasons = "; ".join(dict.fromkeys(reason for _, reason in left))
            raise errors.InputError(f"no configuration can run: {reasons}", status="bad input", input=name)
        return Tried(found, left, compiled - start, end - compiled)
