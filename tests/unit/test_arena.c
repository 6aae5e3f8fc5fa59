/* test_arena.c - base/arena.h and base/ckd.h. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include "base/arena.h"
#include "base/ckd.h"

/* Every object is zeroed, aligned, apart from the others, and keeps its content. */
static void test_objects(void **state)
{
    enum { OBJECTS = 2000 };
    static unsigned char *at[OBJECTS];
    static size_t bytes[OBJECTS];
    (void)state;
    wl_arena arena = {0};
    uint64_t seed = 7;
    for (size_t i = 0; i < OBJECTS; i++) {
        bytes[i] = (size_t)check_random_in(&seed, 0, i % 100 == 0 ? 40000 : 200);
        at[i] = wl_arena_alloc(&arena, bytes[i], 1);
        assert_non_null(at[i]);
        check_int("object", "alignment", (int64_t)((uintptr_t)at[i] % _Alignof(max_align_t)), 0);
        for (size_t k = 0; k < bytes[i]; k++)
            check_int("fresh object", "byte", at[i][k], 0);
        memset(at[i], (int)(i % 255 + 1), bytes[i]);
    }
    for (size_t i = 0; i < OBJECTS; i++)
        for (size_t k = 0; k < bytes[i]; k++)
            check_int("kept object", "byte", at[i][k], (int64_t)(i % 255 + 1));
    wl_arena_free(&arena);
    check_true("freed arena", "is empty", arena.chunks == NULL);
    wl_arena_free(&arena); /* twice is fine */
    check_true("freed arena", "works again", wl_arena_alloc(&arena, 1, 8) != NULL);
    wl_arena_free(&arena);
    check_done();
}

static void test_sizes(void **state)
{
    static const struct {
        const char *name;
        size_t count, size;
        bool ok;
    } cases[] = {
        {"nothing", 0, 0, true},
        {"no objects", 0, 8, true},
        {"objects of no size", 8, 0, true},
        {"one byte", 1, 1, true},
        {"product overflows", SIZE_MAX / 2, 4, false},
        {"product wraps to a small number", ((size_t)1 << 63) + 1, 2, false},
        {"half of all memory", SIZE_MAX / 4 + 1, 4, false},
        {"all memory", SIZE_MAX, 1, false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        wl_arena arena = {0};
        check_int(cases[i].name, "allocated", wl_arena_alloc(&arena, cases[i].count, cases[i].size) != NULL,
                  cases[i].ok);
        wl_arena_free(&arena);
    }
    check_done();
}

static void test_text(void **state)
{
    (void)state;
    wl_arena arena = {0};
    check_text("whole", "copy", wl_arena_text(&arena, "abc", 3), "abc");
    check_text("part", "copy", wl_arena_text(&arena, "abc", 2), "ab");
    check_text("empty", "copy", wl_arena_text(&arena, "", 0), "");
    wl_arena_free(&arena);
    check_done();
}

#define TOP (WL_ADDRESS_LIMIT - 1)

static void test_checked_arithmetic(void **state)
{
    static const struct {
        const char *name;
        char op;
        int64_t a, b;
        bool ok;
        int64_t want;
    } cases[] = {
        {"small sum", '+', 2, -5, true, -3},
        {"up to the limit", '+', TOP - 1, 1, true, TOP},
        {"over the limit", '+', TOP, 1, false, 0},
        {"under the limit", '+', -TOP, -1, false, 0},
        {"over int64", '+', INT64_MAX, INT64_MAX, false, 0},
        {"small product", '*', -3, 7, true, -21},
        {"product at the limit", '*', (int64_t)1 << 30, ((int64_t)1 << 30) - 1, true,
         ((int64_t)1 << 60) - ((int64_t)1 << 30)},
        {"product over the limit", '*', (int64_t)1 << 30, (int64_t)1 << 30, false, 0},
        {"product over int64", '*', INT64_MIN, -1, false, 0},
        {"product wraps to 0", '*', (int64_t)1 << 32, (int64_t)1 << 32, false, 0},
        {"floor of a negative", '/', -7, 2, true, -4},
        {"floor of an exact negative", '/', -8, 2, true, -4},
        {"floor of a positive", '/', 7, 2, true, 3},
        {"floor of zero", '/', 0, 5, true, 0},
        {"remainder of a negative", '%', -7, 3, true, 2},
        {"remainder of an exact negative", '%', -6, 3, true, 0},
        {"remainder of a positive", '%', 7, 3, true, 1},
        {"ceiling of a positive", 'c', 7, 2, true, 4},
        {"ceiling of a negative", 'c', -7, 2, true, -3},
        {"ceiling of an exact", 'c', 8, 2, true, 4},
        {"round up", 'r', 273, 16, true, 288},
        {"round up an exact", 'r', 288, 16, true, 288},
        {"gcd", 'g', 12, 18, true, 6},
        {"gcd of negatives", 'g', -12, -18, true, 6},
        {"gcd with zero", 'g', 0, -5, true, 5},
        {"gcd of zeros", 'g', 0, 0, true, 0},
        {"quotient of less", 'q', 6, 7, true, 0},
        {"quotient of equals", 'q', 7, 7, true, 1},
        {"quotient of 32 bits", 'q', 4294967295, 10, true, 429496729},
        {"quotient of more", 'q', 4294967296, 10, true, 429496729},
        {"quotient by more", 'q', ((int64_t)1 << 59) + 5, (int64_t)1 << 33, true, (int64_t)1 << 26},
        {"power of two", 'p', 64, 0, true, 1},
        {"no power of two", 'p', 96, 0, true, 0},
        {"zero is none", 'p', 0, 0, true, 0},
        {"a negative is none", 'p', INT64_MIN, 0, true, 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const int64_t a = cases[i].a, b = cases[i].b;
        int64_t got = -99;
        bool ok = true;
        switch (cases[i].op) {
        case '+': ok = wl_add(a, b, &got); break;
        case '*': ok = wl_mul(a, b, &got); break;
        case '/': got = wl_floor_div(a, b); break;
        case '%': got = wl_floor_mod(a, b); break;
        case 'c': got = wl_ceil_div(a, b); break;
        case 'r': got = wl_round_up(a, b); break;
        case 'g': got = wl_gcd(a, b); break;
        case 'q': got = wl_divide(a, b); break;
        default: got = wl_is_pow2(a); break;
        }
        check_int(cases[i].name, "in range", ok, cases[i].ok);
        /* left alone on failure */
        check_int(cases[i].name, "result", got, cases[i].ok ? cases[i].want : -99);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_objects), cmocka_unit_test(test_sizes),
                                       cmocka_unit_test(test_text), cmocka_unit_test(test_checked_arithmetic)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
