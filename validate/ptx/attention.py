"""What the kernels of attention.cu were called with, derived from its main(); what is measured of them is probes/h200_attention.csv.
SPDX-License-Identifier: MIT"""
import math


def arguments(variant, p):
    """The arguments of a launch."""
    d, n, rows = int(p["D"]), p["n"], int(p["n"]) * int(p["heads"])
    scale = repr(math.log2(math.e) / math.sqrt(d))
    half, column = f"buf:{2 * rows * d}", f"buf:{4 * rows}"
    if variant == "forward_roles":
        maps = [f"tensormap:f16:{d}x{rows}:64x{box}:swizzle=128" for box in (128, 128, 128, 64)]
        return [*maps, column, n, scale]
    return {"forward_warps": [half] * 4 + [column, n, scale],
            "forward_plain": [f"buf:{4 * rows * d}"] * 4 + [n, scale],
            "backward_keys": [half] * 4 + [column, column, half, half, n, scale],
            "backward_queries": [half] * 4 + [column, column, half, n, scale],
            "delta": [half, half, column]}[variant]


def command(row):
    """The words behind `warpline` that predict the launch of a row from PTX, without file and device."""
    variant, p = row["variant"], dict(x.split("=") for x in row["params"].split(";"))
    causal = "true" if p["causal"] == "1" else "false"
    last = f", {p['stages']}" if variant == "forward_roles" else ""
    name = f"k_{variant}<{p['D']}>" if variant == "delta" else f"k_{variant}<{p['D']}, {causal}{last}>"
    dynamic = "0" if variant in ("forward_plain", "delta") else row["smem"]
    words = ["predict", "--kernel", name, "--registers", row["regs"], "--dynamic-shared", dynamic,
             "--block", row["bx"], "--grid", f"{row['gx']}x{row['gy']}"]
    for argument in arguments(variant, p):
        words += ["--arg", str(argument)]
    return words
