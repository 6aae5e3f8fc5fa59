/* write.c - writes fitted numbers into a device file. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/print.h"
#include "device/device_write.h"
#include "fit/numbers.h"
#include "fit/fit_internal.h"

/* What is to be written. */
typedef struct writer {
    const wl_device *device;
    const char *const *sources; /* per key; NULL: the entry stays as it is */
    bool units;                 /* new entries in customary units, not in base units */
} writer;

#define MANY_BYTES 1e13 /* per second: in GB/s it would have more than four digits */

/* The customary unit of a new number. */
static const char *usual_unit(wl_dimension dimension, double value)
{
    switch (dimension) {
    case WL_DIM_BANDWIDTH: return value < MANY_BYTES ? "GB/s" : "TB/s";
    case WL_DIM_RATE: return "1/ns";
    case WL_DIM_TIME: return "us";
    case WL_DIM_FREQUENCY: return "GHz";
    default: return wl_unit_base(dimension);
    }
}

/* The unit the entry had before; sizes are whole bytes. */
static const char *unit_of(const writer *w, const char *line, wl_dimension dimension, double value, char *unit,
                           size_t size)
{
    const char *at = line ? strstr(line, "unit: ") : NULL;
    const size_t length = at ? strcspn(at + 6, ",}\n") : 0;
    double scale;
    const bool usual = w->units && (!line || dimension == WL_DIM_BANDWIDTH);
    if (usual && wl_unit_scale(dimension, usual_unit(dimension, value), &scale))
        return usual_unit(dimension, value);
    if (dimension == WL_DIM_BYTES || length == 0 || length >= size)
        return wl_unit_base(dimension);
    memcpy(unit, at + 6, length);
    unit[length] = '\0';
    return wl_unit_scale(dimension, unit, &scale) ? unit : wl_unit_base(dimension);
}

/* The entry with four digits. line: the old entry, or NULL. */
static void write_entry(wl_buffer *out, const char *line, const writer *w, wl_device_key key, const char *source)
{
    char text[32];
    const wl_dimension dimension = wl_device_keys[key].dimension;
    const char *unit = unit_of(w, line, dimension, w->device->entries[key].values[0], text, sizeof text);
    wl_device_write_entry(out, w->device, key, unit, dimension == WL_DIM_BYTES ? 17 : 4, source);
}

/* Does this line start the entry of the key? */
static bool is_entry(const char *line, const char *key)
{
    const size_t length = strlen(key);
    return strncmp(line, key, length) == 0 && line[length] == ':';
}

/* True if the line starts an entry that is replaced. */
static bool write_line(wl_buffer *out, const char *line, size_t length, const writer *w, bool *done)
{
    int k = 0;
    while (k < WL_DEVICE_KEY_COUNT && !is_entry(line, wl_device_key_name((wl_device_key)k)))
        k++;
    if (k < WL_DEVICE_KEY_COUNT)
        done[k] = true;
    if (k < WL_DEVICE_KEY_COUNT && w->sources[k]) {
        write_entry(out, line, w, (wl_device_key)k, w->sources[k]);
        return true;
    }
    wl_buffer_put(out, line, length);
    return false;
}

/* Entries that the text lacks. */
static void write_rest(wl_buffer *out, const writer *w, const bool *done)
{
    for (int k = 0; k < WL_DEVICE_KEY_COUNT; k++) {
        const wl_device_key key = (wl_device_key)k;
        if (!done[k] && w->sources[k])
            write_entry(out, NULL, w, key, w->sources[k]);
    }
}

/* The text with the device's values for the keys that have a source here. */
static wl_status rewrite(const char *text, size_t length, const writer *w, char **out, wl_error *err)
{
    bool done[WL_DEVICE_KEY_COUNT] = {0};
    bool replaced = false; /* the previous entry was replaced, so its indented lines are dropped */
    wl_buffer f = {0};
    for (size_t at = 0, next; at < length; at = next) {
        const char *end = memchr(text + at, '\n', length - at);
        next = end ? (size_t)(end - text) + 1 : length;
        if (!replaced || (text[at] != ' ' && text[at] != '\t'))
            replaced = write_line(&f, text + at, next - at, w, done);
    }
    if (length > 0 && text[length - 1] != '\n' && !replaced)
        wl_buffer_text(&f, "\n");
    write_rest(&f, w, done);
    return wl_buffer_take(&f, out, err);
}

#define WORDS 160 /* characters of a source, besides the origin */

wl_status wl_fit_write_numbers(const char *text, size_t length, const wl_device *device, const wl_fit_result *result,
                               const char *origin, char **out, wl_error *err)
{
    const char *sources[WL_DEVICE_KEY_COUNT] = {0};
    const size_t size = strlen(origin) + WORDS;
    char *texts = malloc(WL_FIT_TARGET_COUNT * size);
    if (!texts)
        return wl_fail_memory(err);
    for (int t = 0; t < WL_FIT_TARGET_COUNT; t++)
        (void)wl_print(texts + (size_t)t * size, size, "fitted: %s; mean error of %s %.1f %%", origin,
                       wl_fit_target_name((wl_fit_target)t), 100 * result->after[t]);
    for (size_t i = 0; i < result->number_count; i++)
        sources[result->numbers[i].key] = texts + (size_t)result->numbers[i].target * size;
    const writer w = {.device = device, .sources = sources};
    const wl_status status = rewrite(text, length, &w, out, err);
    free(texts);
    return status;
}

wl_status wl_fit_write_rankings(const char *text, size_t length, const wl_device *device,
                                const wl_ranking_fit *rankings, size_t count, const char *origin, char **out,
                                wl_error *err)
{
    const char *sources[WL_DEVICE_KEY_COUNT] = {0};
    const size_t size = strlen(origin) + WORDS;
    char *texts = malloc((count + 1) * size);
    if (!texts)
        return wl_fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        const wl_ranking_fit *r = &rankings[i];
        (void)snprintf(texts + i * size, size,
                       "measured: %zu searches over %zu kernel families, %zu to %zu launches each; %s", r->contests,
                       r->families, r->smallest, r->largest, origin);
        if (wl_ranking_is_kept(r->model))
            sources[WL_DEVICE_rank_ratio] = sources[WL_DEVICE_rank_error] = texts + i * size;
    }
    const writer w = {.device = device, .sources = sources};
    const wl_status status = rewrite(text, length, &w, out, err);
    free(texts);
    return status;
}

wl_status wl_fit_write_keys(const char *text, size_t length, const wl_device *device,
                            const char *const sources[WL_DEVICE_KEY_COUNT], char **out, wl_error *err)
{
    const writer w = {.device = device, .sources = sources, .units = true};
    return rewrite(text, length, &w, out, err);
}
