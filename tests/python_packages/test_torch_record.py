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


def test_reading_indices_is_no_call_of_a_library():
    calls = []
    with warpline.torch._watch(calls):
        index, x, out = ANY.clone(), torch.zeros(N), torch.zeros(N)
        calls.clear()
        with record() as part:
            kernels.gather[(N // 1024,)](x, index, out, N, BLOCK=1024)
    assert calls == [] and len(part.recording) == 1
