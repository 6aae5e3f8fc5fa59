/* rank_export.c - ranked launches as text for autotuners: Kernel Tuner's search space, its cache
 * file, Triton's pruning.
 *
 * The output is plain Python or JSON without dependencies on Warpline. It is made from one list per
 * space: block and fold of each launch, and its schedule if any launch has one other than linear;
 * best first, each launch once. docs/export.md shows how the texts are used.
 *
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/print.h"
#include "base/quote.h"
#include "report/common/rank_report.h"
#include "report/common/templates.h"

#define PARAMS 9 /* block, fold, schedule */
#define FOLDED 6 /* of these, without a schedule */
#define PLAIN 3  /* nor a folding */

/* A launch as the values of an autotuner's parameters. */
typedef struct entry {
    int64_t values[PARAMS];
    double time_s;
    size_t rank;
} entry;

typedef struct launch_list {
    const wl_ranked_space *space;
    const char *device;
    entry *entries; /* best first */
    size_t count;
} launch_list;

typedef struct export
{
    const char *kernel;
    launch_list *lists;
    size_t count;
    int params; /* PLAIN, or more if some launch needs more */
    wl_buffer *out;
}
export;

static const char *const param_names[PARAMS] = {"block_size_x", "block_size_y",   "block_size_z",
                                                "fold_x",       "fold_y",         "fold_z",
                                                "schedule",     "schedule_width", "schedule_height"};

/* ---- the lists ---- */

static int compare_values(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    for (int p = 0; p < PARAMS; p++)
        if (x->values[p] != y->values[p])
            return x->values[p] < y->values[p] ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static int compare_ranks(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static bool same_values(const entry *a, const entry *b) { return memcmp(a->values, b->values, sizeof a->values) == 0; }

/* Of launches that differ only in what autotuners do not set (registers, shared memory), keeps the
 * better. */
static void drop_repeated(launch_list *list)
{
    size_t kept = 0;
    qsort(list->entries, list->count, sizeof *list->entries, compare_values);
    for (size_t i = 0; i < list->count; i++)
        if (kept == 0 || !same_values(&list->entries[kept - 1], &list->entries[i]))
            list->entries[kept++] = list->entries[i];
    list->count = kept;
    qsort(list->entries, list->count, sizeof *list->entries, compare_ranks);
}

static wl_status make_list(const wl_ranked_space *space, launch_list *list, wl_error *err)
{
    *list = (launch_list){.space = space, .device = wl_device_name(wl_ranker_device(space->ranker))};
    list->entries = calloc(space->count ? space->count : 1, sizeof *list->entries);
    if (!list->entries)
        return wl_fail_memory(err);
    for (; list->count < space->count; list->count++) {
        const wl_ranked *ranked = &space->launches[list->count];
        entry *e = &list->entries[list->count];
        wl_launch launch;
        wl_ranker_launch(space->ranker, ranked->index, &launch);
        for (int d = 0; d < 3; d++) {
            e->values[d] = launch.block[d] > 0 ? launch.block[d] : 1;
            e->values[PLAIN + d] = launch.fold[d] > 0 ? launch.fold[d] : 1;
        }
        e->values[FOLDED] = launch.schedule.kind;
        e->values[FOLDED + 1] = launch.schedule.width;
        e->values[FOLDED + 2] = launch.schedule.height;
        e->time_s = ranked->time_s;
        e->rank = list->count;
    }
    drop_repeated(list);
    return WL_OK;
}

static int count_params(const launch_list *list)
{
    int params = PLAIN;
    for (size_t i = 0; i < list->count; i++)
        for (int p = params; p < PARAMS; p++)
            if (list->entries[i].values[p] > (p < FOLDED ? 1 : WL_SCHEDULE_LINEAR))
                params = p < FOLDED ? FOLDED : PARAMS;
    return params;
}

static bool same_domain(const wl_ranked_space *a, const wl_ranked_space *b)
{
    return a->dims == b->dims && memcmp(a->domain, b->domain, (size_t)a->dims * sizeof a->domain[0]) == 0;
}

/* Device and problem size tell the spaces of a text apart. */
static wl_status check_spaces(const export *e, wl_error *err)
{
    for (size_t i = 0; i < e->count; i++) {
        const launch_list *a = &e->lists[i];
        if (strcmp(wl_kernel_name(wl_ranker_kernel(a->space->ranker)), e->kernel) != 0)
            return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "an export holds one kernel; there are several");
        for (size_t j = 0; j < i; j++)
            if (strcmp(e->lists[j].device, a->device) == 0 && same_domain(e->lists[j].space, a->space))
                return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE,
                               "an export identifies searches by device and domain; two searches have the same");
    }
    return WL_OK;
}

/* ---- pieces of text ---- */

/* Texts are quoted. */
#define print(e, ...) wl_quote_add((e)->out, wl_quote_python, __VA_ARGS__)

/* With a point or an exponent: Kernel Tuner ignores times that it reads back as integers. */
static void write_time(double value, wl_buffer *out)
{
    char text[40];
    wl_print(text, sizeof text, "%.9g", value);
    wl_buffer_add(out, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

/* "32, 4, 2" */
static void write_values(const int64_t *values, int count, const char *separator, wl_buffer *out)
{
    for (int i = 0; i < count; i++)
        wl_buffer_add(out, "%s%" PRId64, i ? separator : "", values[i]);
}

/* "(32, 4, 2)"; one value is "(32,)" */
static void write_tuple(const int64_t *values, int count, wl_buffer *out)
{
    wl_buffer_text(out, "(");
    write_values(values, count, ", ", out);
    wl_buffer_text(out, count == 1 ? ",)" : ")");
}

/* Names are quoted, and not in the first two lines, where Python looks for an encoding. */
static void write_header(const export *e, const char *what)
{
    wl_buffer_add(e->out, "# %s\n# Made by warpline rank. All times are predictions: nothing was run.\n#\n", what);
    print(e, "#   kernel    %s\n", e->kernel);
    for (size_t i = 0; i < e->count; i++) {
        const launch_list *list = &e->lists[i];
        print(e, "#   launches  %zu on %s, domain ", list->count, list->device);
        write_values(list->space->domain, list->space->dims, "x", e->out);
        wl_buffer_text(e->out, "\n");
    }
}

static int compare_int64(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The values one parameter takes, ascending: "16, 32, 64" */
static wl_status write_choices(const launch_list *list, int param, wl_buffer *out, wl_error *err)
{
    int64_t *values = malloc(list->count * sizeof *values);
    if (!values)
        return wl_fail_memory(err);
    for (size_t i = 0; i < list->count; i++)
        values[i] = list->entries[i].values[param];
    qsort(values, list->count, sizeof *values, compare_int64);
    for (size_t i = 0; i < list->count; i++)
        if (i == 0 || values[i] != values[i - 1])
            wl_buffer_add(out, "%s%" PRId64, i ? ", " : "", values[i]);
    free(values);
    return WL_OK;
}

/* The numbers of orders: "# 0 linear, 1 column, .." */
static void write_kinds(const char *name, wl_buffer *out)
{
    wl_buffer_add(out, "# %s is", name);
    for (int k = 0; k < WL_SCHEDULE_KIND_COUNT; k++) {
        char text[WL_SCHEDULE_TEXT_MAX];
        wl_schedule_print(&(wl_schedule){.kind = (wl_schedule_kind)k}, text);
        wl_buffer_add(out, "%s %d: %.*s", k ? "," : "", k, (int)strcspn(text, ":"), text);
    }
    wl_buffer_text(out, "; 'warpline emit' prints their code\n");
}

/* ---- Kernel Tuner: a search space ---- */

_Static_assert(WL_SCHEDULE_LINEAR == 0 && WL_SCHEDULE_SWIZZLE == 6, "so does share/templates/exports.txt say");

static wl_status write_kernel_tuner(const export *e, wl_error *err)
{
    (void)err;
    write_header(e, "A search space for Kernel Tuner: the launches that are predicted to be the best.");
    print(e, "from collections import OrderedDict\n\nkernel_name = %s\nPARAMS = (", e->kernel);
    for (int p = 0; p < e->params; p++)
        wl_buffer_add(e->out, "%s\"%s\"", p ? ", " : "", param_names[p]);
    wl_buffer_text(e->out, ")\n\n# by device and problem size, best first\nLAUNCHES = {\n");
    for (size_t i = 0; i < e->count; i++) {
        const launch_list *list = &e->lists[i];
        print(e, "    (%s, ", list->device);
        write_tuple(list->space->domain, list->space->dims, e->out);
        wl_buffer_text(e->out, "): [\n");
        for (size_t l = 0; l < list->count; l++) {
            wl_buffer_text(e->out, "        ");
            write_tuple(list->entries[l].values, e->params, e->out);
            wl_buffer_text(e->out, ",  # ");
            write_time(list->entries[l].time_s * 1e3, e->out);
            wl_buffer_text(e->out, " ms\n");
        }
        wl_buffer_text(e->out, "    ],\n");
    }
    print(e, "}\n\ndevice = %s\nproblem_size = ", e->lists[0].device);
    write_tuple(e->lists[0].space->domain, e->lists[0].space->dims, e->out);
    wl_buffer_text(e->out, "\nlaunches = LAUNCHES[device, problem_size]\n");
    if (e->params == PARAMS)
        write_kinds("schedule", e->out);
    if (e->params >= FOLDED)
        wl_buffer_text(
            e->out, "# a thread computes fold_x * fold_y * fold_z cells\ngrid_div_x = [\"block_size_x\", \"fold_x\"]\n"
                    "grid_div_y = [\"block_size_y\", \"fold_y\"]\ngrid_div_z = [\"block_size_z\", \"fold_z\"]\n");
    if (e->params == PARAMS) /* swizzled blocks have the grid of linear ones */
        wl_template_add(e->out, "exports", "row");
    /* restrictions are a string: the arguments of a function depend on Kernel Tuner's version */
    wl_template_add(e->out, "exports", "kernel tuner");
    return WL_OK;
}

/* ---- Kernel Tuner: a cache ---- */

/* One line per launch, and "cache" the last key: Kernel Tuner appends to the file by cutting off
 * its end. There is no date of a measurement, and the times that tuning would have taken, which its
 * simulation adds up, are unknown. */
static void write_cache_entry(const export *e, const entry *launch)
{
    wl_buffer_text(e->out, "\"");
    write_values(launch->values, e->params, ",", e->out);
    wl_buffer_text(e->out, "\": {");
    for (int p = 0; p < e->params; p++)
        wl_buffer_add(e->out, "\"%s\": %" PRId64 ", ", param_names[p], launch->values[p]);
    wl_buffer_text(e->out, "\"time\": ");
    write_time(launch->time_s * 1e3, e->out);
    wl_buffer_text(e->out, ", \"times\": [");
    write_time(launch->time_s * 1e3, e->out);
    wl_buffer_text(
        e->out,
        "], \"compile_time\": 0.0, \"verification_time\": 0.0, \"benchmark_time\": 0.0, \"strategy_time\": 0.0, "
        "\"framework_time\": 0.0, \"timestamp\": \"1970-01-01T00:00:00+00:00\"}");
}

static wl_status write_cache(const export *e, wl_error *err)
{
    const launch_list *list = &e->lists[0];
    if (e->count > 1)
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE,
                       "a Kernel Tuner cache holds one device and one domain; there are several");
    wl_buffer device = {0};
    wl_buffer_add(&device, "%s (predicted by warpline)", list->device);
    print(e,
          "{\n\"warpline\": \"All times are predictions: nothing was run.\",\n\"device_name\": %s,\n"
          "\"kernel_name\": %s,\n\"problem_size\": [",
          wl_buffer_string(&device), e->kernel);
    wl_buffer_drop_part(&device, e->out);
    write_values(list->space->domain, list->space->dims, ", ", e->out);
    wl_buffer_text(e->out, "],\n\"tune_params_keys\": [");
    for (int p = 0; p < e->params; p++)
        wl_buffer_add(e->out, "%s\"%s\"", p ? ", " : "", param_names[p]);
    wl_buffer_text(e->out, "],\n\"tune_params\": {\n");
    wl_status status = WL_OK;
    for (int p = 0; p < e->params && status == WL_OK; p++) {
        wl_buffer_add(e->out, "%s\"%s\": [", p ? ",\n" : "", param_names[p]);
        status = write_choices(list, p, e->out, err);
        wl_buffer_text(e->out, "]");
    }
    wl_buffer_text(e->out, "\n},\n\"objective\": \"time\",\n\"cache\": {\n");
    for (size_t l = 0; l < list->count; l++) {
        if (l)
            wl_buffer_text(e->out, ",\n");
        write_cache_entry(e, &list->entries[l]);
    }
    wl_buffer_text(e->out, "}\n}\n");
    return status;
}

/* ---- Triton ---- */

static void write_triton_device(const export *e, size_t first)
{
    const char *device = e->lists[first].device;
    print(e, "    %s: {\n", device);
    for (size_t i = first; i < e->count; i++) {
        const launch_list *list = &e->lists[i];
        if (strcmp(list->device, device) != 0)
            continue;
        wl_buffer_text(e->out, "        ");
        write_tuple(list->space->domain, list->space->dims, e->out);
        wl_buffer_text(e->out, ": {\n");
        for (size_t l = 0; l < list->count; l++) {
            wl_buffer_text(e->out, "            ");
            write_tuple(list->entries[l].values, e->params, e->out);
            wl_buffer_text(e->out, ": ");
            write_time(list->entries[l].time_s, e->out);
            wl_buffer_text(e->out, ",\n");
        }
        wl_buffer_text(e->out, "        },\n");
    }
    wl_buffer_text(e->out, "    },\n");
}

static bool device_before(const export *e, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(e->lists[i].device, e->lists[index].device) == 0)
            return true;
    return false;
}

/* The error of a model is known per device. */
static void write_triton_ties(const export *e)
{
    const char *before = "";
    wl_buffer_text(e->out, "TIE = {");
    for (size_t i = 0; i < e->count; i++) {
        double tie = 1;
        if (device_before(e, i))
            continue;
        for (size_t j = i; j < e->count; j++)
            if (strcmp(e->lists[i].device, e->lists[j].device) == 0 && e->lists[j].space->tie > tie)
                tie = e->lists[j].space->tie;
        wl_buffer_text(e->out, before);
        print(e, "%s: %.6g", e->lists[i].device, tie);
        before = ", ";
    }
    wl_buffer_text(e->out, "}  # predictions within this ratio are as good as equal\n");
}

static wl_status write_triton(const export *e, wl_error *err)
{
    const bool folded = e->params >= FOLDED, scheduled = e->params == PARAMS;
    (void)err;
    write_header(e, "Predicted times for triton.autotune: prune_configs_by early_config_prune or perf_model.");
    print(e, "import math\n\n# ---- to be changed ----\n\nDEVICE = %s", e->lists[0].device);
    wl_buffer_add(e->out,
                  "  # a key of TIMES\n# meta-parameters of the kernel: threads of a block%s%s\n"
                  "PARAMS = (\"BLOCK_X\", \"BLOCK_Y\", \"BLOCK_Z\"%s%s)\n"
                  "# arguments of the kernel that hold the problem size\nSIZE = (\"NX\", \"NY\", \"NZ\")\n"
                  "TOP_K = 10  # the least number of configs to keep\n",
                  folded ? ", then cells of a thread" : "", scheduled ? ", then its schedule" : "",
                  folded ? ", \"FOLD_X\", \"FOLD_Y\", \"FOLD_Z\"" : "",
                  scheduled ? ", \"SCHEDULE\", \"SCHEDULE_WIDTH\", \"SCHEDULE_HEIGHT\"" : "");
    if (scheduled)
        write_kinds("SCHEDULE", e->out);
    write_triton_ties(e);
    wl_buffer_text(e->out,
                   "\n# ---- predicted seconds by device, problem size and launch, best first ----\n\nTIMES = {\n");
    for (size_t i = 0; i < e->count; i++)
        if (!device_before(e, i))
            write_triton_device(e, i);
    wl_buffer_text(e->out, "}\n");
    wl_template_add(e->out, "exports", "triton size");
    wl_template_add(e->out, "exports", scheduled ? "triton launch with a schedule" : "triton launch");
    wl_template_add(e->out, "exports", "triton");
    return WL_OK;
}

/* ---- the formats ---- */

static const struct {
    const char *name;
    wl_status (*write)(const export *e, wl_error *err);
} formats[] = {[WL_EXPORT_KERNEL_TUNER] = {"kernel-tuner", write_kernel_tuner},
               [WL_EXPORT_KERNEL_TUNER_CACHE] = {"kernel-tuner-cache", write_cache},
               [WL_EXPORT_TRITON] = {"triton", write_triton}};

bool wl_export_find(const char *name, wl_export *out)
{
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++)
        if (strcmp(formats[f].name, name) == 0) {
            *out = (wl_export)f;
            return true;
        }
    return false;
}

static wl_status make_lists(const wl_ranked_space *spaces, size_t space_count, export *e, wl_error *err)
{
    wl_status status = WL_OK;
    e->lists = calloc(space_count, sizeof *e->lists);
    if (!e->lists)
        return wl_fail_memory(err);
    e->kernel = wl_kernel_name(wl_ranker_kernel(spaces[0].ranker));
    for (; e->count < space_count && status == WL_OK; e->count++) {
        launch_list *list = &e->lists[e->count];
        status = make_list(&spaces[e->count], list, err);
        if (status == WL_OK && list->count == 0)
            status = wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "there is nothing to export: no launch was predicted");
        const int params = count_params(list);
        e->params = params > e->params ? params : e->params;
    }
    return status == WL_OK ? check_spaces(e, err) : status;
}

wl_status wl_rank_export(wl_export format, const wl_ranked_space *spaces, size_t count, char **out, wl_error *err)
{
    wl_buffer text = {0};
    export e = {.out = &text};
    wl_status status = count > 0 ? make_lists(spaces, count, &e, err)
                                 : wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "there is nothing to export");
    if (status == WL_OK)
        status = formats[format].write(&e, err);
    for (size_t i = 0; i < e.count; i++)
        free(e.lists[i].entries);
    free(e.lists);
    if (status == WL_OK)
        return wl_buffer_take(&text, out, err);
    wl_buffer_drop(&text);
    return status;
}
