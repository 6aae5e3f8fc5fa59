"""warpline.pystencils with the pystencils and lbmpy that are installed, and without a GPU. SPDX-License-Identifier: MIT"""
import os
import shutil
import subprocess

import pytest

pystencils = pytest.importorskip("pystencils")
pytest.importorskip("lbmpy")
import pystencils_kernels as kernels  # noqa: E402
import warpline  # noqa: E402
import warpline.pystencils as module  # noqa: E402
from warpline.pystencils_reader import generated  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # of pystencils: it renames its functions
COMPILER = shutil.which(os.environ.get("NVCC", "nvcc")) or shutil.which("clang++")
needs_compiler = pytest.mark.skipif(not COMPILER, reason="no nvcc, no clang")
COUNTS = ("inst_global_ld", "inst_global_st", "l1_sectors_ld", "l1_sectors_st")
BLOCKS = {2: (64, 4), 3: (32, 4, 2)}
# the compiler makes other arithmetic of these: pow is a long function, products of several sums are computed for each,
# and of a selection with a common factor it computes the factor once
FLOPS = {"normalized": not kernels.NEWER, "edge": True, **{name: True for name in kernels.KERNELS if name.startswith("D")}}


def read(name):
    make, shape = kernels.KERNELS[name]
    return generated(make(), shape)


def counts(prediction, names=COUNTS):
    return {name: prediction["metrics"][name]["value"] for name in names}


def compiled(made, tmp_path, block, fold=(1, 1, 1)):
    """What its CUDA is predicted to do."""
    source = tmp_path / "kernel.cu"
    source.write_text(module.cuda(made, block, fold))
    block3, domain = (*block, 1, 1)[:3], (*made.domain, 1, 1)[:3]
    grid = tuple(-(-(-(-e // f)) // b) for e, f, b in zip(domain, fold, block3))
    return warpline.predict(source, "h200", block, grid=grid, args=made.arguments({}), effort=0.2)


@needs_compiler
@pytest.mark.parametrize("name", kernels.KERNELS)
def test_counts_are_those_of_the_cuda(name, tmp_path):
    made = read(name)
    block = BLOCKS[len(made.domain)]
    predicted, by_compiler = module.predict(made, "h200", block), compiled(made, tmp_path, block)
    assert counts(predicted) == counts(by_compiler)
    if not FLOPS.get(name):
        assert counts(predicted, ["flops"]) == counts(by_compiler, ["flops"])
    elif name != "normalized":
        assert counts(predicted, ["flops"])["flops"] == pytest.approx(counts(by_compiler, ["flops"])["flops"], rel=0.11)


@needs_compiler
@pytest.mark.parametrize("name, fold", [
    ("star, range 4, of the paper", (1, 1, 2)), ("star, range 4, of the paper", (2, 2, 1)), ("star, range 1", (1, 2, 1)),
    ("star, range 1", (1, 4, 1)), ("heat", (2, 1, 1)), ("D3Q15, SRT", (1, 1, 2)), ("D3Q15, in place, odd", (1, 2, 1))])
def test_counts_with_folding(name, fold, tmp_path):
    made = read(name)
    block = BLOCKS[len(made.domain)]
    assert counts(module.predict(made, "h200", block, fold=fold)) == counts(compiled(made, tmp_path, block, fold))


@needs_compiler
def test_folded_rows_that_end_within_a_thread(tmp_path):
    """The last cells are computed, too, and no further ones."""
    made = read("heat")
    assert made.domain[1] % 2 == 1
    predicted, by_compiler = (counts(p) for p in (module.predict(made, "h200", (64, 4), fold=(1, 2, 1)),
                                                  compiled(made, tmp_path, (64, 4), (1, 2, 1))))
    assert predicted["inst_global_st"] == by_compiler["inst_global_st"]
    assert predicted["inst_global_ld"] == pytest.approx(by_compiler["inst_global_ld"], rel=0.01)
    made = read("edge")  # what a cell does depends on where it is: shared loads are the compiler's business
    predicted, by_compiler = (counts(p) for p in (module.predict(made, "h200", (64, 4), fold=(1, 2, 1)),
                                                  compiled(made, tmp_path, (64, 4), (1, 2, 1))))
    assert predicted["inst_global_st"] == pytest.approx(by_compiler["inst_global_st"], rel=1e-3)


ON_THE_CPU = """
#include <cstdint>
#include <cmath>
#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(threads)
static struct { unsigned x, y, z; } blockIdx, blockDim, threadIdx;
%s
extern "C" void run(const unsigned *grid, const unsigned *block, %s)
{
    blockDim = {block[0], block[1], block[2]};
    for (blockIdx.z = 0; blockIdx.z < grid[2]; blockIdx.z++)
    for (blockIdx.y = 0; blockIdx.y < grid[1]; blockIdx.y++)
    for (blockIdx.x = 0; blockIdx.x < grid[0]; blockIdx.x++)
    for (threadIdx.z = 0; threadIdx.z < block[2]; threadIdx.z++)
    for (threadIdx.y = 0; threadIdx.y < block[1]; threadIdx.y++)
    for (threadIdx.x = 0; threadIdx.x < block[0]; threadIdx.x++)
        %s(%s);
}
"""


def computed(made, folder, block, fold):
    """What the emitted kernel leaves in its arrays, thread by thread on the CPU."""
    import ctypes
    import numpy
    name = "x".join(map(str, fold))
    text = module.cuda(made, block, fold)
    signature = text.split(f"void {made.name}(")[-1].split(")")[0]
    source = folder / f"{name}.cpp"
    source.write_text(ON_THE_CPU % (text, signature, made.name, ", ".join(p.name for p in made.parameters)))
    library = folder / f"{name}.so"
    subprocess.run(["c++", "-O1", "-std=c++17", "-shared", "-fPIC", "-o", library, source], check=True)
    random = numpy.random.default_rng(7)
    held = {field: random.random(size // 8) + 1 for field, size in sorted(made.buffers.items())}
    before = {field: values.copy() for field, values in held.items()}
    block, domain = (*block, 1, 1)[:3], (*made.domain, 1, 1)[:3]
    grid = [-(-(-(-e // f)) // b) for e, f, b in zip(domain, fold, block)]
    args = [held[p.field].ctypes.data_as(ctypes.c_void_p) if p.kind == "pointer" else
            ctypes.c_int64(made.numbers[p.name]) if p.name in made.numbers else ctypes.c_double(0.5) for p in made.parameters]
    ctypes.CDLL(str(library)).run((ctypes.c_uint * 3)(*grid), (ctypes.c_uint * 3)(*block), *args)
    changed = [field for field in held if not numpy.array_equal(held[field], before[field])]
    assert changed == sorted({access.field for access, _ in made.program.stores})
    return held


@pytest.mark.skipif(not shutil.which("c++"), reason="no c++")
@pytest.mark.parametrize("name", ["star, range 1", "star, range 1, of C order", "heat", "edge", "sliced", "gradient",
                                  "every other", "D2Q9, SRT", "D3Q15, in place, odd"])
def test_folding_computes_the_same(name, tmp_path):
    numpy = pytest.importorskip("numpy")
    make, shape = kernels.KERNELS[name]
    made = generated(make(), [e // 4 + 1 for e in shape])
    block = (8, 4, 2)[:len(made.domain)]
    expected = computed(made, tmp_path, block, (1, 1, 1))
    for fold in ((2, 1, 1), (1, 3, 1), (2, 2, 1), *(((1, 1, 4),) if len(block) == 3 else ())):
        got = computed(made, tmp_path, block, fold)
        assert all(numpy.array_equal(got[field], expected[field]) for field in expected), fold


def test_the_ranking_of_the_star_is_that_of_our_kernel_file():
    made = read("star, range 4, of the paper")
    ranking, ours = module.rank(made, "h200", registers=32), warpline.rank("star3d_r4", "h200")
    assert len(ranking) == len(ours) == 882
    assert [dict(launch) for launch in ranking] == [dict(launch) for launch in ours]


@needs_compiler
def test_best_launch_is_emitted(tmp_path):
    best = module.best_launch(read("star, range 4, of the paper"), "h200", registers=32)
    assert best.block == tuple(best.ranking.best[f"block_{a}"] for a in "xyz") and best.fold != (1, 1, 1)
    threads = best.block[0] * best.block[1] * best.block[2]
    assert f"__launch_bounds__({threads})" in best.cuda
    source = tmp_path / "best.cu"
    source.write_text(best.cuda)
    made = read("star, range 4, of the paper")
    by_compiler = warpline.predict(source, "h200", best.block, grid=best.grid, args=made.arguments({}), effort=0.2)
    assert by_compiler["model"]["time_s"] == pytest.approx(best.time_s, rel=0.1)


@needs_compiler
def test_registers_of_the_compiler():
    rule = read("D3Q15, SRT")
    assert module.predict(rule, "h200", (64, 2, 2), registers="nvcc")["launch"]["registers"] > 40
    ranking = module.rank(rule, "h200", registers="nvcc", fold=["1x1x1", "1x2x1"], block_x=[64], block_y=[1, 2], block_z=1)
    assert {(r["fold_y"], r["registers"]) for r in ranking} >= {(1, ranking[0]["registers"])} or len(ranking) == 4
    assert min(r["registers"] for r in ranking) > 40


def test_collision_operators_are_ranked():
    """Those of a lattice differ in their arithmetic, not in what they load and store."""
    volumes = set()
    for name in ("D3Q15, SRT", "D3Q15, TRT"):
        best = module.rank(read(name), "h200", registers=64, fold="1x1x1", block_z=[1], top=1).best
        volumes.add(best["l2_store_bytes"])
    assert len(volumes) == 1
    even, odd, pull = (module.predict(read(name), "h200", (64, 2, 2))["fields"]
                       for name in ("D3Q15, in place, even", "D3Q15, in place, odd", "D3Q15, SRT"))
    assert len(even) == len(odd) == 1 and len(pull) == 2


# ---- what is given ----


def test_arrays_and_shapes():
    numpy = pytest.importorskip("numpy")
    kernel = kernels.heat()
    shape = (514, 258)
    by_shape = module.text(kernel, shape)
    array = numpy.zeros(shape, order="F")
    assert module.text(kernel, arrays={"u": array, "v": array}) == by_shape
    padded = module.Array(shape, (1, 528), "f64")
    assert "strides: [1, 528], origin: 529" in module.text(kernel, arrays={"u": padded, "v": padded})


def test_assignments_and_what_compile_returns():
    u, v = pystencils.fields("u, v: double[2D]", layout="fzyx")
    assignments = [pystencils.Assignment(v.center, u[1, 0] + u[-1, 0])]
    made = module.text(assignments, (100, 100))
    kernel = kernels.created(assignments)
    assert made == module.text(kernel, (100, 100))
    if kernels.NEWER:
        from pystencils.jit.gpu_cupy import CupyKernelWrapper as Wrapper
        compiled = Wrapper.__new__(Wrapper)  # without CuPy, there is nothing in it to run
        compiled._kernel = kernel
    else:
        from pystencils.kernel_wrapper import KernelWrapper
        compiled = KernelWrapper(None, kernel.get_parameters(), kernel)
    assert made == module.text(compiled, (100, 100))
    assert module.predict(assignments, "a100-40gb", (32, 8), shape=(100, 100))["launch"]["grid"] == [4, 13, 1]


def test_the_kernel_file_is_one(tmp_path):
    file = tmp_path / "kernel.yaml"
    file.write_text(module.text(read("gradient"), registers=32))
    said = subprocess.run([os.environ["WARPLINE_PROGRAM"], "predict", file, "--device", "h200", "--block", "32x4x2"],
                          capture_output=True, text=True, check=True).stdout
    assert "134" in said or "grid 5x17x19" in said


@pytest.mark.parametrize("what, message", [
    (lambda: module.predict(kernels.heat(), "h200", (32, 8)), r"its shape is missing: give shape=\(\.\.\), the 2 extents"),
    (lambda: module.predict(kernels.heat(), "h200", (32, 8), shape=(8, 8, 8)), "3 extents, but the field has 2 dimensions"),
    (lambda: module.predict(kernels.heat(), "h200", (32, 8), shape=(2, 2)), "no cell is left"),
    (lambda: module.predict(kernels.heat(), "h200", (32, 8), arrays={"w": 1}), "the kernel has no field 'w': its fields are u"),
    (lambda: module.predict("heat", "h200", (32, 8)), "a str is no kernel of pystencils: give what pystencils.create_kernel"),
    (lambda: module.predict(kernels.heat(), "h200", (32, 8), shape=(66, 66), registers="all"), "a number, or \"nvcc\""),
    (lambda: module.cuda(kernels.heat(), (32, 8), (1, 1, 2), shape=(66, 66)), "the kernel has 2 dimensions"),
])
def test_bad_input(what, message):
    with pytest.raises(warpline.InputError, match=message):
        what()


def test_kernels_for_the_cpu_and_other_indexing():
    u, v = pystencils.fields("u, v: double[2D]", layout="fzyx")
    assignments = [pystencils.Assignment(v.center, u[1, 0])]
    target = pystencils.Target.CPU if not kernels.NEWER else pystencils.Target.GenericCPU
    cpu = pystencils.create_kernel(assignments, config=pystencils.CreateKernelConfig(target=target))
    with pytest.raises(warpline.InputError, match="made for the target .*CPU: create it with"):
        module.predict(cpu, "h200", (32, 8), shape=(66, 66))
    if kernels.NEWER:
        config = pystencils.CreateKernelConfig(target=kernels.GPU)
        config.gpu.indexing_scheme = "blockwise4d"
        lines = pystencils.create_kernel(assignments, config=config)
    else:
        lines = kernels.created(assignments, gpu_indexing="line")
    with pytest.raises(warpline.UnsupportedError, match="one thread per cell"):
        module.predict(lines, "h200", (32, 8), shape=(66, 66))


def test_unsupported_elements():
    u, = pystencils.fields("u: uint8[2D]", layout="fzyx"),
    v, = pystencils.fields("v: double[2D]", layout="fzyx"),
    kernel = kernels.created([pystencils.Assignment(v.center, v[1, 0] * v[0, 1])], skip_independence_check=True)
    assert "type: f64" in module.text(kernel, (66, 66))
    u._dtype = "complex128"
    with pytest.raises(warpline.InputError, match="its elements are complex128: give the field one of float16, float32"):
        warpline.pystencils_reader._array(u)


def test_addresses_that_depend_on_data():
    """The tree does not say what a field holds."""
    out, source = pystencils.fields("out, source: double[1D]", layout="fzyx")
    index, = pystencils.fields("index: int64[1D]", layout="fzyx"),
    try:
        kernel = kernels.created([pystencils.Assignment(out.center, source.absolute_access((index.center,), ()))])
    except Exception as refused:
        pytest.skip(f"this release does not generate it: {refused}")
    with pytest.raises(warpline.UnsupportedError, match="addresses depend on what a field holds.*warpline.pystencils.cuda"):
        module.predict(kernel, "h200", 256, shape=66)
