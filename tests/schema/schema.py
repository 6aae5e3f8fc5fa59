"""schema.py WARPLINE ROOT - every JSON output against its schema in share/schemas.

Runs the commands of tests/memory/commands.txt (every command and format is there) and of more.txt. Fails where an output
does not follow its schema, a schema has a member that no output had, the source names a schema that has no file,
docs/json.md does not list one, `explain` does not know a name that predictions use, or the checker accepts an output that was broken on purpose.
SPDX-License-Identifier: MIT"""
import copy
import json
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import checker

warpline, root = sys.argv[1], Path(sys.argv[2])
# members that need what a test cannot rely on: a compiler of CUDA
NOT_HERE = {"ptx-1.schema.json: registers", "ptx-1.schema.json: shared_bytes", "ptx-1.schema.json: stack_bytes",
            "ptx-1.schema.json: spill_store_bytes", "ptx-1.schema.json: spill_load_bytes", "tuning-1.schema.json: variants"}
failures = []


def fail(text):
    failures.append(text)


class Table:
    """The files and commands of a table (tests/memory/command_table.h says what its lines mean)."""

    def __init__(self, path):
        self.files, self.commands, lines = {}, [], None
        for line in path.read_text().splitlines():
            kind, _, rest = line.partition(" ")
            if kind == "@":
                lines = self.files.setdefault(rest, [])
            elif kind == ":":
                lines.append(rest)
            elif kind in ("$", "make"):
                self.commands.append((kind, rest.replace("$ROOT", str(root))))


def run(folder, kind, text):
    words = shlex.split(text)
    target = words.pop(0) if kind == "make" else None
    source = subprocess.DEVNULL
    if "<" in words:
        source = open(folder / words[words.index("<") + 1], encoding="utf-8")  # pylint: disable=consider-using-with
        words = words[:words.index("<")]
    result = subprocess.run([warpline, *words], cwd=folder, stdin=source, capture_output=True, text=True, check=False)
    output = result.stdout
    if "--output" in words and "json" in words and not words[0] == "fit":
        output = (folder / words[words.index("--output") + 1]).read_text()
    if result.returncode > 1 and result.returncode != 7:  # 7: a launch that runs out of bounds
        fail(f"{text}: exit {result.returncode}: {result.stderr.strip()}")
    if target:
        (folder / target).write_text(output)
    return output


def writes_json(text):
    words = shlex.split(text)
    batch = "--batch" in words and "predict" in words
    return batch or ("json" in words and words[words.index("json") - 1] == "--format")


def outputs():
    """All JSON results, each with its command."""
    found = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "out").mkdir()
        (folder / "star3d_packed.yaml").write_text((root / "tests/cli/data/packed.yaml").read_text())
        tables = [Table(root / "tests/memory/commands.txt"), Table(root / "tests/schema/more.txt")]
        for table in tables:
            for file, lines in table.files.items():
                (folder / file).write_text("".join(line + "\n" for line in lines).replace("$ROOT", str(root)))
        for kind, text in tables[0].commands + tables[1].commands:
            if kind == "make" or writes_json(text):
                output = run(folder, kind, text)
                if writes_json(text):
                    found += [(text, value) for value in checker.texts_of(output)]
        for file in ("batch.jsonl", "launches.jsonl"):
            found += [("launch", json.loads(line)) for line in (folder / file).read_text().splitlines()]
    stored = (root / "tests/cli/data/predict_1.jsonl").read_text()
    return found + [("predict/1", value) for value in checker.texts_of(stored)]


def schema_of(command, value):
    return "launch-1.schema.json" if command == "launch" else checker.file_of(value)


def broken(value):
    """Copies of a result with one mistake each: a member gone, one too many, one of another type."""
    for name in value:
        copied = copy.deepcopy(value)
        del copied[name]
        yield f"without {name}", copied
        copied = copy.deepcopy(value)
        copied[name] = {"not": "this"} if not isinstance(value[name], dict) else 3
        yield f"{name} of another type", copied
    yield "with one more", {**value, "one more": 1}


def check_checker(schemas, file, value):
    """Mistakes must be seen; a member may be gone where it is not required."""
    schema = schemas.files[file]
    if "$ref" in schema:
        return
    for what, copied in broken(value):
        optional = what.startswith("without ") and what[8:] not in schema.get("required", [])
        free = schema.get("additionalProperties", True) is not False and what[8:] not in schema["properties"]
        of_free = free and not what.startswith("schema")
        if not schemas.errors(file, copied) and not optional and not of_free:
            fail(f"{file}: the checker accepts an output {what}")


def check_names(schemas):
    documented = (root / "docs/json.md").read_text()
    for file, schema in schemas.files.items():
        if schema.get("$id") != file:
            fail(f"{file}: $id is {schema.get('$id')}")
        if f"share/schemas/{file}" not in documented:
            fail(f"docs/json.md does not name {file}")
    for path in sorted((root / "src").rglob("*.c")):
        for name, version in re.findall(r'"warpline\.([a-z_]+)/([0-9])"', path.read_text()):
            if f"{name.replace('_', '-')}-{version}.schema.json" not in schemas.files:
                fail(f"{path.name} writes warpline.{name}/{version}, which has no schema")


# words that everyone knows
PLAIN = {"schema", "predictions", "value", "unit", "name", "file", "access", "kind", "basis", "measured", "low", "high",
         "count", "decides", "last", "all", "sorted", "predicted", "interrupted", "error_basis", "notes", "within",
         "probability", "reason", "cannot_run", "condition", "left_out", "benchmark", "launches", "spaces"}


def members(schema, found):
    if isinstance(schema, dict):
        found.update(schema.get("properties", {}))
        for value in schema.values():
            members(value, found)
    elif isinstance(schema, list):
        for value in schema:
            members(value, found)


def names_in(prediction):
    """What a prediction calls its metrics, parts, bounds, waits, classes and estimators."""
    model = prediction["model"]
    found = {model["name"], model["limiter"], model["next_limiter"], prediction["occupancy"]["limiter"]}
    found.update(prediction["metrics"], model["bounds_s"], model.get("waits", {}), prediction["derived"])
    # a list is one of names that the kernel gives its fields
    found.update((name for name in prediction["estimators"].values() if isinstance(name, str)), prediction["reuse"])
    for metric in prediction["metrics"].values():
        found.update(metric["parts"])
    mix = prediction.get("instructions", {})
    return found | set(mix.get("classes", {})) | set(mix.get("tensor", {}))


def check_explained(schemas, results):
    """'warpline explain' must know every name of a prediction, a ranking and a stack."""
    words = set()
    for file in ("predict-2.schema.json", "prediction-2.schema.json", "rank-1.schema.json"):
        members(schemas.files[file], words)
    for value in results:
        for prediction in value.get("predictions", []):
            words |= names_in(prediction)
        if value.get("schema") == "warpline.stack/1":
            words.update(*(model["parts"] for model in value["models"]))
        if value.get("schema") == "warpline.roofline/1":
            words.update(*(launch["tallies"] for launch in value["launches"]))
    for word in sorted(words - PLAIN):
        result = subprocess.run([warpline, "explain", word], capture_output=True, text=True, check=False)
        if result.returncode:
            fail(f"explain does not know '{word}'")


def main():
    schemas = checker.Schemas(root / "share/schemas")
    check_names(schemas)
    checked, found = {}, outputs()
    check_explained(schemas, [value for command, value in found if isinstance(value, dict)])
    for command, value in found:
        file = schema_of(command, value)
        if file not in schemas.files:
            fail(f"{command}: there is no {file}")
            continue
        for error in schemas.errors(file, value)[:3]:
            fail(f"{command}: {file}{error}")
        checked.setdefault(file, value)
    for file in schemas.files.keys() - checked.keys():
        fail(f"{file}: no output was checked")
    unused = set(schemas.never_used()) - NOT_HERE
    for name in sorted(unused):
        fail(f"{name}: no output had this member")
    for file, value in checked.items():
        check_checker(schemas, file, value)
    for failure in failures:
        print(failure)
    if failures:
        sys.exit(1)
    print(f"{len(checked)} schemas")


main()
