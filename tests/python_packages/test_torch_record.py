"""Tensors of PyTorch in recordings of Triton launches, where PyTorch is installed, with a double of a GPU.
SPDX-License-Identifier: MIT"""
import pytest

triton = pytest.importorskip("triton")
torch = pytest.importorskip("torch")
import triton_kernels as kernels  # noqa: E402
import warpline.torch  # noqa: E402
from test_triton_record import N, gpu, times  # noqa: E402, F401
from warpline.triton import record  # noqa: E402

ANY = torch.randperm(N, generator=torch.Generator().manual_seed(0)).to(torch.int32)


def gather(index, x=None):
    x = torch.zeros(N) if x is None else x
    with record() as part:
        kernels.gather[(N // 1024,)](x, index, torch.zeros(N), N, BLOCK=1024)
    assert part.recording.notes == []
    return times(part)[0]


def test_indices_are_kept():
    assert gather(ANY) > 1.5 * gather(torch.arange(N, dtype=torch.int32))


def test_a_view_is_in_the_whole_allocation():
    """Its addresses may lie before it: they are inside of what was allocated."""
    behind = torch.zeros(2 * N)[N:]
    assert gather(ANY - N, behind) == pytest.approx(gather(ANY, torch.zeros(2 * N)), rel=0.05)


def test_kernels_that_inductor_launches_by_itself(monkeypatch):
    """Their launcher was made before the recording began, and keeps the method that starts the kernel."""
    heuristics = pytest.importorskip("torch._inductor.runtime.triton_heuristics")
    static = pytest.importorskip("torch._inductor.runtime.static_triton_launcher")
    folders = pytest.importorskip("torch._inductor.runtime.cache_dir_utils")
    monkeypatch.setattr(folders, "triton_cache_dir", lambda _device: triton.knobs.cache.dir)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    monkeypatch.setattr(heuristics.CachingAutotuner, "run", lambda self, *args: self.launchers[0](*args))
    started = []
    kernel = object.__new__(static.StaticallyLaunchedCudaKernel)
    vars(kernel).update(
        hash=kernels.add.warmup(torch.float32, torch.float32, torch.float32, N, BLOCK=1024, grid=(1,)).hash, function=1,
        num_warps=4, shared=0, arg_tys="OOOi", has_global_scratch=False, has_profile_scratch=False,
        C_impl=type("Driver", (), {"_launch_kernel": staticmethod(lambda *args: started.append(args))}))
    scope = {"runner": kernel.run}
    exec(f"def launcher(*args): runner({N // 1024}, 1, 1, 0, *args)", scope)  # pylint: disable=exec-used
    scope["launcher"]._is_static = True
    tuner = object.__new__(heuristics.CachingAutotuner)
    tuner.launchers = [scope["launcher"]]
    x, out = torch.zeros(N), torch.zeros(N)
    tuner.run(x, x, out, N)
    with record() as part:
        tuner.run(x, x, out, N)
    tuner.run(x, x, out, N)
    assert len(started) == 3 and len(part.recording) == 1 and part.recording.notes == []
    assert scope["runner"] == kernel.run


def test_reading_indices_is_no_call_of_a_library():
    calls = []
    with warpline.torch._watch(calls):
        index, x, out = ANY.clone(), torch.zeros(N), torch.zeros(N)
        calls.clear()
        with record() as part:
            kernels.gather[(N // 1024,)](x, index, out, N, BLOCK=1024)
    assert calls == [] and len(part.recording) == 1
