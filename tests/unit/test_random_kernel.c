/* test_random_kernel.c - a seed is one case, whatever the compiler and the machine: no two draws of
 * a case share an expression whose order of evaluation C leaves open.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include "property/random_kernel.h"

static uint64_t fnv(uint64_t h, const void *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        h = (h ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    return h;
}

static uint64_t fnv_number(uint64_t h, int64_t number)
{
    char text[32];
    return fnv(h, text, (size_t)snprintf(text, sizeof text, "%lld ", (long long)number));
}

static void same_cases_everywhere(void **state)
{
    (void)state;
    static random_case c;
    uint64_t h = 0xcbf29ce484222325u;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        random_case_make(seed, &c);
        h = fnv(h, c.yaml, c.length);
        for (int d = 0; d < 3; d++) {
            h = fnv_number(h, c.launch.block[d]);
            h = fnv_number(h, c.launch.fold[d]);
            h = fnv_number(h, c.launch.grid[d]);
        }
    }
    /* A change of random_kernel.h changes it; a compiler must not. */
    if (h != 0xd06af78fd7e60176u)
        print_error("the cases of the first 2000 seeds hash to 0x%llxu\n", (unsigned long long)h);
    check_true("the first 2000 seeds", "the same cases as everywhere", h == 0xd06af78fd7e60176u);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_cases_everywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
