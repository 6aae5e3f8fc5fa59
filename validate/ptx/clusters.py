"""What the kernels of clusters.cu were called with; what is measured of them is probes/h200_clusters.csv.
SPDX-License-Identifier: MIT"""

COUNT = 1 << 26  # floats of an array


def arguments(variant, p):
    """Of a kernel."""
    array = f"buf:{4 * COUNT}"
    if variant == "histogram":
        return [f"buf:{528 * 64 * 1024 * 4}=iota:u32", array, p["rounds"]]
    if variant.startswith("product"):
        return [array, array, array, p["n"]]
    return [array, array, p.get("rows") or p.get("steps") or p["rounds"]]


def command(row):
    """The words behind `warpline` that predict the launch of a row from PTX, without file and device."""
    p = dict(x.split("=") for x in row["params"].split(";"))
    words = ["predict", "--kernel", f"k_{row['variant']}<{p['cluster']}>", "--registers", row["regs"], "--block", row["bx"],
             "--grid", f"{row['gx']}x{row['gy']}"]
    for argument in arguments(row["variant"], p):
        words += ["--arg", str(argument)]
    return words
