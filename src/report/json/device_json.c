/* device_json.c - a device as JSON, and the list of the built-in ones.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "report/common/render.h"

wl_status wl_device_json(const wl_device *d, char **out, wl_error *err)
{
    wl_json json = {0}, *j = &json;
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
    return wl_json_take(j, root, WL_JSON_INDENTED, 17, out, err);
}

wl_status wl_device_list_json(const wl_device *const *devices, size_t count, char **out, wl_error *err)
{
    wl_json json = {0}, *j = &json;
    json_t *all = wl_json_array(j);
    for (size_t i = 0; i < count; i++)
        wl_json_add(j, all,
                    wl_json_pack(j, "{s:s, s:s, s:s}", "name", wl_device_name(devices[i]), "title",
                                 wl_device_title(devices[i]), "architecture", wl_device_architecture(devices[i])));
    json_t *root = wl_json_pack(j, "{s:s, s:o}", "schema", "warpline.device_list/1", "devices", all);
    return wl_json_take(j, root, WL_JSON_INDENTED, 17, out, err);
}
