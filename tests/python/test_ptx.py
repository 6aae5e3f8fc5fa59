"""PTX and CUDA from Python, with arrays of other packages as arguments. SPDX-License-Identifier: MIT"""
import json
import pathlib
import shutil
import struct
import types

import pytest
import warpline
from conftest import SOURCE
from warpline import arrays, cubins

HEAT = SOURCE / "examples/heat.ptx"
GATHER = SOURCE / "tests/python/gather.cu"
N = 4096
M = 1 << 14
LAUNCH = dict(device="h200", block=(32, 8), grid=(128, 512), registers=18)
GATHER_ARGS = [f"buf:{4 * M}", f"buf:{4 * M * 64}", f"buf:{4 * M}=zero"]
GATHER_CLI = [word for a in GATHER_ARGS for word in ("--arg", a)]


class CuPyArray:
    """An array in the memory of a GPU, as its interface describes it."""

    def __init__(self, shape, typestr="<f8", strides=None):
        self.__cuda_array_interface__ = {"shape": shape, "typestr": typestr, "strides": strides, "data": (1 << 32, False),
                                         "version": 3}


class TorchTensor:
    """A tensor of PyTorch in the memory of a GPU, with gradients."""
    shape, dtype, is_meta = (N, N), "torch.float64", False

    def stride(self):
        return N, 1

    def data_ptr(self):
        return 1 << 32

    @property
    def __cuda_array_interface__(self):
        raise RuntimeError("Can't get __cuda_array_interface__ on Variable that requires grad")


class NumPyArray:
    """What has NumPy's interface alone."""

    def __init__(self, shape, typestr="<f8", strides=None):
        self.__array_interface__ = {"shape": shape, "typestr": typestr, "strides": strides, "data": (4096, False),
                                    "version": 3}


SPECIFICATION = types.SimpleNamespace(shape=(N, N), dtype="float64")  # as jax.ShapeDtypeStruct


@pytest.mark.parametrize("array", [CuPyArray((N, N)), TorchTensor(), NumPyArray((N, N)), SPECIFICATION],
                         ids=["cupy", "torch", "numpy", "jax"])
def test_arrays_are_buffers(array):
    sizes = [f"buf:{N * N * 8}"] * 2
    predicted = warpline.predict(ptx=HEAT.read_text(), args=[array, array, N, N, 0.1], **LAUNCH)
    assert predicted == warpline.predict(ptx=HEAT.read_bytes(), args=[*sizes, N, N, 0.1], **LAUNCH)
    assert predicted == warpline.predict(HEAT.read_text(), args=[*sizes, N, N, 0.1], **LAUNCH)
    named = warpline.predict(ptx=HEAT, args=[*sizes, N, N, 0.1], **LAUNCH)
    assert named["model"] == predicted["model"]


@pytest.mark.parametrize("array, argument", [
    (CuPyArray((4, 8), "<f4"), "buf:128"), (CuPyArray((4, 8), "<f4", (64, 4)), "buf:224"),
    (CuPyArray((4, 8), "|b1"), "buf:32"), (CuPyArray((8,), "<i8", (-8,)), "buf:64:56"), (CuPyArray((0,), "<u2"), "buf:2"),
    (types.SimpleNamespace(shape=(3,), dtype="bfloat16"), "buf:6"),
])
def test_where_elements_lie(array, argument):
    assert arrays.layout(array).argument == argument


def test_contents_of_arrays_without_gaps_are_read():
    numpy = pytest.importorskip("numpy")
    index = numpy.arange(8, dtype="i4")
    whole, part = arrays.layout(index), arrays.layout(index[::2])
    assert bytes(arrays.contents(index, whole)) == index.tobytes()
    assert arrays.contents(index[::2], part) is None and part.argument == "buf:28"


def test_a_type_that_is_not_known():
    with pytest.raises(warpline.InputError, match="arrays of .c8 are not supported"):
        warpline.predict(ptx=HEAT, args=[CuPyArray((N, N), "<c8"), f"buf:{N * N * 8}", N, N, 0.1], **LAUNCH)


@pytest.mark.parametrize("given", [{}, {"kernel": "triad", "ptx": HEAT}, {"ptx": HEAT, "device": None}])
def test_a_kernel_or_ptx(given):
    with pytest.raises(TypeError, match="a kernel or ptx="):
        warpline.predict(**{"device": "h200", "block": 256, **given})


# ---- .cu ----

@pytest.fixture
def nvcc(tmp_path, monkeypatch):
    """A double of nvcc, which gives a PTX file that is there; no ptxas."""
    log, program = tmp_path / "log", tmp_path / "nvcc"
    program.write_text(f"""#!/bin/sh
echo "$@" >> {log}
for word; do case $last in -o) cp {GATHER.with_suffix('.ptx')} "$word";; esac; last=$word; done
case "$*" in *-DWRONG*) echo 'k.cu(3): error: expected a ";"' >&2; exit 2;; esac
""")
    program.chmod(0o755)
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("cp", "sh"):
        (tools / name).symlink_to(shutil.which(name))
    for name, value in (("NVCC", str(program)), ("PATH", str(tools)), ("CUDA_HOME", str(tmp_path))):
        monkeypatch.setenv(name, value)
    return log


def test_cuda_is_compiled_as_on_the_command_line(cli, nvcc):
    words = ["predict", GATHER, "--device", "h200", "--block", 256, "--domain", M, "--format", "json", *GATHER_CLI]
    printed = json.loads(cli(*words, "--compiler-option", "-DX=1"))["predictions"][0]
    predicted = warpline.predict(GATHER, "h200", 256, domain=M, args=GATHER_ARGS, compiler_options=["-DX=1"])
    assert {k: v for k, v in predicted.items() if k != "schema"} == printed
    first, second = ([word for word in line.split() if word[0] == "-"] for line in nvcc.read_text().splitlines()
                     if "-ptx" in line)
    assert sorted(first) == sorted(second) and "-DX=1" in first


def test_cuda_that_does_not_compile(nvcc):
    with pytest.raises(warpline.InputError, match=r"gather.cu: .*nvcc does not compile it \(exit code 2\): k.cu\(3\): error"):
        warpline.predict(GATHER, "h200", 256, domain=M, args=GATHER_ARGS, compiler_options=["-DWRONG"])


def test_no_compiler(nvcc, monkeypatch):
    monkeypatch.delenv("NVCC")
    with pytest.raises(warpline.UnsupportedError, match="no nvcc or clang here .*'nvcc -ptx -lineinfo -arch=sm_90"):
        warpline.predict(GATHER, "h200", 256, domain=M, args=GATHER_ARGS)
    monkeypatch.setenv("NVCC", "/nowhere/nvcc")
    with pytest.raises(warpline.FileError, match="NVCC: '/nowhere/nvcc' cannot be run"):
        warpline.rank(GATHER, "h200", domain=M, args=GATHER_ARGS)


@pytest.mark.skipif(not shutil.which("nvcc") and not pathlib.Path("/usr/local/cuda/bin/nvcc").exists(), reason="no nvcc")
def test_registers_are_those_that_the_command_line_finds(cli, monkeypatch):
    monkeypatch.delenv("NVCC", raising=False)
    printed = json.loads(cli("predict", GATHER, "--device", "h200", "--block", 256, "--domain", M, "--format", "json",
                             *GATHER_CLI, "--machine-code", "rules"))["predictions"][0]
    predicted = warpline.predict(GATHER, "h200", 256, domain=M, args=GATHER_ARGS)
    assert {k: v for k, v in predicted.items() if k != "schema"} == printed


@pytest.mark.skipif(not shutil.which("nvcc") and not pathlib.Path("/usr/local/cuda/bin/nvcc").exists(), reason="no nvcc")
def test_notes_name_the_file_as_long_as_the_kernel_lives(tmp_path, monkeypatch):
    monkeypatch.delenv("NVCC", raising=False)
    source = tmp_path / "first.cu"
    source.write_text("""extern "C" __global__ void halves(float *out, long long n)
{
    const long long i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (n % 2 == 0 ? n / 2 : n / 2 + 1))
        out[2 * i] = 1;
}
""")
    monkeypatch.chdir(tmp_path)
    for name in ("h.cu", "halves.cu", "half_of_them.cu", "the_first_half_of_them.cu"):  # memory of each size is used again
        source.rename(name)
        source = tmp_path / name
        warnings = warpline.predict(name, "h200", 256, domain=5000, args=["buf:40008", 10000])["warnings"]
        assert any(w.startswith(f"{name}:4: ") for w in warnings), warnings


# ---- cubins ----

def cubin(names=b"\0k_one\0k_two\0"):
    """An ELF file with what ptxas writes about two kernels, and records that are passed over."""
    info = struct.pack("<BBHII", 4, 0x2f, 8, 1, 42) + struct.pack("<BBH", 3, 0x1b, 7) + struct.pack("<BBHI", 4, 0x37, 4, 130)
    info += struct.pack("<BBHII", 4, 0x12, 8, 1, 16) + struct.pack("<BBHII", 4, 0x2f, 8, 2, 255)
    symbols = b"".join(struct.pack("<IBBHQQ", name, 0, 0, 0, 0, 0) for name in (0, 1, 7))
    titles = b"\0.shstrtab\0.strtab\0.symtab\0.nv.info\0"
    sections = [(b"", 0, 0, b""), (b".shstrtab", 3, 0, titles), (b".strtab", 3, 0, names), (b".symtab", 2, 2, symbols),
                (b".nv.info", 0x70000000, 3, info)]
    body, headers = b"", b""
    for title, kind, link, data in sections:
        headers += struct.pack("<IIQQQQIIQQ", titles.index(title + b"\0"), kind, 0, 0, 64 + len(body), len(data), link, 0, 1, 0)
        body += data
    return struct.pack("<5s11xHHIQQQIHHHHHH", b"\x7fELF\x02", 2, 190, 1, 0, 0, 64 + len(body), 0, 64, 0, 0, 64, 5, 1) + body + headers


def test_resources_of_a_cubin():
    assert cubins.resources(cubin()) == {"k_one": cubins.Resources(42, 16), "k_two": cubins.Resources(255, 0)}
    with pytest.raises(ValueError, match="no cubin"):
        cubins.resources(b"\x7fELF\x01" + bytes(64))
