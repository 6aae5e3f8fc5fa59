/* rows.c - comparisons in, rows out. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "accuracy.h"

static const struct {
    const char *key, *label;
} names[VALUES] = {
    [L1_WAVEFRONTS] = {"l1_wavefronts", "L1 wavefronts"},
    [L1_TAG_WAVEFRONTS] = {"l1_tag_wavefronts", "tag wavefronts"},
    [L2_LOADS] = {"l2_load_bytes", "L2 loads"},
    [L2_STORES] = {"l2_store_bytes", "L2 stores"},
    [DRAM_LOADS] = {"dram_load_bytes", "DRAM loads"},
    [DRAM_STORES] = {"dram_store_bytes", "DRAM stores"},
    [TIME] = {"time", "time"},
    [INST_LOADS] = {"inst_global_ld", "loads"},
    [INST_STORES] = {"inst_global_st", "stores"},
    [SECTOR_LOADS] = {"l1_sectors_ld", "load sectors"},
    [SECTOR_STORES] = {"l1_sectors_st", "store sectors"},
};

const char *value_key(int value) { return names[value].key; }
const char *value_label(int value) { return names[value].label; }

static bool complain(const char *path, const char *what)
{
    fprintf(stderr, "report: %s: %s\n", path, what);
    return false;
}

static json_t *open_comparison(rows *all, const char *path)
{
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    if (!root) {
        complain(path, error.text);
        return NULL;
    }
    const char *schema = json_string_value(json_object_get(root, "schema"));
    if (!schema || strcmp(schema, "warpline.compare/1") != 0 ||
        all->root_count == sizeof all->roots / sizeof all->roots[0]) {
        complain(path, "this is no comparison (schema warpline.compare/1), or one too many");
        json_decref(root);
        return NULL;
    }
    all->roots[all->root_count++] = root;
    return root;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static void shape_of(const json_t *object, const char *key, int64_t extent[3])
{
    const json_t *list = json_object_get(object, key);
    for (size_t d = 0; d < 3; d++)
        extent[d] = json_integer_value(json_array_get(list, d));
}

/* "validate/data/h200_fit.csv" is the table h200_fit. One text per table, so that pointers can be
 * compared. */
static const char *table_of(rows *all, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const size_t length = strcspn(name, ".");
    for (size_t i = 0; i < all->table_count; i++)
        if (strlen(all->tables[i]) == length && strncmp(all->tables[i], name, length) == 0)
            return all->tables[i];
    char *copy = all->table_count < TABLES_MAX ? strndup(name, length) : NULL;
    if (copy)
        all->tables[all->table_count++] = copy;
    return copy;
}

static bool count_family(rows *all, const row *r)
{
    for (size_t i = 0; i < all->family_count; i++)
        if (all->families[i].table == r->table && strcmp(all->families[i].name, r->family) == 0) {
            all->families[i].rows++;
            return true;
        }
    if (all->family_count == FAMILIES_MAX)
        return false;
    all->families[all->family_count++] = (family_rows){r->table, r->family, 1};
    return true;
}

static bool add_row(rows *all, const json_t *from)
{
    if (all->count == all->capacity) {
        const size_t capacity = 2 * all->capacity + 256;
        row *larger = realloc(all->list, capacity * sizeof *larger);
        if (!larger)
            return false;
        all->list = larger;
        all->capacity = capacity;
    }
    row *r = &all->list[all->count];
    *r = (row){.path = text_of(from, "table"),
               .family = text_of(from, "family"),
               .variant = text_of(from, "variant"),
               .params = text_of(from, "params"),
               .line = (int)json_integer_value(json_object_get(from, "line"))};
    r->table = table_of(all, r->path);
    shape_of(from, "block", r->block);
    shape_of(from, "fold", r->fold);
    for (int v = 0; v < VALUES; v++) {
        const json_t *measured = json_object_get(json_object_get(from, "measured"), value_key(v));
        const json_t *predicted = json_object_get(json_object_get(from, "predicted"), value_key(v));
        r->known[v] = measured && predicted;
        r->measured[v] = json_number_value(measured);
        r->predicted[v] = json_number_value(predicted);
    }
    all->count++;
    return r->table && count_family(all, r);
}

static bool add_skip(rows *all, const json_t *from)
{
    skip *larger = realloc(all->skips, (all->skip_count + 1) * sizeof *larger);
    if (!larger)
        return false;
    all->skips = larger;
    larger[all->skip_count++] = (skip){table_of(all, text_of(from, "table")), text_of(from, "reason"),
                                       (size_t)json_integer_value(json_object_get(from, "count"))};
    return true;
}

bool rows_read(rows *all, const char *path)
{
    const json_t *root = open_comparison(all, path);
    if (!root)
        return false;
    const char *device = text_of(root, "device");
    if (all->device && strcmp(all->device, device) != 0)
        return complain(path, "a comparison with another device than the ones before");
    all->device = device;
    size_t i;
    const json_t *one;
    json_array_foreach(json_object_get(root, "rows"), i, one) if (!add_row(all, one)) return complain(
        path, "out of memory, or too many families or tables");
    json_array_foreach(json_object_get(root, "skipped"), i,
                       one) if (!add_skip(all, one)) return complain(path, "out of memory");
    return true;
}

bool rows_read_limiter(rows *all, const char *path)
{
    const json_t *root = open_comparison(all, path);
    if (!root)
        return false;
    size_t i, next = 0; /* most often the row after the last one */
    const json_t *one;
    json_array_foreach(json_object_get(root, "rows"), i, one)
    {
        const char *table = table_of(all, text_of(one, "table"));
        const int line = (int)json_integer_value(json_object_get(one, "line"));
        const json_t *time = json_object_get(json_object_get(one, "predicted"), value_key(TIME));
        for (size_t tried = 0; time && tried < all->count; tried++, next++) {
            row *r = &all->list[next % all->count];
            if (r->table != table || r->line != line)
                continue;
            r->limiter_known = true;
            r->limiter_s = json_number_value(time);
            break;
        }
    }
    return true;
}

void rows_free(rows *all)
{
    for (size_t i = 0; i < all->table_count; i++)
        free((char *)(uintptr_t)all->tables[i]);
    for (size_t i = 0; i < all->root_count; i++)
        json_decref(all->roots[i]);
    free(all->list);
    free(all->skips);
    *all = (rows){0};
}

bool row_selected(const row *r, const selection *which)
{
    return (!which->table || strcmp(which->table, r->table) == 0) &&
           (!which->family || strcmp(which->family, r->family) == 0) &&
           (!which->variant || strcmp(which->variant, r->variant) == 0);
}

bool row_counts(const row *r, int value)
{
    if (!r->known[value])
        return false;
    if (value == TIME)
        return r->measured[TIME] >= MIN_TIME_S;
    return (value != DRAM_LOADS && value != DRAM_STORES) || r->measured[value] >= MIN_DRAM_BYTES;
}
