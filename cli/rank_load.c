/* rank_load.c - what to search, from the options: numbers, the space, kernels and devices. SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "load.h"
#include "rank.h"
#include "team.h"

#define MEMORY_DEFAULT ((int64_t)32 << 20)

static int inputs_from_stdin(const options *o)
{
    const char *const inputs[] = {o->argument_count ? o->arguments[0] : NULL, o->space, o->registers_file};
    int n = 0;
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++)
        n += inputs[i] && strcmp(inputs[i], "-") == 0;
    return n;
}

bool rank_usage(const options *o)
{
    const char *wrong = NULL;
    if (!o->update && o->argument_count != 1)
        wrong = o->argument_count ? "one kernel at a time, please"
                                  : "which kernel? Give a file, a built-in name, or --update";
    else if (o->update && o->argument_count)
        wrong = "give a kernel or --update, not both";
    else if (o->update && !o->domain_count)
        wrong = "--update needs --domain, as in --domain 4096x4096";
    else if (o->update && o->set_count)
        wrong = "--set goes with a kernel file; an --update has no params";
    else if (!o->update && o->type)
        wrong = "--type goes with --update";
    else if (!o->device_count)
        wrong = "which device? Give --device NAME ('warpline devices' lists them)";
    else if (o->top && o->top_k)
        wrong = "--top and --top-k both say how many launches to show: give one";
    else if (inputs_from_stdin(o) > 1)
        wrong = "only one of kernel, --space and --registers-file can be standard input";
    else if (team_size() > 1 && inputs_from_stdin(o))
        wrong = "several processes cannot all read standard input: give it as a file";
    if (wrong)
        usage_error("%s", wrong);
    return !wrong;
}

/* "90%" or "10" */
static bool read_top_k(const char *text, rank_job *j)
{
    char *end = NULL;
    const double value = strtod(text, &end);
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

/* "64MiB" */
static bool read_memory(const char *text, int64_t *bytes)
{
    static const struct {
        const char *unit;
        double scale;
    } units[] = {{"", 1},          {"B", 1},    {"KiB", 1024}, {"MiB", 1 << 20},
                 {"GiB", 1 << 30}, {"KB", 1e3}, {"MB", 1e6},   {"GB", 1e9}};
    char *end = NULL;
    const double value = strtod(text, &end);
    for (size_t i = 0; end != text && i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(end, units[i].unit) == 0 && value * units[i].scale >= 1024 && value * units[i].scale < 1e15) {
            *bytes = (int64_t)(value * units[i].scale);
            return true;
        }
    }
    option_error("--memory", text, 1, "a size from 1KiB on is needed, as in 64MiB");
    return false;
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
    if (o->memory && !read_memory(o->memory, &j->memory))
        return EXIT_INPUT;
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
    snprintf(err.input, sizeof err.input, "%s", option);
    err.loc.col += err.loc.line > 0 ? skip : 0;
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
    const struct {
        const char *option, *key, *text;
    } keys[] = {{"--block-x", "block.x", o->block_axis[0]},
                {"--block-y", "block.y", o->block_axis[1]},
                {"--block-z", "block.z", o->block_axis[2]},
                {"--threads", "threads", o->threads},
                {"--registers", "registers", o->registers}};
    wl_error err = {0};
    if (wl_space_new(&j->space, &err) != WL_OK)
        return diag_report(&err);
    int code = read_space_file(j, o->space, wl_space_read);
    if (code == EXIT_OK)
        code = read_space_file(j, o->registers_file, wl_space_read_registers);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0] && code == EXIT_OK; i++)
        if (keys[i].text)
            code = set_key(j, keys[i].option, keys[i].key, keys[i].text, 0);
    for (size_t i = 0; i < o->folds_count && code == EXIT_OK; i++)
        code = set_fold(j, o->folds[i]);
    for (size_t i = 0; i < o->where_count && code == EXIT_OK; i++)
        code = set_key(j, "--where", "where", o->where[i], 0);
    return code;
}

/* ---- kernels, one per domain, and devices ---- */

static wl_status wrong_domain(const char *text, int d, const char *format, wl_error *err)
{
    *err = (wl_error){.code = WL_E_INPUT, .input = "--domain", .loc = {1, 1, (int32_t)strlen(text)}};
    snprintf(err->message, sizeof err->message, format, "xyz"[d]);
    diag_remember("--domain", text);
    return WL_E_INPUT;
}

/* One param may be the extent in two dimensions. */
static wl_status check_domain(const wl_kernel *kernel, const char *text, const int64_t wanted[3], wl_error *err)
{
    int64_t got[3];
    const int dims = wl_kernel_domain(kernel, got);
    for (int d = 0; d < dims; d++)
        if (got[d] != wanted[d])
            return wrong_domain(text, d, "the kernel's extent in %c depends on another: one param sets both", err);
    return WL_OK;
}

/* The kernel with its params set so that the domain is as wanted. */
static wl_status load_with_domain(const options *o, const char *text, const int64_t domain[3], wl_kernel **out,
                                  wl_error *err)
{
    const char *sets[MANY_MAX + 3];
    char own[3][96];
    wl_kernel *plain = NULL;
    size_t n = 0;
    const wl_kernel_options given = {o->set, o->set_count};
    wl_status status = load_kernel(o->arguments[0], &given, &plain, err);
    if (status != WL_OK)
        return status;
    int64_t before[3];
    const int dims = wl_kernel_domain(plain, before);
    for (; n < o->set_count; n++)
        sets[n] = o->set[n];
    for (int d = 0; d < 3 && status == WL_OK; d++) {
        const char *param = wl_kernel_domain_param(plain, d);
        if (param) {
            snprintf(own[d], sizeof own[d], "%.60s=%lld", param, (long long)domain[d]);
            sets[n++] = own[d];
        } else if (d < dims ? domain[d] != before[d] : domain[d] != 1) {
            status = wrong_domain(text, d,
                                  d < dims ? "the kernel's extent in %c is no single param: set what it is made of "
                                             "with --set"
                                           : "the kernel's domain has no %c",
                                  err);
        }
    }
    wl_kernel_free(plain);
    if (status != WL_OK)
        return status;
    const wl_kernel_options all = {sets, n};
    status = load_kernel(o->arguments[0], &all, out, err);
    if (status == WL_OK)
        status = check_domain(*out, text, domain, err);
    if (status != WL_OK) {
        wl_kernel_free(*out);
        *out = NULL;
    }
    return status;
}

static wl_status load_kernel_of(const options *o, size_t domain, wl_kernel **out, wl_error *err)
{
    const wl_kernel_options sets = {o->set, o->set_count};
    int64_t extent[3];
    if (o->update)
        return load_update(o->update, o->domains[domain], o->type, out, err);
    if (o->domain_count == 0)
        return load_kernel(o->arguments[0], &sets, out, err);
    if (!option_shape("--domain", o->domains[domain], extent)) {
        err->code = WL_E_INPUT; /* said already */
        return WL_E_INPUT;
    }
    return load_with_domain(o, o->domains[domain], extent, out, err);
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
        if (load_kernel_of(o, j->kernel_count, &j->kernels[j->kernel_count], &err) != WL_OK)
            return err.message[0] ? diag_report(&err) : EXIT_INPUT;
    j->spaces = calloc(j->device_count * j->kernel_count, sizeof *j->spaces);
    return j->spaces ? EXIT_OK : EXIT_INTERNAL;
}

int rank_load(rank_job *j)
{
    const options *o = j->options;
    int code = read_numbers(o, j);
    if (code == EXIT_OK)
        code = read_space(o, j);
    return code == EXIT_OK ? load_all(o, j) : code;
}

void rank_job_free(rank_job *j)
{
    for (size_t i = 0; i < j->space_count; i++) {
        wl_ranker_free(j->spaces[i].ranker);
        free(j->spaces[i].ranking.best);
    }
    for (size_t i = 0; i < j->kernel_count; i++)
        wl_kernel_free(j->kernels[i]);
    for (size_t i = 0; i < j->device_count; i++)
        wl_device_free(j->devices[i]);
    free(j->spaces);
    wl_space_free(j->space);
    load_forget();
}
