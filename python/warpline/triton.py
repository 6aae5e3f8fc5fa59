"""Triton kernels: predicted, ranked and tuned without a GPU.

    import warpline.triton

    x = warpline.triton.Tensor((4096, 4096), "f16")
    warpline.triton.predict(kernel, (x, x, x, 4096), grid, {"BLOCK": 128, "num_warps": 4})["model"]["time_s"]
    warpline.triton.rank(kernel, (x, x, x, 4096), grid, configs).best.config

    @warpline.triton.autotune(configs, key=["n"], device="h200", top_k=5)   # instead of @triton.autotune
    @triton.jit
    def kernel(..): ..

Kernels are compiled for the architecture of the device by the Triton that is installed, 3.2 or newer.
docs/python.md has the whole of it. SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import functools
import math
import os
import pathlib
import sys
import types
import warnings
from typing import (Any, Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple,
                    Union)

from . import errors, triton_compiler
from .configurations import LeftOut, Ranked, Ranking, Work, words
from .devices import Device, DeviceLike, as_device
from .kernels import _EFFORT_OF_MANY
from .predictions import predict as _predict
from .triton_arguments import Tensor, as_argument, entry_arguments, pairs
from .triton_compiler import Compiled, Kernel
from .triton_recording import record

__all__ = ["Cached", "LeftOut", "Ranked", "Ranking", "Tensor", "autotune", "cached", "perf_model", "predict", "prune",
           "rank", "record"]

Arguments = Union[Sequence[Any], Mapping[str, Any]]
Grid = Union[int, Sequence[int], Callable[[Dict[str, Any]], Any]]
_WARP = 32
_TOP_K = 5


# ---- kernels and their arguments ----


class _Function(NamedTuple):
    """A kernel as users write it: what is below its decorators, and those."""
    fn: Any
    heuristics: List[Mapping[str, Callable[..., Any]]]
    configs: List[Any]


def _function(kernel: Any) -> _Function:
    heuristics, configs = [], []
    fn = kernel
    while not (hasattr(fn, "params") and hasattr(fn, "signature")):
        if hasattr(fn, "configs"):
            configs = list(fn.configs)
        elif isinstance(getattr(fn, "values", None), Mapping):
            heuristics.append(fn.values)
        fn = getattr(fn, "fn", None)
        if fn is None:
            raise errors.InputError(f"{getattr(kernel, '__name__', kernel)!s} is no kernel of Triton: decorate it with "
                                    "@triton.jit (and do not set TRITON_INTERPRET)", status="bad input", input="kernel")
    return _Function(fn, heuristics, configs)


def _named(function: _Function, args: Arguments, *more: Mapping[str, Any]) -> Dict[str, Any]:
    """All that is given, by name; what is no parameter is an option of Triton's."""
    fn = function.fn
    names = [p.name for p in fn.params]
    if isinstance(args, Mapping):
        named = dict(args)
    elif len(args) > len(names):
        raise errors.InputError(f"{len(args)} arguments, but the kernel has {len(names)} parameters", status="bad input",
                                input=fn.__name__)
    else:
        named = dict(zip(names, args))
    for given in more:
        twice = sorted(named.keys() & given.keys())
        if twice:
            raise errors.InputError(f"'{twice[0]}' is given twice: among the arguments, in the configuration or as a "
                                    "keyword", status="bad input", input=fn.__name__)
        named.update(given)
    for values in function.heuristics:
        for name, value in values.items():
            named[name] = value(dict(named))
    return named


def _split(function: _Function, named: Mapping[str, Any]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """Values of all parameters, and options of Triton's."""
    fn = function.fn
    values: Dict[str, Any] = {}
    for p in fn.params:
        if p.name in named:
            values[p.name] = named[p.name]
        elif p.has_default:
            values[p.name] = p.default
        else:
            raise errors.InputError(
                f"'{p.name}' is missing: " + ("a constexpr; give it in config, or as a keyword" if p.is_constexpr else
                                              "give it among the arguments"), status="bad input", input=fn.__name__)
    return values, {name: value for name, value in named.items() if name not in values}


def _extents(grid: Grid, values: Dict[str, Any], name: str) -> Tuple[int, int, int]:
    extents = grid(values) if callable(grid) else grid
    found = (extents,) if isinstance(extents, int) else tuple(extents)
    if not 1 <= len(found) <= 3 or not all(isinstance(e, int) and e > 0 for e in found):
        raise errors.InputError(f"the grid is {found}: one to three whole numbers above 0 are needed",
                                status="bad input", input=name)
    x, y, z = (*found, 1, 1)[:3]
    return x, y, z


# ---- compiling ----


class _Launch(NamedTuple):
    """A compiled kernel and its launch. Two with the same `key` are predicted alike."""
    kernel: Kernel
    args: Tuple[Any, ...]
    grid: Tuple[int, int, int]

    @property
    def key(self) -> Any:
        return self.args, self.grid, self.kernel._replace(descriptors=())


def _capability(device: Device) -> int:
    text = device.compute_capability
    if text is None:
        raise errors.UnsupportedError(f"{device.name} is no NVIDIA GPU, or its file does not state compute_capability",
                                      status="not supported", input="device")
    return int(text.replace(".", ""))


def _compile(function: _Function, values: Dict[str, Any], options: Dict[str, Any], device: Device) -> Compiled:
    """Errors of Triton's become one sentence; what it says in full is their cause."""
    name = function.fn.__name__
    try:
        return triton_compiler.compile_kernel(function.fn, values, options, _capability(device))
    except (errors.Error, ImportError, MemoryError):
        raise
    except Exception as failure:  # Triton raises whatever its passes, LLVM and ptxas raise
        raise errors.InputError(f"Triton does not compile it for {device.name}: {_first_line(failure)}",
                                status="bad input", input=name,
                                line=getattr(getattr(failure, "node", None), "lineno", None)) from failure


def _first_line(failure: BaseException) -> str:
    """What an error of Triton's says, without the source around it. 3.2 leaves that to the cause."""
    said = getattr(failure, "error_message", None)
    if not said and hasattr(failure, "node") and failure.__cause__ is not None:
        return _first_line(failure.__cause__)
    lines = [line.strip() for line in (said or str(failure)).splitlines()]
    return next((line for line in lines if line), type(failure).__name__)


def _launched(function: _Function, args: Arguments, grid: Grid, config: Any, given: Mapping[str, Any],
              device: Device) -> _Launch:
    """Compiles a kernel, and says with what it is launched."""
    named = {name: value if _is_constant(function, name) else as_argument(name, value)
             for name, value in _named(function, args, words(config), given).items()}
    hook = getattr(config, "pre_hook", None)
    if hook is not None:  # it may change descriptors: those of this launch
        hook(named)
    values, options = _split(function, named)
    extents = _extents(grid, {**options, **values}, function.fn.__name__)
    made = _compile(function, values, options, device)
    kernel = made.kernel
    passed = [value for _, value in pairs(made.types.values(), (values[name] for name in made.types))]
    return _launch_of(kernel, passed, extents)


def _is_constant(function: _Function, name: str) -> bool:
    """A constexpr, or an option: anything may be given."""
    return not any(p.name == name and not p.is_constexpr for p in function.fn.params)


def _launch_of(kernel: Kernel, passed: Sequence[Any], grid: Tuple[int, int, int]) -> _Launch:
    x, y, z = grid
    return _Launch(kernel, tuple(entry_arguments(kernel, passed, x * y * z)), (x * kernel.ctas, y, z))


def _predicted(launch: _Launch, device: Device, effort: Optional[float], options: Mapping[str, Any]) -> Dict[str, Any]:
    kernel = launch.kernel
    with errors.about(kernel.name):
        made: Dict[str, Any] = _predict(
            ptx=kernel.ptx, device=device, block=_WARP * kernel.warps, grid=launch.grid, args=launch.args,
            entry=kernel.name, registers=kernel.registers, dynamic_shared=kernel.shared_bytes,
            cluster=kernel.ctas if kernel.ctas > 1 else None, effort=effort, **options)
    if kernel.stack_bytes:
        made["warnings"].append(f"ptxas gives each thread {kernel.stack_bytes} bytes of stack, as for spilled registers: "
                                "their traffic is only estimated, from PTX")
    return made


# ---- predictions ----


def predict(kernel: Any, args: Arguments, grid: Grid, config: Any = None, device: DeviceLike = "h200", *,
            effort: Optional[float] = None, what_if: Optional[Mapping[str, Any]] = None, model: Optional[str] = None,
            per_access: bool = False, per_line: bool = False, confidence: bool = False,
            simulate: Union[bool, int] = False, l1_samples: Optional[int] = None, **constants: Any) -> Dict[str, Any]:
    """Predicts a launch of a kernel of Triton, as `warpline.predict` does.

    kernel      a function with @triton.jit, below @triton.heuristics or @triton.autotune if you like
    args        values of its parameters, in their order or by name: numbers, tensors (PyTorch, also on
                its device "meta", NumPy, CuPy, or a `Tensor` without memory), None, TensorDescriptors.
                Arrays of integers in host or GPU memory are read, as addresses may depend on them
    grid        programs: a number, a tuple, or a function of all parameters, as Triton has it
    config      a triton.Config or a dict: constexprs, num_warps, num_stages, num_ctas, maxnreg
    device      what to compile for and to predict; ``what_if`` changes its numbers
    constants   more constexprs and options

    effort, model, per_access, per_line, confidence, simulate and l1_samples are those of `warpline.predict`.
    """
    triton_compiler.triton()
    function, where = _function(kernel), as_device(device, what_if)
    if config is None and len(function.configs) == 1:
        config = function.configs[0]
    elif config is None and function.configs:
        raise errors.InputError(f"it has {len(function.configs)} configurations: give config=, or use "
                                "warpline.triton.rank", status="bad input", input=function.fn.__name__)
    launch = _launched(function, args, grid, config, constants, where)
    return _predicted(launch, where, effort, {
        "model": model, "per_access": per_access, "per_line": per_line, "confidence": confidence,
        "simulate": simulate, "l1_samples": l1_samples})


class Cached:
    """A kernel of Triton's cache, from `cached`."""

    def __init__(self, kernel: Kernel):
        self._kernel = kernel

    @property
    def name(self) -> str:
        return self._kernel.name

    def predict(self, args: Sequence[Any], grid: Union[int, Sequence[int]], device: DeviceLike = "h200", *,
                effort: Optional[float] = None, what_if: Optional[Mapping[str, Any]] = None,
                **options: Any) -> Dict[str, Any]:
        """Predicts a launch. ``args`` are the arguments in their order, without constexprs."""
        passed = list(_flat(as_argument(f"argument {i}", a) for i, a in enumerate(args)))
        kernel, extents = self._kernel, _extents(grid, {}, self.name)
        launch = None
        for kept in (passed, [a for a in passed if a is not None],  # Triton compiles these into the kernel
                     [a for a in passed if a is not None and not (isinstance(a, int) and a == 1)]):
            try:
                launch = launch or _launch_of(kernel, kept, extents)
            except errors.InputError as wrong:
                failure = wrong
        if launch is None:
            raise failure
        return _predicted(launch, as_device(device, what_if), effort, options)

    def __repr__(self) -> str:
        return f"<Cached {self.name}: {self._kernel.warps} warps, {self._kernel.shared_bytes} bytes of shared memory>"


def _flat(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, tuple):
            yield from _flat(value)
        else:
            yield value


def cached(path: Union[str, "os.PathLike[str]"]) -> Cached:
    """A kernel that Triton compiled before: a folder of ``~/.triton/cache``, or its .ptx file. Does not need Triton."""
    return Cached(triton_compiler.read_cache(pathlib.Path(path).expanduser()))


# ---- rankings ----


class _Work(Work):
    """Configurations that become the same kernel are predicted once."""

    def __init__(self, function: _Function, args: Arguments, grid: Grid, given: Mapping[str, Any], device: Device,
                 effort: float, options: Mapping[str, Any]):
        super().__init__()
        self.function, self.args, self.grid, self.given, self.device = function, args, grid, given, device
        self.effort, self.options = effort, options

    def prepare(self, config: Any) -> _Launch:
        return _launched(self.function, self.args, self.grid, config, self.given, self.device)

    def predict(self, launch: _Launch) -> Dict[str, Any]:
        found: Dict[str, Any] = self.once(launch.key,
                                          lambda: _predicted(launch, self.device, self.effort, self.options))
        return found


def rank(kernel: Any, args: Arguments, grid: Grid, configs: Optional[Iterable[Any]] = None,
         device: DeviceLike = "h200", *, jobs: int = 0, effort: float = _EFFORT_OF_MANY,
         what_if: Optional[Mapping[str, Any]] = None, model: Optional[str] = None, **constants: Any) -> Ranking:
    """Predicts a kernel with each of many configurations, and gives them best first.

    configs   triton.Configs or dicts, see `predict`; default: those of @triton.autotune on the kernel
    jobs      threads to compile and predict with; default: all cores

    Configurations that do not compile or cannot run on the device are in ``left_out``, with the reason.
    Raises InputError if none is left.
    """
    triton_compiler.triton()
    function, where = _function(kernel), as_device(device, what_if)
    tried = list(configs) if configs is not None else function.configs
    if not tried:
        raise errors.InputError("there are no configurations: give configs, or put them into @triton.autotune",
                                status="bad input", input=function.fn.__name__)
    # what is wrong with the arguments is wrong with every configuration
    _split(function, _named(function, args, words(tried[0]), constants))
    work = _Work(function, args, grid, constants, where, effort, {"model": model})
    done = work.run(tried, jobs, function.fn.__name__)
    return Ranking(function.fn.__name__, where, done.found, done.left_out, model, done.compile_s, done.predict_s)


# ---- tuning ----


def _launchwords(named: Mapping[str, Any]) -> Dict[str, Any]:
    """What belongs to the kernel among the keywords of a call of Triton's."""
    return {name: value for name, value in named.items() if name not in ("grid", "warmup", "stream")}


class _Pruner:
    """For prune_configs_by: the best of the configurations. `ranking` is the last one."""

    def __init__(self, device: DeviceLike, top_k: Union[int, float], options: Mapping[str, Any],
                 before: Optional[Callable[..., List[Any]]] = None):
        self.device, self.top_k, self.options, self.before = device, top_k, options, before
        self.ranking: Optional[Ranking] = None

    def rank(self, kernel: Any, configs: List[Any], args: Mapping[str, Any], named: Mapping[str, Any]) -> Ranking:
        if self.before is not None:
            configs = self.before(configs, args, **named)
        self.ranking = rank(kernel, {**args, **_launchwords(named)}, named["grid"], configs, self.device, **self.options)
        return self.ranking

    def __call__(self, configs: List[Any], named_args: Mapping[str, Any], **named: Any) -> List[Any]:
        """A program that ran before still runs: what cannot be predicted is measured."""
        try:
            ranking = self.rank(_tuned_kernel(), configs, named_args, named)
        except errors.Error as wrong:
            warnings.warn(f"all configurations are measured, as none could be predicted: {wrong}", RuntimeWarning,
                          stacklevel=2)
            return configs
        count = int(len(configs) * self.top_k) if isinstance(self.top_k, float) else self.top_k
        return [r.config for r in ranking[:max(count, 1)]]


def _tuned_kernel() -> Any:
    """The kernel that Triton tunes: it asks without saying for which, so its own frame is looked at."""
    frame: Optional[types.FrameType] = sys._getframe(2)
    while frame is not None:
        asks: Any = frame.f_locals.get("self")
        if hasattr(asks, "configs") and hasattr(asks, "arg_names"):
            return asks.fn
        frame = frame.f_back
    raise errors.InputError("this is for prune_configs_by of @triton.autotune", status="bad input",
                            input="warpline.triton")


def prune(device: DeviceLike = "h200", top_k: Union[int, float] = _TOP_K, **options: Any) -> Dict[str, Any]:
    """For ``@triton.autotune(.., prune_configs_by=warpline.triton.prune(device=.., top_k=5))``.

    Only the best ``top_k`` configurations (a number, or a share of all as a float) are then benchmarked.
    options: jobs, effort, what_if, model of `rank`.
    """
    return {"early_config_prune": _Pruner(device, top_k, options)}


def perf_model(device: DeviceLike = "h200", **options: Any) -> Callable[..., float]:
    """For ``prune_configs_by={"perf_model": warpline.triton.perf_model(device=..), "top_k": 5}``: the predicted
    milliseconds of one configuration, infinite if it cannot run. `prune` does the same with all cores."""
    def time_of(**named: Any) -> float:
        try:
            made = predict(_tuned_kernel(), _launchwords(named), named["grid"], device=device,
                           **{"effort": _EFFORT_OF_MANY, **options})
        except errors.Error:
            return math.inf
        return 1e3 * float(made["model"]["time_s"])
    return time_of


def _gpu() -> bool:
    """Has Triton something to launch on?"""
    try:
        triton_compiler.part("runtime").driver.active.get_current_device()
        return True
    except Exception:  # without a GPU, releases of Triton fail in different ways
        return False


@functools.lru_cache(maxsize=None)
def _tuner() -> Any:
    """Triton's own Autotuner, but where there is no GPU, the best configuration is that of the predictions."""
    triton_compiler.triton()
    base: Any = triton_compiler.part("runtime.autotuner").Autotuner

    class PredictedAutotuner(base):  # type: ignore[misc]
        pruner: _Pruner
        ranking = property(lambda self: self.pruner.ranking, doc="The last `Ranking`.")

        def run(self, *args: Any, **named: Any) -> Any:
            if _gpu():
                return super().run(*args, **named)
            given = {**dict(zip(self.arg_names, args)), **{n: v for n, v in named.items() if n in self.arg_names}}
            key = (*(_key(given.get(name)) for name in self.keys),
                   *(str(v.dtype) for v in given.values() if hasattr(v, "dtype")))
            if key not in self.predicted:
                self.predicted[key] = self.pruner.rank(
                    self.fn, self.configs, dict(zip(self.arg_names, args)), named).best
                warnings.warn(f"no GPU: {self.base_fn.__name__} is not launched, its best configuration is predicted "
                              f"for {self.pruner.device}", RuntimeWarning, stacklevel=3)
            self.cache[key] = self.best_config = self.predicted[key].config
            return self.predicted[key].prediction

    return PredictedAutotuner


def _key(value: Any) -> Any:
    try:
        hash(value)
    except TypeError:
        return str(value)
    return value


def _benchmark(call: Any, quantiles: Any) -> Any:
    """Triton's, looked up when it is needed: 3.2 asks for it where there may be no GPU."""
    return triton_compiler.part("runtime").driver.active.get_benchmarker()(call, quantiles=quantiles)


def autotune(configs: Sequence[Any], key: Sequence[str], *, device: DeviceLike = "h200",
             top_k: Union[int, float] = _TOP_K, jobs: int = 0, effort: float = _EFFORT_OF_MANY,
             prune_configs_by: Optional[Mapping[str, Any]] = None, **options: Any) -> Callable[[Any], Any]:
    """In place of ``triton.autotune(configs, key, ..)``: configurations are ranked by predictions.

    With a GPU, the best ``top_k`` (a number, or a share of all as a float) are benchmarked. Without one,
    ``kernel[grid](..)`` launches nothing: it sets ``kernel.best_config`` and returns the prediction of that.
    ``kernel.ranking`` is the last `Ranking`. options: those of triton.autotune; of ``prune_configs_by``,
    early_config_prune is asked first.
    """
    unknown = sorted(set(prune_configs_by or {}) - {"early_config_prune"})
    if unknown:
        raise errors.InputError(f"{unknown[0]} is what the predictions replace: use triton.autotune with it",
                                status="bad input", input="prune_configs_by")
    tuner = _tuner()

    def decorate(fn: Any) -> Any:
        pruner = _Pruner(device, top_k, {"jobs": jobs, "effort": effort},
                         (prune_configs_by or {}).get("early_config_prune"))
        made = tuner(fn, fn.arg_names, list(configs), list(key), prune_configs_by={"early_config_prune": pruner},
                     **{"reset_to_zero": None, "restore_value": None, "do_bench": _benchmark, **options})
        made.pruner, made.predicted = pruner, {}
        return made

    return decorate
