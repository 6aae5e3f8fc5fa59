/* baseline.c - the errors of today as a file, and whether those of now are worse.
 *
 * An error may grow by a tenth of itself, or by 0.2 percentage points, whichever is more; an order
 * or a pick may drop by a tenth of what it lacks to 1, or by 0.01. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy.h"

#define ERROR_GROWTH 0.1
#define ERROR_FLOOR 0.002
#define RANK_DROP 0.1
#define RANK_FLOOR 0.01

static json_t *rounded(double value) { return json_real(round(value * 1e6) / 1e6); }

static json_t *family_json(const family_rows *f, const statistics *s)
{
    json_t *errors = json_object(), *object = NULL;
    for (int v = 0; v < JUDGED; v++)
        if (s->values[v].count > 0)
            json_object_set_new(errors, value_key(v), rounded(s->values[v].mean));
    object = json_pack("{s:s, s:s, s:I, s:o}", "table", f->table, "family", f->name, "rows", (json_int_t)s->launches,
                       "mean_error", errors);
    if (s->rank.tau_known)
        json_object_set_new(object, "tau", rounded(s->rank.tau));
    if (s->rank.pick_known)
        json_object_set_new(object, "pick", rounded(s->rank.pick));
    if (s->rank.problems_known) {
        json_object_set_new(object, "problem_tau", rounded(s->rank.problem_tau));
        json_object_set_new(object, "problem_pick", rounded(s->rank.problem_pick));
    }
    json_object_set_new(object, "exact_instructions", json_integer((json_int_t)s->exact_inst));
    json_object_set_new(object, "exact_sectors", json_integer((json_int_t)s->exact_sectors));
    return object;
}

bool baseline_write(const rows *all, const char *path)
{
    json_t *families = json_array();
    bool ok = families != NULL;
    for (size_t i = 0; ok && i < all->family_count; i++) {
        const family_rows *f = &all->families[i];
        statistics s;
        ok = statistics_make(all, &(selection){f->table, f->name, NULL}, &s) &&
             json_array_append_new(families, family_json(f, &s)) == 0;
    }
    json_t *root =
        json_pack("{s:s, s:s, s:o}", "schema", "warpline.accuracy/1", "device", all->device, "families", families);
    char *text = ok && root ? json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) : NULL;
    FILE *out = text ? fopen(path, "wb") : NULL;
    ok = out && fprintf(out, "%s\n", text) > 0;
    ok = out && fclose(out) == 0 && ok;
    if (!ok)
        fprintf(stderr, "report: cannot write %s\n", path);
    free(text);
    json_decref(root);
    return ok;
}

/* ---- check ---- */

static int worse(const char *family, const char *table, const char *what, double before, double now)
{
    printf("%s (%s): %s was %.4f, is %.4f\n", family, table, what, before, now);
    return 1;
}

static int check_error(const json_t *before, const family_rows *f, const statistics *s)
{
    int count = 0;
    for (int v = 0; v < JUDGED; v++) {
        char what[64];
        const json_t *value = json_object_get(json_object_get(before, "mean_error"), value_key(v));
        const double mean = json_number_value(value), most = mean + fmax(ERROR_GROWTH * mean, ERROR_FLOOR);
        snprintf(what, sizeof what, "mean error of %s", value_key(v));
        if (value && s->values[v].count == 0)
            count += worse(f->name, f->table, what, mean, NAN);
        else if (value && !(s->values[v].mean <= most))
            count += worse(f->name, f->table, what, mean, s->values[v].mean);
    }
    return count;
}

static int check_rank(const json_t *before, const family_rows *f, const char *key, bool known, double now)
{
    const json_t *value = json_object_get(before, key);
    const double was = json_number_value(value), least = was - fmax(RANK_DROP * (1 - was), RANK_FLOOR);
    return value && !(known && now >= least) ? worse(f->name, f->table, key, was, known ? now : NAN) : 0;
}

static int check_count(const json_t *before, const family_rows *f, const char *key, size_t now)
{
    const json_int_t was = json_integer_value(json_object_get(before, key));
    return (json_int_t)now < was ? worse(f->name, f->table, key, (double)was, (double)now) : 0;
}

static int check_family(const rows *all, const json_t *before, const char *table, const char *name)
{
    const family_rows f = {table, name, 0};
    statistics s;
    if (!statistics_make(all, &(selection){table, name, NULL}, &s)) {
        fprintf(stderr, "report: out of memory\n");
        return 1;
    }
    return check_count(before, &f, "rows", s.launches) + check_count(before, &f, "exact_instructions", s.exact_inst) +
           check_count(before, &f, "exact_sectors", s.exact_sectors) + check_error(before, &f, &s) +
           check_rank(before, &f, "tau", s.rank.tau_known, s.rank.tau) +
           check_rank(before, &f, "pick", s.rank.pick_known, s.rank.pick) +
           check_rank(before, &f, "problem_tau", s.rank.problems_known, s.rank.problem_tau) +
           check_rank(before, &f, "problem_pick", s.rank.problems_known, s.rank.problem_pick);
}

static bool is_checked(const rows *all, const char *table, const char *name, const char *const *without, size_t count)
{
    bool read = false;
    for (size_t i = 0; i < all->table_count; i++)
        read = read || strcmp(all->tables[i], table) == 0;
    for (size_t i = 0; i < count; i++)
        read = read && strcmp(without[i], name) != 0;
    return read;
}

int baseline_check(const rows *all, const char *path, const char *const *without, size_t without_count)
{
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    const char *schema = json_string_value(json_object_get(root, "schema"));
    if (!root || !schema || strcmp(schema, "warpline.accuracy/1") != 0) {
        fprintf(stderr, "report: %s: %s\n", path,
                root ? "this is no baseline (schema warpline.accuracy/1)" : error.text);
        json_decref(root);
        return -1;
    }
    int count = 0, families = 0;
    size_t i;
    const json_t *one;
    json_array_foreach(json_object_get(root, "families"), i, one)
    {
        const char *table = json_string_value(json_object_get(one, "table"));
        const char *name = json_string_value(json_object_get(one, "family"));
        if (!table || !name || !is_checked(all, table, name, without, without_count))
            continue;
        count += check_family(all, one, table, name);
        families++;
    }
    json_decref(root);
    printf("accuracy: %d families of %zu tables, %d values worse than in %s\n", families, all->table_count, count,
           path);
    return families > 0 ? count : -1;
}
