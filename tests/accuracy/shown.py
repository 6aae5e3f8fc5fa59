#!/usr/bin/env python3
"""shown.py WARPLINE MAKE_DATA SOURCE_ROOT DIRECTORY

What `warpline show` prints of a kernel in PTX predicts what the PTX predicts: counts, volumes, flops and time within 1 %.
What differs, the file says on its top: emulated accesses, local memory, time. Tried are all kernels of all PTX of the
repository: measured ones (validate/ptx, validate/spaces) with their first launch, others with made-up arguments; with
WARPLINE_TEST_EFFORT=quick every 40th. Their DRAM loads exceed L2 loads by no more than is stated. Inputs are written to DIRECTORY. SPDX-License-Identifier: MIT
"""
import json
import os
import sys

from launches_here import measured, others, run, spaces, write_inputs

NEAR = 0.01
ROUNDING = 1e-9
PIECES = "DRAM is read in pieces"  # a sector that misses brings its neighbour: `gather`, `needle`, as measured
# lanes of a warp that take part, which emulation counts and a kernel file samples
NEAR_REQUESTS = 0.03
REQUESTS = {"requests_ld": "inst_global_ld", "requests_st": "inst_global_st"}
EMULATED, LOCAL, TIME = "# Emulated", "# Not part of this file: local memory", "The time is not:"
LEAST_STATED = 250  # kernels that a file states wholly, or but for their time


def numbers_of(text):
    prediction = json.loads(text)["predictions"][0]
    numbers = {name: value["value"] for name, value in prediction["metrics"].items()}
    for name, instructions in REQUESTS.items():
        numbers.setdefault(name, numbers[instructions])
    return numbers, prediction["model"]["time_s"]


def unstated(text):
    """DRAM loads beyond those of the L2: of sectors that stores complete, of local memory, of pieces that a note tells."""
    prediction = json.loads(text)["predictions"][0]
    dram, l2 = (prediction["metrics"].get(name + "_load_bytes", {"value": 0, "parts": {}}) for name in ("dram", "l2"))
    parts = dram["parts"].get("partial_stores", 0) + dram["parts"].get("local", 0)
    more = dram["value"] - parts - (l2["value"] - l2["parts"].get("local", 0))
    told = any(PIECES in str(warning) for warning in prediction["warnings"])
    most = (1 + ROUNDING if told else NEAR) * l2["value"]
    return [] if more <= most else [f"{more} bytes of DRAM loads are not stated"]


def differences(before, after):
    for name in sorted(before.keys() | after.keys()):
        a, b = before.get(name), after.get(name)
        near = NEAR_REQUESTS if name in REQUESTS else NEAR
        if a is None or b is None or abs(b - a) > near * abs(a):
            yield f"{name} {a} in PTX, {b} as shown"


def check(warpline, words, path):
    """What differs, and what the file says of itself; None: it is not predicted at all."""
    on = ["--device", "h200", "--no-ptxas"]
    code, text, _ = run([warpline, "predict", *words, *on, "--format", "json"])
    if code != 0:
        return None
    counts, time = numbers_of(text)
    beyond = unstated(text)
    code, shown, message = run([warpline, "show", *words, *on])
    if code != 0:
        return [*beyond, "show fails: " + message], ""
    with open(path, "w") as file:
        file.write(shown)
    launch = [word for option in ("--block", "--grid") for word in (option, words[words.index(option) + 1])]
    code, text, message = run([warpline, "predict", path, *launch, "--device", "h200", "--format", "json"])
    if code != 0:
        return ["what is shown cannot be read: " + message], ""
    head = shown.split("\nname:")[0]
    again, time_again = numbers_of(text)
    told = EMULATED in head or LOCAL in head or "# note:" in shown
    found = beyond + ([] if told else list(differences(counts, again)))
    if not told and TIME not in head and abs(time_again - time) > NEAR * time:
        found.append(f"time {time} s in PTX, {time_again} s as shown")
    return found, "told" if told else "timed" if TIME in head else "plain"


def main():
    warpline, make_data, root, folder = sys.argv[1:5]
    os.makedirs(folder, exist_ok=True)
    every = 40 if os.environ.get("WARPLINE_TEST_EFFORT") == "quick" else 1
    cases = [*measured(root, folder), *spaces(root), *others(root, warpline)][::every]
    write_inputs(make_data, cases, folder)
    kinds, failures = {"told": 0, "timed": 0, "plain": 0, "": 0}, 0
    for name, words in cases:
        result = check(warpline, words, os.path.join(folder, "shown.yaml"))
        if result is None:
            continue
        kinds[result[1]] += 1
        failures += bool(result[0])
        for difference in result[0]:
            print(f"{name}: {difference}")
    print(f"{sum(kinds.values())} kernels: {kinds['plain']} as their files say, {kinds['timed']} but for the time, "
          f"{kinds['told']} with what the file says it lacks; {failures} differ")
    few = (kinds["plain"] + kinds["timed"]) * every < LEAST_STATED
    sys.exit(failures > 0 or few)


if __name__ == "__main__":
    main()
