"""What the kernels of cache_operators.cu were called with, derived from its main(); what is measured of them is
probes/h200_cache_operators.csv. SPDX-License-Identifier: MIT"""

X, STREAM, Y = (f"buf:{4 << n}" for n in (26, 27, 24))  # bytes of its arrays of f32

# family: arguments, of which the params of a row take the place of None; parameter types in the mangled name
KERNELS = {
    "again": ([X, Y, None], "PKfPfi"), "warps": ([X, Y, None], "PKfPfi"),
    "columns": ([X, Y], "PKfPf"), "neighbours": ([X, Y], "PKfPf"),
    "warmed": ([X, Y, None], "PKfPfi"), "left": ([X, Y, None], "PKfPfi"),
    "stream": ([X, STREAM, Y, None, None, None], "PKfS2_Pfiii"),
    "flag": ([X, STREAM, Y, None], "PKfS2_Pfi"), "fence": ([X, Y, None], "PKfPfi"),
    "sparse": ([X, Y, None], "PKfPfi"), "sparse_async": ([X, Y, None], "PKfPfi"),
    "again_async": ([X, Y, None], "PKfPfi"), "left_async": ([X, Y, None], "PKfPfi"),
    "warmed_async": ([X, Y, None], "PKfPfi"),
    "store": ([Y, None], "Pfi"), "store_halves": ([Y], "Pf"), "store_load": ([Y, STREAM, None], "PfS1_i"),
    "l2_keep": ([X, STREAM, Y, None, None, None], "PKfS3_Pfiii"),
}
# of l2_keep: the operators of what is kept and of the stream
KEEPS = {"plain": "5plainS0_", "stream_first": "5plain8l2_first", "kept_last": "7l2_last5plain",
         "both": "7l2_last8l2_first"}


def command(row):
    """The words behind `warpline` that predict the launch of a row from PTX, without file and device."""
    family, variant = row["family"], row["variant"]
    arguments, types = KERNELS[family]
    operators = KEEPS[variant] if family == "l2_keep" else f"{len(variant)}{variant}"
    if variant == "plain" and family == "l2_keep":  # the second operator is no type of its own
        types = types.replace("S3_", "S2_")
    name = f"k_{family}"
    params = iter(p.split("=")[1] for p in row["params"].split(";"))
    words = ["predict", "--kernel", f"_Z{len(name)}{name}I{operators}Ev{types}", "--registers", row["regs"],
             "--shared", row["smem"], "--block", row["bx"], "--grid", row["gx"]]
    for argument in arguments:
        words += ["--arg", argument or next(params)]
    return words
