/* test_occupancy.c - launch/occupancy.c against NVIDIA's calculator.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include <stdio.h>

#include "device/device_internal.h"
#include "launch/occupancy_next.h"
#include "warpline/launch.h"

static wl_device *builtin(const char *name)
{
    wl_device *device = NULL;
    wl_error err = {0};
    const wl_status status = wl_device_builtin(name, &device, &err);
    if (status != WL_OK)
        fail_msg("%s: %s", name, err.message);
    return device;
}

/* The limits of each compute capability. */
static const struct {
    const char *name;
    int threads, blocks, shared_kib, per_block_kib, granularity, reserved, schedulers;
} capabilities[] = {
    {"5.2", 2048, 32, 96, 48, 256, 0, 4},      {"6.0", 2048, 32, 64, 48, 256, 0, 2},
    {"6.1", 2048, 32, 96, 48, 256, 0, 4},      {"7.0", 2048, 32, 96, 96, 256, 0, 4},
    {"7.5", 1024, 16, 64, 64, 256, 0, 4},      {"8.0", 2048, 32, 164, 163, 128, 1024, 4},
    {"8.6", 1536, 16, 100, 99, 128, 1024, 4},  {"8.9", 1536, 24, 100, 99, 128, 1024, 4},
    {"9.0", 2048, 32, 228, 227, 128, 1024, 4}, {"10.0", 2048, 32, 228, 227, 128, 1024, 4},
};
enum { CAPABILITIES = COUNT_OF(capabilities) };

static wl_device *of_capability(size_t c)
{
    wl_device *device = builtin("v100");
    char sets[9][64];
    (void)snprintf(sets[0], sizeof sets[0], "max_threads_per_sm=%d", capabilities[c].threads);
    (void)snprintf(sets[1], sizeof sets[1], "max_blocks_per_sm=%d", capabilities[c].blocks);
    (void)snprintf(sets[2], sizeof sets[2], "registers_per_sm=65536");
    (void)snprintf(sets[3], sizeof sets[3], "shared_per_sm=%dKiB", capabilities[c].shared_kib);
    (void)snprintf(sets[4], sizeof sets[4], "shared_per_block=%dKiB", capabilities[c].per_block_kib);
    (void)snprintf(sets[5], sizeof sets[5], "shared_granularity=%dB", capabilities[c].granularity);
    (void)snprintf(sets[6], sizeof sets[6], "shared_reserved=%dB", capabilities[c].reserved);
    (void)snprintf(sets[7], sizeof sets[7], "sub_partitions=%d", capabilities[c].schedulers);
    (void)snprintf(sets[8], sizeof sets[8], "register_granularity=256");
    for (size_t i = 0; i < COUNT_OF(sets); i++) {
        wl_error err = {0};
        check_ok(sets[i], wl_device_set(device, sets[i], &err), &err);
    }
    return device;
}

static const struct {
    int64_t threads, registers, shared_bytes;
    int64_t blocks[CAPABILITIES];
} golden[] = {
    {256, 32, 0, {8, 8, 8, 8, 4, 8, 6, 6, 8, 8}},          {128, 33, 0, {12, 12, 12, 12, 8, 12, 12, 12, 12, 12}},
    {96, 40, 0, {16, 16, 16, 16, 10, 16, 16, 16, 16, 16}}, {1024, 65, 0, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {1024, 64, 0, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},         {256, 64, 40960, {2, 1, 2, 2, 1, 4, 2, 2, 4, 4}},
    {64, 168, 0, {6, 6, 6, 6, 6, 6, 6, 6, 6, 6}},          {32, 32, 7168, {13, 9, 13, 13, 9, 20, 12, 12, 28, 28}},
    {192, 72, 0, {4, 4, 4, 4, 4, 4, 4, 4, 4, 4}},          {160, 56, 1000, {7, 7, 7, 7, 6, 7, 7, 7, 7, 7}},
};

static void test_golden(void **state)
{
    (void)state;
    for (size_t c = 0; c < CAPABILITIES; c++) {
        wl_device *device = of_capability(c);
        for (size_t i = 0; i < COUNT_OF(golden); i++) {
            char name[64];
            wl_occupancy o;
            wl_error err = {0};
            (void)snprintf(name, sizeof name, "cc %s, %lld threads, %lld registers, %lld B", capabilities[c].name,
                           (long long)golden[i].threads, (long long)golden[i].registers,
                           (long long)golden[i].shared_bytes);
            check_ok(
                name,
                wl_occupancy_compute(device, golden[i].threads, golden[i].registers, golden[i].shared_bytes, &o, &err),
                &err);
            check_int(name, "blocks", o.blocks_per_sm, golden[i].blocks[c]);
            check_int(name, "warps", o.warps_per_sm, golden[i].blocks[c] * ((golden[i].threads + 31) / 32));
            check_int(name, "threads", o.threads_per_sm, golden[i].blocks[c] * golden[i].threads);
            check_true(name, "limiter allows exactly the blocks", o.limits[o.limiter] == o.blocks_per_sm);
            for (int l = 0; l < WL_LIMIT_COUNT; l++)
                check_true(name, "no limit is below the blocks", o.limits[l] >= o.blocks_per_sm);
        }
        wl_device_free(device);
    }
    check_done();
}

/* The shipped devices have the limits of their compute capability. */
static void test_shipped(void **state)
{
    static const struct {
        const char *device;
        size_t capability;
    } shipped[] = {{"gtx970", 0}, {"v100", 3}, {"t4", 4},   {"rtx2080s", 4}, {"a100-40gb", 5}, {"a100-80gb", 5},
                   {"a40", 6},    {"l40", 7},  {"l40s", 7}, {"h100", 8},     {"h200", 8}};
    (void)state;
    for (size_t d = 0; d < COUNT_OF(shipped); d++) {
        wl_device *device = builtin(shipped[d].device);
        for (size_t i = 0; i < COUNT_OF(golden); i++) {
            wl_occupancy o;
            wl_error err = {0};
            check_ok(
                shipped[d].device,
                wl_occupancy_compute(device, golden[i].threads, golden[i].registers, golden[i].shared_bytes, &o, &err),
                &err);
            check_int(shipped[d].device, "blocks", o.blocks_per_sm, golden[i].blocks[shipped[d].capability]);
        }
        wl_device_free(device);
    }
    check_done();
}

static const struct {
    const char *name, *device;
    int64_t threads, registers, shared_bytes;
    int64_t blocks;
    const char *limiter;
    int64_t shared_allocated, registers_allocated, l1_bytes;
} details[] = {
    {"threads", "v100", 1024, 32, 0, 2, "threads", 0, 1024, 131072},
    {"registers", "v100", 256, 64, 0, 4, "registers", 0, 2048, 131072},
    {"shared", "v100", 256, 32, 20000, 4, "shared", 20224, 1024, 131072 - 98304},
    {"blocks", "v100", 32, 32, 0, 32, "blocks", 0, 1024, 131072},
    {"of equals the first: threads before blocks", "v100", 64, 32, 0, 32, "threads", 0, 1024, 131072},
    {"does not fit: registers", "v100", 1024, 65, 0, 0, "registers", 0, 2304, 131072},
    {"does not fit: more registers than a thread may have", "v100", 32, 300, 0, 0, "registers", 0, 9728, 131072},
    {"does not fit: shared", "v100", 32, 32, 98305, 0, "shared", 98560, 1024, 131072},
    {"all of the shared memory", "v100", 32, 32, 98304, 1, "shared", 98304, 1024, 32768},
    {"one thread is a warp", "v100", 1, 32, 0, 32, "blocks", 0, 1024, 131072},
    {"one byte takes a granule", "v100", 32, 32, 1, 32, "blocks", 256, 1024, 131072 - 8192},
    {"the system's share", "a100-40gb", 1024, 32, 0, 2, "threads", 1024, 1024, (192 - 8) * 1024},
    {"the system's share of many blocks", "a100-40gb", 32, 32, 0, 32, "blocks", 1024, 1024, (192 - 32) * 1024},
    {"opting in to nearly all", "a100-40gb", 32, 32, 163 * 1024, 1, "shared", 164 * 1024, 1024, (192 - 164) * 1024},
    {"one byte above", "a100-40gb", 32, 32, 163 * 1024 + 1, 0, "shared", 164 * 1024 + 128, 1024, 192 * 1024},
    {"one register", "v100", 1024, 1, 0, 2, "threads", 0, 256, 131072},
};

static void test_details(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(details); i++) {
        wl_device *device = builtin(details[i].device);
        wl_occupancy o;
        wl_error err = {0};
        check_ok(
            details[i].name,
            wl_occupancy_compute(device, details[i].threads, details[i].registers, details[i].shared_bytes, &o, &err),
            &err);
        check_int(details[i].name, "blocks", o.blocks_per_sm, details[i].blocks);
        check_text(details[i].name, "limiter", wl_occupancy_limit_name(o.limiter), details[i].limiter);
        check_int(details[i].name, "shared memory of a block", o.shared_allocated, details[i].shared_allocated);
        check_int(details[i].name, "registers of a warp", o.registers_allocated, details[i].registers_allocated);
        check_int(details[i].name, "L1", o.l1_bytes, details[i].l1_bytes);
        wl_device_free(device);
    }
    check_done();
}

static const struct {
    const char *name;
    int64_t threads, registers, shared_bytes;
    wl_occupancy_step want;
} steps[] = {
    /* on the V100 */
    {"fewer registers", 256, 64, 0, {48, -1, 192}}, /* {registers, shared, threads} */
    {"fewer threads", 1024, 32, 0, {-1, -1, 672}},
    {"less shared memory", 256, 32, 20000, {-1, 19456, -1}},
    {"nothing helps", 32, 32, 0, {-1, -1, -1}},
    {"threads and registers bind together", 256, 32, 0, {-1, -1, 224}},
    {"first block: registers", 1024, 65, 0, {64, -1, 896}},
    {"first block: registers of a thread", 32, 300, 0, {255, -1, -1}},
    {"first block: shared memory", 32, 32, 98305, {-1, 98304, -1}},
};

static void test_next(void **state)
{
    (void)state;
    wl_device *device = builtin("v100");
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        wl_occupancy_step step;
        wl_error err = {0};
        check_ok(steps[i].name,
                 wl_occupancy_next(device, steps[i].threads, steps[i].registers, steps[i].shared_bytes, &step, &err),
                 &err);
        check_int(steps[i].name, "registers", step.registers, steps[i].want.registers);
        check_int(steps[i].name, "shared memory", step.shared_bytes, steps[i].want.shared_bytes);
        check_int(steps[i].name, "threads", step.threads, steps[i].want.threads);
    }
    wl_device_free(device);
    check_done();
}

static int64_t blocks_of(const wl_device *device, const int64_t n[3])
{
    wl_occupancy o = {0};
    wl_error err = {0};
    check_ok("blocks", wl_occupancy_compute(device, n[0], n[1], n[2], &o, &err), &err);
    return o.blocks_per_sm;
}

/* The step gives more blocks, one more than the step does not; without a step not even the least
 * number helps. */
static void test_next_is_the_next(void **state)
{
    static const char *const devices[] = {"v100", "a100-40gb", "t4", "h200", "mi210"};
    static const int64_t least[3] = {1, 1, 0};
    (void)state;
    uint64_t seed = 5;
    for (size_t d = 0; d < COUNT_OF(devices); d++) {
        wl_device *device = builtin(devices[d]);
        const int64_t most = wl_most_threads(device);
        for (int i = 0; i < 300; i++) {
            const int64_t threads = check_random_in(&seed, 1, most), registers = check_random_in(&seed, 1, 260);
            const int64_t bytes = check_random_in(&seed, 0, 2) ? check_random_in(&seed, 0, 70000) : 0;
            const int64_t n[3] = {threads, registers, bytes};
            char name[96];
            wl_occupancy_step step;
            wl_error err = {0};
            (void)snprintf(name, sizeof name, "%s, %lld threads, %lld registers, %lld B", devices[d], (long long)n[0],
                           (long long)n[1], (long long)n[2]);
            check_ok(name, wl_occupancy_next(device, n[0], n[1], n[2], &step, &err), &err);
            const int64_t next[3] = {step.threads, step.registers, step.shared_bytes}, now = blocks_of(device, n);
            for (int k = 0; k < 3; k++) {
                int64_t changed[3] = {n[0], n[1], n[2]};
                changed[k] = next[k] < 0 ? least[k] : next[k];
                check_int(name, "a step gives more blocks", blocks_of(device, changed) > now, next[k] >= 0);
                changed[k] = next[k] + 1;
                if (next[k] >= 0)
                    check_int(name, "one more than the step does not", blocks_of(device, changed), now);
            }
        }
        wl_device_free(device);
    }
    check_done();
}

static void test_errors(void **state)
{
    static const struct {
        const char *name;
        int64_t threads, registers, shared_bytes;
        expected_error want;
    } cases[] = {
        {"no threads", 0, 32, 0, {WL_E_INPUT, "a block has 1 to 1024 threads on this device (not 0)", 0, 0}},
        {"negative threads", -32, 32, 0, {WL_E_INPUT, "a block has 1 to 1024 threads on this device (not -32)", 0, 0}},
        {"too many threads",
         1025,
         32,
         0,
         {WL_E_INPUT, "a block has 1 to 1024 threads on this device (not 1025)", 0, 0}},
        {"no registers", 32, 0, 0, {WL_E_INPUT, "a thread uses 1 to 255 registers on this device (not 0)", 0, 0}},
        {"absurd registers",
         32,
         5000,
         0,
         {WL_E_INPUT, "a thread uses 1 to 255 registers on this device (not 5000)", 0, 0}},
        {"negative shared memory",
         32,
         32,
         -1,
         {WL_E_INPUT, "a block uses 0 to 98304 bytes of shared memory on this device (not -1)", 0, 0}},
        {"absurd shared memory",
         32,
         32,
         INT64_MAX,
         {WL_E_INPUT, "a block uses 0 to 98304 bytes of shared memory", 0, 0}},
    };
    (void)state;
    wl_device *device = builtin("v100");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        wl_occupancy o;
        wl_occupancy_step step;
        wl_error err = {0};
        check_error(cases[i].name,
                    wl_occupancy_compute(device, cases[i].threads, cases[i].registers, cases[i].shared_bytes, &o, &err),
                    &err, &cases[i].want);
        err = (wl_error){0};
        check_error(cases[i].name,
                    wl_occupancy_next(device, cases[i].threads, cases[i].registers, cases[i].shared_bytes, &step, &err),
                    &err, &cases[i].want);
    }
    wl_device_free(device);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden), cmocka_unit_test(test_shipped),          cmocka_unit_test(test_details),
        cmocka_unit_test(test_next),   cmocka_unit_test(test_next_is_the_next), cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
