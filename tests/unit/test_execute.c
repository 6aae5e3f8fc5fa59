/* test_execute.c - launches that are carried out, on one thread and on several: what a kernel
 * leaves in memory, against the same in C. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "ptx/kernel/execute.h"
#include "unit/native_code.h"

#define BLOCKS 70
#define THREADS 96 /* three warps: more warps than one thread is worth */
#define COUNT (BLOCKS * THREADS)

/* %r1 is the number of the thread in the grid, %rd1 the only parameter. */
#define KERNEL(name, body)                                                                                             \
    ".visible .entry " name "(.param .u64 p)\n{\n"                                                                     \
    ".reg .pred %p<4>;\n.reg .b32 %r<12>;\n.reg .b64 %rd<12>;\n"                                                       \
    "ld.param.u64 %rd1, [p];\n"                                                                                        \
    "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.u32 %r1, %r2, 96, %r3;\n" body "ret;\n}\n"

static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
    /* sums that nobody reads, as red and as atom, in 32 and 64 bits; the odd lanes of some warps */
    KERNEL("sums", "red.global.add.u32 [%rd1], 1;\n"
                   "atom.global.add.u32 %r4, [%rd1+4], %r1;\n"
                   "cvt.u64.u32 %rd2, %r1;\n"
                   "red.global.add.u64 [%rd1+8], %rd2;\n"
                   "red.global.max.s32 [%rd1+16], %r1;\n"
                   "xor.b32 %r5, %r1, 0x5555;\n"
                   "red.global.min.u32 [%rd1+20], %r5;\n"
                   "and.b32 %r6, %r1, 1;\n"
                   "setp.eq.u32 %p1, %r6, 1;\n"
                   "@%p1 red.global.xor.b32 [%rd1+24], %r1;\n"
                   "shr.u32 %r7, %r1, 5;\n"
                   "and.b32 %r8, %r7, 31;\n"
                   "mov.u32 %r9, 1;\n"
                   "shl.b32 %r9, %r9, %r8;\n"
                   "red.global.or.b32 [%rd1+28], %r9;\n")
    /* each thread takes a number, and leaves its own there: blocks in order */
    KERNEL("tickets", "atom.global.add.u32 %r4, [%rd1], 1;\n"
                      "mul.wide.u32 %rd2, %r4, 4;\n"
                      "add.s64 %rd3, %rd1, %rd2;\n"
                      "st.global.u32 [%rd3+4], %r1;\n")
    /* lanes of a warp leave a loop one after the other */
    KERNEL("triangle", "and.b32 %r4, %r1, 31;\n"
                       "mov.u32 %r5, 0;\n"
                       "again: add.u32 %r5, %r5, %r4;\n"
                       "sub.u32 %r4, %r4, 1;\n"
                       "setp.gt.s32 %p1, %r4, 0;\n"
                       "@%p1 bra again;\n"
                       "mul.wide.u32 %rd2, %r1, 4;\n"
                       "add.s64 %rd3, %rd1, %rd2;\n"
                       "st.global.u32 [%rd3], %r5;\n")
    /* waits for 1000 cycles */
    KERNEL("waits", "mov.u64 %rd4, %clock64;\n"
                    "later: mov.u64 %rd5, %clock64;\n"
                    "sub.s64 %rd6, %rd5, %rd4;\n"
                    "setp.lt.s64 %p1, %rd6, 1000;\n"
                    "@%p1 bra later;\n"
                    "mul.wide.u32 %rd2, %r1, 4;\n"
                    "add.s64 %rd3, %rd1, %rd2;\n"
                    "st.global.u32 [%rd3], %rd6;\n")
    /* elements of all sizes: one after the other, at one address, backwards; shared and local
     * memory and atomics there; some lanes only */
    KERNEL("accesses", ".reg .b32 %a<10>;\n.reg .b16 %h<2>;\n.shared .align 4 .b8 s[512];\n.local .align 4 .b8 l[16];\n"
                       "cvt.u64.u32 %rd2, %r3;\nadd.s64 %rd3, %rd1, %rd2;\nld.global.s8 %a0, [%rd3];\n"
                       "add.s64 %rd4, %rd3, %rd2;\nld.global.u16 %a1, [%rd4];\n"
                       "mul.wide.u32 %rd5, %r3, 8;\nadd.s64 %rd6, %rd1, %rd5;\nld.global.v2.u32 {%a2, %a3}, [%rd6];\n"
                       "ld.global.s16 %a4, [%rd1+14];\n"
                       "sub.u32 %r4, 95, %r3;\nmul.wide.u32 %rd7, %r4, 4;\nadd.s64 %rd8, %rd1, %rd7;\n"
                       "ld.global.u32 %a5, [%rd8];\n"
                       "xor.b32 %r5, %r3, 5;\nshl.b32 %r5, %r5, 2;\nmov.u32 %r6, s;\nadd.u32 %r5, %r5, %r6;\n"
                       "mul.lo.u32 %r7, %r3, 3;\nst.shared.u32 [%r5], %r7;\nbar.sync 0;\n"
                       "shl.b32 %r8, %r3, 2;\nadd.u32 %r8, %r8, %r6;\nld.shared.u32 %a6, [%r8];\n"
                       "and.b32 %r9, %r3, 3;\nshl.b32 %r9, %r9, 2;\nmov.u32 %r10, l;\nadd.u32 %r10, %r10, %r9;\n"
                       "st.local.u32 [%r10], %r3;\nld.local.u32 %a7, [l+8];\n"
                       "and.b32 %r11, %r3, 1;\nsetp.eq.u32 %p1, %r11, 1;\nmov.u32 %a8, 1000;\nmov.u32 %a9, 1000;\n"
                       "@%p1 atom.shared.add.u32 %a8, [s+400], 2;\n@%p1 atom.shared.cas.b32 %a9, [s+404], 0, %r3;\n"
                       "@%p1 ld.global.u32 %a1, [%rd6];\n"
                       "mul.wide.u32 %rd9, %r3, 16;\nadd.s64 %rd10, %rd1, %rd9;\n"
                       "st.global.v4.u32 [%rd10+1024], {%a0, %a1, %a2, %a3};\n"
                       "st.global.v4.u32 [%rd10+2560], {%a4, %a5, %a6, %a7};\n"
                       "cvt.u16.u32 %h1, %a8;\nst.global.u8 [%rd3+4096], %h1;\n"
                       "cvt.u16.u32 %h1, %a9;\nst.global.u16 [%rd4+4224], %h1;\n")
    /* where its thread is in the block, of 5 x 3 x 2 */
    KERNEL("places", "mov.u32 %r4, %tid.y;\nmov.u32 %r5, %tid.z;\n"
                     "mad.lo.u32 %r6, %r5, 3, %r4;\nmad.lo.u32 %r7, %r6, 5, %r3;\n"
                     "shl.b32 %r8, %r5, 16;\nshl.b32 %r9, %r4, 8;\nor.b32 %r8, %r8, %r9;\nor.b32 %r8, %r8, %r3;\n"
                     "mul.wide.u32 %rd2, %r7, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r8;\n");

static wl_ptx *module;
static bool compiles; /* kernels run as machine code */

/* The same launch again, by machine code. */
static void run_compiled(const char *kernel, wl_ptx_runner *runner, const wl_ptx_work *work, const uint32_t *before,
                         uint32_t *words, size_t count)
{
    wl_error err = {0};
    wl_ptx_worked done = {0};
    const native_made made = native_compile(runner, "");
    if (made == NATIVE_REFUSED && strcmp(kernel, "waits") == 0) /* for a clock */
        return;
    if (made == NATIVE_NONE)
        skip();
    check_true(kernel, "it compiles", made == NATIVE_TAKEN);
    memcpy(words, before, count * sizeof *words);
    check_ok(kernel, wl_ptx_runner_run(runner, work, &done, &err), &err);
    check_true(kernel, "all blocks ran again", done.whole && !done.unknown[0]);
}

static void run(const char *kernel, const int64_t block[3], int64_t blocks, uint32_t *words, size_t count)
{
    wl_ptx_runner *runner = NULL;
    wl_error err = {0};
    wl_ptx_worked done = {0};
    const uint64_t address = (uint64_t)(uintptr_t)words;
    const wl_ptx_memory memory = {address, (int64_t)(count * sizeof *words), (uint8_t *)words};
    const wl_ptx_work work = {
        .grid = {blocks, 1, 1},
        .block = {block[0], block[1], block[2]},
        .image = {
            .params = (const uint8_t *)&address, .param_bytes = sizeof address, .memory = &memory, .memory_count = 1}};
    uint32_t *before = malloc(count * sizeof *before);
    memcpy(before, words, count * sizeof *words);
    check_ok(kernel, wl_ptx_runner_new(module, kernel, &runner, &err), &err);
    check_ok(kernel, wl_ptx_runner_run(runner, &work, &done, &err), &err);
    check_true(kernel, "all blocks ran", done.whole && !done.unknown[0]);
    if (compiles)
        run_compiled(kernel, runner, &work, before, words, count);
    free(before);
    uint8_t uses = 0;
    wl_ptx_runner_uses(runner, 1, &uses);
    check_true(kernel, "the memory is written", uses & WL_PTX_WORK_WRITES);
    wl_ptx_runner_free(runner);
}

static const int64_t row[3] = {THREADS, 1, 1};

static void use_threads(int count)
{
#ifdef _OPENMP
    omp_set_num_threads(count);
#else
    (void)count;
#endif
}

static void sums_are_the_same_on_several_threads(void **unused)
{
    (void)unused;
    uint32_t least = UINT32_MAX, odd = 0;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        sum += i;
        least = (i ^ 0x5555) < least ? i ^ 0x5555 : least;
        odd ^= i & 1 ? i : 0;
    }
    for (int threads = 1; threads <= 4; threads++) {
        uint32_t words[8] = {0};
        uint64_t wide;
        words[5] = UINT32_MAX;
        use_threads(threads);
        run("sums", row, BLOCKS, words, COUNT_OF(words));
        memcpy(&wide, words + 2, sizeof wide);
        check_int("sums", "count", words[0], COUNT);
        check_int("sums", "sum", words[1], (uint32_t)sum);
        check_int("sums", "64-bit sum", (int64_t)wide, (int64_t)sum);
        check_int("sums", "maximum", words[4], COUNT - 1);
        check_int("sums", "minimum", words[5], least);
        check_int("sums", "xor", words[6], odd);
        check_int("sums", "or", words[7], UINT32_MAX);
    }
    check_done();
}

static void numbers_are_taken_in_order(void **unused)
{
    (void)unused;
    uint32_t *words = calloc(COUNT + 1, sizeof *words);
    use_threads(4);
    run("tickets", row, BLOCKS, words, COUNT + 1);
    check_int("tickets", "taken", words[0], COUNT);
    for (uint32_t i = 0; i < COUNT; i++)
        check_int("tickets", "thread", words[1 + i], i);
    free(words);
    check_done();
}

static void lanes_leave_loops_by_themselves(void **unused)
{
    (void)unused;
    uint32_t *words = calloc(COUNT, sizeof *words);
    run("triangle", row, BLOCKS, words, COUNT);
    for (uint32_t i = 0; i < COUNT; i++)
        check_int("triangle", "sum", words[i], (i % 32) * (i % 32 + 1) / 2);
    free(words);
    check_done();
}

static void clocks_advance(void **unused)
{
    (void)unused;
    uint32_t words[2 * THREADS] = {0};
    run("waits", row, 2, words, COUNT_OF(words));
    for (size_t i = 0; i < COUNT_OF(words); i++)
        check_true("waits", "1000 cycles have passed, and not many more", words[i] >= 1000 && words[i] < 1100);
    check_done();
}

static void threads_have_places(void **unused)
{
    (void)unused;
    static const int64_t block[3] = {5, 3, 2};
    uint32_t words[30] = {0};
    run("places", block, 1, words, COUNT_OF(words));
    for (uint32_t i = 0; i < COUNT_OF(words); i++)
        check_int("places", "thread", words[i], i / 15 << 16 | i / 5 % 3 << 8 | i % 5);
    check_done();
}

static void elements_of_all_sizes(void **unused)
{
    (void)unused;
    uint8_t *bytes = calloc(4416 + 1, 1);
    int16_t half;
    uint16_t unsigned_half;
    for (int i = 0; i < 1024; i++)
        bytes[i] = (uint8_t)(i * 37 + i / 7);
    run("accesses", row, 1, (uint32_t *)(void *)bytes, 4416 / sizeof(uint32_t));
    for (uint32_t t = 0; t < THREADS; t++) {
        const uint32_t *in = (const uint32_t *)(const void *)bytes, *out = in + 256 + 4 * t, *more = in + 640 + 4 * t;
        memcpy(&unsigned_half, bytes + 2 * t, sizeof half);
        check_int("accesses", "s8", out[0], (uint32_t)(int32_t)(int8_t)bytes[t]);
        check_int("accesses", "u16, or u32 in odd lanes", out[1], t % 2 ? in[2 * t] : unsigned_half);
        check_int("accesses", "v2.x", out[2], in[2 * t]);
        check_int("accesses", "v2.y", out[3], in[2 * t + 1]);
        memcpy(&half, bytes + 14, sizeof half);
        check_int("accesses", "s16 at one address", more[0], (uint32_t)(int32_t)half);
        check_int("accesses", "backwards", more[1], in[THREADS - 1 - t]);
        check_int("accesses", "shared", more[2], 3 * (t ^ 5));
        check_int("accesses", "local", more[3], t % 4 == 2 ? t : 0);
        memcpy(&unsigned_half, bytes + 4224 + 2 * t, sizeof half);
        check_int("accesses", "added", bytes[4096 + t], t % 2 ? t / 2 * 2 : (uint8_t)1000);
        check_int("accesses", "swapped", unsigned_half, t % 2 == 0 ? 1000 : t == 1 ? 0 : 1);
    }
    free(bytes);
    check_done();
}

int main(void)
{
    wl_error err = {0};
    if (wl_ptx_parse("test", text, sizeof text - 1, &module, &err) != WL_OK) {
        print_error("%d: %s\n", err.loc.line, err.message);
        return 1;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_are_the_same_on_several_threads),
                                       cmocka_unit_test(numbers_are_taken_in_order),
                                       cmocka_unit_test(lanes_leave_loops_by_themselves),
                                       cmocka_unit_test(threads_have_places),
                                       cmocka_unit_test(clocks_advance),
                                       cmocka_unit_test(elements_of_all_sizes)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    compiles = true;
    failed += cmocka_run_group_tests(tests, NULL, NULL);
    wl_ptx_free(module);
    return failed;
}
