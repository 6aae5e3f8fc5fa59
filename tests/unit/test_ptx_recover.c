/* test_ptx_recover.c - small PTX bodies and the accesses, domains and loops recovered from them.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "unit/checks.h"

#include "kernel/kernel_internal.h"
#include "warpline/ptx.h"

#define HEAD                                                                                                           \
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)\n"  \
    "{\n.reg .pred %p<9>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<20>;\n.reg .f32 %f<9>;\n.shared .align 16 .b8 s[4096];\n"  \
    "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nld.param.u32 %r1, [n];\n"                                       \
    "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\nmad.lo.s32 %r5, %r2, %r3, %r4;\n"
#define GUARD "setp.ge.s32 %p1, %r5, %r1;\n@%p1 bra END;\n"
/* address %rd4 = a + 4 * register */
#define AT(reg) "mul.wide.s32 %rd3, " reg ", 4;\nadd.s64 %rd4, %rd1, %rd3;\n"
#define LOAD "ld.global.f32 %f1, [%rd4];\n"
/* a loop with %r6 = 0 to n - 1, in which %p3 skips what follows up to NEXT */
#define LOOP "mov.u32 %r6, 0;\nLOOP:\n"
#define SKIP "@%p3 bra NEXT;\nmad.lo.s32 %r8, %r6, 32, %r4;\n" AT("%r8") "st.global.f32 [%rd4], %f1;\n"
#define NEXT "NEXT:\nadd.s32 %r6, %r6, 1;\nsetp.lt.s32 %p4, %r6, %r1;\n@%p4 bra LOOP;\n"
#define BARRIER "bar.sync 0;\n"
/* tid <= %r6 < tid + 60: of a warp, some lanes at first, then all, then some, then none */
#define WINDOW                                                                                                         \
    "add.s32 %r7, %r4, 60;\nsetp.ge.s32 %p1, %r6, %r4;\nsetp.lt.s32 %p2, %r6, %r7;\nand.pred %p3, %p1, %p2;\n"
#define TAIL "END:\nret;\n}\n"

static const struct {
    const char *name, *body;
    int64_t block, grid;
    const char *n;
    const char *shows[4]; /* pieces of the kernel file */
    const char *hides[2];
    bool any_launch; /* the recovered kernel is valid for other launches */
} cases[] = {
    {"a guard is the domain", GUARD AT("%r5") LOAD, 128, 8, "1000", {"domain: [1000]", "arg_0[x]\""}, {" if "}, true},
    {"also where the launch fits it",
     GUARD AT("%r5") LOAD,
     128,
     8,
     "1024",
     {"domain: [1024]", "arg_0[x]\""},
     {" if "},
     true},
    {"an interior",
     "add.s32 %r6, %r1, -1;\nsetp.lt.s32 %p1, %r5, 1;\nsetp.ge.s32 %p2, %r5, %r6;\nor.pred %p3, %p1, %p2;\n@%p3 bra "
     "END;\n" AT("%r5") LOAD,
     128,
     8,
     "1000",
     {"domain: [999]", "from: [1]", "arg_0[x]\""},
     {" if "},
     true},
    {"a test after an access is a condition",
     GUARD AT("%r5") LOAD "setp.gt.s32 %p2, %r4, 15;\n@%p2 bra END;\nst.global.f32 [%rd4], %f1;\n",
     128,
     8,
     "1024",
     {"arg_0[x]\"", "arg_0[x] if (threadIdx.x <= 15)"},
     {NULL},
     false},
    {"remainders",
     GUARD "div.u32 %r6, %r5, 40;\nmul.lo.s32 %r7, %r6, 40;\nsub.s32 %r8, %r5, %r7;\n" AT("%r8") LOAD,
     128,
     8,
     "1024",
     {"arg_0[(x%40)]\""},
     {NULL},
     true},
    {"a division by 7 as a multiplication",
     GUARD "mul.wide.u32 %rd5, %r5, 1227133514;\nshr.u64 %rd6, %rd5, 33;\ncvt.u32.u64 %r6, %rd6;\n" AT("%r6") LOAD,
     128,
     8,
     "1024",
     {"arg_0[(x/7)]\""},
     {NULL},
     true},
    {"masks and shifts",
     GUARD "and.b32 %r6, %r5, 31;\nshr.u32 %r7, %r5, 5;\nshl.b32 %r8, %r7, 6;\nor.b32 %r9, %r8, %r6;\n" AT("%r9") LOAD,
     128,
     8,
     "1024",
     {"(x%32)", "64*(x/32)"},
     {"|"},
     true},
    {"a complement",
     GUARD "xor.b32 %r6, %r4, -1;\nadd.s32 %r7, %r6, 128;\n" AT("%r7") LOAD,
     128,
     8,
     "1024",
     {"arg_0[-threadIdx.x + 127]"},
     {NULL},
     true},
    {"a swizzle",
     GUARD "xor.b32 %r6, %r4, 5;\n" AT("%r6") LOAD,
     128,
     8,
     "1024",
     {"arg_0[(threadIdx.x ^ 5)]"},
     {NULL},
     true},
    {"clamping",
     GUARD "add.s32 %r6, %r5, -3;\nmax.s32 %r7, %r6, 0;\nmin.s32 %r8, %r7, 1000;\n" AT("%r8") LOAD,
     128,
     8,
     "1024",
     {"arg_0[min(max(x - 3, 0), 1000)]"},
     {NULL},
     true},
    {"a choice",
     GUARD "setp.lt.s32 %p2, %r4, 7;\nselp.b32 %r6, %r4, 9, %p2;\n" AT("%r6") LOAD,
     128,
     8,
     "1024",
     {"select((threadIdx.x <= 6), threadIdx.x, 9)"},
     {NULL},
     true},
    {"a loop",
     GUARD "mov.u32 %r6, %r5;\nmov.u32 %r10, 0;\nL:\n" AT("%r6") LOAD
     "add.s32 %r6, %r6, 1024;\nadd.s32 %r10, %r10, 1;\nsetp.lt.s32 %p2, %r10, 20;\n@%p2 bra L;\n",
     128,
     8,
     "1024",
     {"loops: {i: 20}", "arg_0[x + 1024*i]"},
     {NULL},
     true},
    {"a loop unrolled by two, with a remainder",
     GUARD "mov.u32 %r6, %r5;\nmov.u32 %r10, 0;\nL:\n" AT("%r6") LOAD
     "ld.global.f32 %f2, [%rd4+4096];\nadd.s32 %r6, %r6, 2048;\nadd.s32 %r10, %r10, 2;\nsetp.lt.s32 %p2, %r10, "
     "20;\n@%p2 bra L;\n" AT("%r6") LOAD,
     128,
     8,
     "1024",
     {"loops: {i: 21}", "arg_0[x + 1024*i]"},
     {NULL},
     true},
    {"a grid-stride loop",
     "mov.u32 %r6, %nctaid.x;\nmul.lo.s32 %r7, %r6, %r3;\nmov.u32 %r8, %r5;\nsetp.ge.s32 %p1, %r8, %r1;\n@%p1 bra "
     "END;\nL:\n" AT("%r8") LOAD "add.s32 %r8, %r8, %r7;\nsetp.lt.s32 %p2, %r8, %r1;\n@%p2 bra L;\n",
     128,
     8,
     "10000",
     {"loops: {i: 9}", "arg_0[x + 1024*i]", "if (x <= 783)"},
     {NULL},
     false},
    {"both sides of a divergent branch",
     "mov.u32 %r6, 5;\nsetp.lt.s32 %p2, %r4, 16;\n@%p2 bra A;\nadd.s32 %r6, %r4, 100;\nbra.uni B;\nA:\nadd.s32 %r6, "
     "%r4, 200;\nB:\n" AT("%r6") LOAD,
     128,
     8,
     "1024",
     {"select((threadIdx.x <= 15), threadIdx.x + 200, threadIdx.x + 100)"},
     {NULL},
     false},
    {"a predicated access",
     GUARD AT("%r5") "setp.eq.s32 %p2, %r4, 0;\n@%p2 " LOAD,
     128,
     8,
     "1024",
     {"arg_0[x] if (threadIdx.x == 0)"},
     {NULL},
     true},
    {"vectors",
     GUARD "mul.wide.s32 %rd3, %r5, 16;\nadd.s64 %rd4, %rd1, %rd3;\nld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd4];\n",
     128,
     8,
     "1024",
     {"arg_0[4*x : 4]"},
     {NULL},
     true},
    {"shared memory",
     "mov.u32 %r6, s;\nshl.b32 %r7, %r4, 3;\nadd.s32 %r8, %r6, %r7;\nld.shared.f32 %f1, [%r8+4];\n",
     128,
     8,
     "1024",
     {"shared: {type: f32, memory: shared}", "shared[2*threadIdx.x + 1]", "shared_bytes: 4096"},
     {NULL},
     true},
    {"an address from memory is traced",
     GUARD AT("%r5") "ld.global.u32 %r6, [%rd4];\nmul.wide.s32 %rd5, %r6, 4;\nadd.s64 %rd6, %rd2, %rd5;\nld.global.f32 "
                     "%f1, [%rd6];\n",
     128,
     8,
     "1024",
     {"arg_0[x]\"", "# Emulated", "load from arg_1"},
     {"arg_1["},
     false},
    {"a loop over data is traced",
     GUARD AT("%r5") "ld.global.u32 %r6, [%rd4];\nL:\nld.global.f32 %f1, [%rd2];\nadd.s32 %r6, %r6, -1;\nsetp.gt.s32 "
                     "%p2, %r6, 0;\n@%p2 bra L;\n",
     128,
     8,
     "1024",
     {"arg_0[x]\"", "load from arg_1"},
     {NULL},
     false},
    {"an early exit that depends on data: what follows is traced",
     AT("%r5") "ld.global.u32 %r6, [%rd4];\nsetp.eq.s32 %p2, %r6, 0;\n@%p2 ret;\nst.global.u32 [%rd4], %r6;\n",
     128,
     8,
     "1024",
     {"arg_0[x]\"", "# Emulated", "store to arg_0"},
     {"stores:"},
     false},
    {"a conversion to less than the register",
     "mul.lo.s32 %r6, %r5, 257;\ncvt.u16.u32 %r7, %r6;\n" AT("%r7") LOAD,
     128,
     8,
     "1024",
     {"arg_0[((257*x)%65536)]"},
     {NULL},
     true},
    {"remainders of products too large to be computed",
     "mov.u32 %r6, %r5;\nmul.lo.s32 %r6, %r6, 16777215;\nmul.lo.s32 %r6, %r6, 16777215;\n"
     "mul.lo.s32 %r6, %r6, 16777215;\nand.b32 %r6, %r6, 16383;\n" AT("%r6") LOAD,
     128,
     8,
     "1024",
     {NULL},
     {NULL},
     true},
    {"a base below 0, brought back by the offset",
     "mov.u32 %r10, s;\nmad.lo.s32 %r6, %r4, -64, %r10;\nsetp.gt.s32 %p2, %r4, 1;\n@%p2 bra END;\nld.shared.f32 %f1, "
     "[%r6+68];\n",
     128,
     8,
     "1024",
     {"shared[-16*threadIdx.x + 17] if (threadIdx.x <= 1)"},
     {"# note"},
     false},
    {"bits inserted",
     "and.b32 %r6, %r4, 7;\nshr.u32 %r7, %r4, 3;\nbfi.b32 %r8, %r7, %r6, 4, 28;\n" AT("%r8") LOAD,
     128,
     8,
     "1024",
     {"16*(threadIdx.x/8)", "(threadIdx.x%8)"},
     {"# note"},
     true},
    {"double buffering in a long loop",
     "mov.u32 %r10, s;\nmov.u32 %r6, 0;\nmov.u32 %r7, 0;\nL:\nshl.b32 %r8, %r7, 9;\nmad.lo.s32 %r9, %r4, 4, %r10;\n"
     "add.s32 %r9, %r9, %r8;\n"
     "ld.shared.f32 %f1, [%r9];\nxor.b32 %r7, %r7, 1;\nadd.s32 %r6, %r6, 1;\nsetp.lt.s32 %p2, %r6, 300000;\n@%p2 bra "
     "L;\n",
     128,
     8,
     "1024",
     {"loops: {i: 150000, j: 2}", "shared[threadIdx.x + 128*j + 0*i]"},
     {"# note"},
     true},
    {"a loop of a million accesses, with a condition at its end",
     "mov.u32 %r6, 0;\nmov.u32 %r7, %r4;\nL:\nsetp.gt.s32 %p3, %r7, 127;\nand.b32 %r8, %r7, 1023;\n" AT("%r8") LOAD
     "add.s32 %r7, %r7, 1024;\nadd.s32 %r6, %r6, 1;\nsetp.lt.s32 %p2, %r6, 1000000;\n@%p2 bra L;\n",
     128,
     8,
     "1024",
     {"loops: {i: 1000000}", "arg_0[threadIdx.x + 0*i]"},
     {"# note"},
     true},
    {"an address that depends on data is said to",
     GUARD AT("%r5") "ld.global.u32 %r6, [%rd4];\n" AT("%r6") LOAD,
     128,
     8,
     "1024",
     {"# note: 1 of 2 accesses have addresses that depend on data"},
     {"expression", NULL},
     false},
    {"an operation without an expression is named",
     "popc.b32 %r6, %r4;\n" AT("%r6") LOAD,
     128,
     8,
     "1024",
     {"1 of 1 accesses are emulated: no expression was found for the result of this instruction (popc.b32 %r6, %r4)"},
     {"depend on data"},
     false},
    {"an index computed with floating-point numbers",
     "cvt.rn.f32.s32 %f2, %r4;\nmul.f32 %f2, %f2, 0f3F000000;\ncvt.rzi.s32.f32 %r6, %f2;\n" AT("%r6") LOAD,
     128,
     8,
     "1024",
     {"1 of 1 accesses are emulated: addresses are computed with floating-point numbers"},
     {"depend on data"},
     false},
    {"an atomic of one address counts once",
     "atom.global.add.u32 %r6, [%rd1], 1;\n",
     128,
     8,
     "1024",
     {"atomics:", "% 32 == 0"},
     {NULL},
     true},
    {"a return inside a condition does not split what follows",
     "setp.lt.s32 %p1, %r4, 16;\n@%p1 bra JOIN;\nadd.s32 %r6, %r4, 1;\nsetp.gt.s32 %p2, %r4, 24;\n@%p2 exit;\n"
     "JOIN:\n" AT("%r5") LOAD,
     128,
     8,
     "1024",
     {"loads:\n  - \"arg_0[x] if"},
     {"\n  - \"arg_0[x] if threadIdx.x <= 15\"\n"},
     false},
    {"what threads compute before they leave is counted by emulation",
     "fma.rn.f32 %f1, %f2, %f3, %f4;\n" GUARD AT("%r5") LOAD,
     128,
     8,
     "1000",
     {"domain: [1000]", "are averages of a launch", "flops: 2.048\n"}, /* 2 x 1024 / 1000 */
     {NULL},
     false},
    {"an atomic of one address that the first lanes leave out is emulated",
     "setp.gt.s32 %p1, %r4, 14;\n@%p1 atom.global.add.u32 %r6, [%rd1], 1;\n",
     128,
     8,
     "1024",
     {NULL},
     {"atomics:"},
     false},
    {"an atomic of one address that the first lane makes is not",
     "setp.lt.s32 %p1, %r4, 14;\n@%p1 atom.global.add.u32 %r6, [%rd1], 1;\n",
     128,
     8,
     "1024",
     {"atomics:", "% 32 == 0"},
     {NULL},
     true},
    {"a condition of a loop that divides no lanes for a while",
     LOOP WINDOW SKIP NEXT,
     32,
     8,
     "200",
     {"loops: {i: 2, j: 31, k: 109}", "arg_0[threadIdx.x + 32*k + 2912]\""},
     {NULL},
     false},
    {"barriers where it does not hold for any lane are not counted",
     LOOP WINDOW SKIP BARRIER NEXT,
     32,
     8,
     "200",
     {"barriers: 171\n"},
     {NULL},
     false},
    {"nor where a remainder decides",
     LOOP
     "shl.b32 %r7, %r6, 4;\nadd.s32 %r7, %r7, %r4;\nand.b32 %r7, %r7, 63;\nsetp.ge.s32 %p3, %r7, 32;\n" SKIP BARRIER
         NEXT,
     32,
     8,
     "200",
     {"barriers: 150\n"},
     {NULL},
     false},
    {"a condition that all threads meet in the first trip only",
     LOOP "shl.b32 %r7, %r6, 4;\nadd.s32 %r7, %r7, %r4;\nsetp.gt.s32 %p1, %r7, 1071;\nsetp.lt.s32 %p2, %r4, 5;\n"
          "or.pred %p3, %p1, %p2;\n" SKIP NEXT,
     32,
     8,
     "200",
     {"(-threadIdx.x - 16*i + 1055) >= 0"},
     {NULL},
     false},
    {"a condition of two loops divides no threads",
     "mov.u32 %r9, 0;\nOUTER:\n" LOOP "setp.ne.s32 %p3, %r6, %r9;\n" SKIP NEXT
     "add.s32 %r9, %r9, 1;\nsetp.lt.s32 %p5, %r9, %r1;\n@%p5 bra OUTER;\n",
     32,
     8,
     "40",
     {"loops: {i: 40}", "arg_0[threadIdx.x + 32*i]\"", "mix:"},
     {" if "},
     true},
};

static void recovered(void **unused)
{
    (void)unused;
    static const char *const args[] = {"buf:1M=random:u32:0..15", "buf:1M", NULL};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[4096];
        const char *all[3] = {args[0], args[1], cases[i].n};
        wl_ptx *ptx = NULL;
        wl_kernel *kernel = NULL;
        char *yaml = NULL;
        wl_error err = {0};
        snprintf(text, sizeof text, "%s%s%s", HEAD, cases[i].body, TAIL);
        const wl_ptx_options options = {
            .args = all, .arg_count = 3, .launch = {.block = {cases[i].block, 1, 1}, .grid = {cases[i].grid, 1, 1}}};
        if (wl_ptx_parse("k.ptx", text, strlen(text), &ptx, &err) != WL_OK ||
            wl_kernel_from_ptx(ptx, &options, &kernel, &err) != WL_OK || wl_kernel_show(kernel, &yaml, &err) != WL_OK) {
            print_error("%s: line %d: %s\n", cases[i].name, (int)err.loc.line, err.message);
            check_failures++;
        } else {
            bool shown = true;
            for (int s = 0; s < 4 && cases[i].shows[s]; s++)
                shown = shown && strstr(yaml, cases[i].shows[s]);
            for (int s = 0; s < 2 && cases[i].hides[s]; s++)
                shown = shown && !strstr(yaml, cases[i].hides[s]);
            check_true(cases[i].name, "shows what is expected", shown);
            if (!shown)
                print_error("%s\n", yaml);
            check_true(cases[i].name, "depends on the launch as expected",
                       (kernel->source.at_launch == NULL) == cases[i].any_launch);
            check_true(cases[i].name, "was not taken back", !strstr(yaml, "not those of emulated warps"));
        }
        free(yaml);
        wl_kernel_free(kernel);
        wl_ptx_free(ptx);
    }
    check_done();
}

/* Expressions that double with every instruction: 2^60 nodes as a tree. */
static void doubled(void **unused)
{
    (void)unused;
    static const char *const steps[] = {
        "mul.lo.s32 %r6, %r6, %r6;\nand.b32 %r6, %r6, 1023;\n",
        "xor.b32 %r7, %r6, 21;\nmul.lo.s32 %r6, %r6, %r7;\nrem.u32 %r6, %r6, 1000;\n",
        "shr.u32 %r7, %r6, 1;\nmax.s32 %r8, %r6, 7;\nxor.b32 %r6, %r7, %r8;\n",
        "setp.gt.s32 %p2, %r6, 99;\nshr.u32 %r7, %r6, 1;\nadd.s32 %r8, %r6, 5;\nselp.b32 %r6, %r7, %r8, %p2;\n",
        "setp.gt.s32 %p2, %r6, 40;\n@%p2 shr.u32 %r6, %r6, 1;\nadd.s32 %r6, %r6, 3;\n",
        "xor.pred %p3, %p2, %p4;\nor.pred %p2, %p3, %p4;\nxor.pred %p4, %p2, %p3;\nselp.b32 %r6, %r4, 9, %p4;\n",
    };
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        static char text[1 << 16];
        static const char *const args[] = {"buf:1M", "buf:1M", "1024"};
        const wl_ptx_options options = {
            .args = args, .arg_count = 3, .launch = {.block = {64, 1, 1}, .grid = {4, 1, 1}}};
        wl_ptx *ptx = NULL;
        wl_kernel *kernel = NULL;
        wl_error err = {0};
        size_t used = (size_t)snprintf(text, sizeof text,
                                       "%smov.u32 %%r6, %%r4;\nsetp.lt.s32 %%p2, %%r4, 3;\n"
                                       "setp.lt.s32 %%p4, %%r4, 17;\n",
                                       HEAD);
        for (int repeat = 0; repeat < 60; repeat++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s", steps[i]);
        snprintf(text + used, sizeof text - used, "%s", AT("%r6") LOAD TAIL);
        const clock_t begin = clock();
        check_true(steps[i], "is PTX", wl_ptx_parse("k.ptx", text, strlen(text), &ptx, &err) == WL_OK);
        if (wl_kernel_from_ptx(ptx, &options, &kernel, &err) != WL_OK) {
            print_error("%s: line %d: %s\n", steps[i], (int)err.loc.line, err.message);
            check_failures++;
        }
        check_true(steps[i], "takes less than 10 s", clock() - begin < 10 * CLOCKS_PER_SEC);
        wl_kernel_free(kernel);
        wl_ptx_free(ptx);
    }
    check_done();
}

/* A filter that is written out has thousands of loads from shared memory, each executed once: they
 * are accesses, too, and nothing is traced for them. */
static void written_out(void **unused)
{
    (void)unused;
    enum { LOADS = 3000 };
    static char text[1 << 17];
    static const char *const args[] = {"buf:1M", "buf:1M", "1024"};
    const wl_ptx_options options = {.args = args, .arg_count = 3, .launch = {.block = {64, 1, 1}, .grid = {4, 1, 1}}};
    wl_ptx *ptx = NULL;
    wl_kernel *kernel = NULL;
    char *yaml = NULL;
    wl_error err = {0};
    size_t used = (size_t)snprintf(text, sizeof text, "%s%s", HEAD,
                                   AT("%r5") LOAD "shl.b32 %r7, %r4, 2;\nmov.u32 %r8, s;\nadd.s32 %r6, %r7, %r8;\n");
    for (int i = 0; i < LOADS; i++) /* in no order that a loop would have */
        used += (size_t)snprintf(text + used, sizeof text - used, "ld.shared.f32 %%f2, [%%r6+%d];\n",
                                 i * i % 251 * 4 + i % 7 * 256);
    snprintf(text + used, sizeof text - used, "%s", TAIL);
    check_true("written out", "is PTX", wl_ptx_parse("k.ptx", text, strlen(text), &ptx, &err) == WL_OK);
    if (wl_kernel_from_ptx(ptx, &options, &kernel, &err) == WL_OK && wl_kernel_show(kernel, &yaml, &err) == WL_OK) {
        check_true("written out", "nothing is emulated", !strstr(yaml, "emulated"));
        check_true("written out", "shared loads are there", strstr(yaml, "shared[threadIdx.x + 1"));
        check_true("written out", "depends on no launch", kernel->source.at_launch == NULL);
    } else {
        print_error("line %d: %s\n", (int)err.loc.line, err.message);
        check_failures++;
    }
    free(yaml);
    wl_kernel_free(kernel);
    wl_ptx_free(ptx);
    check_done();
}

static void refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *name, *body;
        const char *args[4];
        wl_status status;
        const char *message;
    } bad[] = {
        {"an address outside a buffer",
         AT("%r5") LOAD,
         {"buf:64", "buf:64", "7"},
         WL_E_BOUNDS,
         "offset 64 of arg 0, which has 64"},
        {"an endless loop",
         "L:\nadd.s32 %r6, %r6, 2;\nbra L;\n",
         {"buf:64", "buf:64", "7"},
         WL_E_LIMIT,
         "a loop that does not end?"},
        {"too few arguments", "", {"buf:64", "buf:64"}, WL_E_INPUT, "takes 3 arguments (u64, u64, u32), 2 given"},
        {"a buffer for a number", "", {"buf:64", "buf:64", "buf:64"}, WL_E_INPUT, "no 64-bit address"},
        {"a number that does not fit", "", {"buf:64", "buf:64", "5000000000"}, WL_E_INPUT, "5000000000"},
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        char text[4096];
        wl_ptx *ptx = NULL;
        wl_kernel *kernel = NULL;
        wl_error err = {0};
        size_t count = 0;
        while (bad[i].args[count])
            count++;
        snprintf(text, sizeof text, "%s%s%s", HEAD, bad[i].body, TAIL);
        check_true(bad[i].name, "is PTX", wl_ptx_parse("k.ptx", text, strlen(text), &ptx, &err) == WL_OK);
        const wl_ptx_options options = {.args = bad[i].args,
                                        .arg_count = count,
                                        .budget = 100000,
                                        .launch = {.block = {64, 1, 1}, .grid = {4, 1, 1}}};
        const wl_status status = wl_kernel_from_ptx(ptx, &options, &kernel, &err);
        check_int(bad[i].name, "status", status, bad[i].status);
        if (!strstr(err.message, bad[i].message)) {
            print_error("%s: %s\n", bad[i].name, err.message);
            check_failures++;
        }
        check_true(bad[i].name, "gives no kernel", kernel == NULL);
        wl_ptx_free(ptx);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(recovered), cmocka_unit_test(doubled),
                                       cmocka_unit_test(written_out), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
