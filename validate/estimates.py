#!/usr/bin/env python3
"""estimates.py [--arch sm_90] [--nvcc nvcc]

Counts machine instructions that neither the accesses nor the results of a kernel show: the numbers of the section
`estimates` of share/costs/sm_90.yaml. Compiles stencils of one to three dimensions over one to six arrays, written as
those of validate/cuda, and counts the instructions of each in the cubin (sm_70 and later: 16 bytes each; needs no
disassembler):

  start       of an empty kernel
  address     what a further array adds, beside its load and its sum
  coordinate  what is left of a kernel per dimension: mean over all of them
  division    a quotient or a remainder in place of a sum

SPDX-License-Identifier: MIT
"""
import argparse
import os
import struct
import subprocess
import tempfile
from statistics import mean

INSTRUCTION = 16  # bytes
OPCODE = 0xFFF  # bits of the first word
NOP, BRANCH = 0x918, 0x947  # behind the end of a kernel: a branch to itself, and padding
DIMENSIONS, MOST = (1, 2, 3), 6  # MOST: arrays


def stencil(name, dimensions, arrays):
    """A sum over some arrays, one cell per thread: the prologue of every kernel of validate/cuda/fit.cu."""
    axes = "xyz"[:dimensions]
    at = " + ".join(["x", "y * sy", "z * sz"][:dimensions])
    parameters = ", ".join([f"const float *__restrict__ a{i}" for i in range(arrays)] + ["float *__restrict__ out"])
    cell = "\n".join(f"  int {c} = blockIdx.{c} * blockDim.{c} + threadIdx.{c};" for c in axes)
    outside = " || ".join(f"{c} >= n{c}" for c in axes)
    total = " + ".join(f"a{i}[o]" for i in range(arrays))
    return (f'extern "C" __global__ void {name}({parameters}, int nx, int ny, int nz, long sy, long sz) {{\n{cell}\n'
            f"  if ({outside}) return;\n  long o = {at};\n  out[o] = {total};\n}}\n")


def division(name, operator):
    return (f'extern "C" __global__ void {name}(int *__restrict__ out, int d) {{\n'
            f"  int t = blockIdx.x * blockDim.x + threadIdx.x;\n  out[t] = t {operator} d;\n}}\n")


def sections(cubin):
    """{name: bytes} of an ELF file of 64 bits"""
    offset, = struct.unpack_from("<Q", cubin, 0x28)
    size, count, names = struct.unpack_from("<HHH", cubin, 0x3A)
    headers = [struct.unpack_from("<IIQQQQIIQQ", cubin, offset + i * size) for i in range(count)]
    start = headers[names][4]
    return {cubin[start + h[0]:cubin.index(b"\0", start + h[0])].decode(): cubin[h[4]:h[4] + h[5]] for h in headers}


def instructions(code):
    """Those of the kernel: without the branch to itself and the padding behind its end."""
    opcodes = [struct.unpack_from("<Q", code, i)[0] & OPCODE for i in range(0, len(code), INSTRUCTION)]
    while opcodes and opcodes[-1] in (NOP, BRANCH):
        opcodes.pop()
    return len(opcodes)


def compiled(nvcc, arch, source):
    """{kernel: instructions}"""
    with tempfile.TemporaryDirectory() as folder:
        cu, cubin = os.path.join(folder, "k.cu"), os.path.join(folder, "k.cubin")
        with open(cu, "w") as file:
            file.write(source)
        subprocess.run([nvcc, f"-arch={arch}", "-cubin", "-o", cubin, cu], check=True)
        with open(cubin, "rb") as file:
            parts = sections(file.read())
    return {name[len(".text."):]: instructions(code) for name, code in parts.items() if name.startswith(".text.")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--nvcc", default="nvcc")
    options = parser.parse_args()
    kinds = [(d, a) for d in DIMENSIONS for a in range(1, MOST + 1)]
    source = "".join(stencil(f"stencil{d}_{a}", d, a) for d, a in kinds)
    source += 'extern "C" __global__ void nothing() {}\n'
    source += "".join(division(name, operator) for name, operator in (("plus", "+"), ("divided", "/"), ("rest", "%")))
    counts = compiled(options.nvcc, options.arch, source)
    rest = []
    for d, a in kinds:
        loads, stores, results = a, 1, a - 1
        rest.append(counts[f"stencil{d}_{a}"] - loads - stores - results)
        print(f"{d} dimensions, {a} arrays: {counts[f'stencil{d}_{a}']} instructions, {rest[-1]} not shown")
    start = counts["nothing"]
    address = mean((counts[f"stencil{d}_{MOST}"] - counts[f"stencil{d}_1"]) / (MOST - 1) - 2 for d in DIMENSIONS)
    coordinate = mean((r - start - address * (a + 1)) / d for (d, a), r in zip(kinds, rest))
    divisions = [counts[name] - counts["plus"] + 1 for name in ("divided", "rest")]
    print(f"start_instructions {start:.1f}")
    print(f"coordinate_instructions {coordinate:.1f}")
    print(f"address_instructions {address:.1f}")
    print(f"division_instructions {mean(divisions):.1f} (quotient {divisions[0]}, rest {divisions[1]})")


if __name__ == "__main__":
    main()
