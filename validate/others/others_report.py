#!/usr/bin/env python3
"""others_report.py WARPLINE [--out DIRECTORY] [--numbers FILE] [--device NAME] [--long]

Compares the published measurements of list.csv with predictions and prints, as a part of docs/accuracy.md, a section per
GPU. A row of list.csv is a table: `device` of ours, `title`, `table` and `map` (from validate/), `made_from` (a curve of
curve_tables.py and the name its device has there; then `table` only says where it is published), `model` (empty: the
default of the device), `options` (further options of `warpline compare`), `tested` (yes: seconds, and a part of the test
accuracy_others; long: with --long only, minutes, or nvcc and half an hour; else its numbers are those of the last such
run, as FILE of --numbers has them) and `bars`: metric<=percent of its mean error, tau>=.., pick>=.., ten>=.. (the best of the
ten launches that are predicted fastest, as pick), which hold for every group of the table (for a curve: for all of it).
SPDX-License-Identifier: MIT
"""
import argparse
import csv
import json
import os
import re
import statistics
import subprocess
import sys

import curve_tables

HERE = os.path.dirname(os.path.abspath(__file__))
VALIDATE = os.path.dirname(HERE)
NAMES = {"time": "time", "dram_load_bytes": "DRAM loads", "l2_load_bytes": "L2 loads", "dram_store_bytes": "DRAM stores",
         "l2_store_bytes": "L2 stores", "l1_wavefronts": "L1 wavefronts",
         "l1_tag_wavefronts": "L1 tag wavefronts", "requests_ld": "load requests",
         "sectors_loaded": "sectors loaded", "inst_executed": "instructions", "shared_wavefronts": "shared wavefronts", "tau": "tau of time", "pick": "best pick", "ten": "best of the first ten", "worst": "time, the largest"}
SHOWN = ["l1_wavefronts", "l1_tag_wavefronts", "l2_load_bytes", "l2_store_bytes", "dram_load_bytes", "dram_store_bytes"]
FEW = 3  # launches: below, neither order nor bars
FIRST = 10  # of the predicted order, of which the best is looked for

INTRO = """## Other GPUs

What others have measured and published (`validate/published`, each row with its source), against predictions with the
device files of these GPUs; `validate/others/list.csv` lists the tables. No number of a device was fitted to launches of
these tables but what its source says (`warpline devices show NAME`). Given are `mean / median / largest` size of the
relative error, in percent; `bias` is its mean with sign. Times are as published: clock, driver and host are theirs.
"""


OPEN = """What is open. V100, boxes of range 3: the launch that is picked (64x16) is 5.5 % slower than the best one; it is predicted to
be 2 % faster, as are other blocks of 1024 threads. RTX 2080 Ti: of the two fastest launches the second is picked. The fastest (64x2 threads of 1 x 6
cells, all 32 warps resident, 70 % of the f32 peak) takes 16 % less time than predicted, more than any other launch as
fast. Which of the fastest is best is decided by machine code that PTX does not show: of the 30 fastest geometries of the
whole space, launches with ld.global and ld.global.nc, otherwise the same, differ by more than 5 % in 13, by more than 10 %
in 10, by up to 28 %. Its L2 loads include instructions, which no law predicts: where the code of a warp is at most as long
as the instruction cache (46 KiB, 84 launches), L2 loads are 5.1 % off, else 32.0 %
([removed laws](../validate/notes/removed_laws.md#volumes)). Hotspot on
the A100: equal code has unequal published times. Launches that differ only in a launch bound that limits nothing (the
machine code is the same, byte by byte) are 36 pairs in every eighth row of the whole space: 20 differ by more than 1.2 times,
12 by more than 1.4, up to 1.8, about the ratio of the highest clock to the base clock. So about half of the launches are
slowed down, and even a prediction without any error would have a best pick above 0.85 only if the launch it picks was not.
The three launches that are predicted faster than the best measured one take 1.7 to 2.1 times their predicted time.
"""


def tables():
    with open(os.path.join(HERE, "list.csv"), newline="") as file:
        return list(csv.DictReader(file))


def run(words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"others_report.py: {' '.join(words)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def device_numbers(warpline, device):
    shown = json.loads(run([warpline, "devices", "show", device, "--format", "json"]))
    return shown["title"], lambda name: shown[name]["value"][0] if name in shown else None


def compare(warpline, entry, out):
    """The JSON of `warpline compare` for a row of the list."""
    path = os.path.join(VALIDATE, entry["table"])
    if entry["made_from"]:
        kind, device = entry["made_from"].split()
        path = os.path.join(out, f"{entry['device']}_{kind}.csv")
        curve_tables.write(kind, device, device_numbers(warpline, entry["device"])[1], path)
    map_path = os.path.join(VALIDATE, entry["map"])
    if map_path.endswith(".py"):  # the kernels of a tuning space are made first
        folder = os.path.join(out, os.path.splitext(os.path.basename(path))[0])
        map_path = run([sys.executable, "-B", map_path, path, folder]).strip()
    words = [warpline, "compare", "--map", map_path, path, "--device", entry["device"],
             "--format", "json"]
    if entry["model"]:
        words += ["--model", entry["model"]]
    return json.loads(run(words + (entry.get("options") or "").split())), path


def spread(errors):
    sizes = [abs(e) for e in errors]
    return f"{100 * statistics.mean(sizes):.1f} / {100 * statistics.median(sizes):.1f} / {100 * max(sizes):.1f}"


def group_numbers(group):
    """Mean errors of a group, in percent, with tau and pick."""
    out = {name: 100 * m["mean"] for name, m in group["metrics"].items() if m.get("n")}
    time = group.get("time") or {}
    if time.get("n"):
        out["time"], out["worst"] = 100 * time["mean"], 100 * time["max"]
        if group["rows"] >= FEW:
            out["tau"], out["pick"] = time.get("tau"), time.get("best_pick")
    return {k: v for k, v in out.items() if v is not None}


def best_of_first(rows):
    """The share of the best speed that the best of those launches reaches that are predicted fastest."""
    timed = [(r["predicted"]["time"], r["measured"]["time"]) for r in rows if r["measured"].get("time")]
    return min(m for _, m in timed) / min(m for _, m in sorted(timed)[:FIRST])


def judged(bars, numbers):
    for text in bars.split():
        name, sign, bar = re.fullmatch(r"(\w+)(<=|>=)([\d.]+)", text).groups()
        if name in numbers:
            value = numbers[name]
            kept = value <= float(bar) if sign == "<=" else value >= float(bar)
            yield name, sign, float(bar), value, kept


def cell(stats):
    if not stats or not stats.get("n"):
        return "-"
    return f"{100 * stats['mean']:.1f} / {100 * stats['median']:.1f} / {100 * stats['max']:.1f}"


def table_lines(heads, rows):
    return ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads), *("| " + " | ".join(row) + " |" for row in rows)]


def group_rows(groups):
    shown = [name for name in SHOWN if any(name in g["metrics"] for g in groups)]
    rows = []
    for g in groups:
        time = g.get("time") or {}
        few = g["rows"] < FEW
        rows.append([g["name"], str(g["rows"]), *(cell(g["metrics"].get(name)) for name in shown), cell(time),
                     f"{100 * time['bias']:+.1f}" if time.get("n") else "-",
                     f"{time['tau']:.3f}" if time.get("tau") is not None and not few else "-",
                     f"{100 * time['best_pick']:.1f} %" if time.get("best_pick") is not None and not few else "-"])
    return ["group", "launches", *(NAMES[name] for name in shown), "time", "bias", "tau", "pick"], rows


def authors(path, rows):
    """Errors of the authors' own predictions, where the table has them (columns authors_*)."""
    with open(path, newline="") as file:
        lines = list(csv.DictReader(file))
    pairs = {"authors_dram_load": "dram_rd_bytes", "authors_l2_load": "l2_sectors_rd_tex", "authors_ms": "ms_median"}
    used = {r["line"] for r in rows}
    said = []
    for column, measured in pairs.items():
        if not lines or column not in lines[0]:
            continue
        scale = {"dram_rd_bytes": lambda r: float(r["work"]), "l2_sectors_rd_tex": lambda r: float(r["work"]) / 32,
                 "ms_median": lambda r: 1.0}[measured]
        groups = {}
        for number, r in enumerate(lines, 2):
            if number in used:
                error = float(r[column]) * scale(r) / float(r[measured]) - 1
                groups.setdefault(r["variant"], []).append(error)
        name = {"authors_dram_load": "DRAM loads", "authors_l2_load": "L2 loads", "authors_ms": "time"}[column]
        said += [f"{name} of {variant} {spread(errors)}" for variant, errors in groups.items()]
    return ["", "The authors' own predictions of the same launches: " + "; ".join(said) + "."] if said else []


def section(entry, result, path):
    groups = result["groups"]
    lines = [f"#### {entry['title']}", "",
             f"`validate/{entry['table']}`" + (f", model `{entry['model']}`" if entry["model"] else "")
             + (f", with `{entry['options']}`" if entry.get("options") else "") + f", {len(result['rows'])} launches.", ""]
    lines += table_lines(*group_rows(groups + (result["families"] if len(groups) > 1 else [])))
    lines += authors(path, result["rows"])
    for skipped in (s for s in result["skipped"] if s["line"]):
        lines += ["", f"Left out: {skipped['count']} launches ({skipped['reason']})."]
    numbers = {g["name"]: group_numbers(g) for g in (result["families"] if entry["made_from"] else groups)}
    if len(numbers) == 1 and len(result["rows"]) > FIRST and "pick" in next(iter(numbers.values())):
        next(iter(numbers.values()))["ten"] = best_of_first(result["rows"])
    return lines + [""], numbers


def bar_rows(entry, numbers):
    for group, values in numbers.items():
        for name, sign, bar, value, kept in judged(entry["bars"] or "", values):
            unit = " %" if name not in ("tau", "pick", "ten") else ""
            yield [entry["device"], group, ("mean error of " if unit and name != "worst" else "error of " if unit else "") + NAMES.get(name, name),
                   f"at {'most' if sign == '<=' else 'least'} {bar:g}{unit}", f"{value:.1f} %" if unit else f"{value:.3f}",
                   "pass" if kept else "**open**"]


def measure(warpline, entries, out):
    """Sections by device, rows of bars, and the numbers of every group."""
    os.makedirs(out, exist_ok=True)
    bars, sections, all_numbers = [], {}, []
    for entry in entries:
        result, path = compare(warpline, entry, out)
        lines, numbers = section(entry, result, path)
        sections.setdefault(entry["device"], []).extend(lines)
        bars += bar_rows(entry, numbers)
        all_numbers += [{"device": entry["device"], "title": entry["title"], "group": group, "launches": len(result["rows"]),
                         **{k: round(v, 4) for k, v in sorted(values.items())}} for group, values in numbers.items()]
    return sections, bars, all_numbers


def last_numbers(path, entries):
    """What the last run with --long has found of these tables."""
    if not path or not os.path.exists(path):
        return []
    with open(path) as file:
        groups = json.load(file)["groups"]
    titles = {(entry["device"], entry["title"]) for entry in entries}
    return [group for group in groups if (group["device"], group["title"]) in titles]


def show_last(entry, groups):
    """A section from numbers alone."""
    shown = [name for name in ["inst_executed", *SHOWN, "shared_wavefronts", "time"] if any(name in g for g in groups)]
    rows = [[g["group"], str(g["launches"]), *(f"{g[name]:.1f}" for name in shown),
             *(f"{g[name]:.3f}" if name in g else "-" for name in ("tau", "pick", "ten"))] for g in groups]
    heads = ["group", "launches", *(NAMES.get(name, name) for name in shown), "tau", "pick", "first ten"]
    return [f"#### {entry['title']}", "",
            f"`validate/{entry['table']}`" + (f", with `{entry['options']}`" if entry.get("options") else "")
            + ". As of the last run with `--long`; mean errors in percent.", "", *table_lines(heads, rows), ""]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warpline")
    parser.add_argument("--out", default="build/validate/others")
    parser.add_argument("--numbers")
    parser.add_argument("--device")
    parser.add_argument("--long", action="store_true")
    options = parser.parse_args()
    entries = [entry for entry in tables() if options.device in (None, entry["device"])]
    left_out = [entry for entry in entries if entry["tested"] == "long" and not options.long]
    entries = [entry for entry in entries if entry not in left_out]
    sections, bars, all_numbers = measure(options.warpline, entries, options.out)
    last = last_numbers(options.numbers, left_out)
    for entry in left_out:
        groups = [g for g in last if (g["device"], g["title"]) == (entry["device"], entry["title"])]
        if groups:
            sections.setdefault(entry["device"], []).extend(show_last(entry, groups))
            bars += bar_rows(entry, {g["group"]: g for g in groups})
            all_numbers += groups
    shown = {(g["device"], g["title"]) for g in last}
    print(INTRO)
    print("\n".join(table_lines(["device", "group", "what", "bar", "value", ""], bars)) + "\n")
    for entry in (e for e in left_out if (e["device"], e["title"]) not in shown):
        print(f"Not shown here, as it takes long (`--long`; some need nvcc): `{entry['device']}`, {entry['title']}.\n")
    print(OPEN)
    for device, lines in sections.items():
        title = device_numbers(options.warpline, device)[0]
        print(f"### {title} (`{device}`)\n\n" + "\n".join(lines))
    if options.numbers:
        with open(options.numbers, "w") as file:
            json.dump({"schema": "warpline.accuracy_others/1", "groups": all_numbers}, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
