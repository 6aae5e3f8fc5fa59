"""What the kernels of tickets.cu were called with, derived from its main(); what is measured of them is
probes/h200_tickets.csv. SPDX-License-Identifier: MIT"""

KEYS = 1 << 26
ARRAY = f"buf:{4 * KEYS}"
OUT = f"buf:{4 * KEYS + (1 << 24)}"
RANDOM = ARRAY + "=random"
COUNTER = "buf:4=zero"


def state(blocks, words=1):
    return f"buf:{8 * blocks * words}=zero"


def arguments(variant, p, blocks):
    """The kernel without its template arguments, and what it is called with."""
    if variant == "ticket":
        return "k_ticket<4>", [ARRAY, OUT, COUNTER, p["flops"]]
    if variant.startswith("dynamic"):
        return f"k_{variant}<4>", [ARRAY, OUT, COUNTER, p["tiles"], p["flops"]]
    if variant == "sum_last":
        return "k_sum_last", [ARRAY, f"buf:{4 * blocks}", "buf:4", COUNTER, p["items"]]
    if variant == "columns_last":
        return "k_columns_last", [ARRAY, f"buf:{1024 * blocks}", "buf:1024", COUNTER, p["rows"]]
    if variant == "scan":
        return f"k_scan<{p['items']}>", [RANDOM, OUT, state(blocks), COUNTER]
    if variant == "scan_flags":
        return f"k_scan_flags<{p['items']}>", [RANDOM, OUT] + [f"buf:{4 * blocks}=zero"] * 3 + [COUNTER]
    if variant == "select":
        return f"k_select<{p['items']}>", [RANDOM, OUT, state(blocks), COUNTER, p["limit"]]
    if variant == "compact":
        return f"k_compact<{p['items']}>", [RANDOM, OUT, COUNTER, p["limit"]]
    if variant == "onesweep":
        starts = f"buf:1024=iota:u32:0:{(int(p['keys']) + (1 << 21)) // 256}"
        return f"k_onesweep<{p['items']}>", [RANDOM, OUT, state(blocks, 256), COUNTER, starts, p["shift"]]
    if variant == "lock":
        return "k_lock", [ARRAY, f"buf:{1024 * int(p['rows'])}", f"buf:{4 * int(p['rows'])}=zero", p["rows"], p["items"]]
    if variant == "stream_k":
        return "k_stream_k", [ARRAY, OUT, f"buf:{1024 * blocks}", f"buf:{4 * blocks}=zero", p["tiles"], p["deep"]]
    return "k_grid_barrier", [ARRAY, OUT, ARRAY, COUNTER, p["items"]]


def command(row):
    """The words behind `warpline` that predict the launch of a row from PTX, without file and device."""
    p = dict(x.split("=") for x in row["params"].split(";"))
    name, given = arguments(row["variant"], p, int(row["gx"]))
    words = ["predict", "--kernel", name, "--registers", row["regs"], "--block", row["bx"], "--grid", row["gx"]]
    for argument in given:
        words += ["--arg", str(argument)]
    return words
