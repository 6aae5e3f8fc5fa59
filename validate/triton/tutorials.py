"""Launches of tutorial_kernels.py: the tile shapes, warps and stages of Triton's tutorials, and sizes of their benchmarks. What is here
needs no GPU. SPDX-License-Identifier: MIT"""
import dataclasses

BYTES = {"f16": 2, "f32": 4, "i32": 4, "e5m2": 1}
SMS, REGISTERS, SHARED = 132, 65536, 232448  # of the H200: the tutorial's softmax has as many programs as fit


@dataclasses.dataclass
class Array:
    """A buffer; `zero`: all of it is 0 before each launch."""
    type: str
    elements: int
    zero: bool = False


@dataclasses.dataclass
class Descriptor:
    """A matrix that is read or written in boxes of `rows` rows."""
    type: str
    height: int
    width: int
    rows: int


@dataclasses.dataclass
class Launch:
    family: str
    variant: str  # names what was compiled
    sizes: dict
    kernel: str
    arguments: list
    constants: dict
    warps: int
    stages: int
    grid: object  # three extents, or what gives them from registers and bytes of shared memory
    flops: float = 0

    def params(self):
        return ";".join(f"{k}={v}" for k, v in self.sizes.items())

    def extents(self, registers, shared):
        return self.grid(registers, shared) if callable(self.grid) else self.grid


def matmul(m, n, k, tile, stages, warps, kind="f16"):
    rows, columns, depth = tile
    # of e5m2, B is given turned, as products of four warps read it
    b_steps = (n, 1) if kind == "f16" else (1, k)
    return Launch("matmul", f"{rows}x{columns}x{depth}_s{stages}_w{warps}_{kind}", {"M": m, "N": n, "K": k}, "k_matmul",
                  [Array(kind, m * k), Array(kind, k * n), Array("f16", m * n), m, n, k, k, 1, *b_steps, n, 1],
                  {"ROWS": rows, "COLUMNS": columns, "DEPTH": depth, "GROUP": 8}, warps, stages,
                  (-(-m // rows) * -(-n // columns), 1, 1), 2.0 * m * n * k)


def power_of_two(n):
    return 1 << (n - 1).bit_length()


def softmax(height, width):
    def grid(registers, shared):
        fit = min(REGISTERS // (registers * 32 * 8), SHARED // max(shared, 1))
        return min(SMS * fit, height), 1, 1
    row = power_of_two(width)
    aligned = "" if width % 16 == 0 else "_unaligned"
    return Launch("softmax", f"{row}{aligned}", {"rows": height, "width": width}, "k_softmax",
                  [Array("f32", height * width), Array("f32", height * width), width, width, height, width],
                  {"WIDTH": row, "STAGES": 4}, 8, 3, grid)


def layer_norm(height, width):
    row = power_of_two(width)
    warps = min(max(row // 256, 1), 8)
    groups = 256 if width <= 1024 else 128 if width <= 4096 else 96 if width <= 8192 else 64
    size, vector, column = Array("f16", height * width), Array("f16", width), Array("f32", height)
    parts = Array("f16", groups * width, True)
    sizes = {"rows": height, "width": width}
    yield Launch("layer_norm", f"forward_{row}", sizes, "k_layer_norm",
                 [size, size, vector, vector, column, column, width, width, 1e-5], {"WIDTH": row}, warps, 3, (height, 1, 1))
    yield Launch("layer_norm", f"backward_{row}_{groups}", sizes, "k_layer_norm_rows",
                 [size, size, parts, parts, size, vector, column, column, Array("i32", 2 * groups, True), width, width],
                 {"GROUPS": groups, "WIDTH": row}, warps, 3, (height, 1, 1))
    yield Launch("layer_norm", "sums", {"rows": groups, "width": width}, "k_layer_norm_sums",
                 [parts, parts, vector, vector, groups, width], {"ROWS": 32, "COLUMNS": 128}, 4, 3, (-(-width // 128), 1, 1))


def attention(batch, heads, length, width, causal, tile, stages, warps):
    rows, columns = tile
    height = batch * heads * length
    kind = "causal" if causal else "full"

    def descriptor(box):
        return Descriptor("f16", height, width, box)
    return Launch("attention", f"forward_{width}_{kind}_{rows}x{columns}_s{stages}_w{warps}",
                  {"batch": batch, "heads": heads, "n": length, "D": width, "causal": int(causal)}, "k_attention",
                  [width ** -0.5, Array("f32", height), batch, heads, descriptor(rows), descriptor(columns), descriptor(columns),
                   descriptor(rows), length],
                  {"WIDTH": width, "ROWS": rows, "COLUMNS": columns, "CAUSAL": causal}, warps, stages,
                  (-(-length // rows), batch * heads, 1), 4.0 * height * length * width * (0.5 if causal else 1))


def attention_backward(batch, heads, length, width, causal):
    height = batch * heads * length
    sizes = {"batch": batch, "heads": heads, "n": length, "D": width, "causal": int(causal)}
    size, column = Array("f16", height * width), Array("f32", height)
    if not causal:
        yield Launch("attention", f"delta_{width}", sizes, "k_attention_delta", [size, size, column, batch, heads, length],
                     {"ROWS": 128, "WIDTH": width}, 4, 3, (length // 128, batch * heads, 1))
    yield Launch("attention", f"backward_{width}_{'causal' if causal else 'full'}", sizes, "k_attention_backward",
                 [size, size, size, width ** -0.5, size, size, size, size, column, column,
                  heads * length * width, length * width, width, 1, heads, length],
                 {"ROWS1": 32, "KEYS1": 128, "ROWS2": 128, "KEYS2": 32, "SLICES": 2, "WIDTH": width, "CAUSAL": causal}, 4, 5,
                 (length // 128, 1, batch * heads), 10.0 * height * length * width * (0.5 if causal else 1))


def launches():
    found = []
    for tile, stages, warps in (((128, 256, 64), 3, 8), ((64, 256, 32), 4, 4), ((128, 128, 32), 4, 4), ((128, 64, 32), 4, 4),
                                ((64, 128, 32), 4, 4), ((128, 32, 32), 4, 4), ((64, 32, 32), 5, 2), ((32, 64, 32), 5, 2)):
        found += [matmul(n, n, n, tile, stages, warps) for n in (1024, 2048, 4096)]
    for tile, stages, warps in (((128, 64, 64), 4, 4), ((64, 128, 64), 4, 4), ((128, 128, 128), 3, 8)):
        found += [matmul(n, n, n, tile, stages, warps) for n in (2048, 4096)]
    found += [matmul(n, n, n, (128, 256, 128), 3, 8, "e5m2") for n in (2048, 4096)]
    found += [softmax(4096, width) for width in (256, 1024, 4096, 8192, 12672)] + [softmax(1823, 781)]
    for width in (1024, 4096, 8192, 15872):
        found += layer_norm(4096, width)
    for causal in (False, True):
        for length in (1024, 4096):
            found += [attention(4, 32, length, 64, causal, (128, 64), 3, 4),
                      attention(4, 32, length, 64, causal, (64, 64), 3, 4),
                      attention(4, 32, length, 128, causal, (128, 128), 2, 8),
                      attention(4, 32, length, 128, causal, (128, 64), 3, 4)]
        for width in (64, 128):
            found += attention_backward(4, 32, 1024, width, causal)
        found += attention_backward(4, 32, 4096, 64, causal)
    return found


def words(launch, boxes):
    """The arguments of a launch as `warpline --arg` takes them. boxes: width, height and swizzle of each descriptor's boxes.
    Triton leaves out integers that are 1, and passes extents and strides behind a descriptor, and two unused pointers last."""
    found, boxes = [], list(boxes)
    for a in launch.arguments:
        if isinstance(a, Array):
            found.append(f"buf:{a.elements * BYTES[a.type]}" + (f"=zero" if a.zero else ""))
        elif isinstance(a, Descriptor):
            width, height, swizzle = boxes.pop(0)
            found.append(f"tensormap:{a.type}:{a.width}x{a.height}:{width}x{height}" + (f":swizzle={swizzle}" if swizzle else ""))
            found += [str(a.height), str(a.width), str(a.width), "1"]
        elif a != 1:
            found.append(str(a))
    return found + ["0", "0"]


def command(row):
    """The words behind `warpline` that predict the launch of a row of ../probes/h200_triton.csv from PTX, without file and
    device."""
    found = ["predict", "--kernel", row["kernel"], "--registers", row["regs"], "--dynamic-shared", row["smem"],
             "--block", row["bx"], "--grid", f"{row['gx']}x{row['gy']}x{row['gz']}"]
    for argument in row["arguments"].split():
        found += ["--arg", argument]
    return found
