"""What the kernels of tma.cu were called with, derived from its main(); what is measured of them is probes/h200_tma.csv.
SPDX-License-Identifier: MIT"""

BYTES = {"f16": 2, "bf16": 2, "tf32": 4, "e4m3": 1}
TYPES = {"f16": "__half", "bf16": "__nv_bfloat16", "tf32": "float", "e4m3": "__nv_fp8_e4m3"}
ROW = 128  # bytes of a tile's row


def tensor_map(kind, width, height, box, options=""):
    return f"tensormap:{kind}:{width}x{height}:{box[0]}x{box[1]}{options}"


def product(variant, p):
    """The kernel of a product and its arguments."""
    m, n, k, columns, stages, kind = (p[x] for x in ("m", "n", "k", "N", "stages", "type"))
    deep, groups = ROW // BYTES[kind], int(p.get("groups", 1))
    what = variant.split("_")[0]
    last = f", {groups}" if "groups" in p else ""
    name = f"k_product_{what}<{TYPES[kind]}, {columns}, {stages}{last}>"
    out = [f"buf:{4 * int(m) * int(n)}", m, n, k]
    if what == "async":
        return name, [f"buf:{int(m) * int(k) * BYTES[kind]}", f"buf:{int(n) * int(k) * BYTES[kind]}", *out]
    rows = int(columns) // 2 if what in ("pairs", "unfenced") else columns
    return name, [tensor_map(kind, k, m, (deep, 64 * groups), ":swizzle=128"),
                  tensor_map(kind, k, n, (deep, rows), ":swizzle=128"), *out]


def copy(variant, p):
    """The same of a copy; the bytes of dynamic shared memory."""
    if variant == "tiles":
        return f"k_copy_tiles<{p['steps']}>", [tensor_map("f32", p["width"], p["height"], (32, 64))] * 2, 0
    if variant == "rows":
        array = f"buf:{int(p['bytes']) * int(p['rows'])}"
        return "k_copy_rows", [array, array, p["bytes"], p["shift"]], int(p["bytes"]) + int(p["shift"])
    array = tensor_map("f32", p["width"], p["height"], (128, 16), ":pitch=32768")
    return "k_sum_tiles", [array, f"buf:{4 * 64 * 16 * 128}", p["tiles"]], 0


def command(row):
    """The words behind `warpline` that predict the launch of a row from PTX, without file and device."""
    p = dict(x.split("=") for x in row["params"].split(";"))
    if row["family"] == "tma_product":
        name, arguments = product(row["variant"], p)
        shared = row["smem"]
    else:
        name, arguments, shared = copy(row["variant"], p)
    words = ["predict", "--kernel", name, "--registers", row["regs"], "--dynamic-shared", str(shared),
             "--block", row["bx"], "--grid", f"{row['gx']}x{row['gy']}"]
    for argument in arguments:
        words += ["--arg", str(argument)]
    return words
