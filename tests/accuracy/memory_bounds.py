#!/usr/bin/env python3
"""memory_bounds.py WARPLINE UNUSED SOURCE_ROOT DIRECTORY

Memory of predictions grows with a program, but slowly: what is promised for large ones (docs/ptx.md) is checked on
smaller ones of the same kind, as bytes for each instruction or access. A program that is too long for the lives of its
warps must say so, and one whose emulated accesses are taken together must count them like one in which each is alone.
Asserts no times. WARPLINE_TEST_EFFORT=quick leaves out the largest. SPDX-License-Identifier: MIT
"""
import json
import os
import subprocess
import sys

warpline, _, root, folder = sys.argv[1:5]
sys.path.insert(0, os.path.join(root, "bench"))
import monsters  # noqa: E402

BOUND = 512 << 20
FEW = 1000
LAUNCH = ["--block", "128", "--grid", "4096", "--registers", "32", "--device", "h200", "--no-ptxas", "--effort", "0.1",
          "--format", "json"]
# the generator, how many here, the bytes that each may take: as many as stated there fit into the bound
CASES = {
    "instructions": (monsters.instructions, 100000, BOUND / 1000000),
    "mixed": (monsters.mixed, 100000, BOUND / 1000000),
    "loads": (monsters.loads, 20000, BOUND / 120000),
    "stores": (monsters.stores, 20000, BOUND / 200000),
}
WARPS = 4 * 4096
TOGETHER = "neighbours are taken together"
ALONE, JOINED = 8000, 8400  # accesses; TRACED_MOST of trace_blocks.c is between them
GATHERS = 180000  # traces of blocks are kept up to some size, so that their memory has no rate
FOLLOWED = 1 << 16  # WL_PTX_FOLLOWED_MAX


def predict(name, text):
    """The largest resident size in bytes, and the prediction."""
    path, result = os.path.join(folder, name + ".ptx"), os.path.join(folder, name + ".json")
    monsters.write(path, text)
    contents = monsters.RANDOM if name.startswith("gathers") else monsters.BUFFER
    arguments = ["--arg", contents, "--arg", monsters.BUFFER, "--arg", "1"]
    with open(result, "w") as out:
        child = subprocess.Popen([warpline, "predict", path, *LAUNCH, *arguments], stdout=out)
        _, status, used = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"{name}: exit status {os.waitstatus_to_exitcode(status)}")
    with open(result) as file:
        return used.ru_maxrss * 1024, json.load(file)


def notes(prediction, text):
    return any(text in note for note in prediction["predictions"][0]["warnings"])


def says_so(prediction):
    return notes(prediction, "warps are not followed")


def value(prediction, metric):
    return prediction["predictions"][0]["metrics"][metric]["value"]


def counted_alike():
    """Of gathers: as many executions as there are, and as many wavefronts for each."""
    _, alone = predict("gathers_alone", monsters.gathers(ALONE))
    _, joined = predict("gathers_joined", monsters.gathers(JOINED))
    executed = value(joined, "inst_global_ld")
    each = [value(p, "l1_wavefronts") / value(p, "inst_global_ld") for p in (alone, joined)]
    print(f"gathers: {executed:.0f} executions, {each[1]:.3f} wavefronts each, {each[0]:.3f} where each is alone")
    return (executed == (JOINED + 1) * WARPS and abs(each[1] / each[0] - 1) < 0.02 and
            notes(joined, TOGETHER) and not notes(alone, TOGETHER))


def main():
    os.makedirs(folder, exist_ok=True)
    failed = 0
    for name, (make, count, most) in CASES.items():
        few, prediction = predict(name + "_few", make(FEW))
        many, _ = predict(name, make(count))
        each = (many - few) / (count - FEW)
        print(f"{name}: {each:.0f} bytes each, at most {most:.0f}")
        failed += each > most
        failed += says_so(prediction)
    if os.environ.get("WARPLINE_TEST_EFFORT") != "quick":
        most, _ = predict("gathers", monsters.gathers(GATHERS))
        print(f"gathers: {most / GATHERS:.0f} bytes each, at most {BOUND / GATHERS:.0f}")
        failed += most > BOUND
    if not counted_alike():
        print("accesses that are taken together are counted differently")
        failed += 1
    _, prediction = predict("long", monsters.instructions(FOLLOWED + 1))
    if not says_so(prediction):
        print("a long program is predicted without lives of warps, and no note says so")
        failed += 1
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
