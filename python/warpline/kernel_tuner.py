"""Tuning spaces of Kernel Tuner, ordered by predictions before anything runs.

    import warpline.kernel_tuner

    order = warpline.kernel_tuner.order("matmul.cu", tune_params, (4096, 4096), args, "h200")
    order.best.config, order.best.time_s
    kernel_tuner.tune_kernel(.., strategy=warpline.kernel_tuner.strategy("h200"), strategy_options={"max_fevals": 20})
    kernel_tuner.tune_kernel(.., restrictions=[order.restriction(20)])

Every distinct variant is compiled once, by the nvcc or clang of this machine. docs/python.md has the whole of it.
SPDX-License-Identifier: MIT
"""
from __future__ import annotations

import importlib
import os
import pathlib
import re
import tempfile
import warnings
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import arrays, errors
from .configurations import Ranking, Work
from .cuda_sources import Compiled, compile_cuda
from .devices import Device, DeviceLike, as_device
from .kernels import _EFFORT_OF_MANY
from .predictions import predict

__all__ = ["Order", "order", "strategy"]

_CONTENTS_MOST = 1 << 26  # bytes: larger arrays of integers are hardly indices
Config = Dict[str, Any]


def _part(name: str) -> Any:
    """A module of Kernel Tuner."""
    try:
        return importlib.import_module("kernel_tuner." + name)
    except ImportError:
        raise errors.UnsupportedError("Kernel Tuner is not installed: 'pip install kernel_tuner'", status="not supported",
                                      input="warpline.kernel_tuner") from None


# ---- kernels and their arguments ----


class _Problem(NamedTuple):
    """What Kernel Tuner is told of a kernel, under its names."""
    kernel_name: Optional[str]
    kernel_source: Any
    problem_size: Any
    arguments: Tuple[Any, ...]
    grid_divs: Tuple[Any, Any, Any]
    block_size_names: List[str]
    compiler_options: Tuple[str, ...]
    defines: Optional[Mapping[str, Any]]
    smem_args: Optional[Mapping[str, Any]]
    constants: Dict[str, Any]


def _argument(value: Any, number: int) -> Any:
    """As `warpline.predict` takes it. What arrays of numbers hold does not matter, that of integers may."""
    try:
        described = arrays.layout(value)
    except errors.InputError as wrong:
        raise errors.InputError(wrong.message, status=wrong.status, input=f"argument {number}") from None
    if described is None or not described.shape:
        if value is None or isinstance(value, (str, bytes)) and not str(value).startswith("buf:"):
            raise errors.InputError(f"{value!r} is no argument of a kernel: give a number, an array, or \"buf:64MiB\"",
                                    status="bad input", input=f"argument {number}")
        return value
    first, last = described.span
    size = (last - first) * arrays.BYTES[described.dtype]
    return value if described.dtype[0] in "su" and size <= _CONTENTS_MOST else described.argument


def _name(source: str, given: Optional[str]) -> str:
    """The kernel that is meant; the only one of the text if none is."""
    found = list(dict.fromkeys(re.findall(r"__global__\b[^;{]*?\b(\w+)\s*\((?!\s*\w*THREADS)", _plain(source))))
    if given is not None:
        return given
    if len(found) != 1:
        raise errors.InputError("give kernel_name: " + (f"it has {', '.join(found)}" if found else "it has no __global__ "
                                                        "function"), status="bad input", input="kernel_source")
    return found[0]


def _plain(source: str) -> str:
    """Without comments and launch bounds."""
    source = re.sub(r"//[^\n]*|/\*.*?\*/", " ", source, flags=re.DOTALL)
    return re.sub(r"__launch_bounds__\s*\([^()]*(?:\([^()]*\)[^()]*)*\)", " ", source)


def _used(text: str) -> str:
    """Drops defines at the start that the rest does not name, so that equal variants have equal texts."""
    lines = text.split("\n")
    count = next((i for i, line in enumerate(lines) if not re.match(r"#define \w+ |constexpr int \w+ = ", line)), 0)
    rest = "\n".join(lines[count:])
    if re.search(r'#\s*include\s*"', rest):
        return text  # what files name is not known
    for line in reversed(lines[:count]):
        found = re.match(r"#define (\w+) |constexpr int (\w+) = ", line)
        if found and re.search(rf"\b{found.group(1) or found.group(2)}\b", rest):
            rest = line + "\n" + rest
    return rest


# ---- variants ----


class _Variant(NamedTuple):
    """A configuration as it is compiled and launched."""
    config: Config
    text: str
    entry: str
    block: Tuple[int, int, int]
    grid: Tuple[int, int, int]
    dynamic_shared: int


class _Work(Work):
    """Compiles each text once and predicts each launch once."""

    def __init__(self, problem: _Problem, device: Device, effort: float, model: Optional[str]):
        super().__init__()
        self.problem, self.device, self.effort, self.model = problem, device, effort, model
        self.util = _part("util")
        source = problem.kernel_source[0] if isinstance(problem.kernel_source, list) else problem.kernel_source
        self.source: Any = os.fspath(source) if isinstance(source, os.PathLike) else source
        self.folders = [os.getcwd()]
        if isinstance(self.source, str) and os.path.exists(self.source):
            self.folders.insert(0, os.path.dirname(os.path.abspath(self.source)))
        self.args = [_argument(value, i) for i, value in enumerate(problem.arguments)]
        self.compiled = 0

    def text_of(self, config: Config) -> str:
        text: str = self.util.get_kernel_string(self.source, config)
        return text

    def variant(self, config: Config) -> _Variant:
        problem, util = self.problem, self.util
        size = util.get_problem_size(problem.problem_size, config)
        block = util.get_thread_block_dimensions(config, problem.block_size_names)
        grid = util.get_grid_dimensions(size, config, problem.grid_divs, problem.block_size_names)
        source = self.text_of(config)
        entry, text = util.prepare_kernel_string(_name(source, problem.kernel_name), source, config, grid, block,
                                                 problem.block_size_names, "CUDA", problem.defines)
        if "<" in entry:
            text, entry = util.wrap_templated_kernel(text, entry)
        shared = util.get_smem_args(problem.smem_args, config).get("size", 0) if problem.smem_args else 0
        return _Variant(config, _used(text), entry, tuple(block), tuple(grid), int(shared))

    def compile(self, text: str) -> Compiled:
        with tempfile.TemporaryDirectory(prefix="warpline-") as folder:
            path = pathlib.Path(folder) / "variant.cu"
            path.write_text(text)
            options = [*self.problem.compiler_options, *("-I" + f for f in self.folders)]
            with self._lock:
                self.compiled += 1
            return compile_cuda(os.fspath(path), self.device, options)

    def compiled_once(self, text: str) -> Compiled:
        made: Compiled = self.once(text, lambda: self.compile(text))
        return made

    def prepare(self, config: Config) -> _Variant:
        made = self.variant(config)
        self.compiled_once(made.text)
        return made

    def predict(self, made: _Variant) -> Dict[str, Any]:
        compiled = self.compiled_once(made.text)
        launch = (compiled.ptx, made.entry, made.block, made.grid, made.dynamic_shared)
        found: Dict[str, Any] = self.once(launch, lambda: self.predict_compiled(made, compiled))
        return found

    def predict_compiled(self, made: _Variant, compiled: Compiled) -> Dict[str, Any]:
        of_kernel = [r for symbol, r in compiled.resources.items()
                     if len(compiled.resources) == 1 or symbol == made.entry or re.match(rf"_Z\w*?\d{made.entry}(?![a-z])", symbol)]
        out: Dict[str, Any] = predict(
            ptx=compiled.ptx, device=self.device, block=made.block, grid=made.grid, args=self.args, entry=made.entry,
            registers=of_kernel[0].registers if of_kernel else None, dynamic_shared=made.dynamic_shared,
            constants=self.problem.constants, effort=self.effort, model=self.model)
        if of_kernel and of_kernel[0].stack_bytes:
            out["warnings"].append(f"ptxas gives each thread {of_kernel[0].stack_bytes} bytes of stack, as for spilled "
                                   "registers: their traffic is only estimated, from PTX")
        return out


# ---- orders ----


class Order(Ranking):
    """Configurations, those that are predicted to be fastest first, from `order`.

    ``left_out`` has those that do not compile or cannot run, ``compiled`` says how many variants were compiled.
    """
    compiled = 0

    def restriction(self, top_k: Optional[int] = None, probability: float = 0.9) -> Callable[..., bool]:
        """For ``tune_kernel(.., restrictions=[order.restriction(20)])``: only the best so many are left; without a number,
        as many as contain the fastest with this probability."""
        kept = [r.config for r in self[:top_k]] if top_k is not None else self.to_benchmark(probability)
        names = list(self.best.config)
        keys = {tuple(str(config[name]) for name in names) for config in kept}

        def keep(*values: Any, **named: Any) -> bool:
            """Of a dict, of keywords, or of values in their order: releases of Kernel Tuner differ."""
            given = values[0] if len(values) == 1 and isinstance(values[0], Mapping) else named or dict(zip(names, values))
            return tuple(str(given[name]) for name in names) in keys

        return keep


def _configs(tune_params: Mapping[str, Sequence[Any]], restrictions: Any, block_size_names: List[str],
             most_threads: int) -> List[Config]:
    """The configurations that Kernel Tuner would run."""
    if not tune_params or not all(len(values) for values in tune_params.values()):
        raise errors.InputError("give at least one value for each parameter to tune", status="bad input",
                                input="tune_params")
    searchspace = _part("searchspace")
    named = {name: list(values) for name, values in tune_params.items()}
    try:
        space = searchspace.Searchspace(named, restrictions or [], most_threads)
    except errors.Error:
        raise
    except Exception as failure:  # restrictions are the user's, and raise what they raise
        raise errors.InputError(f"no configuration is left, or they cannot be evaluated: {failure}", status="bad input",
                                input="restrictions") from failure
    return [dict(zip(named, values)) for values in space.list]




def _ordered(problem: _Problem, configs: List[Config], device: Device, jobs: int, effort: float,
             model: Optional[str]) -> Order:
    work = _Work(problem, device, effort, model)
    if not configs:
        raise errors.InputError("no configuration is left: restrictions exclude all, or their blocks have more than "
                                "1024 threads", status="bad input", input="tune_params")
    work.variant(configs[0])  # what is wrong with the source is wrong with every configuration
    name = _name(work.text_of(configs[0]), problem.kernel_name)
    tried = work.run(configs, jobs, name)
    out = Order(name, device, tried.found, tried.left_out, model, tried.compile_s, tried.predict_s)
    out.compiled = work.compiled
    return out


def order(kernel_source: Any, tune_params: Mapping[str, Sequence[Any]], problem_size: Any, args: Sequence[Any],
          device: DeviceLike = "h200", *, kernel_name: Optional[str] = None, grid_div_x: Any = None,
          grid_div_y: Any = None, grid_div_z: Any = None, block_size_names: Optional[Sequence[str]] = None,
          restrictions: Any = None, compiler_options: Sequence[str] = (), defines: Optional[Mapping[str, Any]] = None,
          smem_args: Optional[Mapping[str, Any]] = None, cmem_args: Optional[Mapping[str, Any]] = None, jobs: int = 0,
          effort: float = _EFFORT_OF_MANY, what_if: Optional[Mapping[str, Any]] = None,
          model: Optional[str] = None) -> Order:
    """Predicts every configuration of a tuning space of Kernel Tuner, and gives them best first. Nothing is launched.

    kernel_source   CUDA: the name of a file, its text, or a function of the configuration that returns it
    tune_params     the values of each parameter, as for kernel_tuner.tune_kernel
    problem_size, grid_div_x .., block_size_names, restrictions, defines, compiler_options, smem_args, cmem_args
                    as for kernel_tuner.tune_kernel
    args            the kernel's arguments in their order: numbers, arrays, or "buf:64MiB" instead of an array
    kernel_name     not needed if the source has one kernel
    device          what to compile for and to predict; ``what_if`` changes its numbers
    jobs            threads to compile and predict with; default: all cores

    Configurations that do not compile or cannot run are in ``left_out``, with the reason.
    """
    place = as_device(device, what_if)
    util = _part("util")
    names = list(block_size_names) if block_size_names else []
    util.append_default_block_size_names(names) if names else names.extend(util.default_block_size_names)
    problem = _Problem(kernel_name, kernel_source, problem_size, tuple(args), (grid_div_x, grid_div_y, grid_div_z), names,
                       tuple(compiler_options or ()), defines, smem_args, dict(cmem_args or {}))
    configs = _configs(tune_params, restrictions, names, 1024)
    return _ordered(problem, configs, place, jobs, effort, model)


class _Strategy:
    """For ``tune_kernel(.., strategy=..)``. ``order`` is that of the last call."""

    def __init__(self, device: DeviceLike, top_k: Optional[int], options: Mapping[str, Any]):
        self.device, self.top_k, self.options = as_device(device, options.get("what_if")), top_k, options
        self.order: Optional[Order] = None

    def __str__(self) -> str:  # Kernel Tuner prints it
        return f"the order that Warpline predicts for {self.device.name}"

    def tune(self, searchspace: Any, runner: Any, tuning_options: Any) -> Any:
        common, util = _part("strategies.common"), _part("util")
        given = runner.kernel_options
        names = list(searchspace.tune_params)
        configs = [dict(zip(names, values)) for values in searchspace.list]
        divs = (given.get("grid_div_x"), given.get("grid_div_y"), given.get("grid_div_z"))
        problem = _Problem(given["kernel_name"], given["kernel_source"], given["problem_size"],
                           tuple(given.get("arguments") or ()), divs, list(given["block_size_names"]),
                           tuple(self.options.get("compiler_options") or ()), given.get("defines"), given.get("smem_args"),
                           dict(given.get("cmem_args") or {}))
        try:
            self.order = _ordered(problem, configs, self.device, self.options.get("jobs", 0),
                                  self.options.get("effort", _EFFORT_OF_MANY), self.options.get("model"))
            first = [r.config for r in self.order]
            chosen = first[:self.top_k] if self.top_k is not None else first + [x.config for x in self.order.left_out]
        except errors.Error as wrong:  # a program that ran before still runs
            warnings.warn(f"configurations are run in the order of Kernel Tuner, as none could be predicted: {wrong}",
                          RuntimeWarning, stacklevel=2)
            chosen = configs
        cost = common.CostFunc(searchspace, tuning_options, runner)
        for config in chosen:
            try:
                cost([config[name] for name in names], check_restrictions=False)
            except util.StopCriterionReached:  # max_fevals, time_limit
                break
        return cost.results


def strategy(device: DeviceLike = "h200", top_k: Optional[int] = None, **options: Any) -> _Strategy:
    """For ``kernel_tuner.tune_kernel(.., strategy=warpline.kernel_tuner.strategy("h200"))``.

    Configurations run in the order of their predictions: all of them, the best ``top_k``, or as many as
    ``strategy_options={"max_fevals": ..}`` allows. options: compiler_options, jobs, effort, what_if, model of `order`.
    """
    _part("strategies.common")
    return _Strategy(device, top_k, options)
