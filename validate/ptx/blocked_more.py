"""What the kernels of blocked_more.cu were called with, derived from its main(). See commands.py.
SPDX-License-Identifier: MIT"""

ARRAY = 1 << 28  # bytes of its two arrays


def buffer(offset=0):
    return f"buf:{ARRAY}" + (f":{offset}" if offset else "")


def shape(words):
    return "".join(f"Li{n}E" for word in words for n in word.split("x"))


def product(name):
    def launch(l):
        words = l.variant.split("_")
        bytes_ = int(words[2][1:]) // 8 if len(words) > 2 else 4
        arrays = [buffer(), buffer(l["m"] * l["k"] * bytes_), buffer()]
        kernel = f"k_product_{name}"
        if name == "narrow":
            kind = {4: "f", 8: "d"}[bytes_]
            entry = f"_Z{len(kernel)}{kernel}I{kind}{shape(words[:2])}EvPKT_S2_PS0_ii"
        else:
            entry = f"_Z{len(kernel)}{kernel}I{shape(words)}EvPKfS1_Pfii"
        return entry, arrays + [l["n"], l["k"]]
    return launch


def single(name, numbers):
    """A kernel with numbers in its name that reads one array, writes the other, and does so `rounds` times."""
    return lambda l: (f"_Z{len(name)}{name}I{numbers(l.variant)}EvPKfPfi", [buffer(), buffer(), l["rounds"]])


FAMILIES = {
    "product_wide": product("wide"), "product_twice": product("twice"), "product_narrow": product("narrow"),
    "registers": single("k_registers", lambda v: shape([v])), "outer": single("k_outer", lambda v: shape([v])),
    "wide": single("k_wide", lambda v: shape(v.split("_"))), "barriers": single("k_barriers", lambda v: shape([v[1:]])),
    "follow": lambda l: ("_Z8k_followPii", [buffer(), l["rounds"]]),
    "tiles": lambda l: ("_Z7k_tilesPK6float4Pfi", [buffer(), buffer(), l["rounds"]])}
