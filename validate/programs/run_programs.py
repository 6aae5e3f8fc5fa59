#!/usr/bin/env python3
"""run_programs.py WARPLINE PROGRAMS.json BINARIES OUT.csv [--cores N] [--seconds S] [--real]

Runs public programs without a GPU, with their own arguments: hecbench_run.csv. PROGRAMS.json lists them, `{"name": ..,
"args": ..}`; BINARIES has a program of each name, made with `-cudart shared`, and the files that it reads in a folder NAME.data.
Each gets N processor cores (4), as many at once as there are, and is stopped after S seconds (60). --real, on a machine with
the GPU: runs them there, too, and compares what their own checks print. No program is part of this repository.

ended: yes; given up: in full but for launches that took longer than `warpline run` allows; stopped; no: no launch.
own_check: what the program says of its results. as_h200: whether lines about results are those of a run on the GPU, but for
times. SPDX-License-Identifier: MIT
"""
import argparse
import csv
import json
import os
import queue
import re
import subprocess
import tempfile
import threading
import time

FIELDS = ["program", "ended", "own_check", "as_h200", "seconds", "peak_mb", "launches", "refused", "note"]
CHECKS = re.compile(r"pass|fail|error|correct|mismatch|verif|success|ok\b|valid|diff|wrong", re.I)
TIMES = re.compile(r"time|GB/s|bandwidth|performance", re.I)
PROFILE = re.compile(r" on h200 \(.*?, (\d+) launch")
REFUSED = re.compile(r"not predicted: launch \d+(?: and (\d+) more)?")


def checks_of(text):
    lines = re.split(r"^.* on h200 \(NVIDIA H200\): ", text, flags=re.M)[0].splitlines()
    return [line for line in lines if CHECKS.search(line) and not TIMES.search(line)]


def row_of(name, code, seconds, peak, text, messages, real):
    """real: what the program printed on the GPU; None: not known."""
    checks = checks_of(text)
    launches = PROFILE.search(text)
    said = " ".join(checks)
    row = {"program": name, "seconds": f"{seconds:.1f}", "launches": launches.group(1) if launches else "", "peak_mb": peak}
    row["refused"] = sum(int(more or 0) + 1 for more in REFUSED.findall(text)) if launches else ""
    if code == 124:
        return {**row, "ended": "stopped", "peak_mb": ""}
    if code != 0:
        return {**row, "ended": "no", "note": "its input file is not in the repository"}
    row["ended"] = "given up" if "left out from here on" in messages else "yes"
    row["own_check"] = "fail" if re.search(r"fail", said, re.I) else "pass" if re.search(r"pass|success", said, re.I) else "none"
    row["as_h200"] = "" if real is None or not checks else "same" if checks == checks_of(real) else "differs"
    return row


def work(todo, options, programs, slot, rows):
    cpus = ",".join(str(slot * options.cores + k) for k in range(options.cores))
    while True:
        try:
            name = todo.get_nowait()
        except queue.Empty:
            return
        program = [os.path.abspath(os.path.join(options.binaries, name)), *programs[name].split()]
        with tempfile.TemporaryDirectory() as folder:
            data = os.path.join(options.binaries, name + ".data")
            if os.path.isdir(data):
                subprocess.run(["cp", "-r", data + "/.", folder], check=True)
            limit = ["timeout", "-k", "2", str(options.seconds)]
            real = None
            if options.real:
                native = subprocess.run([*limit, *program], cwd=folder, capture_output=True, text=True, errors="replace", check=False)
                real = native.stdout if native.returncode == 0 else None
            words = ["taskset", "-c", cpus, *limit, os.path.abspath(options.warpline), "run", "--device", "h200", "--quiet", "--",
                     *program]
            out, err = (open(os.path.join(folder, stream), "w+", errors="replace") for stream in (".out", ".err"))
            began = time.time()
            child = subprocess.Popen(words, stdout=out, stderr=err, stdin=subprocess.DEVNULL, cwd=folder,
                                     env={**os.environ, "OMP_NUM_THREADS": str(options.cores)})
            _, status, used = os.wait4(child.pid, 0)
            seconds = time.time() - began
            texts = []
            for stream in (out, err):
                stream.seek(0)
                texts.append(stream.read())
                stream.close()
            rows[name] = row_of(name, os.waitstatus_to_exitcode(status), seconds, used.ru_maxrss // 1024, *texts, real)


def main():
    parser = argparse.ArgumentParser()
    for word in ("warpline", "programs", "binaries", "out"):
        parser.add_argument(word)
    parser.add_argument("--cores", type=int, default=4)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--real", action="store_true")
    options = parser.parse_args()
    with open(options.programs, encoding="utf-8") as file:
        programs = {p["name"].removesuffix("-cuda"): p["args"] for p in json.load(file)}
    todo, rows = queue.Queue(), {}
    for name in sorted(programs):
        if os.path.exists(os.path.join(options.binaries, name)):
            todo.put(name)
        else:
            rows[name] = {"program": name, "ended": "no", "note": "does not build with its own options"}
    slots = max(1, (os.cpu_count() or 1) // options.cores)
    threads = [threading.Thread(target=work, args=(todo, options, programs, slot, rows)) for slot in range(slots)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with open(options.out, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n", restval="")
        writer.writeheader()
        writer.writerows(rows[name] for name in sorted(rows))


if __name__ == "__main__":
    main()
