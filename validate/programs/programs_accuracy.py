#!/usr/bin/env python3
"""programs_accuracy.py WARPLINE FOLDER [OUT.md]: predictions of public programs beside what was measured on an H200.

hecbench_h200.csv has the measured launches: programs of HeCBench (github.com/zjin-lcf/HeCBench), the first two launches
of each kernel, times as they occur in the program and volumes with flushed caches, by Nsight Compute. FOLDER has a
recording of each program, NAME.wlrec (`warpline record --launches 2 -o NAME.wlrec -- ./NAME arguments`); no program is
part of this repository. Kernels count once, however often they are launched. Programs without a recording are left out.
"""
import collections
import concurrent.futures
import csv
import json
import math
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
METRICS = [("inst_executed", "executed instructions", 1e4), ("l1_wavefronts", "L1 wavefronts", 1e4),
           ("l2_load_bytes", "L2 loads", 1e6), ("dram_load_bytes", "DRAM loads", 1e6)]
CLASSES = [(20e3, math.inf, "20 us and more"), (5e3, 20e3, "5 to 20 us"), (0, 5e3, "below 5 us")]
WORST = 10


def run(warpline, *arguments):
    return subprocess.run([warpline, *arguments], capture_output=True, text=True, check=False)


def launches_of(warpline, recording):
    """The numbers of the launches of each kernel, by symbol, in order."""
    sys.path.insert(0, os.path.join(HERE, "..", "..", "python"))
    os.environ.setdefault("WARPLINE_LIBRARY", os.path.join(os.path.dirname(warpline), "libwarpline.so"))
    import warpline as module  # noqa: PLC0415

    numbers = collections.defaultdict(list)
    for launch in module.Recording(recording):
        numbers[launch["symbol"]].append(launch["launch"])
    return numbers


def predict(warpline, folder, program, rows):
    """Pairs of a measured row and its prediction, or the reason why there is none."""
    recording = os.path.join(folder, program + ".wlrec")
    if not os.path.exists(recording):
        return [(row, "no recording") for row in rows]
    numbers, pairs = launches_of(warpline, recording), []
    for row in rows:
        own = numbers.get(row["kernel"], [])
        if int(row["nth"]) >= len(own):
            pairs.append((row, "not recorded"))
            continue
        done = run(warpline, "predict", recording, "--launch", str(own[int(row["nth"])]), "--device", "h200", "--format", "json")
        try:
            pairs.append((row, json.loads(done.stdout)["predictions"][0]))
        except (ValueError, KeyError):
            pairs.append((row, "refused: " + done.stderr.strip().splitlines()[0][:100]))
    return pairs


def mean(values):
    return sum(values) / len(values) if values else math.nan


def median(values):
    return sorted(values)[len(values) // 2] if values else math.nan


def is_unknown(prediction):
    """Does it depend on contents that the recording does not have?"""
    return bool(prediction.get("incomplete")) or any("depends on data that is not given" in n for n in prediction.get("warnings", []))


def kernels_of(pairs):
    """One entry a kernel: means over its launches."""
    found = collections.defaultdict(list)
    for row, prediction in pairs:
        if isinstance(prediction, dict):
            found[row["program"], row["kernel"]].append((row, prediction))
    kernels = []
    for (program, kernel), launches in found.items():
        entry = {"program": program, "kernel": kernel, "limiter": launches[0][1]["model"]["limiter"],
                 "unknown": any(is_unknown(p) for _, p in launches)}
        ratios = [p["model"]["time_s"] * 1e9 / float(r["time_ns"]) for r, p in launches]
        entry["time"] = mean([float(r["time_ns"]) for r, _ in launches])
        entry["error"] = mean([abs(x - 1) for x in ratios])
        entry["ratio"] = math.exp(mean([math.log(x) for x in ratios]))
        for metric, _, least in METRICS:
            errors = [abs(p["metrics"][metric]["value"] / float(r[metric]) - 1) for r, p in launches
                      if r[metric] and float(r[metric]) > least and metric in p["metrics"]]
            entry[metric] = mean(errors) if errors else None
        kernels.append(entry)
    return kernels


def percent(value):
    return "" if value is None or math.isnan(value) else f"{100 * value:.1f} %"


def page(pairs, kernels):
    known = [k for k in kernels if not k["unknown"]]
    out = ["# Public programs: predicted and measured", "",
           "`validate/programs/programs_accuracy.py` writes this page. Programs of HeCBench, which are not",
           "part of this repository, ran on an H200 under `warpline record` and under Nsight Compute; the",
           "launches are predicted from the recordings. A kernel counts once. Kernels whose control flow or",
           "addresses depend on contents that were not kept (`--bytes`) are counted, not judged: their",
           "predictions say so. Recordings are kept if they are small: programs with much data that nobody",
           "can compress are missing.", "",
           f"{len({r['program'] for r, _ in pairs})} programs were measured, {len({k['program'] for k in kernels})} of them have a recording here: "
           f"",
           f"{len(kernels)} kernels, {len(kernels) - len(known)} of them with unknown contents;",
           f"{sum(isinstance(p, str) and p.startswith('refused') for _, p in pairs)} launches were refused.", "",
           "| kernels of | number | time: mean | median | within 20 % | within 2x | bias | "
           + " | ".join(name + ": mean" for _, name, _ in METRICS) + " |",
           "|---|---|---|---|---|---|---|" + "---|" * len(METRICS)]
    for low, high, name in CLASSES:
        s = [k for k in known if low <= k["time"] < high]
        if not s:
            continue
        bias = math.exp(mean([math.log(k["ratio"]) for k in s]))
        out.append(f"| {name} | {len(s)} | {percent(mean([k['error'] for k in s]))} | {percent(median([k['error'] for k in s]))} | "
                   f"{percent(mean([k['error'] <= .2 for k in s]))} | {percent(mean([.5 <= k['ratio'] <= 2 for k in s]))} | {bias:.2f} | "
                   + " | ".join(percent(mean([k[m] for k in s if k[m] is not None])) for m, _, _ in METRICS) + " |")
    out += ["", "## By limiter", "", "| limiter | kernels | time: mean | median | bias |", "|---|---|---|---|---|"]
    groups = collections.defaultdict(list)
    for k in known:
        groups[k["limiter"]].append(k)
    for limiter, s in sorted(groups.items(), key=lambda g: (-len(g[1]), g[0])):
        out.append(f"| {limiter} | {len(s)} | {percent(mean([k['error'] for k in s]))} | {percent(median([k['error'] for k in s]))} | "
                   f"{math.exp(mean([math.log(k['ratio']) for k in s])):.2f} |")
    reasons = {}
    with open(os.path.join(HERE, "reasons.csv"), newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            reasons[row["program"], row["kernel"]] = row["reason"]
    out += ["", "## The worst", "", "| program, kernel | measured | predicted / measured | why |", "|---|---|---|---|"]
    for k in sorted(known, key=lambda k: -abs(math.log(k["ratio"])))[:WORST]:
        name = next((v for (p, f), v in reasons.items() if p == k["program"] and f in k["kernel"]), "not known yet")
        out.append(f"| {k['program']}, `{k['kernel'][:40]}` | {k['time'] / 1e3:.1f} us | {k['ratio']:.2f} | {name} |")
    return "\n".join(out) + "\n"


def main():
    warpline, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    out = sys.argv[3] if len(sys.argv) > 3 else os.path.join(HERE, "..", "..", "docs", "programs_accuracy.md")
    rows = collections.defaultdict(list)
    with open(os.path.join(HERE, "hecbench_h200.csv"), newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            rows[row["program"]].append(row)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        pairs = sum(pool.map(lambda item: predict(warpline, folder, *item), sorted(rows.items())), [])
    with open(out, "w", encoding="utf-8") as file:
        file.write(page(pairs, kernels_of(pairs)))


if __name__ == "__main__":
    main()
