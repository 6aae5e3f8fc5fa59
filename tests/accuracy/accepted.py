#!/usr/bin/env python3
"""accepted.py WARPLINE UNUSED SOURCE_ROOT DIRECTORY [--ptxas]

What ptxas accepts is read: every case of tests/ptx/accepted.txt becomes a module, which must be predicted, or refused
for a reason that is none of its text (exit code 4). With --ptxas (of CUDA 13), every case is also assembled, which
tells a table that is wrong from a reader that is. SPDX-License-Identifier: MIT
"""
import os
import re
import subprocess
import sys

MODULE = """.version {version}
.target {target}
.address_size 64
{before}
.visible .entry k(.param .u64 a, .param .u64 b)
{{
    .reg .pred %p<8>;
    .reg .b16 %h<16>;
    .reg .b32 %r<32>;
    .reg .b64 %rd<16>;
    .reg .b128 %q<4>;
    .reg .f32 %f<16>;
    .reg .f64 %d<16>;
    .shared .align 128 .b8 s[4096];
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    cvta.to.global.u64 %rd1, %rd1;
    cvta.to.global.u64 %rd2, %rd2;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, s;
    mov.u32 %r3, 3;
    mul.wide.u32 %rd3, %r1, 16;
    add.s64 %rd3, %rd1, %rd3;
    mul.wide.u32 %rd8, %r1, 32;
    add.s64 %rd8, %rd1, %rd8;
{body}
    ret;
}}
{after}
"""
ARGUMENTS = ["--block", "128", "--grid", "2", "--registers", "64", "--arg", "buf:64KiB=zero", "--arg", "buf:64KiB=zero",
             "--device", "h200", "--no-ptxas", "--emulate", "100000"]


def read(path):
    """Names, targets and lines of the cases."""
    cases = []
    with open(path) as file:
        for line in file.read().splitlines():
            head = re.fullmatch(r"\[(\w+)\] (.+)", line)
            if head:
                cases.append((head.group(1), head.group(2), []))
            elif line and not line.startswith("#"):
                cases[-1][2].append(line)
    return cases


def module(target, lines):
    texts = {"before": [], "body": [], "after": []}
    for line in lines:
        part = "before" if line[0] == ">" else "after" if line[0] == "!" else "body"
        texts[part].append(line[1:].strip().replace("section", ".section") if line[0] == "!" else line.lstrip("> "))
    return MODULE.format(version="9.0", target=target, **{k: "\n".join(v) for k, v in texts.items()})


def run(words):
    result = subprocess.run(words, capture_output=True, text=True)
    return result.returncode, (result.stdout + result.stderr).strip()


def assembles(path, target):
    words = ["-arch=" + target.split(",")[0], path, "-o", "/dev/null"]
    code, text = run(["ptxas", *words])
    if code != 0:  # a part of a program
        code, text = run(["ptxas", "-c", *words])
    return code == 0, text


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def main():
    warpline, _, root, folder = sys.argv[1:5]
    os.makedirs(folder, exist_ok=True)
    failures, predicted, cases = 0, 0, read(f"{root}/tests/ptx/accepted.txt")
    for name, target, lines in cases:
        path = os.path.join(folder, name + ".ptx")
        write(path, module(target, lines))
        if "--ptxas" in sys.argv:
            good, text = assembles(path, target)
            if not good:
                failures += 1
                print(f"{name}: ptxas: {text.splitlines()[0]}")
        code, text = run([warpline, "predict", path, "--kernel", "k", *ARGUMENTS])
        predicted += code in (0, 7)
        if code not in (0, 4, 7):
            failures += 1
            print(f"{name}: exit code {code}: " + " | ".join(text.splitlines()[:3]))
        elif code == 4 and "--ptxas" in sys.argv:
            print(f"{name}: " + text.splitlines()[0])
    print(f"{len(cases)} cases: {predicted} predicted, {failures} failures")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
