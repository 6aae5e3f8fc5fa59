/* again.c - a measured row predicted through the library: parts of a volume, oversubscription.
 * As `warpline compare` does it, for families whose grid is the one their domain needs.
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "accuracy.h"

struct again {
    char *folder, *map_text;
    wl_map *map;
    wl_device *device;
    char *table_text, *kernel_text, *key; /* the last ones */
    const char *table_path;
    wl_table *table;
    wl_kernel *kernel;
    wl_predictor *predictor;
    wl_prediction *prediction;
};

static char *read_file(const char *path, size_t *length)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    if (f && fseek(f, 0, SEEK_END) == 0) {
        const long size = ftell(f);
        rewind(f);
        text = size >= 0 ? malloc((size_t)size + 1) : NULL;
        *length = text ? fread(text, 1, (size_t)size, f) : 0;
        if (text)
            text[*length] = '\0';
    }
    if (f)
        fclose(f);
    return text;
}

again *again_open(const char *map, const char *device)
{
    again *a = calloc(1, sizeof *a);
    wl_error err = {0};
    size_t length = 0;
    const char *slash = strrchr(map, '/');
    bool ok = a != NULL;
    if (ok) {
        a->folder = strndup(map, slash ? (size_t)(slash - map) + 1 : 0);
        a->map_text = read_file(map, &length);
        ok = a->folder && a->map_text && wl_map_parse(map, a->map_text, length, &a->map, &err) == WL_OK &&
             wl_device_builtin(device, &a->device, &err) == WL_OK && wl_prediction_new(&a->prediction, &err) == WL_OK;
    }
    if (ok)
        return a;
    fprintf(stderr, "report: %s: %s\n", map, err.message[0] ? err.message : "cannot be read");
    again_close(a);
    return NULL;
}

const wl_device *again_device(const again *a) { return a->device; }

static void close_kernel(again *a)
{
    wl_predictor_free(a->predictor);
    wl_kernel_free(a->kernel);
    free(a->kernel_text);
    free(a->key);
    a->predictor = NULL;
    a->kernel = NULL;
    a->kernel_text = a->key = NULL;
}

void again_close(again *a)
{
    if (!a)
        return;
    close_kernel(a);
    wl_table_free(a->table);
    free(a->table_text);
    wl_map_free(a->map);
    wl_device_free(a->device);
    wl_prediction_free(a->prediction);
    free(a->map_text);
    free(a->folder);
    free(a);
}

static const wl_measurement *find_measurement(again *a, const row *r)
{
    wl_error err = {0};
    size_t length = 0;
    if (!a->table_path || strcmp(a->table_path, r->path) != 0) {
        wl_table_free(a->table);
        free(a->table_text);
        a->table = NULL;
        a->table_path = r->path;
        a->table_text = read_file(r->path, &length);
        if (!a->table_text || wl_table_parse(r->path, a->table_text, length, &a->table, &err) != WL_OK)
            return NULL;
    }
    for (size_t i = 0; a->table && i < wl_table_count(a->table); i++)
        if (wl_table_row(a->table, i)->line == r->line)
            return wl_table_row(a->table, i);
    return NULL;
}

/* The params the kernel declares, then the map's; cuts `params` up. */
static size_t sets_of(const wl_kernel *plain, char *params, const wl_map_entry *entry, const char **sets, size_t most)
{
    size_t count = 0;
    for (char *at = params, *next; at && *at && count < most; at = next) {
        next = strchr(at, ';');
        if (next)
            *next++ = '\0';
        char *equals = strchr(at, '=');
        if (!equals)
            continue;
        *equals = '\0';
        const bool known = wl_kernel_has_param(plain, at);
        *equals = '=';
        if (known)
            sets[count++] = at;
    }
    for (size_t i = 0; i < entry->set_count && count < most; i++)
        sets[count++] = entry->sets[i];
    return count;
}

static bool open_kernel(again *a, const row *r, const wl_map_entry *entry)
{
    char path[512], key[1024];
    const char *sets[64];
    wl_error err = {0};
    wl_kernel *plain = NULL;
    size_t length = 0;
    snprintf(path, sizeof path, "%s%s", a->folder, entry->kernel);
    snprintf(key, sizeof key, "%s %s %s", path, r->variant, r->params);
    if (a->key && strcmp(a->key, key) == 0)
        return true;
    close_kernel(a);
    a->kernel_text = read_file(path, &length);
    char *params = strdup(r->params);
    bool ok = a->kernel_text && params && wl_kernel_parse(path, a->kernel_text, length, NULL, &plain, &err) == WL_OK;
    if (ok) {
        const size_t count = sets_of(plain, params, entry, sets, sizeof sets / sizeof sets[0]);
        ok = wl_kernel_parse(path, a->kernel_text, length, &(wl_kernel_options){sets, count}, &a->kernel, &err) ==
                 WL_OK &&
             wl_predictor_new(a->kernel, a->device, &a->predictor, &err) == WL_OK;
    }
    wl_kernel_free(plain);
    free(params);
    if (ok)
        a->key = strdup(key);
    else
        fprintf(stderr, "report: %s: %s\n", path, err.message);
    return ok && a->key;
}

double again_work(again *a, const row *r)
{
    const wl_measurement *m = find_measurement(a, r);
    return m ? m->work : 0;
}

const wl_prediction *again_predict(again *a, const row *r)
{
    wl_error err = {0};
    const wl_measurement *m = find_measurement(a, r);
    const wl_map_entry *entry = m ? wl_map_find(a->map, m) : NULL;
    if (!entry || !entry->kernel || !open_kernel(a, r, entry))
        return NULL;
    wl_launch launch = {.registers = m->registers, .shared_bytes = m->shared_bytes};
    memcpy(launch.block, r->block, sizeof launch.block);
    memcpy(launch.fold, r->fold, sizeof launch.fold);
    return wl_predict(a->predictor, &launch, NULL, a->prediction, &err) == WL_OK ? a->prediction : NULL;
}
