"""warpline.torch, with PyTorch on the CPU where it is installed: what compiled code leaves to libraries. SPDX-License-Identifier: MIT"""
import pytest

import warpline
import warpline.torch as module

H200 = warpline.Device("h200")


def test_estimates_are_rooflines():
    numbers = H200.to_dict()
    seconds, limiter = module.estimate(module.Call("aten.copy_", 0, 1 << 30, "bf16"), H200)
    assert (seconds, limiter) == ((1 << 30) / numbers["dram_bandwidth"], "dram")
    seconds, limiter = module.estimate(module.Call("aten.mm", 1e13, 1 << 20, "bf16"), H200)
    assert limiter == "tensor" and 8e-3 < seconds < 14e-3
    assert module.estimate(module.Call("aten.mm", 1, 16, "bf16"), H200) == (numbers["launch_duration"], "launch")


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


def test_what_compiled_code_leaves_to_libraries(torch):
    model = torch.compile(torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.GELU(), torch.nn.Linear(128, 32)))
    x, calls = torch.randn(8, 64), []
    with torch.no_grad():
        model(x)
        with module._watch(calls):
            model(x)
    assert [(c.name, c.flops, c.kind) for c in calls] == [("aten.addmm", 2 * 8 * 64 * 128, "f32"),
                                                          ("aten.addmm", 2 * 8 * 128 * 32, "f32")]
    assert calls[0].bytes == 4 * (8 * 64 + 64 * 128 + 128 + 8 * 128)


def test_precision_decides_about_f32(torch):
    call = module.Call("aten.mm", 1e13, 1 << 20, "f32")
    slow = module.estimate(call, H200)[0]
    torch.set_float32_matmul_precision("high")
    try:
        assert module.estimate(call, H200)[0] < slow / 4
    finally:
        torch.set_float32_matmul_precision("highest")


def test_without_a_gpu_it_says_what_to_do(torch):
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(warpline.UnsupportedError, match="recording"):
        module.profile(torch.nn.Linear(4, 4), torch.randn(4, 4))


def test_no_model():
    with pytest.raises(TypeError, match="recording="):
        module.profile(device="h200")
