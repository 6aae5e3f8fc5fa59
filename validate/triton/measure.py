#!/usr/bin/env python3
"""measure.py compile DIRECTORY    compiles every launch for sm_90 (needs Triton, no GPU), writes PTX and launches.json
measure.py time DIRECTORY       the same on the GPU of this machine, checks results, and writes triton.time.csv: the median and
                                the least of 15 launches one after the other (ms_median), and the median of 15 launches that
                                find nothing of theirs in the L2 (ms_flushed)
measure.py prof DIRECTORY       launches each once, for a counter profiler to read; other kernels are not named k_*
SPDX-License-Identifier: MIT"""
import concurrent.futures
import json
import os
import statistics
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
os.environ["TRITON_DISABLE_LINE_INFO"] = "1"  # PTX then is the same wherever this file lies
import triton  # pylint: disable=wrong-import-position,import-error
from triton.tools.tensor_descriptor import TensorDescriptor  # pylint: disable=wrong-import-position,import-error
import tutorial_kernels  # pylint: disable=wrong-import-position
import tutorials  # pylint: disable=wrong-import-position

SWIZZLES = (0, 32, 64, 128)


class NoGpu:
    """Stands for the driver where there is no GPU, so that kernels compile."""
    def get_current_target(self):
        return triton.backends.compiler.GPUTarget("cuda", 90, 32)

    def get_current_device(self):
        return 0

    def get_current_stream(self, _device):
        return 0


class Type:
    """Stands for a type of PyTorch."""
    def __init__(self, name):
        self.name = {"f16": "float16", "f32": "float32", "i32": "int32", "e5m2": "float8_e5m2"}[name]
        self.itemsize = tutorials.BYTES[name]

    def __str__(self):
        return "torch." + self.name


TYPES = {name: Type(name) for name in tutorials.BYTES}  # one object each: Triton knows types by their identity


def mock(a):
    if isinstance(a, tutorials.Array):
        return triton.runtime.jit.MockTensor(TYPES[a.type])
    if isinstance(a, tutorials.Descriptor):
        return TensorDescriptor(triton.runtime.jit.MockTensor(TYPES[a.type]), [a.height, a.width], [a.width, 1], [a.rows, a.width])
    return a


def describe(launch, compiled):
    meta = compiled.metadata
    boxes = [(m["block_size"][-1], m["block_size"][0], SWIZZLES[m["swizzle"]]) for m in meta.tensordesc_meta or []]
    return {"file": f"{launch.family}_{launch.variant}.ptx", "kernel": launch.kernel, "block": 32 * meta.num_warps,
            "shared": meta.shared, "arguments": tutorials.words(launch, boxes)}


def write_ptx(directory, launch, compiled):
    with open(os.path.join(directory, f"{launch.family}_{launch.variant}.ptx"), "w", encoding="utf-8") as file:
        file.write(compiled.asm["ptx"])


def compile_one(directory, launch):
    triton.runtime.driver.set_active(NoGpu())
    compiled = getattr(tutorial_kernels, launch.kernel).warmup(*[mock(a) for a in launch.arguments], **launch.constants, grid=(1, 1, 1),
                                                      num_warps=launch.warps, num_stages=launch.stages)
    write_ptx(directory, launch, compiled)
    return {"family": launch.family, "variant": launch.variant, "params": launch.params(), **describe(launch, compiled)}


def compile_nth(directory, n):  # launches have functions in them, which do not go to another process
    return compile_one(directory, tutorials.launches()[n])


def compile_all(directory):
    with concurrent.futures.ProcessPoolExecutor() as pool:
        count = len(tutorials.launches())
        found = list(pool.map(compile_nth, [directory] * count, range(count)))
    with open(os.path.join(directory, "launches.json"), "w", encoding="ascii") as file:
        json.dump(found, file, indent=1)


class Prepared:
    """A launch with its arrays, ready to run."""
    def __init__(self, launch):
        import torch  # pylint: disable=import-outside-toplevel,import-error
        self.launch, self.torch, self.zeros = launch, torch, []
        types = {"f16": torch.float16, "f32": torch.float32, "i32": torch.int32, "e5m2": torch.float8_e5m2}

        def array(kind, elements, zero):
            if zero:
                self.zeros.append(torch.zeros(elements, dtype=types[kind], device="cuda"))
                return self.zeros[-1]
            return torch.randn(elements, device="cuda").to(types[kind])

        def real(a):
            if isinstance(a, tutorials.Array):
                return array(a.type, a.elements, a.zero)
            if isinstance(a, tutorials.Descriptor):
                return TensorDescriptor(array(a.type, a.height * a.width, False), [a.height, a.width], [a.width, 1], [a.rows, a.width])
            return a
        self.arguments = [real(a) for a in launch.arguments]
        self.kernel = getattr(tutorial_kernels, launch.kernel)
        self.options = {**launch.constants, "num_warps": launch.warps, "num_stages": launch.stages}
        self.compiled = self.kernel.warmup(*self.arguments, **self.options, grid=(1, 1, 1))
        self.compiled._init_handles()  # pylint: disable=protected-access
        self.grid = launch.extents(self.compiled.n_regs, self.compiled.metadata.shared)

    def reset(self):
        for array in self.zeros:
            array.zero_()

    def run(self):
        self.kernel[self.grid](*self.arguments, **self.options)

    def time(self, before):
        """Milliseconds of a launch, after what `before` does. The GPU is kept busy until the launch is ready."""
        start, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        self.reset()
        before()
        self.torch.cuda._sleep(300000)  # cycles  # pylint: disable=protected-access
        start.record()
        self.run()
        end.record()
        end.synchronize()
        return start.elapsed_time(end)


def wrong(p):
    """How far a result is from that of PyTorch, over its size; None: not compared."""
    torch, a, s = p.torch, p.arguments, p.launch.sizes
    functional = torch.nn.functional
    p.reset()
    p.run()
    if p.launch.kernel == "k_matmul":
        m, n, k = s["M"], s["N"], s["K"]
        left, right = a[0].view(m, k), a[1].view(k, n) if a[1].dtype == torch.float16 else a[1].view(n, k).T
        got, wanted = a[2].view(m, n).float(), left.to(torch.float16) @ right.to(torch.float16)
    elif p.launch.kernel == "k_softmax":
        got, wanted = a[0].view(s["rows"], s["width"]), torch.softmax(a[1].view(s["rows"], s["width"]), 1)
    elif p.launch.kernel == "k_layer_norm":
        got, wanted = a[1].view(s["rows"], -1), functional.layer_norm(a[0].view(s["rows"], -1), [s["width"]], a[2], a[3])
    elif p.launch.kernel == "k_attention":
        q, k, v, o = (d.base.view(s["batch"], s["heads"], s["n"], s["D"]) for d in a[4:8])
        got, wanted = o, functional.scaled_dot_product_attention(q, k, v, is_causal=bool(s["causal"]))
    else:
        return None
    return ((got.float() - wanted.float()).norm() / wanted.float().norm()).item()


COLUMNS = ("row,family,variant,params,bx,by,bz,gx,gy,gz,regs,smem,work,ms_median,ms_min,ms_flushed,wrong,file,kernel,arguments")


def time_all(directory):
    import torch  # pylint: disable=import-outside-toplevel,import-error
    flush = torch.empty(256 * 1024 * 1024, dtype=torch.int8, device="cuda")
    with open(os.path.join(directory, "triton.time.csv"), "w", encoding="ascii") as table:
        print(COLUMNS, file=table)
        for i, launch in enumerate(tutorials.launches()):
            p = Prepared(launch)
            write_ptx(directory, launch, p.compiled)
            d = describe(launch, p.compiled)
            distance = wrong(p)
            warm = sorted(p.time(lambda: None) for _ in range(15))
            cold = statistics.median(p.time(flush.zero_) for _ in range(15))
            cells = [i, launch.family, launch.variant, launch.params(), d["block"], 1, 1, *p.grid, p.compiled.n_regs, d["shared"],
                     f"{launch.flops:.0f}", f"{statistics.median(warm):.6f}", f"{warm[0]:.6f}", f"{cold:.6f}",
                     "" if distance is None else f"{distance:.5f}", d["file"], d["kernel"], " ".join(d["arguments"])]
            print(",".join(map(str, cells)), file=table, flush=True)
            del p
            torch.cuda.empty_cache()


def launch_all(_directory):
    import torch  # pylint: disable=import-outside-toplevel,import-error
    for launch in tutorials.launches():
        p = Prepared(launch)
        p.reset()
        p.run()
        torch.cuda.synchronize()


def main():
    modes = {"compile": compile_all, "time": time_all, "prof": launch_all}
    if len(sys.argv) != 3 or sys.argv[1] not in modes:
        sys.exit(__doc__)
    os.makedirs(sys.argv[2], exist_ok=True)
    modes[sys.argv[1]](sys.argv[2])


main()
