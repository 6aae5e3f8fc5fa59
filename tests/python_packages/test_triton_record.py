"""warpline.triton.record with the Triton that is installed, and a double of a GPU. SPDX-License-Identifier: MIT"""
import os
import subprocess

import numpy
import pytest

triton = pytest.importorskip("triton")
import triton_kernels as kernels  # noqa: E402
import warpline  # noqa: E402
import warpline.triton  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from warpline.triton import Tensor, record  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:TRITON_DEFAULT_FP_FUSION")
VERSION = tuple(int(n) for n in triton.__version__.split(".")[:2])
N = 1 << 20


class Gpu:
    """Stands for the driver of a GPU, on which nothing runs."""

    class utils:
        @staticmethod
        def load_binary(*_):
            return (1, 1, 16, 0, 1024) if VERSION >= (3, 4) else (1, 1, 16, 0)

        @staticmethod
        def get_device_properties(_device):
            return {"max_shared_mem": 232448, "warpSize": 32}

        @staticmethod
        def unload_module(_module):
            pass

    class launcher_cls:
        launch_cooperative_grid = False

        def __init__(self, _source, _metadata):
            pass

        def __call__(self, *_):
            pass

    def get_current_device(self):
        return 0

    def get_current_stream(self, _device):
        return 0x55

    def get_current_target(self):
        return GPUTarget("cuda", 90, 32)


class Placed(Tensor):
    """A tensor at an address, whose contents may be known."""

    def __init__(self, shape, dtype, at, array=None):
        super().__init__(shape, dtype)
        self.at, self.array = at, array

    def data_ptr(self):
        return self.at

    def get(self):
        return self.array


@pytest.fixture(autouse=True)
def gpu(monkeypatch):
    monkeypatch.setattr(triton.runtime.driver, "_active" if hasattr(triton.runtime.driver, "_active") else "active", Gpu())
    for kernel in (kernels.add, kernels.gather, kernels.matmul, kernels.copy_tiles):  # compiled for this GPU, not another
        for known in ("device_caches", "cache"):
            if hasattr(kernel, known):
                getattr(kernel, known).clear()


X, Y, Z = (Placed(N, "f32", 0x7f0000000000 + i * (4 << 20)) for i in range(3))
A, B, C = (Placed((1024, 1024), "f16", 0x7f1000000000 + i * (2 << 20)) for i in range(3))
INDEX = numpy.random.default_rng(0).permutation(N).astype(numpy.int32)
MATMUL = (A, B, C, 1024, 1024, 1024, 1024, 1, 1024, 1, 1024, 1)
TILE = {"ROWS": 128, "COLUMNS": 64, "DEPTH": 64, "num_warps": 4}


def add(block=1024):
    kernels.add[(N // block,)](X, Y, Z, N, BLOCK=block)


def times(part):
    return [launch["time_s"] for launch in part.recording.launches("h200")]


def test_launches_are_predicted_as_by_predict():
    with record() as part:
        add()
        kernels.matmul[(8, 16)](*MATMUL, **TILE)
    first, second = part.recording
    assert (first["kernel"], first["grid"], first["block"]) == ("add", (1024, 1, 1), (128, 1, 1))
    assert (second["kernel"], second["grid"], second["block"]) == ("matmul", (8, 16, 1), (128, 1, 1))
    assert part.recording.notes == [] and first["stream"] == second["stream"]
    wanted = [warpline.triton.predict(kernels.add, (X, Y, Z, N), (1024,), {"BLOCK": 1024}),
              warpline.triton.predict(kernels.matmul, MATMUL, (8, 16), TILE)]
    # a profile does not emulate predication and divergence
    assert times(part) == pytest.approx([p["model"]["time_s"] for p in wanted], rel=0.03)
    assert [launch["registers"] for launch in part.recording] == [p["launch"]["registers"] for p in wanted]
    assert second["dynamic_shared"] == wanted[1]["launch"]["shared_bytes"] > 0


def test_indices_are_kept():
    def seconds(index):
        with record() as part:
            kernels.gather[(N // 1024,)](X, Placed(N, "s32", 0x7f2000000000, index), Z, N, BLOCK=1024)
        return times(part)[0]
    in_order, anywhere = seconds(numpy.arange(N, dtype=numpy.int32)), seconds(INDEX)
    assert anywhere > 1.5 * in_order


def test_equal_launches_are_like_the_first():
    with record(launches=1) as part:
        add()
        add()
        add(512)
        add()
    assert [launch["like"] for launch in part.recording] == [False, True, False, True]
    first, second, third, last = times(part)
    assert first == second == last != third


def test_buffers_that_touch_are_two(tmp_path):
    assert X.at + 4 * N == Y.at
    path = tmp_path / "add.wlrec"
    with record(path):
        add()
    words = [os.environ["WARPLINE_PROGRAM"], "predict", path, "--launch", "0", "--device", "h200"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.startswith("add on h200") and not done.stderr  # 7: out of bounds


def test_searches_are_left_out_and_their_best_is_there():
    def bench(call, quantiles):
        call()
        return [0.1] * 3
    configs = [triton.Config({"BLOCK": block}) for block in (256, 512)]
    tuned = triton.runtime.autotuner.Autotuner(kernels.add, kernels.add.arg_names, configs, ["n"], None, None, do_bench=bench)
    with record() as part:
        tuned[lambda meta: (N // meta["BLOCK"],)](X, Y, Z, N)
    assert [launch["grid"] for launch in part.recording] == [(N // tuned.best_config.kwargs["BLOCK"], 1, 1)]


@pytest.mark.skipif(VERSION < (3, 4), reason="descriptors came with Triton 3.4")
def test_descriptors():
    from triton.tools.tensor_descriptor import TensorDescriptor

    def described(base):
        return TensorDescriptor(base, [1024, 1024], [1024, 1], [64, 64])
    with record() as part:
        kernels.copy_tiles[(16, 16)](described(A), described(B), ROWS=64, COLUMNS=64)
    assert part.recording.notes == []
    wanted = warpline.triton.predict(kernels.copy_tiles, (described(A), described(B)), (16, 16), {"ROWS": 64, "COLUMNS": 64})
    assert times(part) == pytest.approx([wanted["model"]["time_s"]], rel=1e-3)


def test_what_is_not_known_is_a_note():
    class Opaque:
        """A pointer that does not say to how much."""
        dtype = X.dtype

        def data_ptr(self):
            return 0x7f3000000000
    with record() as part:
        kernels.add[(1024,)](X, Opaque(), Z, N, BLOCK=1024)
        add(512)
    assert len(part.recording) == 1
    assert part.recording.notes == ["launches of add were not recorded: a Opaque is no array: its memory is not known"]


def test_only_the_part_is_recorded(tmp_path):
    compiled = triton.compiler.CompiledKernel
    before = compiled.launch_metadata
    with pytest.raises(ZeroDivisionError), record(tmp_path / "a.wlrec"):
        add()
        add(512)
        raise ZeroDivisionError
    add()
    assert compiled.launch_metadata is before
    assert len(warpline.Recording(tmp_path / "a.wlrec")) == 2
    made = subprocess.run([os.environ.get("WARPLINE_PROGRAM", "warpline"), "predict", tmp_path / "a.wlrec", "--device", "h200",
                           "--no-ptxas"], capture_output=True, text=True, check=True)
    assert "2 launches of 1 kernel" in made.stdout and not made.stderr


def test_a_recording_without_a_path_goes_with_what_needs_it():
    with record() as part:
        add()
    recording, path = part.recording, part.path
    del part
    assert recording.profile("h200")["time"]["kernels_s"] > 0 and path.exists()
    del recording
    assert not path.exists()


def test_a_folder_that_is_not_there():
    with pytest.raises(warpline.FileError, match="No such file"), record("/nowhere/a.wlrec"):
        add()


def test_a_profile_of_a_model_from_a_recording(tmp_path):
    import warpline.torch
    with record() as part:
        add()
        add()
        kernels.matmul[(8, 16)](*MATMUL, **TILE)
    profile = warpline.torch.profile(recording=part.recording, device="h200")
    seconds = times(part)
    rows = {row["kernel"]: row for row in profile.rows}
    assert [row["kernel"] for row in profile.rows] == ["matmul", "add"] and rows["add"]["calls"] == 2
    assert rows["add"]["time_s"] == seconds[0] + seconds[1] and profile.time_s == pytest.approx(sum(seconds))
    assert all(row["kind"] == "triton" and row["basis"] == "predicted" and row["limiter"] for row in profile.rows)
    profile.report(tmp_path / "model.html")
    page = (tmp_path / "model.html").read_text()
    for kernel in rows:
        assert f"<td>{kernel}</td>" in page and f"  {kernel}" in str(profile)
    assert "are not in a recording" in str(profile)
