/* test_basis.c - device/basis.h: numbers that are shares of others follow them, in what-ifs and in
 * files that are derived. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "unit/checks.h"

#include "device/basis.h"
#include "warpline/warpline.h"

static wl_device *h200_with(const char *first, const char *second)
{
    wl_device *device = NULL;
    wl_error err = {0};
    check_ok("h200", wl_device_builtin("h200", &device, &err), &err);
    if (first)
        check_ok(first, wl_device_set(device, first, &err), &err);
    if (second)
        check_ok(second, wl_device_set(device, second, &err), &err);
    return device;
}

static double value(const wl_device *d, wl_device_key key)
{
    double v = NAN;
    (void)wl_device_get(d, key, &v);
    return v;
}

static void shares_follow(void **state)
{
    (void)state;
    static const struct {
        const char *with;
        wl_device_key key;
        double factor;
    } cases[] = {
        {"dram_bandwidth=2.1365TB/s", WL_DEVICE_dram_read_bandwidth, 0.5},
        {"dram_bandwidth=2.1365TB/s", WL_DEVICE_dram_random_rate, 0.5},
        /* the data sheet's moves along, and the other way round */
        {"dram_bandwidth=2.1365TB/s", WL_DEVICE_dram_bandwidth_peak, 0.5},
        {"dram_bandwidth_peak=9.6TB/s", WL_DEVICE_dram_bandwidth, 2},
        {"dram_bandwidth_peak=9.6TB/s", WL_DEVICE_dram_read_bandwidth, 2},
        {"l2_size=120MiB", WL_DEVICE_l2_reuse_room, 2},
        {"l2_partitions=1", WL_DEVICE_l2_reuse_room, 2},
        {"l2_size=120MiB", WL_DEVICE_l2_dirty_rest, 2},
        /* through another share */
        {"l2_bandwidth=16.962TB/s", WL_DEVICE_l2_read_bandwidth, 2},
        {"l2_bandwidth=16.962TB/s", WL_DEVICE_atomic_rate, 2},
        {"dram_latency=1319.4", WL_DEVICE_dram_wait_write, 2},
        {"clock=990MHz", WL_DEVICE_block_rate, 0.5},
        /* a primary number stays, though its architecture states it as a share */
        {"sm_count=264", WL_DEVICE_l2_bandwidth, 1},
        {"clock=990MHz", WL_DEVICE_l2_bandwidth, 1},
        {"l2_size=120MiB", WL_DEVICE_l2_bandwidth, 1},
    };
    wl_device *plain = h200_with(NULL, NULL);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        wl_device *changed = h200_with(cases[i].with, NULL);
        check_near(cases[i].with, wl_device_key_name(cases[i].key), value(changed, cases[i].key),
                   cases[i].factor * value(plain, cases[i].key), 1e-5);
        wl_device_free(changed);
    }
    wl_device_free(plain);
    check_done();
}

/* What the user sets stays as it is set, in any order. */
static void set_numbers_stay(void **state)
{
    (void)state;
    static const char room[] = "l2_reuse_room=10MiB", size[] = "l2_size=120MiB";
    for (int order = 0; order < 2; order++) {
        wl_device *d = h200_with(order ? room : size, order ? size : room);
        check_near("room", "as set", value(d, WL_DEVICE_l2_reuse_room), 10 * 1048576.0, 0);
        wl_device_free(d);
    }
    check_done();
}

static void words(void **state)
{
    (void)state;
    double share;
    wl_device *d = h200_with(NULL, NULL);
    check_text("share", "of", wl_device_share_of(WL_DEVICE_l2_reuse_room), "l2_size / l2_partitions");
    check_true("share", "of nothing", wl_device_share_of(WL_DEVICE_l2_size) == NULL);
    check_true("share", "none", !wl_device_share(d, WL_DEVICE_l2_size, 0, &share));
    check_true("share", "known", wl_device_share(d, WL_DEVICE_l2_reuse_room, 0, &share));
    check_near("share", "value", share, value(d, WL_DEVICE_l2_reuse_room) / (30 * 1048576.0), 1e-12);
    check_true("primary", "L2", wl_device_key_primary(WL_DEVICE_l2_size));
    check_true("primary", "no law", !wl_device_key_primary(WL_DEVICE_l2_reuse_room));
    wl_device_free(d);
    check_done();
}

/* The file of a what-if gives the numbers of the what-if: all but how far they can be trusted. */
static void derived_files_say_the_same(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"l2_size=100MiB", NULL},
                                           {"sm_count=264", "clock=1GHz"},
                                           {"dram_bandwidth=8TB/s", "l2_latency=200"},
                                           {"l1_tag_hash=none", "l1_mshr=none"},
                                           {"l2_reuse_room=10MiB", "l2_size=120MiB"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        for (int like = 0; like < 2; like++) {
            wl_device *d = h200_with(cases[i][0], cases[i][1]), *read = NULL;
            wl_error err = {0};
            char *text = NULL;
            check_ok(cases[i][0], wl_device_derive(d, "mine", like ? "h200" : NULL, &text, &err), &err);
            check_ok(cases[i][0], wl_device_parse("mine.yaml", text, strlen(text), &read, &err), &err);
            check_text(cases[i][0], "name", wl_device_name(read), "mine");
            if (like) /* nothing is copied: a few lines */
                check_true(cases[i][0], "is short", strlen(text) < 1500);
            for (int k = 0; k < WL_DEVICE_KEY_COUNT; k++) {
                if (wl_device_keys[k].role == WL_ROLE_TRUST)
                    continue;
                check_int(cases[i][0], wl_device_keys[k].name, (int64_t)read->entries[k].count,
                          (int64_t)d->entries[k].count);
                for (size_t v = 0; v < d->entries[k].count; v++)
                    check_near(cases[i][0], wl_device_keys[k].name, read->entries[k].values[v], d->entries[k].values[v],
                               2e-5);
            }
            wl_device_free(read);
            wl_device_free(d);
            free(text);
        }
    }
    check_done();
}

/* Files: shares of the right quantity, none, the device one is like. */
static void entries_of_files(void **state)
{
    (void)state;
    static const char head[] = "name: t\ntitle: T\nvendor: v\narchitecture: hopper\n"
                               "sm_count: {value: 10, unit: sm, source: s}\nclock: {value: 1, unit: GHz, source: s}\n"
                               "l2_size: {value: 4, unit: MiB, source: s}\n"
                               "dram_bandwidth_peak: {value: 100, unit: GB/s, source: s}\n";
    static const struct {
        const char *name, *line;
        wl_device_key key;
        double value; /* NAN: none */
        expected_error want;
    } cases[] = {
        {"share",
         "l2_reuse_room: {value: 0.5, of: l2_size / l2_partitions, source: s}\n",
         WL_DEVICE_l2_reuse_room,
         1048576,
         {WL_OK, "", 0, 0}},
        {"none", "l1_tag_hash: {value: none, source: why}\n", WL_DEVICE_l1_tag_hash, NAN, {WL_OK, "", 0, 0}},
        {"of another",
         "l2_reuse_room: {value: 0.5, of: l2_size, source: s}\n",
         WL_DEVICE_l2_reuse_room,
         0,
         {WL_E_INPUT, "l2_reuse_room is a share of l2_size / l2_partitions, not of 'l2_size'", 9, 33}},
        {"of nothing",
         "l1_size: {value: 0.5, of: l2_size, source: s}\n",
         WL_DEVICE_l1_size,
         0,
         {WL_E_INPUT, "l1_size is not a share of anything: give its unit", 9, 27}},
        {"both",
         "l2_reuse_room: {value: 5, unit: MiB, of: l2_size / l2_partitions, source: s}\n",
         WL_DEVICE_l2_reuse_room,
         0,
         {WL_E_INPUT, "l2_reuse_room has a unit or is a share ('of'), not both", 9, 1}},
        {"neither",
         "l2_reuse_room: {value: 5, source: s}\n",
         WL_DEVICE_l2_reuse_room,
         0,
         {WL_E_INPUT, "l2_reuse_room lacks its unit", 9, 1}},
        {"none of what is needed",
         "l1_size: {value: none, source: s}\n",
         WL_DEVICE_l1_size,
         0,
         {WL_E_INPUT, "l1_size cannot be none: predictions need it", 9, 18}},
        {"like nobody",
         "like: h20\n",
         WL_DEVICE_l1_size,
         0,
         {WL_E_INPUT, "no device is called 'h20'; did you mean 'h200'?", 9, 7}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[1024];
        wl_device *d = NULL;
        wl_error err = {0};
        snprintf(text, sizeof text, "%s%s", head, cases[i].line);
        const wl_status status = wl_device_parse("t.yaml", text, strlen(text), &d, &err);
        if (cases[i].want.code != WL_OK) {
            check_error(cases[i].name, status, &err, &cases[i].want);
            continue;
        }
        check_ok(cases[i].name, status, &err);
        if (isnan(cases[i].value))
            check_true(cases[i].name, "is none, and says why",
                       wl_device_list_length(d, cases[i].key) == 0 &&
                           strcmp(wl_device_source(d, cases[i].key), "why") == 0);
        else
            check_near(cases[i].name, "value", value(d, cases[i].key), cases[i].value, 1e-12);
        wl_device_free(d);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_follow),
        cmocka_unit_test(set_numbers_stay),
        cmocka_unit_test(words),
        cmocka_unit_test(derived_files_say_the_same),
        cmocka_unit_test(entries_of_files),
    };
    return cmocka_run_group_tests_name("basis", tests, NULL, NULL);
}
