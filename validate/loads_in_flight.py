#!/usr/bin/env python3
"""loads_in_flight.py [--arch sm_90] [--nvcc nvcc] [--list] SOURCE.cu...

How many registers the results of loads fill that a warp waits for together: the number `registers_in_flight` of
share/costs/sm_90.yaml. Compiles the sources, walks the machine code of each kernel once from its start to its end
(branches are not taken) with the scoreboards that the assembler has set, as if each load took LATENCY cycles, and
divides the registers of all loads by the number of such waits. Prints median and mean over the kernels. Needs no
disassembler (sm_70 and later: 16 bytes an instruction).

SPDX-License-Identifier: MIT
"""
import argparse
import os
import struct
import subprocess
import tempfile
from statistics import mean, median

from estimates import INSTRUCTION, OPCODE, sections

LOAD, EXIT = 0x981, 0x94D  # LDG, EXIT
ALWAYS = 7  # the predicate of an instruction that every thread executes
LATENCY, SHORT = 400, 25  # cycles of a load, and of what else sets a scoreboard
LEAST = 8  # registers: kernels that load fewer wait once, and say nothing


def fields(low, high):
    """cycles to the next instruction, the scoreboard that is set, the mask of those waited for"""
    control = high >> 41
    return max(1, control & 0xF), control >> 5 & 7, control >> 11 & 0x3F


def registers_of(high):
    """of the result of a load: its size in bits is in the second word, 8 to 128"""
    return (1, 1, 1, 1, 1, 2, 4, 1)[high >> 9 & 7]


def walk(code):
    """loads, their registers, and how many latencies the warp stalls"""
    now, ready = 0, [0] * 6
    stalled = loads = registers = 0
    for at in range(0, len(code), INSTRUCTION):
        low, high = struct.unpack_from("<QQ", code, at)
        cycles, sets, mask = fields(low, high)
        until = max([ready[s] for s in range(6) if mask >> s & 1], default=0)
        stalled += max(0, until - now)
        now = max(now, until)
        loading = low & OPCODE == LOAD
        if loading:
            loads += 1
            registers += registers_of(high)
        if sets < 6:
            ready[sets] = max(ready[sets], now + (LATENCY if loading else SHORT))
        now += cycles
        if low & OPCODE == EXIT and low >> 12 & 0xF == ALWAYS:
            break
    return loads, registers, stalled / LATENCY


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sources", nargs="+")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--list", action="store_true", help="each kernel")
    options = parser.parse_args()
    found = []
    for source in options.sources:
        with tempfile.TemporaryDirectory() as folder:
            cubin = os.path.join(folder, "k.cubin")
            subprocess.run([options.nvcc, "-O3", "-std=c++17", "-w", f"-arch={options.arch}", "-cubin", "-o", cubin, source],
                           check=True)
            with open(cubin, "rb") as file:
                parts = sections(file.read())
        for name, code in sorted(parts.items()):
            if not name.startswith(".text."):
                continue
            loads, registers, waits = walk(code)
            if registers < LEAST or waits < 1:
                continue
            found.append(registers / waits)
            if options.list:
                print(f"{name[6:]}: {loads} loads of {registers} registers, {waits:.2f} waits, {found[-1]:.1f} together")
    print(f"{options.arch}: {len(found)} kernels, registers in flight: median {median(found):.1f}, mean {mean(found):.1f}")


if __name__ == "__main__":
    main()
