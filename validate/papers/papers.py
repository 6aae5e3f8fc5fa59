#!/usr/bin/env python3
"""papers.py WARPLINE [--simulator PROGRAM] [--jobs N] [--only NAME] [--out FILE] [--pictures
FOLDER] | --check

Figures and tables of five papers, published and predicted: docs/papers.md and its pictures in
docs/papers. `make papers` starts it. PROGRAM is tests/test_against_simulator of the build, for
figure 3 of the letter. --only NAME prints the figures whose heading contains NAME. --check
(seconds; the test `papers`) compares the page (FILE) with the tables of published numbers, computes
figures again that no change of the time model moves, and runs a sample of the page's commands.
SPDX-License-Identifier: MIT"""

import argparse
import concurrent.futures
import os
import re
import sys
import tempfile

from common import ROOT, Tool, anchor, die, table, wrapped
import column_iteration
import divergence
import instruction_roofline
import slides
import warpspeed

PAPERS = [module.PAPER for module in (warpspeed, instruction_roofline, column_iteration, slides, divergence)]
PAGE = os.path.join(ROOT, "docs", "papers.md")
PICTURES = os.path.join(ROOT, "docs", "papers")
SAMPLE_EVERY = 6  # of the quick commands of the page, those that the test runs
SLOW = (
    "rtx2080s_columns",
    "roofline.sm_90.ptx",
    "smoother",
    "test_against_simulator",
)  # parts of commands that take long

INTRO = """# Five papers, figure by figure

*Written by `make papers` (validate/papers): not to be edited.*

What five papers publish, beside what Warpline computes today: {count} figures and tables. Each section has the commands that
give our numbers (run them in the root of the repository; pictures are drawn from the same commands with `--format json`), the
published numbers with ours and the difference, and the reason where the difference is more than 10 %. Published numbers are
typed in from the papers' text, with section and words, in `validate/published/paper_*.csv`. Where a figure is only a picture,
its points are not here: compared is what the text says about it, as a number or as a statement that holds or does not. Kernels
from PTX have the registers and the machine code of ptxas 13.0; without ptxas, their instructions differ by some percent."""


def compute(figures, tool, pictures, jobs):
    def one(figure):
        figure.start(tool, pictures)
        figure.function(figure)
        figure.finish()

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for done in [pool.submit(one, figure) for figure in figures]:
            done.result()


def link(figure):
    return f"[{figure.paper.short}, {figure.label[0].lower() + figure.label[1:]}](#{anchor(figure.heading)})"


def headlines():
    rows = []
    for paper in PAPERS:
        figure = next(figure for figure in paper.figures if figure.name == paper.headline[0])
        quantity, published, ours, difference = figure.row(paper.headline[1])
        rows.append([link(figure), f"{quantity}: {published}", ours, difference])
    return table(["", "published", "ours", "difference"], rows)


def overview(figures):
    rows = []
    for figure in figures:
        quantity, published, ours, difference = figure.headline()
        said = f"{quantity} (stated)" if published == "stated" else f"{quantity}: {published}"
        count = len(figure.results)
        rows.append([link(figure), said, ours, difference, f"{count - figure.far} of {count}"])
    return table(["", "published", "ours", "difference", "near"], rows)


def summary(figures):
    """How many numbers are how far off."""
    rows = [(figure, row) for figure in figures if not figure.inputs for row in figure.results]
    stated = [row[3] for _, row in rows if row[1] == "stated"]
    near = sum(len(figure.results) - figure.far for figure in figures if not figure.inputs)
    near -= stated.count("holds")
    numbers = len(rows) - len(stated)
    inputs = [
        f"{figure.paper.short}, {figure.label[0].lower() + figure.label[1:]}"
        for figure in figures
        if figure.inputs
    ]
    return wrapped(
        f"Of {numbers} numbers and series of numbers, {near} are within 10 % of what is published; of"
        f" {len(stated)} statements, {stated.count('holds')} hold. Not counted are {len(inputs)} tables and"
        f" figures whose numbers our device files or commands have from the paper ({'; '.join(inputs)}). In"
        " the table: the headline of each figure, and how many of its rows are near, which is within 10 %,"
        " or hold."
    )


def page(figures):
    parts = [INTRO.replace("{count}", str(len(figures)))]
    parts = ["\n\n".join(p if p.startswith("#") else wrapped(p) for p in parts[0].split("\n\n"))]
    parts += ["## Headlines", headlines(), "## Overview", summary(figures), overview(figures)]
    for paper in PAPERS:
        parts += [f"## {paper.title}", wrapped(f"{paper.cite}. {paper.about}")]
        parts += [figure.markdown() for figure in paper.figures]
    return "\n\n".join(parts) + "\n"


def sections(text):
    """The page by heading."""
    parts = [re.split(r"^## ", part, flags=re.M)[0] for part in re.split(r"^### ", text, flags=re.M)[1:]]
    return {part.split("\n", 1)[0]: part.split("\n", 1)[1].strip() for part in parts}


def commands_of(text):
    out = []
    for fence in re.findall(r"^```\n(.*?)^```", text, flags=re.M | re.S):
        out += [line for line in re.sub(r" \\\n  ", " ", fence).splitlines() if line]
    return out


def check(tool, page_file, jobs):
    with open(page_file, encoding="utf-8") as file:
        text = file.read()
    found = sections(text)
    faults = []
    figures = [figure for paper in PAPERS for figure in paper.figures]
    for paper in PAPERS:
        names = [figure.name for figure in paper.figures]
        faults += [
            f"{paper.table_name}: no figure \"{row['figure']}\""
            for row in paper.rows
            if row["figure"] not in names
        ]
    for figure in figures:
        section = found.pop(figure.heading, None)
        if section is None:
            faults.append(f'docs/papers.md has no section "{figure.heading}"')
            continue
        for row in figure.published.values():
            line = f"| {row['quantity']} | {row['value'] or 'stated'}"
            if line not in section:
                faults.append(f'docs/papers.md, {figure.heading}: no row "{line}"')
    faults += [f"docs/papers.md: a section that no figure writes: {heading}" for heading in found]
    shown = set(re.findall(r"\]\(papers/([^)]+)\)", text))
    there = set(os.listdir(PICTURES)) if os.path.isdir(PICTURES) else set()
    faults += [f"docs/papers: {name} is missing" for name in sorted(shown - there)]
    faults += [f"docs/papers: no section shows {name}" for name in sorted(there - shown)]
    if faults:
        print("\n".join(faults))
        return 1
    with tempfile.TemporaryDirectory() as folder:
        sample = [figure for figure in figures if figure.sample]
        compute(sample, tool, folder, jobs)
        found = sections(text)
        for figure in sample:
            if figure.markdown().split("\n", 1)[1].strip() != found[figure.heading]:
                faults.append(
                    f"docs/papers.md, {figure.heading}: computed again, it is another (make papers)"
                )
    commands = [
        c
        for c in dict.fromkeys(commands_of(text))
        if not any(word in c for word in SLOW) and "--plot" not in c
    ]
    for command in commands[::SAMPLE_EVERY]:
        tool.run(command)
    print(
        f"papers: {len(figures)} figures and tables, {len(sample)} computed again,"
        f" {len(commands[::SAMPLE_EVERY])} commands run"
    )
    for fault in faults:
        print(fault)
    return 1 if faults or not commands else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("warpline")
    parser.add_argument("--simulator")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only")
    parser.add_argument("--out", default=PAGE)
    parser.add_argument("--pictures", default=PICTURES)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    tool = Tool(options.warpline)
    if options.check:
        sys.exit(check(tool, options.out, options.jobs))
    if options.simulator:
        divergence.SIMULATOR = options.simulator
    figures = [figure for paper in PAPERS for figure in paper.figures]
    if options.only:
        figures = [figure for figure in figures if options.only.lower() in figure.heading.lower()]
    os.makedirs(options.pictures, exist_ok=True)
    compute(figures, tool, options.pictures, options.jobs)
    if options.only:
        print("\n\n".join(figure.markdown() for figure in figures))
        return
    drawn = {name for figure in figures for name, _ in figure.drawn}
    for name in os.listdir(options.pictures):
        if name not in drawn:
            os.remove(os.path.join(options.pictures, name))
    with open(options.out, "w", encoding="utf-8", newline="\n") as file:
        file.write(page(figures))
    if len(figures) < 40:
        die("fewer than 40 figures and tables")
    print(
        f"wrote {os.path.relpath(options.out, ROOT)}: {len(figures)} figures and tables, {len(drawn)}"
        " pictures"
    )


if __name__ == "__main__":
    main()
