#!/usr/bin/env python3
"""space.py TABLE.csv FOLDER: the kernels of a published tuning space (validate/published), and a map for `warpline compare`.

Every launch of a space is a kernel of its own: its parameters are constants of the code. Convolutions are written by
convolution_ptx.py. Matrix products (cuda/gemm.cu) and hotspot (cuda/hotspot.cu) are compiled by nvcc, where there is one;
without it only the launches whose PTX is in ptx/ are predicted, and the map says so of the others. Prints the map's path.
SPDX-License-Identifier: MIT
"""
import csv
import os
import re
import shutil
import subprocess
import sys

import convolution_ptx

HERE = os.path.dirname(os.path.abspath(__file__))
CUDA = os.path.join(os.path.dirname(HERE), "cuda")
AT_ONCE = 12  # kernels that one run of nvcc compiles
ARGUMENTS = {
    "convolution": ["buf:4*4096*4096", "buf:4*4200*4200"],
    "gemm": ["buf:4*4096*4096"] * 3 + [4096] * 3 + [1.5, 0.5],
    "hotspot": ["buf:4*4116*4700"] * 3 + [0.1, 0.1, 0.1, 0.5],
}
ENTRIES = {"convolution": "k_convolve", "gemm": "*k_gemm*", "hotspot": "*k_hotspot*"}
SIGNATURES = {
    "gemm": lambda p: f"const vec<{p['VWM']}> *, const vec<{p['VWN']}> *, vec<{p['VWM']}> *, int, int, int, float, float",
    "hotspot": lambda p: "const float *, const float *, float *, float, float, float, float",
}


def params_of(row):
    return {name: int(value) for name, value in (part.split("=") for part in row["params"].split(";"))}


def convolution(row, folder, target):
    p = params_of(row)
    form = convolution_ptx.Form(int(row["bx"]), int(row["by"]), p["tx"], p["ty"], bool(p["padded"]), not p["tile"],
                                bool(p["read_only"]), in_pairs=True)
    path = os.path.join(folder, row["variant"] + ".ptx")
    with open(path, "w") as file:
        file.write(convolution_ptx.text(form, target))


def entries_of(text):
    """The entries of a PTX text, each as a file of its own, by the numbers of its template."""
    for part in text.split(".visible .entry")[1:]:
        numbers = re.findall(r"Li(\d+)E", re.search(r"I((?:Li\d+E)+)E", part).group(1))
        yield "_".join(numbers), re.sub(r"\n\s*//[^\n]*", "", ".visible .entry" + part)


def compile_all(family, rows, folder, target):
    head = f".version 9.0\n.target {target}\n.address_size 64\n\n"
    for i in range(0, len(rows), AT_ONCE):
        source, result = os.path.join(folder, "space.cu"), os.path.join(folder, "space.ptx")
        with open(source, "w") as file:
            file.write(f'#include "{os.path.join(CUDA, family)}.cu"\n')
            for row in rows[i:i + AT_ONCE]:
                p = params_of(row)
                file.write(f"template __global__ void k_{family}<{','.join(map(str, p.values()))}>"
                           f"({SIGNATURES[family](p)});\n")
        subprocess.run(["nvcc", "-ptx", "-O3", "-std=c++17", f"-arch={target}", source, "-o", result], check=True)
        with open(result) as file:
            for numbers, text in entries_of(file.read()):
                with open(os.path.join(folder, f"{family}_{numbers}.ptx"), "w") as out:
                    out.write(head + text)


def main():
    table, folder = sys.argv[1], os.path.abspath(sys.argv[2])
    target = "sm_75" if os.path.basename(table).startswith("rtx2080ti") else "sm_80"
    os.makedirs(folder, exist_ok=True)
    with open(table, newline="") as file:
        rows = list(csv.DictReader(file))
    kept = os.path.join(HERE, "ptx")
    for row in rows:
        row["ptx"] = os.path.join(folder, row["variant"] + ".ptx")
        if os.path.exists(os.path.join(kept, row["variant"] + ".ptx")):
            row["ptx"] = os.path.join(kept, row["variant"] + ".ptx")
        elif row["family"] == "convolution" and not os.path.exists(row["ptx"]):
            convolution(row, folder, target)
    missing = [row for row in rows if not os.path.exists(row["ptx"])]
    if missing and shutil.which("nvcc"):
        compile_all(missing[0]["family"], missing, folder, target)
    path = os.path.join(folder, "map.yaml")
    with open(path, "w") as file:
        for row in rows:
            known = f"kernel: {row['ptx']}, entry: \"{ENTRIES[row['family']]}\", args: {ARGUMENTS[row['family']]}"
            file.write(f"- {{family: {row['family']}, variant: {row['variant']}, "
                       + (known if os.path.exists(row["ptx"]) else 'skip: "its PTX needs nvcc"') + "}\n")
    print(path)


if __name__ == "__main__":
    main()
