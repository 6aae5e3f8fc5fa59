"""warpline.triton with the Triton that is installed, and without a GPU. SPDX-License-Identifier: MIT"""
import json
import os
import pathlib
import re
import subprocess
import sys
import warnings

import pytest

triton = pytest.importorskip("triton")
import triton_kernels as kernels  # noqa: E402
import warpline  # noqa: E402
import warpline.triton  # noqa: E402
from warpline import triton as module, triton_compiler  # noqa: E402
from warpline.triton import Tensor  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:TRITON_DEFAULT_FP_FUSION")
VERSION = tuple(int(n) for n in triton.__version__.split(".")[:2])
N = 1 << 20
ADD = dict(kernel=kernels.add, args=(Tensor(N, "f32"), Tensor(N, "f32"), Tensor(N, "f32"), N),
           grid=lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),), config={"BLOCK": 1024, "num_warps": 8})
ROW = Tensor((2048, 4096), "f16")
MATRIX = Tensor((1024, 1024), "f16")


def matmul(**config):
    return dict(kernel=kernels.matmul, args=(MATRIX, MATRIX, MATRIX, 1024, 1024, 1024, 1024, 1, 1024, 1, 1024, 1),
                grid=lambda m: (1024 // m["ROWS"], 1024 // m["COLUMNS"]), **({"config": config} if config else {}))


LAUNCHES = {
    "add": ADD,
    "softmax": dict(kernel=kernels.softmax, args=(Tensor((2048, 1000), "f32"), Tensor((2048, 1000), "f32"), 1000, 1000),
                    grid=(2048,), config=triton.Config({"WIDTH": 1024}, num_warps=4)),
    "layer_norm": dict(kernel=kernels.layer_norm, args=(ROW, ROW, Tensor(4096, "f16"), Tensor(4096, "f16"), 4096, 4096, 1e-5),
                       grid=2048, config={"WIDTH": 4096, "num_warps": 8}),
    "matmul": matmul(ROWS=64, COLUMNS=128, DEPTH=32, num_warps=4, num_stages=3),
    "matmul of an A100": {**matmul(ROWS=64, COLUMNS=128, DEPTH=32, num_warps=4, num_stages=3), "device": "a100-40gb"},
}


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory):
    """Triton's cache, empty."""
    os.environ["TRITON_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))
    return os.environ["TRITON_CACHE_DIR"]


@pytest.fixture
def cli():
    """Runs the command-line tool and gives what it prints."""
    def run(*arguments):
        return subprocess.run([os.environ["WARPLINE_PROGRAM"], *map(str, arguments)], check=True, capture_output=True,
                              text=True).stdout
    return run


def launch_of(kernel, args, grid, config, device="h200"):
    """What a prediction is made of: the kernel, its arguments, its grid."""
    return module._launched(module._function(kernel), args, grid, config, {}, warpline.Device(device))


@pytest.mark.parametrize("launch", LAUNCHES.values(), ids=LAUNCHES)
def test_a_prediction_is_what_the_command_prints(launch, cli, tmp_path):
    made = launch_of(**launch)
    file = tmp_path / "kernel.ptx"
    file.write_bytes(made.kernel.ptx)
    words = [word for a in made.args for word in ("--arg", a)]
    printed = json.loads(cli("predict", file, "--device", launch.get("device", "h200"), "--kernel", made.kernel.name, "--block",
                             32 * made.kernel.warps, "--grid", "x".join(map(str, made.grid)), "--registers",
                             made.kernel.registers, "--dynamic-shared", made.kernel.shared_bytes, "--effort", 0.1,
                             "--format", "json", *words))["predictions"][0]
    predicted = warpline.triton.predict(**launch, effort=0.1)
    assert predicted["launch"]["grid"] == list(made.grid)
    for key in ("launch", "occupancy", "metrics", "model"):
        assert predicted[key] == printed[key], key


@pytest.mark.parametrize("launch", LAUNCHES.values(), ids=LAUNCHES)
def test_registers_are_those_of_the_cubin(launch, own_cache):
    """The disassembler in Triton's wheel says the same."""
    made = launch_of(**launch)
    cubin = next(p.with_suffix(".cubin") for p in pathlib.Path(own_cache).glob("*/*.ptx")
                 if p.read_bytes() == made.kernel.ptx)
    tool = pathlib.Path(triton.__file__).parent / "backends/nvidia/bin/cuobjdump"
    said = subprocess.run([tool, "-res-usage", cubin], capture_output=True, text=True, check=True).stdout
    registers, stack = re.search(r"REG:(\d+) STACK:(\d+)", said).groups()
    assert (made.kernel.registers, made.kernel.stack_bytes) == (int(registers), int(stack))


# ---- arguments ----

def arguments_of(args, kernel=kernels.add, grid=(N // 1024,), **config):
    return launch_of(kernel, args, grid, {"BLOCK": 1024, **config})


def test_triton_specialises_arguments():
    x = Tensor(N, "f32")
    usual, odd = arguments_of((x, x, x, N)), arguments_of((x, x, x, N - 1))
    unaligned = arguments_of((Tensor(N, "f32", aligned=False), x, x, N))
    assert len({m.kernel.ptx for m in (usual, odd, unaligned)}) == 3
    assert usual.args[:4] == (f"buf:{4 * N}",) * 3 + (N,)
    one = arguments_of((x, x, x, 1))  # is compiled into the kernel
    assert one.kernel.parameters == usual.kernel.parameters - 1 and one.args[:3] == usual.args[:3]


def test_strides_and_names():
    x = Tensor((16, 100), "f32", strides=(128, 1))
    assert arguments_of({"x": x, "n": 100, "out": x, "y": x}).args[:4] == (f"buf:{4 * (15 * 128 + 100)}",) * 3 + (100,)


def test_arrays_of_numpy_and_their_contents():
    numpy = pytest.importorskip("numpy")

    def sectors(index):
        x, out = numpy.empty(32 * N, dtype="f4"), numpy.empty(N, dtype="f4")
        made = warpline.triton.predict(kernels.gather, (x, index.astype("i4"), out, N), (N // 1024,), BLOCK=1024, effort=0.1)
        return made["metrics"]["l1_sectors_ld"]["value"]
    indices = N / 8
    # threads have four elements next to each other: two lanes share a sector
    assert sectors(numpy.arange(N)) == indices + N / 2 and sectors(8 * numpy.arange(N)) == indices + N


def test_meta_tensors_of_pytorch():
    torch = pytest.importorskip("torch")
    x = torch.empty(N, device="meta")
    assert warpline.triton.predict(**{**ADD, "args": (x, x, x, N)}) == warpline.triton.predict(**ADD)


@pytest.mark.skipif(VERSION < (3, 4), reason="descriptors are of Triton 3.4 and newer")
@pytest.mark.parametrize("device", ["h200", "a100-40gb"])  # tensor maps, and pointers
def test_descriptors(device):
    from triton.tools.tensor_descriptor import TensorDescriptor
    n = 4096

    def described(rows, columns, height=n, gap=0):
        return TensorDescriptor(Tensor((height, n), "f16", (n + gap, 1)), [height, n], [n + gap, 1], [rows, columns])
    made = launch_of(kernels.copy_tiles, (described(64, 64), described(64, 64, gap=64)), (n // 64, n // 64),
                     {"ROWS": 64, "COLUMNS": 64}, device)
    if device == "h200":
        swizzle = re.search(r"swizzle=\d+", made.args[0]).group()
        assert made.args[:5] == (f"tensormap:f16:{n}x{n}:64x64:{swizzle}", n, n, n, 1)
        assert made.args[5] == f"tensormap:f16:{n}x{n}:64x64:{swizzle}:pitch={2 * (n + 64)}"
    else:  # with the extents and the strides twice, and options between these
        assert made.args[:5] == (f"buf:{2 * n * n}", n, n, n, 1) and made.args[-4 - len(made.kernel.scratch)] == n
    assert len(made.args) == made.kernel.parameters
    predicted = module._predicted(made, warpline.Device(device), None, {})
    assert "out_of_bounds" not in predicted
    if device == "h200":
        assert predicted["metrics"]["l2_load_bytes"]["value"] == pytest.approx(2 * n * n, rel=0.05)
        assert predicted["metrics"]["l2_store_bytes"]["value"] == pytest.approx(2 * n * n, rel=0.05)


@pytest.mark.skipif(VERSION < (3, 4), reason="descriptors are of Triton 3.4 and newer")
def test_a_hook_may_set_the_box_of_a_descriptor():
    from triton.tools.tensor_descriptor import TensorDescriptor
    given = TensorDescriptor(Tensor((4096, 4096), "f16"), [4096, 4096], [4096, 1], [1, 16])

    def hook(named):
        for name in ("source", "target"):
            named[name].block_shape = [named["ROWS"], named["COLUMNS"]]
    configs = [triton.Config({"ROWS": rows, "COLUMNS": 64}, pre_hook=hook) for rows in (32, 64)]
    ranking = warpline.triton.rank(kernels.copy_tiles, (given, given), lambda m: (4096 // m["ROWS"], 64), configs)
    assert len(ranking) == 2 and given.block_shape == [1, 16]


# ---- rankings ----

CONFIGS = [triton.Config({"ROWS": rows, "COLUMNS": columns, "DEPTH": 32}, num_warps=warps, num_stages=stages)
           for rows, columns, warps, stages in ((64, 64, 4, 3), (128, 128, 4, 3), (32, 32, 2, 2), (128, 64, 4, 4))]
TOO_LARGE = triton.Config({"ROWS": 128, "COLUMNS": 256, "DEPTH": 128}, num_warps=8, num_stages=4)
TOO_MANY = triton.Config({"ROWS": 64, "COLUMNS": 64, "DEPTH": 32}, num_warps=64)


def test_a_ranking_is_made_of_predictions():
    ranking = warpline.triton.rank(**matmul(), configs=[TOO_LARGE, *CONFIGS, TOO_MANY])
    times = {str(r.config): r.time_s for r in ranking}
    assert list(times.values()) == sorted(times.values()) and ranking.best is ranking[0]
    for config in CONFIGS:
        single = warpline.triton.predict(**{**matmul(), "config": config}, effort=0.1)
        assert times[str(config)] == single["model"]["time_s"]
    reasons = {left.config: left.reason for left in ranking.left_out}
    assert list(reasons) == [TOO_LARGE, TOO_MANY]
    assert "shared memory" in reasons[TOO_LARGE] and "1024 threads" in reasons[TOO_MANY]
    assert ranking.best.config in ranking.to_benchmark(0.8) and ranking.tie > 1
    assert ranking.columns["ROWS"] == [r.config.kwargs["ROWS"] for r in ranking]
    assert ranking.columns["num_warps"][0] == ranking.best.config.num_warps


def test_equal_kernels_are_predicted_once(monkeypatch):
    calls = []
    monkeypatch.setattr(module, "_predicted", lambda *a, _own=module._predicted: calls.append(a) or _own(*a))
    same = [{"BLOCK": 1024, "num_stages": stages} for stages in (2, 3, 4)]  # without a loop, stages change nothing
    ranking = warpline.triton.rank(kernels.add, ADD["args"], ADD["grid"], same)
    assert len(ranking) == 3 and len(calls) == 1


def test_no_configuration_can_run():
    with pytest.raises(warpline.InputError, match="no configuration can run: .*shared memory"):
        warpline.triton.rank(**matmul(), configs=[TOO_LARGE])


# ---- tuning ----

def test_autotune_without_a_gpu():
    tuned = warpline.triton.autotune(CONFIGS, key=["M", "N", "K"], device="h200", top_k=2)(kernels.matmul)
    launch = matmul()
    with pytest.warns(RuntimeWarning, match="no GPU: matmul is not launched"):
        made = tuned[launch["grid"]](*launch["args"])
    best = warpline.triton.rank(**launch, configs=CONFIGS).best
    assert tuned.best_config == best.config and made == best.prediction and len(tuned.ranking) == 4
    first = tuned.ranking
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tuned[launch["grid"]](*launch["args"]) == made and tuned.ranking is first  # known
    with pytest.warns(RuntimeWarning):
        tuned[launch["grid"]](*launch["args"][:3], 512, *launch["args"][4:])
    assert tuned.ranking is not first


class Gpu:
    """Stands for the driver of a GPU, on which nothing is launched."""

    def get_current_device(self):
        return 0


def test_autotune_with_a_gpu_measures_the_best(monkeypatch):
    measured, launched = [], []
    monkeypatch.setattr(triton.runtime.driver, "_active" if hasattr(triton.runtime.driver, "_active") else "active", Gpu())
    monkeypatch.setattr(type(kernels.matmul), "run", lambda self, *args, **named: launched.append(named))

    def bench(call, quantiles):
        call()
        measured.append(launched[-1]["ROWS"])
        return [1 / launched[-1]["ROWS"]] * 3
    launch = matmul()
    tuned = warpline.triton.autotune(CONFIGS, key=["M"], top_k=2, do_bench=bench)(kernels.matmul)
    tuned[launch["grid"]](*launch["args"])
    assert measured == [r.config.kwargs["ROWS"] for r in tuned.ranking[:2]]
    assert tuned.best_config.kwargs["ROWS"] == max(measured) and launched[-1]["ROWS"] == max(measured)


def autotuner(configs, **options):
    """What @triton.autotune makes; in 3.2 it asks for a GPU unless it is told what to measure with."""
    def never(*_, **__):
        raise AssertionError("nothing is measured")
    return triton.runtime.autotuner.Autotuner(kernels.matmul, kernels.matmul.arg_names, configs, ["M"], None, None,
                                              do_bench=never, **options)


@pytest.mark.parametrize("how", ["prune", "perf_model", "share"])
def test_triton_prunes_by_predictions(how):
    by = (warpline.triton.prune(device="h200", top_k=2) if how == "prune" else
          warpline.triton.prune(device="h200", top_k=0.34) if how == "share" else
          {"perf_model": warpline.triton.perf_model(device="h200"), "top_k": 2})
    configs = [*CONFIGS, TOO_LARGE, TOO_MANY]
    tuned = autotuner(configs, prune_configs_by=by)
    launch = matmul()
    tuned.nargs = dict(zip(tuned.arg_names, launch["args"]))
    kept = tuned.prune_configs({"grid": launch["grid"], "warmup": False})
    assert kept == [r.config for r in warpline.triton.rank(**launch, configs=CONFIGS)[:2]]


def test_what_cannot_be_predicted_is_measured():
    tuned = autotuner([TOO_LARGE, TOO_MANY], prune_configs_by=warpline.triton.prune(device="h200"))
    launch = matmul()
    tuned.nargs = dict(zip(tuned.arg_names, launch["args"]))
    with pytest.warns(RuntimeWarning, match="all configurations are measured, as none could be predicted: .*shared memory"):
        assert tuned.prune_configs({"grid": launch["grid"]}) == [TOO_LARGE, TOO_MANY]


def test_decorators_above_the_kernel():
    heuristic = triton.heuristics({"BLOCK": lambda named: 512 if named["n"] < N else 1024})(kernels.add)
    x = Tensor(N, "f32")
    assert warpline.triton.predict(heuristic, (x, x, x, N), (N // 1024,))["launch"]["grid"] == [N // 1024, 1, 1]
    named = []
    warpline.triton.predict(heuristic, (x, x, x, N // 2), lambda meta: named.append(meta) or (N // 1024,))
    assert named[0]["BLOCK"] == 512
    tuned = autotuner(CONFIGS)
    launch = {**matmul(), "kernel": tuned}
    with pytest.raises(warpline.InputError, match="it has 4 configurations: give config="):
        warpline.triton.predict(**launch)
    assert len(warpline.triton.rank(**launch)) == 4


def test_the_example():
    example = pathlib.Path(__file__).resolve().parents[2] / "examples/tune_triton.py"
    printed = subprocess.run([sys.executable, "-W", "ignore", example, "a100-40gb"], check=True, capture_output=True, text=True)
    fastest = [line for line in printed.stdout.splitlines() if " us " in line]
    assert len(fastest) == 5 and all("BLOCK_M" in line for line in fastest)


# ---- Triton's cache ----

def test_a_kernel_of_the_cache(own_cache):
    launch = LAUNCHES["matmul"]
    predicted = warpline.triton.predict(**launch)
    ptx = launch_of(**launch).kernel.ptx
    entry = next(p for p in pathlib.Path(own_cache).glob("*/*.ptx") if p.read_bytes() == ptx)
    for path in (entry, entry.parent, str(entry.with_suffix(".json"))):
        kernel = warpline.triton.cached(path)
        assert kernel.name == "matmul"
        assert kernel.predict(launch["args"], (16, 8)) == predicted
    with pytest.raises(warpline.InputError, match="has 9 parameters, which are not these 3 arguments"):
        kernel.predict(launch["args"][:3], (16, 8))
    with pytest.raises(warpline.InputError, match="this holds folders of kernels"):
        warpline.triton.cached(own_cache)


# ---- errors ----

@pytest.mark.parametrize("call, error, text", [
    (dict(kernel=kernels.wrong, args=(Tensor(64, "f32"),), grid=1, config={"BLOCK": 64}), warpline.InputError,
     "wrong.*Triton does not compile it for h200: .*nothing_of_this_name"),
    ({**ADD, "args": ADD["args"][:3]}, warpline.InputError, "add: 'n' is missing: give it among the arguments"),
    ({**ADD, "config": None}, warpline.InputError, "add: 'BLOCK' is missing: a constexpr; give it in config"),
    ({**ADD, "args": (*ADD["args"], 1, 2)}, warpline.InputError, "add: 6 arguments, but the kernel has 5 parameters"),
    ({**ADD, "args": ("x", *ADD["args"][1:])}, warpline.InputError, "x: a str is no argument of a kernel: give a number"),
    ({**ADD, "grid": 0}, warpline.InputError, r"add: the grid is \(0,\)"),
    ({**ADD, "blocks": 7}, warpline.InputError, "no parameter 'blocks'"),
    ({**ADD, "BLOCK": 7}, warpline.InputError, "'BLOCK' is given twice"),
    ({**ADD, "device": "mi300x"}, warpline.UnsupportedError, "mi300x is no NVIDIA GPU"),
    ({**ADD, "kernel": print}, warpline.InputError, "print is no kernel of Triton: decorate it"),
])
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        warpline.triton.predict(**call)


def test_an_unsupported_dtype():
    numpy = pytest.importorskip("numpy")
    with pytest.raises(warpline.InputError, match="x: .*complex64 are not supported: give one of f16"):
        warpline.triton.predict(**{**ADD, "args": (numpy.empty(N, dtype="c8"), *ADD["args"][1:])})


def test_a_gpu_that_is_newer_than_triton():
    if VERSION >= (3, 3):
        assert warpline.triton.predict(**ADD, device="b200")["device"] == "b200"
    else:
        with pytest.raises(warpline.UnsupportedError, match="pip install 'triton>=3.3'"):
            warpline.triton.predict(**ADD, device="b200")


def test_the_compiler_is_asked_for_the_device(own_cache):
    ptx = {device: launch_of(**ADD, device=device).kernel.ptx for device in ("h200", "a100-40gb")}
    assert b".target sm_90" in ptx["h200"] and b".target sm_80" in ptx["a100-40gb"]
    assert triton_compiler.triton() is triton
