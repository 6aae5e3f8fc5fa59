/* test_calibrate.c - calibrate/write_device.c and facts.c: a device file written from made-up
 * measurements loads, with the numbers that were put in, and inherits the others from its
 * architecture. SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>
#include <stdlib.h>

#include "../calibrate/write_device.h"
#include "warpline/device.h"

/* What the benchmarks of a made-up GPU found. Required keys that are not here must come from facts
 * or the architecture. */
static const struct {
    cal_key key;
    double value;
} found[] = {
    {CAL_sm_count, 7},
    {CAL_clock, 1.2345e9},
    {CAL_warp_size, 32},
    {CAL_max_threads_per_sm, 2048},
    {CAL_max_blocks_per_sm, 32},
    {CAL_registers_per_sm, 65536},
    {CAL_max_registers_per_thread, 255},
    {CAL_register_granularity, 256},
    {CAL_shared_per_sm, 228 * 1024},
    {CAL_shared_per_block, 227 * 1024},
    {CAL_shared_granularity, 128},
    {CAL_shared_reserved, 1024},
    {CAL_l1_latency, 33.25},
    {CAL_l1_wavefront_rate, 0.998},
    {CAL_l2_size, 30 * 1048576.0},
    {CAL_l2_partitions, 2},
    {CAL_dram_bandwidth, 0.987654e12},
    {CAL_launch_overhead, 2.125e-6},
    {CAL_block_rate, 1.5e6},
    {CAL_dram_random_rate, 0.5e9},
    {CAL_fp64_rate, 63.875},
};

static cal_device *made_up(int major)
{
    cal_device *device = calloc(1, sizeof *device);
    assert_non_null(device);
    cal_identify(device, "NVIDIA Made-Up \"G\" 16GB ", major, 0);
    for (size_t i = 0; i < COUNT_OF(found); i++)
        check_true(cal_key_name(found[i].key), "is accepted",
                   cal_set(device, found[i].key, found[i].value, "measured: \"somewhere\\\", 2026-11, calibrate x"));
    return device;
}

static wl_device *write_and_load(const cal_device *device)
{
    char message[128] = "", *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    assert_non_null(stream);
    check_true("write", "succeeds", cal_write(device, stream, message, sizeof message));
    check_text("write", "message", message, "");
    (void)fclose(stream);
    wl_device *loaded = NULL;
    wl_error err = {0};
    check_ok("load", wl_device_parse("made-up", text, length, &loaded, &err), &err);
    free(text);
    return loaded;
}

/* What another GPU of the architecture has. */
static double of_h200(wl_device_key key)
{
    wl_device *device = NULL;
    wl_error err = {0};
    check_ok("h200", wl_device_builtin("h200", &device, &err), &err);
    const double value = wl_device_list_value(device, key, 0);
    wl_device_free(device);
    return value;
}

static void test_round_trip(void **state)
{
    (void)state;
    static const double hash[] = {1, 2, 1, 3}, block[] = {1024, 1024, 64};
    for (int major = 7; major <= 12; major++) {
        cal_device *device = made_up(major);
        check_true("tag hash", "is accepted", cal_set_list(device, CAL_l1_tag_hash, hash, 4, "s"));
        check_true("extents", "are accepted", cal_set_list(device, CAL_max_block, block, 3, "s"));
        cal_leave_out(device, CAL_l1_thread_index_wavefronts, "timing does not show it");
        cal_set_none(device, CAL_dram_random_rate, "random \"fetches\" cost no more");
        cal_fill_facts(device);
        if (major == 11) /* a GPU no table knows: the measured knee stands in */
            check_true("l1_size", "is accepted", cal_set(device, CAL_l1_size, 200 * 1024, "measured: knee"));
        wl_device *loaded = write_and_load(device);
        if (!loaded) {
            free(device);
            continue;
        }
        check_text("identity", "name", wl_device_name(loaded), "made-up-g-16gb");
        check_text("identity", "title", wl_device_title(loaded), "NVIDIA Made-Up \"G\" 16GB ");
        for (size_t i = 0; i < COUNT_OF(found); i++) {
            double value = -1;
            if (found[i].key == CAL_dram_random_rate)
                continue; /* none, below */
            (void)wl_device_get(loaded, (wl_device_key)found[i].key, &value);
            check_near(cal_key_name(found[i].key), "value", value, found[i].value, 1e-3);
            check_text(cal_key_name(found[i].key), "source", wl_device_source(loaded, (wl_device_key)found[i].key),
                       "measured: \"somewhere\\\", 2026-11, calibrate x");
        }
        for (size_t i = 0; i < 3; i++)
            check_near("max_block", "value", wl_device_list_value(loaded, WL_DEVICE_max_block, i), block[i], 0);
        check_int("tag hash", "length", (int64_t)wl_device_list_length(loaded, WL_DEVICE_l1_tag_hash), 4);
        double value;
        check_true("none", "is none", !wl_device_get(loaded, WL_DEVICE_dram_random_rate, &value));
        check_true("left out", "is inherited", wl_device_get(loaded, WL_DEVICE_l1_thread_index_wavefronts, &value));
        /* a share of half the L2, on the architecture of the h200 */
        if (major == 9)
            check_near("l2_reuse_room", "value", wl_device_list_value(loaded, WL_DEVICE_l2_reuse_room, 0),
                       of_h200(WL_DEVICE_l2_reuse_room) / 2, 1e-6);
        wl_device_free(loaded);
        free(device);
    }
    check_done();
}

static void test_refusals(void **state)
{
    (void)state;
    static const double two[] = {1, 2};
    cal_device *device = made_up(9);
    char message[128] = "";
    FILE *nowhere = fopen("/dev/null", "w");
    assert_non_null(nowhere);
    device->entries[CAL_l2_size].count = 0;
    check_true("missing key", "is refused", !cal_write(device, nowhere, message, sizeof message));
    check_true("missing key", "is named", strstr(message, "l2_size") != NULL);
    (void)fclose(nowhere);
    check_true("negative", "is refused", !cal_set(device, CAL_l1_latency, -1, "s"));
    check_true("not a number", "is refused", !cal_set(device, CAL_l1_latency, NAN, "s"));
    check_true("list for a number", "is refused", !cal_set_list(device, CAL_l1_latency, two, 2, "s"));
    check_near("after refusals", "value", device->entries[CAL_l1_latency].values[0], 33.25, 0);
    free(device);
    check_done();
}

/* The L1 sweeps of an H200: start-up cost at small sizes, a zigzag on the plateau, the knee behind
 * 240 KiB. */
static void test_knee(void **state)
{
    (void)state;
    static const double l1[] = {1.3493, 1.2769, 1.2282, 1.1930, 1.1678, 1.2157, 1.1484, 1.1921, 1.1328, 1.1731, 1.1206,
                                1.1573, 1.1110, 1.1450, 1.1009, 1.1328, 1.0939, 1.1237, 1.0878, 1.5349, 1.5129, 1.6276,
                                1.5569, 1.6674, 1.6348, 1.9288, 1.8996, 2.9718, 2.8347, 3.0023, 2.8362, 2.9940};
    static const double flat[] = {1.0, 1.01, 0.99}, spike[] = {1.0, 1.0, 3.0, 1.0, 1.0, 2.0, 2.1};
    check_int("knee", "L1", (int64_t)cal_knee(l1, COUNT_OF(l1), 1.2), 18);
    check_int("knee", "none", (int64_t)cal_knee(flat, COUNT_OF(flat), 1.2), 2);
    check_int("knee", "a rise that does not stay", (int64_t)cal_knee(spike, COUNT_OF(spike), 1.2), 4);
    check_int("knee", "one size", (int64_t)cal_knee(flat, 1, 1.2), 0);
    check_int("knee", "nothing", (int64_t)cal_knee(flat, 0, 1.2), 0);
    check_done();
}

/* A measurement that is not used: a comment; the number is inherited. */
static void test_note(void **state)
{
    (void)state;
    cal_device *device = made_up(9);
    char message[128] = "", *text = NULL;
    size_t length = 0;
    cal_note(device, CAL_dram_wait_write, "measured as 36 by phase, not used");
    cal_fill_facts(device);
    FILE *stream = open_memstream(&text, &length);
    assert_non_null(stream);
    check_true("note", "is written", cal_write(device, stream, message, sizeof message));
    (void)fclose(stream);
    check_true("note", "is a comment",
               strstr(text, "\n# dram_wait_write: measured as 36 by phase, not used\n") != NULL);
    check_true("note", "the key is left out", strstr(text, "\ndram_wait_write:") == NULL);
    wl_device *loaded = NULL;
    wl_error err = {0};
    check_ok("note", wl_device_parse("made-up", text, length, &loaded, &err), &err);
    wl_device_free(loaded);
    free(text);
    free(device);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_knee),
        cmocka_unit_test(test_note),
    };
    return cmocka_run_group_tests_name("calibrate", tests, NULL, NULL);
}
