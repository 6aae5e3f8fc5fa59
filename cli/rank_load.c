/* rank_load.c - reads what to search from the options: numbers, the space, kernels and devices.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "load.h"
#include "plot.h"
#include "recorded.h"
#include "rank_job.h"
#include "parameter_sweep.h"
#include "team.h"
#include "tune.h"

#define MEMORY_DEFAULT ((int64_t)32 << 20)
#define MEMORY_MOST ((int64_t)1 << 49)
#define EFFORT 0.1 /* seconds to emulate each of many launches, about */

static int inputs_from_stdin(const options *o)
{
    const char *const inputs[] = {o->argument_count ? o->arguments[0] : NULL, o->space, o->registers_file};
    int n = 0;
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++)
        n += inputs[i] && strcmp(inputs[i], "-") == 0;
    return n;
}

/* Do options describe a space? With --block, one folding and one number of registers apply to every
 * launch. */
static bool names_space(const options *o)
{
    return o->block_axis[0] || o->block_axis[1] || o->block_axis[2] || o->threads || o->space || o->schedules ||
           o->registers_file || o->folds_count > 1 || (o->folds_count == 1 && strpbrk(o->folds[0], ":,"));
}

/* What a sweep, which keeps the best launch of each value, has no place for; NULL: nothing. */
static const char *sweep_usage(const options *o)
{
    if (o->top || o->top_k)
        return "a range in --set lists the best launch of each value: it goes without --top and --top-k";
    if (o->export_count)
        return "--export writes one ranking: it goes without a range in --set";
    if (inputs_from_stdin(o))
        return "a range in --set reads its inputs once for each value: give files, not standard input";
    return team_size() > 1 ? "a range in --set is searched by one process" : NULL;
}

bool rank_usage(const options *o)
{
    const char *wrong = NULL, *kernel = o->update || o->argument_count == 0 ? NULL : o->arguments[0];
    const bool ptx = kernel && ptx_is_source(kernel);
    if (!ptx_usage(o, kernel))
        return false;
    if (!o->update && o->argument_count != 1)
        wrong = o->argument_count ? "one kernel at a time, please"
                                  : "which kernel? Give a file, a built-in name, or --update";
    else if (o->update && o->argument_count)
        wrong = "give a kernel or --update, not both";
    else if (o->update && !o->domain_count)
        wrong = "--update needs --domain, as in --domain 4096x4096";
    else if (o->update && o->set_count)
        wrong = "--set needs a kernel file; an --update has no params";
    else if (!o->update && o->type)
        wrong = "--type needs --update";
    else if (ptx && o->folds_count)
        wrong = "--fold is only for kernel files; the code of a PTX kernel fixes what a thread computes";
    else if (o->block_count && names_space(o))
        wrong = "--block names the launches to rank, so it goes without options of a space: --block-x, --block-y, "
                "--block-z, --threads, --space, --schedules, --registers-file, --fold of several values";
    else if (!o->device_count)
        wrong = "which device? Give --device NAME ('warpline devices' lists them)";
    else if (o->tune_count && tune_usage(o))
        wrong = tune_usage(o);
    else if (o->top && o->top_k)
        wrong = "--top and --top-k both say how many launches to show: give one";
    else if (inputs_from_stdin(o) > 1)
        wrong = "only one of kernel, --space and --registers-file can be standard input";
    else if (team_size() > 1 && inputs_from_stdin(o))
        wrong = "several processes cannot all read standard input: give it as a file";
    else if (sweep_is_asked(o))
        wrong = sweep_usage(o);
    if (wrong)
        usage_error("%s", wrong);
    return !wrong;
}

/* "90%" or "10" */
static bool read_top_k(const char *text, rank_job *j)
{
    const char *end = NULL;
    const double value = wl_number_read(text, &end);
    if (end != text && strcmp(end, "%") == 0 && value > 0 && value < 100) {
        j->probability = value / 100;
        return true;
    }
    if (strchr(text, '%') || strchr(text, '.')) {
        option_error("--top-k", text, 1, "a probability as in 90%% or a number of launches is needed");
        return false;
    }
    return option_integer("--top-k", text, 1, 1000000000, &j->choose);
}

static int read_numbers(const options *o, rank_job *j)
{
    int64_t top = 0, jobs = 0;
    if ((o->top && !option_integer("--top", o->top, 1, 1000000000, &top)) ||
        (o->jobs && !option_integer("--jobs", o->jobs, 1, 1024, &jobs)) || (o->top_k && !read_top_k(o->top_k, j)))
        return EXIT_INPUT;
    j->top = (size_t)top;
    j->rank.threads = (int)jobs;
    j->memory = MEMORY_DEFAULT;
    if (o->memory && !option_bytes("--memory", o->memory, 1024, MEMORY_MOST, &j->memory))
        return EXIT_INPUT;
    j->rank.predict.complete = option_complete(o);
    return option_predict(o, &j->rank.predict);
}

/* ---- the space ---- */

/* The option's value is `text`, of which the key takes what follows the first `skip` characters. */
static int set_key(rank_job *j, const char *option, const char *key, const char *text, int skip)
{
    wl_error err = {0};
    if (wl_space_set(j->space, key, text + skip, &err) == WL_OK)
        return EXIT_OK;
    diag_remember(option, text);
    for (size_t i = 0; i < j->options->set_count; i++)
        diag_remember(j->options->set[i], j->options->set[i]); /* an error inside one names it */
    if (!err.input[0]) {
        snprintf(err.input, sizeof err.input, "%s", option);
        err.loc.col += err.loc.line > 0 ? skip : 0;
    }
    return diag_report(&err);
}

/* "y:1,2,4" or "1x2x1" */
static int set_fold(rank_job *j, const char *text)
{
    static const char *const axes[3] = {"fold.x", "fold.y", "fold.z"};
    for (int d = 0; d < 3; d++)
        if (text[0] == "xyz"[d] && text[1] == ':')
            return set_key(j, "--fold", axes[d], text, 2);
    return set_key(j, "--fold", "fold", text, 0);
}

static int read_space_file(rank_job *j, const char *path,
                           wl_status (*read)(wl_space *, const char *, const char *, size_t, wl_error *))
{
    wl_error err = {0};
    const char *text = NULL;
    size_t length = 0;
    if (!path)
        return EXIT_OK;
    if (load_kept_text(path, &text, &length, &err) != WL_OK || read(j->space, path, text, length, &err) != WL_OK)
        return diag_report(&err);
    return EXIT_OK;
}

static int read_space(const options *o, rank_job *j)
{
    const bool listed = o->block_count > 0; /* registers and foldings are in the list */
    const struct {
        const char *option, *key, *text;
    } keys[] = {{"--block-x", "block.x", o->block_axis[0]},
                {"--block-y", "block.y", o->block_axis[1]},
                {"--block-z", "block.z", o->block_axis[2]},
                {"--threads", "threads", o->threads},
                {"--registers", "registers", listed ? NULL : o->registers},
                {"--grid", "grid", o->grid},
                {"--schedules", "schedule", o->schedules}};
    wl_error err = {0};
    if (wl_space_new(&j->space, &err) != WL_OK ||
        wl_space_names(j->space, j->kernels[0], o->set, o->set_count, &err) != WL_OK)
        return diag_report(&err);
    if (o->grid)
        diag_remember("--grid", o->grid); /* errors in it are found only with the kernel */
    int code = read_space_file(j, o->space, wl_space_read);
    if (code == EXIT_OK)
        code = read_space_file(j, o->registers_file, wl_space_read_registers);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0] && code == EXIT_OK; i++)
        if (keys[i].text)
            code = set_key(j, keys[i].option, keys[i].key, keys[i].text, 0);
    for (size_t i = 0; i < o->folds_count && !listed && code == EXIT_OK; i++)
        code = set_fold(j, o->folds[i]);
    for (size_t i = 0; i < o->where_count && code == EXIT_OK; i++)
        code = set_key(j, "--where", "where", o->where[i], 0);
    return code;
}

/* ---- launches in place of a space ---- */

static int read_launches(const options *o, rank_job *j)
{
    wl_launch common = {0};
    if (!o->block_count)
        return EXIT_OK;
    if ((o->folds_count && !option_shape("--fold", o->folds[0], common.fold)) ||
        (o->registers && !option_integer("--registers", o->registers, 1, 1024, &common.registers)))
        return EXIT_INPUT;
    for (; j->launch_count < o->block_count; j->launch_count++) {
        launch_text text = {.launch = common};
        const char *block = o->block[j->launch_count];
        const int code = launch_text_read("--block", block, &text);
        if (code != EXIT_OK)
            return code;
        if (text.device) {
            usage_error("device= is only for the launches of diff; give --device %s", text.device);
            return EXIT_USAGE;
        }
        if (text.launch.fold[0] && !o->update && ptx_is_source(o->arguments[0])) {
            option_error("--block", block, 1,
                         "fold= is only for kernel files; the code of a PTX kernel fixes what a thread computes");
            return EXIT_INPUT;
        }
        j->launches[j->launch_count] = text.launch;
        j->rules[j->launch_count] = text.rule;
    }
    return EXIT_OK;
}

/* The value of domain.x in a rule; 0: there is none. */
static void domain_of(const rank_job *j, size_t index, int64_t domain[3])
{
    const options *o = j->options;
    const int dims = wl_kernel_domain(j->kernels[index], domain);
    int column;
    for (int d = 0; d < 3; d++)
        domain[d] = dims == 0 ? 0 : d < dims ? domain[d] : 1;
    if (dims == 0 && o->domain_count)
        (void)value_shape(o->domains[index], domain, &column); /* read before */
}

wl_status rank_list_launches(rank_job *j, size_t device, size_t index, wl_error *err)
{
    wl_launch launches[MANY_MAX];
    int64_t domain[3];
    if (!j->launch_count)
        return WL_OK;
    memcpy(launches, j->launches, sizeof launches);
    domain_of(j, index, domain);
    for (size_t i = 0; i < j->launch_count; i++) {
        if (!j->rules[i].length)
            continue;
        const wl_status status = launch_rule_apply(&j->rules[i], j->options, j->kernels[index], j->devices[device],
                                                   domain, &launches[i], err);
        if (status != WL_OK)
            return status;
    }
    return wl_space_list(j->space, launches, j->launch_count, err);
}

/* ---- kernels in PTX ---- */

/* The extents a block should have: those of the domain that are not 1, or of the grid. */
static int dimensions(const options *o, const int64_t domain[3])
{
    int dims = 1, depth = 0;
    for (int d = 1; d < 3; d++)
        if (domain[d] > 1)
            dims = d + 1;
    for (const char *p = o->grid; p && *p && domain[0] == 0; p++) {
        depth += (*p == '(') - (*p == ')');
        dims += depth == 0 && (*p == ',' || (*p == 'x' && p > o->grid && p[-1] >= '0' && p[-1] <= '9'));
    }
    return dims < 3 ? dims : 3;
}

/* A kernel is read for one launch: the first given, else a common block, with the first extents
 * that are to be tried.
 */
static void choose_launch(const rank_job *j, const int64_t domain[3], wl_launch *launch)
{
    static const int64_t common[3][3] = {{256, 1, 1}, {32, 8, 1}, {32, 4, 2}};
    const options *o = j->options;
    if (j->launch_count) {
        *launch = j->launches[0];
        return;
    }
    memcpy(launch->block, common[dimensions(o, domain) - 1], sizeof common[0]);
    for (int d = 0; d < 3; d++) {
        const long first = o->block_axis[d] ? strtol(o->block_axis[d], NULL, 10) : 0;
        launch->block[d] = first > 0 ? first : launch->block[d];
    }
}

static wl_status reading_grid(const rank_job *j, ptx_request *r, wl_error *err)
{
    const options *o = j->options;
    const wl_device *device = j->devices[0];
    wl_grid_rule *rule = NULL;
    if (j->rules[0].length)
        return launch_rule_apply(&j->rules[0], o, NULL, device, r->domain, &r->launch, err);
    if (!o->grid || r->launch.grid[0])
        return WL_OK;
    wl_status status = wl_grid_rule_parse(NULL, o->grid, o->set, o->set_count, &rule, err);
    if (status == WL_OK)
        status = wl_grid_rule_apply(rule, device, r->domain, &r->launch, err);
    wl_grid_rule_free(rule);
    if (status != WL_OK && !err->input[0]) {
        diag_say_set(err);
        (void)snprintf(err->input, sizeof err->input, "--grid");
        diag_remember("--grid", o->grid);
    }
    return status;
}

static wl_status read_at(rank_job *j, ptx_request *r, wl_kernel **out, wl_error *err)
{
    const options *o = j->options;
    memcpy(r->launch.grid, j->launches[0].grid, sizeof r->launch.grid);
    wl_status status = reading_grid(j, r, err);
    if (status == WL_OK && !j->unit)
        status = ptx_unit_open(o, o->arguments[0], j->devices[0], &j->unit, err);
    return status == WL_OK ? ptx_unit_kernel(j->unit, r, out, err) : status;
}

/* If the domain is not a multiple of the common block and the kernel does not check bounds, tries
 * smaller blocks. */
static wl_status read_ptx(rank_job *j, ptx_request *r, wl_kernel **out, wl_error *err)
{
    wl_status status = read_at(j, r, out, err);
    while (status == WL_E_BOUNDS && !j->options->block_count && r->launch.block[0] % 2 == 0) {
        wl_error again = {0};
        r->launch.block[0] /= 2;
        status = read_at(j, r, out, &again);
        if (status != WL_OK && status != WL_E_BOUNDS) /* the first message says more */
            return WL_E_BOUNDS;
    }
    if (status == WL_OK)
        *err = (wl_error){0};
    return status;
}

static wl_status load_ptx(rank_job *j, const int64_t domain[3], wl_kernel **out, wl_error *err)
{
    const options *o = j->options;
    ptx_request r = {0};
    memcpy(r.domain, domain, sizeof r.domain);
    if (ptx_request_read(o, &r) != EXIT_OK) {
        err->code = WL_E_INPUT; /* reported already */
        return WL_E_INPUT;
    }
    choose_launch(j, domain, &r.launch);
    if (!o->effort)
        r.effort = EFFORT;
    return read_ptx(j, &r, out, err);
}

static wl_status load_kernel_of(rank_job *j, size_t domain, wl_kernel **out, wl_error *err)
{
    const options *o = j->options;
    const wl_kernel_options sets = {o->set, o->set_count};
    int64_t extent[3] = {0};
    if (o->update)
        return load_update(o->update, o->domains[domain], o->type, out, err);
    if (!ptx_is_source(o->arguments[0]))
        return load_kernel_with_domain(o->arguments[0], &sets, o->domain_count ? o->domains[domain] : NULL, out, err);
    if (o->domain_count && !option_shape("--domain", o->domains[domain], extent)) {
        err->code = WL_E_INPUT; /* reported already */
        return WL_E_INPUT;
    }
    wl_status status = load_ptx(j, extent, out, err);
    if (status == WL_OK)
        status = recorded_block_varies(o, *out, err);
    if (status != WL_OK) {
        wl_kernel_free(*out);
        *out = NULL;
    }
    return status;
}

static int load_all(const options *o, rank_job *j)
{
    wl_error err = {0};
    for (; j->device_count < o->device_count; j->device_count++)
        if (load_device(o->devices[j->device_count], o->with, o->with_count, &j->devices[j->device_count], &err) !=
            WL_OK)
            return diag_report(&err);
    const size_t domains = o->domain_count ? o->domain_count : 1;
    for (; j->kernel_count < domains; j->kernel_count++)
        if (load_kernel_of(j, j->kernel_count, &j->kernels[j->kernel_count], &err) != WL_OK)
            return err.message[0] ? diag_report(&err) : EXIT_INPUT;
    j->spaces = calloc(j->device_count * j->kernel_count, sizeof *j->spaces);
    return j->spaces ? EXIT_OK : diag_report(&(wl_error){.code = WL_E_NOMEM, .message = "out of memory"});
}

/* A grid that does not follow the block gives launches of different numbers of threads. */
static void note_fixed_grid(const rank_job *j)
{
    const options *o = j->options;
    int64_t domain[3];
    const bool fixed = o->grid && !o->block_count && !o->domain_count && !o->update && ptx_is_source(o->arguments[0]) &&
                       wl_kernel_domain(j->kernels[0], domain) == 0 && !rule_follows_block(o->grid);
    if (fixed && team_leads())
        usage_error(
            "note: the grid is %s for every block, so larger blocks have more threads: compare them only if the "
            "threads share one amount of work",
            o->grid);
}

int rank_load(rank_job *j)
{
    const options *o = j->options;
    int code = read_numbers(o, j);
    if (code == EXIT_OK)
        code = read_launches(o, j);
    if (code == EXIT_OK)
        code = load_all(o, j);
    if (code == EXIT_OK)
        code = read_space(o, j); /* it may name params of the kernel */
    if (code == EXIT_OK && !j->repeated)
        note_fixed_grid(j);
    return code;
}

void rank_job_free(rank_job *j)
{
    for (size_t i = 0; i < j->space_count; i++) {
        wl_ranker_free(j->spaces[i].ranker);
        free(j->spaces[i].ranking.best);
    }
    for (size_t i = 0; i < j->kernel_count; i++)
        wl_kernel_free(j->kernels[i]);
    ptx_unit_free(j->unit);
    for (size_t i = 0; i < j->device_count; i++)
        wl_device_free(j->devices[i]);
    free(j->spaces);
    wl_space_free(j->space);
    load_forget();
}
