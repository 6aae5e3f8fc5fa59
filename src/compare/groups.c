/* groups.c - rows that belong together, and their statistics. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "compare/comparison.h"

typedef struct keyed {
    char *key;
    size_t row;
} keyed;

static int by_key(const void *a, const void *b)
{
    const keyed *p = a, *q = b;
    const int order = strcmp(p->key, q->key);
    return order ? order : (p->row > q->row) - (p->row < q->row);
}

/* The runs of equal keys, by their first row. */
static int by_row(const void *a, const void *b)
{
    const keyed *p = a, *q = b;
    return (p->row > q->row) - (p->row < q->row);
}

/* "family/variant", "family/variant params" */
static char *key_of(const wl_compared_row *row, const char *by)
{
    const bool all = strcmp(by, "all") == 0, family = strcmp(by, "family") == 0, params = strcmp(by, "params") == 0;
    const char *variant = all || family ? "" : row->is.measurement->variant;
    const size_t size = strlen(row->is.family) + strlen(variant) + strlen(row->is.measurement->params) + 8;
    char *key = malloc(size);
    if (key)
        snprintf(key, size, "%s%s%s%s%s", all ? "all" : row->is.family, variant[0] ? "/" : "", variant,
                 params && row->is.measurement->params[0] ? " " : "", params ? row->is.measurement->params : "");
    return key;
}

/* "fy2", as wl_variant_fold reads it */
static bool is_fold(const char *word, size_t length)
{
    return length >= 3 && word[0] == 'f' && word[1] >= 'x' && word[1] <= 'z' &&
           strspn(word + 2, "0123456789") >= length - 2;
}

/* The variant without the words for the folding, which is part of the launch. */
static void add_plain_variant(wl_buffer *out, const char *variant)
{
    for (const char *word = variant; *word; word += strcspn(word, "_"), word += *word == '_') {
        const size_t length = strcspn(word, "_");
        if (!is_fold(word, length))
            wl_buffer_add(out, "_%.*s", (int)length, word);
    }
}

/* What is computed: the kernel, the settings of the map, the variant without its folding, the
 * params. NULL: no memory. */
static char *problem_of(const wl_compared_row *row)
{
    wl_buffer key = {0};
    char *text = NULL;
    wl_buffer_text(&key, row->is.kernel);
    for (size_t i = 0; i < row->is.set_count; i++)
        wl_buffer_add(&key, " %s", row->is.sets[i]);
    wl_buffer_text(&key, "\n");
    add_plain_variant(&key, row->is.measurement->variant);
    wl_buffer_add(&key, "\n%s", row->is.measurement->params);
    return wl_buffer_take(&key, &text, NULL) == WL_OK ? text : NULL;
}

static void set_group(wl_compared_row *row, bool families, size_t group)
{
    *(families ? &row->family_group : &row->group) = group;
}

static void free_groups(wl_compared_group *groups, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(groups[i].name);
    free(groups);
}

/* Makes groups of the sorted keys, in the order of their first rows. */
static wl_compared_group *number_groups(wl_comparison *c, keyed *keys, bool families, size_t *count)
{
    size_t runs = 0;
    keyed *firsts = calloc(c->row_count, sizeof *firsts); /* the key and first row of each run */
    for (size_t i = 0; firsts && i < c->row_count; i++)
        if (i == 0 || strcmp(keys[i].key, keys[i - 1].key) != 0)
            firsts[runs++] = keys[i];
    wl_compared_group *groups = firsts ? calloc(runs, sizeof *groups) : NULL;
    /* of the group that a row is the first of */
    size_t *number = groups ? calloc(c->row_count, sizeof *number) : NULL;
    bool named = true;
    if (number) {
        qsort(firsts, runs, sizeof *firsts, by_row);
        for (size_t g = 0; g < runs; g++) {
            groups[g].first = firsts[g].row;
            groups[g].name = strdup(firsts[g].key);
            named = named && groups[g].name;
            number[firsts[g].row] = g;
        }
        for (size_t i = 0, first = 0; i < c->row_count; i++) {
            if (i == 0 || strcmp(keys[i].key, keys[i - 1].key) != 0)
                first = keys[i].row;
            set_group(&c->rows[keys[i].row], families, number[first]);
            groups[number[first]].rows++;
        }
    }
    if (groups && (!number || !named)) {
        free_groups(groups, runs);
        groups = NULL;
    }
    *count = groups ? runs : 0;
    free(number);
    free(firsts);
    return groups;
}

/* by NULL: by what is computed */
static wl_compared_group *make_groups(wl_comparison *c, const char *by, bool families, size_t *count)
{
    keyed *keys = calloc(c->row_count, sizeof *keys);
    bool ok = keys != NULL;
    for (size_t i = 0; ok && i < c->row_count; i++) {
        keys[i] = (keyed){by ? key_of(&c->rows[i], by) : problem_of(&c->rows[i]), i};
        ok = keys[i].key != NULL;
    }
    wl_compared_group *groups = NULL;
    if (ok) {
        qsort(keys, c->row_count, sizeof *keys, by_key);
        groups = number_groups(c, keys, families, count);
    }
    for (size_t i = 0; keys && i < c->row_count; i++)
        free(keys[i].key);
    free(keys);
    return groups;
}

static wl_status compute(const wl_comparison *c, wl_compared_group *groups, size_t count, bool families, wl_error *err)
{
    /* the rows of group g: starts[g] .. starts[g + 1] */
    size_t *starts = calloc(count + 1, sizeof *starts), *filled = calloc(count, sizeof *filled);
    wl_pair *pairs = calloc(c->row_count, sizeof *pairs);
    wl_status status = starts && filled && pairs ? WL_OK : wl_fail_memory(err);
    for (size_t g = 0; status == WL_OK && g < count; g++)
        starts[g + 1] = starts[g] + groups[g].rows;
    for (int v = 0; v < WL_VALUE_COUNT && status == WL_OK; v++) {
        memset(filled, 0, count * sizeof *filled);
        for (size_t i = 0; i < c->row_count; i++) {
            const wl_compared_row *row = &c->rows[i];
            const size_t g = families ? c->rows[i].family_group : c->rows[i].group;
            if (wl_comparison_counts(c, row, v))
                pairs[starts[g] + filled[g]++] = (wl_pair){row->measured[v], row->predicted[v]};
        }
        for (size_t g = 0; g < count && status == WL_OK; g++) {
            const wl_pair *own = pairs + starts[g];
            status = wl_agreement_compute(own, filled[g], &groups[g].values[v], err);
            if (wl_value_is_time(v))
                (void)wl_best_pick(own, filled[g], &groups[g].pick[v - WL_VALUE_TIME]);
        }
    }
    free(starts);
    free(filled);
    free(pairs);
    return status;
}

wl_status wl_comparison_group_problems(wl_comparison *c, wl_error *err)
{
    wl_comparison_free_groups(c);
    c->groups = make_groups(c, NULL, false, &c->group_count);
    return c->groups ? WL_OK : wl_fail_memory(err);
}

static wl_status note_left_out(wl_comparison *c, const wl_compared_group *g, wl_error *err)
{
    for (int v = 0; v <= WL_VALUE_TIME; v++) {
        char reason[160];
        if (g->values[v].left_out == 0)
            continue;
        (void)snprintf(reason, sizeof reason, "%s is measured as 0 and predicted above: left out of its statistics",
                       wl_compared_name(v));
        WL_TRY(wl_comparison_skip(c, c->rows[g->first].is.table, 0, g->values[v].left_out, reason, err));
    }
    return WL_OK;
}

wl_status wl_comparison_group(wl_comparison *c, const char *by, wl_error *err)
{
    wl_comparison_free_groups(c);
    c->groups = make_groups(c, by, false, &c->group_count);
    c->families = c->groups ? make_groups(c, "family", true, &c->family_count) : NULL;
    if (!c->families)
        return wl_fail_memory(err);
    WL_TRY(compute(c, c->groups, c->group_count, false, err));
    for (size_t g = 0; g < c->group_count; g++)
        WL_TRY(note_left_out(c, &c->groups[g], err));
    return compute(c, c->families, c->family_count, true, err);
}

void wl_comparison_free_groups(wl_comparison *c)
{
    free_groups(c->groups, c->group_count);
    free_groups(c->families, c->family_count);
    c->groups = c->families = NULL;
    c->group_count = c->family_count = 0;
}
