/* test_plausible.c - device/plausible: numbers that were meant in another unit are refused,
 * wherever they stand.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"
#include "unit/given.h"

#include <stdio.h>

#include "base/print.h"
#include "device/device_internal.h"

/* Slips of a unit, as people make them. */
static const struct {
    const char *assignment;
    expected_error want;
} slips[] = {
    {"dram_bandwidth=2.6e-5GB/s",
     {WL_E_INPUT, "dram_bandwidth of 26 kB/s is not plausible, 1 GB/s to 1000 TB/s is; is its unit right?", 1, 16}},
    {"l2_size=80", {WL_E_INPUT, "l2_size of 80 B is not plausible, 1 KiB to 8192 GiB is; is its unit right?", 1, 9}},
    {"l1_size=128", {WL_E_INPUT, "l1_size of 128 B is not plausible, 1 KiB to 16 MiB is", 1, 9}},
    {"clock=1.98", {WL_E_INPUT, "clock of 1.98 Hz is not plausible, 50 MHz to 10 GHz is", 1, 7}},
    {"clock=1980GHz", {WL_E_INPUT, "clock of 1980 GHz is not plausible", 1, 7}},
    {"launch_overhead=3", {WL_E_INPUT, "launch_overhead of 3 s is not plausible, 0 ns to 1 s is", 1, 17}},
    {"block_rate=1.6", {WL_E_INPUT, "block_rate of 1.6 1/s is not plausible", 1, 12}},
    {"dram_fetch=8", {WL_E_INPUT, "dram_fetch of 8 B is not plausible", 1, 12}},
    {"l2_latency=0.2", {WL_E_INPUT, "l2_latency of 0.2 cycles is not plausible", 1, 12}},
    {"fp32_rate=1e-4", {WL_E_INPUT, "fp32_rate of 0.0001 1/cycle is not plausible", 1, 11}},
    {"shared_carveouts=[0,8KiB,100MiB]", {WL_E_INPUT, "shared_carveouts of 100 MiB is not plausible", 1, 18}},
};

static void test_slips(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(slips); i++) {
        wl_device *device = given_device("h200");
        wl_error err = {0};
        check_error(slips[i].assignment, wl_device_set(device, slips[i].assignment, &err), &err, &slips[i].want);
        wl_device_free(device);
    }
    check_done();
}

/* Is this value of the key refused because of its size? */
static bool refused(wl_device_key key, double value)
{
    wl_device *device = given_device("h200");
    wl_error err = {0};
    device->entries[key].count = 1;
    device->entries[key].values[0] = value;
    const bool is = wl_device_plausible(device, &err) != WL_OK;
    if (is)
        check_true(wl_device_key_name(key), "is named", strstr(err.message, wl_device_key_name(key)) == err.message);
    wl_device_free(device);
    return is;
}

/* Every range holds at its ends and not beyond; keys without one take anything. */
static void test_ends(void **state)
{
    size_t ranges = 0;
    (void)state;
    for (size_t k = 0; k < WL_DEVICE_KEY_COUNT; k++) {
        const wl_device_key key = (wl_device_key)k;
        double least, most;
        if (!wl_device_range(key, &least, &most)) {
            check_true(wl_device_key_name(key), "takes anything", !refused(key, 1e17) && !refused(key, 1e-8));
            continue;
        }
        ranges++;
        check_true(wl_device_key_name(key), "is a range", least < most);
        check_true(wl_device_key_name(key), "least is accepted", !refused(key, least));
        check_true(wl_device_key_name(key), "most is accepted", !refused(key, most));
        check_true(wl_device_key_name(key), "more is refused", refused(key, most * 1.001));
        check_true(wl_device_key_name(key), "not a number is refused", refused(key, NAN));
        if (least > 0)
            check_true(wl_device_key_name(key), "less is refused", refused(key, least * 0.999));
    }
    check_true("keys", "most have a range", ranges > WL_DEVICE_KEY_COUNT / 2);
    check_done();
}

/* The ranges leave room: no such number of a device that is shipped is within a factor of three of
 * an end. */
static void test_room(void **state)
{
    static const wl_device_key keys[] = {WL_DEVICE_clock,      WL_DEVICE_dram_bandwidth, WL_DEVICE_l2_bandwidth,
                                         WL_DEVICE_l1_size,    WL_DEVICE_l2_size,        WL_DEVICE_l2_line,
                                         WL_DEVICE_l1_latency, WL_DEVICE_l2_latency,     WL_DEVICE_dram_latency};
    (void)state;
    for (size_t d = 0; d < wl_device_builtin_count(); d++) {
        wl_device *device = NULL;
        wl_error err = {0};
        check_ok(wl_device_builtin_name(d), wl_device_builtin(wl_device_builtin_name(d), &device, &err), &err);
        for (size_t i = 0; device && i < COUNT_OF(keys); i++) {
            double least = 0, most = 0, value = 0;
            if (!wl_device_range(keys[i], &least, &most) || !wl_device_get(device, keys[i], &value))
                continue;
            check_true(wl_device_name(device), wl_device_key_name(keys[i]), value > 3 * least && 3 * value < most);
        }
        wl_device_free(device);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_slips), cmocka_unit_test(test_ends),
                                       cmocka_unit_test(test_room)};
    return cmocka_run_group_tests_name("plausible", tests, NULL, NULL);
}
