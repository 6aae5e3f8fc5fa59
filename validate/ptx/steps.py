"""What the kernel of steps.cu was called with, derived from its main(). See commands.py. SPDX-License-Identifier: MIT"""

ARRAYS, OUTPUTS = (12 * (24 << 20) + 1024) * 4, (6 * (24 << 20) + 1024) * 4  # bytes


def steps(l):
    how, where = l.variant.split("_")
    count, each = how.split("x")
    entry = f"_Z7k_stepsILi{count}ELi{each}ELb{int(where == 'in')}EEvPfS0_iili"
    return entry, [f"buf:{ARRAYS}", f"buf:{OUTPUTS}", l["nx"], l["ny"], l["n"], l["shift"]], int(l.row["smem"])


FAMILIES = {"steps": steps, "parts": steps, "shifted": steps}
