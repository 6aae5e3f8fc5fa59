#!/usr/bin/env python3
"""models.py DIRECTORY     on the GPU of this machine: compiles three models by torch.compile, records the launches of the kernels
that Inductor generates (warpline.triton.record), measures each, predicts each, and writes models.csv and the recordings there

Columns: cold_us, nothing of the launch in the L2; warm_us, one launch after the other; in_model_us, as torch.profiler has it.
Needs warpline, Triton and PyTorch. SPDX-License-Identifier: MIT"""
# pylint: disable=import-error,invalid-name,wrong-import-position
import collections
import csv
import functools
import os
import pathlib
import statistics
import sys
import traceback

os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # compiled in this process, where launches are seen
import torch
import triton
import warpline.torch
import warpline.triton
from torch.nn import functional

DEVICE, TIMES = "h200", 15
COLUMNS = ("model", "launch", "kernel", "grid", "block", "registers", "shared_bytes", "cold_us", "warm_us", "in_model_us",
           "predicted_us", "limiter", "reason")


# ---- models ----


class Mlp(torch.nn.Module):
    """A step of training: forward and backward."""

    def __init__(self, width=4096):
        super().__init__()
        self.norm, self.up, self.down = torch.nn.LayerNorm(width), torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x):
        return (x + self.down(functional.gelu(self.up(self.norm(x))))).square().mean()


class Block(torch.nn.Module):
    """A transformer's block."""

    def __init__(self, width=4096, heads=32):
        super().__init__()
        self.heads = heads
        self.before, self.after = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.qkv, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2)
                   for part in self.qkv(self.before(x)).split(width, dim=2))
        mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(functional.gelu(self.up(self.after(x))))


class Stack(torch.nn.Module):
    """RMS norms, rotary positions, softmax and a gate, written out."""

    def __init__(self, width=4096):
        super().__init__()
        self.first, self.last = (torch.nn.Parameter(torch.ones(width)) for _ in range(2))

    @staticmethod
    def norm(x, weight):
        wide = x.float()
        return (wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + 1e-6)).to(x.dtype) * weight

    def forward(self, x, gate, angles):
        h = self.norm(x, self.first)
        left, right = h.chunk(2, dim=-1)
        turned = torch.cat([left * angles.cos() - right * angles.sin(), right * angles.cos() + left * angles.sin()], -1).to(x.dtype)
        scores = torch.softmax((turned @ h.T).float() * x.shape[1] ** -0.5, dim=-1).to(x.dtype)
        return self.norm(scores @ h + x, self.last) * functional.silu(gate)


def models():
    """Names, and what runs each."""
    def made(model):
        return model.to("cuda", torch.bfloat16)

    def random(*shape):
        return torch.randn(shape, device="cuda", dtype=torch.bfloat16)

    def train(model, x):
        model(x).backward()
        model.zero_grad()

    def infer(model, *args):
        with torch.no_grad():
            model(*args)

    def angles(height, width):
        return torch.rand((height, width), device="cuda", dtype=torch.float32)
    yield "mlp", lambda: (train, torch.compile(made(Mlp())), (random(16384, 4096),))
    yield "block", lambda: (infer, torch.compile(made(Block())), (random(4, 4096, 4096),))
    yield "stack", lambda: (infer, torch.compile(made(Stack())), (random(8192, 4096), random(8192, 4096), angles(8192, 2048)))


# ---- measuring ----


def launches_of(run):
    """The launches of Triton's kernels, ready to be launched again."""
    compiled = triton.compiler.CompiledKernel
    before, found = compiled.launch_metadata, []

    def seen(self, grid, stream, *args):
        found.append((self, (*grid, 1, 1)[:3], args))
        return before(self, grid, stream, *args)
    compiled.launch_metadata = seen
    try:
        run()
    finally:
        compiled.launch_metadata = before
    return found


def time_us(run, before):
    """The median of launches, after what `before` does. The GPU is kept busy until the launch is ready."""
    found = []
    for _ in range(TIMES):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        before()
        torch.cuda._sleep(300000)  # cycles  # pylint: disable=protected-access
        start.record()
        run()
        end.record()
        end.synchronize()
        found.append(1e3 * start.elapsed_time(end))
    return statistics.median(found)


def profiled_us(run):
    """Mean times of kernels by name; nothing where the profiler cannot read them."""
    try:
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
            for _ in range(5):
                run()
            torch.cuda.synchronize()
        times = collections.defaultdict(list)
        for event in profile.events():
            if event.device_type == torch.autograd.DeviceType.CUDA:
                times[event.name].append(event.device_time)
        return {name: statistics.median(values) for name, values in times.items()}
    except Exception:  # pylint: disable=broad-exception-caught
        traceback.print_exc()
        return {}


def measure(name, make, directory, flush):
    """A row for each launch of a model."""
    run, model, args = make()
    run = functools.partial(run, model, *args)
    for _ in range(2):  # what torch.compile searches is searched here
        run()
    torch.cuda.synchronize()
    with warpline.triton.record(directory / f"{name}.wlrec") as part:
        found = launches_of(run)
    print(f"{name}: {len(found)} launches of Triton's kernels, {len(part.recording)} recorded; {part.recording.notes}", flush=True)
    in_model = profiled_us(run)
    for name_of, microseconds in sorted(in_model.items(), key=lambda pair: -pair[1]):
        print(f"  {microseconds:10.2f} us  {name_of[:100]}")
    rows = []
    for i, ((kernel, grid, given), launch) in enumerate(zip(found, part.recording)):
        again = functools.partial(kernel[grid], *given)
        rows.append({"model": name, "launch": i, "kernel": kernel.name, "grid": "x".join(map(str, launch["grid"])),
                     "block": launch["block"][0], "registers": kernel.n_regs, "shared_bytes": launch["dynamic_shared"],
                     "cold_us": time_us(again, flush.zero_), "warm_us": time_us(again, lambda: None),
                     "in_model_us": in_model.get(kernel.name, "")})
        assert launch["kernel"] == kernel.name, "the recording has other launches"
    return part, rows


def predict(part, rows):
    for row, launch in zip(rows, part.recording.launches(DEVICE)):
        row.update(predicted_us=1e6 * launch["time_s"] if launch["time_s"] else "", limiter=launch["limiter"], reason=launch["reason"])


def write(path, rows):
    with open(path, "w", newline="", encoding="ascii") as file:
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def static_check(directory):
    """Are kernels recorded that Inductor launches by itself, past Triton?"""
    torch._dynamo.reset()  # pylint: disable=protected-access
    torch._inductor.config.use_static_cuda_launcher = True  # pylint: disable=protected-access
    x = torch.randn(1 << 24, device="cuda")
    model = torch.compile(lambda x: torch.sin(x) * torch.cos(x) + 7)
    model(x)
    with warpline.triton.record(directory / "static.wlrec") as part:
        model(x)
    print("launched by Inductor itself:", [dict(launch) for launch in part.recording.launches(DEVICE)], part.recording.notes)


def profile_check():
    """The table of a model, with the products that cuBLAS computes."""
    torch._dynamo.reset()  # pylint: disable=protected-access
    model = Block().to("cuda", torch.bfloat16)
    with torch.no_grad():
        print(warpline.torch.profile(model, torch.randn(4, 4096, 4096, device="cuda", dtype=torch.bfloat16), DEVICE))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    torch._inductor.config.use_static_cuda_launcher = False  # launches are made again by Triton  # pylint: disable=protected-access
    flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
    everything = []
    for name, make in models():
        try:
            part, rows = measure(name, make, directory, flush)
            everything += rows
            write(directory / "models.csv", everything)
            predict(part, rows)
            write(directory / "models.csv", everything)
        except Exception:  # pylint: disable=broad-exception-caught
            traceback.print_exc()
        torch.cuda.empty_cache()
    known = [(row["cold_us"], row["predicted_us"]) for row in everything if row.get("predicted_us")]
    if known:
        print(f"{len(known)} of {len(everything)} predicted, mean error "
              f"{100 * statistics.mean(abs(p / m - 1) for m, p in known):.1f} % (cold)")
    for check in (profile_check, functools.partial(static_check, directory)):
        try:
            check()
        except Exception:  # pylint: disable=broad-exception-caught
            traceback.print_exc()


if __name__ == "__main__":
    main()
