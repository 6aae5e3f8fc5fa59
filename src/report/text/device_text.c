/* device_text.c - a device for people: every number with its meaning and source; and the built-in
 * devices, a line each.
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "device/device_internal.h"
#include "report/common/marks.h"
#include "report/common/render.h"

void wl_device_text(const void *result, wl_buffer *out)
{
    const wl_device *d = result;
    wl_mark_text(out, WL_MARK_HEADLINE, wl_device_title(d));
    wl_buffer_add(out, " (%s, %s)\n", wl_device_name(d), wl_device_architecture(d));
    for (int k = 0; k < WL_DEVICE_KEY_COUNT; k++) {
        const wl_device_key key = (wl_device_key)k;
        char value[512];
        wl_device_value_text(d, key, value, sizeof value);
        wl_mark_row(out, 29);
        wl_buffer_add(out, "  %-26s %s\n", wl_device_key_name(key), value[0] ? value : "unknown");
        wl_line(out, 6, "      %s\n", wl_device_key_meaning(key));
        if (value[0])
            wl_line(out, 7, "      [%s]\n", wl_device_source(d, key));
    }
}

void wl_device_list_text(const void *result, wl_buffer *out)
{
    const wl_devices_report *r = result;
    size_t longest = 0;
    for (size_t i = 0; i < r->count; i++)
        longest = strlen(wl_device_title(r->devices[i])) > longest ? strlen(wl_device_title(r->devices[i])) : longest;
    for (size_t i = 0; i < r->count; i++) {
        const wl_device *d = r->devices[i];
        char l2[64], bandwidth[64];
        const double sms = wl_device_or(d, WL_DEVICE_sm_count, 0);
        wl_device_value_text(d, WL_DEVICE_l2_size, l2, sizeof l2);
        wl_device_value_text(d, WL_DEVICE_dram_bandwidth, bandwidth, sizeof bandwidth);
        wl_mark_text(out, WL_MARK_HEADLINE, wl_device_name(d));
        wl_buffer_repeat(out, " ", 12 - (int)strlen(wl_device_name(d)));
        wl_buffer_add(out, " %-*s %4.0f %ss %9s L2 %11s\n", (int)longest, wl_device_title(d), sms, wl_device_sm_word(d),
                      l2, bandwidth);
    }
}
