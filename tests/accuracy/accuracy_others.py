#!/usr/bin/env python3
"""accuracy_others.py WARPLINE - SOURCE_ROOT DIRECTORY

Compares what others have published of other GPUs (the tested rows of validate/others/list.csv) with predictions and fails
when an error is worse than in validate/accuracy_others.json by more than a tenth and 0.2 percentage points, or tau or pick
lose more than a tenth of what they lack to 1 and 0.01, or launches are lost. WARPLINE_TEST_EFFORT=quick: every third table.
SPDX-License-Identifier: MIT
"""
import json
import os
import sys

TENTH, POINTS, PLACES = 1.1, 0.2, 0.01
ORDER = ("tau", "pick")


def worse(name, before, now):
    if name == "launches":
        return before != now
    if name in ORDER:
        return 1 - now > TENTH * (1 - before) + PLACES
    return now > TENTH * before + POINTS


def main():
    warpline, _, root, directory = sys.argv[1:]
    entries = [entry for entry in others_report.tables() if entry["tested"] == "yes"]
    entries = entries[1::3] if os.environ.get("WARPLINE_TEST_EFFORT") == "quick" else entries
    found = {(n["device"], n["title"], n["group"]): n for n in others_report.measure(warpline, entries, directory)[2]}
    with open(os.path.join(root, "validate", "accuracy_others.json")) as file:
        before = json.load(file)["groups"]
    titles = {(entry["device"], entry["title"]) for entry in entries}
    failures = []
    for group in (g for g in before if (g["device"], g["title"]) in titles):
        now = found.get((group["device"], group["title"], group["group"]), {})
        for name, value in group.items():
            if not isinstance(value, str) and (name not in now or worse(name, value, now[name])):
                failures.append(f"{group['device']}, {group['title']}, {group['group']}: {name} was {value}, is {now.get(name)}")
    print("\n".join(failures))
    print(f"{len(found)} groups of {len(entries)} tables")
    return 1 if failures or not found else 0


if __name__ == "__main__":
    sys.path.insert(0, os.path.join(sys.argv[3], "validate", "others"))
    import others_report
    sys.exit(main())
