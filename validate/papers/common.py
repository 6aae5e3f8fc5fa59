"""What the papers have in common: published numbers, commands and their answers, figures as
Markdown.

A paper is a module with a `PAPER` and functions decorated by `PAPER.figure(..)`. Each function gets
a Figure, runs commands with it, and adds rows: `number` (a published number and ours), `claim`
(what the paper says in words, and whether it holds here), `points` (many published numbers at
once). Differences are computed here; a row that is more than FAR off, or a claim that does not
hold, needs a reason (`why`), or the generator stops.
SPDX-License-Identifier: MIT"""

import csv
import json
import os
import re
import shlex
import statistics
import subprocess
import sys
import textwrap
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.dirname(HERE))
from tau import tau  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(HERE))
PUBLISHED = os.path.join(ROOT, "validate", "published")
COLUMNS = 100
FAR = 0.10
KINDS = ("table", "quoted", "stated")


def die(text):
    sys.exit("papers.py: " + text)


def read_csv(name):
    with open(os.path.join(PUBLISHED, name), newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def digits(value):
    """Four digits, as a person writes them."""
    if isinstance(value, str):
        return value
    if value == 0 or 1e-3 <= abs(value) < 1e6:
        text = f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"
        return text
    return f"{value:.3e}"


def with_unit(value, unit):
    return digits(value) + (" " + unit if unit and not isinstance(value, str) else "")


def cell(text):
    return str(text).replace("|", "\\|")


def table(heads, rows):
    return "\n".join(
        [
            "| " + " | ".join(cell(h) for h in heads) + " |",
            "|" + "---|" * len(heads),
            *("| " + " | ".join(cell(c) for c in row) + " |" for row in rows),
        ]
    )


def wrapped(text, bullet=""):
    return textwrap.fill(
        bullet + " ".join(text.split()),
        COLUMNS,
        break_long_words=False,
        break_on_hyphens=False,
        subsequent_indent=" " * len(bullet),
    )


def lines_of(command):
    """A command in lines; an option and its value stay together."""
    parts = re.findall(r"--\S+(?: '[^']*'| (?!--)\S+)?|'[^']*'|\S+", command)
    lines = [parts[0]]
    for part in parts[1:]:
        if len(lines[-1]) + 1 + len(part) <= COLUMNS - (2 if len(lines) == 1 else 4):
            lines[-1] += " " + part
        else:
            lines.append(part)
    return lines


def anchor(heading):
    """As check-docs.sh and GitHub make them."""
    return "".join(c for c in heading.lower().replace(" ", "-") if c.isascii() and (c.isalnum() or c in "-_"))


class Tool:
    """Runs commands of the page; equal ones once."""

    def __init__(self, warpline):
        self.warpline = os.path.abspath(warpline)
        self.lock = threading.Lock()
        self.answers = {}
        self.locks = {}

    def run(self, command, more=()):
        """Standard output of a command as the page shows it, `warpline ...`, in the root of the
        repository."""
        key = (command, tuple(more))
        with self.lock:
            lock = self.locks.setdefault(key, threading.Lock())
        with lock:
            if key not in self.answers:
                words = shlex.split(command)
                if words[0] == "warpline":
                    words[0] = self.warpline
                else:
                    words[0] = os.path.join(ROOT, words[0])
                done = subprocess.run(
                    words + list(more),
                    cwd=ROOT,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                    env={**os.environ, "LC_ALL": "C", "COLUMNS": "100"},
                )
                if done.returncode:
                    die(
                        f"{' '.join(words + list(more))}: exit code"
                        f" {done.returncode}\n{done.stderr}{done.stdout[-2000:]}"
                    )
                self.answers[key] = done.stdout
            return self.answers[key]


class Paper:
    def __init__(self, short, title, table_name, headline, cite, about):
        """`headline`: the figure and quantity that stand for the paper."""
        self.short, self.title, self.table_name, self.cite, self.about = short, title, table_name, cite, about
        self.headline = headline
        self.figures = []
        self.rows = read_csv(table_name)
        seen = set()
        for line, row in enumerate(self.rows, 2):
            where = f"{table_name}:{line}: "
            if row["kind"] not in KINDS or not row["place"] or not row["words"]:
                die(where + "a row needs a kind (" + ", ".join(KINDS) + "), a place and words")
            if (row["value"] == "") != (row["kind"] == "stated"):
                die(where + "a number has a value, what is stated has none")
            if (row["figure"], row["quantity"]) in seen:
                die(where + "the same quantity twice")
            seen.add((row["figure"], row["quantity"]))

    def figure(self, name, shows, head=None, sample=False, inputs=False):
        """`name` as the table of published numbers has it: "12", "table 1", "section 5.2"; `head`:
        the quantity that the overview shows, the first if none; `sample`: quick, and no number of
        it comes from the time model, so that the test computes it again; `inputs`: most of its
        numbers are what our files say because the paper does."""

        def add(function):
            self.figures.append(Figure(self, name, shows, head, sample, inputs, function))
            return function

        return add


class Figure:
    def __init__(self, paper, name, shows, head, sample, inputs, function):
        self.paper, self.name, self.shows, self.head = paper, name, shows, head
        self.sample, self.inputs, self.function = sample, inputs, function
        kind = "" if name[0].isalpha() else "Figure "
        self.label = kind + name[0].upper() + name[1:]
        self.heading = f"{paper.short}, {self.label[0].lower() + self.label[1:]}: {shows}"
        self.published = {row["quantity"]: row for row in paper.rows if row["figure"] == name}

    def start(self, tool, pictures):
        self.tool, self.pictures = tool, pictures
        self.commands, self.parts, self.results, self.used, self.reasons = [], [], [], set(), {}
        self.drawn, self.others, self.far = [], [], 0

    # ---- commands ----
    def show(self, command):
        """A command that the page shows."""
        if command not in self.commands:
            self.commands.append(command)

    def headline(self):
        """The row for the overview."""
        return self.row(self.head) or self.results[0]

    def row(self, quantity):
        return next((row for row in self.results if row[0] == quantity), None)

    def text(self, command, shown=True):
        if shown:
            self.show(command)
        return self.tool.run(command)

    def json(self, command, shown=True):
        """What a command answers with --format json; the page shows it without."""
        if shown:
            self.show(command)
        return json.loads(self.tool.run(command, ("--format", "json")))

    def predictions(self, command, shown=True):
        return self.json(command, shown)["predictions"]

    def csv(self, command, shown=True):
        if shown:
            self.show(command)
        return list(csv.DictReader(self.tool.run(command, ("--format", "csv")).splitlines()))

    def device(self, name, shown=True):
        """Numbers of a device: a function of the key."""
        numbers = self.json(f"warpline devices show {name}", shown)
        return lambda key: numbers[key]["value"][0]

    # ---- rows ----
    def row_of(self, quantity):
        if quantity not in self.published:
            die(f'{self.paper.table_name} has no row "{quantity}" of {self.name}')
        self.used.add(quantity)
        return self.published[quantity]

    def value(self, quantity):
        """A published number that goes into others."""
        return float(self.row_of(quantity)["value"])

    def add(self, quantity, published, ours, difference, size, why):
        if size > FAR and not why:
            die(f'{self.heading}: "{quantity}" is off ({difference}, ours: {ours}): it needs a reason')
        if size > FAR:
            self.far += 1
            self.reasons.setdefault(why, []).append(quantity)
        self.results.append((quantity, published, ours, difference))

    def number(self, quantity, ours, why="", published=None, place=None):
        """Ours beside a published number, or beside one that the paper's equations give:
        `published`, by `place`."""
        if published is None:
            row = self.row_of(quantity)
            published, unit, text = float(row["value"]), row["unit"], row["value"]
        else:
            unit, text = "", digits(published)
        if published:
            size = abs(ours / published - 1)
            difference = "the same" if size < 5e-4 else f"{100 * (ours / published - 1):+.1f} %"
        else:
            size = abs(ours)
            difference = "the same" if size < 1e-9 else f"{ours:+.3g}"
        self.add(
            quantity,
            text + (" " + unit if unit else "") + (f" ({place})" if place else ""),
            with_unit(ours, unit),
            difference,
            size,
            why,
        )

    def claim(self, quantity, holds, ours, why=""):
        """What the paper states, and whether it holds here."""
        self.row_of(quantity)
        self.add(quantity, "stated", ours, "holds" if holds else "does not hold", 0 if holds else 1, why)

    def unknown(self, quantity, why):
        """A published number that has no counterpart here."""
        row = self.row_of(quantity)
        self.add(
            quantity, row["value"] + (" " + row["unit"] if row["unit"] else ""), "not known", "-", 1, why
        )

    def points(self, quantity, pairs, why="", published=None):
        """Many published numbers at once: (published, ours)."""
        errors = [abs(ours / theirs - 1) for theirs, ours in pairs]
        mean = statistics.mean(errors)
        bias = statistics.mean(ours / theirs - 1 for theirs, ours in pairs)
        self.add(
            quantity,
            published or f"{len(pairs)} numbers",
            f"tau {tau(pairs) or 0.0:.2f}",
            f"{100 * mean:.1f} % on average, {100 * bias:+.1f} % with sign",
            mean,
            why,
        )
        return mean

    # ---- the rest of a section ----
    def say(self, text):
        self.parts.append(wrapped(text))

    def listing(self, heads, rows):
        self.parts.append(table(heads, rows))

    def draw(self, name, alt):
        """The path of a picture that the caller writes."""
        self.drawn.append((name, alt))
        return os.path.join(self.pictures, name)

    def plot(self, command, name, alt):
        """A picture that the tool itself draws: `command` with --plot."""
        drawing = f"{command} --plot {name}"
        self.commands = [drawing if shown == command else shown for shown in self.commands]
        self.show(drawing)
        self.tool.run(command, ("--plot", self.draw(name, alt)))
        beside = os.path.join(self.pictures, os.path.splitext(name)[0] + ".csv")
        if os.path.exists(beside):  # a roofline's numbers
            os.remove(beside)

    def existing(self, name, alt):
        """A picture that docs/plots has already."""
        self.others.append((name, alt))

    def finish(self):
        for quantity in self.published:
            if quantity not in self.used:
                die(f'{self.paper.table_name}: "{quantity}" of {self.name} is not used')
        if not self.results or self.head not in (None, *(row[0] for row in self.results)):
            die(f"{self.heading}: no row, or none that is its headline")

    def markdown(self):
        out = ["### " + self.heading]
        if self.commands:
            shown = []
            for command in self.commands:
                shown.append(" \\\n  ".join(lines_of(command)))
            out.append("```\n" + "\n".join(shown) + "\n```")
        out.append(table(["", "published", "ours", "difference"], self.results))
        if self.reasons:
            out.append(
                "\n".join(wrapped(f"*{'; '.join(q)}*: {why}.", "- ") for why, q in self.reasons.items())
            )
        out += self.parts
        out += [f"![{alt}](papers/{name})" for name, alt in self.drawn]
        out += [f"![{alt}](plots/{name})" for name, alt in self.others]
        return "\n\n".join(out)
