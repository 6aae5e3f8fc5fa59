#!/usr/bin/env python3
"""search.py rank [SEARCH]      ranks the configurations of each search by predictions, without a GPU, and prints them
search.py measure DIRECTORY [SEARCH]
                                on the GPU of this machine: times a search by triton.autotune, which compiles and measures every
                                configuration, and one by warpline.triton.autotune, which compiles all in parallel, predicts them, and
                                measures the best five. Both start with an empty cache of Triton's. Writes searches.csv there

Needs warpline, Triton, and to measure PyTorch. SPDX-License-Identifier: MIT"""
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import triton  # pylint: disable=wrong-import-position
import warpline.triton  # pylint: disable=wrong-import-position
import spaces  # pylint: disable=wrong-import-position

DEVICE, TOP = "h200", 5
COLUMNS = ("search", "config", "measured_us", "predicted_us", "limiter", "left_out", "full_search_s", "ranked_search_s",
           "full_best", "ranked_best")


def text(config):
    return ";".join(f"{name}={value}" for name, value in {
        **config.kwargs, "num_warps": config.num_warps, "num_stages": config.num_stages}.items())


# ---- without a GPU ----


def rank(name=None):
    for search in spaces.searches():
        if name not in (None, search.name):
            continue
        tensors = {n: warpline.triton.Tensor(shape, kind) for n, (shape, kind) in search.tensors.items()}
        ranking = warpline.triton.rank(search.kernel, {**tensors, **search.numbers}, search.grid, search.configs, DEVICE)
        print(f"{search.name}: {len(search.configs)} configurations, compiled in {ranking.compile_s:.1f} s, "
              f"predicted in {ranking.predict_s:.1f} s")
        for config, time_s, prediction in ranking:
            print(f"{1e6 * time_s:10.2f} us  {prediction['model']['limiter']:8}  {text(config)}")
        for config, reason in ranking.left_out:
            print(f"  left out: {text(config)}: {reason}")


# ---- with one ----


def values(search):
    """The arguments, with real tensors."""
    import torch  # pylint: disable=import-outside-toplevel
    types = {"bf16": torch.bfloat16, "f32": torch.float32, "e4m3": torch.float8_e4m3fn}
    torch.manual_seed(0)
    tensors = {name: torch.randn(shape, device="cuda").to(types[kind]) for name, (shape, kind) in search.tensors.items()}
    return {**tensors, **search.numbers}


def wrong(search, args, launch):
    """How far a result is from that of PyTorch, over its size."""
    import torch  # pylint: disable=import-outside-toplevel
    functional = torch.nn.functional
    if search.name == "attention":
        wanted, out = functional.scaled_dot_product_attention(args["q"], args["k"], args["v"], is_causal=True), args["out"]
    elif search.name == "layer norm":
        wanted, out = functional.layer_norm(args["x"], [args["width"]], args["weight"], args["bias"]), args["y"]
    else:
        left, right = args["a"].to(torch.bfloat16), args["b"].to(torch.bfloat16)
        wanted, out = left @ (right.T if search.name == "product fp8" else right), args["c"]
    out.zero_()
    launch()
    return ((out.float() - wanted.float()).norm() / wanted.float().norm()).item()


def warm():
    """What a process does once, whatever it searches: contexts, the compiler, the memory of the benchmark."""
    search = next(s for s in spaces.searches() if s.name == "layer norm")
    args, config = values(search), triton.Config({"ROWS": 1, "COLUMNS": 512}, num_warps=2)
    triton.testing.do_bench(lambda: search.kernel[search.grid(config.kwargs)](**args, **config.all_kwargs()))


def tune(how, search):
    """The seconds of a search, and what is known afterwards."""
    import torch  # pylint: disable=import-outside-toplevel
    if how == "ranked":
        tuned = warpline.triton.autotune(search.configs, [], device=DEVICE, top_k=TOP)(search.kernel)
    else:
        tuned = triton.autotune(search.configs, [])(search.kernel)
    args = values(search)
    torch.cuda.synchronize()
    start = time.monotonic()
    tuned[search.grid](**args)  # of a split product, the sum of many launches: only the time matters
    torch.cuda.synchronize()
    seconds = time.monotonic() - start
    found = {"seconds": seconds, "best": text(tuned.best_config),
             "measured_us": {text(c): 1e3 * times[0] for c, times in tuned.configs_timings.items()},
             "wrong": wrong(search, args, lambda: tuned[search.grid](**args))}
    if how == "ranked":
        ranking = tuned.ranking
        found.update(compile_s=ranking.compile_s, predict_s=ranking.predict_s,
                     predicted={text(c): (1e6 * s, p["model"]["limiter"]) for c, s, p in ranking},
                     left_out={text(c): reason for c, reason in ranking.left_out})
    return found


def tune_all(how, name=None):
    """One line of JSON for each search."""
    with tempfile.TemporaryDirectory(prefix="searches-") as folder:
        os.environ["TRITON_CACHE_DIR"] = os.path.join(folder, "warm")
        warm()
        os.environ["TRITON_CACHE_DIR"] = os.path.join(folder, "cache")
        for search in spaces.searches():
            if name not in (None, search.name):
                continue
            try:
                found = tune(how, search)
            except Exception as failure:  # pylint: disable=broad-exception-caught
                print(f"{how}: {search.name}: {failure!r}", file=sys.stderr)
                continue
            print(json.dumps({"search": search.name, **found}), flush=True)


def rows(search, ranked, full):
    """Of the CSV: a row for each configuration."""
    for config in map(text, search.configs):
        measured, (predicted, limiter) = full["measured_us"].get(config, ""), ranked["predicted"].get(config, ("", ""))
        yield (search.name, config, measured, predicted, limiter, ranked["left_out"].get(config, ""), full["seconds"],
               ranked["seconds"], full["best"] == config, ranked["best"] == config)


def measure(directory, *name):
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    found = {"ranked": {}, "full": {}}
    for how, known in found.items():
        with subprocess.Popen([sys.executable, __file__, how, *name], stdout=subprocess.PIPE, text=True) as process, \
                open(directory / f"searches_{how}.jsonl", "w", encoding="ascii") as kept:
            for line in process.stdout:
                kept.write(line)
                kept.flush()
                made = json.loads(line)
                known[made["search"]] = made
                print(f"{how}: {made['search']}: {made['seconds']:.1f} s, best {made['best']}, wrong by {made['wrong']:.1e}",
                      f"(compiled in {made['compile_s']:.1f} s, predicted in {made['predict_s']:.1f} s)" if how == "ranked" else "",
                      flush=True)
                write(directory / "searches.csv", found)
    if shutil.which("nvidia-smi"):
        subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,clocks.sm,temperature.gpu", "--format=csv"], check=False)


def write(path, found):
    with open(path, "w", newline="", encoding="ascii") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        for search in spaces.searches():
            if search.name in found["ranked"] and search.name in found["full"]:
                table.writerows(rows(search, found["ranked"][search.name], found["full"][search.name]))


def main():
    if sys.argv[1:2] == ["rank"]:
        rank(*sys.argv[2:3])
    elif sys.argv[1:2] == ["measure"] and len(sys.argv) in (3, 4):
        measure(*sys.argv[2:])
    elif sys.argv[1:2] in (["ranked"], ["full"]):
        tune_all(*sys.argv[1:])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
