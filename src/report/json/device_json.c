/* device_json.c - a device as JSON, and the list of the built-in ones.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "report/common/render.h"

json_t *wl_device_json(wl_json *j, const void *result)
{
    const wl_device *d = result;
    json_t *root = wl_json_pack(j, "{s:s, s:s, s:s, s:s}", "schema", "warpline.device/1", "name", wl_device_name(d),
                                "title", wl_device_title(d), "architecture", wl_device_architecture(d));
    for (int k = 0; k < WL_DEVICE_KEY_COUNT; k++) {
        const wl_device_key key = (wl_device_key)k;
        const size_t n = wl_device_list_length(d, key);
        if (n == 0)
            continue;
        json_t *values = wl_json_array(j);
        for (size_t i = 0; i < n; i++)
            wl_json_add(j, values, wl_json_real(j, wl_device_list_value(d, key, i)));
        wl_json_set(j, root, wl_device_key_name(key),
                    wl_json_pack(j, "{s:o, s:s}", "value", values, "source", wl_device_source(d, key)));
    }
    return root;
}

json_t *wl_device_list_json(wl_json *j, const void *result)
{
    const wl_devices_report *r = result;
    json_t *all = wl_json_array(j);
    for (size_t i = 0; i < r->count; i++)
        wl_json_add(j, all,
                    wl_json_pack(j, "{s:s, s:s, s:s}", "name", wl_device_name(r->devices[i]), "title",
                                 wl_device_title(r->devices[i]), "architecture",
                                 wl_device_architecture(r->devices[i])));
    return wl_json_pack(j, "{s:s, s:o}", "schema", "warpline.device_list/1", "devices", all);
}
