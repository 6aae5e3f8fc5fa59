"""Predicts measured launches from PTX and compares values with the ratios, predicted / measured, that are known.
SPDX-License-Identifier: MIT"""
import csv
import json
import os
import subprocess
import sys


def read_rows(path):
    with open(path, encoding="ascii") as file:
        return list(csv.DictReader(file))


def predict(warpline, words, file, effort):
    """The prediction of a launch; a message instead if there is none; None: the file has no such kernel."""
    result = subprocess.run([warpline, *words, file, "--device", "h200", "--format", "json", "--effort", effort],
                            capture_output=True, text=True, check=False)
    if "no kernel" in result.stderr or "no entry" in result.stderr:
        return None
    if result.returncode != 0:
        return result.stderr.strip()
    return json.loads(result.stdout)["predictions"][0]


def tensor_ratios(row, prediction):
    """Of a kernel that copies tiles and multiplies them, by value."""
    metrics, model = prediction["metrics"], prediction["model"]
    clock = model.get("clock", {}).get("hz", 1.98e9)
    time = model["time_s"] * 1e9 / float(row["ncu_ns"])
    return {"arrived": 32 * metrics["l1_sectors_ld"]["value"] / float(row["l1_bytes_from_l2"]),
            "l2": metrics["l2_load_bytes"]["value"] / (32 * float(row["l2_sectors_rd_tex"])),
            "clock": clock / float(row["clock_hz"]),
            "time": time}


def bounds(row, what, usual, known):
    """known: variant, or its start with *; part of the params; value; least and most ratio; why it is off."""
    for variant, params, value, least_and_most, _ in known:
        same = row["variant"].startswith(variant[:-1]) if variant.endswith("*") else row["variant"] == variant
        if same and params in row["params"] and value == what:
            return least_and_most
    return 1 - usual[what], 1 + usual[what]


def check(row, prediction, found, usual, known):
    """Messages about one launch; `found`: its ratios."""
    name = f"{row['family']} {row['variant']} {row['params']}"
    if isinstance(prediction, str):
        return [f"{name}: {prediction}"]
    wrong = [f"{name}: incomplete"] if prediction.get("incomplete") else []
    for what, ratio in found(row, prediction).items():
        low, high = bounds(row, what, usual, known)
        if not low <= ratio <= high:
            wrong.append(f"{name}: {what} is {ratio:.3f} of the measured one, not {low:.2f} to {high:.2f}")
    return wrong


class Checker:
    """Checks the launches of tables, and ends the test."""

    def __init__(self, arguments):
        self.warpline, self.root = arguments[1], arguments[3]
        self.messages, self.count, self.asked = [], 0, 0
        self.every = 10 if os.environ.get("WARPLINE_TEST_EFFORT") == "quick" else 1
        sys.path.insert(0, os.path.join(self.root, "validate", "ptx"))
        sys.path.insert(0, os.path.join(self.root, "validate", "triton"))

    def table(self, name):
        return read_rows(os.path.join(self.root, "validate", "probes", name))

    def path(self, *parts):
        return os.path.join(self.root, "validate", *parts)

    def launch(self, row, words, file, effort, found, usual, known):  # pylint: disable=too-many-arguments
        self.asked += 1
        prediction = predict(self.warpline, words, file, effort) if self.asked % self.every == 0 else None
        if prediction is not None:
            self.count += 1
            self.messages += check(row, prediction, found, usual, known)

    def end(self, least):
        """`least`: so many launches there are at least; a tenth of them in a quick test."""
        print("\n".join(self.messages))
        print(f"{self.count} launches, {len(self.messages)} messages")
        sys.exit(1 if self.messages or self.count < least // self.every else 0)
