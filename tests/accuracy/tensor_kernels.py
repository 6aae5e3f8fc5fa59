"""Predicts measured launches from PTX and compares counters, clock and time with the ratios that are known.
SPDX-License-Identifier: MIT"""
import csv
import json
import subprocess


def read_rows(path):
    with open(path, encoding="ascii") as file:
        return list(csv.DictReader(file))


def predict(warpline, words, file):
    """The prediction of a launch; a message instead if there is none; None: the file has no such kernel."""
    result = subprocess.run([warpline, *words, file, "--device", "h200", "--format", "json", "--effort", "1"],
                            capture_output=True, text=True, check=False)
    if "no kernel" in result.stderr or "no entry" in result.stderr:
        return None
    if result.returncode != 0:
        return result.stderr.strip()
    return json.loads(result.stdout)["predictions"][0]


def ratios(row, prediction):
    """Predicted / measured, by value."""
    metrics, model = prediction["metrics"], prediction["model"]
    clock = model.get("clock", {}).get("hz", 1.98e9)
    time = model["time_s"] * 1e9 / float(row["ncu_ns"])
    return {"arrived": 32 * metrics["l1_sectors_ld"]["value"] / float(row["l1_bytes_from_l2"]),
            "l2": metrics["l2_load_bytes"]["value"] / (32 * float(row["l2_sectors_rd_tex"])),
            "clock": clock / float(row["clock_hz"]),
            "cycles": time * clock / float(row["clock_hz"]),
            "time": time}


def bounds(row, what, usual, known):
    """known: variant (its start), part of the params, value, least and most ratio, why."""
    for variant, params, value, least_and_most, _ in known:
        if row["variant"].startswith(variant) and params in row["params"] and value == what:
            return least_and_most
    return 1 - usual[what], 1 + usual[what]


def check(row, prediction, usual, known):
    """Messages about one launch."""
    name = f"{row['family']} {row['variant']} {row['params']}"
    if isinstance(prediction, str):
        return [f"{name}: {prediction}"]
    wrong = [f"{name}: incomplete"] if prediction.get("incomplete") else []
    for what, ratio in ratios(row, prediction).items():
        if what not in usual:
            continue
        low, high = bounds(row, what, usual, known)
        if not low <= ratio <= high:
            wrong.append(f"{name}: {what} is {ratio:.3f} of the measured one, not {low:.2f} to {high:.2f}")
    return wrong
