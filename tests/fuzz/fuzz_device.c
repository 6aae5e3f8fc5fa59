/* fuzz_device.c - any bytes as a device file, and line by line as what-ifs on a built-in device.
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "launch/occupancy_next.h"

#define WHAT_IFS_MAX 16

static void ask(const wl_device *d)
{
    REQUIRE(wl_device_name(d)[0] && wl_device_title(d)[0] && wl_device_architecture(d)[0]);
    for (int k = 0; k < WL_DEVICE_KEY_COUNT; k++) {
        const wl_device_key key = (wl_device_key)k;
        const size_t n = wl_device_list_length(d, key);
        double value = 0;
        char text[512], small[5];
        REQUIRE(wl_device_get(d, key, &value) == (n > 0) && n <= WL_DEVICE_LIST_MAX);
        REQUIRE(n > 0 || !wl_device_key_required(key));
        for (size_t i = 0; i < n; i++)
            REQUIRE(isfinite(wl_device_list_value(d, key, i)) && wl_device_list_value(d, key, i) >= 0);
        wl_device_value_text(d, key, text, sizeof text);
        wl_device_value_text(d, key, small, sizeof small);
        REQUIRE((text[0] != '\0') == (n > 0) && strlen(small) < sizeof small);
        REQUIRE(n == 0 || wl_device_source(d, key)[0] != '\0');
    }
}

static void occupy(const wl_device *d, int64_t threads, int64_t registers, int64_t shared)
{
    wl_error err = {0};
    wl_occupancy o = {0};
    wl_occupancy_step next = {0};
    wl_status status = wl_occupancy_compute(d, threads, registers, shared, &o, &err);
    fuzz_check_outcome(status, status == WL_OK ? &o : NULL, &err);
    if (status != WL_OK)
        return;
    REQUIRE(o.blocks_per_sm >= 0 && o.warps_per_sm >= 0 && o.threads_per_sm >= 0 && o.l1_bytes >= 0);
    status = wl_occupancy_next(d, threads, registers, shared, &next, &err);
    fuzz_check_outcome(status, status == WL_OK ? &next : NULL, &err);
}

static void use(const wl_device *d)
{
    static wl_kernel *stencil, *gather;
    const wl_launch launch = {.block = {16, 4, 1}, .fold = {2, 1, 1}, .registers = 40, .shared_bytes = 2000};
    wl_error err = {0};
    if (!stencil)
        REQUIRE(wl_kernel_from_update("d[0,0] = s[0,0] + s[1,0] + s[-1,0] + s[0,1] + s[0,-1]", "300x70", "f64",
                                      &stencil, &err) == WL_OK);
    if (!gather) {
        static const char text[] = "name: g\ndomain: [50, 9]\nfields: {A: {type: f32}, B: {type: f16}}\n"
                                   "loads: [\"A[(x*7 + y) % 1000]\", \"A[64*x]\"]\nstores: [\"B[y*49 + x]\"]\n";
        REQUIRE(wl_kernel_parse("gather", text, sizeof text - 1, NULL, &gather, &err) == WL_OK);
    }
    ask(d);
    occupy(d, 1, 1, 0);
    occupy(d, 256, 40, 2000);
    occupy(d, 1024, 255, 100000);
    occupy(d, (int64_t)1 << 40, (int64_t)1 << 40, (int64_t)1 << 59);
    fuzz_predict(stencil, d, &launch);
    fuzz_predict(gather, d, &launch);
}

static void what_ifs(char *lines)
{
    wl_device *device = NULL;
    wl_error err = {0};
    bool changed = false;
    REQUIRE(fuzz_device_copy("h200", &device, &err) == WL_OK);
    for (int i = 0; i < WHAT_IFS_MAX && *lines; i++) {
        char *end = lines + strcspn(lines, "\n");
        char *rest = *end ? end + 1 : end;
        *end = '\0';
        err = (wl_error){0};
        const wl_status status = wl_device_set(device, lines, &err);
        fuzz_check_outcome(status, status == WL_OK ? device : NULL, &err);
        changed = changed || status == WL_OK;
        lines = rest;
    }
    if (changed)
        use(device);
    wl_device_free(device);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    wl_device *device = NULL;
    wl_error err = {0};
    const wl_status status = wl_device_parse("fuzz.yaml", text, size, &device, &err);
    fuzz_check_outcome(status, device, &err);
    if (status == WL_OK) {
        use(device);
        wl_device_free(device);
    } else {
        what_ifs(text);
    }
    free(text);
    return 0;
}
