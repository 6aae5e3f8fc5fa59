/* fuzz_kernel.c - any bytes as a kernel file; what parses is predicted.
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "metrics/layer_condition.h"

static void ask(const wl_kernel *k)
{
    int64_t extent[3] = {1, 1, 1}, registers = 0;
    double flops = 0;
    const int dims = wl_kernel_domain(k, extent);
    REQUIRE(dims >= 0 && dims <= 3);
    for (int d = 0; d < dims; d++)
        REQUIRE(extent[d] >= 1);
    REQUIRE(wl_kernel_name(k));
    for (size_t i = 0; i < wl_kernel_access_count(k); i++) {
        REQUIRE(wl_kernel_access_text(k, i) && wl_kernel_access_field(k, i) < wl_kernel_field_count(k));
        REQUIRE(wl_kernel_field_name(k, wl_kernel_access_field(k, i))[0]);
        (void)wl_kernel_access_is_store(k, i);
    }
    if (wl_kernel_flops(k, &flops))
        REQUIRE(isfinite(flops) && flops >= 0);
    if (wl_kernel_registers(k, &registers))
        REQUIRE(registers >= 1);
}

static void check_layers(const wl_kernel *k, const wl_device *d)
{
    wl_error err = {0};
    wl_layer_condition c = {0};
    const wl_status status = wl_layer_condition_check(k, d, &c, &err);
    fuzz_check_outcome(status, status == WL_OK ? &c : NULL, &err);
    if (status == WL_OK)
        REQUIRE(c.layers >= 0 && isfinite(c.needed_bytes) && c.needed_bytes >= 0 && c.room_bytes > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static wl_device *h200, *a100;
    char *text = fuzz_text(data, size);
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    const wl_status status = wl_kernel_parse("fuzz.yaml", text, size, NULL, &kernel, &err);
    fuzz_check_outcome(status, kernel, &err);
    free(text);
    if (status != WL_OK)
        return 0;
    ask(kernel);
    if (is_bounded(kernel)) {
        wl_launch launch = {.block = {8, 4, 2}, .fold = {1, 2, 1}};
        if (kernel->dims == 0)
            launch.grid[0] = 5;
        fuzz_predict(kernel, fuzz_device("h200", &h200), &launch);
        fuzz_predict(kernel, fuzz_device("a100-40gb", &a100), &launch);
        check_layers(kernel, h200);
    }
    wl_kernel_free(kernel);
    return 0;
}
