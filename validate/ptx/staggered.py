"""What the kernels of staggered.cu were called with, derived from its main(). See commands.py. SPDX-License-Identifier: MIT"""

ARRAY = 1 << 30  # bytes of its two arrays


def buffer(bytes_, offset=0, contents=None):
    return f"buf:{bytes_}" + (f":{offset}" if offset else "") + (f"={contents}" if contents else "")


def kind(l):
    """The kernel's step, its type in C++ name mangling, and the bytes of a field."""
    what, type_ = l.variant.rsplit("_", 1)
    size = {"f32": 4, "f64": 8}[type_]
    return what, {"f32": "f", "f64": "d"}[type_], size * l["nx"] * l["ny"] * l["nz"]


def box(l):
    return [l["nx"], l["ny"], l["nz"]]


def three(field):
    return [buffer(ARRAY, field * i) for i in range(3)]


def acoustic(l):
    what, t, field = kind(l)
    name = "k_" + what
    if what.startswith("pressure"):
        return f"_Z{len(name)}{name}I{t}EvPT_PKS0_S3_S3_iii", [buffer(ARRAY)] + three(field) + box(l)
    return f"_Z{len(name)}{name}I{t}EvPKT_PS0_S3_S3_iii", [buffer(ARRAY)] + three(field) + box(l)


def gradient(l):
    what, t, field = kind(l)
    if what == "gradient":
        return f"_Z10k_gradientI{t}EvPKT_PS0_S3_S3_iii", [buffer(ARRAY)] + three(field) + box(l)
    name = "k_divergence" if what == "divergence" else "k_divergence_walk"
    return f"_Z{len(name)}{name}I{t}EvPKT_S2_S2_PS0_iii", three(field) + [buffer(ARRAY)] + box(l)


def wave(l):
    what, t, _ = kind(l)
    name = f"k_wave_{what[:-1]}"
    return f"_Z{len(name)}{name}I{t}Li{what[-1]}EEvPKT_PS0_iii", [buffer(ARRAY)] * 2 + box(l)


def elastic(l):
    what, t, _ = kind(l)
    name = "k_elastic" if what == "velocity" else "k_elastic_walk"
    return f"_Z{len(name)}{name}I{t}EvPKT_PS0_iii", [buffer(ARRAY)] * 2 + box(l)


def shallow(l):
    t, size = {"f32": ("f", 4), "f64": ("d", 8)}[l.variant]
    fields = three(size * l["nx"] * l["ny"])
    return f"_Z9k_shallowI{t}EvPKT_S2_S2_PS0_S3_S3_ii", fields + fields + [l["nx"], l["ny"]]


def turn(l):
    if l.variant == "lane":
        column = buffer(4 * l["threads"] * l["steps"], 0, l.file(f"turn_lane_{l['table']}"))
        return "_Z11k_turn_lanePKjPKfPfji", [column] + [buffer(ARRAY)] * 2 + [l["threads"], l["steps"]]
    name = f"turn_{l.variant.split('_')[1]}_{l['table']}"
    first = buffer(4 * l["warps"] + 4, 0, l.file(name + "_first"))
    column = buffer(4 * l["entries"], 0, l.file(name + "_column"))
    return "_Z11k_turn_warpPKjS0_PKfPfj", [first, column] + [buffer(ARRAY)] * 2 + [l["warps"]]


FAMILIES = {
    "acoustic": acoustic, "acoustic_z": acoustic, "gradient": gradient, "divergence_z": gradient, "wave_z": wave,
    "elastic": elastic, "elastic_z": elastic, "shallow": shallow, "turn": turn}
