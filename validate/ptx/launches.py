"""Measured launches predicted from PTX with `warpline predict`, beside what was measured.
SPDX-License-Identifier: MIT"""
import csv
import json
import os
import shlex
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import commands

# name, predicted metric, measured columns (added up where a table has them)
COUNTS = [
    ("loads", "inst_global_ld", ["inst_global_ld", "inst_ldgsts"]),
    ("stores", "inst_global_st", ["inst_global_st"]),
    ("load_requests", "requests_ld", ["l1_requests_ld"]),
    ("store_requests", "requests_st", ["l1_requests_st"]),
    ("sectors_loaded", "l1_sectors_ld", ["l1_sectors_ld"]),
    ("sectors_stored", "l1_sectors_st", ["l1_sectors_st"]),
    ("textures", "inst_texture", ["inst_texture"]),
    ("surfaces", "inst_surface", ["inst_surface_ld", "inst_surface_st"]),
    ("texture_sectors", "texture_sectors", ["l1_sectors_texture", "l1_sectors_surface_ld", "l1_sectors_surface_st"]),
    ("texture_wavefronts", "texture_wavefronts", ["l1_wavefronts_tex"]),
    ("shared_wavefronts", "shared_wavefronts", ["l1_wavefronts_shared"]),
    ("instructions", "inst_executed", ["inst"]),
    ("thread_instructions", "thread_inst", ["thread_inst"]),
    ("l1_wavefronts", "l1_wavefronts", ["l1_wavefronts"]),
]
# name, predicted metric, measured column and the bytes of its unit
VOLUMES = [
    ("l2_load_bytes", "l2_sectors_rd_tex", 32), ("l2_store_bytes", "l2_sectors_wr_tex", 32),
    ("dram_load_bytes", "dram_rd_bytes", 1), ("dram_store_bytes", "dram_wr_bytes", 1),
]


def rows_of(table):
    with open(os.path.join(commands.HERE, "..", "data", table + ".csv"), newline="") as file:
        return list(csv.DictReader(file))


def measured(row):
    out = {"time": float(row["ms_median"]) * 1e-3}
    for name, _, columns in COUNTS:
        found = [int(row[c]) for c in columns if c in row]
        out[name] = sum(found) if found else None
    for name, column, size in VOLUMES:
        out[name] = int(row[column]) * size
    kinds = [row.get("shared_wavefronts_" + kind) for kind in ("ld", "st", "atom")]
    out["shared_by_kind"] = None if None in kinds else sum(map(int, kinds))
    return out


def predicted(result):
    metrics = {name: metric.get("value") for name, metric in result["metrics"].items()}
    for end in ("ld", "st"):  # every load and store is a request, unless others are counted
        metrics.setdefault("requests_" + end, metrics.get("inst_global_" + end))
    # between events, as the tables have it
    out = {"time": result["model"]["time_s"] + result["model"]["launch_gap_s"], "limiter": result["model"]["limiter"]}
    for name, metric, _ in COUNTS:
        value = metrics.get(metric)
        # A count that was added up from shares of blocks is off by rounding.
        out[name] = round(value) if value is not None and abs(value - round(value)) < 1e-4 else value
    for name, _, _ in VOLUMES:
        out[name] = metrics.get(name)
    out["shared_by_kind"] = result["metrics"]["l1_wavefronts"]["parts"].get("shared", 0)
    return out


def run(warpline, table, row, data, extra=(), devices=("h200",)):
    """One launch: {table, family, .., measured, predicted, seconds}; `failed` instead, with the message. `everywhere`
    has the predictions on all devices."""
    program, families = commands.PROGRAMS[table]
    line = commands.command(commands.Launch(row, data), program, families[row["family"]])
    words = [warpline] + shlex.split(line)[1:] + ["--format", "json", *extra]
    for device in devices:
        words += ["--device", device]
    out = {k: row[k] for k in ("row", "family", "variant", "params")}
    out.update(table=table, block="x".join(row["b" + d] for d in "xyz"), measured=measured(row))
    with tempfile.TemporaryFile("w+") as text, tempfile.TemporaryFile("w+") as messages:
        process = subprocess.Popen(words, stdout=text, stderr=messages)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        text.seek(0)
        messages.seek(0)
        if process.returncode:
            out["failed"] = messages.read().strip() or f"exit {process.returncode}"
        else:
            out["everywhere"] = [predicted(p) for p in json.load(text)["predictions"]]
            out["predicted"] = out["everywhere"][0]
        out["seconds"] = usage.ru_utime + usage.ru_stime  # of this process alone: others on the machine do not matter
    return out


def run_all(warpline, jobs, chosen, data):
    """`chosen`: (table, row) or (table, row, further options) each."""
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda c: run(warpline, c[0], c[1], data, *c[2:]), chosen))


def equal(one, name):
    """None: not measured, or not there on either side."""
    got, want = one["predicted"][name], one["measured"][name]
    return None if want is None or (want == 0 and not got) else got == want


def ratio(one, name):
    got, want = one["predicted"][name], one["measured"][name]
    return got / want if want and got is not None else None
