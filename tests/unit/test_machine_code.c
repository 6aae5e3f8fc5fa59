/* test_machine_code.c - instructions and lines of cubins that ptxas made (tests/data/machine), as
 * nvdisasm shows them; and cubins that are damaged in every way.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"
#include "unit/read_file.h"

#include <stdlib.h>

#include "machine/machine_code.h"

#define FOLDER SOURCE_DIR "/tests/data/machine/"

static const struct {
    const char *file, *kernel;
    int32_t at; /* address */
    const char *operation;
    int32_t line, target;
    bool guarded;
} cases[] = {
    {"kernels.sm_90.cubin", "sum", 0x000, "LDC", 8, -1, false},
    {"kernels.sm_90.cubin", "sum", 0x060, "BRA", 22, 0x330, true},
    {"kernels.sm_90.cubin", "sum", 0x0b0, "IMAD", 19, -1, false},
    {"kernels.sm_90.cubin", "sum", 0x160, "LDG", 25, -1, false},
    {"kernels.sm_90.cubin", "sum", 0x1f0, "BRA", 30, 0x110, true},
    {"kernels.sm_90.cubin", "sum", 0x360, "EXIT", 35, -1, false},
    {"kernels.sm_90.cubin", "sum", 0x370, "BRA", 35, 0x370, false},
    {"kernels.sm_90.cubin", "clip", 0x080, "EXIT", 52, -1, true},
    {"kernels.sm_90.cubin", "divide", 0x110, "CALL", 70, -1, false},
    {"kernels.sm_90.cubin", "divide", 0x2e0, "BRA", 72, -2, true}, /* @!P1 BRA !P2 */
    {"kernels.sm_90.cubin", "rounds", 0x130, "BAR", 84, -1, true},
    {"kernels.sm_75.cubin", "sum", 0x060, "BRA", 22, 0x320, true},
    {"kernels.sm_75.cubin", "sum", 0x120, "LDG", 25, -1, false},
    {"kernels.sm_75.cubin", "sum", 0x1e0, "BRA", 30, 0x100, true},
};

static void test_instructions(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char path[512], name[64];
        size_t length;
        wl_arena arena = {0};
        wl_machine_code code;
        wl_machine_kernel kernel;
        wl_error err = {0};
        (void)snprintf(path, sizeof path, FOLDER "%s", cases[i].file);
        (void)snprintf(name, sizeof name, "%s %s %x", cases[i].file, cases[i].kernel, (unsigned)cases[i].at);
        char *bytes = read_file(path, &length);
        check_ok(name, wl_machine_code_open((wl_bytes){(uint8_t *)bytes, length}, &code, &err), &err);
        check_ok(name, wl_machine_kernel_read(&code, cases[i].kernel, &arena, &kernel, &err), &err);
        check_int(name, "unknown", kernel.unknown, -1);
        assert_true(cases[i].at / 16 < kernel.count);
        const wl_machine_instruction *in = &kernel.list[cases[i].at / 16];
        check_text(name, "operation", in->operation->name, cases[i].operation);
        check_int(name, "line", in->line, cases[i].line);
        check_int(name, "guarded", in->guarded, cases[i].guarded);
        if (cases[i].target >= -1)
            check_int(name, "target", in->target, cases[i].target < 0 ? -1 : cases[i].target / 16);
        wl_arena_free(&arena);
        free(bytes);
    }
    check_done();
}

static void read_all(const uint8_t *bytes, size_t length)
{
    static const char *const kernels[] = {"sum", "divide"};
    wl_machine_code code;
    wl_error err = {0};
    if (wl_machine_code_open((wl_bytes){bytes, length}, &code, &err) != WL_OK) {
        assert_true(err.message[0] != '\0');
        return;
    }
    for (size_t k = 0; k < COUNT_OF(kernels); k++) {
        wl_arena arena = {0};
        wl_machine_kernel kernel;
        err = (wl_error){0};
        const wl_status status = wl_machine_kernel_read(&code, kernels[k], &arena, &kernel, &err);
        assert_true((status == WL_OK) == (err.message[0] == '\0'));
        for (int32_t i = 0; i < kernel.count && status == WL_OK; i++)
            assert_true(kernel.list[i].target < kernel.count && kernel.list[i].operation);
        wl_arena_free(&arena);
    }
}

/* Copies of exactly the bytes there are: a sanitizer detects a read beyond them. */
static void test_damaged(void **state)
{
    (void)state;
    size_t length;
    char *bytes = read_file(FOLDER "kernels.sm_75.cubin", &length);
    for (size_t cut = 0; cut < length; cut += cut < 256 ? 1 : 61) {
        uint8_t *copy = malloc(cut + 1);
        assert_non_null(copy);
        memcpy(copy, bytes, cut);
        read_all(copy, cut);
        free(copy);
    }
    for (size_t at = 0; at < length; at += at < 4096 ? 1 : 17)
        for (int bit = 0; bit < 8; bit += 7) {
            bytes[at] = (char)(bytes[at] ^ 1 << bit);
            read_all((const uint8_t *)bytes, length);
            bytes[at] = (char)(bytes[at] ^ 1 << bit);
        }
    free(bytes);
}

static void test_refused(void **state)
{
    (void)state;
    size_t length;
    char *bytes = read_file(FOLDER "kernels.sm_75.cubin", &length);
    wl_machine_code code;
    wl_machine_kernel kernel;
    wl_arena arena = {0};
    wl_error err = {0};
    assert_int_equal(wl_machine_code_open((wl_bytes){(const uint8_t *)"text", 4}, &code, &err), WL_E_INPUT);
    err = (wl_error){0};
    check_ok("cubin", wl_machine_code_open((wl_bytes){(uint8_t *)bytes, length}, &code, &err), &err);
    assert_int_equal(wl_machine_kernel_read(&code, "none", &arena, &kernel, &err), WL_E_INPUT);
    assert_string_equal(err.message, "there is no machine code of none");
    wl_arena_free(&arena);
    free(bytes);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_instructions), cmocka_unit_test(test_damaged),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
