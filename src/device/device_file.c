/* device_file.c - from the YAML of a device, built in or the user's, to the device.
 * Layer  device (uses base). SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "base/fail.h"
#include "base/text.h"
#include "base/yaml.h"
#include "device/device_internal.h"

static wl_status read_number(const wl_yaml *node, const wl_device_key_info *info, double scale, wl_device_entry *entry,
                             wl_error *err)
{
    double value = 0;
    WL_TRY(wl_yaml_expect(node, WL_YAML_SCALAR, "a value", err));
    if (!wl_text_number(node->text, &value))
        return wl_fail(err, WL_E_INPUT, node->loc, "%s needs a number, not '%.40s'", info->name, node->text);
    if (entry->count == WL_DEVICE_LIST_MAX)
        return wl_fail(err, WL_E_INPUT, node->loc, "%s has more than %d values", info->name, WL_DEVICE_LIST_MAX);
    entry->values[entry->count++] = wl_unit_convert(value, scale);
    return WL_OK;
}

static wl_status read_entry(wl_device *device, const wl_yaml *node, wl_device_key key, wl_error *err)
{
    static const char *const parts[] = {"value", "unit", "source"};
    const wl_device_key_info *info = &wl_device_keys[key];
    wl_device_entry *entry = &device->entries[key];
    WL_TRY(wl_yaml_expect(node, WL_YAML_MAP, info->name, err));
    WL_TRY(wl_yaml_known_keys(node, parts, 3, info->name, err));
    const wl_yaml *part[3];
    for (size_t i = 0; i < 3; i++) {
        part[i] = wl_yaml_get(node, parts[i]);
        if (!part[i])
            return wl_fail(err, WL_E_INPUT, node->key_loc, "%s lacks its %s", info->name, parts[i]);
    }
    const wl_yaml *value = part[0], *unit = part[1], *source = part[2];
    WL_TRY(wl_yaml_expect(unit, WL_YAML_SCALAR, "a unit", err));
    WL_TRY(wl_yaml_expect(source, WL_YAML_SCALAR, "a source", err));
    double scale = 1;
    if (!wl_unit_scale(info->dimension, unit->text, &scale)) {
        char choices[160];
        wl_unit_choices(info->dimension, choices, sizeof choices);
        return wl_fail(err, WL_E_INPUT, unit->loc, "%s cannot be in '%.20s'; use one of: %s", info->name, unit->text,
                       choices);
    }
    if (source->text[0] == '\0')
        return wl_fail(err, WL_E_INPUT, source->loc, "%s has an empty source", info->name);
    entry->source = source->text;
    entry->loc = value->loc;
    if (!info->list)
        return read_number(value, info, scale, entry, err);
    WL_TRY(wl_yaml_expect(value, WL_YAML_LIST, info->name, err));
    for (const wl_yaml *item = value->first; item; item = item->next)
        WL_TRY(read_number(item, info, scale, entry, err));
    return WL_OK;
}

static wl_status read_label(const wl_yaml *root, const char *key, bool required, const char **out, wl_error *err)
{
    const wl_yaml *node = wl_yaml_get(root, key);
    *out = "";
    if (!node && required)
        return wl_fail(err, WL_E_INPUT, root->loc, "the device file lacks '%s'", key);
    if (!node)
        return WL_OK;
    WL_TRY(wl_yaml_expect(node, WL_YAML_SCALAR, key, err));
    if (node->text[0] == '\0')
        return wl_fail(err, WL_E_INPUT, node->loc, "'%s' is empty", key);
    *out = node->text;
    return WL_OK;
}

static wl_status read_device(wl_device *device, const char *text, size_t length, wl_error *err)
{
    enum { LABELS = 5 };
    const char *names[WL_DEVICE_KEY_COUNT + LABELS] = {"name", "title", "vendor", "architecture", "compute_capability"};
    for (size_t i = 0; i < WL_DEVICE_KEY_COUNT; i++)
        names[LABELS + i] = wl_device_keys[i].name;
    wl_yaml *root = NULL;
    WL_TRY(wl_yaml_parse(&device->arena, text, length, &root, err));
    WL_TRY(wl_yaml_expect(root, WL_YAML_MAP, "a device file", err));
    WL_TRY(wl_yaml_known_keys(root, names, WL_DEVICE_KEY_COUNT + LABELS, "the device file", err));
    WL_TRY(read_label(root, "name", true, &device->name, err));
    WL_TRY(read_label(root, "title", true, &device->title, err));
    WL_TRY(read_label(root, "vendor", true, &device->vendor, err));
    WL_TRY(read_label(root, "architecture", true, &device->architecture, err));
    WL_TRY(read_label(root, "compute_capability", false, &device->compute_capability, err));
    for (size_t i = 0; i < WL_DEVICE_KEY_COUNT; i++) {
        const wl_yaml *node = wl_yaml_get(root, wl_device_keys[i].name);
        if (node)
            WL_TRY(read_entry(device, node, (wl_device_key)i, err));
        else if (wl_device_keys[i].need == WL_NEED_REQUIRED)
            return wl_fail(err, WL_E_INPUT, root->loc, "the device lacks '%s' (%s), which every model needs",
                           wl_device_keys[i].name, wl_device_keys[i].meaning);
    }
    return WL_OK;
}

/* ---- numbers of laws that are used on every device ---- */

static bool lacks(const wl_device *device, size_t key)
{
    return wl_device_keys[key].need == WL_NEED_ASSUMED && device->entries[key].count == 0;
}

static wl_status copy_assumed(const wl_device *other, wl_device *device, wl_error *err)
{
    for (size_t i = 0; i < WL_DEVICE_KEY_COUNT; i++) {
        if (!lacks(device, i))
            continue;
        if (lacks(other, i))
            return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "the built-in device %s lacks '%s'", WL_STAND_IN,
                           wl_device_keys[i].name);
        device->entries[i] = other->entries[i];
        device->entries[i].source = "assumed: as on the " WL_STAND_IN;
        device->entries[i].loc = WL_NOWHERE;
    }
    return WL_OK;
}

/* Those the file lacks, from the stand-in. */
static wl_status assume(wl_device *device, wl_error *err)
{
    size_t missing = 0, length = 0;
    for (size_t i = 0; i < WL_DEVICE_KEY_COUNT; i++)
        missing += lacks(device, i);
    if (missing == 0)
        return WL_OK;
    const char *text = wl_device_builtin_text(WL_STAND_IN, &length);
    wl_device *other = calloc(1, sizeof *other);
    if (!other)
        return wl_fail_memory(err);
    wl_status status = read_device(other, text, length, err);
    if (status == WL_OK)
        status = copy_assumed(other, device, err);
    wl_device_free(other);
    return status;
}

wl_status wl_device_parse(const char *input, const char *text, size_t length, wl_device **out, wl_error *err)
{
    wl_device *device = calloc(1, sizeof *device);
    if (!device)
        return wl_fail_memory(err);
    wl_status status = read_device(device, text, length, err);
    if (status == WL_OK)
        status = assume(device, err);
    if (status == WL_OK)
        status = wl_device_check(device, err);
    if (status != WL_OK) {
        (void)wl_fail_in(err, input);
        wl_device_free(device);
        return status;
    }
    *out = device;
    return WL_OK;
}

/* ---- built-in devices ---- */

size_t wl_device_builtin_count(void) { return wl_embedded_device_count; }

const char *wl_device_builtin_name(size_t index)
{
    return index < wl_embedded_device_count ? wl_embedded_devices[index].name : NULL;
}

const char *wl_device_builtin_text(const char *name, size_t *length)
{
    return wl_embedded_text(wl_embedded_devices, wl_embedded_device_count, name, length);
}

wl_status wl_device_builtin(const char *name, wl_device **out, wl_error *err)
{
    size_t length = 0;
    const char *text = wl_device_builtin_text(name, &length);
    if (text)
        return wl_device_parse(name, text, length, out, err);
    const char *names[64];
    size_t count = 0;
    for (; count < wl_embedded_device_count && count < 64; count++)
        names[count] = wl_embedded_devices[count].name;
    return wl_fail_unknown(err, WL_NOWHERE, "no device is called", name, strlen(name), names, count);
}
