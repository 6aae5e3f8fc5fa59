"""warpline.kernel_tuner with the Kernel Tuner that is installed, and without a GPU. SPDX-License-Identifier: MIT"""
import itertools
import json
import os
import shutil

import pytest

kernel_tuner = pytest.importorskip("kernel_tuner")
import numpy  # noqa: E402
import warpline  # noqa: E402
import warpline.kernel_tuner as module  # noqa: E402

pytestmark = pytest.mark.skipif(not (shutil.which(os.environ.get("NVCC", "nvcc")) or shutil.which("clang++")),
                                reason="no nvcc, no clang")
N = 1 << 20
SOURCE = """
__global__ void scale(float *out, const float *in, float a, int n)
{
    for (int j = 0; j < work_per_thread; j++) {
        int i = (blockIdx.x * work_per_thread + j) * block_size_x + threadIdx.x;
        if (i < n)
            out[i] = a * in[i];
    }
}
"""
SPACE = {"block_size_x": [32, 128, 512], "work_per_thread": [1, 4], "unused": [1, 2]}
ARRAY = numpy.zeros(N, numpy.float32)
ARGS = [ARRAY, ARRAY, numpy.float32(2), numpy.int32(N)]
DIVS = {"grid_div_x": ["block_size_x", "work_per_thread"]}


@pytest.fixture(scope="module")
def order():
    return module.order(SOURCE, SPACE, N, ARGS, "h200", **DIVS)


def test_an_order_is_made_of_predictions(order, tmp_path):
    times = [r.time_s for r in order]
    assert len(order) == 12 and times == sorted(times) and order.best is order[0]
    assert order.compiled == 6  # what the source does not name makes no other variant
    for ordered in order[::5]:
        file = tmp_path / "variant.cu"
        file.write_text(SOURCE)
        config = ordered.config
        blocks = -(-N // (config["block_size_x"] * config["work_per_thread"]))
        single = warpline.predict(file, "h200", config["block_size_x"], grid=blocks, args=[f"buf:{4 * N}"] * 2 + [2.0, N],
                                  compiler_options=[f"-D{k}={v}" for k, v in config.items()], effort=0.1)
        assert single["model"]["time_s"] == ordered.time_s and single["launch"]["grid"] == [blocks, 1, 1]
    assert order.columns["work_per_thread"][0] == order.best.config["work_per_thread"]
    assert order.best.config in order.to_benchmark(0.8)


def test_a_file_and_what_kernel_tuner_accepts(order, tmp_path):
    (tmp_path / "scale.cu").write_text('#include "constant.h"\n' + SOURCE.replace("a * in", "FACTOR * a * in"))
    (tmp_path / "constant.h").write_text("#define FACTOR 2\n")
    made = module.order(tmp_path / "scale.cu", SPACE, lambda config: N, ARGS, "a100-40gb", **DIVS, kernel_name="scale",
                        restrictions=["block_size_x > 32", "unused == 1"])
    assert len(made) == 4 and {r.config["unused"] for r in made} == {1} and made.device.name == "a100-40gb"


def test_configurations_that_cannot_run():
    source = SOURCE.replace("for (int", "__shared__ float part[64 * work_per_thread]; part[threadIdx.x % 64] = a; __syncthreads();\n    for (int").replace("a * in", "part[j % 64] * in")
    made = module.order(source, {"block_size_x": [64], "work_per_thread": [1, 4096]}, N, ARGS, "h200", **DIVS)
    assert len(made) == 1 and made.left_out[0].config["work_per_thread"] == 4096
    with pytest.raises(warpline.InputError, match="no configuration can run"):
        module.order(source.replace("float a,", "float a"), {"block_size_x": [64], "work_per_thread": [1]}, N, ARGS, **DIVS)


# ---- inside of Kernel Tuner, with times from a file in place of a GPU ----


@pytest.fixture
def tune(tmp_path):
    """tune_kernel, as if it measured: larger blocks are slower."""
    known = {}
    for values in itertools.product(*SPACE.values()):
        known[",".join(map(str, values))] = {**dict(zip(SPACE, values)), "time": float(values[0]), "compile_time": 1,
                                             "verification_time": 0, "benchmark_time": 1, "strategy_time": 0,
                                             "framework_time": 0, "timestamp": "2026", "times": [1.0]}
    file = tmp_path / "times.json"
    file.write_text(json.dumps({"device_name": "none", "kernel_name": "scale", "tune_params_keys": list(SPACE),
                                "tune_params": SPACE, "objective": "time", "problem_size": N, "cache": known}))

    def run(**more):
        results, _ = kernel_tuner.tune_kernel("scale", SOURCE, N, ARGS, SPACE, lang="CUDA", simulation_mode=True,
                                              cache=str(file), quiet=True, **DIVS, **more)
        return [{name: r[name] for name in SPACE} for r in results]
    return run


def test_as_a_strategy(order, tune):
    every = module.strategy("h200")
    assert tune(strategy=every) == [r.config for r in order] == [r.config for r in every.order]
    assert tune(strategy=module.strategy("h200", top_k=3)) == [r.config for r in order[:3]]
    assert tune(strategy=module.strategy("h200"), strategy_options={"max_fevals": 5}) == [r.config for r in order[:5]]


def test_a_strategy_that_cannot_predict_runs_all(tune, monkeypatch):
    monkeypatch.setenv("NVCC", "/no/such/nvcc")
    with pytest.warns(RuntimeWarning, match="in the order of Kernel Tuner, as none could be predicted"):
        assert len(tune(strategy=module.strategy("h200"))) == 12


def test_as_a_restriction(order, tune):
    for restrictions in ([order.restriction(4)], order.restriction(4)):
        kept = tune(restrictions=restrictions)
        assert len(kept) == 4 and all(config in [r.config for r in order[:4]] for config in kept)
    likely = order.restriction(probability=0.8)
    assert [likely(r.config) for r in order] == [r.config in order.to_benchmark(0.8) for r in order]


@pytest.mark.parametrize("change, message", [
    (dict(args=[ARRAY, ARRAY, numpy.float32(2)]), "argument"),
    (dict(args=[numpy.zeros(N, complex), ARRAY, 2.0, N]), "argument 0.*arrays of complex128 are not supported: give one of f16"),
    (dict(args=[None, ARRAY, 2.0, N]), "None is no argument of a kernel: give a number, an array"),
    (dict(tune_params={"block_size_x": []}), "give at least one value for each parameter to tune"),
    (dict(kernel_source="int x;"), "give kernel_name: it has no __global__ function"),
    (dict(restrictions=["block_size_x > 4096"]), "no configuration is left"),
])
def test_bad_input(change, message):
    given = {"kernel_source": SOURCE, "tune_params": SPACE, "problem_size": N, "args": ARGS, **DIVS, **change}
    with pytest.raises(warpline.InputError, match=message):
        module.order(**given)


def test_it_is_not_installed(monkeypatch):
    import sys
    monkeypatch.setitem(sys.modules, "kernel_tuner.searchspace", None)
    with pytest.raises(warpline.UnsupportedError, match="Kernel Tuner is not installed: 'pip install kernel_tuner'"):
        module.order(SOURCE, SPACE, N, ARGS)
