/* test_binary.c - device code in executables, objects, libraries, fatbins and cubins: files of
 * nvcc (tests/data/binary), files that are damaged in every way, and LZ4 by hand.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"
#include "unit/read_file.h"

#include <stdlib.h>

#include "binary/archive.h"
#include "binary/binary_file.h"
#include "binary/fatbin.h"
#include "binary/lz4.h"

#define FOLDER SOURCE_DIR "/tests/data/binary/"

/* Exactly the bytes: a sanitizer detects a read beyond them. */
static uint8_t *copy_of(const void *bytes, size_t length)
{
    uint8_t *copy = malloc(length ? length : 1);
    assert_non_null(copy);
    if (length > 0)
        memcpy(copy, bytes, length);
    return copy;
}

static uint8_t *load(const char *name, size_t *length)
{
    char path[512];
    (void)snprintf(path, sizeof path, FOLDER "%s", name);
    return (uint8_t *)read_file(path, length);
}

/* ---- files of nvcc ---- */

static const struct {
    const char *file, *what;
    size_t fatbins, codes;
} files[] = {{"app", "executable", 2, 6},    {"vec.obj", "object file", 1, 2}, {"libboth.a", "static library", 2, 6},
             {"lz4.fatbin", "fatbin", 1, 1}, {"plain.fatbin", "fatbin", 1, 1}, {"sass.cubin", "cubin", 1, 1}};

static void test_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        size_t length, kernels;
        uint8_t *bytes = load(files[i].file, &length);
        wl_binary *b = NULL;
        wl_error err = {0};
        assert_true(wl_binary_is(bytes, 8));
        check_ok(files[i].file, wl_binary_open(files[i].file, bytes, length, &b, &err), &err);
        assert_string_equal(wl_binary_what(b), files[i].what);
        assert_int_equal(wl_binary_fatbin_count(b), files[i].fatbins);
        assert_int_equal(wl_binary_code_count(b), files[i].codes);
        for (size_t k = 0; k < files[i].codes; k++) {
            check_ok(files[i].file, wl_binary_kernel_count(b, k, &kernels, &err), &err);
            assert_int_equal(kernels, 2);
        }
        assert_null(wl_binary_code_at(b, files[i].codes));
        wl_binary_free(b);
        free(bytes);
    }
}

/* The same text, however it is packed. */
static void test_packings(void **state)
{
    static const struct {
        const char *file;
        wl_binary_packing packing;
    } packed[] = {{"plain.fatbin", WL_BINARY_PLAIN}, {"lz4.fatbin", WL_BINARY_LZ4}};
    char *texts[2] = {NULL, NULL};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        size_t length, text_length;
        uint8_t *bytes = load(packed[i].file, &length);
        wl_bytes fatbin;
        wl_error err = {0};
        wl_fatbin_entry entry = {0};
        bool found = false;
        check_ok("find", wl_fatbin_find((wl_bytes){bytes, length}, &fatbin, &err), &err);
        assert_int_equal(fatbin.size, length);
        check_ok("next", wl_fatbin_next(fatbin, &entry, &found, &err), &err);
        assert_true(found);
        assert_int_equal(entry.code.packing, packed[i].packing);
        assert_int_equal(entry.code.arch, 80);
        check_ok("ptx", wl_fatbin_ptx(fatbin, 90, &texts[i], &text_length, &err), &err);
        assert_int_equal(strlen(texts[i]), text_length);
        assert_non_null(strstr(texts[i], ".target sm_80"));
        check_ok("next", wl_fatbin_next(fatbin, &entry, &found, &err), &err);
        assert_false(found);
        free(texts[i]);
        assert_int_equal(wl_fatbin_ptx(fatbin, 75, &texts[i], &text_length, &err), WL_E_UNSUPPORTED);
        err = (wl_error){0};
        check_ok("ptx", wl_fatbin_ptx(fatbin, 80, &texts[i], &text_length, &err), &err);
        free(bytes);
    }
    assert_string_equal(texts[0], texts[1]);
    free(texts[0]);
    free(texts[1]);
}

/* ---- the best PTX ---- */

static void test_best(void **state)
{
    static const struct {
        int arch;
        char variant;
        int expected;
        char expected_variant;
        bool runs;
    } rows[] = {
        {90, 'a', 90, 'a', true},   {90, '\0', 90, '\0', true}, {89, 'a', 80, '\0', true},
        {100, 'a', 90, '\0', true}, {75, 'a', 80, '\0', false}, {0, '\0', 90, 'a', true},
    };
    size_t length, code;
    bool runs;
    uint8_t *bytes = load("app", &length);
    wl_binary *b = NULL;
    wl_error err = {0};
    (void)state;
    check_ok("app", wl_binary_open("app", bytes, length, &b, &err), &err);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_true(wl_binary_best_ptx(b, 2, rows[i].arch, rows[i].variant, &code, &runs));
        const wl_binary_code *c = wl_binary_code_at(b, code);
        assert_int_equal(c->kind, WL_BINARY_PTX);
        assert_int_equal(c->arch, rows[i].expected);
        assert_int_equal(c->variant, rows[i].expected_variant);
        assert_int_equal(runs, rows[i].runs);
    }
    assert_false(wl_binary_best_ptx(b, 3, 90, 'a', &code, &runs));
    wl_binary_free(b);
    free(bytes);
}

/* compute_100f runs on sm_103, not on sm_110. */
static void test_families(void **state)
{
    const wl_binary_code family = {.kind = WL_BINARY_PTX, .arch = 100, .variant = 'f'};
    const wl_binary_code plain = {.kind = WL_BINARY_PTX, .arch = 100};
    (void)state;
    assert_true(wl_fatbin_suits(&family, 103, 'a') > wl_fatbin_suits(&plain, 103, 'a'));
    assert_int_equal(wl_fatbin_suits(&family, 103, '\0'), 0);
    assert_int_equal(wl_fatbin_suits(&family, 110, 'a'), 0);
    assert_true(wl_fatbin_suits(&plain, 110, 'a') > 0);
}

/* ---- damage ---- */

/* Opens a file and unpacks everything: a result or an error with a message. */
static wl_status try(const uint8_t *bytes, size_t length)
{
    wl_binary *b = NULL;
    wl_error err = {0};
    wl_status status = wl_binary_open("file", bytes, length, &b, &err);
    for (size_t i = 0; status == WL_OK && i < wl_binary_code_count(b); i++) {
        wl_error why = {0};
        size_t kernels;
        if (wl_binary_kernel_count(b, i, &kernels, &why) != WL_OK)
            err = why;
    }
    if (status == WL_OK)
        status = err.code;
    assert_true((status == WL_OK) == (err.message[0] == '\0'));
    wl_binary_free(b);
    return status;
}

static void test_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        size_t length;
        uint8_t *bytes = load(files[i].file, &length);
        for (size_t cut = 0; cut < length; cut += 1 + cut / 64) {
            uint8_t *part = copy_of(bytes, cut);
            const wl_status status = try(part, cut);
            if (strcmp(files[i].what, "fatbin") == 0)
                assert_true(status == WL_E_INPUT);
            free(part);
        }
        free(bytes);
    }
}

/* Each byte of the headers in turn has other values: sizes that are huge, kinds that do not
 * exist. */
static void test_changed(void **state)
{
    static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        size_t length;
        uint8_t *bytes = load(files[i].file, &length);
        for (size_t at = 0; at < length; at += at < 512 ? 1 : 7)
            for (size_t v = 0; v < COUNT_OF(values); v++) {
                const uint8_t before = bytes[at];
                bytes[at] = values[v];
                (void)try(bytes, length);
                bytes[at] = before;
            }
        assert_int_equal(try(bytes, length), WL_OK);
        free(bytes);
    }
}

static void put(uint8_t *bytes, size_t at, uint64_t number, int count)
{
    for (int i = 0; i < count; i++)
        bytes[at + (size_t)i] = (uint8_t)(number >> 8 * i);
}

/* What an entry of lz4.fatbin, behind the header of 16 bytes, says about itself. */
static void test_claims(void **state)
{
    static const struct {
        size_t at;
        int bytes;
        uint64_t value;
        wl_status status;
        const char *message;
    } claims[] = {
        {16 + 56, 8, (uint64_t)1 << 40, WL_E_LIMIT, "device code of more than 256 MiB is not unpacked"},
        {16 + 56, 8, (uint64_t)200 << 20, WL_E_INPUT, "a damaged fatbin: unpacked code cannot have the size it says"},
        {16 + 56, 8, 1600, WL_E_INPUT, "a damaged fatbin: its LZ4 data cannot be unpacked"},
        {16 + 40, 8, 0x8011, WL_E_INPUT, "a damaged fatbin: unpacked code cannot have the size it says"},
        {16 + 40, 8, 0x11, WL_E_UNSUPPORTED, "device code is packed in a way that is not known"},
        {16 + 16, 4, 100000, WL_E_INPUT, "a damaged fatbin: packed code is longer than its entry"},
        {16 + 8, 8, UINT64_MAX, WL_E_INPUT, "a damaged fatbin: an entry is longer than the fatbin"},
        {16 + 4, 4, 63, WL_E_INPUT, "a damaged fatbin: an entry is longer than the fatbin"},
        {8, 8, UINT64_MAX, WL_E_INPUT, "a damaged fatbin: it is longer than what holds it"},
        {8, 8, 63, WL_E_INPUT, "a damaged fatbin: an entry is cut off"},
        {4, 2, 2, WL_E_INPUT, "a damaged fatbin: its header is not that of version 1"},
    };
    size_t length;
    uint8_t *bytes = load("lz4.fatbin", &length);
    (void)state;
    for (size_t i = 0; i < COUNT_OF(claims); i++) {
        uint8_t *changed = copy_of(bytes, length);
        wl_binary *b = NULL;
        wl_error err = {0};
        char *text = NULL;
        size_t text_length;
        put(changed, claims[i].at, claims[i].value, claims[i].bytes);
        wl_status status = wl_binary_open("f", changed, length, &b, &err);
        if (status == WL_OK)
            status = wl_binary_unpack(b, 0, &text, &text_length, &err);
        assert_string_equal(err.message, claims[i].message);
        assert_int_equal(status, claims[i].status);
        assert_null(text);
        wl_binary_free(b);
        free(changed);
    }
    free(bytes);
}

/* Hosts and formats that are not read say so. */
static void test_other_files(void **state)
{
    static const struct {
        const char *file;
        size_t at;
        uint8_t value;
        wl_status status;
        const char *message;
    } rows[] = {
        {"vec.obj", 18, 62, WL_OK, ""},
        {"vec.obj", 18, 243, WL_E_UNSUPPORTED,
         "an ELF file for machine number 243: only those for x86-64, aarch64 and CUDA are read"},
        {"vec.obj", 4, 1, WL_E_UNSUPPORTED, "an ELF file of 32 bits: only those of 64 bits, little endian, are read"},
        {"vec.obj", 5, 2, WL_E_UNSUPPORTED,
         "an ELF file of a big-endian machine: only those of 64 bits, little endian, are read"},
        {"vec.obj", 58, 1, WL_E_INPUT, "a damaged ELF file: its sections cannot be found"},
        {"libboth.a", 2, 't', WL_E_INPUT, NULL},
        {"libboth.a", 8 + 58, '!', WL_E_INPUT, "a damaged archive: a header is missing at byte 8"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t length;
        uint8_t *bytes = load(rows[i].file, &length);
        wl_binary *b = NULL;
        wl_error err = {0};
        bytes[rows[i].at] = rows[i].value;
        assert_int_equal(wl_binary_open(rows[i].file, bytes, length, &b, &err), rows[i].status);
        if (rows[i].message)
            assert_string_equal(err.message, rows[i].message);
        wl_binary_free(b);
        free(bytes);
    }
    static const char windows[] = "MZ\220\0\3\0\0\0", thin[] = "!<thin>\n", text[] = "MZ: [1, 2]";
    wl_binary *b = NULL;
    wl_error err = {0};
    assert_true(wl_binary_is(windows, 8) && wl_binary_is(thin, 8) && !wl_binary_is(text, 8) && !wl_binary_is("", 0));
    assert_int_equal(wl_binary_open("w", windows, 8, &b, &err), WL_E_UNSUPPORTED);
    assert_string_equal(err.message, "a program for Windows: only ELF files are read");
    err = (wl_error){0};
    assert_int_equal(wl_binary_open("t", thin, 8, &b, &err), WL_E_UNSUPPORTED);
    assert_string_equal(err.message, "a thin archive, whose members are files of their own: give those");
}

/* ---- archives by hand ---- */

static void test_archive_names(void **state)
{
    static const char archive[] = "!<arch>\n"
                                  "//                                              12        `\n"
                                  "a_long_name/"
                                  "/0              0           0     0     644     3         `\nabc\n"
                                  "short.o/        0           0     0     644     2         `\nde"
                                  "#1/8            0           0     0     644     10        `\nbsd_name12";
    static const char *const expected[][2] = {{"a_long_name", "abc"}, {"short.o", "de"}, {"bsd_name", "12"}};
    const wl_bytes bytes = {(const uint8_t *)archive, sizeof archive - 1};
    wl_archive_member member = {0};
    wl_error err = {0};
    bool found = true;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(expected); i++) {
        check_ok("member", wl_archive_next(bytes, &member, &found, &err), &err);
        assert_true(found);
        assert_int_equal(member.name.size, strlen(expected[i][0]));
        assert_memory_equal(member.name.at, expected[i][0], member.name.size);
        assert_int_equal(member.contents.size, strlen(expected[i][1]));
        assert_memory_equal(member.contents.at, expected[i][1], member.contents.size);
    }
    check_ok("end", wl_archive_next(bytes, &member, &found, &err), &err);
    assert_false(found);
}

/* ---- LZ4 by hand ---- */

static void test_lz4(void **state)
{
    static const struct {
        const char *block;
        size_t length;
        const char *expected; /* NULL: damaged */
        size_t size;
    } rows[] = {
        {"\x50hello", 6, "hello", 5},
        {"\x22"
         "ab\x02\x00\x10z",
         7,
         "abababab"
         "z",
         9}, /* a match that reaches into itself */
        {"\x1f"
         "x\x01\x00\x03\x00",
         6, "xxxxxxxxxxxxxxxxxxxxxxx", 23},
        {"\xf0\x01"
         "0123456789abcdef",
         18, "0123456789abcdef", 16},
        {"\x50hello", 6, NULL, 4}, /* more than it should be */
        {"\x50hello", 6, NULL, 6}, /* less */
        {"\x50hel", 4, NULL, 5},   /* literals that are not there */
        {"\x22"
         "ab\x03\x00",
         5, NULL, 8}, /* a match before the start */
        {"\x22"
         "ab\x00\x00",
         5, NULL, 8}, /* a match of itself */
        {"\x22"
         "ab\x02",
         4, NULL, 8},                       /* half a distance */
        {"\xf0\xff\xff\xff", 4, NULL, 100}, /* a length without an end */
        {"\x1f"
         "x\x01\x00\xff",
         5, NULL, 300}, /* the same of a match */
        {"", 0, "", 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint8_t *block = copy_of(rows[i].block, rows[i].length), *to = malloc(rows[i].size + 1);
        assert_non_null(to);
        const bool made = wl_lz4_unpack((wl_bytes){block, rows[i].length}, to, rows[i].size);
        assert_int_equal(made, rows[i].expected != NULL);
        if (made)
            assert_memory_equal(to, rows[i].expected, rows[i].size);
        free(block);
        free(to);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),    cmocka_unit_test(test_packings),    cmocka_unit_test(test_best),
        cmocka_unit_test(test_families), cmocka_unit_test(test_cut),         cmocka_unit_test(test_changed),
        cmocka_unit_test(test_claims),   cmocka_unit_test(test_other_files), cmocka_unit_test(test_archive_names),
        cmocka_unit_test(test_lz4),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
