/* prediction_read.c - predictions that were stored as JSON, read back: one object or several after
 * one another, each a call's array of predictions (schema warpline.predict/2), or one prediction
 * (warpline.prediction/2, and warpline.predict/1 of earlier versions).
 * SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/print.h"
#include "device/device_internal.h"
#include "metrics/prediction.h"
#include "warpline/report.h"

#define CALL "warpline.predict/2"
#define ONE "warpline.prediction/2"
#define EARLIER "warpline.predict/1"
#define EXTENT_MAX ((double)((int64_t)1 << 60))

#define STRANGE_MAX 8 /* metrics that this version does not have */

/* A JSON object, and the prediction read from it, which borrows its texts. */
typedef struct entry {
    wl_stored stored;
    wl_prediction prediction;
    const char *strange[STRANGE_MAX];
    json_t *json;
} entry;

struct wl_stored_list {
    entry **all;
    size_t count;
};

/* One object being read: the first failure counts. */
typedef struct reader {
    int32_t line;
    size_t number; /* in the array of a call, from 1; 0: the only one */
    wl_error *err;
    wl_status status;
} reader;

static void refuse(reader *r, const char *format, ...) WL_PRINTF(2, 3);
static void refuse(reader *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char message[WL_MESSAGE_MAX];
    (void)wl_print_list(message, sizeof message, format, args);
    va_end(args);
    if (r->status != WL_OK)
        return;
    char which[40] = "";
    if (r->number > 0)
        (void)snprintf(which, sizeof which, "prediction %zu: ", r->number);
    r->status = wl_fail(r->err, WL_E_INPUT, (wl_loc){r->line, 1, 1}, "%s%s", which, message);
}

/* ---- values ---- */

static const json_t *member(reader *r, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!value)
        refuse(r, "not a prediction: '%s' is missing", key);
    return value;
}

static const char *text_of(reader *r, const json_t *object, const char *key)
{
    const json_t *value = member(r, object, key);
    if (value && !json_is_string(value))
        refuse(r, "'%s' is not a text", key);
    return value && json_is_string(value) ? json_string_value(value) : "";
}

/* Ratios of such numbers are finite. */
static bool is_sane(double v) { return v == 0 || (fabs(v) > 1e-60 && fabs(v) < 1e60); }

static double number_of(reader *r, const json_t *object, const char *key, double least)
{
    const json_t *value = member(r, object, key);
    const double v = json_number_value(value);
    if (value && !json_is_number(value))
        refuse(r, "'%s' is not a number", key);
    else if (value && !(v >= least))
        refuse(r, "'%s' is %g, less than %g", key, v, least);
    else if (value && !is_sane(v))
        refuse(r, "'%s' is %g: no prediction is", key, v);
    return v;
}

static int64_t whole(reader *r, const json_t *value, const char *key, int64_t least)
{
    const json_int_t v = json_integer_value(value);
    if (value && (!json_is_integer(value) || v < least || (double)v > EXTENT_MAX))
        refuse(r, "'%s' is not a whole number from %lld on", key, (long long)least);
    return v;
}

static int64_t whole_of(reader *r, const json_t *object, const char *key, int64_t least)
{
    return whole(r, member(r, object, key), key, least);
}

static void shape_of(reader *r, const json_t *object, const char *key, int64_t extent[3])
{
    const json_t *value = member(r, object, key);
    if (value && json_array_size(value) != 3)
        refuse(r, "'%s' is not a list of three numbers", key);
    for (size_t d = 0; d < 3 && r->status == WL_OK; d++)
        extent[d] = whole(r, json_array_get(value, d), key, 1);
}

/* ---- parts of a prediction ---- */

static void read_schedule(reader *r, const json_t *launch, wl_schedule *schedule)
{
    wl_error err = {0};
    if (!json_object_get(launch, "schedule")) /* linear */
        return;
    const char *text = text_of(r, launch, "schedule");
    if (r->status == WL_OK && wl_schedule_parse(text, schedule, &err) != WL_OK)
        refuse(r, "'schedule' is wrong: %s", err.message);
}

/* Predictions of older versions do not have it. */
static wl_work_unit unit_of(const json_t *work)
{
    const char *name = json_string_value(json_object_get(work, "unit"));
    return wl_work_unit_named(name ? name : "");
}

static void read_launch(reader *r, const json_t *root, wl_prediction *p)
{
    const json_t *launch = member(r, root, "launch"), *occupancy = member(r, root, "occupancy");
    const json_t *wave = member(r, root, "wave");
    shape_of(r, launch, "block", p->launch.block);
    shape_of(r, launch, "fold", p->launch.fold);
    shape_of(r, launch, "grid", p->launch.grid);
    p->launch.registers = whole_of(r, launch, "registers", 1);
    p->launch.shared_bytes = whole_of(r, launch, "shared_bytes", 0);
    read_schedule(r, launch, &p->launch.schedule);
    p->occupancy.blocks_per_sm = whole_of(r, occupancy, "blocks_per_sm", 1);
    p->occupancy.warps_per_sm = whole_of(r, occupancy, "warps_per_sm", 1);
    const char *limiter = text_of(r, occupancy, "limiter");
    int limit = 0;
    while (limit < WL_LIMIT_COUNT && strcmp(wl_occupancy_limit_name((wl_occupancy_limit)limit), limiter) != 0)
        limit++;
    if (limit == WL_LIMIT_COUNT)
        refuse(r, "the occupancy's limiter '%s' is not known", limiter);
    p->occupancy.limiter = (wl_occupancy_limit)limit;
    p->sm_word = wl_sm_word_named(json_string_value(json_object_get(occupancy, "multiprocessor")));
    p->items = whole_of(r, member(r, root, "work"), "items", 1);
    p->work_unit = unit_of(member(r, root, "work"));
    p->wave_blocks = whole_of(r, wave, "blocks", 1);
    p->blocks = whole_of(r, wave, "of", 1);
    p->waves = number_of(r, wave, "waves", 0);
}

static void read_metric(reader *r, const char *name, json_t *json, wl_value *out)
{
    const char *part;
    json_t *value;
    json_t *parts = json_object_get(json, "parts");
    out->value = number_of(r, json, "value", 0);
    out->known = true;
    json_object_foreach(parts, part, value)
    {
        if (out->part_count == WL_PARTS_MAX || !json_is_number(value) || !is_sane(json_number_value(value))) {
            refuse(r, "the parts of '%s' are not at most %d numbers", name, WL_PARTS_MAX);
            return;
        }
        out->parts[out->part_count++] = (wl_part){part, json_number_value(value)};
    }
}

static void read_metrics(reader *r, const json_t *root, entry *out)
{
    json_t *all = json_object_get(root, "metrics"), *value;
    const char *name;
    if (!json_is_object(all))
        refuse(r, "not a prediction: 'metrics' is missing");
    json_object_foreach(all, name, value)
    {
        wl_metric metric;
        if (wl_metric_find(name, &metric))
            read_metric(r, name, value, &out->prediction.metrics[metric]);
        else if (out->stored.strange_count < STRANGE_MAX)
            out->strange[out->stored.strange_count++] = name;
        else
            refuse(r, "more than %d metrics are not known, '%s' among them", STRANGE_MAX, name);
    }
}

static wl_bound_id bound_of(reader *r, const char *name)
{
    for (int i = 0; i < WL_BOUND_COUNT; i++)
        if (strcmp(wl_bound_name((wl_bound_id)i), name) == 0)
            return (wl_bound_id)i;
    refuse(r, "the bound '%s' is not known", name);
    return WL_BOUND_COUNT;
}

static void read_model(reader *r, const json_t *root, wl_model_result *m)
{
    const json_t *model = member(r, root, "model"), *block = json_object_get(model, "block");
    json_t *bounds = json_object_get(model, "bounds_s"), *value;
    const char *name;
    const char *by = text_of(r, model, "name");
    if (!wl_model_find(by, &m->id))
        refuse(r, "the model '%s' is not known", by);
    m->time_s = number_of(r, model, "time_s", 0);
    if (json_object_get(model, "launch_gap_s"))
        m->launch_gap_s = number_of(r, model, "launch_gap_s", 0);
    m->caches = wl_caches_of(json_string_value(json_object_get(model, "caches")));
    m->items_per_s = number_of(r, model, "items_per_s", 0);
    m->limiter = bound_of(r, text_of(r, model, "limiter"));
    m->next = bound_of(r, text_of(r, model, "next_limiter"));
    json_object_foreach(bounds, name, value)
    {
        const wl_bound_id bound = bound_of(r, name);
        if (r->status != WL_OK)
            return;
        m->bound_known[bound] = true;
        m->bound_s[bound] = number_of(r, bounds, name, 0);
    }
    if (r->status == WL_OK && !(m->time_s > 0 && m->items_per_s > 0 && m->bound_s[m->limiter] > 0))
        refuse(r, "not a prediction: its time is 0, or its limiter has no bound");
    const json_t *clock = json_object_get(model, "clock");
    if (clock) {
        m->clock_hz = number_of(r, clock, "hz", 0);
        m->tensor_load = number_of(r, clock, "tensor_load", 0);
    }
    if (block) {
        m->own_cycles = number_of(r, block, "own_cycles", 0);
        m->wait_cycles = number_of(r, block, "wait_cycles", 0);
        m->tail_cycles = json_object_get(block, "tail_cycles") ? number_of(r, block, "tail_cycles", 0) : 0;
    }
}

static wl_status read_prediction(const json_t *root, size_t number, entry *out, wl_error *err)
{
    reader r = {out->stored.line, number, err, WL_OK};
    if (!json_is_object(root))
        refuse(&r, "a JSON object is needed, as 'warpline predict --format json' writes it");
    if (r.status != WL_OK)
        return r.status;
    out->stored.kernel = text_of(&r, root, "kernel");
    out->stored.device = text_of(&r, root, "device");
    read_launch(&r, root, &out->prediction);
    read_metrics(&r, root, out);
    read_model(&r, root, &out->prediction.model);
    out->stored.incomplete = json_array_size(json_object_get(root, "incomplete")) > 0;
    return r.status;
}

/* The predictions of a call, or NULL where the object is one itself. */
static wl_status find_array(const json_t *root, int32_t line, const json_t **array, wl_error *err)
{
    reader r = {line, 0, err, WL_OK};
    *array = NULL;
    if (!json_is_object(root)) {
        refuse(&r, "a JSON object is needed, as 'warpline predict --format json' writes it");
        return r.status;
    }
    const char *schema = text_of(&r, root, "schema");
    if (r.status != WL_OK || strcmp(schema, ONE) == 0 || strcmp(schema, EARLIER) == 0)
        return r.status;
    if (strcmp(schema, CALL) != 0)
        refuse(&r, "the schema is '%s', not " CALL, schema);
    *array = r.status == WL_OK ? member(&r, root, "predictions") : NULL;
    if (r.status == WL_OK && !json_is_array(*array))
        refuse(&r, "'predictions' is not a list");
    return r.status;
}

/* ---- the whole text ---- */

static int32_t lines_in(const char *text, size_t length)
{
    int32_t lines = 0;
    for (size_t i = 0; i < length; i++)
        lines += text[i] == '\n';
    return lines;
}

/* jansson counts positions from where it started, `at` bytes into the text. */
static wl_status syntax_error(const char *text, size_t at, size_t length, const json_error_t *e, wl_error *err)
{
    const bool cut = e->position >= 0 && at + (size_t)e->position >= length;
    const wl_loc loc = {lines_in(text, at) + (e->line > 0 ? e->line : 1), e->column > 0 ? e->column : 1, 1};
    return wl_fail(err, WL_E_INPUT, loc, "%s: %s", cut ? "the file ends in the middle" : "not JSON", e->text);
}

/* Keeps a reference to the JSON of the prediction. */
static wl_status add_one(wl_stored_list *list, const json_t *json, int32_t line, size_t number, wl_error *err)
{
    entry **larger = realloc(list->all, (list->count + 1) * sizeof *larger);
    entry *e = calloc(1, sizeof *e);
    list->all = larger ? larger : list->all;
    if (!larger || !e) {
        free(e);
        return wl_fail_memory(err);
    }
    list->all[list->count++] = e;
    e->json = json_incref((json_t *)(uintptr_t)json);
    e->stored = (wl_stored){.line = line, .prediction = &e->prediction, .strange = e->strange};
    return read_prediction(json, number, e, err);
}

/* jansson does not keep positions: predictions of a call get the line where the call begins. */
static wl_status add(wl_stored_list *list, const json_t *json, int32_t line, wl_error *err)
{
    const json_t *array;
    WL_TRY(find_array(json, line, &array, err));
    if (!array)
        return add_one(list, json, line, 0, err);
    const size_t count = json_array_size(array);
    for (size_t i = 0; i < count; i++)
        WL_TRY(add_one(list, json_array_get(array, i), line, count > 1 ? i + 1 : 0, err));
    return WL_OK;
}

static size_t blanks(const char *text, size_t length)
{
    size_t n = 0;
    while (n < length && text[n] && strchr(" \t\r\n", text[n]))
        n++;
    return n;
}

static wl_status read_all(wl_stored_list *list, const char *text, size_t length, wl_error *err)
{
    for (size_t at = blanks(text, length); at < length; at += blanks(text + at, length - at)) {
        json_error_t e;
        bool failed = false;
        json_t *json = wl_json_read(text + at, length - at,
                                    JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &e, &failed);
        if (failed)
            return wl_fail_memory(err);
        if (!json)
            return syntax_error(text, at, length, &e, err);
        const wl_status status = add(list, json, lines_in(text, at) + 1, err);
        json_decref(json);
        WL_TRY(status);
        at += (size_t)e.position;
    }
    return list->count > 0 ? WL_OK : wl_fail(err, WL_E_INPUT, (wl_loc){1, 1, 1}, "the file holds no prediction");
}

wl_status wl_stored_read(const char *input, const char *text, size_t length, wl_stored_list **out, wl_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return wl_fail_memory(err);
    const wl_status status = read_all(*out, text, length, err);
    if (status == WL_OK)
        return WL_OK;
    wl_stored_free(*out);
    *out = NULL;
    if (status != WL_E_NOMEM)
        (void)wl_fail_in(err, input);
    return status;
}

void wl_stored_free(wl_stored_list *list)
{
    for (size_t i = 0; list && i < list->count; i++) {
        json_decref(list->all[i]->json);
        free(list->all[i]);
    }
    if (list)
        free(list->all);
    free(list);
}

size_t wl_stored_count(const wl_stored_list *list) { return list->count; }

const wl_stored *wl_stored_at(const wl_stored_list *list, size_t index) { return &list->all[index]->stored; }
