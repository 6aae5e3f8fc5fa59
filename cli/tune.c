/* tune.c - see tune.h.
 *
 * Configurations have numbers, the last name's values running fastest. A variant is what the source
 * is compiled to with the values of the names that it has; all are compiled first, in parallel.
 * SPDX-License-Identifier: MIT */
#include "tune.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "diag.h"
#include "job.h"
#include "load.h"
#include "output.h"
#include "progress.h"
#include "recorded.h"
#include "team.h"

#define NAMES_MAX 16
#define CONFIGURATIONS_MAX 100000
#define TOP_DEFAULT 10
#define EFFORT 0.1 /* seconds to emulate each of many launches, about */
#define FORM "NAME=VALUE,VALUE,.. is needed, as in BX=16,32,64"

typedef struct dimension {
    char *text; /* "NAME=V,V", cut at its commas */
    const char *name;
    const char **values;
    char **pairs; /* "NAME=V" */
    size_t count;
    bool whole; /* all are whole numbers: expressions may use the name */
    bool used;  /* the source has the name */
} dimension;

typedef struct variant {
    size_t first; /* the number of a configuration that has it */
    char compiler[PATH_LENGTH], *text;
    size_t length;
    wl_status status;
    wl_error err;
    ptx_unit *unit;
} variant;

typedef struct tune {
    const options *options;
    const char *source; /* path */
    dimension names[NAMES_MAX];
    const char *titles[NAMES_MAX];
    size_t name_count, size;
    size_t *variant_of; /* each configuration */
    variant *variants;
    size_t variant_count;
    wl_device *device;
    wl_tuning *result;
    wl_prediction *prediction;
    wl_error first; /* why the first of those that are left out is */
} tune;

const char *tune_usage(const options *o)
{
    return o->update || !ptx_is_source(o->arguments[0])
               ? "--tune is for kernels in .cu and .ptx files; --set n=64..4096:x2 and --fold change kernel files"
           : recorded_recording() ? "--tune compiles a kernel: it goes without a recording"
           : o->block_count != 1
               ? "--tune needs one --block, which may use the names, as in --block BX or --block BX,BY"
           : o->device_count > 1 || o->domain_count > 1 ? "--tune ranks on one device, over one domain"
           : o->block_axis[0] || o->block_axis[1] || o->block_axis[2] || o->threads || o->space || o->schedules ||
                   o->registers_file || o->folds_count || o->where_count
               ? "--tune goes without options of a space: --block-x, --block-y, --block-z, --threads, --space, "
                 "--schedules, --registers-file, --fold, --where"
           : o->top_k || o->export_count || o->plot ? "--tune goes without --top-k, --export and --plot"
           : team_size() > 1                        ? "--tune is searched by one process"
                                                    : NULL;
}

/* ---- names and values ---- */

static bool is_name(const char *text)
{
    bool sound = isalpha((unsigned char)text[0]) || text[0] == '_';
    for (const char *p = text; *p && sound; p++)
        sound = isalnum((unsigned char)*p) || *p == '_';
    return sound;
}

static bool is_whole(const char *text)
{
    const char *digits = text + (*text == '-');
    return *digits && strspn(digits, "0123456789") == strlen(digits);
}

static void dimension_free(dimension *d)
{
    for (size_t i = 0; d->pairs && i < d->count; i++)
        free(d->pairs[i]);
    free(d->pairs);
    free(d->values);
    free(d->text);
}

/* Prints it; the exit code. */
static int out_of_memory(void)
{
    wl_error err = {0};
    (void)diag_no_memory(&err);
    (void)diag_report(&err);
    return EXIT_INTERNAL;
}

/* Prints what is wrong; the exit code. */
static int read_dimension(const char *given, dimension *d)
{
    size_t most = 1;
    for (const char *p = given; *p; p++)
        most += *p == ',';
    *d = (dimension){.text = strdup(given), .whole = true};
    d->values = calloc(most, sizeof *d->values);
    d->pairs = calloc(most, sizeof *d->pairs);
    if (!d->text || !d->values || !d->pairs)
        return out_of_memory();
    char *equals = strchr(d->text, '=');
    if (equals)
        *equals = '\0';
    d->name = d->text;
    if (!equals || !is_name(d->name)) {
        option_error("--tune", given, 1, FORM);
        return EXIT_INPUT;
    }
    for (char *at = equals + 1, *next; at; at = next) {
        next = strchr(at, ',');
        if (next)
            *next++ = '\0';
        if (!*at) {
            option_error("--tune", given, (int)(at - d->text) + 1, FORM);
            return EXIT_INPUT;
        }
        const size_t length = strlen(d->name) + strlen(at) + 2;
        char *pair = malloc(length);
        if (!pair)
            return out_of_memory();
        (void)snprintf(pair, length, "%s=%s", d->name, at);
        d->whole = d->whole && is_whole(at);
        d->values[d->count] = at;
        d->pairs[d->count++] = pair;
    }
    return EXIT_OK;
}

static bool is_given_twice(const tune *t, const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i + 1 < t->name_count; i++)
        if (strcmp(t->names[i].name, name) == 0)
            return true;
    for (size_t i = 0; i < t->options->set_count; i++)
        if (strncmp(t->options->set[i], name, length) == 0 && t->options->set[i][length] == '=')
            return true;
    for (size_t i = 0; i < t->options->define_count; i++)
        if (strncmp(t->options->defines[i], name, length) == 0 && strchr("=", t->options->defines[i][length]))
            return true;
    return false;
}

static int read_names(tune *t)
{
    const options *o = t->options;
    t->size = 1;
    for (size_t i = 0; i < o->tune_count; i++) {
        if (t->name_count == NAMES_MAX || o->set_count + t->name_count == MANY_MAX ||
            o->define_count + t->name_count == MANY_MAX) {
            usage_error("error: too many --tune: at most %d names", NAMES_MAX);
            return EXIT_INPUT;
        }
        dimension *d = &t->names[t->name_count++];
        const int code = read_dimension(o->tune[i], d);
        if (code != EXIT_OK)
            return code;
        if (is_given_twice(t, d->name)) {
            option_error("--tune", o->tune[i], 1, "'%s' is given twice, among --tune, --set and --define", d->name);
            return EXIT_INPUT;
        }
        t->titles[i] = d->name;
        t->size *= d->count;
        if (t->size > CONFIGURATIONS_MAX) {
            usage_error("error: --tune: more than %d configurations", CONFIGURATIONS_MAX);
            return EXIT_INPUT;
        }
    }
    return EXIT_OK;
}

/* Which of its values a configuration has. */
static size_t chosen(const tune *t, size_t configuration, size_t name)
{
    for (size_t i = t->name_count - 1; i > name; i--)
        configuration /= t->names[i].count;
    return configuration % t->names[name].count;
}

/* The options of a configuration: the names are set and defined. */
static void options_of(const tune *t, size_t configuration, options *own)
{
    *own = *t->options;
    own->set_count = 0;
    for (size_t i = 0; i < t->name_count; i++) {
        const char *pair = t->names[i].pairs[chosen(t, configuration, i)];
        own->defines[own->define_count++] = pair;
        if (t->names[i].whole)
            own->set[own->set_count++] = pair;
    }
    for (size_t i = 0; i < t->options->set_count; i++) /* these may use them */
        own->set[own->set_count++] = t->options->set[i];
    own->device = own->devices[0];
    own->domain = own->domain_count ? own->domains[0] : NULL;
}

/* ---- variants ---- */

static bool has_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += length) {
        const unsigned char before = at > text ? (unsigned char)at[-1] : ' ', behind = (unsigned char)at[length];
        if (!isalnum(before) && before != '_' && !isalnum(behind) && behind != '_')
            return true;
    }
    return false;
}

/* A file of the user's that is included may have any name. */
static bool includes_own(const char *text)
{
    for (const char *at = text; (at = strstr(at, "include")); at += strlen("include"))
        if (at[strlen("include") + strspn(at + strlen("include"), " \t")] == '"')
            return true;
    return false;
}

static int find_used(tune *t)
{
    char *text = NULL;
    size_t length = 0;
    wl_error err = {0};
    if (!ptx_is_cuda(t->source))
        return EXIT_OK;
    if (load_text(t->source, &text, &length, &err) != WL_OK)
        return diag_report(&err);
    for (size_t i = 0; i < t->name_count; i++)
        t->names[i].used = includes_own(text) || has_word(text, t->names[i].name);
    free(text);
    return EXIT_OK;
}

/* The values of the names that are used, as one number. */
static size_t key_of(const tune *t, size_t configuration)
{
    size_t key = 0;
    for (size_t i = 0; i < t->name_count; i++)
        if (t->names[i].used)
            key = key * t->names[i].count + chosen(t, configuration, i);
    return key;
}

static int find_variants(tune *t)
{
    size_t most = 1;
    for (size_t i = 0; i < t->name_count; i++)
        most *= t->names[i].used ? t->names[i].count : 1;
    t->variant_of = calloc(t->size, sizeof *t->variant_of);
    t->variants = calloc(most, sizeof *t->variants);
    if (!t->variant_of || !t->variants)
        return out_of_memory();
    t->variant_count = most;
    for (size_t c = t->size; c-- > 0;) {
        t->variant_of[c] = key_of(t, c);
        t->variants[t->variant_of[c]].first = c;
    }
    return EXIT_OK;
}

static void compile_one(const tune *t, variant *v)
{
    options own;
    options_of(t, v->first, &own);
    v->status = ptx_unit_compile(&own, t->source, t->device, v->compiler, &v->text, &v->length, &v->err);
}

/* Without a compiler, nothing can be done; the first variant tells. */
static int compile_all(tune *t)
{
    if (!ptx_is_cuda(t->source))
        return EXIT_OK;
    compile_one(t, &t->variants[0]);
    const wl_status told = t->variants[0].status;
    if (told != WL_OK && told != WL_E_INPUT)
        return diag_report(&t->variants[0].err);
    int64_t threads = 0;
    if (t->options->jobs && !option_integer("--jobs", t->options->jobs, 1, 1024, &threads))
        return EXIT_INPUT;
#ifdef _OPENMP
    threads = threads ? threads : omp_get_max_threads();
#endif
    progress_wait();
#pragma omp parallel for schedule(dynamic, 1) num_threads((int)threads) if (threads > 1)
    for (size_t i = 1; i < t->variant_count; i++)
        compile_one(t, &t->variants[i]);
    progress_wait_end();
    return EXIT_OK;
}

/* The PTX of a variant, read once. */
static wl_status open_variant(const tune *t, const options *own, variant *v, wl_error *err)
{
    if (v->unit)
        return WL_OK;
    if (v->status != WL_OK) {
        *err = v->err;
        return v->status;
    }
    wl_status status;
    if (ptx_is_cuda(t->source)) {
        status = ptx_unit_open_compiled(own, t->source, t->device, v->compiler, v->text, v->length, &v->unit, err);
        v->text = NULL;
    } else {
        status = ptx_unit_open(own, t->source, t->device, &v->unit, err);
    }
    if (status != WL_OK) {
        v->status = status;
        v->err = *err;
        ptx_unit_free(v->unit);
        v->unit = NULL;
    }
    return status;
}

/* ---- configurations ---- */

/* --registers may be an expression; `text` is where its value goes. The exit code. */
static int compute_registers(options *own, char text[24])
{
    static const int64_t no_domain[3] = {0};
    int64_t value = 0;
    wl_error err = {0};
    if (!own->registers || is_whole(own->registers))
        return EXIT_OK;
    if (wl_number_evaluate(own->registers, own->set, own->set_count, no_domain, &value, &err) != WL_OK) {
        if (!err.input[0]) {
            diag_say_set(&err);
            (void)snprintf(err.input, sizeof err.input, "--registers");
            diag_remember("--registers", own->registers);
        }
        return diag_report(&err);
    }
    (void)snprintf(text, 24, "%lld", (long long)value);
    own->registers = text;
    return EXIT_OK;
}

static wl_status predict(tune *t, const options *own, variant *v, job *j, wl_error *err)
{
    wl_status status = open_variant(t, own, v, err);
    if (status != WL_OK)
        return status;
    j->unit = v->unit;
    if (!own->effort)
        j->request.effort = EFFORT;
    status = job_load(own, t->source, own->device, j, err);
    return status == WL_OK ? wl_predict(j->predictor, &j->launches[0], &j->options, t->prediction, err) : status;
}

/* What is wrong with a configuration is its reason; the exit code of what is wrong with all. */
static int try_one(tune *t, size_t configuration)
{
    options own;
    job j = {0};
    wl_error err = {0}, failed = {0};
    char registers[24];
    const char *values[NAMES_MAX];
    options_of(t, configuration, &own);
    for (size_t i = 0; i < t->name_count; i++)
        values[i] = t->names[i].values[chosen(t, configuration, i)];
    int code = options_compute(&own);
    code = code == EXIT_OK ? compute_registers(&own, registers) : code;
    code = code == EXIT_OK ? job_read_launches(&own, &j) : code;
    if (code != EXIT_OK)
        return code;
    const wl_status status = predict(t, &own, &t->variants[t->variant_of[configuration]], &j, &err);
    if (status == WL_E_NOMEM)
        code = diag_report(&err);
    else if (wl_tuning_add(t->result, values, status == WL_OK ? t->prediction : NULL, j.kernel, j.device, err.message,
                           &failed) != WL_OK)
        code = diag_report(&failed);
    if (status != WL_OK && t->first.code == WL_OK)
        t->first = err;
    j.unit = NULL; /* for the next one */
    job_free(&j);
    return code;
}

static int try_all(tune *t)
{
    int code = EXIT_OK;
    progress_start();
    for (size_t c = 0; c < t->size && code == EXIT_OK; c++) {
        code = try_one(t, c);
        if (!progress_show((int64_t)c + 1, (int64_t)t->size))
            break;
    }
    progress_end();
    return code;
}

static int show(tune *t)
{
    const options *o = t->options;
    int64_t top = option_format_is(o, "text") ? TOP_DEFAULT : 0;
    char *text = NULL;
    wl_error err = {0};
    if (o->top && !option_integer("--top", o->top, 1, 1000000000, &top))
        return EXIT_INPUT;
    if (wl_tuning_predicted(t->result) == 0) {
        usage_error("error: no configuration can run; of the first:");
        return diag_report(&t->first);
    }
    const size_t variants = ptx_is_cuda(t->source) ? t->variant_count : 0;
    if (wl_tuning_render(t->result, (size_t)top, variants, option_format(o), &text, &err) != WL_OK)
        return diag_report(&err);
    const int code = output_write(o->output, text, option_format(o));
    free(text);
    return code;
}

static int prepare(tune *t)
{
    const options *o = t->options;
    wl_error err = {0};
    wl_trust trust;
    wl_predict_options how = {0};
    int code = read_names(t);
    code = code == EXIT_OK ? option_predict(o, &how) : code;
    if (code != EXIT_OK)
        return code;
    if (load_device(o->devices[0], o->with, o->with_count, &t->device, &err) != WL_OK ||
        wl_trust_of(t->device, how.model, &trust, &err) != WL_OK || wl_prediction_new(&t->prediction, &err) != WL_OK ||
        wl_tuning_new(t->titles, t->name_count, &trust, &t->result, &err) != WL_OK)
        return diag_report(&err);
    code = find_used(t);
    return code == EXIT_OK ? find_variants(t) : code;
}

static void tune_free(tune *t)
{
    for (size_t i = 0; t->variants && i < t->variant_count; i++) {
        ptx_unit_free(t->variants[i].unit);
        free(t->variants[i].text);
    }
    free(t->variants);
    free(t->variant_of);
    for (size_t i = 0; i < t->name_count; i++)
        dimension_free(&t->names[i]);
    wl_tuning_free(t->result);
    wl_prediction_free(t->prediction);
    wl_device_free(t->device);
}

int tune_run(const options *o)
{
    tune t = {.options = o, .source = o->arguments[0]};
    int code = prepare(&t);
    code = code == EXIT_OK ? compile_all(&t) : code;
    code = code == EXIT_OK ? try_all(&t) : code;
    code = code == EXIT_OK ? show(&t) : code;
    code = code == EXIT_OK && progress_interrupted() ? EXIT_INTERRUPTED : code;
    tune_free(&t);
    return code;
}
