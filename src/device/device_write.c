/* device_write.c - see device_write.h; and the file of a device that a what-if makes of another.
 * SPDX-License-Identifier: MIT */
#include "device/device_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/quote.h"
#include "device/basis.h"

#define SHARE_DIGITS 6  /* so that the number comes back with four */
#define EXACT_DIGITS 15 /* a what-if comes back as it was given */
#define SAME 1e-5       /* relative: shares have six digits */

static void write_line(wl_buffer *out, const wl_device_entry *e, wl_device_key key, double scale, int digits,
                       const char *word, const char *unit, const char *source)
{
    const bool list = wl_device_keys[key].list;
    wl_buffer_add(out, "%s: {value: %s", wl_device_keys[key].name, list ? "[" : "");
    for (size_t i = 0; i < e->count; i++)
        wl_buffer_add(out, "%s%.*g", i ? ", " : "", digits, e->values[i] / scale);
    wl_buffer_add(out, "%s, %s: %s, source: ", list ? "]" : "", word, unit);
    wl_quote_yaml(out, source);
    wl_buffer_text(out, "}\n");
}

void wl_device_write_entry(wl_buffer *out, const wl_device *device, wl_device_key key, const char *unit, int digits,
                           const char *source)
{
    const wl_device_key_info *info = &wl_device_keys[key];
    const double basis = info->of == WL_OF_NOTHING ? 0 : wl_basis_value(device, info->of);
    double scale = 1;
    (void)wl_unit_scale(info->dimension, unit, &scale);
    if (basis > 0)
        write_line(out, &device->entries[key], key, basis, SHARE_DIGITS, "of", wl_basis_name(info->of), source);
    else
        write_line(out, &device->entries[key], key, scale, digits, "unit", unit, source);
}

/* ---- a device that does not exist ---- */

static bool same(const wl_device_entry *a, const wl_device_entry *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (fabs(a->values[i] - b->values[i]) > SAME * fmax(fabs(a->values[i]), fabs(b->values[i])))
            return false;
    return true;
}

static void write_none(wl_buffer *out, wl_device_key key, const char *source)
{
    wl_buffer_add(out, "%s: {value: none, source: ", wl_device_keys[key].name);
    wl_quote_yaml(out, source);
    wl_buffer_text(out, "}\n");
}

static bool all_whole(const wl_device_entry *e, double scale)
{
    for (size_t i = 0; i < e->count; i++)
        if (e->values[i] / scale != floor(e->values[i] / scale))
            return false;
    return true;
}

/* The file: what `stated` marks; all else is inherited. */
static wl_status write_file(const wl_device *d, const char *name, const char *like, const bool *stated, char **out,
                            wl_error *err)
{
    wl_buffer f = {0};
    wl_buffer_add(&f, "name: %s\ntitle: ", name);
    wl_quote_yaml(&f, name);
    wl_buffer_add(&f, "\nvendor: %s\narchitecture: %s\n", d->vendor, d->architecture);
    if (d->compute_capability[0])
        wl_buffer_add(&f, "compute_capability: %s\n", d->compute_capability);
    if (like)
        wl_buffer_add(&f, "like: %s\n", like);
    for (int k = 0; k < WL_DEVICE_KEY_COUNT; k++) {
        const wl_device_entry *e = &d->entries[k];
        const char *source = e->source && e->source[0] ? e->source : WL_SET_BY_USER;
        double scale = 1;
        if (!stated[k])
            continue;
        if (e->count == 0) {
            write_none(&f, (wl_device_key)k, source);
            continue;
        }
        const char *unit = wl_quantity_unit(wl_device_keys[k].dimension, e->values[0], &scale);
        if (wl_device_keys[k].dimension == WL_DIM_BYTES && !all_whole(e, scale)) {
            unit = "B";
            scale = 1;
        }
        write_line(&f, e, (wl_device_key)k, scale, EXACT_DIGITS, "unit", unit[0] ? unit : "1", source);
    }
    return wl_buffer_take(&f, out, err);
}

/* Marks what the file, as it stands, does not give: primary numbers first, as others follow
 * them. */
static wl_status find_missing(const wl_device *d, const char *text, bool *stated, bool *more, wl_error *err)
{
    static const wl_device_role roles[] = {WL_ROLE_PRIMARY, WL_ROLE_LAW};
    wl_device *read = NULL;
    WL_TRY(wl_device_parse("derived", text, strlen(text), &read, err));
    *more = false;
    for (size_t r = 0; r < sizeof roles / sizeof roles[0] && !*more; r++) {
        for (int k = 0; k < WL_DEVICE_KEY_COUNT; k++) {
            const bool differs = wl_device_keys[k].role == roles[r] && !same(&d->entries[k], &read->entries[k]);
            *more = *more || (differs && !stated[k]);
            stated[k] = stated[k] || differs;
        }
    }
    wl_device_free(read);
    return WL_OK;
}

wl_status wl_device_derive(const wl_device *device, const char *name, const char *like, char **out, wl_error *err)
{
    bool stated[WL_DEVICE_KEY_COUNT], more = true;
    for (int k = 0; k < WL_DEVICE_KEY_COUNT; k++) {
        const wl_device_entry *e = &device->entries[k];
        stated[k] = wl_entry_is_set(e) || (!like && e->count > 0 && wl_device_keys[k].role != WL_ROLE_TRUST);
    }
    *out = NULL;
    wl_status status = write_file(device, name, like, stated, out, err);
    /* primaries that a what-if leaves alone, but that would follow in a file: those of its
     * architecture are shares of others */
    while (status == WL_OK && more) {
        status = find_missing(device, *out, stated, &more, err);
        if (status == WL_OK && more) {
            free(*out);
            *out = NULL;
            status = write_file(device, name, like, stated, out, err);
        }
    }
    if (status != WL_OK) {
        free(*out);
        *out = NULL;
    }
    return status;
}
