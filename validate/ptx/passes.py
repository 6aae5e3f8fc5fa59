"""What the kernels of passes.cu were called with, derived from its main(). See commands.py. SPDX-License-Identifier: MIT"""

ARRAY = 1 << 29  # bytes of its two arrays


def buffer(elements=0):
    """So many 4-byte elements behind the start of an array."""
    return f"buf:{ARRAY}" + (f":{4 * elements}" if elements else "")


def project(l):
    name = {"columns": "9k_project", "rows": "14k_project_rows", "most": "14k_project_most"}[l.variant]
    return f"_Z{name}PKfS0_Pfiii", [buffer(), buffer(1 << 26), buffer(), l["n"], l["features"], l["outputs"]]


def stage(l):
    return (f"_Z7k_stageILi{l.variant[1:]}EEvPKfPfii", [buffer(), buffer(), l["n"], l["rounds"]],
            int(l.row["smem"]))


FAMILIES = {"project": project, "stage": stage}
