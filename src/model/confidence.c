/* confidence.c - the measured or estimated error of predictions on a device; see warpline/trust.h.
 *
 * Layer  model (uses device). Oracle: tests/unit/test_confidence.c.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "device/device_internal.h"
#include "warpline/trust.h"

/* All launches behind what is believed of other GPUs ran on GPUs of this vendor. */
static const char known_vendor[] = "nvidia";

static bool read_range(const wl_device *device, wl_device_key key, wl_confidence *out)
{
    const wl_device_entry *e = &device->entries[key];
    if (e->count == 0)
        return false;
    out->known = true;
    out->low = e->values[0];
    out->high = e->values[e->count - 1];
    return true;
}

/* How many of the numbers that predictions use have a source of this kind. */
static size_t numbers_of(const wl_device *device, wl_source_kind wanted, size_t *all)
{
    size_t count = 0;
    wl_source_kind kind;
    *all = 0;
    for (size_t k = 0; k < WL_DEVICE_KEY_COUNT; k++) {
        const bool known =
            wl_device_keys[k].role != WL_ROLE_TRUST && wl_source_kind_of(device, (wl_device_key)k, &kind);
        *all += known;
        count += known && kind == wanted;
    }
    return count;
}

/* The error stated for the device itself; a what-if is a different device from the measured one. */
static void own(const wl_device *device, wl_device_key key, wl_confidence *out)
{
    wl_source_kind kind = WL_SOURCE_ASSUMED;
    size_t all;
    const size_t set = numbers_of(device, WL_SOURCE_USER, &all);
    (void)wl_source_kind_of(device, key, &kind);
    out->measured = kind != WL_SOURCE_ASSUMED && kind != WL_SOURCE_USER && set == 0;
    if (set > 0)
        (void)snprintf(out->basis, sizeof out->basis, "without the %zu number%s set by the user: %s", set,
                       set == 1 ? "" : "s", wl_device_source(device, key));
    else
        (void)snprintf(out->basis, sizeof out->basis, "%s", wl_device_source(device, key));
}

/* The errors measured on other GPUs, for a GPU without measured errors. */
static void believed(const wl_device *device, wl_device_key key, wl_confidence *out)
{
    size_t all;
    const size_t assumed = numbers_of(device, WL_SOURCE_ASSUMED, &all);
    (void)snprintf(out->basis, sizeof out->basis,
                   "believed: no error was measured on this device, and %zu of its %zu numbers are assumed; %s%s",
                   assumed, all,
                   strcmp(device->vendor, known_vendor) == 0 ? "" : "no launch on a GPU of this vendor is known; ",
                   wl_device_source(device, key));
}

wl_status wl_confidence_of(const wl_device *device, wl_model_id model, wl_confidence_in in, wl_confidence *out,
                           wl_error *err)
{
    const wl_device_key key = in == WL_CONFIDENCE_VOLUMES ? WL_DEVICE_volume_error : WL_DEVICE_time_error;
    (void)err;
    *out = (wl_confidence){0};
    if (in == WL_CONFIDENCE_TIME && model != WL_MODEL_TURNOVER)
        (void)snprintf(out->basis, sizeof out->basis, "not known: the errors of the model %s are not in device files",
                       wl_model_name(model));
    else if (!read_range(device, key, out))
        (void)snprintf(out->basis, sizeof out->basis, "not known: no error was measured on this device");
    else if (wl_device_inherited_from(device, key))
        believed(device, key, out);
    else
        own(device, key, out);
    wl_text_mend_end(out->basis);
    return WL_OK;
}
