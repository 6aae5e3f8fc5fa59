/* device_json.c - a device as JSON, and the list of the built-in ones.
 * SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "device/device_internal.h"
#include "report/common/render.h"

static const char *const owners[] = {
    [WL_OWNER_DEVICE] = "device", [WL_OWNER_ARCHITECTURE] = "architecture", [WL_OWNER_OTHER] = "other"};

static json_t *share_of(wl_json *j, const wl_device *d, wl_device_key key)
{
    json_t *shares = wl_json_array(j);
    double share;
    for (size_t i = 0; wl_device_share(d, key, i, &share); i++)
        wl_json_add(j, shares, wl_json_real(j, share));
    return wl_json_pack(j, "{s:s, s:o}", "of", wl_device_share_of(key), "value", shares);
}

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
        json_t *entry = wl_json_pack(j, "{s:o, s:s, s:s}", "value", values, "source", wl_device_source(d, key), "owner",
                                     owners[d->entries[key].owner]);
        if (wl_device_inherited_from(d, key))
            wl_json_set(j, entry, "from", wl_json_text(j, wl_device_inherited_from(d, key)));
        if (wl_device_share_of(key))
            wl_json_set(j, entry, "share", share_of(j, d, key));
        wl_json_set(j, root, wl_device_key_name(key), entry);
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
