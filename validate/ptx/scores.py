"""How far launches predicted from PTX (launches.py) are from what was measured, family by family, and as text.
SPDX-License-Identifier: MIT"""
import math
import os
import statistics
import sys

import commands
import launches

SHORT = 20e-6  # s; shorter launches mostly measure the launch itself
RESIDENT = 48e6  # bytes; smaller volumes stay in the L2 at the end of a launch
FAR = 0.30  # an error of time that wants a reason

EXACT = ["loads", "stores", "load_requests", "store_requests", "sectors_loaded", "sectors_stored", "shared_wavefronts"]
RATIOS = ["instructions", "thread_instructions"]
ERRORS = ["l1_wavefronts", "l2_load_bytes", "l2_store_bytes", "dram_load_bytes"]


def by_family(results):
    out = {}
    for one in results:
        out.setdefault((one["table"], one["family"]), []).append(one)
    return out


def error(one, name):
    value = launches.ratio(one, name)
    if value is None or (name.startswith("dram") and one["measured"][name] < RESIDENT):
        return None
    return value - 1


def known(values):
    return [v for v in values if v is not None]


def spread(values):
    return {"least": min(values), "most": max(values)} if values else None


def numbers_of(rows):
    """What the section says about a family."""
    rows = [r for r in rows if "predicted" in r]
    out = {"rows": len(rows), "exact": {}, "of": {}, "ratio": {}, "mean_error": {}}
    for name in EXACT:
        same = known(launches.equal(r, name) for r in rows)
        out["exact"][name], out["of"][name] = sum(same), len(same)
    for name in EXACT + RATIOS:
        out["ratio"][name] = spread(known(launches.ratio(r, name) for r in rows))
    for name in ERRORS:
        errors = known(error(r, name) for r in rows)
        out["mean_error"][name] = statistics.mean(map(abs, errors)) if errors else None
    long = [error(r, "time") for r in rows if r["measured"]["time"] >= SHORT]
    short = [error(r, "time") for r in rows if r["measured"]["time"] < SHORT]
    out["time"] = {"rows": len(long), "short_rows": len(short),
                   "mean": statistics.mean(map(abs, long)) if long else None,
                   "median": statistics.median(map(abs, long)) if long else None,
                   "worst": max(long, key=abs) if long else None,
                   "short_mean": statistics.mean(short) if short else None}
    return out


# ---- text ----

def percent(value, sign=False):
    return "-" if value is None else f"{100 * value:{'+' if sign else ''}.{1 if abs(value) < 0.0995 else 0}f}"


def number(value):
    """With as many digits as tell it from 1."""
    digits = 0 if value == 1 else min(7, max(2, 1 + math.ceil(-math.log10(abs(value - 1)))))
    return f"{value:.{digits}f}"


def range_text(spread_, text):
    if not spread_:
        return "-"
    least, most = text(spread_["least"]), text(spread_["most"])
    return least if least == most else f"{least} to {most}"


def exact_text(n, names):
    of = sum(n["of"][name] for name in names)
    if not of:
        return "-"
    same = sum(n["exact"][name] for name in names)
    if same == of:
        return "all"
    ratios = known(n["ratio"][name] for name in names)
    both = {"least": min(r["least"] for r in ratios), "most": max(r["most"] for r in ratios)} if ratios else None
    return f"{same} of {of}" + (f": {range_text(both, number)}" if both else "")


def not_predicted(rows):
    failed = [r for r in rows if "failed" in r]
    if failed:
        yield from ("", "### Not predicted", "")
    for r in failed:
        yield f"- {r['family']} {r['variant']} {r['params']} {r['block']}: {r['failed']}"


def label(key, families):
    table, family = key
    return f"{family} ({table})" if sum(f == family for _, f in families) > 1 else family


def table_of(heads, rows):
    yield "| " + " | ".join(heads) + " |"
    yield "|" + "---|" * len(heads)
    for cells in rows:
        yield "| " + " | ".join(cells) + " |"


COUNT_HEADS = ["family", "launches", "loads", "stores", "requests", "sectors loaded", "sectors stored",
               "shared wavefronts", "instructions", "of threads"]
COUNT_NAMES = [["loads"], ["stores"], ["load_requests", "store_requests"], ["sectors_loaded"], ["sectors_stored"],
               ["shared_wavefronts"]]


def counts_rows(numbers):
    for key, n in numbers.items():
        ratios = [range_text(n["ratio"][name], "{:.2f}".format) for name in RATIOS]
        yield [label(key, numbers), str(n["rows"]), *(exact_text(n, names) for names in COUNT_NAMES), *ratios]


def explanations():
    """Of explanations.yaml: `key: text`, the text on the same line or indented below."""
    out, key = {}, None
    with open(os.path.join(commands.HERE, "explanations.yaml")) as file:
        for line in file:
            if line.startswith("#") or not line.strip():
                continue
            if not line.startswith(" "):
                key, line = line.split(":", 1)
                out[key] = ""
            out[key] = (out[key] + " " + line.strip().removeprefix(">-")).strip()
    return out


def wants_reason(n):
    inexact = any(n["exact"][name] < n["of"][name] for name in EXACT)
    return inexact or (n["time"]["worst"] is not None and abs(n["time"]["worst"]) > FAR)


def reasons(numbers):
    texts = explanations()
    used = set()
    for key, n in numbers.items():
        name = "/".join(key) if "/".join(key) in texts else key[1]
        if name in texts and name not in used:
            used.add(name)
            yield f"- **{label(key, numbers) if '/' in name else key[1]}**: {texts[name]}"
        elif name not in texts and wants_reason(n):
            print(f"report.py: no word in explanations.yaml on {'/'.join(key)}", file=sys.stderr)
            yield f"- **{label(key, numbers)}**: the cause is not known."
