/* compare_predict.c - predicts measured launches: which rows, with which kernel and launch.
 *
 * A kernel's text is read once; predictors are kept for the params seen last, since tables repeat
 * them row after row.
 * SPDX-License-Identifier: MIT */
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare_ptx.h"
#include "diag.h"
#include "load.h"

#define KEPT 16
#define IGNORED_MAX 12
#define NAMES_MAX 8

/* A kernel with a row's params. */
typedef struct model {
    char *key;
    wl_kernel *kernel;
    wl_predictor *predictor;
    compared_unit *file; /* of a kernel in PTX */
} model;

typedef struct predictor {
    comparison *c;
    wl_prediction *prediction; /* of the current row */
    model models[KEPT];
    size_t next;                   /* the next one to replace */
    char ignored[IGNORED_MAX][40]; /* params no kernel of the table declares */
    size_t ignored_count;
} predictor;

static void model_free(model *m)
{
    wl_predictor_free(m->predictor);
    wl_kernel_free(m->kernel);
    if (m->file)
        compared_unit_release(m->file);
    free(m->key);
    *m = (model){0};
}

/* ---- kernels ---- */

/* Paths in a map are relative to the map. */
static char *kernel_path(const comparison *c, const char *kernel)
{
    const char *slash = c->map && kernel[0] != '/' ? strrchr(c->options->map, '/') : NULL;
    const size_t folder = slash ? (size_t)(slash - c->options->map) + 1 : 0, size = folder + strlen(kernel) + 1;
    char *path = malloc(size);
    if (!path)
        return NULL;
    snprintf(path, size, "%.*s%s", (int)folder, c->options->map ? c->options->map : "", kernel);
    size_t length = 0;
    if (folder && access(path, R_OK) != 0 && wl_kernel_builtin_text(kernel, &length))
        snprintf(path, size, "%s", kernel);
    return path;
}

static wl_status find_source(predictor *p, const char *kernel, kernel_source **out, wl_error *err)
{
    const options *o = p->c->options;
    char *path = kernel_path(p->c, kernel);
    if (!path)
        return diag_no_memory(err);
    for (size_t i = 0; i < p->c->source_count; i++) {
        if (strcmp(p->c->sources[i].path, path) == 0) {
            free(path);
            *out = &p->c->sources[i];
            return WL_OK;
        }
    }
    kernel_source *larger = realloc(p->c->sources, (p->c->source_count + 1) * sizeof *larger);
    if (!larger) {
        free(path);
        return diag_no_memory(err);
    }
    p->c->sources = larger;
    kernel_source *s = &larger[p->c->source_count++];
    *s = (kernel_source){.path = path};
    wl_status status = load_kernel_text(path, &s->input, &s->text, &s->length, err);
    if (status == WL_OK)
        status =
            wl_kernel_parse(s->input, s->text, s->length, &(wl_kernel_options){o->set, o->set_count}, &s->plain, err);
    *out = s;
    return status;
}

static void note_ignored(predictor *p, const char *name)
{
    for (size_t i = 0; i < p->ignored_count; i++)
        if (strncmp(p->ignored[i], name, sizeof p->ignored[i] - 1) == 0)
            return;
    if (p->ignored_count < IGNORED_MAX)
        snprintf(p->ignored[p->ignored_count++], sizeof p->ignored[0], "%s", name);
}

/* The settings of a row, of which later ones win: its params, those of the map, those of the
 * command line. Splits `params` in place. */
static size_t collect_sets(predictor *p, const wl_kernel *plain, char *params, const wl_map_entry *entry,
                           const char **sets)
{
    const options *o = p->c->options;
    size_t count = 0;
    for (char *at = params, *next; at && *at; at = next) {
        next = strchr(at, ';');
        if (next)
            *next++ = '\0';
        at += strspn(at, " ");
        char *equals = strchr(at, '=');
        if (!equals)
            continue;
        *equals = '\0';
        const bool known = wl_kernel_has_param(plain, at);
        if (!known && !(entry && names_param(entry->schedule, at)))
            note_ignored(p, at);
        *equals = '=';
        if (known)
            sets[count++] = at;
    }
    for (size_t i = 0; entry && i < entry->set_count; i++)
        sets[count++] = entry->sets[i];
    for (size_t i = 0; i < o->set_count; i++)
        sets[count++] = o->set[i];
    return count;
}

/* path and sets as one text */
static char *key_of(const kernel_source *s, const char *const *sets, size_t count)
{
    size_t size = strlen(s->path) + 1, used = 0;
    for (size_t i = 0; i < count; i++)
        size += strlen(sets[i]) + 1;
    char *key = malloc(size);
    if (!key)
        return NULL;
    used += (size_t)snprintf(key, size, "%s", s->path);
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(key + used, size - used, "\n%s", sets[i]);
    return key;
}

static wl_status open_model(predictor *p, const kernel_source *s, const char *const *sets, size_t count, model **out,
                            wl_error *err)
{
    char *key = key_of(s, sets, count);
    if (!key)
        return diag_no_memory(err);
    for (size_t i = 0; i < KEPT; i++) {
        if (p->models[i].key && strcmp(p->models[i].key, key) == 0) {
            free(key);
            *out = &p->models[i];
            return WL_OK;
        }
    }
    model *m = &p->models[p->next++ % KEPT];
    model_free(m);
    wl_status status =
        wl_kernel_parse(s->input, s->text, s->length, &(wl_kernel_options){sets, count}, &m->kernel, err);
    if (status == WL_OK)
        status = wl_predictor_new(m->kernel, p->c->device, &m->predictor, err);
    m->key = key;
    if (status != WL_OK)
        model_free(m);
    *out = m;
    return status;
}

static wl_status find_model(predictor *p, const kernel_source *s, const wl_measurement *m, const wl_map_entry *entry,
                            model **out, wl_error *err)
{
    size_t most = p->c->options->set_count + (entry ? entry->set_count : 0) + 1;
    for (const char *at = m->params; *at; at++)
        most += *at == ';';
    char *params = strdup(m->params);
    const char **sets = calloc(most, sizeof *sets);
    const wl_status status = params && sets
                                 ? open_model(p, s, sets, collect_sets(p, s->plain, params, entry, sets), out, err)
                                 : diag_no_memory(err);
    free(params);
    free(sets);
    return status;
}

/* ---- one row ---- */

static wl_status launch_of(const predictor *p, const wl_kernel *kernel, const wl_measurement *m,
                           const wl_map_entry *entry, wl_table_layout layout, wl_launch *out, wl_error *err)
{
    wl_launch launch = {.registers = p->c->registers ? p->c->registers : m->registers, .shared_bytes = m->shared_bytes};
    int64_t domain[3] = {1, 1, 1}, from_variant[3] = {1, 1, 1};
    if (layout == WL_TABLE_OWN)
        wl_variant_fold(m->variant, from_variant);
    bool same = wl_kernel_domain(kernel, domain) > 0;
    const wl_status status =
        entry && entry->schedule ? row_schedule(entry->schedule, m, domain, &launch.schedule, err) : WL_OK;
    const bool threads = launch.schedule.kind != WL_SCHEDULE_LINEAR && !wl_schedule_orders_blocks(&launch.schedule);
    for (int d = 0; d < 3; d++) {
        launch.block[d] = m->block[d];
        launch.fold[d] = p->c->fold[d] ? p->c->fold[d] : entry && entry->fold[d] ? entry->fold[d] : from_variant[d];
        const int64_t cells = !threads ? domain[d] : d == 0 ? domain[0] * domain[1] * domain[2] : 1;
        const int64_t blocks = (cells + m->block[d] - 1) / m->block[d];
        same = same && (m->grid[d] == 0 || m->grid[d] == (blocks + launch.fold[d] - 1) / launch.fold[d]);
    }
    for (int d = 0; d < 3 && !same; d++)
        launch.grid[d] = m->grid[d];
    *out = launch;
    return status;
}

/* Appends a row, and what is kept of it. */
static wl_status add_row(comparison *c, const wl_compared *row, const wl_prediction *prediction,
                         const wl_kernel *kernel, const wl_fit_row *counted, wl_error *err)
{
    const wl_status seen = c->seen ? c->seen(c->seen_user, row, prediction, kernel, err) : WL_OK;
    if (seen != WL_OK)
        return seen;
    const size_t count = wl_comparison_count(c->found);
    if (c->keep_counts && count == c->counted_capacity) {
        const size_t capacity = 2 * c->counted_capacity + 64;
        wl_fit_row *larger = realloc(c->counted, capacity * sizeof *larger);
        if (!larger)
            return diag_no_memory(err);
        c->counted = larger;
        c->counted_capacity = capacity;
    }
    if (c->keep_counts)
        c->counted[count] = *counted;
    const wl_status added = wl_comparison_add(c->found, row, prediction, err);
    for (int i = 0; i < WL_MODEL_COUNT && added == WL_OK && c->every_model; i++)
        if (c->by_model[i] > 0)
            wl_comparison_add_time(c->found, (wl_model_id)i, c->by_model[i]);
    return added;
}

/* As in the measurement, unless the user says otherwise. */
static wl_caches caches_of(const comparison *c, const wl_measurement *m)
{
    return c->options->caches ? wl_caches_of(c->options->caches) : m->cold ? WL_CACHES_COLD : WL_CACHES_WARM;
}

/* The measured volumes of a row; NULL: none are asked for. */
static const double *volumes_of(const comparison *c, const wl_measurement *m, double values[WL_METRIC_COUNT])
{
    if (!comparison_takes_volumes(c))
        return NULL;
    for (int v = 0; v < WL_METRIC_COUNT; v++)
        if (!wl_measurement_value(m, (wl_metric)v, &values[v]))
            values[v] = NAN;
    return values;
}

/* The time by one model, as it was measured; 0: the device lacks numbers of it. */
static wl_status predict_time(model *found, const wl_launch *launch, const wl_measurement *m, wl_predict_options how,
                              wl_model_id by, wl_prediction *prediction, double *time, wl_error *err)
{
    how.model = by;
    const wl_status status = wl_predict(found->predictor, launch, &how, prediction, err);
    if (status == WL_OK)
        *time = wl_prediction_model(prediction) == by ? wl_time_as_measured(prediction, m) : 0;
    return status;
}

static wl_status predict_launch(comparison *c, model *found, const wl_launch *launch, const wl_measurement *m,
                                wl_prediction *prediction, wl_fit_row *row, wl_error *err)
{
    double values[WL_METRIC_COUNT];
    const wl_predict_options how = {.complete = c->complete,
                                    .model = c->model,
                                    .caches = caches_of(c, m),
                                    .measured = volumes_of(c, m, values),
                                    .emulate = c->emulate,
                                    .simulate = c->simulate};
    wl_status status = WL_OK;
    for (int i = WL_MODEL_BEST + 1; i < WL_MODEL_COUNT && status == WL_OK && c->every_model; i++)
        status = predict_time(found, launch, m, how, (wl_model_id)i, prediction, &c->by_model[i], err);
    if (status != WL_OK)
        return status;
    if (!c->keep_counts)
        return wl_predict(found->predictor, launch, &how, prediction, err);
    status = wl_counted_make(found->predictor, launch, &how, &row->counted, err);
    if (status == WL_OK)
        status = wl_counted_predict(row->counted, c->device, c->model, prediction, err);
    if (status != WL_OK) {
        wl_counted_free(row->counted);
        row->counted = NULL;
    }
    if (status != WL_E_UNSUPPORTED || !c->ranks)
        return status;
    *err = (wl_error){0};
    status = WL_OK;
    const wl_predict_options plain = {.caches = how.caches};
    for (int i = 0; i < WL_RANKED_MODELS && status == WL_OK; i++)
        status = predict_time(found, launch, m, plain, wl_ranked_model(i), prediction, &row->model_time[i], err);
    return status;
}

/* The row of the comparison; its texts are borrowed from tables, kernels and the map. */
static wl_compared row_of(const comparison *c, size_t table, const wl_measurement *m, const kernel_source *s,
                          const wl_map_entry *entry)
{
    return (wl_compared){.table = c->tables[table],
                         .family = m->family[0] ? m->family : wl_kernel_name(s->plain),
                         .kernel = s->path,
                         .sets = entry ? entry->sets : NULL,
                         .set_count = entry ? entry->set_count : 0,
                         .measurement = m};
}

/* ---- a row of a kernel in PTX ---- */

/* A kernel is read for one launch: rows of the same launch share it. */
static wl_status open_ptx_model(predictor *p, const ptx_row *row, model **out, wl_error *err)
{
    for (size_t i = 0; i < KEPT; i++) {
        if (p->models[i].key && strcmp(p->models[i].key, row->key) == 0) {
            *out = &p->models[i];
            return WL_OK;
        }
    }
    model *m = *out = &p->models[p->next++ % KEPT];
    model_free(m);
    m->key = strdup(row->key);
    m->file = row->file;
    compared_unit_hold(m->file);
    wl_status status = m->key ? ptx_unit_kernel(row->unit, &row->request, &m->kernel, err) : diag_no_memory(err);
    if (status == WL_OK)
        status = wl_predictor_new(m->kernel, p->c->device, &m->predictor, err);
    if (status != WL_OK)
        model_free(m);
    return status;
}

/* The reason includes a place in the source, if it refers to one. */
static wl_status skip_ptx_row(comparison *c, size_t table, const wl_measurement *m, const wl_error *why, wl_error *err)
{
    char reason[WL_INPUT_NAME_MAX + WL_MESSAGE_MAX + 32];
    const bool placed = why->input[0] && why->input[0] != '-' && why->loc.line > 0;
    if (placed)
        (void)snprintf(reason, sizeof reason, "%s:%d: %s", why->input, (int)why->loc.line, why->message);
    return wl_comparison_skip(c->found, c->tables[table], m->line, 1, placed ? reason : why->message, err);
}

static wl_status predict_ptx_row(predictor *p, size_t table, const wl_measurement *m, const wl_map_entry *entry,
                                 const char *kernel, wl_error *err)
{
    comparison *c = p->c;
    model *found = NULL;
    wl_fit_row made = {0};
    wl_error why = {0};
    ptx_row row;
    char *path = kernel_path(c, kernel);
    if (!path)
        return diag_no_memory(err);
    wl_status status = ptx_row_find(c, path, entry, m, &row, &why, err);
    free(path);
    if (status != WL_OK && why.code == WL_OK)
        return status; /* the file itself cannot be used */
    if (status == WL_OK)
        status = open_ptx_model(p, &row, &found, &why);
    if (status == WL_OK)
        status = predict_launch(c, found, &row.request.launch, m, p->prediction, &made, &why);
    if (status == WL_E_NOMEM)
        return diag_no_memory(err);
    if (status != WL_OK)
        return skip_ptx_row(c, table, m, &why, err);
    const bool own = wl_table_layout_of(c->parsed[table]) == WL_TABLE_OWN;
    const wl_compared compared = {.table = c->tables[table],
                                  .family = own && m->family[0] ? m->family : row.name,
                                  .kernel = row.symbol,
                                  .sets = row.args,
                                  .set_count = row.arg_count,
                                  .measurement = m};
    status = add_row(c, &compared, p->prediction, found->kernel, &made, err);
    if (status != WL_OK)
        wl_counted_free(made.counted);
    /* a launch of PTX may take a hundred megabytes */
    if (!ptx_row_comes_again(c->parsed[table], m))
        model_free(found);
    return status;
}

static bool is_comparable(const wl_measurement *m)
{
    double value;
    bool measured = m->time_known;
    for (int i = 0; i < WL_METRIC_COUNT && !measured; i++)
        measured = wl_measurement_value(m, (wl_metric)i, &value);
    return measured;
}

static bool has_volumes(const wl_measurement *m)
{
    double value;
    return wl_measurement_value(m, WL_METRIC_l2_load_bytes, &value) ||
           wl_measurement_value(m, WL_METRIC_dram_load_bytes, &value);
}

/* Leaves out a row that cannot be predicted; only errors that affect every row end the run. */
static wl_status predict_row(predictor *p, size_t table, const wl_measurement *m, wl_error *err)
{
    comparison *c = p->c;
    const char *name = c->tables[table];
    if (m->block[0] == 0)
        return wl_comparison_skip(c->found, name, m->line, 1, "a summary over launches, without their block", err);
    if (!c->seen && !is_comparable(m))
        return wl_comparison_skip(c->found, name, m->line, 1, "a launch with no value that is predicted", err);
    if (comparison_takes_volumes(c) && !has_volumes(m))
        return wl_comparison_skip(c->found, name, m->line, 1, "a launch without measured volumes", err);
    const wl_map_entry *entry = c->map ? wl_map_find(c->map, m) : NULL;
    kernel_source *s = NULL;
    model *found = NULL;
    wl_fit_row made = {0};
    wl_error row_err = {0};
    if (c->map && !entry)
        return wl_comparison_skip(c->found, name, m->line, 1, "a launch the map has no kernel for", err);
    if (entry && entry->skip)
        return wl_comparison_skip(c->found, name, m->line, 1, entry->skip, err);
    if (entry && !entry->kernel)
        return wl_comparison_skip(c->found, name, m->line, 1, "an entry of the map without its kernel", err);
    const char *kernel = entry ? entry->kernel : c->options->arguments[0];
    if (ptx_is_source(kernel))
        return predict_ptx_row(p, table, m, entry, kernel, err);
    wl_status status = find_source(p, kernel, &s, err);
    if (status != WL_OK)
        return status;
    status = find_model(p, s, m, entry, &found, &row_err);
    if (status == WL_OK) {
        wl_launch launch;
        status = launch_of(p, found->kernel, m, entry, wl_table_layout_of(c->parsed[table]), &launch, &row_err);
        if (status == WL_OK)
            status = predict_launch(c, found, &launch, m, p->prediction, &made, &row_err);
    }
    if (status == WL_E_NOMEM)
        return diag_no_memory(err);
    if (status != WL_OK)
        return wl_comparison_skip(c->found, name, m->line, 1, row_err.message, err);
    const wl_compared row = row_of(c, table, m, s, entry);
    status = add_row(c, &row, p->prediction, found->kernel, &made, err);
    if (status != WL_OK)
        wl_counted_free(made.counted);
    return status;
}

/* ---- which rows ---- */

static bool is_selected(const options *o, const wl_measurement *m)
{
    bool family = o->family_count == 0;
    for (size_t i = 0; i < o->family_count; i++)
        family = family || fnmatch(o->family[i], m->family, FNM_NOESCAPE) == 0;
    return family && (!o->variant || fnmatch(o->variant, m->variant, FNM_NOESCAPE) == 0) &&
           (!o->kernel_name || strstr(m->kernel, o->kernel_name));
}

static bool is_kernel(const char *measured, const char *kernel)
{
    return strcmp(measured, kernel) == 0 || (strncmp(measured, "k_", 2) == 0 && strcmp(measured + 2, kernel) == 0);
}

/* A profile of a whole program holds launches of other kernels too: *only is then the kernel's
 * name, else NULL. */
static wl_status choose_kernel(predictor *p, const wl_table *table, const char *input, const char **only, wl_error *err)
{
    const options *o = p->c->options;
    const char *names[NAMES_MAX];
    size_t count = 0;
    bool match = false;
    kernel_source *s = NULL;
    *only = NULL;
    if (wl_table_layout_of(table) == WL_TABLE_OWN || p->c->map || o->kernel_name || ptx_is_source(o->arguments[0]))
        return WL_OK;
    const wl_status status = find_source(p, o->arguments[0], &s, err);
    if (status != WL_OK)
        return status;
    for (size_t i = 0; i < wl_table_count(table); i++) {
        const wl_measurement *m = wl_table_row(table, i);
        if (!is_selected(o, m))
            continue;
        match = match || is_kernel(m->family, wl_kernel_name(s->plain));
        size_t n = 0;
        while (n < count && strcmp(names[n], m->family) != 0)
            n++;
        if (n == count && count < NAMES_MAX)
            names[count++] = m->family;
    }
    if (count < 2)
        return WL_OK;
    *only = wl_kernel_name(s->plain);
    if (match)
        return WL_OK;
    err->code = WL_E_INPUT;
    snprintf(err->input, sizeof err->input, "%s", input);
    size_t used =
        (size_t)snprintf(err->message, sizeof err->message, "launches of several kernels; choose with --kernel-name:");
    for (size_t i = 0; i < count && used < sizeof err->message; i++)
        used += (size_t)snprintf(err->message + used, sizeof err->message - used, "%s %s", i ? "," : "", names[i]);
    return WL_E_INPUT;
}

static wl_status report_ignored(predictor *p, const char *table, wl_error *err)
{
    char text[600];
    size_t used = (size_t)snprintf(text, sizeof text, "params the kernel does not declare are ignored:");
    for (size_t i = 0; i < p->ignored_count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %s", i ? "," : "", p->ignored[i]);
    const bool any = p->ignored_count > 0;
    p->ignored_count = 0;
    return any ? wl_comparison_skip(p->c->found, table, 0, 1, text, err) : WL_OK;
}

static wl_status predict_table(predictor *p, size_t table, wl_error *err)
{
    comparison *c = p->c;
    const char *only = NULL;
    wl_status status = choose_kernel(p, c->parsed[table], c->tables[table], &only, err);
    for (size_t i = 0; status == WL_OK && i < wl_table_count(c->parsed[table]); i++) {
        const wl_measurement *m = wl_table_row(c->parsed[table], i);
        if (!is_selected(c->options, m))
            continue;
        if (only && !is_kernel(m->family, only))
            status = wl_comparison_skip(c->found, c->tables[table], m->line, 1, "a launch of another kernel", err);
        else
            status = predict_row(p, table, m, err);
    }
    const wl_status noted = report_ignored(p, c->tables[table], err);
    return status == WL_OK ? noted : status;
}

wl_status comparison_predict(comparison *c, wl_error *err)
{
    predictor p = {.c = c};
    wl_status status = wl_prediction_new(&p.prediction, err);
    for (size_t i = 0; i < c->table_count && status == WL_OK; i++)
        status = predict_table(&p, i, err);
    if (status == WL_OK && wl_comparison_count(c->found) == 0) {
        *err = (wl_error){.code = WL_E_INPUT, .message = "nothing to compare: no launch could be predicted"};
        status = WL_E_INPUT;
    }
    for (size_t i = 0; i < KEPT; i++)
        model_free(&p.models[i]);
    wl_prediction_free(p.prediction);
    return status;
}
