#!/usr/bin/env python3
"""ablate.py WARPLINE [--jobs N] [--most N] [--law NAME]... [--results FILE] [--report FILE] [--data DIR]

Switches each law of the model off (laws.py) and predicts all measured tables of all GPUs again: kernel files and PTX
on the H200, published launches elsewhere. Of each family at most N launches are taken, evenly spread. --results keeps
the numbers as JSON (a later run reads it and adds the laws that are missing), --report writes docs/ablation.md.
A launch from PTX is predicted once, on the H200 and on one derived device for each law that is switched off.
Nothing is refitted: a law that another could stand in for looks dearer than it is. SPDX-License-Identifier: MIT
"""
import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
VALIDATE = os.path.dirname(HERE)
sys.path += [HERE, os.path.join(VALIDATE, "ptx"), os.path.join(VALIDATE, "others")]
import commands  # noqa: E402
import launches  # noqa: E402
import others_report  # noqa: E402
from laws import LAWS  # noqa: E402

TABLES = ["h200_fit", "h200_fit2", "h200_micro", "h200_micro2", "h200_narrow", "h200_halves", "h200_heldout",
          "h200_examples", "h200_schedules", "h200_regular"]
METRICS = ["time", "l1_wavefronts", "l2_load_bytes", "l2_store_bytes", "dram_load_bytes", "dram_store_bytes"]
# Shorter launches mostly measure the launch itself; smaller volumes stay in the L2; few wavefronts are those of the
# start of threads.
LEAST = {"time": 20e-6, "dram_load_bytes": 48e6, "dram_store_bytes": 48e6, "l1_wavefronts": 1e5}
SHOWN = 6  # families of each law
POINT = 1.0  # of mean error: what a law must earn


def spread_evenly(rows, most):
    return [rows[i * len(rows) // most] for i in range(most)] if len(rows) > most else rows


def sampled(path, out, most, key):
    """A copy of the table with at most so many rows of each family."""
    with open(path, newline="") as file:
        reader = csv.DictReader(file)
        rows, names = list(reader), reader.fieldnames
    families = {}
    for row in rows:
        families.setdefault(tuple(row.get(k, "") for k in key), []).append(row)
    with open(out, "w", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        for family in families.values():
            writer.writerows(spread_evenly(family, most))
    return out


def compare_words(warpline, entry, path, off):
    words = [warpline, "compare", "--map", entry["map"], path, "--device", entry["device"], "--incomplete", "allow",
             "--format", "json"]
    words += (["--model", entry["model"]] if entry.get("model") else []) + (entry.get("options") or "").split()
    set_already = {w.split("=")[0] for w in words}
    for what in off:
        if what.split("=")[0] not in set_already:
            words += ["--with", what]
    return words


def errors_of_rows(rows, groups):
    """{(group, metric): [errors]} of the rows of `warpline compare`."""
    out = {}
    for row in rows:
        for metric in METRICS:
            got, want = row["predicted"].get(metric), row["measured"].get(metric)
            if got is None or not want:
                continue
            if want < LEAST.get(metric, 0):
                continue
            out.setdefault((groups(row), metric), []).append(abs(got / want - 1))
    return out


def run_table(task):
    warpline, entry, path, off = task
    done = subprocess.run(compare_words(warpline, entry, path, off), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        return {"failed": f"{entry['name']}: {done.stderr.strip().splitlines()[-1] if done.stderr else done.returncode}"}
    rows = json.loads(done.stdout)["rows"]
    return errors_of_rows(rows, lambda row: f"{entry['device']}: {row.get('family') or entry['name']}")


def derive(warpline, laws, folder):
    """A device file for each law, without it."""
    out = []
    for number, law in enumerate(laws):
        words = [warpline, "devices", "derive", f"without{number}", "--like", "h200"]
        for what in law["off"]:
            words += ["--with", what]
        out.append(os.path.join(folder, f"without{number}.yaml"))
        with open(out[-1], "w") as file:
            subprocess.run(words, stdout=file, check=True)
    return out


def run_ptx(task):
    """{(group, metric): [errors]} for each device"""
    warpline, (table, row), data, devices = task
    one = launches.run(warpline, table, row, data, devices=devices)
    group = f"h200, PTX: {table.removeprefix('h200_')} {row['family']}"
    return [errors_of_rows([dict(one, predicted=p)], lambda row: group) for p in one.get("everywhere", [])]


def measure_ptx(options, laws, folder):
    """{law: {group: {metric: mean error in percent}}}"""
    devices = derive(options.warpline, laws, folder)
    tasks = [(options.warpline, c, options.data, devices) for c in ptx_launches(max(1, options.most // 2))]
    found = {law["name"]: [] for law in laws}
    with ThreadPoolExecutor(options.jobs) as pool:
        for everywhere in pool.map(run_ptx, tasks):
            for law, errors in zip(laws, everywhere):
                found[law["name"]].append(errors)
    return {name: means_of(errors) for name, errors in found.items()}


def means_of(parts):
    out = {}
    for errors in parts:
        for (group, metric), values in errors.items():
            out.setdefault(group, {}).setdefault(metric, []).extend(values)
    return {g: {m: 100 * statistics.mean(v) for m, v in ms.items()} for g, ms in out.items()}


def entries(warpline, folder, most):
    """Every table with its sampled file."""
    out = []
    for table in TABLES:
        path = sampled(os.path.join(VALIDATE, "data", table + ".csv"), os.path.join(folder, table + ".csv"), most,
                       ["family"])
        out.append((dict(name=table, device="h200", map=os.path.join(VALIDATE, "families.yaml")), path))
    for number, entry in enumerate(others_report.tables()):
        if entry["tested"] != "yes" or entry["device"] == "h200":
            continue
        path = os.path.join(VALIDATE, entry["table"])
        made = os.path.join(folder, f"other{number}.csv")
        if entry["made_from"]:
            kind, device = entry["made_from"].split()
            others_report.curve_tables.write(kind, device, others_report.device_numbers(warpline, entry["device"])[1], made)
            path = made
        map_path = os.path.join(VALIDATE, entry["map"])
        if map_path.endswith(".py"):
            continue  # tuning spaces: their kernels are made by a compiler
        path = sampled(path, os.path.join(folder, f"sampled{number}.csv"), most, ["family", "variant", "kernel"])
        out.append((dict(entry, name=entry["title"], map=map_path), path))
    return out


def ptx_launches(most):
    chosen = []
    for table in commands.PROGRAMS:
        families = {}
        for row in launches.rows_of(table):
            families.setdefault(row["family"], []).append(row)
        for rows in families.values():
            chosen += [(table, row) for row in spread_evenly(rows, most)]
    return chosen


def measure_tables(options, law, tables):
    """{group: {metric: mean error in percent}} without the law"""
    tasks = [(options.warpline, e, p, law["off"]) for e, p in tables]
    with ThreadPoolExecutor(options.jobs) as pool:
        done = list(pool.map(run_table, tasks))
    for errors in done:
        if "failed" in errors:
            print(f"ablate: {law['name']}: {errors['failed']}", file=sys.stderr)
    return means_of([errors for errors in done if "failed" not in errors])


def change(base, law, metric):
    """Points of mean error that the law saves, by group."""
    return {g: law[g][metric] - base[g][metric] for g in base if metric in base[g] and metric in law.get(g, {})}


def is_own(group, found):
    words = group.replace(":", " ").replace("/", " ").split()
    return any(f in words for f in found)


def verdict(law, base, off):
    """Families it was not found on that a law earns a point in, those that it costs one, the GPUs; kept or not, in words."""
    earned, cost, gpus = set(), set(), set()
    for metric in METRICS:
        for group, points in change(base, off, metric).items():
            if is_own(group, law["found"]):
                continue
            if points >= POINT:
                earned.add(group)
                gpus.add(group.split(":")[0].split(",")[0])
            if points <= -POINT:
                cost.add(group)
    if law.get("exact"):
        return earned, cost, gpus, "exact"
    if not any(points for metric in METRICS for points in change(base, off, metric).values()):
        return earned, cost, gpus, "no table here"
    return earned, cost, gpus, "yes" if len(earned) >= 2 or len(gpus) >= 2 else law.get("kept", "**no**")


def mean_change(base, off, metric, mine):
    points = [p for g, p in change(base, off, metric).items() if (g.startswith("h200") == mine)]
    return statistics.mean(points) if points else 0.0


def report(results, out):
    base = results["none"]
    write = lambda text="": out.write(text + "\n")
    write("# What each law is worth")
    write()
    write("`make ablate` writes this page (validate/ablate). It switches each law off, by numbers of the\n"
          "device with which the law says nothing, and predicts the measured tables of all GPUs again: at\n"
          "most a few launches of each family, evenly spread. Nothing is refitted, so a law that another\n"
          "one could stand in for looks more useful than it is.\n\n"
          "Points are changes of the mean error, in percent, over families: a positive number is what the\n"
          "law saves. *earns* and *costs* count the families in which some metric changes by a point or\n"
          "more; families that the law was found on do not count. A law stays if it earns a point in two\n"
          "families or on two GPUs, or if it is exact by construction. No table here: what it says is\n"
          "measured in tables of validate/probes, which tests compare with (bulk copies, atomics on\n"
          "shared memory, clusters).")
    write()
    for mine, title in ((True, "the H200"), (False, "other GPUs")):
        means = {m: [g[m] for n, g in base.items() if n.startswith("h200") == mine and m in g] for m in METRICS}
        write(f"Mean error on {title}, and the number of families:\n")
        write("| " + " | ".join(m for m, v in means.items() if v) + " |\n" + "|---:" * sum(map(bool, means.values())) + "|")
        write("| " + " | ".join(f"{statistics.mean(v):.2f} % ({len(v)})" for v in means.values() if v) + " |\n")
    write("| law | off with | time | L2 loads | DRAM loads | L2 stores | wavefronts | time, others | earns | costs | GPUs | stays |")
    write("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|")
    rows = []
    for law in LAWS:
        if law["name"] not in results:
            continue
        off = results[law["name"]]
        earned, cost, gpus, stays = verdict(law, base, off)
        cells = [mean_change(base, off, m, True) for m in
                 ("time", "l2_load_bytes", "dram_load_bytes", "l2_store_bytes", "l1_wavefronts")]
        rows.append((-len(earned), law, cells, mean_change(base, off, "time", False), earned, cost, gpus, stays))
    for _, law, cells, other, earned, cost, gpus, stays in sorted(rows, key=lambda r: (r[0], r[1]["name"])):
        write(f"| {law['name']}: {law['says']} | {' '.join(f'`{w}`' for w in law['off'])} | " +
              " | ".join(f"{c:+.2f}" for c in cells) + f" | {other:+.2f} | {len(earned)} | {len(cost)} | {len(gpus)} | " +
              stays + " |")


def where(results, out):
    """The families in which each law matters most."""
    base = results["none"]
    out.write("\n## Where\n\nThe largest changes of each law, in points: families it was found on are in brackets.\n\n")
    for law in sorted(LAWS, key=lambda l: l["name"]):
        if law["name"] not in results:
            continue
        changes = [(p, g, m) for m in METRICS for g, p in change(base, results[law["name"]], m).items() if abs(p) >= POINT]
        changes.sort(key=lambda c: -abs(c[0]))
        words = []
        for points, group, metric in changes[:SHOWN]:
            text = f"{group}, {metric} {points:+.1f}"
            words.append(f"[{text}]" if is_own(group, law["found"]) else text)
        more = len(changes) - SHOWN
        line = f"- **{law['name']}**: " + ("; ".join(words) or "nothing by a point") + (f"; {more} more" if more > 0 else "")
        out.write(textwrap.fill(line, 98, subsequent_indent="  ", break_long_words=False) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warpline")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--most", type=int, default=5)
    parser.add_argument("--law", action="append")
    parser.add_argument("--results", default="build/ablate/results.json")
    parser.add_argument("--report")
    parser.add_argument("--data", default="build/ablate/data")
    options = parser.parse_args()
    folder = os.path.dirname(os.path.abspath(options.results))
    os.makedirs(folder, exist_ok=True)
    results = {}
    if os.path.exists(options.results):
        with open(options.results) as file:
            results = json.load(file)
    wanted = [dict(name="none", off=[])] + [l for l in LAWS if not options.law or l["name"] in options.law]
    missing = [l for l in wanted if l["name"] not in results]
    tables = entries(options.warpline, folder, options.most)
    of_ptx = measure_ptx(options, missing, folder) if missing else {}
    for law in missing:
        results[law["name"]] = dict(measure_tables(options, law, tables), **of_ptx[law["name"]])
        with open(options.results, "w") as file:  # law by law: a later run goes on
            json.dump(results, file, indent=1, sort_keys=True)
        print(f"  {law['name']}", flush=True)
    if options.report:
        with open(options.report, "w") as file:
            report(results, file)
            where(results, file)


if __name__ == "__main__":
    main()
