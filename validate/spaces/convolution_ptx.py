#!/usr/bin/env python3
"""convolution_ptx.py BX BY TX TY [--padded] [--direct] [--read-only] [--in-pairs] [--target sm_75]

Writes the PTX of validate/cuda/convolution.cu for one set of its parameters, in the form nvcc 13.0 gives it: the loop over
columns of the tile four trips at a time behind what is left over, then the filter, written out. nvcc takes 5 to 30 seconds
for one of these, and what it writes is 30 to 400 KB long, of which nearly all is loads and multiply-adds in a fixed order:
hence this. Of block 16 x 8, 3 x 5 cells a thread, it was compared with what nvcc writes: the same predicted counts.
SPDX-License-Identifier: MIT
"""
import argparse

RANGE = 7
WIDE = 2 * RANGE + 1
UNROLLED = 4  # trips of the loop over columns that nvcc joins
BANKS = 32
# Multiply-adds of a thread from which the compiler of the published space keeps elements of the tile for two rows of the
# filter only (the last three rows are one group): its counts of shared loads say so. nvcc 13.0 has no such limit.
MANY = 5000


class Form:
    """The parameters of the kernel, and what follows from them."""

    def __init__(self, bx, by, tx, ty, padded=False, direct=False, read_only=False, width=4096, height=4096,
                 in_pairs=False):
        self.bx, self.by, self.tx, self.ty = bx, by, tx, ty
        self.in_pairs = in_pairs and tx * ty * WIDE * WIDE > MANY
        self.direct, self.read_only = direct, read_only
        self.width, self.height, self.row = width, height, width + 2 * RANGE
        self.columns, self.rows = bx * tx + 2 * RANGE, by * ty + 2 * RANGE
        self.pitch = self.columns + ((bx - self.columns) % BANKS if padded else 0)
        self.whole = width % (bx * tx) == 0 and height % (by * ty) == 0
        self.grid = -(-width // (bx * tx)), -(-height // (by * ty))
        self.shared_bytes = 0 if direct else 4 * self.rows * self.pitch


def magic(divisor):
    """Quotients of numbers below 4096 by a multiplication: (n * factor) >> 32 >> shift."""
    for shift in range(32):
        factor = -(-(1 << (32 + shift)) // divisor)
        if factor < 1 << 32 and all((n * factor) >> (32 + shift) == n // divisor for n in range(4096)):
            return factor, shift
    raise ValueError(divisor)


class Writer:
    def __init__(self, form):
        self.form, self.lines, self.values, self.labels = form, [], 0, 0

    def put(self, text):
        self.lines.append("\t" + text)

    def value(self):
        self.values += 1
        return f"%f{self.values}"

    def label(self):
        self.labels += 1
        return f"$L__BB0_{self.labels}"

    def at(self, label):
        self.lines.append(f"\n{label}:")

    def start(self):
        f = self.form
        for line in ["ld.param.u64 %rd1, [k_convolve_param_0];", "ld.param.u64 %rd2, [k_convolve_param_1];",
                     "cvta.to.global.u64 %rd3, %rd2;", "mov.u32 %r1, %tid.x;", "mov.u32 %r2, %ctaid.x;",
                     f"mul.lo.s32 %r3, %r2, {f.bx * f.tx};", "mov.u32 %r4, %ctaid.y;",
                     f"mul.lo.s32 %r5, %r4, {f.by * f.ty};", "mov.u32 %r6, %tid.y;"]:
            self.put(line)

    def trips(self):
        """%r10: columns from the thread's first one to the last, %r12: trips that are left over."""
        f = self.form
        self.put(f"max.s32 %r7, %r1, {f.columns - f.bx};")
        self.put(f"add.s32 %r8, %r7, {f.bx - 1};")
        self.put("sub.s32 %r10, %r8, %r1;")
        if f.bx & (f.bx - 1) == 0:
            self.put(f"shr.u32 %r9, %r10, {f.bx.bit_length() - 1};")
        else:
            factor, shift = magic(f.bx)
            self.put(f"mul.hi.u32 %r9, %r10, {factor - (1 << 32) if factor >> 31 else factor};")
            if shift:
                self.put(f"shr.u32 %r9, %r9, {shift};")
        self.put("add.s32 %r11, %r9, 1;")
        self.put(f"and.b32 %r12, %r11, {UNROLLED - 1};")

    def copy(self, source, target, outside):
        """One element of the tile; `outside`: the predicate of those that are not in the image."""
        skip = self.label() if outside else None
        if outside:
            self.put(f"@{outside} bra {skip};\n")
        value = self.value()
        self.put(f"ld.global{'.nc' if self.form.read_only else ''}.f32 {value}, [{source}];")
        self.put(f"st.shared.f32 [{target}], {value};")
        if skip:
            self.at(skip)

    def left_over(self, done):
        """The first trips, up to three, one by one."""
        f = self.form
        self.put("setp.eq.s32 %p3, %r12, 0;")
        self.put("add.s32 %r20, %r13, %r5;")
        self.put("mov.u32 %r21, %r1;")
        self.put(f"@%p3 bra {done};\n")
        if not f.whole:
            self.put(f"setp.gt.s32 %p4, %r20, {f.height + 2 * RANGE - 1};")
        self.put(f"mad.lo.s32 %r22, %r20, {f.row}, %r3;")
        for line in ["add.s32 %r23, %r22, %r1;", "mul.wide.s32 %rd4, %r23, 4;", "add.s64 %rd5, %rd3, %rd4;",
                     "mov.u32 %r24, k_convolve_tile;", f"mad.lo.s32 %r25, %r13, {4 * f.pitch}, %r24;",
                     "shl.b32 %r26, %r1, 2;", "add.s32 %r27, %r25, %r26;"]:
            self.put(line)
        for trip in range(UNROLLED - 1):
            if not f.whole:
                self.put(f"setp.gt.s32 %p5, %r{30 + trip}, {f.row - 1};")
                self.put("or.pred %p6, %p4, %p5;")
            place = f"+{4 * f.bx * trip}" if trip else ""
            self.copy("%rd5" + place, "%r27" + place, None if f.whole else "%p6")
            self.put(f"mov.u32 %r21, %r{14 + trip};")
            if trip < UNROLLED - 2:
                self.put(f"setp.eq.s32 %p7, %r12, {trip + 1};")
                self.put(f"@%p7 bra {done};\n")

    def four_at_a_time(self):
        f = self.form
        loop = self.label()
        for line in [f"add.s32 %r40, %r21, {-UNROLLED * f.bx};", f"add.s32 %r41, %r33, %r21;",
                     f"mad.lo.s32 %r42, %r13, {f.pitch}, %r21;", "shl.b32 %r43, %r42, 2;",
                     "mov.u32 %r44, k_convolve_tile;", "add.s32 %r45, %r44, %r43;",
                     f"add.s32 %r46, %r45, {8 * f.bx};", "add.s32 %r47, %r34, %r21;",
                     f"mad.lo.s32 %r48, %r13, {f.row}, %r47;", "mul.wide.s32 %rd6, %r48, 4;",
                     "add.s64 %rd7, %rd3, %rd6;"]:
            self.put(line)
        self.at(loop)
        self.put('.pragma "nounroll";')
        if not f.whole:
            self.put(f"setp.gt.s32 %p8, %r20, {f.height + 2 * RANGE - 1};")
        for trip in range(UNROLLED):
            if not f.whole:
                self.put(f"add.s32 %r49, %r41, {f.bx * (trip - UNROLLED + 1)};")
                self.put(f"setp.gt.s32 %p9, %r49, {f.row - 1};")
                self.put("or.pred %p10, %p8, %p9;")
            self.copy(f"%rd7+{4 * f.bx * trip}", f"%r46+{4 * f.bx * (trip - 2)}", None if f.whole else "%p10")
        self.put(f"add.s64 %rd7, %rd7, {4 * UNROLLED * f.bx};")
        if not f.whole:
            self.put(f"add.s32 %r41, %r41, {UNROLLED * f.bx};")
        self.put(f"add.s32 %r46, %r46, {4 * UNROLLED * f.bx};")
        self.put(f"add.s32 %r40, %r40, {UNROLLED * f.bx};")
        self.put(f"setp.lt.s32 %p11, %r40, {f.columns - UNROLLED * f.bx};")
        self.put(f"@%p11 bra {loop};")

    def fill(self):
        """Copies the tile to shared memory: rows by threads in y, columns by threads in x."""
        f = self.form
        end, row, next_row, four = self.label(), self.label(), self.label(), self.label()
        self.put(f"setp.gt.s32 %p1, %r6, {f.rows - 1};")
        self.put(f"@%p1 bra {end};\n")
        self.trips()
        self.put("add.s32 %r30, %r1, %r3;")
        for trip in range(1, UNROLLED):
            self.put(f"add.s32 %r{13 + trip}, %r1, {f.bx * trip};")
            if trip < UNROLLED - 1 and not f.whole:
                self.put(f"add.s32 %r{30 + trip}, %r{13 + trip}, %r3;")
        self.put(f"add.s32 %r33, %r3, {(UNROLLED - 1) * f.bx};")
        self.put(f"mad.lo.s32 %r34, %r4, {f.by * f.ty * f.row}, %r3;")
        self.put("mov.u32 %r35, %r6;")
        self.at(row)
        self.put("mov.u32 %r13, %r35;")
        self.put(f"setp.gt.s32 %p2, %r1, {f.columns - 1};")
        self.put(f"@%p2 bra {next_row};\n")
        self.left_over(four)
        self.at(four)
        self.put(f"setp.lt.u32 %p12, %r10, {(UNROLLED - 1) * f.bx};")
        self.put(f"@%p12 bra {next_row};\n")
        self.four_at_a_time()
        self.at(next_row)
        self.put(f"add.s32 %r35, %r13, {f.by};")
        self.put(f"setp.lt.s32 %p13, %r13, {f.rows - f.by};")
        self.put(f"@%p13 bra {row};")
        self.at(end)
        self.put("bar.sync 0;")
        for line in ["mov.u32 %r50, k_convolve_tile;", f"mad.lo.s32 %r51, %r6, {4 * f.pitch}, %r50;",
                     "shl.b32 %r52, %r1, 2;", "add.s32 %r53, %r51, %r52;"]:
            self.put(line)

    def find_cell(self):
        """Without a tile: the address of the thread's first element of the image."""
        f = self.form
        for line in ["add.s32 %r51, %r5, %r6;", f"mad.lo.s32 %r52, %r51, {f.row}, %r3;", "add.s32 %r53, %r52, %r1;",
                     "mul.wide.s32 %rd6, %r53, 4;", "add.s64 %rd7, %rd3, %rd6;"]:
            self.put(line)

    def cells(self):
        """%p40 ..: which cells of the thread are in the image."""
        f = self.form
        self.put("add.s32 %r54, %r3, %r1;")
        for b in range(f.tx):
            self.put(f"add.s32 %r55, %r54, {b * f.bx};")
            self.put(f"setp.lt.s32 %p{16 + b}, %r55, {f.width};")
        for a in range(f.ty):
            self.put(f"add.s32 %r56, %r51, {a * f.by};")
            self.put(f"setp.lt.s32 %p15, %r56, {f.height};")
            for b in range(f.tx):
                self.put(f"and.pred %p{40 + a * f.tx + b}, %p15, %p{16 + b};")

    def filter(self):
        """The sums, with each element loaded once, where it is first used, or once per group of rows."""
        f = self.form
        base, pitch = ("%rd7", f.row) if f.direct else ("%r53", f.pitch)
        load = ("ld.global.nc.f32" if f.read_only else "ld.global.f32") if f.direct else "ld.shared.f32"
        guarded = f.direct and not f.whole  # a load under a condition is no other cell's, too
        loaded, sums = {}, ["0f00000000"] * (f.tx * f.ty)
        if guarded:
            self.cells()
            sums = [self.value() for _ in sums]
            for value in sums:
                self.put(f"mov.f32 {value}, 0f00000000;")
        for i in range(WIDE):
            if f.in_pairs and i % 2 == 0 and i < WIDE - 1:
                loaded.clear()
            for j in range(WIDE):
                weight = self.value()
                self.put(f"ld.const.f32 {weight}, [weights+{4 * (i * WIDE + j)}];")
                for cell in range(f.tx * f.ty):
                    place = (cell // f.tx * f.by + i) * pitch + cell % f.tx * f.bx + j
                    if guarded:
                        value, skip = self.value(), self.label()
                        self.put(f"@!%p{40 + cell} bra {skip};\n")
                        self.put(f"{load} {value}, [{base}+{4 * place}];")
                        self.put(f"fma.rn.f32 {sums[cell]}, {value}, {weight}, {sums[cell]};")
                        self.at(skip)
                        continue
                    if place not in loaded:
                        loaded[place] = self.value()
                        self.put(f"{load} {loaded[place]}, [{base}+{4 * place}];")
                    last, sums[cell] = sums[cell], self.value()
                    self.put(f"fma.rn.f32 {sums[cell]}, {loaded[place]}, {weight}, {last};")
        return sums

    def store(self, sums):
        f = self.form
        for line in ["add.s32 %r60, %r3, %r1;", "add.s32 %r61, %r5, %r6;", f"mad.lo.s32 %r62, %r61, {f.width}, %r60;",
                     "cvta.to.global.u64 %rd8, %rd1;", "mul.wide.s32 %rd9, %r62, 4;", "add.s64 %rd10, %rd8, %rd9;"]:
            self.put(line)
        for b in range(f.tx if not f.whole else 0):
            self.put(f"add.s32 %r63, %r60, {b * f.bx};")
            self.put(f"setp.gt.s32 %p{20 + b}, %r63, {f.width - 1};")
        for cell, value in enumerate(sums):
            a, b = divmod(cell, f.tx)
            place = 4 * (a * f.by * f.width + b * f.bx)
            skip = None
            if not f.whole:
                if b == 0:
                    self.put(f"add.s32 %r64, %r61, {a * f.by};")
                    self.put(f"setp.gt.s32 %p14, %r64, {f.height - 1};")
                skip = self.label()
                self.put(f"or.pred %p15, %p14, %p{20 + b};")
                self.put(f"@%p15 bra {skip};\n")
            self.put(f"st.global.f32 [%rd10+{place}], {value};")
            if skip:
                self.at(skip)
        self.put("ret;")


def text(form, target="sm_75"):
    w = Writer(form)
    w.start()
    if form.direct:
        w.find_cell()
    else:
        w.fill()
    w.store(w.filter())
    tile = f"\t.shared .align 4 .b8 k_convolve_tile[{form.shared_bytes}];\n" if not form.direct else ""
    return (f".version 9.0\n.target {target}\n.address_size 64\n\n.const .align 4 .b8 weights[{4 * WIDE * WIDE}];\n\n"
            ".visible .entry k_convolve(\n\t.param .u64 k_convolve_param_0,\n\t.param .u64 k_convolve_param_1\n)\n{\n"
            f"\t.reg .pred %p<110>;\n\t.reg .f32 %f<{w.values + 1}>;\n\t.reg .b32 %r<70>;\n\t.reg .b64 %rd<12>;\n{tile}\n"
            + "\n".join(w.lines) + "\n}\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sizes", type=int, nargs=4)
    parser.add_argument("--padded", action="store_true")
    parser.add_argument("--direct", action="store_true")
    parser.add_argument("--read-only", action="store_true")
    parser.add_argument("--in-pairs", action="store_true")
    parser.add_argument("--target", default="sm_75")
    options = parser.parse_args()
    print(text(Form(*options.sizes, options.padded, options.direct, options.read_only,
                    in_pairs=options.in_pairs), options.target), end="")


if __name__ == "__main__":
    main()
