/* fit_curves.c - the numbers of a device from published curves, as a device file: see curves.h.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/print.h"
#include "device/basis.h"
#include "fit/curves.h"
#include "fit/fit_internal.h"

#define SOURCE_MAX 300
/* iterations: the queue between reads and writes follows from the wait of reads, of which it is a
 * part */
#define ROUNDS 8

/* Numbers that other curves gave stay what they are. */
static void restore_found(wl_curve_numbers *n, wl_device_key changed)
{
    for (int k = 0; k < WL_DEVICE_KEY_COUNT; k++)
        if (n->sources[k] && k != (int)changed)
            n->device->entries[k] = n->before[k];
}

void wl_curves_found(wl_curve_numbers *n, wl_device_key key, double value, const char *format, ...)
{
    char text[SOURCE_MAX];
    va_list args;
    if (!(value > 0) || !isfinite(value))
        return; /* the curve does not reach so far */
    va_start(args, format);
    (void)wl_print_list(text, sizeof text, format, args);
    va_end(args);
    if (!(n->before = n->before ? n->before : WL_ARENA_NEW(n->arena, wl_device_entry, WL_DEVICE_KEY_COUNT))) {
        n->failed = true;
        return;
    }
    memcpy(n->before, n->device->entries, sizeof n->device->entries);
    n->device->entries[key].count = 1;
    n->device->entries[key].values[0] = value;
    /* what is a share of it, unless a curve gives that, too */
    wl_basis_follow(n->device, key, n->before);
    restore_found(n, key);
    n->sources[key] = wl_arena_text(n->arena, text, strlen(text));
    n->failed = n->failed || !n->sources[key];
}

static void find_numbers(const wl_curves *curves, wl_curve_numbers *n)
{
    wl_curves_memory(curves, n);
    const double chase = wl_curves_known(n->device, WL_DEVICE_dram_latency);
    for (int i = 0; i < ROUNDS; i++)
        wl_curves_streams(curves, chase, n);
    wl_curves_starts(curves, n); /* needs the waits of blocks */
    wl_curves_least_starts(curves, n);
}

wl_status wl_curves_fit(const wl_curves *curves, const wl_device *device, const char *text, size_t length, char **file,
                        char **found, wl_error *err)
{
    wl_arena arena = {0};
    wl_curve_numbers n = {.arena = &arena};
    *file = *found = NULL;
    wl_status status = wl_device_copy(device, &n.device, err);
    if (status == WL_OK)
        status = wl_estimates_read(&n.estimates, err);
    if (status == WL_OK) {
        find_numbers(curves, &n);
        status = n.failed ? wl_fail_memory(err) : wl_device_check(n.device, err);
    }
    if (status == WL_OK)
        status = wl_fit_write_keys(text, length, n.device, n.sources, file, err);
    if (status == WL_OK)
        status = wl_fit_write_keys("", 0, n.device, n.sources, found, err);
    if (status != WL_OK) {
        free(*file);
        *file = NULL;
    }
    wl_device_free(n.device);
    wl_arena_free(&arena);
    return status;
}
