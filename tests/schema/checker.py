"""checker.py - JSON against the schemas of share/schemas, with Python's standard library alone.

Knows the keywords that our schemas use (JSON Schema 2020-12), and refuses a schema with any other: a keyword that is not
understood would check nothing. SPDX-License-Identifier: MIT"""
import json
from pathlib import Path

NOTES = {"$schema", "$id", "$defs", "title", "description"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_type(value, name):
    if name in ("number", "integer"):
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        return not isinstance(value, bool) and (whole if name == "integer" else isinstance(value, (int, float)))
    return isinstance(value, TYPES[name])


class Schemas:
    """All schemas of a folder by file name; `used` collects the members that some text has had."""

    def __init__(self, folder):
        self.files = {path.name: json.loads(path.read_text()) for path in sorted(Path(folder).glob("*.schema.json"))}
        self.used = set()

    def find(self, file, reference):
        name, _, pointer = reference.partition("#")
        file = name or file
        schema = self.files[file]
        for step in pointer.split("/")[1:]:
            schema = schema[step]
        return file, schema

    def errors(self, file, value):
        """What is wrong with `value` by the schema in `file`: a list of texts, empty if nothing is."""
        found = []
        self.check(file, self.files[file], value, "", found)
        return found

    def check(self, file, schema, value, path, found):
        for word in schema:
            if word in NOTES or word in ("additionalProperties", "minItems", "maxItems"):
                continue  # notes, and what other keywords look at
            rule = getattr(self, "check_" + word.lstrip("$"), None)
            if rule is None:
                raise ValueError(f"{file}: the keyword '{word}' is not known to this checker")
            rule(file, schema, value, path, found)
        if "additionalProperties" in schema and isinstance(value, dict):
            self.check_others(file, schema, value, path, found)
        if isinstance(value, list) and not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            found.append(f"{path}: {len(value)} items")

    def check_ref(self, file, schema, value, path, found):
        file, schema = self.find(file, schema["$ref"])
        self.check(file, schema, value, path, found)

    def check_type(self, _, schema, value, path, found):
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if not any(is_type(value, name) for name in names):
            found.append(f"{path}: {json.dumps(value)[:60]} is no {' or '.join(names)}")

    def check_const(self, _, schema, value, path, found):
        if value != schema["const"]:
            found.append(f"{path}: {json.dumps(value)[:60]}, not {schema['const']}")

    def check_enum(self, _, schema, value, path, found):
        if value not in schema["enum"]:
            found.append(f"{path}: {json.dumps(value)[:60]}, not one of {schema['enum']}")

    def check_minimum(self, _, schema, value, path, found):
        if is_type(value, "number") and value < schema["minimum"]:
            found.append(f"{path}: {value} is below {schema['minimum']}")

    def check_maximum(self, _, schema, value, path, found):
        if is_type(value, "number") and value > schema["maximum"]:
            found.append(f"{path}: {value} is above {schema['maximum']}")

    def check_required(self, _, schema, value, path, found):
        for name in schema["required"]:
            if isinstance(value, dict) and name not in value:
                found.append(f"{path}: '{name}' is missing")

    def check_properties(self, file, schema, value, path, found):
        for name, rule in schema["properties"].items():
            if isinstance(value, dict) and name in value:
                self.used.add((id(schema), name))
                self.check(file, rule, value[name], f"{path}.{name}", found)

    def check_items(self, file, schema, value, path, found):
        for i, item in enumerate(value if isinstance(value, list) else []):
            self.check(file, schema["items"], item, f"{path}[{i}]", found)

    def check_others(self, file, schema, value, path, found):
        for name in value.keys() - schema.get("properties", {}).keys():
            if schema["additionalProperties"] is False:
                found.append(f"{path}: '{name}' is not in the schema")
            else:
                self.check(file, schema["additionalProperties"], value[name], f"{path}.{name}", found)

    def check_oneOf(self, file, schema, value, path, found):  # pylint: disable=invalid-name
        fits = 0
        for rule in schema["oneOf"]:
            wrong = []
            self.check(file, rule, value, path, wrong)
            fits += not wrong
        if fits != 1:
            found.append(f"{path}: {json.dumps(value)[:60]} fits {fits} of {len(schema['oneOf'])} schemas, not one")

    def never_used(self):
        """Members of schemas that no text has had, as "FILE: NAME"."""
        out = []

        def walk(file, schema):
            if isinstance(schema, list):
                for item in schema:
                    walk(file, item)
            if not isinstance(schema, dict):
                return
            for name in schema.get("properties", {}):
                if isinstance(schema["properties"], dict) and (id(schema), name) not in self.used:
                    out.append(f"{file}: {name}")
            for value in schema.values():
                walk(file, value)

        for file, schema in self.files.items():
            walk(file, schema)
        return out


def texts_of(text):
    """The JSON texts that follow one another."""
    decoder, at, out = json.JSONDecoder(), 0, []
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        value, at = decoder.raw_decode(text, at)
        out.append(value)
    return out


def file_of(value):
    """The file with the schema that a result of the program names."""
    if isinstance(value, dict) and "schema" in value:
        name, _, version = value["schema"].removeprefix("warpline.").partition("/")
        return f"{name.replace('_', '-')}-{version}.schema.json"
    return "error-1.schema.json"
