/* device_compare_json.c - devices side by side as JSON. SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/json_out.h"
#include "report/common/device_columns.h"
#include "report/common/render.h"

/* A device, and the keys that it has and no other. */
static void device(wl_json_out *o, const void *of, size_t d)
{
    const wl_devices_report *r = of;
    const wl_device *device = r->devices[d];
    int64_t counts[WL_SOURCE_KINDS] = {0};
    wl_source_kind kind;
    for (size_t k = 0; k < WL_DEVICE_KEY_COUNT; k++)
        if (wl_source_kind_of(device, (wl_device_key)k, &kind))
            counts[kind]++;
    wl_out_members(o, "name:s title:s architecture:s sources:{", device->name, device->title, device->architecture);
    for (int i = 0; i < WL_SOURCE_KINDS; i++)
        wl_out_whole(o, wl_source_kind_name((wl_source_kind)i), counts[i]);
    wl_out_object_end(o);
    wl_out_array(o, "only_here");
    for (size_t k = 0; k < WL_DEVICE_KEY_COUNT; k++) {
        size_t last = 0;
        if (wl_devices_with(r->devices, r->count, (wl_device_key)k, &last) == 1 && last == d)
            wl_out_text(o, NULL, wl_device_keys[k].name);
    }
    wl_out_array_end(o);
}

/* null: the device does not have the key */
static void value(wl_json_out *o, const wl_device *const *devices, size_t d, wl_device_key key)
{
    const wl_device_entry *e = &devices[d]->entries[key];
    wl_source_kind kind;
    double ratio;
    if (!wl_source_kind_of(devices[d], key, &kind)) {
        wl_out_null(o, NULL);
        return;
    }
    wl_out_object(o, NULL);
    wl_out_reals(o, "value", e->values, e->count);
    wl_out_members(o, "kind:s source:s ratio:r?}", wl_source_kind_name(kind), e->source,
                   wl_device_ratio(devices, d, key, &ratio) ? ratio : NAN);
}

void wl_device_compare_json(wl_json_out *o, const void *result)
{
    const wl_devices_report *r = result;
    wl_out_members(o, "schema:s", "warpline.devices/1");
    wl_out_objects(o, "devices", r->count, device, r);
    wl_out_object(o, "keys");
    for (size_t k = 0, last; k < WL_DEVICE_KEY_COUNT; k++) {
        const wl_device_key_info *info = &wl_device_keys[k];
        if (wl_devices_with(r->devices, r->count, (wl_device_key)k, &last) == 0)
            continue;
        wl_out_object(o, info->name);
        wl_out_members(o, "unit:s meaning:s", wl_unit_base(info->dimension), info->meaning);
        wl_out_array(o, "devices");
        for (size_t d = 0; d < r->count; d++)
            value(o, r->devices, d, (wl_device_key)k);
        wl_out_array_end(o);
        wl_out_object_end(o);
    }
    wl_out_object_end(o);
    wl_out_array(o, "missing");
    for (size_t k = 0, last; k < WL_DEVICE_KEY_COUNT; k++)
        if (wl_devices_with(r->devices, r->count, (wl_device_key)k, &last) == 0)
            wl_out_text(o, NULL, wl_device_keys[k].name);
    wl_out_array_end(o);
}
