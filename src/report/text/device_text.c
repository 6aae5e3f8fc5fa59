/* device_text.c - a device for people: every number with its meaning and source; and the built-in
 * devices, a line each.
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/print.h"
#include "device/device_internal.h"
#include "report/common/marks.h"
#include "report/common/render.h"

/* Whose number it is, the share that its file states, and where that comes from. */
static void write_source(const wl_device *d, wl_device_key key, wl_buffer *out)
{
    static const char *const owners[] = {
        [WL_OWNER_DEVICE] = "own", [WL_OWNER_ARCHITECTURE] = "architecture", [WL_OWNER_OTHER] = "as"};
    const wl_device_entry *e = &d->entries[key];
    char share[128] = "";
    double first;
    if (!wl_device_keys[key].list && wl_device_share(d, key, 0, &first))
        (void)wl_print(share, sizeof share, ", %.4g of %s", first, wl_device_share_of(key));
    wl_line(out, 7, "      [%s%s%s%s: %s]\n", owners[e->owner], e->from ? " " : "", e->from ? e->from : "", share,
            e->source);
}

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
        wl_buffer_add(out, "  %-26s %s\n", wl_device_key_name(key),
                      value[0]                      ? value
                      : wl_device_source(d, key)[0] ? "none"
                                                    : "unknown");
        wl_line(out, 6, "      %s\n", wl_device_key_meaning(key));
        if (wl_device_source(d, key)[0])
            write_source(d, key, out);
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
