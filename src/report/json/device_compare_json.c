/* device_compare_json.c - devices side by side as JSON. SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "report/common/device_columns.h"
#include "report/common/render.h"

static json_t *kinds_json(wl_json *j, const wl_device *device)
{
    int64_t counts[WL_SOURCE_KINDS] = {0};
    json_t *out = wl_json_object(j);
    wl_source_kind kind;
    for (size_t k = 0; k < WL_DEVICE_KEY_COUNT; k++)
        if (wl_source_kind_of(device, (wl_device_key)k, &kind))
            counts[kind]++;
    for (int i = 0; i < WL_SOURCE_KINDS; i++)
        wl_json_set(j, out, wl_source_kind_name((wl_source_kind)i), wl_json_whole(j, counts[i]));
    return out;
}

/* The keys that this device has and no other. */
static json_t *only_json(wl_json *j, const wl_device *const *devices, size_t count, size_t d)
{
    json_t *out = wl_json_array(j);
    for (size_t k = 0; k < WL_DEVICE_KEY_COUNT; k++) {
        size_t last = 0;
        if (wl_devices_with(devices, count, (wl_device_key)k, &last) == 1 && last == d)
            wl_json_add(j, out, wl_json_text(j, wl_device_keys[k].name));
    }
    return out;
}

static json_t *device_json(wl_json *j, const wl_device *const *devices, size_t count, size_t d)
{
    const wl_device *device = devices[d];
    return wl_json_pack(j, "{s:s, s:s, s:s, s:o, s:o}", "name", device->name, "title", device->title, "architecture",
                        device->architecture, "sources", kinds_json(j, device), "only_here",
                        only_json(j, devices, count, d));
}

/* null: the device does not have the key */
static json_t *value_json(wl_json *j, const wl_device *const *devices, size_t d, wl_device_key key)
{
    const wl_device_entry *e = &devices[d]->entries[key];
    wl_source_kind kind;
    double ratio;
    if (!wl_source_kind_of(devices[d], key, &kind))
        return json_null();
    json_t *values = wl_json_array(j);
    for (size_t i = 0; i < e->count; i++)
        wl_json_add(j, values, wl_json_real(j, e->values[i]));
    json_t *out =
        wl_json_pack(j, "{s:o, s:s, s:s}", "value", values, "kind", wl_source_kind_name(kind), "source", e->source);
    if (wl_device_ratio(devices, d, key, &ratio))
        wl_json_set(j, out, "ratio", wl_json_real(j, ratio));
    return out;
}

json_t *wl_device_compare_json(wl_json *j, const void *result)
{
    const wl_devices_report *r = result;
    const wl_device *const *devices = r->devices;
    const size_t count = r->count;
    json_t *list = wl_json_array(j), *keys = wl_json_object(j), *missing = wl_json_array(j);
    for (size_t d = 0; d < count; d++)
        wl_json_add(j, list, device_json(j, devices, count, d));
    for (size_t k = 0; k < WL_DEVICE_KEY_COUNT; k++) {
        const wl_device_key_info *info = &wl_device_keys[k];
        size_t last = 0;
        if (wl_devices_with(devices, count, (wl_device_key)k, &last) == 0) {
            wl_json_add(j, missing, wl_json_text(j, info->name));
            continue;
        }
        json_t *values = wl_json_array(j);
        for (size_t d = 0; d < count; d++)
            wl_json_add(j, values, value_json(j, devices, d, (wl_device_key)k));
        wl_json_set(j, keys, info->name,
                    wl_json_pack(j, "{s:s, s:s, s:o}", "unit", wl_unit_base(info->dimension), "meaning", info->meaning,
                                 "devices", values));
    }
    return wl_json_pack(j, "{s:s, s:o, s:o, s:o}", "schema", "warpline.devices/1", "devices", list, "keys", keys,
                        "missing", missing);
}
