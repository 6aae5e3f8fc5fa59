/* test_fit_ranking.c - warpline/fit.h: how far rankings can be trusted, from measured searches.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdlib.h>

#include "compare/contest.h"
#include "device/device_internal.h"
#include "fit/fit_internal.h"
#include "unit/fit_fixture.h"
#include "warpline/warpline.h"

/* Five families with one contest each, and a sixth with two. */
static size_t make_contests(wl_contest *out)
{
    static const char *const families[] = {"f", "a", "b", "c", "d", "e", "f"};
    static const double ratios[] = {1.9, 1, 1.00001, 1.0512, 1.2, 1.3, 1.4};
    for (size_t i = 0; i < COUNT_OF(families); i++)
        out[i] =
            (wl_contest){.family = families[i], .ratio = ratios[i], .error = 0.01 * (double)(i + 1), .launches = 6 + i};
    return COUNT_OF(families);
}

static void rankings_become_numbers(void **state)
{
    (void)state;
    /* of masses that add up to 7: 2.1, 2.8, 3.5, 4.2, 4.9, 5.6; 90 % would want 6.3 of the 6 there
     * are */
    static const double want[] = {1.052, 1.052, 1.2, 1.3, 1.3, 1.9};
    static const double errors = (0.02 + 0.03 + 0.04 + 0.05 + 0.06 + (0.01 + 0.07) / 2) / 6;
    wl_pair times[12];
    for (size_t i = 0; i < COUNT_OF(times); i++)
        times[i] = (wl_pair){1 + (double)i, 1 + (double)i};
    for (int m = WL_MODEL_LIMITER; m <= WL_MODEL_TURNOVER; m++) {
        const bool limiter = m == WL_MODEL_LIMITER;
        wl_device *device = device_of("h200"), *before = device_of("h200");
        wl_contest contests[8];
        wl_ranking_fit r;
        wl_error err = {0};
        const size_t count = make_contests(contests);
        for (size_t i = 0; i < count; i++)
            contests[i].times = times;
        check_ok("ranking", wl_fit_ranking(device, (wl_model_id)m, contests, count, &r, &err), &err);
        check_int("ranking", "contests", (int64_t)r.contests, 7);
        check_int("ranking", "families", (int64_t)r.families, 6);
        check_int("ranking", "launches", (int64_t)r.launches, 63);
        check_int("ranking", "smallest", (int64_t)r.smallest, 6);
        check_int("ranking", "largest", (int64_t)r.largest, 12);
        check_int("ranking", "levels", (int64_t)r.level_count, COUNT_OF(want));
        check_int("ranking", "levels of five families", (int64_t)r.covered_count, 6);
        check_near("ranking", "error", r.error, exp(errors), 1e-12);
        for (size_t i = 0; i < COUNT_OF(want); i++) {
            check_near("ratio", "is rounded up", r.ratio[i], want[i], 1e-12);
            check_near("ratio", "is the device's", wl_device_list_value(device, WL_DEVICE_rank_ratio, i),
                       limiter ? wl_device_list_value(before, WL_DEVICE_rank_ratio, i) : want[i], 1e-12);
        }
        check_int("device", "levels", (int64_t)wl_device_list_length(device, WL_DEVICE_rank_ratio),
                  limiter ? (int64_t)wl_device_list_length(before, WL_DEVICE_rank_ratio) : (int64_t)COUNT_OF(want));
        size_t length = 0;
        const char *text = wl_device_builtin_text("h200", &length);
        char *out = NULL;
        check_ok("write", wl_fit_write_rankings(text, length, device, &r, 1, "t.csv, 2026-01-02", &out, &err), &err);
        wl_device *again = read_back(out);
        check_text("written", "source", wl_device_source(again, WL_DEVICE_rank_ratio),
                   limiter ? wl_device_source(before, WL_DEVICE_rank_ratio)
                           : "measured: 7 searches over 6 kernel families, 6 to 12 launches each; t.csv, 2026-01-02");
        for (size_t i = 0; i < COUNT_OF(want); i++)
            check_near("written", "ratio", wl_device_list_value(again, WL_DEVICE_rank_ratio, i),
                       wl_device_list_value(device, WL_DEVICE_rank_ratio, i), 1e-12);
        for (int k = 0; k < WL_DEVICE_KEY_COUNT; k++) /* nothing else is touched */
            if (strncmp(wl_device_key_name((wl_device_key)k), "rank_", 5) != 0)
                check_text("written", wl_device_key_name((wl_device_key)k), wl_device_source(again, (wl_device_key)k),
                           wl_device_source(before, (wl_device_key)k));
        wl_device_free(again);
        wl_device_free(device);
        wl_device_free(before);
        free(out);
    }
    check_done();
}

static void rankings_need_a_contest(void **state)
{
    (void)state;
    wl_device *device = device_of("h200");
    wl_ranking_fit r;
    wl_error err = {0};
    const double before = wl_device_list_value(device, WL_DEVICE_rank_ratio, 6);
    check_int("none", "status", wl_fit_ranking(device, WL_MODEL_TURNOVER, NULL, 0, &r, &err), WL_E_INPUT);
    check_true("none", "is explained", strstr(err.message, "no search") != NULL);
    check_near("none", "changes nothing", wl_device_list_value(device, WL_DEVICE_rank_ratio, 6), before, 0);
    wl_device_free(device);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rankings_become_numbers),
        cmocka_unit_test(rankings_need_a_contest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
