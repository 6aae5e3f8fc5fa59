/* fuzz_map.c - any bytes as a map of kernels to measured rows; its first line is a variant, too.
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <fnmatch.h>

static bool fits(const char *pattern, const char *text)
{
    return !pattern || fnmatch(pattern, text, FNM_NOESCAPE) == 0;
}

static void check_entry(const wl_map_entry *e, const char *family, const char *variant)
{
    REQUIRE(e->skip || (e->kernel && e->kernel[0]));
    REQUIRE(fits(e->family, family) && fits(e->variant, variant));
    for (int d = 0; d < 3; d++)
        REQUIRE(e->fold[d] >= 0 && e->fold[d] <= 1024 && (e->fold[d] > 0) == (e->fold[0] > 0));
    for (size_t i = 0; i < e->set_count; i++)
        REQUIRE(strchr(e->sets[i], '='));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const families[] = {"star7", "", "a_b", "*", "stencil_f32"};
    char *text = fuzz_text(data, size), *line = fuzz_text(data, strcspn(text, "\r\n"));
    int64_t fold[3];
    wl_map *map = NULL;
    wl_error err = {0};
    wl_variant_fold(line, fold);
    for (int d = 0; d < 3; d++)
        REQUIRE(fold[d] >= 1 && fold[d] <= 9999);
    const wl_status status = wl_map_parse("fuzz.yaml", text, size, &map, &err);
    fuzz_check_outcome(status, map, &err);
    for (size_t i = 0; status == WL_OK && i < sizeof families / sizeof families[0]; i++) {
        const wl_map_entry *e = wl_map_find(map, &(wl_measurement){.family = families[i], .variant = line});
        if (e)
            check_entry(e, families[i], line);
    }
    wl_map_free(map);
    free(line);
    free(text);
    return 0;
}
