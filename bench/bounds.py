#!/usr/bin/env python3
"""bounds.py WARPLINE [--effort S ..] [--only TEXT] [--all] [--folder DIRECTORY] [--make-data PROGRAM]

How long a prediction takes, and its memory: the measured launches (validate/ptx; the first of each kernel, --all: all),
the kept launches of tuning spaces, all entries of other PTX here with made-up arguments, the built-in kernels, and
generated monsters (monsters.py). Prints processor time and memory of those beyond the bounds, of the slowest, and how
many there were. The bounds: three times the effort and a second; 512 MB. Asserts nothing. SPDX-License-Identifier: MIT
"""
import argparse
import glob
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "tests", "accuracy"), os.path.join(ROOT, "validate", "ptx")]
import launches_here  # noqa: E402
import monsters  # noqa: E402

MEMORY_MB = 512
SLOWEST = 10


def bound(effort):
    return 3 * effort + 1


def measure(words, seconds):
    """User time in s, memory in MB, exit code and the first line of the message."""
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(["prlimit", f"--cpu={seconds}", *words], stdout=subprocess.DEVNULL,
                                 stderr=errors)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        line = errors.readline().decode(errors="replace").strip()
    return used.ru_utime, used.ru_maxrss / 1024, child.returncode, line


def built_in():
    for path in sorted(glob.glob(f"{ROOT}/share/kernels/*.yaml")):
        yield "built-in " + os.path.basename(path)[:-5], [path, "--block", "32x4"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warpline")
    parser.add_argument("--effort", nargs="*", default=["0.1", "1"])
    parser.add_argument("--only", default="")
    parser.add_argument("--but", help="leave out names with this text")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--folder", default=os.path.join(ROOT, "build", "monsters"))
    parser.add_argument("--make-data")
    parser.add_argument("--limit", type=int, default=60, help="seconds after which a prediction is ended")
    given = parser.parse_args()
    # in a process of its own, whose memory is not that of a child when it starts
    subprocess.run([sys.executable, "-B", monsters.__file__, given.folder], check=True)
    cases = [*monsters.cases(given.folder), *launches_here.everything(ROOT, given.warpline, given.folder, given.all),
             *built_in()]
    cases = [case for case in cases if given.only in case[0] and not (given.but and given.but in case[0])]
    if given.make_data:
        launches_here.write_inputs(given.make_data, cases, given.folder)
    for effort in given.effort:
        rows, beyond = [], 0
        for name, words in cases:
            command = [given.warpline, "predict", *words, "--device", "h200"]
            if words[0].endswith(".ptx"):
                command += ["--no-ptxas", "--effort", effort]
            user, memory, code, line = measure(command, given.limit)
            rows.append((user, memory, name))
            over = user > bound(float(effort)) or memory > MEMORY_MB
            beyond += over
            if over or (code not in (0, 7) and name.startswith("monster")):
                print(f"effort {effort}: {user:6.2f} s {memory:5.0f} MB {name}" +
                      (f" ({code}: {line[:150]})" if code else ""), flush=True)
        print(f"effort {effort}: {len(rows)} predictions, {beyond} beyond {bound(float(effort)):.4g} s "
              f"or {MEMORY_MB} MB; the slowest:")
        for user, memory, name in sorted(rows, reverse=True)[:SLOWEST]:
            print(f"  {user:6.2f} s {memory:5.0f} MB {name}")


if __name__ == "__main__":
    main()
