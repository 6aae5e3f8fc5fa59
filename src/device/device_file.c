/* device_file.c - from the YAML of a device, built in or the user's, to the device.
 *
 * A number that the file lacks is inherited: from the built-in device it is `like`, then from the
 * file of its architecture, then from the architecture that one is `like`. Numbers that are shares
 * of others are inherited as shares.
 *
 * Layer  device (uses base).
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/embedded.h"
#include "base/fail.h"
#include "base/text.h"
#include "base/yaml.h"
#include "device/basis.h"
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

/* What the value of an entry is multiplied by: its unit, or 1 for a share. */
static wl_status read_scale(const wl_yaml *node, const wl_device_key_info *info, double *scale, bool *share,
                            wl_error *err)
{
    const wl_yaml *unit = wl_yaml_get(node, "unit"), *of = wl_yaml_get(node, "of");
    const char *basis = wl_basis_name(info->of);
    *scale = 1;
    *share = of != NULL;
    if ((unit != NULL) == (of != NULL))
        return wl_fail(err, WL_E_INPUT, node->key_loc, "%s %s", info->name,
                       of ? "has a unit or is a share ('of'), not both" : "lacks its unit");
    WL_TRY(wl_yaml_expect(of ? of : unit, WL_YAML_SCALAR, of ? "'of'" : "a unit", err));
    if (of && basis[0] == '\0')
        return wl_fail(err, WL_E_INPUT, of->loc, "%s is not a share of anything: give its unit", info->name);
    if (of && strcmp(of->text, basis) != 0)
        return wl_fail(err, WL_E_INPUT, of->loc, "%s is a share of %s, not of '%.40s'", info->name, basis, of->text);
    if (unit && !wl_unit_scale(info->dimension, unit->text, scale)) {
        char choices[160];
        wl_unit_choices(info->dimension, choices, sizeof choices);
        return wl_fail(err, WL_E_INPUT, unit->loc, "%s cannot be in '%.20s'; use one of: %s", info->name, unit->text,
                       choices);
    }
    return WL_OK;
}

/* "none": the device has no such number, whatever its architecture says. */
static bool is_none(const wl_yaml *value) { return value->kind == WL_YAML_SCALAR && strcmp(value->text, "none") == 0; }

static wl_status read_entry(wl_device *device, const wl_yaml *node, wl_device_key key, bool *share, wl_error *err)
{
    static const char *const parts[] = {"value", "source", "unit", "of"};
    const wl_device_key_info *info = &wl_device_keys[key];
    wl_device_entry *entry = &device->entries[key];
    double scale = 1;
    WL_TRY(wl_yaml_expect(node, WL_YAML_MAP, info->name, err));
    WL_TRY(wl_yaml_known_keys(node, parts, 4, info->name, err));
    for (size_t i = 0; i < 2; i++)
        if (!wl_yaml_get(node, parts[i]))
            return wl_fail(err, WL_E_INPUT, node->key_loc, "%s lacks its %s", info->name, parts[i]);
    const wl_yaml *value = wl_yaml_get(node, "value"), *source = wl_yaml_get(node, "source");
    WL_TRY(wl_yaml_expect(source, WL_YAML_SCALAR, "a source", err));
    if (source->text[0] == '\0')
        return wl_fail(err, WL_E_INPUT, source->loc, "%s has an empty source", info->name);
    entry->source = source->text;
    entry->loc = value->loc;
    *share = false;
    if (is_none(value)) {
        if (info->need == WL_NEED_OPTIONAL)
            return WL_OK;
        return wl_fail(err, WL_E_INPUT, value->loc, "%s cannot be none: predictions need it", info->name);
    }
    WL_TRY(read_scale(node, info, &scale, share, err));
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

static const char *const labels[] = {"name", "title", "vendor", "architecture", "compute_capability", "like"};
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
        if (tried < WL_DEVICE_KEY_COUNT) {
            nodes[at] = node;
            continue;
        }
        WL_TRY(wl_device_key_still_is(node->key, node->key_loc, err));
        if (!is_label(node->key))
            return fail_unknown(root, err);
    }
    return WL_OK;
}

/* ---- what the file itself states ---- */

typedef struct reading {
    wl_device *device;
    bool stated[WL_DEVICE_KEY_COUNT]; /* by one of the files so far, a number or none */
    bool shares[WL_DEVICE_KEY_COUNT]; /* still shares, not values */
    wl_loc start;                     /* of the file, for what it lacks */
    wl_loc like;
} reading;

static wl_status read_own(reading *r, const char *text, size_t length, wl_error *err)
{
    wl_device *device = r->device;
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
    WL_TRY(read_label(root, "like", false, &device->like, err));
    r->start = root->loc;
    if (device->like[0])
        r->like = wl_yaml_get(root, "like")->loc;
    for (size_t i = 0; i < WL_DEVICE_KEY_COUNT; i++) {
        r->stated[i] = nodes[i] != NULL;
        if (nodes[i])
            WL_TRY(read_entry(device, nodes[i], (wl_device_key)i, &r->shares[i], err));
    }
    return WL_OK;
}

/* ---- what it inherits ---- */

#define COMMON "common" /* the architecture that has what GPUs have in common */

/* A built-in file that numbers are inherited from. */
typedef struct parent {
    const char *name, *text;
    size_t length;
    wl_owner owner;
    bool hardware;    /* also what describes the hardware, not only laws */
    bool needed_only; /* only what no prediction can do without */
    bool common;      /* also how far predictions can be trusted on any GPU */
} parent;

/* a device, the one that it is like, .., its architecture, the one that is like, .. */
#define PARENTS_MAX 16

/* The next line of a text that ends at `end`; NULL behind the last. */
static const char *next_line(const char *line, const char *end)
{
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    return stop && stop + 1 < end ? stop + 1 : NULL;
}

/* Does this line state the key? */
static bool states(const char *line, const char *end, const char *key)
{
    const size_t n = strlen(key);
    return (size_t)(end - line) > n && strncmp(line, key, n) == 0 && line[n] == ':';
}

/* The text of a label of a built-in file, which has it in a line of its own; "" without one. */
static void label_of(const parent *p, const char *label, char *out, size_t size)
{
    const char *end = p->text + p->length;
    out[0] = '\0';
    for (const char *line = p->text; line; line = next_line(line, end)) {
        if (!states(line, end, label))
            continue;
        const char *from = line + strlen(label) + 1;
        from += strspn(from, " ");
        const size_t n = strcspn(from, "\r\n");
        (void)snprintf(out, size, "%.*s", (int)n, from);
    }
}

static const wl_embedded_file *file_of(const char *name, bool architecture)
{
    return architecture ? wl_embedded_find(wl_embedded_architectures, wl_embedded_architecture_count, name)
                        : wl_embedded_find(wl_embedded_devices, wl_embedded_device_count, name);
}

/* The family of an architecture, which its file is named after: cdna3 is of cdna. */
static void family_of(const char *architecture, char *out, size_t size)
{
    size_t n = strlen(architecture);
    while (n > 0 && architecture[n - 1] >= '0' && architecture[n - 1] <= '9')
        n--;
    (void)snprintf(out, size, "%.*s", (int)n, architecture);
}

/* The files in the order in which they are asked. */
typedef struct lineage {
    parent parents[PARENTS_MAX];
    size_t count;
} lineage;

/* NULL: there is no such file, or no room for it. */
static parent *add_parent(lineage *l, const char *name, bool architecture)
{
    const wl_embedded_file *file = file_of(name, architecture);
    parent *p = file && l->count < PARENTS_MAX ? &l->parents[l->count++] : NULL;
    if (p)
        *p = (parent){file->name, (const char *)file->text, file->length, .owner = WL_OWNER_OTHER,
                      .common = architecture && strcmp(name, COMMON) == 0};
    return p;
}

#define NAME_MAX_LENGTH 64 /* of devices and architectures */

/* An architecture, then the one that it is like, and so on. Hardware that another architecture has
 * says nothing of this one's. */
static bool add_architectures(lineage *l, const char *first, bool own, bool needed_only)
{
    const size_t before = l->count;
    char name[NAME_MAX_LENGTH];
    (void)snprintf(name, sizeof name, "%s", first);
    for (parent *p; (p = add_parent(l, name, true)) != NULL; label_of(p, "like", name, sizeof name)) {
        const bool is_first = l->count == before + 1;
        p->hardware = is_first && !needed_only;
        p->needed_only = needed_only;
        p->owner = is_first && own ? WL_OWNER_ARCHITECTURE : WL_OWNER_OTHER;
    }
    return l->count > before;
}

/* A device, then the one that it is like, and so on; *family is that of the last one. */
static void add_devices(lineage *l, const char *first, char *family, size_t size)
{
    char name[NAME_MAX_LENGTH], architecture[NAME_MAX_LENGTH];
    (void)snprintf(name, sizeof name, "%s", first);
    for (parent *p; (p = add_parent(l, name, false)) != NULL; label_of(p, "like", name, sizeof name)) {
        p->hardware = true;
        label_of(p, "architecture", architecture, sizeof architecture);
        family_of(architecture, family, size);
    }
}

static wl_status find_parents(const reading *r, lineage *l, wl_error *err)
{
    const wl_device *device = r->device;
    char own[NAME_MAX_LENGTH], other[NAME_MAX_LENGTH] = "";
    *l = (lineage){0};
    if (device->like[0] && !file_of(device->like, false)) {
        wl_device *none;
        const wl_status status = wl_device_builtin(device->like, &none, err);
        if (err)
            err->loc = r->like;
        return status;
    }
    family_of(device->architecture, own, sizeof own);
    add_devices(l, device->like, other, sizeof other);
    if (strcmp(other, own) != 0)
        (void)add_architectures(l, other, false, false);
    if (!add_architectures(l, own, true, false))
        (void)add_architectures(l, WL_STAND_IN_ARCHITECTURE, false, true);
    return WL_OK;
}

static bool is_inherited(const reading *r, const parent *p, size_t key)
{
    const wl_device_key_info *info = &wl_device_keys[key];
    if (r->stated[key])
        return false;
    if (info->role == WL_ROLE_TRUST)
        return p->common;
    return info->need != WL_NEED_OPTIONAL || (!p->needed_only && (p->hardware || info->role != WL_ROLE_PRIMARY));
}

/* The lines of the parent that state what is still missing. A built-in file has one entry per line;
 * parsing all of it would take longer than a prediction. */
static wl_status missing_lines(const reading *r, const parent *p, char **out, wl_error *err)
{
    const char *end = p->text + p->length;
    wl_buffer lines = {0};
    size_t at = 0;
    for (const char *line = p->text; line; line = next_line(line, end)) {
        /* keys are in order, mostly: each search starts behind the last hit */
        for (size_t tried = 0; tried < WL_DEVICE_KEY_COUNT; tried++, at = (at + 1) % WL_DEVICE_KEY_COUNT) {
            if (!states(line, end, wl_device_keys[at].name))
                continue;
            if (is_inherited(r, p, at))
                wl_buffer_add(&lines, "%.*s\n", (int)strcspn(line, "\n"), line);
            break;
        }
    }
    return wl_buffer_take(&lines, out, err);
}

static wl_status inherit(reading *r, const parent *p, wl_error *err)
{
    const wl_yaml *nodes[WL_DEVICE_KEY_COUNT] = {0};
    char *lines = NULL;
    wl_yaml *root = NULL;
    WL_TRY(missing_lines(r, p, &lines, err));
    wl_status status = lines[0] ? wl_yaml_parse(&r->device->arena, lines, strlen(lines), &root, err) : WL_OK;
    free(lines);
    status = status == WL_OK && root ? find_keys(root, nodes, err) : status;
    for (size_t k = 0; k < WL_DEVICE_KEY_COUNT && status == WL_OK; k++) {
        wl_device_entry *e = &r->device->entries[k];
        if (!nodes[k])
            continue;
        status = read_entry(r->device, nodes[k], (wl_device_key)k, &r->shares[k], err);
        e->loc = WL_NOWHERE;
        e->owner = p->owner;
        e->from = p->name;
        r->stated[k] = true;
    }
    return status;
}

static wl_status check_complete(const reading *r, wl_error *err)
{
    for (size_t i = 0; i < WL_DEVICE_KEY_COUNT; i++)
        if ((!r->stated[i] || r->device->entries[i].from) && r->device->entries[i].count == 0 &&
            wl_device_keys[i].need != WL_NEED_OPTIONAL)
            return wl_fail(err, WL_E_INPUT, r->start, "the device lacks '%s' (%s), which every model needs",
                           wl_device_keys[i].name, wl_device_keys[i].meaning);
    return WL_OK;
}

static wl_status read_device(wl_device *device, const char *text, size_t length, wl_error *err)
{
    reading r = {.device = device};
    lineage l;
    wl_device_key missing;
    WL_TRY(read_own(&r, text, length, err));
    WL_TRY(find_parents(&r, &l, err));
    for (size_t i = 0; i < l.count; i++)
        WL_TRY(inherit(&r, &l.parents[i], err));
    if (!wl_basis_resolve(device, r.shares, &missing))
        return wl_fail(err, WL_E_INPUT, device->entries[missing].loc.line ? device->entries[missing].loc : r.start,
                       "%s is a share of %s, which the device lacks", wl_device_keys[missing].name,
                       wl_basis_name(wl_device_keys[missing].of));
    WL_TRY(check_complete(&r, err));
    return wl_device_check(device, err);
}

wl_status wl_device_parse(const char *input, const char *text, size_t length, wl_device **out, wl_error *err)
{
    wl_device *device = calloc(1, sizeof *device);
    if (!device)
        return wl_fail_memory(err);
    const wl_status status = read_device(device, text, length, err);
    if (status != WL_OK) {
        (void)wl_fail_in(err, input);
        wl_device_free(device);
        return status;
    }
    *out = device;
    return WL_OK;
}

wl_status wl_device_common(wl_device **out, wl_error *err)
{
    reading r = {.device = calloc(1, sizeof *r.device)};
    lineage l = {0};
    if (!r.device)
        return wl_fail_memory(err);
    const wl_status status = inherit(&r, add_parent(&l, COMMON, true), err);
    if (status == WL_OK)
        *out = r.device;
    else
        wl_device_free(r.device);
    return status;
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
