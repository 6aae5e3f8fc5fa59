"""Launches of all kernels in the PTX of this repository, as words of a command. SPDX-License-Identifier: MIT"""
import csv
import glob
import json
import os
import re
import shlex
import subprocess
import sys

TABLES = ["fit", "fit2", "data", "uneven", "waiting", "blocked_more", "staggered", "steps", "walks", "passes",
          "roofline", "texture"]


def run(words):
    result = subprocess.run(words, capture_output=True, text=True)
    return result.returncode, result.stdout, result.stderr


def measured(root, data, every=False):
    """The first launch of every kernel of the measured tables, or every launch."""
    for table in TABLES:
        seen = set()
        _, text, _ = run([sys.executable, "-B", f"{root}/validate/ptx/commands.py", "h200_" + table, "--data", data])
        for line in text.splitlines():
            words = shlex.split(line)[2:]
            kernel = words[words.index("--kernel") + 1]
            if every or kernel not in seen:
                seen.add(kernel)
                yield kernel, words


def spaces(root):
    """The kept launches of tuning spaces."""
    sys.path.insert(0, f"{root}/validate/spaces")
    import space
    rows = {}
    for path in glob.glob(f"{root}/validate/published/*_*.csv"):
        with open(path, newline="") as file:
            rows.update({row["variant"]: row for row in csv.DictReader(file) if row.get("family") in space.ARGUMENTS})
    for path in sorted(glob.glob(f"{root}/validate/spaces/ptx/*.ptx")):
        variant = os.path.basename(path).split(".")[0]
        if variant in rows:
            row = rows[variant]
            words = [path, "--registers", row["regs"]]
            for option, names in (("--block", ("bx", "by", "bz")), ("--grid", ("gx", "gy", "gz"))):
                words += [option, "x".join(row[name] for name in names)]
            yield variant, words + [word for a in space.ARGUMENTS[row["family"]] for word in ("--arg", str(a))]


def others(root, warpline):
    """All entries of the other files, with arguments by their types."""
    for path in sorted(glob.glob(f"{root}/tests/ptx/*.ptx") + glob.glob(f"{root}/examples/*.ptx")):
        code, text, _ = run([warpline, "ptx", path, "--format", "json", "--no-ptxas"])
        for entry in json.loads(text)["entries"] if code == 0 else []:
            words = [path, "--kernel", entry["symbol"], "--block", "128", "--grid", "64", "--registers", "32"]
            for kind in entry["params"]:
                given = "buf:16M" if kind.endswith("64") and kind[0] != "f" else "1.5" if kind[0] == "f" else "8192"
                words += ["--arg", given]
            yield f"{os.path.basename(path)} {entry['symbol']}", words


def probes(root):
    """The launches of probes that have a PTX file: cache operators and bulk copies."""
    sys.path.insert(0, f"{root}/validate/ptx")
    import cache_operators
    import tma
    for module, table, target in ((cache_operators, "cache_operators", "sm_90"), (tma, "tma", "sm_90a")):
        path = f"{root}/validate/ptx/{table}.{target}.ptx"
        with open(f"{root}/validate/probes/h200_{table}.csv", newline="") as text:
            for row in csv.DictReader(text):
                yield f"{table} {row['family']} {row['variant']} {row['params']}", [path, *module.command(row)[1:]]


def everything(root, warpline, data, every=False):
    yield from measured(root, data, every)
    yield from spaces(root)
    yield from others(root, warpline)
    yield from probes(root)


def write_inputs(make_data, cases, folder):
    """Those that some launch reads."""
    found = re.findall(re.escape(folder) + r"/(\w+)\.bin", " ".join(word for _, words in cases for word in words))
    subprocess.run([make_data, folder, *sorted(set(found))], check=True)
