/* device_file.c - from the YAML of a device, built in or the user's, to the device.
 *
 * Layer  device (uses base).
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
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

static const char *const labels[] = {"name", "title", "vendor", "architecture", "compute_capability"};
enum { LABELS = sizeof labels / sizeof labels[0] };

static wl_status fail_unknown(const wl_yaml *root, wl_error *err)
{
    const char *names[WL_DEVICE_KEY_COUNT + LABELS];
    memcpy(names, labels, sizeof labels);
    for (size_t i = 0; i < WL_DEVICE_KEY_COUNT; i++)
        names[LABELS + i] = wl_device_keys[i].name;
    return wl_yaml_known_keys(root, names, WL_DEVICE_KEY_COUNT + LABELS, "the device file", err);
}

static bool is_label(const char *name)
{
    for (size_t i = 0; i < LABELS; i++)
        if (strcmp(labels[i], name) == 0)
            return true;
    return false;
}

/* Finds the node of each key. Files mostly list keys in order, so each search starts behind the
 * last hit. */
static wl_status find_keys(const wl_yaml *root, const wl_yaml *nodes[WL_DEVICE_KEY_COUNT], wl_error *err)
{
    size_t at = 0;
    for (const wl_yaml *node = root->first; node; node = node->next) {
        size_t tried = 0;
        for (; tried < WL_DEVICE_KEY_COUNT && strcmp(wl_device_keys[at].name, node->key) != 0; tried++)
            at = (at + 1) % WL_DEVICE_KEY_COUNT;
        if (tried < WL_DEVICE_KEY_COUNT)
            nodes[at] = node;
        else if (!is_label(node->key))
            return fail_unknown(root, err);
    }
    return WL_OK;
}

static wl_status read_device(wl_device *device, const char *text, size_t length, wl_error *err)
{
    const wl_yaml *nodes[WL_DEVICE_KEY_COUNT] = {0};
    wl_yaml *root = NULL;
    WL_TRY(wl_yaml_parse(&device->arena, text, length, &root, err));
    WL_TRY(wl_yaml_expect(root, WL_YAML_MAP, "a device file", err));
    WL_TRY(find_keys(root, nodes, err));
    WL_TRY(read_label(root, "name", true, &device->name, err));
    WL_TRY(read_label(root, "title", true, &device->title, err));
    WL_TRY(read_label(root, "vendor", true, &device->vendor, err));
    WL_TRY(read_label(root, "architecture", true, &device->architecture, err));
    WL_TRY(read_label(root, "compute_capability", false, &device->compute_capability, err));
    for (size_t i = 0; i < WL_DEVICE_KEY_COUNT; i++) {
        if (nodes[i])
            WL_TRY(read_entry(device, nodes[i], (wl_device_key)i, err));
        else if (wl_device_keys[i].need == WL_NEED_REQUIRED)
            return wl_fail(err, WL_E_INPUT, root->loc, "the device lacks '%s' (%s), which every model needs",
                           wl_device_keys[i].name, wl_device_keys[i].meaning);
    }
    return WL_OK;
}

/* ---- values assumed where a file lacks them ---- */

static bool lacks(const wl_device *device, size_t key)
{
    return wl_device_keys[key].need == WL_NEED_ASSUMED && device->entries[key].count == 0;
}

/* Does this line of a device file start the entry of the key? */
static bool is_entry(const char *line, const char *colon, size_t key)
{
    const size_t length = (size_t)(colon - line);
    return strncmp(wl_device_keys[key].name, line, length) == 0 && wl_device_keys[key].name[length] == '\0';
}

/* The lines of the stand-in's file that hold these keys. A built-in file has one entry per line;
 * parsing all of it would take longer than a prediction. */
static wl_status lines_of_stand_in(const size_t *keys, size_t count, char **out, wl_error *err)
{
    size_t length = 0;
    const char *text = wl_device_builtin_text(WL_STAND_IN, &length), *end = text + length;
    wl_buffer lines = {0};
    for (const char *next; text < end; text = next) {
        const char *stop = memchr(text, '\n', (size_t)(end - text)), *colon;
        next = stop ? stop + 1 : end;
        colon = memchr(text, ':', (size_t)(next - text));
        for (size_t i = 0; i < count && colon; i++)
            if (is_entry(text, colon, keys[i]))
                wl_buffer_add(&lines, "%.*s", (int)(next - text), text);
    }
    return wl_buffer_take(&lines, out, err);
}

/* Fills in what the file lacks from the stand-in. */
static wl_status assume(wl_device *device, wl_error *err)
{
    size_t keys[WL_DEVICE_KEY_COUNT], count = 0;
    char *lines = NULL;
    wl_yaml *root = NULL;
    for (size_t i = 0; i < WL_DEVICE_KEY_COUNT; i++)
        if (lacks(device, i))
            keys[count++] = i;
    if (count == 0)
        return WL_OK;
    WL_TRY(lines_of_stand_in(keys, count, &lines, err));
    wl_status status = wl_yaml_parse(&device->arena, lines, strlen(lines), &root, err);
    free(lines);
    for (size_t i = 0; i < count && status == WL_OK; i++) {
        const char *name = wl_device_keys[keys[i]].name;
        const wl_yaml *node = wl_yaml_get(root, name);
        status = node ? read_entry(device, node, (wl_device_key)keys[i], err)
                      : wl_fail(err, WL_E_INPUT, WL_NOWHERE, "%s itself lacks '%s'", WL_STAND_IN, name);
        device->entries[keys[i]].source = "assumed: as on the " WL_STAND_IN;
        device->entries[keys[i]].loc = WL_NOWHERE;
    }
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
