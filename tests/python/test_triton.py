"""warpline.triton without Triton: a double in place of its compiler gives PTX that Triton made. SPDX-License-Identifier: MIT"""
import csv
import inspect
import json
import subprocess
import sys
import types

import pytest
import warpline
import warpline.triton
from conftest import SOURCE
from warpline import triton as module, triton_compiler
from warpline.triton import Tensor
from warpline.triton_compiler import Kernel

PTX = SOURCE / "validate/triton/ptx"
sys.path.insert(0, str(SOURCE / "validate/triton"))
import tutorials  # noqa: E402


def rows(variant):
    """Of the table of measured launches: with the registers and the arguments that they had."""
    with open(SOURCE / "validate/probes/h200_triton.csv", encoding="ascii") as file:
        return [row for row in csv.DictReader(file) if row["variant"] == variant]


def kernel_of(row, **changes):
    """What the compiler of Triton 3.6 gave for a row of the table."""
    text = (PTX / row["file"]).read_bytes()
    count = text.split(b".entry")[1].split(b")")[0].count(b".param")
    made = dict(name=row["kernel"], ptx=text, registers=int(row["regs"]), stack_bytes=0, warps=int(row["bx"]) // 32,
                shared_bytes=int(row["smem"]), ctas=1, scratch=(0, 0), descriptors=(), parameters=count)
    return Kernel(**{**made, **changes})


def jit(function, constants):
    """What @triton.jit makes of a function, as far as it is looked at."""
    signature = inspect.signature(function)
    params = [types.SimpleNamespace(name=p.name, is_constexpr=p.name in constants, default=p.default,
                                    has_default=p.default is not inspect.Parameter.empty)
              for p in signature.parameters.values()]
    return types.SimpleNamespace(__name__=function.__name__, signature=signature, params=params, fn=function)


MATMUL = jit(lambda a, b, c, M, N, K, a_row, a_column, b_row, b_column, c_row, c_column, ROWS, COLUMNS, DEPTH, GROUP=8: None,
             ("ROWS", "COLUMNS", "DEPTH", "GROUP"))
N = 1024
ROW = rows("128x256x64_s3_w8_f16")[0]
HALF = Tensor((N, N), "f16")
LAUNCH = dict(kernel=MATMUL, args=(HALF, HALF, HALF, N, N, N, N, 1, N, 1, N, 1), grid=lambda meta: (
    N // meta["ROWS"] * N // meta["COLUMNS"],), config={"ROWS": 128, "COLUMNS": 256, "DEPTH": 64, "num_warps": 8})


@pytest.fixture
def compiler(monkeypatch):
    """The double of Triton's compiler: it gives the kernel of a configuration, whose strides of 1 are constants."""
    asked = []

    def compile_kernel(fn, named, options, capability):
        asked.append((named, options, capability))
        kernel = kernels.get(named["COLUMNS"])
        if isinstance(kernel, Exception):
            raise kernel
        kept = [p.name for p in fn.params if not p.is_constexpr and named[p.name] != 1]
        return triton_compiler.Compiled(kernel, named, {name: "a type" for name in kept})
    kernels = {256: kernel_of(ROW)}
    monkeypatch.setattr(triton_compiler, "triton", lambda: None)
    monkeypatch.setattr(triton_compiler, "compile_kernel", compile_kernel)
    return types.SimpleNamespace(asked=asked, kernels=kernels)


def test_a_prediction_is_what_the_command_prints(cli, compiler):
    predicted = warpline.triton.predict(**LAUNCH, effort=0.1)
    printed = json.loads(cli(*tutorials.command(ROW), PTX / ROW["file"], "--device", "h200", "--effort", 0.1, "--format",
                             "json"))["predictions"][0]
    for key in ("launch", "occupancy", "metrics", "model"):
        assert predicted[key] == printed[key], key
    (named, options, capability), = compiler.asked
    assert capability == 90 and options == {"num_warps": 8}
    assert named["GROUP"] == 8 and named["a"].data_ptr() == 0 and str(named["a"].dtype) == "torch.float16"


def test_what_is_compiled_for_what(compiler):
    warpline.triton.predict(**LAUNCH, device="a100-40gb", num_stages=4, effort=0.01)
    assert compiler.asked[0][1:] == ({"num_warps": 8, "num_stages": 4}, 80)


def test_the_launch_of_a_cluster(compiler):
    compiler.kernels[256] = kernel_of(ROW, ctas=2, scratch=(128, 0))
    made = module._launched(module._function(MATMUL), LAUNCH["args"], LAUNCH["grid"], LAUNCH["config"], {},
                            warpline.Device("h200"))
    assert made.grid == (64, 1, 1) and made.args[-2:] == ("buf:8192", 0)  # of 32 programs, two blocks each


def test_spilled_registers_are_told(compiler):
    compiler.kernels[256] = kernel_of(ROW, stack_bytes=40)
    assert any("40 bytes of stack" in w for w in warpline.triton.predict(**LAUNCH, effort=0.01)["warnings"])


def test_a_ranking_keeps_why_configurations_are_left_out(compiler):
    compiler.kernels[512] = kernel_of(ROW, shared_bytes=1 << 19)
    compiler.kernels[64] = ValueError("arange's range must be a power of 2\nand more")
    configs = [{**LAUNCH["config"], "COLUMNS": columns} for columns in (512, 256, 64)]
    ranking = warpline.triton.rank(MATMUL, LAUNCH["args"], LAUNCH["grid"], configs)
    assert [r.config for r in ranking] == [configs[1]]
    assert [left.config for left in ranking.left_out] == [configs[0], configs[2]]
    assert "524288 bytes of shared memory" in ranking.left_out[0].reason
    assert ranking.left_out[1].reason == "Triton does not compile it for h200: arange's range must be a power of 2"
    assert ranking.columns["COLUMNS"] == [256] and ranking.columns["registers"] == [207]
    assert ranking.to_benchmark(0.8) == [configs[1]]
    with pytest.raises(warpline.InputError, match="no configuration can run: "):
        warpline.triton.rank(MATMUL, LAUNCH["args"], LAUNCH["grid"], configs[::2])


@pytest.mark.parametrize("changes, text", [
    (dict(args=LAUNCH["args"][:-1]), "'c_column' is missing: give it among the arguments"),
    (dict(config=None), "'ROWS' is missing: a constexpr; give it in config, or as a keyword"),
    (dict(args=(*LAUNCH["args"], 1, 1, 1, 1, 1)), "17 arguments, but the kernel has 16 parameters"),
    (dict(args=(3j, *LAUNCH["args"][1:])), "a: a complex is no argument of a kernel: give a number, an array"),
    (dict(ROWS=64), "'ROWS' is given twice"),
    (dict(grid=(1, 2, 3, 4)), r"the grid is \(1, 2, 3, 4\): one to three"),
    (dict(device="mi300x"), "mi300x is no NVIDIA GPU"),
    (dict(kernel=len), "len is no kernel of Triton: decorate it with @triton.jit"),
])
def test_errors(compiler, changes, text):
    with pytest.raises(warpline.Error, match=text):
        warpline.triton.predict(**{**LAUNCH, **changes})


def test_an_error_of_the_compiler_is_one_sentence(compiler):
    class CompilationError(Exception):
        def __init__(self, said):
            super().__init__("at 7:4:\n    a line of it\n    ^\n" + said)
            self.error_message = said
            self.node = types.SimpleNamespace(lineno=7)
    compiler.kernels[256] = CompilationError("x is not defined")
    with pytest.raises(warpline.InputError, match="does not compile it for h200: x is not defined$") as caught:
        warpline.triton.predict(**LAUNCH)
    assert caught.value.line == 7 and caught.value.__cause__ is compiler.kernels[256]


def test_unsupported_types():
    with pytest.raises(warpline.InputError, match="arrays of complex64 are not supported: give one of f16"):
        Tensor(4, "complex64")


@pytest.mark.parametrize("package, text", [("None", "needs Triton: pip install 'triton>=3.2'"),
                                           ("types.SimpleNamespace(__version__='3.1.0')", "3.2 or newer, not 3.1.0")])
def test_triton_is_not_there(package, text):
    code = (f"import sys, types; sys.modules['triton'] = {package}; import warpline.triton as w\n"
            "try:\n    w.predict(None, (), 1)\nexcept ImportError as e:\n    print(e)")
    assert text in subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


# ---- tensors ----

def test_tensors_without_memory():
    x = Tensor((16, 100), "float32", strides=(128, 1))
    assert (x.shape, x.stride(0), x.stride(), x.numel(), x.element_size(), x.ndim) == ((16, 100), 128, (128, 1), 1600, 4, 2)
    assert x.argument == f"buf:{4 * (15 * 128 + 100)}" and x.zero_().argument.endswith("=zero")
    assert Tensor(8, "s32", contents="iota:u32").argument == "buf:32=iota:u32"
    assert Tensor(4, "bf16", aligned=False).data_ptr() % 16 == 2
    with pytest.raises(warpline.InputError, match="2 extents and 1 strides"):
        Tensor((2, 3), "f16", strides=(1,))


@pytest.mark.parametrize("dtype, device, contents", [("torch.int32", "cpu", True), ("torch.float32", "cpu", False),
                                                     ("torch.int32", "meta", False)])
def test_tensors_of_pytorch(dtype, device, contents):
    """As far as these show what they are: PyTorch is not installed here."""
    class TorchTensor:
        shape, is_meta, is_cuda = (2, 3), device == "meta", False

        def __init__(self):
            self.dtype, self.device = dtype, types.SimpleNamespace(type=device)

        def stride(self):
            return 3, 1

        def data_ptr(self):
            return 8

        def detach(self):
            return self

        def numpy(self):
            return memoryview(bytes(range(24)))
    made = module.as_argument("x", TorchTensor())
    assert (made.dtype.short, made.strides, made.aligned) == (dtype.replace("torch.", "").replace("int", "s").replace(
        "float", "f"), (3, 1), device == "meta")
    assert made.argument == (bytes(range(24)) if contents else "buf:24")


# ---- Triton's cache ----

@pytest.fixture
def entry(tmp_path):
    """A folder of Triton's cache."""
    folder = tmp_path / "WLQ4IGNQ"
    folder.mkdir()
    (folder / "k_matmul.ptx").write_bytes((PTX / ROW["file"]).read_bytes())
    (folder / "k_matmul.json").write_text(json.dumps({
        "name": "k_matmul", "num_warps": 8, "num_ctas": 1, "shared": int(ROW["smem"]), "global_scratch_size": 0,
        "profile_scratch_size": 0, "tensordesc_meta": None, "target": {"backend": "cuda", "arch": 90}}))
    return folder


def test_a_kernel_of_the_cache(cli, entry):
    """Without a cubin beside it, registers are assumed, as on the command line."""
    kernel = warpline.triton.cached(entry)
    predicted = kernel.predict(LAUNCH["args"], 32, effort=0.1)
    words = tutorials.command(ROW)
    del words[words.index("--registers"):words.index("--registers") + 2]
    printed = json.loads(cli(*words, entry / "k_matmul.ptx", "--device", "h200", "--no-ptxas", "--effort", 0.1, "--format",
                             "json"))["predictions"][0]
    assert predicted["model"] == printed["model"] and predicted["launch"] == printed["launch"]
    assert "k_matmul" in repr(kernel)
    with pytest.raises(warpline.InputError, match="has 9 parameters, which are not these 2 arguments"):
        kernel.predict((HALF, HALF), 32)


@pytest.mark.parametrize("path, change, error, text", [
    ("nowhere", None, warpline.FileError, "No such file"),
    (".", None, warpline.InputError, "this holds folders of kernels: name one of them, as WLQ4IGNQ"),
    ("WLQ4IGNQ", lambda f: (f / "k_matmul.ptx").unlink(), warpline.InputError, "there is no .ptx file here"),
    ("WLQ4IGNQ", lambda f: (f / "k_matmul.json").unlink(), warpline.FileError, "k_matmul.json: No such file"),
    ("WLQ4IGNQ", lambda f: (f / "k_matmul.json").write_text("{}"), warpline.InputError, "does not describe a kernel"),
    ("WLQ4IGNQ", lambda f: (f / "other.ptx").write_text(""), warpline.InputError, "there are 2 kernels here"),
])
def test_what_is_no_kernel_of_the_cache(entry, path, change, error, text):
    if change:
        change(entry)
    with pytest.raises(error, match=text):
        warpline.triton.cached(entry.parent / path)
