/* line_reader.c - see line_reader.h. SPDX-License-Identifier: MIT */
#include "line_reader.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "line_form.h"
#include "load.h"
#include "ptx_unit.h"

#define KEPT 16

/* A kernel on a device. */
typedef struct kept {
    json_t *named; /* the members that all lines with this kernel share */
    wl_kernel *kernel;
    wl_device *device;
    wl_predictor *predictor;
    ptx_unit *unit; /* of a kernel in PTX or CUDA */
    line_form form; /* of the latest line that was parsed; none if more than numbers matters */
} kept;

struct line_reader {
    const options *options;
    kept kept[KEPT];
    size_t next; /* the next one to replace */
    wl_launch launch;
    wl_prediction *prediction; /* of the current line; NULL: none yet */
};

static void kept_free(kept *k)
{
    wl_predictor_free(k->predictor);
    wl_kernel_free(k->kernel);
    wl_device_free(k->device);
    ptx_unit_free(k->unit);
    json_decref(k->named);
    line_form_free(&k->form);
    *k = (kept){0};
}

static wl_status bad(wl_error *err, const char *format, const char *word)
{
    if (err->code == WL_OK) {
        err->code = WL_E_INPUT;
        snprintf(err->message, sizeof err->message, format, word);
    }
    return WL_E_INPUT;
}

/* {"nx": 640} as "nx=640" strings, in memory of malloc. */
static wl_status assignments(const json_t *object, const char *name, char ***out, size_t *count, wl_error *err)
{
    const char *key;
    json_t *value;
    *count = 0;
    *out = NULL;
    if (!object)
        return WL_OK;
    if (!json_is_object(object))
        return bad(err, "\"%s\" must be an object", name);
    *out = calloc(json_object_size(object) + 1, sizeof **out);
    if (!*out)
        return diag_no_memory(err);
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        char number[40];
        if (json_is_integer(value))
            snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
        else if (json_is_real(value))
            snprintf(number, sizeof number, "%.17g", json_real_value(value));
        else if (!json_is_string(value))
            return bad(err, "the value of \"%.60s\" must be a number or a string", key);
        const char *text = json_is_string(value) ? json_string_value(value) : number;
        const size_t size = strlen(key) + strlen(text) + 2;
        char *assignment = malloc(size);
        if (!assignment)
            return diag_no_memory(err);
        snprintf(assignment, size, "%s=%s", key, text);
        (*out)[(*count)++] = assignment;
    }
    return WL_OK;
}

static void free_strings(char **list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(list[i]);
    free(list);
}

static wl_status shape(const json_t *value, const char *name, int64_t extent[3], wl_error *err)
{
    if (!value)
        return WL_OK;
    if (!json_is_array(value) || json_array_size(value) < 1 || json_array_size(value) > 3)
        return bad(err, "\"%s\" must be an array of one to three numbers", name);
    for (size_t d = 0; d < 3; d++) {
        const json_t *e = json_array_get(value, d);
        extent[d] = e ? json_integer_value(e) : 1;
        if ((e && !json_is_integer(e)) || extent[d] < 1 || extent[d] > BATCH_EXTENT_MAX)
            return bad(err, "\"%s\" must hold whole numbers above 0", name);
    }
    return WL_OK;
}

static wl_status integer(const json_t *value, const char *name, int64_t most, int64_t *out, wl_error *err)
{
    if (!value)
        return WL_OK;
    *out = json_integer_value(value);
    if (!json_is_integer(value) || *out < 0 || *out > most)
        return bad(err, "\"%s\" must be a whole number in range", name);
    return WL_OK;
}

static wl_status text(const json_t *object, const char *name, const char **out, wl_error *err)
{
    const json_t *value = json_object_get(object, name);
    *out = value ? json_string_value(value) : NULL;
    return value && !*out ? bad(err, "\"%s\" must be a string", name) : WL_OK;
}

static wl_status check_keys(const json_t *line, wl_error *err)
{
    static const char *const known[] = {"kernel",    "set",          "block",  "fold",           "grid",     "schedule",
                                        "registers", "shared_bytes", "device", "with",           "update",   "domain",
                                        "type",      "entry",        "args",   "dynamic_shared", "constants"};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)line, key, value)
    {
        size_t i = 0;
        while (i < sizeof known / sizeof known[0] && strcmp(known[i], key) != 0)
            i++;
        if (i == sizeof known / sizeof known[0])
            return bad(err, "unknown key \"%.60s\"", key);
    }
    return WL_OK;
}

/* ---- kernels ---- */

/* The kernel of a line; strings belong to the line. */
typedef struct source {
    const char *kernel, *device, *update, *domain, *type;
    char **sets, **with, **constants, **named; /* named: arguments by name */
    size_t set_count, with_count, constant_count, named_count;
    ptx_request request; /* of a kernel in PTX or CUDA; its sets hold the names of arguments, too */
    const char *args[MANY_MAX];
    const char **names;
} source;

static bool is_ptx(const source *s) { return s->kernel && ptx_is_source(s->kernel); }

static wl_status check_source(const json_t *line, const source *s, wl_error *err)
{
    const bool of_ptx = s->request.entry || json_object_get(line, "args") || json_object_get(line, "dynamic_shared") ||
                        json_object_get(line, "constants");
    if (!s->device)
        return bad(err, "%s", "which device? Give \"device\" or --device");
    if (!s->kernel == !s->update)
        return bad(err, "%s", "give either \"kernel\" or \"update\"");
    if (s->update && json_object_get(line, "set"))
        return bad(err, "%s", "\"set\" needs \"kernel\"; an \"update\" has no params");
    if (s->kernel && s->type)
        return bad(err, "%s", "\"type\" needs \"update\"; a kernel file states the types of its fields");
    if (s->update && !s->domain)
        return bad(err, "%s", "\"update\" needs \"domain\"");
    if ((s->kernel && strcmp(s->kernel, "-") == 0) || strcmp(s->device, "-") == 0)
        return bad(err, "%s", "a batch cannot read kernels or devices from standard input");
    if (of_ptx && !is_ptx(s))
        return bad(
            err, "%s",
            "\"entry\", \"args\", \"constants\" and \"dynamic_shared\" are only for kernels in .ptx or .cu files");
    return WL_OK;
}

/* ["buf:1MiB", "640"] or {"n": 640, "in": "buf:n*8"}; names are those of the line. */
static wl_status read_args(const json_t *list, source *s, wl_error *err)
{
    if (!list)
        return WL_OK;
    if (json_is_object(list) && json_object_size(list) <= MANY_MAX) {
        const wl_status status = assignments(list, "args", &s->named, &s->named_count, err);
        for (size_t i = 0; i < s->named_count; i++)
            s->args[i] = s->named[i];
        s->request.arg_count = s->named_count;
        return status;
    }
    if (!json_is_array(list) || json_array_size(list) > MANY_MAX)
        return bad(err, "%s", "\"args\" must be an array or an object of at most 64 strings");
    for (size_t i = 0; i < json_array_size(list); i++) {
        s->args[i] = json_string_value(json_array_get(list, i));
        if (!s->args[i])
            return bad(err, "%s", "\"args\" must hold strings, as [\"buf:1MiB\", \"640\"]");
    }
    s->request.arg_count = json_array_size(list);
    return WL_OK;
}

static wl_status read_constants(const json_t *object, source *s, wl_error *err)
{
    if (object && json_object_size(object) > MANY_MAX)
        return bad(err, "%s", "\"constants\" holds at most 64");
    const wl_status status = assignments(object, "constants", &s->constants, &s->constant_count, err);
    s->request.constants = (const char *const *)s->constants;
    s->request.constant_count = s->constant_count;
    return status;
}

static wl_status read_domain(const char *domain, int64_t extent[3], wl_error *err)
{
    wl_grid_rule *shape = NULL;
    wl_launch launch = {0};
    if (!domain || strspn(domain, "0123456789x") != strlen(domain))
        return domain ? bad(err, "%s", "\"domain\" is one to three numbers, as in \"4096x4096\"") : WL_OK;
    wl_status status = wl_grid_rule_parse(NULL, domain, NULL, 0, &shape, err);
    if (status == WL_OK)
        status = wl_grid_rule_apply(shape, NULL, extent, &launch, err);
    memcpy(extent, launch.grid, sizeof launch.grid);
    wl_grid_rule_free(shape);
    return status;
}

/* The names from "set", and the named arguments that are numbers. */
static wl_status read_names(source *s, wl_error *err)
{
    ptx_request *r = &s->request;
    r->sets = (const char *const *)s->sets;
    r->set_count = s->set_count;
    if (r->arg_count == 0)
        return WL_OK;
    s->names = malloc((s->set_count + r->arg_count) * sizeof *s->names);
    if (!s->names)
        return diag_no_memory(err);
    for (size_t i = 0; i < s->set_count; i++)
        s->names[i] = s->sets[i];
    size_t found = 0;
    const wl_status status =
        wl_launch_argument_names(s->args, r->arg_count, r->sets, s->set_count, s->names + s->set_count, &found, err);
    r->set_count += found;
    r->sets = s->names;
    return status;
}

static void source_free(source *s)
{
    free(s->names);
    free_strings(s->sets, s->set_count);
    free_strings(s->with, s->with_count);
    free_strings(s->constants, s->constant_count);
    free_strings(s->named, s->named_count);
}

static wl_status read_source(const json_t *line, const options *o, source *s, wl_error *err)
{
    ptx_request *r = &s->request;
    r->outside = true; /* the prediction decides whether that is an error */
    wl_status status = text(line, "kernel", &s->kernel, err);
    status = status ? status : text(line, "device", &s->device, err);
    status = status ? status : text(line, "update", &s->update, err);
    status = status ? status : text(line, "domain", &s->domain, err);
    status = status ? status : text(line, "type", &s->type, err);
    status = status ? status : text(line, "entry", &r->entry, err);
    if (!s->device)
        s->device = o->device;
    status = status ? status : check_source(line, s, err);
    status = status ? status : assignments(json_object_get(line, "set"), "set", &s->sets, &s->set_count, err);
    status = status ? status : assignments(json_object_get(line, "with"), "with", &s->with, &s->with_count, err);
    status = status ? status : read_args(json_object_get(line, "args"), s, err);
    status = status ? status : read_constants(json_object_get(line, "constants"), s, err);
    status = status ? status
                    : integer(json_object_get(line, "dynamic_shared"), "dynamic_shared", BATCH_SHARED_MAX,
                              &r->dynamic_shared, err);
    if (status == WL_OK && is_ptx(s))
        status = read_domain(s->domain, r->domain, err);
    r->args = s->args;
    return status ? status : read_names(s, err);
}

/* The values of domain.x .. in a rule: extents beyond the domain's dimensions are 1. */
static void domain_of(const source *s, const kept *k, int64_t domain[3])
{
    memcpy(domain, s->request.domain, 3 * sizeof *domain);
    const int dims = domain[0] == 0 && k->kernel ? wl_kernel_domain(k->kernel, domain) : 0;
    for (int d = dims; dims > 0 && d < 3; d++)
        domain[d] = 1;
}

/* "cdiv(nx,block.x)": with the params of the kernel and the line's names, the domain of a kernel in
 * PTX, the warps of the device. */
static wl_status read_rule(const json_t *line, const source *s, const kept *k, wl_launch *launch, wl_error *err)
{
    wl_grid_rule *rule = NULL;
    const json_t *grid = json_object_get(line, "grid");
    if (!json_is_string(grid))
        return shape(grid, "grid", launch->grid, err);
    int64_t domain[3];
    domain_of(s, k, domain);
    wl_status status =
        wl_grid_rule_parse(k->kernel, json_string_value(grid), s->request.sets, s->request.set_count, &rule, err);
    if (status == WL_OK)
        status = wl_grid_rule_apply(rule, k->device, domain, launch, err);
    if (status != WL_OK && !err->input[0])
        (void)snprintf(err->input, sizeof err->input, "grid");
    wl_grid_rule_free(rule);
    return status;
}

/* It is read for the launch of the first line that names it, with its registers. */
static wl_status open_ptx(const options *o, const source *s, const wl_launch *launch, kept *k, wl_error *err)
{
    ptx_request r = s->request;
    memcpy(r.launch.block, launch->block, sizeof r.launch.block);
    memcpy(r.launch.grid, launch->grid, sizeof r.launch.grid);
    r.launch.registers = launch->registers;
    const wl_status status = ptx_unit_open(o, s->kernel, k->device, &k->unit, err);
    return status == WL_OK ? ptx_unit_kernel(k->unit, &r, &k->kernel, err) : status;
}

static wl_status open_kept(const options *o, const json_t *line, const source *s, wl_launch *launch, kept *k,
                           wl_error *err)
{
    const wl_kernel_options sets = {(const char *const *)s->sets, s->set_count};
    wl_status status = load_device(s->device, (const char *const *)s->with, s->with_count, &k->device, err);
    if (status == WL_OK && is_ptx(s)) /* PTX is read for a launch */
        status = read_rule(line, s, k, launch, err);
    if (status == WL_OK && s->update)
        status = wl_kernel_from_update(s->update, s->domain, s->type ? s->type : "f64", &k->kernel, err);
    else if (status == WL_OK && is_ptx(s))
        status = open_ptx(o, s, launch, k, err);
    else if (status == WL_OK)
        status = load_kernel_with_domain(s->kernel, &sets, s->domain, &k->kernel, err);
    if (status == WL_OK && !is_ptx(s))
        status = read_rule(line, s, k, launch, err);
    if (status == WL_OK)
        status = wl_predictor_new(k->kernel, k->device, &k->predictor, err);
    load_forget();
    return status;
}

/* Does this member of a line belong to the launch only? The registers belong to a kernel in PTX as
 * well: they determine how many loads are issued early. */
static bool is_of_launch(const char *key, bool of_ptx)
{
    static const char *const launch[] = {"block", "fold", "grid", "schedule", "shared_bytes"};
    for (size_t i = 0; i < sizeof launch / sizeof launch[0]; i++)
        if (strcmp(key, launch[i]) == 0)
            return true;
    return !of_ptx && strcmp(key, "registers") == 0;
}

/* Does the line name this kernel and device? */
static bool is_named(const kept *k, const json_t *line, bool of_ptx)
{
    const char *key;
    json_t *value;
    size_t count = 0;
    if (!k->named)
        return false;
    json_object_foreach((json_t *)(uintptr_t)line, key, value)
    {
        if (is_of_launch(key, of_ptx))
            continue;
        if (!json_equal(value, json_object_get(k->named, key)))
            return false;
        count++;
    }
    return count == json_object_size(k->named);
}

/* The line without the launch. NULL: out of memory. */
static json_t *name_of(const json_t *line, const source *s)
{
    const char *key;
    json_t *value, *name = json_object();
    json_object_foreach((json_t *)(uintptr_t)line, key, value)
    {
        if (is_of_launch(key, is_ptx(s)) || json_object_set(name, key, value) == 0)
            continue;
        json_decref(name);
        return NULL;
    }
    return name;
}

/* The kernel and device of an earlier line, if this one differs from it in numbers of the launch
 * only: then nothing else of it needs to be read. NULL: there is none. */
static kept *find_again(line_reader *reader, const json_t *line)
{
    if (json_is_string(json_object_get(line, "grid"))) /* a rule may name params */
        return NULL;
    for (size_t i = 0; i < KEPT; i++)
        if (!reader->kept[i].unit && is_named(&reader->kept[i], line, false))
            return &reader->kept[i];
    return NULL;
}

static wl_status replace_kept(const options *o, const json_t *line, const source *s, wl_launch *launch, kept *k,
                              wl_error *err)
{
    kept_free(k);
    wl_status status = open_kept(o, line, s, launch, k, err);
    if (status == WL_OK && !(k->named = name_of(line, s)))
        status = diag_no_memory(err);
    if (status != WL_OK)
        kept_free(k);
    return status;
}

/* The kernel of a line on its device; the launch gets the grid that follows from both. */
static wl_status find_kept(line_reader *reader, const json_t *line, const source *s, wl_launch *launch, kept **out,
                           wl_error *err)
{
    for (size_t i = 0; i < KEPT; i++) {
        if (!is_named(&reader->kept[i], line, is_ptx(s)))
            continue;
        *out = &reader->kept[i];
        return read_rule(line, s, &reader->kept[i], launch, err);
    }
    *out = &reader->kept[reader->next++ % KEPT];
    wl_status status;
#pragma omp critical(warpline_load) /* texts are remembered for messages, by all threads together */
    status = replace_kept(reader->options, line, s, launch, *out, err);
    return status;
}

/* ---- launches ---- */

static wl_status read_launch(const json_t *line, wl_launch *launch, wl_error *err)
{
    const char *schedule = NULL;
    wl_status status = shape(json_object_get(line, "block"), "block", launch->block, err);
    status = status ? status : shape(json_object_get(line, "fold"), "fold", launch->fold, err);
    status =
        status ? status
               : integer(json_object_get(line, "registers"), "registers", BATCH_REGISTERS_MAX, &launch->registers, err);
    status = status ? status
                    : integer(json_object_get(line, "shared_bytes"), "shared_bytes", BATCH_SHARED_MAX,
                              &launch->shared_bytes, err);
    status = status ? status : text(line, "schedule", &schedule, err);
    if (status == WL_OK && !json_object_get(line, "block"))
        return bad(err, "%s", "\"block\" is missing");
    if (status == WL_OK && schedule) {
        status = launch_schedule(schedule, &launch->schedule, err);
        err->loc = (wl_loc){0, 0, 0}; /* a position inside the value; messages name the line */
    }
    return status;
}

/* Without memory, jansson may skip a character and continue, or call the line malformed. */
static _Thread_local bool no_memory;

static void *allocate(size_t bytes)
{
    void *p = malloc(bytes);
    no_memory = no_memory || !p;
    return p;
}

static wl_status read_json(const char *text, size_t length, json_t **line, wl_error *err)
{
    json_error_t error;
    no_memory = false;
    *line = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (no_memory) {
        json_decref(*line);
        *line = NULL;
        return diag_no_memory(err);
    }
    return *line ? WL_OK : bad(err, "not valid JSON: %.160s", error.text);
}

/* The kernel that an earlier line of the same form names; NULL: none. */
static kept *find_alike(line_reader *reader, const char *text, size_t length, wl_launch *launch)
{
    for (size_t i = 0; i < KEPT; i++) /* mostly the latest */
        if (line_form_read(&reader->kept[(reader->next + KEPT - 1 - i) % KEPT].form, text, length, launch))
            return &reader->kept[(reader->next + KEPT - 1 - i) % KEPT];
    return NULL;
}

/* Reads the launch, and the kernel unless it is known. */
static wl_status read_members(line_reader *reader, const json_t *line, source *s, wl_launch *launch, kept **k,
                              wl_error *err)
{
    *k = find_again(reader, line);
    wl_status status = *k ? WL_OK : check_keys(line, err);
    status = status ? status : read_launch(line, launch, err);
    if (*k)
        return status ? status : shape(json_object_get(line, "grid"), "grid", launch->grid, err);
    status = status ? status : read_source(line, reader->options, s, err);
    return status ? status : find_kept(reader, line, s, launch, k, err);
}

static wl_status read_line(line_reader *reader, const char *line_text, size_t length, wl_launch *launch, kept **k,
                           wl_error *err)
{
    json_t *line = NULL;
    source s = {0};
    wl_status status = read_json(line_text, length, &line, err);
    if (status != WL_OK)
        return status;
    status = json_is_object(line) ? read_members(reader, line, &s, launch, k, err)
                                  : bad(err, "%s", "a line must be a JSON object");
    if (status == WL_OK && !(*k)->unit && !json_is_string(json_object_get(line, "grid")) &&
        !line_form_make(line_text, length, launch, &(*k)->form))
        status = diag_no_memory(err);
    source_free(&s);
    json_decref(line);
    return status;
}

wl_status line_reader_predict(line_reader *reader, const char *text, size_t length, const wl_predict_options *predict,
                              batch_launch *out, wl_error *err)
{
    kept *k = find_alike(reader, text, length, &reader->launch);
    wl_status status = WL_OK;
    if (!k) {
        reader->launch = (wl_launch){0};
        status = read_line(reader, text, length, &reader->launch, &k, err);
    }
    if (status == WL_OK && !reader->prediction)
        status = wl_prediction_new(&reader->prediction, err);
    status = status ? status : wl_predict(k->predictor, &reader->launch, predict, reader->prediction, err);
    if (status == WL_OK)
        *out = (batch_launch){reader->prediction, k->kernel, k->device, &reader->launch};
    return status;
}

line_reader *line_reader_new(const options *o)
{
    line_reader *reader = calloc(1, sizeof *reader);
    if (reader)
        reader->options = o;
    return reader;
}

void line_reader_free(line_reader *reader)
{
    for (size_t i = 0; reader && i < KEPT; i++)
        kept_free(&reader->kept[i]);
    if (reader)
        wl_prediction_free(reader->prediction);
    free(reader);
}

void line_readers_start(void) { json_set_alloc_funcs(allocate, free); }
