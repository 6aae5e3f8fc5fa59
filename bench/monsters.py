"""monsters.py DIRECTORY

Kernels that no one writes by hand: as large, as deep or as long-running as an input may be. All are valid, and the
same in every run. SPDX-License-Identifier: MIT"""
import os
import sys

HEADER = ".version 8.3\n.target sm_90\n.address_size 64\n"
# %r1: thread of the launch, %rd1: in, %rd2: out, %rd3 and %rd4: a thread's place in them, %r2: n
PROLOGUE = """\t.reg .b16 %h<4>;
\t.reg .b32 %r<64>;
\t.reg .b64 %rd<32>;
\t.reg .f32 %f<16>;
\t.reg .pred %p<8>;
\tld.param.u64 %rd1, [in];
\tld.param.u64 %rd2, [out];
\tld.param.u32 %r2, [n];
\tmov.u32 %r4, %ctaid.x;
\tmov.u32 %r5, %ntid.x;
\tmov.u32 %r6, %tid.x;
\tmad.lo.s32 %r1, %r4, %r5, %r6;
\tmul.wide.u32 %rd5, %r1, 4;
\tadd.s64 %rd3, %rd1, %rd5;
\tadd.s64 %rd4, %rd2, %rd5;
\tmov.f32 %f1, 0f3F800000;
\tmov.u32 %r3, %r1;
"""
EPILOGUE = "\tst.global.f32 [%rd4], %f1;\n\tret;\n}\n"
BUFFER, RANDOM = "buf:256M", "buf:256M=random:u32:0..1048575"


def entry(body, before=""):
    head = ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n"
    return HEADER + before + head + PROLOGUE + body + EPILOGUE


def repeat(count, line):
    return "".join(line(i) for i in range(count))


# ---- long: straight code ----

def instructions(count):
    """Arithmetic in a row."""
    return entry(repeat(count, lambda i: f"\tfma.rn.f32 %f{1 + i % 7}, %f{1 + (i + 1) % 7}, %f1, %f2;\n"))


def mixed(count):
    """Integers that depend on each other, so that every value has another symbol."""
    ops = ["mad.lo.s32 %r3, %r3, 3, %r1", "xor.b32 %r3, %r3, %r1", "shr.u32 %r3, %r3, 1", "add.s32 %r3, %r3, 77"]
    return entry(repeat(count, lambda i: f"\t{ops[i % 4]};\n") + "\tcvt.rn.f32.u32 %f1, %r3;\n")


def loads(count):
    """Each at another distance from a thread's place."""
    return entry(repeat(count, lambda i: f"\tld.global.f32 %f2, [%rd3+{4 * (i * 37 % 100003)}];\n"
                                         "\tadd.f32 %f1, %f1, %f2;\n"))


def gathers(count):
    """Each from where the last one says."""
    return entry("\tld.global.u32 %r7, [%rd3];\n" +
                 repeat(count, lambda i: "\tmul.wide.u32 %rd6, %r7, 4;\n\tadd.s64 %rd7, %rd1, %rd6;\n"
                                         f"\tld.global.u32 %r7, [%rd7+{4 * (i % 64)}];\n"))


def stores(count):
    return entry(repeat(count, lambda i: f"\tst.global.f32 [%rd4+{512 * (i % 1000)}], %f1;\n"))


def shared_accesses(count):
    return entry("\tmov.u32 %r8, tile;\n\tshl.b32 %r9, %r6, 2;\n\tadd.s32 %r8, %r8, %r9;\n" +
                 repeat(count, lambda i: f"\tst.shared.f32 [%r8+{4 * (i * 33 % 4096)}], %f1;\n"
                                         f"\tld.shared.f32 %f1, [%r8+{4 * (i * 65 % 4096)}];\n"),
                 ".shared .align 4 .b8 tile[32768];\n")


def local_accesses(count):
    return entry("\t.local .align 4 .b8 stack[4096];\n\tmov.u64 %rd8, stack;\n\tcvta.local.u64 %rd8, %rd8;\n"
                 "\tcvta.to.local.u64 %rd8, %rd8;\n" +
                 repeat(count, lambda i: f"\tst.local.f32 [%rd8+{4 * (i * 33 % 1024)}], %f1;\n"
                                         f"\tld.local.f32 %f1, [%rd8+{4 * (i * 65 % 1024)}];\n"))


def swaps(count):
    """Sums of doubles in shared memory: loops of compare-and-swap, several lanes on a word."""
    return entry("\tmov.u32 %r8, sums;\n\tand.b32 %r9, %r6, 3;\n\tshl.b32 %r9, %r9, 3;\n\tadd.s32 %r8, %r8, %r9;\n"
                 "\t.reg .f64 %d<3>;\n\tmov.f64 %d1, 0d3FF0000000000000;\n" +
                 repeat(count, lambda i: f"\tatom.shared.add.f64 %d2, [%r8+{32 * (i % 100)}], %d1;\n"),
                 ".shared .align 8 .b8 sums[4096];\n")


def barriers(count):
    return entry(repeat(count, lambda i: "\tbar.sync 0;\n\tadd.f32 %f1, %f1, %f2;\n"))


def registers(count):
    """As many registers, all alive to the end."""
    return entry(f"\t.reg .b32 %x<{count}>;\n" + repeat(count, lambda i: f"\tadd.s32 %x{i}, %r1, {i};\n") +
                 repeat(count, lambda i: f"\txor.b32 %r3, %r3, %x{i};\n") + "\tcvt.rn.f32.u32 %f1, %r3;\n")


# ---- branchy ----

def branches(count, test):
    """Each skips an instruction, in the lanes of some condition."""
    return entry("\tld.global.u32 %r7, [%rd3];\n" +
                 repeat(count, lambda i: f"\t{test(i)}\n\t@%p1 bra L{i};\n\tadd.f32 %f1, %f1, %f2;\nL{i}:\n"))


def by_thread(i):
    return f"and.b32 %r8, %r1, {1 + i % 31};\n\tsetp.ne.u32 %p1, %r8, 0;"


def by_data(i):
    return f"shr.u32 %r8, %r7, {i % 20};\n\tand.b32 %r8, %r8, 1;\n\tsetp.ne.u32 %p1, %r8, 0;"


def by_block(i):
    return f"and.b32 %r8, %r4, {1 + i % 1023};\n\tsetp.ne.u32 %p1, %r8, 0;"


def by_extent(i):
    return f"setp.ge.u32 %p1, %r1, {i * 13};"


def nested_branches(depth):
    """One in the other."""
    return entry(repeat(depth, lambda i: f"\t{by_extent(depth - i)}\n\t@%p1 bra E{i};\n"
                                         f"\tld.global.f32 %f2, [%rd3+{4 * i}];\n") +
                 repeat(depth, lambda i: f"E{depth - 1 - i}:\n\tadd.f32 %f1, %f1, %f2;\n"))


def exits(count):
    return entry(repeat(count, lambda i: f"\tsetp.gt.u32 %p1, %r1, {1 << 20 | count - i};\n\t@%p1 ret;\n"))


def switch(count):
    """A table of targets, by data."""
    return entry(f"\tld.global.u32 %r7, [%rd3];\n\trem.u32 %r7, %r7, {count};\nT: .branchtargets " +
                 ", ".join(f"L{i}" for i in range(count)) + ";\n\tbrx.idx %r7, T;\n" +
                 repeat(count, lambda i: f"L{i}:\n\tadd.f32 %f1, %f1, %f2;\n\tbra E;\n") + "E:\n")


def back_edges(count):
    """Loops one after the other, of a few trips each."""
    return entry(repeat(count, lambda i: f"\tmov.u32 %r10, 0;\nL{i}:\n\tadd.s32 %r10, %r10, 1;\n"
                                         f"\tld.global.f32 %f2, [%rd3+{4 * i}];\n\tadd.f32 %f1, %f1, %f2;\n"
                                         f"\tsetp.lt.u32 %p1, %r10, {2 + i % 5};\n\t@%p1 bra L{i};\n"))


# ---- long-running ----

def nest(depth, trips, body):
    """Loops in loops; %r10 and up are their counters."""
    text = ""
    for d in range(depth):
        text += f"\tmov.u32 %r{10 + d}, 0;\nL{d}:\n"
    text += body
    for d in reversed(range(depth)):
        text += f"\tadd.s32 %r{10 + d}, %r{10 + d}, 1;\n\tsetp.lt.u32 %p1, %r{10 + d}, {trips};\n\t@%p1 bra L{d};\n"
    return entry(text)


LOAD_OF_LOOP = "\tmul.wide.u32 %rd6, %r10, 4;\n\tadd.s64 %rd7, %rd3, %rd6;\n\tld.global.f32 %f2, [%rd7];\n" \
               "\tadd.f32 %f1, %f1, %f2;\n"
LOAD_OF_ALL = "\tadd.s32 %r9, %r10, %r11;\n\tadd.s32 %r9, %r9, %r12;\n\tand.b32 %r9, %r9, 65535;\n" \
              "\tmul.wide.u32 %rd6, %r9, 4;\n\tadd.s64 %rd7, %rd3, %rd6;\n\tld.global.f32 %f2, [%rd7];\n"
GATHER_OF_LOOP = "\tand.b32 %r9, %r10, 65535;\n\tmul.wide.u32 %rd6, %r9, 4;\n\tadd.s64 %rd7, %rd3, %rd6;\n" \
                 "\tld.global.u32 %r8, [%rd7];\n\tmul.wide.u32 %rd6, %r8, 4;\n\tadd.s64 %rd7, %rd1, %rd6;\n" \
                 "\tld.global.f32 %f2, [%rd7];\n\tadd.f32 %f1, %f1, %f2;\n"
DIVERGENT = "\txor.b32 %r9, %r10, %r1;\n\tand.b32 %r9, %r9, 3;\n\tsetp.ne.u32 %p2, %r9, 0;\n\t@%p2 bra S;\n" \
            "\tld.global.f32 %f2, [%rd3];\n\tadd.f32 %f1, %f1, %f2;\nS:\n"
BARRIER = "\tst.shared.f32 [tile], %f1;\n\tbar.sync 0;\n\tld.shared.f32 %f2, [tile];\n\tbar.sync 0;\n"


def collatz():
    """Trips that only running tells."""
    return entry("\tadd.s32 %r7, %r1, 27;\nL:\n\tand.b32 %r8, %r7, 1;\n\tshr.u32 %r9, %r7, 1;\n"
                 "\tmad.lo.u32 %r10, %r7, 3, 1;\n\tsetp.eq.u32 %p2, %r8, 1;\n\tselp.b32 %r7, %r10, %r9, %p2;\n"
                 "\tadd.f32 %f1, %f1, %f2;\n\tsetp.gt.u32 %p1, %r7, 1;\n\t@%p1 bra L;\n")


def generator():
    """A pseudo-random walk of n steps through memory."""
    return entry("\tmov.u32 %r10, 0;\nL:\n\tmad.lo.u32 %r3, %r3, 1664525, 1013904223;\n\tshr.u32 %r9, %r3, 8;\n"
                 "\tmul.wide.u32 %rd6, %r9, 4;\n\tadd.s64 %rd7, %rd1, %rd6;\n\tld.global.f32 %f2, [%rd7];\n"
                 "\tadd.f32 %f1, %f1, %f2;\n\tadd.s32 %r10, %r10, 1;\n\tsetp.lt.u32 %p1, %r10, %r2;\n\t@%p1 bra L;\n")


def guarded():
    """A thread works where its datum says so."""
    return entry("\tand.b32 %r9, %r1, 16777215;\n\tmul.wide.u32 %rd6, %r9, 4;\n\tadd.s64 %rd7, %rd1, %rd6;\n"
                 "\tadd.s64 %rd4, %rd2, %rd6;\n\tld.global.u32 %r7, [%rd7];\n\tand.b32 %r8, %r7, 1023;\n"
                 "\tsetp.ne.u32 %p1, %r8, 0;\n\t@%p1 ret;\n" +
                 GATHER_OF_LOOP.replace("%r10", "%r7").replace("%rd3", "%rd1"))


def tiny():
    return entry("\tand.b32 %r9, %r1, 16777215;\n\tmul.wide.u32 %rd6, %r9, 4;\n\tadd.s64 %rd4, %rd2, %rd6;\n")


def calls(functions, calls_each):
    """A function that calls the next one several times, and so on."""
    text = ".func (.param .f32 y) f0(.param .f32 x)\n{\n\t.reg .f32 %f<4>;\n\tld.param.f32 %f1, [x];\n" \
           "\tadd.f32 %f1, %f1, %f1;\n\tst.param.f32 [y], %f1;\n\tret;\n}\n"
    call = "\t{{ .param .f32 a; .param .f32 b; st.param.f32 [a], %f1; call (b), {}, (a); ld.param.f32 %f1, [b]; }}\n"
    for i in range(1, functions):
        text += f".func (.param .f32 y) f{i}(.param .f32 x)\n{{\n\t.reg .f32 %f<4>;\n\tld.param.f32 %f1, [x];\n" + \
                call.format(f"f{i - 1}") * calls_each + "\tst.param.f32 [y], %f1;\n\tret;\n}\n"
    return entry(call.format(f"f{functions - 1}"), text)


def variables(count):
    """Names and contents of a module that no one reads."""
    return entry("", repeat(count, lambda i: f".global .align 4 .u32 v{i}[4] = {{{i}, 1, 2, 3}};\n"))


def table(count):
    return entry("", ".global .align 4 .u32 v[] = {" + ", ".join(str(i * 7 % 1000) for i in range(count)) + "};\n")


def entries(count):
    return HEADER + repeat(count, lambda i: f".visible .entry k{i}(.param .u64 p)\n{{\n\t.reg .b64 %rd<2>;\n"
                                            "\tld.param.u64 %rd1, [p];\n\tst.global.u32 [%rd1], 1;\n\tret;\n}\n")


MANY, NEVER = "2147483647", "4294967295"
# name: text, grid, contents of `in`, n
PTX = {
    "instructions": (lambda: instructions(1000000), "4096", BUFFER, "1"),
    "mixed": (lambda: mixed(1000000), "4096", BUFFER, "1"),
    "loads": (lambda: loads(200000), "4096", BUFFER, "1"),
    "gathers": (lambda: gathers(200000), "4096", RANDOM, "1"),
    "stores": (lambda: stores(200000), "4096", BUFFER, "1"),
    "shared": (lambda: shared_accesses(100000), "4096", BUFFER, "1"),
    "local": (lambda: local_accesses(100000), "4096", BUFFER, "1"),
    "swaps": (lambda: swaps(50000), "4096", BUFFER, "1"),
    "barriers": (lambda: barriers(100000), "4096", BUFFER, "1"),
    "registers": (lambda: registers(100000), "4096", BUFFER, "1"),
    "branches_thread": (lambda: branches(50000, by_thread), "4096", BUFFER, "1"),
    "branches_data": (lambda: branches(50000, by_data), "4096", RANDOM, "1"),
    "branches_block": (lambda: branches(50000, by_block), "4096", BUFFER, "1"),
    "branches_extent": (lambda: branches(50000, by_extent), "4096", BUFFER, "1"),
    "branches_nested": (lambda: nested_branches(1000), "4096", BUFFER, "1"),
    "exits": (lambda: exits(20000), "4096", BUFFER, "1"),
    "switch": (lambda: switch(10000), "4096", RANDOM, "1"),
    "loops": (lambda: back_edges(5000), "4096", BUFFER, "1"),
    "nest": (lambda: nest(12, 10, LOAD_OF_LOOP), "4096", BUFFER, "1"),
    "nest_of_all": (lambda: nest(4, 100, LOAD_OF_ALL), "4096", BUFFER, "1"),
    "nest_gather": (lambda: nest(4, 100, GATHER_OF_LOOP), "4096", RANDOM, "1"),
    "nest_divergent": (lambda: nest(3, 1000, DIVERGENT), "4096", BUFFER, "1"),
    "trips": (lambda: nest(1, 2147483647, LOAD_OF_LOOP.replace("%r10", "%r1")), "4096", BUFFER, "1"),
    "trips_gather": (lambda: nest(1, 2147483647, GATHER_OF_LOOP), "4096", RANDOM, "1"),
    "trips_divergent": (lambda: nest(1, 2147483647, DIVERGENT), "4096", BUFFER, "1"),
    "trips_barrier": (lambda: nest(1, 1000000, BARRIER).replace(".visible", ".shared .f32 tile;\n.visible"), "4096",
                      BUFFER, "1"),
    "collatz": (collatz, "65536", BUFFER, "1"),
    "walk": (generator, "4096", BUFFER.replace("256M", "1G"), "100000"),
    "blocks": (tiny, MANY, BUFFER, "1"),
    "blocks_guarded": (guarded, MANY, RANDOM, "1"),
    "blocks_extent": (lambda: branches(50, by_extent).replace("%rd3]", "%rd1]").replace("[%rd4]", "[%rd2]"), MANY,
                      BUFFER, "1"),
    "calls": (lambda: calls(2000, 1), "4096", BUFFER, "1"),
    "calls_twice": (lambda: calls(40, 2), "4096", BUFFER, "1"),
    "variables": (lambda: variables(100000), "4096", BUFFER, "1"),
    "table": (lambda: table(1000000), "4096", BUFFER, "1"),
    "entries": (lambda: entries(20000), "4096", None, None),
}


# ---- kernel files ----

def kernel_file(fields, accesses, loops="", more=""):
    return ("name: monster\nparams: {n: 4096}\ndomain: [n, n]\nfields:\n" +
            "".join(f"  {f}: {{type: f32}}\n" for f in fields) + (f"loops: {{{loops}}}\n" if loops else "") +
            "loads:\n" + "".join(f'  - "{a}"\n' for a in accesses) + 'stores: ["o[x + n*y]"]\nflops: 1\n' + more)


SHARED_FIELD = "  s: {type: f32, memory: shared}\n"
FILES = {
    "accesses": lambda: kernel_file("ao", [f"a[x + n*y + {i * 37 % 10007}]" for i in range(4000)]),
    "accesses_strided": lambda: kernel_file("ao", [f"a[{1 + i % 13}*x + n*y + {i * 37}]" for i in range(4000)]),
    "accesses_transposed": lambda: kernel_file("ao", [f"a[y + n*x + {i * 37}]" for i in range(4000)]),
    "accesses_tiled": lambda: kernel_file("ao", [f"a[n*x + y + n*n*{i}]" for i in range(400)]),
    "accesses_guarded": lambda: kernel_file("ao", [f"a[x + n*y + {i}] if x % {2 + i % 61} == 0" for i in range(4000)]),
    "accesses_random": lambda: kernel_file("ao", [f"a[random(x + {i}, n*n)]" for i in range(4000)]),
    "accesses_looped": lambda: kernel_file("ao", [f"a[x + n*i + j + k*{i}]" for i in range(4000)],
                                           "i: 1000, j: 1000, k: 1000"),
    "fields": lambda: kernel_file([f"a{i}" for i in range(4000)] + ["o"], [f"a{i}[x + n*y]" for i in range(4000)]),
    "loops": lambda: kernel_file("ao", ["a[x + n*i + j + 7*k]"], "i: 1000000, j: 1000000, k: 1000000"),
    "modulo": lambda: kernel_file("ao", [f"a[(x*{3 + i} + y*{5 + i}) % {1009 + i}]" for i in range(400)]),
    "terms": lambda: kernel_file("ao", ["a[x" + "".join(f" + {i}*y % {i + 3}" for i in range(20000)) + "]"]),
    "shared": lambda: kernel_file("ao", [f"s[x % 32 * {1 + i % 33} + {i}]" for i in range(4000)],
                                  more="shared_bytes: 65536\n").replace("  o:", SHARED_FIELD + "  o:"),
}


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def make(folder):
    """Writes all of them."""
    os.makedirs(folder, exist_ok=True)
    for name, (text, *_) in PTX.items():
        write(os.path.join(folder, name + ".ptx"), text())
    for name, text in FILES.items():
        write(os.path.join(folder, name + ".yaml"), text())


def cases(folder):
    """Their names, and the words behind `warpline predict`."""
    for name, (_, grid, contents, n) in PTX.items():
        words = [os.path.join(folder, name + ".ptx"), "--block", "128", "--grid", grid, "--registers", "32"]
        arguments = [contents, BUFFER, n] if contents else [BUFFER]
        words += [] if contents else ["--kernel", "k19999"]
        yield "monster " + name, words + [word for a in arguments for word in ("--arg", a)]
    for name in FILES:
        yield "monster file " + name, [os.path.join(folder, name + ".yaml"), "--block", "32x8"]


if __name__ == "__main__":
    make(sys.argv[1])
