/* test_source_kind.c - device/source_kind: what kind of source a number has.
 * SPDX-License-Identifier: MIT */
#include "unit/checks.h"

#include "device/device_internal.h"

static const struct {
    const char *source, *kind;
} cases[] = {
    {"measured: NVIDIA H200, 2026-11, calibrate l1_line", "measured"},
    {"device query: NVIDIA H200, 2026-11", "measured"},
    {"fitted: h200_fit.csv", "fitted"},
    {"fitted by eye: H200", "fitted"},
    {"chosen: H200, families of both tables", "fitted"},
    {"inferred: H200, family softmax", "fitted"},
    {"gpu-benches gpu-latency", "published"},
    {"xxrjun/gpu-benches@23e586dd:gpu-latency/gh200.txt", "published"},
    {"Ernst et al. 2022, Table 1", "published"},
    {"my own bench", "published"},
    {"NVIDIA data sheet", "data sheet"},
    {"AMD CDNA 3 white paper", "data sheet"},
    {"LLVM AMDGPU backend, AMDGPUBaseInfo", "data sheet"},
    {"HIP device properties (ROCm)", "data sheet"},
    {"ptxas 13.0: I2FP, which the integer pipe executes", "data sheet"},
    {"four schedulers of one warp instruction per cycle each", "data sheet"},
    {"assumed: as a40", "assumed"},
    {"believed: no launch was measured", "assumed"},
    {"scaled: from the h200", "assumed"},
    {"set by the user", "user"},
};

static void test_kinds(void **state)
{
    (void)state;
    wl_device *device = NULL;
    wl_error err = {0};
    check_ok("h200", wl_device_builtin("h200", &device, &err), &err);
    for (size_t i = 0; device && i < COUNT_OF(cases); i++) {
        wl_source_kind kind = WL_SOURCE_KINDS;
        device->entries[WL_DEVICE_l2_size].source = cases[i].source;
        check_true(cases[i].source, "has a kind", wl_source_kind_of(device, WL_DEVICE_l2_size, &kind));
        check_text(cases[i].source, "kind", kind < WL_SOURCE_KINDS ? wl_source_kind_name(kind) : "", cases[i].kind);
    }
    wl_source_kind kind;
    check_true("h200", "no kind of what is not there",
               device && !wl_source_kind_of(device, WL_DEVICE_memory_cache, &kind));
    wl_device_free(device);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds)};
    return cmocka_run_group_tests_name("source_kind", tests, NULL, NULL);
}
