/* test_confidence.c - what the error of predictions on a device is known or believed to be.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"
#include "unit/given.h"

#include <stdio.h>

#include "warpline/trust.h"

static wl_confidence confidence(const wl_device *device, wl_model_id model, wl_confidence_in in)
{
    wl_confidence c;
    wl_error err = {0};
    check_ok(wl_device_name(device), wl_confidence_of(device, model, in, &c, &err), &err);
    return c;
}

/* Whatever the device and model: a range with its reason, or the reason why there is none. */
static void test_every_device(void **state)
{
    (void)state;
    for (size_t d = 0; d < wl_device_builtin_count(); d++) {
        wl_device *device = given_device(wl_device_builtin_name(d));
        for (int m = WL_MODEL_BEST + 1; m < WL_MODEL_COUNT; m++) {
            for (int in = 0; in < WL_CONFIDENCE_COUNT; in++) {
                const wl_confidence c = confidence(device, (wl_model_id)m, (wl_confidence_in)in);
                const bool has_errors = m == WL_MODEL_TURNOVER || in == WL_CONFIDENCE_VOLUMES;
                check_int(wl_device_name(device), "is known", c.known, has_errors);
                check_true(wl_device_name(device), "says why", c.basis[0] != '\0');
                check_true(wl_device_name(device), "is a range",
                           !c.known || (c.low >= 0 && c.low <= c.high && c.high <= 10));
                check_true(wl_device_name(device), "tells belief from measurement",
                           c.measured !=
                               (strncmp(c.basis, "believed", 8) == 0 || strncmp(c.basis, "not known", 9) == 0));
            }
        }
        wl_device_free(device);
    }
    check_done();
}

static void test_h200(void **state)
{
    (void)state;
    wl_device *device = given_device("h200");
    const wl_confidence turnover = confidence(device, WL_MODEL_TURNOVER, WL_CONFIDENCE_TIME),
                        limiter = confidence(device, WL_MODEL_LIMITER, WL_CONFIDENCE_TIME),
                        volumes = confidence(device, WL_MODEL_TURNOVER, WL_CONFIDENCE_VOLUMES);
    check_true("h200", "is measured", turnover.measured && volumes.measured);
    check_true("limiter", "is not known", !limiter.known && strncmp(limiter.basis, "not known: ", 11) == 0);
    check_true("h200", "says how many launches", strstr(turnover.basis, "264 held-out launches") != NULL);
    wl_error err = {0};
    check_ok("what-if", wl_device_set(device, "l2_size=30MiB", &err), &err);
    const wl_confidence changed = confidence(device, WL_MODEL_TURNOVER, WL_CONFIDENCE_TIME);
    check_true("what-if", "is not measured", !changed.measured);
    check_true("what-if", "says so",
               strncmp(changed.basis, "without the 1 number set by the user: measured: ", 48) == 0);
    wl_device_free(device);
    check_done();
}

/* What is believed of a device that nobody measured is the same for all; the file may say more. */
static void test_believed(void **state)
{
    static const struct {
        const char *more;
        double low, high; /* 0: as believed */
        bool measured;
    } cases[] = {
        {"", 0, 0, false},
        {"time_error: {value: [0.2], unit: 1, source: \"measured: 7 launches\"}\n", 0.2, 0.2, true},
        {"time_error: {value: [0.2, 0.3], unit: 1, source: \"my bench\"}\n", 0.2, 0.3, true},
        {"time_error: {value: [0.2, 0.3], unit: 1, source: \"believed: as a friend says\"}\n", 0.2, 0.3, false},
        {"volume_error: {value: [0.2], unit: 1, source: \"measured: something else\"}\n", 0, 0, false},
    };
    size_t length = 0;
    const char *text = wl_device_builtin_text("rx6900xt", &length);
    wl_device *unmeasured = given_device("b200");
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char *longer = test_malloc(length + 256);
        const int n = snprintf(longer, length + 256, "%s\n%s", text, cases[i].more);
        wl_device *device = NULL;
        wl_error err = {0};
        check_ok(cases[i].more, wl_device_parse("file", longer, (size_t)n, &device, &err), &err);
        assert_non_null(device);
        const wl_confidence c = confidence(device, WL_MODEL_TURNOVER, WL_CONFIDENCE_TIME);
        const bool own = cases[i].low > 0;
        check_near(cases[i].more, "low", c.low,
                   own ? cases[i].low : wl_device_list_value(unmeasured, WL_DEVICE_time_error, 0), 0);
        check_near(cases[i].more, "high", c.high,
                   own ? cases[i].high : wl_device_list_value(unmeasured, WL_DEVICE_time_error, 1), 0);
        check_int(cases[i].more, "measured", c.measured, cases[i].measured);
        check_int(cases[i].more, "says that no GPU of the vendor is known", strstr(c.basis, "of this vendor") != NULL,
                  !own);
        wl_device_free(device);
        test_free(longer);
    }
    wl_device_free(unmeasured);
    check_done();
}

static void test_nonsense(void **state)
{
    static const struct {
        const char *assignment, *message;
    } cases[] = {
        {"time_error=[0.3,0.2]", "time_error must be one error [e], or a range [low, high]"},
        {"volume_error=[0.1,0.2,0.3]", "volume_error must be one error [e], or a range [low, high]"},
        {"time_error=[25]", "time_error is relative, so at most 10: 0.25 is 25 %"},
        {"time_error=[-1]", "time_error must be a positive number"},
        {"transfer_error=[0.1]", "transfer_error is no longer a key, as what other GPUs show is built in"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        wl_device *device = given_device("h200");
        wl_error err = {0};
        check_int(cases[i].assignment, "status", wl_device_set(device, cases[i].assignment, &err), WL_E_INPUT);
        check_true(cases[i].assignment, "is explained", strstr(err.message, cases[i].message) != NULL);
        wl_device_free(device);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_device), cmocka_unit_test(test_h200),
                                       cmocka_unit_test(test_believed), cmocka_unit_test(test_nonsense)};
    return cmocka_run_group_tests_name("confidence", tests, NULL, NULL);
}
