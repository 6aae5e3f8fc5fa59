/* prop_ptx.c - random PTX kernels: recovered accesses are those of emulated warps, and the
 * resulting kernel file can be parsed.
 *
 * The oracle is the library's own check of some warps (src/ptx/kernel/verify.c), which adds a
 * note when it fails. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "effort.h"
#include "unit/checks.h"

#include "kernel/kernel_internal.h"
#include "warpline/ptx.h"

#define TRIALS 3000
#define LINES 16
#define TEXT_LENGTH 16384

static uint64_t state;

static size_t draw(size_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(state >> 33) % n;
}

/* # is one of six registers, ~ a number, $ a new label that is defined later. */
static const char *const lines[] = {
    "add.s32 %r#, %r#, %r#",
    "add.s32 %r#, %r#, ~",
    "sub.s32 %r#, %r#, %r#",
    "mul.lo.s32 %r#, %r#, %r#",
    "mul.lo.s32 %r#, %r#, ~",
    "mul.hi.u32 %r#, %r#, ~",
    "mul.hi.s32 %r#, %r#, ~",
    "mul.hi.u32 %r#, %r#, %r#",
    "mad.lo.s32 %r#, %r#, ~, %r#",
    "div.s32 %r#, %r#, %r#",
    "div.u32 %r#, %r#, ~",
    "div.s32 %r#, %r#, ~",
    "rem.s32 %r#, %r#, ~",
    "rem.u32 %r#, %r#, %r#",
    "and.b32 %r#, %r#, ~",
    "and.b32 %r#, %r#, %r#",
    "or.b32 %r#, %r#, %r#",
    "xor.b32 %r#, %r#, ~",
    "xor.b32 %r#, %r#, %r#",
    "not.b32 %r#, %r#",
    "neg.s32 %r#, %r#",
    "abs.s32 %r#, %r#",
    "shl.b32 %r#, %r#, ~",
    "shl.b32 %r#, %r#, %r#",
    "shr.u32 %r#, %r#, ~",
    "shr.s32 %r#, %r#, ~",
    "min.s32 %r#, %r#, %r#",
    "max.u32 %r#, %r#, ~",
    "bfe.u32 %r#, %r#, ~, ~",
    "bfi.b32 %r#, %r#, %r#, ~, ~",
    "prmt.b32 %r#, %r#, %r#, ~",
    "popc.b32 %r#, %r#",
    "cnot.b32 %r#, %r#",
    "set.lt.u32.s32 %r#, %r#, ~",
    "cvt.s64.s32 %rd#, %r#",
    "cvt.u64.u32 %rd#, %r#",
    "cvt.u32.u64 %r#, %rd#",
    "cvt.s32.s8 %r#, %r#",
    "cvt.u16.u32 %r#, %r#",
    "add.s64 %rd#, %rd#, %rd#",
    "mul.lo.s64 %rd#, %rd#, ~",
    "mul.wide.s32 %rd#, %r#, ~",
    "mad.wide.s32 %rd#, %r#, ~, %rd#",
    "shl.b64 %rd#, %rd#, ~",
    "shr.s64 %rd#, %rd#, ~",
    "xor.b64 %rd#, %rd#, ~",
    "rem.u64 %rd#, %rd#, ~",
    "mov.b64 {%r#, %r#}, %rd#",
    "mov.b64 %rd#, {%r#, %r#}",
    "mov.u32 %r#, ~",
    "mov.u32 %r#, %laneid",
    "mov.u32 %r#, %warpid",
    "mov.u32 %r#, %nctaid.x",
    "mov.u32 %r#, %tid.y",
    "setp.lt.s32 %p#, %r#, %r#",
    "setp.ge.u32 %p#|%p#, %r#, ~",
    "setp.lt.u32 %p#, %r#, ~",
    "setp.eq.s32 %p#, %r#, ~",
    "setp.ne.and.s32 %p#, %r#, ~, %p#",
    "setp.lt.xor.s32 %p#, %r#, ~, !%p#",
    "setp.gt.u64 %p#, %rd#, ~",
    "and.pred %p#, %p#, %p#",
    "or.pred %p#, %p#, %p#",
    "xor.pred %p#, %p#, %p#",
    "selp.b32 %r#, %r#, %r#, %p#",
    "selp.b64 %rd#, %rd#, ~, %p#",
    "@%p# add.s32 %r#, %r#, ~",
    "@!%p# mov.u32 %r#, ~",
    "@%p# bra L$",
    "@!%p# bra L$",
    "@%p# exit",
};

static const char *const addresses[] = {
    "and.b64 %rd7, %rd#, 16383;\nshl.b64 %rd7, %rd7, 2",
    "rem.u32 %r7, %r#, 16384;\nmul.wide.u32 %rd7, %r7, 4",
    "and.b32 %r7, %r#, 16383;\nmul.wide.s32 %rd7, %r7, 4",
};
static const char *const accesses[] = {
    "add.s64 %rd8, %rd9, %rd7;\nld.global.u32 %r8, [%rd8]",
    "add.s64 %rd8, %rd9, %rd7;\nst.global.u32 [%rd8], %r1",
    "add.s64 %rd8, %rd9, %rd7;\n@%p# ld.global.u32 %r8, [%rd8]",
    "add.s64 %rd8, %rd9, %rd7;\n@!%p# st.global.u32 [%rd8], %r1",
};

typedef struct program {
    char text[TEXT_LENGTH];
    size_t length;
    int labels;              /* so far */
    int open[LINES], opened; /* those not defined yet */
} program;

static void put(program *p, const char *text)
{
    p->length += (size_t)snprintf(p->text + p->length, sizeof p->text - p->length, "%s", text);
}

static void put_number(program *p)
{
    static const char *const numbers[] = {"0",           "1",          "2",    "3",     "4",      "5",
                                          "7",           "8",          "12",   "31",    "32",     "33",
                                          "64",          "100",        "128",  "255",   "1000",   "1024",
                                          "65535",       "-1",         "-7",   "-32",   "-1000",  "2147483647",
                                          "-2147483648", "4294967295", "4095", "65536", "-65536", "1431655766"},
                             *const far[] = {"9223372036854775807", "-9223372036854775808", "1152921504606846976"};
    put(p, draw(20) ? numbers[draw(COUNT_OF(numbers))] : far[draw(COUNT_OF(far))]);
}

static void put_line(program *p, const char *line)
{
    char piece[16];
    for (; *line; line++) {
        snprintf(piece, sizeof piece, "%c", *line);
        if (*line == '#')
            snprintf(piece, sizeof piece, "%d", 1 + (int)draw(6));
        if (*line == '$') {
            snprintf(piece, sizeof piece, "%d", p->labels);
            p->open[p->opened++] = p->labels++;
        }
        if (*line == '~')
            put_number(p);
        else
            put(p, piece);
    }
    put(p, ";\n");
}

static void put_label(program *p)
{
    char piece[16];
    snprintf(piece, sizeof piece, "L%d:\n", p->open[--p->opened]);
    put(p, piece);
}

static void put_access(program *p)
{
    put_line(p, addresses[draw(COUNT_OF(addresses))]);
    put_line(p, accesses[draw(COUNT_OF(accesses))]);
}

static void write_program(program *p)
{
    const bool loop = draw(4) == 0;
    p->length = 0;
    p->labels = p->opened = 0;
    put(p, ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 n)\n{\n"
           ".reg .pred %p<9>;\n.reg .b32 %r<10>;\n.reg .b64 %rd<10>;\nld.param.u64 %rd9, [a];\nld.param.u32 %r6, [n];\n"
           "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\nmad.lo.s32 %r5, %r2, %r3, %r4;\n"
           "mov.u32 %r1, %nctaid.x;\ncvt.u64.u32 %rd1, %r5;\ncvt.s64.s32 %rd2, %r4;\nmul.wide.s32 %rd3, %r5, 12;\n"
           "mov.u64 %rd4, 77;\ncvt.u64.u32 %rd5, %r2;\nmov.u64 %rd6, 5;\nsetp.lt.s32 %p1, %r4, 7;\n"
           "setp.gt.s32 %p2, %r5, 100;\nsetp.eq.s32 %p3, %r2, 0;\nsetp.ne.s32 %p4, %r4, 3;\n"
           "setp.lt.s32 %p5, %r5, %r6;\nmov.pred %p6, %p5;\nmov.u32 %r9, 0;\nAGAIN:\n");
    for (size_t i = 0, n = 1 + draw(LINES - 1); i < n; i++) {
        put_line(p, lines[draw(COUNT_OF(lines))]);
        if (p->opened && draw(3) == 0)
            put_label(p);
        if (draw(6) == 0)
            put_access(p);
    }
    while (p->opened)
        put_label(p);
    put_access(p);
    if (loop)
        put(p, "add.s32 %r9, %r9, 1;\nsetp.lt.s32 %p8, %r9, 5;\n@%p8 bra AGAIN;\n");
    put(p, "ret;\n}\n");
}

static bool is_readable(const wl_kernel *kernel)
{
    wl_error err = {0};
    char *yaml = NULL;
    wl_kernel *again = NULL;
    const bool ok = wl_kernel_show(kernel, &yaml, &err) == WL_OK &&
                    wl_kernel_parse("shown.yaml", yaml, strlen(yaml), NULL, &again, &err) == WL_OK;
    wl_kernel_free(again);
    free(yaml);
    return ok;
}

static bool is_taken_back(const wl_kernel *kernel)
{
    for (size_t i = 0; i < kernel->note_count; i++)
        if (strstr(kernel->notes[i], "not those of emulated warps"))
            return true;
    return false;
}

static void check_program(const program *p, int *recovered)
{
    static const int64_t blocks[] = {32, 64, 48, 7, 128}, grids[] = {1, 4, 9, 40, 1000000};
    const char *const args[] = {"buf:64K=iota:u32", draw(3) ? "1000" : "0"};
    wl_launch launch = {.block = {blocks[draw(COUNT_OF(blocks))], 1, 1}, .grid = {1, 1, 1}};
    launch.grid[0] = grids[draw(COUNT_OF(grids))];
    launch.block[1] += (int64_t)draw(2);
    launch.grid[1] += (int64_t)draw(2);
    const wl_ptx_options options = {.args = args, .arg_count = 2, .launch = launch, .budget = 20000};
    wl_error err = {0};
    wl_ptx *ptx = NULL;
    wl_kernel *kernel = NULL;
    const bool made = wl_ptx_parse("k.ptx", p->text, p->length, &ptx, &err) == WL_OK &&
                      wl_kernel_from_ptx(ptx, &options, &kernel, &err) == WL_OK;
    if (!made)
        print_error("line %d: %s\n", (int)err.loc.line, err.message);
    check_true("a random program", "becomes a kernel", made);
    if (made) {
        bool traced = false;
        for (size_t i = 0; i < kernel->access_count; i++)
            traced = traced || kernel->accesses[i].traced;
        *recovered += !traced;
        check_true("a random program", "is recovered as it is", !is_taken_back(kernel));
        check_true("a random program", "is a kernel file", is_readable(kernel));
    }
    if (check_failures)
        print_error("%s", p->text);
    wl_kernel_free(kernel);
    wl_ptx_free(ptx);
}

static void random_programs(void **unused)
{
    (void)unused;
    static program p;
    int recovered = 0;
    const int trials = (int)effort_cases(TRIALS);
    for (uint64_t trial = 0; trial < (uint64_t)trials && check_failures == 0; trial++) {
        state = trial * 7919 + 1;
        write_program(&p);
        check_program(&p, &recovered);
        if (check_failures)
            print_error("trial %llu\n", (unsigned long long)trial);
    }
    check_true("random programs", "are recovered mostly", recovered > trials / 2);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
