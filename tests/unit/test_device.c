/* test_device.c - device/: the built-in devices, what-ifs, and broken device files.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"
#include "unit/given.h"

#include <stdio.h>
#include <stdlib.h>

#include "device/device_internal.h"

static wl_device *builtin(const char *name)
{
    wl_device *device = NULL;
    wl_error err = {0};
    const wl_status status = wl_device_builtin(name, &device, &err);
    if (status != WL_OK)
        fail_msg("%s: %s", name, err.message);
    return device;
}

/* ---- the devices that are shipped ---- */

static const char *const shipped[] = {"a100-40gb", "a100-80gb",  "a40",      "a4000",     "a6000",     "b200",
                                      "gb200",     "gh200",      "gtx970",   "h100",      "h100-pcie", "h200",
                                      "l40",       "l40s",       "mi100",    "mi210",     "mi250x",    "mi300a",
                                      "mi300x",    "pascal-sim", "rtx2080s", "rtx2080ti", "rtx3090",   "rtx4090",
                                      "rtx5090",   "rx6900xt",   "t4",       "v100",      "v100-sxm2", "w7800"};

static void test_shipped(void **state)
{
    (void)state;
    check_int("devices", "number", (int64_t)wl_device_builtin_count(), COUNT_OF(shipped));
    check_true("devices", "nothing behind the last", wl_device_builtin_name(COUNT_OF(shipped)) == NULL);
    for (size_t i = 0; i < COUNT_OF(shipped); i++) {
        check_text("alphabetical order", "name", wl_device_builtin_name(i), shipped[i]);
        wl_device *device = builtin(shipped[i]);
        check_text(shipped[i], "name", wl_device_name(device), shipped[i]);
        check_true(shipped[i], "has a title", wl_device_title(device)[0] != '\0');
        check_true(shipped[i], "has an architecture", wl_device_architecture(device)[0] != '\0');
        for (size_t k = 0; k < WL_DEVICE_KEY_COUNT; k++) {
            const wl_device_key key = (wl_device_key)k;
            double value = -1;
            char text[512];
            const bool has = wl_device_get(device, key, &value);
            wl_device_value_text(device, key, text, sizeof text);
            if (wl_device_key_required(key))
                check_true(shipped[i], wl_device_key_name(key), has);
            check_int(shipped[i], wl_device_key_name(key), wl_device_list_length(device, key) > 0, has);
            check_true(wl_device_key_name(key), "has a source", !has || wl_device_source(device, key)[0] != '\0');
            check_int(wl_device_key_name(key), "has a text", text[0] != '\0', has);
            check_true(wl_device_key_name(key), "has a meaning", wl_device_key_meaning(key)[0] != '\0');
        }
        wl_device_free(device);
    }
    check_done();
}

/* What a device file lacks it inherits: from its architecture, from the one that is like, or from
 * the device it is like; and says from where. */
static void test_inherited(void **state)
{
    (void)state;
    wl_device *h200 = builtin("h200"), *h100 = builtin("h100"), *gb200 = builtin("gb200"), *a80 = builtin("a100-80gb"),
              *unknown = given_unknown("gtx970");
    check_text("own", "from", wl_device_inherited_from(h200, WL_DEVICE_sm_count), NULL);
    check_text("architecture", "from", wl_device_inherited_from(h100, WL_DEVICE_fp32_latency), "hopper");
    check_text("the one that is like", "from", wl_device_inherited_from(gb200, WL_DEVICE_block_turnover), "hopper");
    check_text("another device", "from", wl_device_inherited_from(a80, WL_DEVICE_l1_size), "a100-40gb");
    check_text("no architecture", "from", wl_device_inherited_from(unknown, WL_DEVICE_branch_latency), "hopper");
    check_true("no architecture", "no laws", !unknown->entries[WL_DEVICE_l1_reload_curve].count);
    check_int("architecture", "owner", h100->entries[WL_DEVICE_fp32_latency].owner, WL_OWNER_ARCHITECTURE);
    check_int("the one that is like", "owner", gb200->entries[WL_DEVICE_block_turnover].owner, WL_OWNER_OTHER);
    /* shares are inherited, not values: rooms of the L2 by its size, rates by bandwidths */
    check_near("share", "room", h100->entries[WL_DEVICE_l2_reuse_room].values[0],
               h200->entries[WL_DEVICE_l2_reuse_room].values[0] * 50 / 60, 1e-6);
    double a = 0, b = 0;
    check_true("share", "known",
               wl_device_share(h200, WL_DEVICE_atomic_address_rate, 0, &a) &&
                   wl_device_share(a80, WL_DEVICE_atomic_address_rate, 0, &b));
    check_near("share", "of the clock", a, b, 1e-9);
    /* how far predictions of one device can be trusted says nothing of another: what is believed of
     * every GPU stands in */
    for (size_t k = 0; k < WL_DEVICE_KEY_COUNT; k++)
        if (wl_device_keys[k].role == WL_ROLE_TRUST)
            check_text(wl_device_keys[k].name, "from", h100->entries[k].from, "common");
    wl_device_free(h200);
    wl_device_free(h100);
    wl_device_free(gb200);
    wl_device_free(a80);
    wl_device_free(unknown);
    check_done();
}

/* No file of ours states what it could inherit: a number that is a share is written as a share, and
 * no source says that it is a copy. */
static void test_no_copies(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(shipped); i++) {
        size_t length = 0;
        const char *text = wl_device_builtin_text(shipped[i], &length);
        check_true(shipped[i], "no copy",
                   strstr(text, "\"assumed: as h200") == NULL && !strstr(text, "scaled from h200"));
        for (size_t k = 0; k < WL_DEVICE_KEY_COUNT; k++) {
            char start[80];
            snprintf(start, sizeof start, "\n%s: {", wl_device_keys[k].name);
            const char *line = strstr(text, start);
            const char *of = line ? strstr(line, ", of: ") : NULL;
            const bool share = of && of < line + 1 + strcspn(line + 1, "\n");
            const bool must = wl_device_keys[k].of != WL_OF_NOTHING && wl_device_keys[k].role == WL_ROLE_LAW;
            const char *none = line ? strstr(line, ": {value: none,") : NULL;
            const bool is_none = none && none < line + 1 + strcspn(line + 1, "\n");
            check_true(shipped[i], wl_device_keys[k].name, !line || share || is_none || !must);
        }
    }
    check_done();
}

/* Ernst et al. 2022, Table 1. */
static const struct {
    const char *device;
    wl_device_key key;
    double value;
} table_1[] = {
    {"v100", WL_DEVICE_sm_count, 80},         {"a100-40gb", WL_DEVICE_sm_count, 108},
    {"v100", WL_DEVICE_clock, 1.38e9},        {"a100-40gb", WL_DEVICE_clock, 1.41e9},
    {"v100", WL_DEVICE_l1_size, 128 * 1024},  {"a100-40gb", WL_DEVICE_l1_size, 192 * 1024},
    {"v100", WL_DEVICE_l2_size, 6 * 1048576}, {"a100-40gb", WL_DEVICE_l2_size, 2 * 20 * 1048576},
    {"v100", WL_DEVICE_l2_partitions, 1},     {"a100-40gb", WL_DEVICE_l2_partitions, 2},
};

static void test_table_1(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(table_1); i++) {
        wl_device *device = builtin(table_1[i].device);
        double value = NAN;
        check_true(table_1[i].device, "has the key", wl_device_get(device, table_1[i].key, &value));
        check_near(table_1[i].device, wl_device_key_name(table_1[i].key), value, table_1[i].value, 1e-15);
        wl_device_free(device);
    }
    check_done();
}

static void test_unknown_device(void **state)
{
    static const struct {
        const char *name;
        expected_error want;
    } cases[] = {
        {"v10", {WL_E_INPUT, "no device is called 'v10'; did you mean 'v100'?", 0, 0}},
        {"A100-40gb", {WL_E_INPUT, "did you mean 'a100-40gb'?", 0, 0}},
        {"voodoo-banshee", {WL_E_INPUT, "no device is called 'voodoo-banshee'", 0, 0}},
        {"", {WL_E_INPUT, "no device is called ''", 0, 0}},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        wl_device *device = NULL;
        wl_error err = {0};
        check_error(cases[i].name, wl_device_builtin(cases[i].name, &device, &err), &err, &cases[i].want);
        check_true(cases[i].name, "no device is given", device == NULL);
    }
    wl_device_free(NULL);
    check_done();
}

/* ---- what-ifs ---- */

static const struct {
    const char *assignment;
    wl_device_key key;
    size_t count;
    double values[3];
    const char *text;
} what_ifs[] = {
    {"l2_size=80MiB", WL_DEVICE_l2_size, 1, {80 * 1048576.0}, "80 MiB"},
    {"l2_size=80 MiB", WL_DEVICE_l2_size, 1, {80 * 1048576.0}, "80 MiB"},
    {"l2_size= 80 MiB ", WL_DEVICE_l2_size, 1, {80 * 1048576.0}, "80 MiB"},
    {"l2_size=2000", WL_DEVICE_l2_size, 1, {2000}, "1.953 KiB"},
    {"l2_size=4.1MB", WL_DEVICE_l2_size, 1, {4100000}, "3.91 MiB"},
    {"sm_count=1", WL_DEVICE_sm_count, 1, {1}, "1"},
    {"clock=2GHz", WL_DEVICE_clock, 1, {2e9}, "2 GHz"},
    {"dram_bandwidth=1TB/s", WL_DEVICE_dram_bandwidth, 1, {1e12}, "1 TB/s"},
    {"l1_miss_curve=[0.5,6,1.2]", WL_DEVICE_l1_miss_curve, 3, {0.5, 6, 1.2}, "0.5, 6, 1.2"},
    {"l1_miss_curve= 0.5 , 6,1.2", WL_DEVICE_l1_miss_curve, 3, {0.5, 6, 1.2}, "0.5, 6, 1.2"},
    {"shared_carveouts=[0,8KiB,16KiB]", WL_DEVICE_shared_carveouts, 3, {0, 8192, 16384}, "0 B, 8 KiB, 16 KiB"},
    {"shared_carveouts=64KiB", WL_DEVICE_shared_carveouts, 1, {65536}, "64 KiB"},
    /* a key the file does not have */
    {"launch_overhead=2us", WL_DEVICE_launch_overhead, 1, {2e-6}, "2 us"},
    {"shared_reserved=0", WL_DEVICE_shared_reserved, 1, {0}, "0 B"},
};

static void test_what_ifs(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(what_ifs); i++) {
        const char *name = what_ifs[i].assignment;
        wl_device *device = builtin("v100");
        wl_error err = {0};
        char text[128];
        const wl_status status = wl_device_set(device, name, &err);
        check_ok(name, status, &err);
        check_int(name, "count", (int64_t)wl_device_list_length(device, what_ifs[i].key), (int64_t)what_ifs[i].count);
        for (size_t k = 0; k < what_ifs[i].count && k < wl_device_list_length(device, what_ifs[i].key); k++)
            check_near(name, "value", wl_device_list_value(device, what_ifs[i].key, k), what_ifs[i].values[k], 1e-15);
        wl_device_value_text(device, what_ifs[i].key, text, sizeof text);
        check_text(name, "text", text, what_ifs[i].text);
        check_text(name, "source", wl_device_source(device, what_ifs[i].key), "set by the user");
        wl_device_free(device);
    }
    check_done();
}

static const struct {
    const char *assignment;
    expected_error want;
} bad_what_ifs[] = {
    {"l2_size", {WL_E_INPUT, "a what-if is written key=value", 1, 1}},
    {"", {WL_E_INPUT, "a what-if is written key=value", 1, 1}},
    {"=3", {WL_E_INPUT, "a what-if is written key=value", 1, 1}},
    {"l2_sise=3", {WL_E_INPUT, "unknown device key 'l2_sise'; did you mean 'l2_size'?", 1, 1}},
    {"l2_size =3", {WL_E_INPUT, "did you mean 'l2_size'?", 1, 1}},
    {"name=x", {WL_E_INPUT, "unknown device key 'name'", 1, 1}},
    {"max_grid_y=7", {WL_E_INPUT, "max_grid_y is no longer a key, as it is the same on every GPU", 1, 1}},
    {"an_unreasonably_long_name_that_no_key_of_any_device_file_could_have=3",
     {WL_E_INPUT, "a what-if is written key=value", 1, 1}},
    {"l2_size=", {WL_E_INPUT, "l2_size needs a number with one of the units B kB MB GB KiB MiB GiB, not ''", 1, 9}},
    {"l2_size=big", {WL_E_INPUT, "not 'big'", 1, 9}},
    {"l2_size=80GB/s", {WL_E_INPUT, "not '80GB/s'", 1, 9}},
    {"l2_size=80 81", {WL_E_INPUT, "not '80 81'", 1, 9}},
    {"l2_size=[80MiB]", {WL_E_INPUT, "not '[80MiB]'", 1, 9}},
    {"l2_size=1,2", {WL_E_INPUT, "not '1,2'", 1, 9}},
    {"l2_size=0", {WL_E_INPUT, "l2_size must be a positive number", 1, 9}},
    {"l2_size=-1MiB", {WL_E_INPUT, "l2_size must be a positive number", 1, 9}},
    {"l2_size=1e19", {WL_E_INPUT, "l2_size must be a positive number below 1e18", 1, 9}},
    {"l2_size=1.5", {WL_E_INPUT, "l2_size must be a whole number of bytes", 1, 9}},
    {"register_granularity=1e18", {WL_E_INPUT, "register_granularity must not exceed registers_per_sm", 1, 22}},
    {"registers_per_sm=1e18", {WL_E_INPUT, "registers_per_sm may be at most 2^30", 1, 18}},
    {"sm_count=2.5", {WL_E_INPUT, "sm_count must be a whole number", 1, 10}},
    {"sm_count=65537", {WL_E_INPUT, "sm_count may be at most 65536", 1, 10}},
    {"l1_block_share=2", {WL_E_INPUT, "l1_block_share is no longer a key, as l1_reload_curve serves", 1, 1}},
    {"local_l1_curve=2", {WL_E_INPUT, "local_l1_curve is no longer a key, as no model needs it", 1, 1}},
    {"shared_banks=32", {WL_E_INPUT, "shared_banks is no longer a key, as it is the same on every GPU", 1, 1}},
    {"l2_sector=32B", {WL_E_INPUT, "l2_sector is no longer a key, as l1_sector serves", 1, 1}},
    {"warp_start=2", {WL_E_INPUT, "warp_start is no longer a key, as no model needs it", 1, 1}},
    {"dram_wait_next=2", {WL_E_INPUT, "dram_wait_next is no longer a key, as it is half of dram_latency", 1, 1}},
    {"l1_field_steepness=65", {WL_E_INPUT, "l1_field_steepness is no longer a key, as l1_reload_curve serves", 1, 1}},
    {"l1_own_steps=8", {WL_E_INPUT, "l1_own_steps is no longer a key, as it is the compiler's", 1, 1}},
    {"l2_fill_cost=1", {WL_E_INPUT, "l2_fill_cost is no longer a key, as a byte from memory costs", 1, 1}},
    {"unit_norm=3", {WL_E_INPUT, "unit_norm is no longer a key, as bound_norm serves", 1, 1}},
    {"fp32_latency=0.5", {WL_E_INPUT, "fp32_latency must be between 1 and 100000 cycles", 1, 14}},
    {"atomic_latency=1e6", {WL_E_INPUT, "atomic_latency must be between 1 and 100000 cycles", 1, 16}},
    {"overlap_norm=0.5", {WL_E_INPUT, "overlap_norm is no longer a key, as it is 2 for two blocks", 1, 1}},
    {"warp_size=48", {WL_E_INPUT, "warp_size must be a power of two", 1, 11}},
    {"warp_size=128", {WL_E_INPUT, "warp_size may be at most 64", 1, 11}},
    {"l1_line=96B", {WL_E_INPUT, "l1_line must be a power of two", 1, 9}},
    /* the other number is at fault */
    {"l1_line=16B", {WL_E_INPUT, "l1_sector must not exceed l1_line", 1, 9}},
    {"l1_miss_curve=[0.5,6]", {WL_E_INPUT, "l1_miss_curve must be three numbers [a, b, c] with a at most 1", 1, 15}},
    {"l1_miss_curve=[2,6,1]", {WL_E_INPUT, "with a at most 1", 1, 15}},
    {"l1_miss_curve=[0.5,-6,1]", {WL_E_INPUT, "l1_miss_curve must be a positive number", 1, 15}},
    {"l1_miss_curve=[0.5,,1]", {WL_E_INPUT, "not ''", 1, 15}},
    {"l1_miss_curve=[]", {WL_E_INPUT, "not ''", 1, 15}},
    {"l1_miss_curve=[0.5,6,1", {WL_E_INPUT, "not '[0.5'", 1, 15}},
    {"shared_carveouts=[8KiB,0]", {WL_E_INPUT, "shared_carveouts must ascend", 1, 18}},
    {"shared_carveouts=[8KiB,8KiB]", {WL_E_INPUT, "shared_carveouts must ascend", 1, 18}},
    {"l2_size=none", {WL_E_INPUT, "not 'none'", 1, 9}}, /* required */
    {"l1_tag_banks=4", {WL_E_INPUT, "l1_tag_banks is no longer a key, as l1_tag_hash names them", 1, 1}},
    {"l1_tag_hash=[1,16]", {WL_E_INPUT, "l1_tag_hash names a bank above 15", 1, 13}},
    {"l1_tag_hash=0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0",
     {WL_E_INPUT, "l1_tag_hash has too many values", 1, 13}},
};

static void test_bad_what_ifs(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad_what_ifs); i++) {
        wl_device *device = builtin("v100"), *same = builtin("v100");
        wl_error err = {0};
        check_error(bad_what_ifs[i].assignment, wl_device_set(device, bad_what_ifs[i].assignment, &err), &err,
                    &bad_what_ifs[i].want);
        check_text(bad_what_ifs[i].assignment, "input", err.input, "--with");
        for (size_t k = 0; k < WL_DEVICE_KEY_COUNT; k++) {
            check_int(bad_what_ifs[i].assignment, "count left alone", (int64_t)device->entries[k].count,
                      (int64_t)same->entries[k].count);
            for (size_t v = 0; v < same->entries[k].count; v++)
                check_near(bad_what_ifs[i].assignment, "value left alone", device->entries[k].values[v],
                           same->entries[k].values[v], 0);
        }
        wl_device_free(device);
        wl_device_free(same);
    }
    check_done();
}

/* A value too long for the buffer is refused, not cut. */
static void test_long_what_if(void **state)
{
    (void)state;
    char assignment[1024] = "l2_size=";
    memset(assignment + 8, '1', 600);
    wl_device *device = builtin("v100");
    wl_error err = {0};
    const expected_error want = {WL_E_INPUT, "the value of l2_size is too long", 1, 9};
    check_error("long value", wl_device_set(device, assignment, &err), &err, &want);
    wl_device_free(device);
    check_done();
}

/* What-ifs may depend on each other: the order decides. */
static void test_what_if_order(void **state)
{
    (void)state;
    wl_device *device = builtin("v100");
    wl_error err = {0};
    check_ok("line first", wl_device_set(device, "l1_line=64B", &err), &err);
    check_ok("then the sector", wl_device_set(device, "l1_sector=64B", &err), &err);
    const expected_error want = {WL_E_INPUT, "l1_sector must not exceed l1_line", 1, 9};
    check_error("a line below the sector", wl_device_set(device, "l1_line=32B", &err), &err, &want);
    check_int("line", "value", wl_device_int(device, WL_DEVICE_l1_line), 64);
    check_int("without an error to fill", "status", wl_device_set(device, "l1_line=48B", NULL), WL_E_INPUT);
    wl_device_free(device);
    check_done();
}

/* ---- broken files ---- */

static const char whole[] = "name: test\n"
                            "title: A test\n"
                            "vendor: nobody\n"
                            "architecture: none\n"
                            "sm_count: {value: 80, unit: sm, source: s}\n"
                            "clock: {value: 1.38, unit: GHz, source: s}\n"
                            "warp_size: {value: 32, unit: lanes, source: s}\n"
                            "sub_partitions: {value: 4, unit: schedulers, source: s}\n"
                            "max_block: {value: [1024, 1024, 64], unit: threads, source: s}\n"
                            "max_threads_per_sm: {value: 2048, unit: threads, source: s}\n"
                            "max_blocks_per_sm: {value: 32, unit: blocks, source: s}\n"
                            "registers_per_sm: {value: 65536, unit: registers, source: s}\n"
                            "max_registers_per_thread: {value: 255, unit: registers, source: s}\n"
                            "register_granularity: {value: 256, unit: registers, source: s}\n"
                            "shared_per_sm: {value: 96, unit: KiB, source: s}\n"
                            "shared_per_block: {value: 96, unit: KiB, source: s}\n"
                            "shared_granularity: {value: 256, unit: B, source: s}\n"
                            "shared_reserved: {value: 0, unit: B, source: s}\n"
                            "l1_size: {value: 128, unit: KiB, source: s}\n"
                            "shared_carveouts: {value: [0, 8, 96], unit: KiB, source: s}\n"
                            "l1_line: {value: 128, unit: B, source: s}\n"
                            "l1_sector: {value: 32, unit: B, source: s}\n"
                            "l1_banks: {value: 32, unit: banks, source: s}\n"
                            "l1_wavefront_rate: {value: 1, unit: 1/cycle, source: s}\n"
                            "l1_tag_hash: {value: [1, 2, 3], unit: bank, source: s}\n"
                            "l2_size: {value: 6, unit: MiB, source: s}\n"
                            "l2_partitions: {value: 1, unit: partitions, source: s}\n"
                            "l2_line: {value: 128, unit: B, source: s}\n"
                            "dram_bandwidth: {value: 800, unit: GB/s, source: s}\n"
                            "dram_fetch: {value: 64, unit: B, source: s}\n"
                            "l1_miss_curve: {value: [0.66, 6.77, 1.45], unit: 1, source: s}\n"
                            "l1_curve_scale: {value: 128, unit: KiB, source: s}\n"
                            "l2_reuse_curve: {value: [1, 37.1, 3.2], unit: 1, source: s}\n"
                            "l2_miss_curve: {value: [0.2, 7.56, 0.67], unit: 1, source: s}\n"
                            "l2_store_curve: {value: [0.38, 3.79, 0.55], unit: 1, source: s}\n"
                            "l2_curve_scale: {value: 4, unit: MiB, source: s}\n";

#define ZEROS10 "0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "

/* The file above with `from` replaced by `to`. */
enum { HERE = -1 }; /* the line of the change */
static const struct {
    const char *name, *from, *to;
    expected_error want;
} broken[] = {
    {"unknown key",
     "l1_line:",
     "l1_lines:",
     {WL_E_INPUT, "unknown key 'l1_lines' in the device file; did you mean 'l1_line'?", HERE, 1}},
    {"unknown key, nothing near",
     "l1_line:",
     "temperature:",
     {WL_E_INPUT, "unknown key 'temperature' in the device file", HERE, 1}},
    {"unknown key of an entry",
     "sm_count: {value: 80, unit",
     "sm_count: {value: 80, units",
     {WL_E_INPUT, "unknown key 'units' in sm_count; did you mean 'unit'?", HERE, 23}},
    {"key twice", "l1_sector:", "l1_line:", {WL_E_INPUT, "key 'l1_line' is given twice", HERE, 1}},
    {"wrong unit",
     "sm_count: {value: 80, unit: sm",
     "sm_count: {value: 80, unit: GHz",
     {WL_E_INPUT, "sm_count cannot be in 'GHz'; use one of: 1 sm lanes", HERE, 29}},
    {"unit of a list",
     "[0, 8, 96], unit: KiB",
     "[0, 8, 96], unit: kib",
     {WL_E_INPUT, "shared_carveouts cannot be in 'kib'; use one of: B kB MB GB KiB MiB GiB", HERE, 45}},
    {"bits", "800, unit: GB/s", "800, unit: Gbit/s", {WL_E_INPUT, "dram_bandwidth cannot be in 'Gbit/s'", HERE, 36}},
    {"missing source",
     "clock: {value: 1.38, unit: GHz, source: s}",
     "clock: {value: 1.38, unit: GHz}",
     {WL_E_INPUT, "clock lacks its source", HERE, 1}},
    {"missing unit",
     "clock: {value: 1.38, unit: GHz, source: s}",
     "clock: {value: 1.38, source: s}",
     {WL_E_INPUT, "clock lacks its unit", HERE, 1}},
    {"missing value",
     "clock: {value: 1.38, unit: GHz, source: s}",
     "clock: {unit: GHz, source: s}",
     {WL_E_INPUT, "clock lacks its value", HERE, 1}},
    {"empty source",
     "clock: {value: 1.38, unit: GHz, source: s}",
     "clock: {value: 1.38, unit: GHz, source: ''}",
     {WL_E_INPUT, "clock has an empty source", HERE, 42}},
    {"source as a list",
     "clock: {value: 1.38, unit: GHz, source: s}",
     "clock: {value: 1.38, unit: GHz, source: [s]}",
     {WL_E_INPUT, "a source must be a single value, not a list", HERE, 41}},
    {"unit as a list",
     "1.38, unit: GHz",
     "1.38, unit: [GHz]",
     {WL_E_INPUT, "a unit must be a single value, not a list", HERE, 28}},
    {"a bare number",
     "clock: {value: 1.38, unit: GHz, source: s}",
     "clock: 1.38",
     {WL_E_INPUT, "clock must be a map of key: value, not a single value", HERE, 8}},
    {"missing required number",
     "l2_size: {value: 6, unit: MiB, source: s}\n",
     "",
     {WL_E_INPUT, "the device lacks 'l2_size' (L2 cache, all partitions together), which every model needs", 1, 1}},
    {"a key of earlier versions",
     "clock: {value: 1.38, unit: GHz, source: s}",
     "local_word: {value: 4, unit: B, source: s}",
     {WL_E_INPUT, "local_word is no longer a key, as no model needs it: delete its line", HERE, 1}},
    {"a key that became a list",
     "clock: {value: 1.38, unit: GHz, source: s}",
     "max_block_x: {value: 1024, unit: threads, source: s}",
     {WL_E_INPUT, "max_block_x is no longer a key: use max_block, a list [x, y, z]", HERE, 1}},
    {"extents in two directions",
     "max_block: {value: [1024, 1024, 64]",
     "max_block: {value: [1024, 1024]",
     {WL_E_INPUT, "max_block must be three numbers [x, y, z]", HERE, 20}},
    {"missing name", "name: test\n", "", {WL_E_INPUT, "the device file lacks 'name'", 1, 1}},
    {"missing title", "title: A test\n", "", {WL_E_INPUT, "the device file lacks 'title'", 1, 1}},
    {"missing vendor", "vendor: nobody\n", "", {WL_E_INPUT, "the device file lacks 'vendor'", 1, 1}},
    {"missing architecture", "architecture: none\n", "", {WL_E_INPUT, "the device file lacks 'architecture'", 1, 1}},
    {"empty title", "title: A test", "title:", {WL_E_INPUT, "'title' is empty", HERE, 7}},
    {"title as a list",
     "title: A test",
     "title: [A]",
     {WL_E_INPUT, "title must be a single value, not a list", HERE, 8}},
    {"text for a number", "value: 80,", "value: many,", {WL_E_INPUT, "sm_count needs a number, not 'many'", HERE, 19}},
    {"number with its unit",
     "value: 96, unit: KiB",
     "value: 96KiB, unit: KiB",
     {WL_E_INPUT, "shared_per_sm needs a number, not '96KiB'", HERE, 24}},
    {"hexadecimal", "value: 80,", "value: 0x50,", {WL_E_INPUT, "sm_count needs a number, not '0x50'", HERE, 19}},
    {"infinite", "value: 80,", "value: .inf,", {WL_E_INPUT, "sm_count needs a number, not '.inf'", HERE, 19}},
    {"empty value", "value: 80,", "value: ,", {WL_E_INPUT, "sm_count needs a number, not ''", HERE, 19}},
    {"list for a number",
     "value: 80,",
     "value: [80],",
     {WL_E_INPUT, "a value must be a single value, not a list", HERE, 19}},
    {"number for a list",
     "[0.66, 6.77, 1.45]",
     "0.66",
     {WL_E_INPUT, "l1_miss_curve must be a list, not a single value", HERE, 24}},
    {"text in a list",
     "[0.66, 6.77, 1.45]",
     "[0.66, six, 1.45]",
     {WL_E_INPUT, "l1_miss_curve needs a number, not 'six'", HERE, 31}},
    {"list in a list",
     "[0.66, 6.77, 1.45]",
     "[0.66, [6], 1.45]",
     {WL_E_INPUT, "a value must be a single value, not a list", HERE, 31}},
    {"list too long",
     "[1, 2, 3]",
     "[" ZEROS10 ZEROS10 ZEROS10 ZEROS10 "1]",
     {WL_E_INPUT, "l1_tag_hash has more than 40 values", HERE, 143}},
    {"curve of two",
     "[0.66, 6.77, 1.45]",
     "[0.66, 6.77]",
     {WL_E_INPUT, "l1_miss_curve must be three numbers [a, b, c] with a at most 1", HERE, 24}},
    {"curve of four",
     "[0.66, 6.77, 1.45]",
     "[0.66, 6.77, 1.45, 1]",
     {WL_E_INPUT, "l1_miss_curve must be three numbers", HERE, 24}},
    {"empty curve", "[0.66, 6.77, 1.45]", "[]", {WL_E_INPUT, "l1_miss_curve must be three numbers", HERE, 24}},
    {"curve above 1", "[0.66, 6.77, 1.45]", "[1.66, 6.77, 1.45]", {WL_E_INPUT, "with a at most 1", HERE, 24}},
    {"negative", "value: 800,", "value: -800,", {WL_E_INPUT, "dram_bandwidth must be a positive number", HERE, 25}},
    {"negative in a list",
     "[0.66, 6.77, 1.45]",
     "[0.66, -6.77, 1.45]",
     {WL_E_INPUT, "l1_miss_curve must be a positive number", HERE, 24}},
    {"zero", "value: 80,", "value: 0,", {WL_E_INPUT, "sm_count must be a positive number", HERE, 19}},
    {"too large",
     "value: 80,",
     "value: 2e18,",
     {WL_E_INPUT, "sm_count must be a positive number below 1e18", HERE, 19}},
    {"not whole", "value: 80,", "value: 80.5,", {WL_E_INPUT, "sm_count must be a whole number", HERE, 19}},
    {"bytes not whole",
     "l2_size: {value: 6, unit: MiB",
     "l2_size: {value: 6.3, unit: B",
     {WL_E_INPUT, "l2_size must be a whole number", HERE, 18}},
    {"line no power of two",
     "l1_line: {value: 128",
     "l1_line: {value: 96",
     {WL_E_INPUT, "l1_line must be a power of two", HERE, 18}},
    {"banks no power of two",
     "l1_banks: {value: 32",
     "l1_banks: {value: 24",
     {WL_E_INPUT, "l1_banks must be a power of two", HERE, 19}},
    {"sector above its line",
     "l1_sector: {value: 32",
     "l1_sector: {value: 256",
     {WL_E_INPUT, "l1_sector must not exceed l1_line", HERE, 20}},
    {"L2 sector above its line",
     "l2_line: {value: 128",
     "l2_line: {value: 16",
     {WL_E_INPUT, "l1_sector must not exceed l2_line", 22, 20}},
    {"warp of 128",
     "warp_size: {value: 32",
     "warp_size: {value: 128",
     {WL_E_INPUT, "warp_size may be at most 64", HERE, 20}},
    {"128 banks",
     "l1_banks: {value: 32",
     "l1_banks: {value: 128",
     {WL_E_INPUT, "l1_banks may be at most 64", HERE, 19}},
    {"block of 8192",
     "max_block: {value: [1024",
     "max_block: {value: [8192",
     {WL_E_INPUT, "max_block may be at most 4096 in x", HERE, 20}},
    {"too many threads",
     "value: 2048",
     "value: 131072",
     {WL_E_INPUT, "max_threads_per_sm may be at most 65536", HERE, 29}},
    {"too many schedulers",
     "sub_partitions: {value: 4",
     "sub_partitions: {value: 65537",
     {WL_E_INPUT, "sub_partitions must not exceed registers_per_sm", HERE, 25}},
    {"too many partitions",
     "l2_partitions: {value: 1",
     "l2_partitions: {value: 10000000",
     {WL_E_INPUT, "l2_partitions must not exceed l2_size", HERE, 24}},
    {"carve-outs descend", "[0, 8, 96]", "[0, 96, 8]", {WL_E_INPUT, "shared_carveouts must ascend", HERE, 27}},
    {"more than 16 tag banks", "[1, 2, 3]", "[1, 2, 16]", {WL_E_INPUT, "l1_tag_hash names a bank above 15", HERE, 22}},
    {"a list for a file", "name: test\n", "- a\n", {WL_E_INPUT, "not valid YAML", 2, 1}},
    {"bracket left open", "[0, 8, 96]", "[0, 8, 96", {WL_E_INPUT, "not valid YAML", HERE, 58}},
};

static char *changed(const char *from, const char *to, int32_t *line)
{
    const char *at = strstr(whole, from);
    if (!at)
        fail_msg("the file does not contain '%s'", from);
    const size_t before = (size_t)(at - whole), length = strlen(whole) - strlen(from) + strlen(to);
    char *text = malloc(length + 1);
    assert_non_null(text);
    (void)snprintf(text, length + 1, "%.*s%s%s", (int)before, whole, to, at + strlen(from));
    *line = 1;
    for (size_t i = 0; i < before; i++)
        *line += whole[i] == '\n';
    return text;
}

static void test_broken_files(void **state)
{
    (void)state;
    wl_device *device = NULL;
    wl_error err = {0};
    check_ok("unbroken", wl_device_parse("file", whole, strlen(whole), &device, &err), &err);
    wl_device_free(device);
    for (size_t i = 0; i < COUNT_OF(broken); i++) {
        expected_error want = broken[i].want;
        int32_t line;
        char *text = changed(broken[i].from, broken[i].to, &line);
        if (want.line == HERE)
            want.line = line;
        device = NULL;
        err = (wl_error){0};
        check_error(broken[i].name, wl_device_parse("broken.yaml", text, strlen(text), &device, &err), &err, &want);
        check_text(broken[i].name, "input", err.input, "broken.yaml");
        check_true(broken[i].name, "no device is given", device == NULL);
        free(text);
    }
    check_done();
}

/* What no architecture states. */
static bool is_own(size_t k)
{
    return k == WL_DEVICE_sm_count || k == WL_DEVICE_clock || k == WL_DEVICE_l2_size || k == WL_DEVICE_dram_bandwidth;
}

/* Every key, left out in turn: a number that only the device itself can have is missed by name, the
 * others are inherited. */
static void test_required(void **state)
{
    (void)state;
    for (size_t k = 0; k < WL_DEVICE_KEY_COUNT; k++) {
        const char *key = wl_device_key_name((wl_device_key)k);
        char head[64], wanted[96];
        (void)snprintf(head, sizeof head, "\n%s: ", key);
        (void)snprintf(wanted, sizeof wanted, "the device lacks '%s' (", key);
        const char *at = strstr(whole, head);
        if (!at)
            continue;
        char text[sizeof whole];
        const char *rest = strchr(at + 1, '\n');
        (void)snprintf(text, sizeof text, "%.*s%s", (int)(at - whole), whole, rest);
        wl_device *device = NULL;
        wl_error err = {0};
        const wl_status status = wl_device_parse("file", text, strlen(text), &device, &err);
        if (is_own(k))
            check_error(key, status, &err, &(expected_error){WL_E_INPUT, wanted, 1, 1});
        else
            check_ok(key, status, &err);
        wl_device_free(device);
    }
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shipped),        cmocka_unit_test(test_inherited),
        cmocka_unit_test(test_no_copies),      cmocka_unit_test(test_table_1),
        cmocka_unit_test(test_unknown_device), cmocka_unit_test(test_what_ifs),
        cmocka_unit_test(test_bad_what_ifs),   cmocka_unit_test(test_long_what_if),
        cmocka_unit_test(test_what_if_order),  cmocka_unit_test(test_broken_files),
        cmocka_unit_test(test_required),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
