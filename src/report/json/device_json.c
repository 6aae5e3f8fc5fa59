/* device_json.c - a device as JSON, and the list of the built-in ones.
 * SPDX-License-Identifier: MIT */
#include "base/json_out.h"
#include "device/device_internal.h"
#include "report/common/render.h"

static const char *const owners[] = {
    [WL_OWNER_DEVICE] = "device", [WL_OWNER_ARCHITECTURE] = "architecture", [WL_OWNER_OTHER] = "other"};

static void share_of(wl_json_out *o, const wl_device *d, wl_device_key key)
{
    double share;
    wl_out_members(o, "share:{of:s", wl_device_share_of(key));
    wl_out_array(o, "value");
    for (size_t i = 0; wl_device_share(d, key, i, &share); i++)
        wl_out_real(o, NULL, share);
    wl_out_array_end(o);
    wl_out_object_end(o);
}

void wl_device_json(wl_json_out *o, const void *result)
{
    const wl_device *d = result;
    wl_out_members(o, "schema:s name:s title:s architecture:s", "warpline.device/1", wl_device_name(d),
                   wl_device_title(d), wl_device_architecture(d));
    for (int k = 0; k < WL_DEVICE_KEY_COUNT; k++) {
        const wl_device_key key = (wl_device_key)k;
        const wl_device_entry *e = &d->entries[key];
        if (e->count == 0)
            continue;
        wl_out_object(o, wl_device_key_name(key));
        wl_out_reals(o, "value", e->values, e->count);
        wl_out_members(o, "source:s owner:s from:s?", wl_device_source(d, key), owners[e->owner],
                       wl_device_inherited_from(d, key));
        if (wl_device_share_of(key))
            share_of(o, d, key);
        wl_out_object_end(o);
    }
}

static void device(wl_json_out *o, const void *of, size_t i)
{
    const wl_device *d = ((const wl_devices_report *)of)->devices[i];
    wl_out_members(o, "name:s title:s architecture:s", wl_device_name(d), wl_device_title(d),
                   wl_device_architecture(d));
}

void wl_device_list_json(wl_json_out *o, const void *result)
{
    const wl_devices_report *r = result;
    wl_out_members(o, "schema:s", "warpline.device_list/1");
    wl_out_objects(o, "devices", r->count, device, r);
}
