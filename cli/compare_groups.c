/* compare_groups.c - rows that belong together, and their statistics. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "compare.h"

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
static char *key_of(const compared_row *row, const char *by)
{
    const bool all = strcmp(by, "all") == 0, family = strcmp(by, "family") == 0, params = strcmp(by, "params") == 0;
    const char *variant = all || family ? "" : row->m->variant;
    const size_t size = strlen(row->family) + strlen(variant) + strlen(row->m->params) + 8;
    char *key = malloc(size);
    if (key)
        snprintf(key, size, "%s%s%s%s%s", all ? "all" : row->family, variant[0] ? "/" : "", variant,
                 params && row->m->params[0] ? " " : "", params ? row->m->params : "");
    return key;
}

/* "fy2", as wl_variant_fold reads it */
static bool is_fold(const char *word, size_t length)
{
    return length >= 3 && word[0] == 'f' && word[1] >= 'x' && word[1] <= 'z' &&
           strspn(word + 2, "0123456789") >= length - 2;
}

/* The variant without the words that tell the folding, which is a part of the launch. */
static void write_plain_variant(FILE *out, const char *variant)
{
    for (const char *word = variant; *word; word += strcspn(word, "_"), word += *word == '_') {
        const size_t length = strcspn(word, "_");
        if (!is_fold(word, length))
            fprintf(out, "_%.*s", (int)length, word);
    }
}

/* What is computed: the kernel's file, what the map sets, the variant but for its folding, the params. */
static char *problem_of(const comparison *c, const compared_row *row)
{
    char *key = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&key, &size);
    if (!f)
        return NULL;
    fprintf(f, "%s", c->sources[row->source].path);
    for (size_t i = 0; row->entry && i < row->entry->set_count; i++)
        fprintf(f, " %s", row->entry->sets[i]);
    fputc('\n', f);
    write_plain_variant(f, row->m->variant);
    fprintf(f, "\n%s", row->m->params);
    if (fclose(f) != 0) {
        free(key);
        return NULL;
    }
    return key;
}

static void set_group(compared_row *row, bool families, size_t group)
{
    *(families ? &row->family_group : &row->group) = group;
}

/* Takes the sorted keys; gives the groups in the order of their first rows. */
static compared_group *number_groups(comparison *c, keyed *keys, bool families, size_t *count)
{
    size_t runs = 0;
    keyed *firsts = calloc(c->row_count, sizeof *firsts); /* of each run: its key, its first row */
    for (size_t i = 0; firsts && i < c->row_count; i++)
        if (i == 0 || strcmp(keys[i].key, keys[i - 1].key) != 0)
            firsts[runs++] = keys[i];
    compared_group *groups = firsts ? calloc(runs, sizeof *groups) : NULL;
    size_t *number = groups ? calloc(c->row_count, sizeof *number) : NULL; /* of the group a row is the first of */
    if (number) {
        qsort(firsts, runs, sizeof *firsts, by_row);
        for (size_t g = 0; g < runs; g++) {
            groups[g].first = &c->rows[firsts[g].row];
            groups[g].name = strdup(firsts[g].key);
            number[firsts[g].row] = g;
        }
        for (size_t i = 0, first = 0; i < c->row_count; i++) {
            if (i == 0 || strcmp(keys[i].key, keys[i - 1].key) != 0)
                first = keys[i].row;
            set_group(&c->rows[keys[i].row], families, number[first]);
            groups[number[first]].rows++;
        }
        *count = runs;
    } else {
        free(groups);
        groups = NULL;
    }
    free(number);
    free(firsts);
    return groups;
}

/* by NULL: by what is computed */
static compared_group *make_groups(comparison *c, const char *by, bool families, size_t *count)
{
    keyed *keys = calloc(c->row_count, sizeof *keys);
    bool ok = keys != NULL;
    for (size_t i = 0; ok && i < c->row_count; i++) {
        keys[i] = (keyed){by ? key_of(&c->rows[i], by) : problem_of(c, &c->rows[i]), i};
        ok = keys[i].key != NULL;
    }
    compared_group *groups = NULL;
    if (ok) {
        qsort(keys, c->row_count, sizeof *keys, by_key);
        groups = number_groups(c, keys, families, count);
    }
    for (size_t i = 0; keys && i < c->row_count; i++)
        free(keys[i].key);
    free(keys);
    return groups;
}

static wl_status no_memory(wl_error *err)
{
    *err = (wl_error){.code = WL_E_NOMEM, .message = "out of memory"};
    return WL_E_NOMEM;
}

static wl_status compute(const comparison *c, compared_group *groups, size_t count, bool families, wl_error *err)
{
    /* the rows of a group next to each other: starts[g] .. starts[g + 1] */
    size_t *starts = calloc(count + 1, sizeof *starts), *filled = calloc(count, sizeof *filled);
    wl_pair *pairs = calloc(c->row_count, sizeof *pairs);
    wl_status status = starts && filled && pairs ? WL_OK : no_memory(err);
    for (size_t g = 0; status == WL_OK && g < count; g++)
        starts[g + 1] = starts[g] + groups[g].rows;
    for (int v = 0; v < VALUE_COUNT && status == WL_OK; v++) {
        memset(filled, 0, count * sizeof *filled);
        for (size_t i = 0; i < c->row_count; i++) {
            const compared_row *row = &c->rows[i];
            const size_t g = families ? row->family_group : row->group;
            if (row_counts(c, row, v))
                pairs[starts[g] + filled[g]++] = (wl_pair){row->measured[v], row->predicted[v]};
        }
        for (size_t g = 0; g < count && status == WL_OK; g++) {
            const wl_pair *own = pairs + starts[g];
            status = wl_agreement_compute(own, filled[g], &groups[g].values[v], err);
            if (v == VALUE_TIME)
                groups[g].pick_known = wl_best_pick(own, filled[g], &groups[g].pick);
        }
    }
    free(starts);
    free(filled);
    free(pairs);
    return status;
}

wl_status comparison_group_problems(comparison *c, wl_error *err)
{
    c->groups = make_groups(c, NULL, false, &c->group_count);
    return c->groups ? WL_OK : no_memory(err);
}

wl_status comparison_group(comparison *c, wl_error *err)
{
    c->groups = make_groups(c, c->options->group ? c->options->group : "variant", false, &c->group_count);
    c->families = c->groups ? make_groups(c, "family", true, &c->family_count) : NULL;
    if (!c->families)
        return no_memory(err);
    const wl_status status = compute(c, c->groups, c->group_count, false, err);
    if (status != WL_OK)
        return status;
    for (size_t g = 0; g < c->group_count; g++)
        for (int v = 0; v < VALUE_COUNT; v++)
            if (c->groups[g].values[v].left_out > 0) {
                char reason[160];
                snprintf(reason, sizeof reason, "%s is measured as 0 and predicted above: left out of its statistics",
                         value_name(v));
                comparison_skip(c, c->groups[g].first->table, 0, c->groups[g].values[v].left_out, reason);
            }
    return compute(c, c->families, c->family_count, true, err);
}
