/* cmd_rank.c - warpline rank: from the options to a ranking, and to what shows it. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "load.h"
#include "plot.h"
#include "progress.h"
#include "rank.h"
#include "team.h"

#define TOP_DEFAULT 10
#define MEMORY_DEFAULT ((int64_t)32 << 20)

typedef struct rank_job {
    const options *options;
    wl_space *space;
    wl_kernel *kernels[MANY_MAX]; /* one per domain */
    wl_device *devices[MANY_MAX];
    size_t kernel_count, device_count;
    ranked_space *spaces; /* devices times domains, devices outermost */
    size_t space_count;
    wl_rank_options rank;
    size_t top;         /* lines of the table; 0: not given */
    int64_t choose;     /* --top-k 10 */
    double probability; /* --top-k 90% */
    int64_t memory;
    output out;
    rank_writer writer;
    size_t written;         /* spaces that are in the output already */
    ranked_space *searched; /* the one being searched now */
    bool streams;           /* its launches are written as they come */
} rank_job;

static void job_free(rank_job *j)
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

/* ---- options ---- */

static bool check_usage(const options *o)
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
    else if (team_size() > 1 && o->argument_count && strcmp(o->arguments[0], "-") == 0)
        wrong = "several processes cannot all read standard input: give the kernel as a file";
    if (wrong)
        usage_error("%s", wrong);
    return !wrong;
}

static bool is_format(const options *o, const char *name) { return strcmp(o->format ? o->format : "text", name) == 0; }

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
    if (o->samples && strcmp(o->samples, "all") == 0)
        j->rank.predict.l1_samples = -1;
    else if (o->samples && !option_integer("--l1-samples", o->samples, 1, 1000000000, &j->rank.predict.l1_samples))
        return EXIT_INPUT;
    return option_model(o->model, &j->rank.predict.model) ? EXIT_OK : EXIT_UNSUPPORTED;
}

/* ---- the space ---- */

static int set_key(rank_job *j, const char *option, const char *key, const char *text)
{
    wl_error err = {0};
    if (wl_space_set(j->space, key, text, &err) == WL_OK)
        return EXIT_OK;
    diag_remember(option, text);
    snprintf(err.input, sizeof err.input, "%s", option);
    return diag_report(&err);
}

/* "y:1,2,4" or "1x2x1" */
static int set_fold(rank_job *j, const char *text)
{
    static const char *const axes[3] = {"fold.x", "fold.y", "fold.z"};
    for (int d = 0; d < 3; d++)
        if (text[0] == "xyz"[d] && text[1] == ':')
            return set_key(j, "--fold", axes[d], text + 2);
    return set_key(j, "--fold", "fold", text);
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
            code = set_key(j, keys[i].option, keys[i].key, keys[i].text);
    for (size_t i = 0; i < o->folds_count && code == EXIT_OK; i++)
        code = set_fold(j, o->folds[i]);
    for (size_t i = 0; i < o->where_count && code == EXIT_OK; i++)
        code = set_key(j, "--where", "where", o->where[i]);
    return code;
}

/* ---- kernels, one per domain, and devices ---- */

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
            *err = (wl_error){.code = WL_E_INPUT, .input = "--domain", .loc = {1, 1, (int32_t)strlen(text)}};
            snprintf(err->message, sizeof err->message,
                     d < dims ? "the kernel's extent in %c is no single param: set what it is made of with --set"
                              : "the kernel's domain has no %c",
                     "xyz"[d]);
            diag_remember("--domain", text);
            status = WL_E_INPUT;
        }
    }
    wl_kernel_free(plain);
    if (status != WL_OK)
        return status;
    const wl_kernel_options all = {sets, n};
    return load_kernel(o->arguments[0], &all, out, err);
}

static wl_status load_kernel_of(const options *o, size_t domain, wl_kernel **out, wl_error *err)
{
    const wl_kernel_options sets = {o->set, o->set_count};
    int64_t extent[3];
    if (o->update) {
        diag_remember("--update", o->update);
        diag_remember("--domain", o->domains[domain]);
        diag_remember("--type", o->type ? o->type : "f64");
        return wl_kernel_from_update(o->update, o->domains[domain], o->type ? o->type : "f64", out, err);
    }
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

/* ---- the search ---- */

static bool on_progress(void *user, int64_t done, int64_t total)
{
    (void)user;
    return team_pulse(done, total);
}

static bool on_records(void *user, const wl_ranked *records, size_t count)
{
    rank_job *j = user;
    for (size_t i = 0; j->streams && i < count; i++)
        if (records[i].outcome == WL_OUTCOME_PREDICTED)
            rank_write_launch(&j->writer, j->searched, &records[i], 0, 0);
    return !(j->streams && ferror(j->writer.file));
}

static wl_status make_ranker(rank_job *j, size_t device, size_t domain, ranked_space *s, wl_error *err)
{
    j->rank.progress = on_progress;
    j->rank.each = on_records;
    j->rank.user = j;
    wl_status status = wl_ranker_new(j->kernels[domain], j->devices[device], j->space, &j->rank, &s->ranker, err);
    if (status == WL_OK)
        status = wl_trust_of(j->devices[device], j->rank.predict.model, &s->trust, err);
    if (status != WL_OK)
        return status;
    s->dims = wl_kernel_domain(j->kernels[domain], s->domain);
    s->tie = exp(s->trust.error);
    s->model = j->rank.predict.model;
    return WL_OK;
}

/* More launches than may be kept are written as they come, in the order of the space. */
static void announce_stream(const rank_job *j, int64_t size)
{
    usage_error(
        "note: to sort %lld launches takes %.0f MiB (--memory allows %.0f): they are written in the order of the "
        "space",
        (long long)size, (double)size * sizeof(wl_ranked) / (1 << 20), (double)j->memory / (1 << 20));
}

/* Writes the spaces that are searched and not yet written, best first. */
static void write_sorted(rank_job *j, size_t end)
{
    if (j->written == 0 && j->writer.spaces == 0)
        rank_write_start(&j->writer, wl_kernel_name(j->kernels[0]));
    for (; j->written < end; j->written++) {
        const ranked_space *s = &j->spaces[j->written];
        tie_groups groups = {.tie = s->tie};
        rank_write_space(&j->writer, s);
        for (size_t i = 0; i < s->count && (!j->top || i < j->top); i++)
            rank_write_launch(&j->writer, s, &s->launches[i], i + 1, tie_group_of(&groups, &s->launches[i]));
        rank_write_space_end(&j->writer, s, true);
    }
}

static wl_status search(rank_job *j, ranked_space *s, wl_error *err)
{
    const int64_t size = wl_ranker_size(s->ranker);
    int64_t room = j->memory / (int64_t)(sizeof(wl_ranked) * j->device_count * j->kernel_count);
    room = size < room ? size : room;
    wl_ranked *best = malloc((size_t)(room > 0 ? room : 1) * sizeof *best);
    if (!best) {
        *err = (wl_error){.code = WL_E_NOMEM, .message = "out of memory"};
        return WL_E_NOMEM;
    }
    const bool whole = !is_format(j->options, "text") && !j->top && !j->options->top_k;
    j->searched = s;
    j->streams = whole && room < size && team_leads();
    if (j->streams) {
        announce_stream(j, size);
        write_sorted(j, j->space_count - 1);
        rank_write_space(&j->writer, s);
    }
    const wl_status status = team_rank(s->ranker, best, (size_t)room, on_records, j, &s->ranking, err);
    s->ranking.best = best;
    s->launches = best;
    s->count = s->ranking.count;
    s->best_s = s->count ? best[0].time_s : 0;
    return status;
}

/* --top-k: the set to benchmark. The exit code. */
static int choose(const rank_job *j, ranked_space *s)
{
    size_t n = 0;
    if (!j->options->top_k || s->count == 0)
        return EXIT_OK;
    if (j->choose) {
        n = (size_t)j->choose < s->count ? (size_t)j->choose : s->count;
        s->within = s->launches[n - 1].time_s / s->best_s;
        s->chance =
            n == s->count ? 1 : wl_trust_probability(&s->trust, s->launches[n].time_s / s->best_s * (1 - 1e-12));
    } else {
        if (!wl_trust_ratio(&s->trust, j->probability, &s->within)) {
            option_error("--top-k", j->options->top_k, 1, "the validation data (%s) says nothing beyond %.0f %%",
                         s->trust.basis, 100 * wl_trust_level(s->trust.level_count - 1));
            return EXIT_UNSUPPORTED;
        }
        while (n < s->count && s->launches[n].time_s <= s->best_s * s->within)
            n++;
        if (n == s->count && (int64_t)n < s->ranking.outcomes[WL_OUTCOME_PREDICTED]) {
            usage_error("error: more launches are in the set than --memory can hold");
            return EXIT_UNSUPPORTED;
        }
        s->chance = j->probability;
    }
    s->chosen = true;
    s->count = n;
    return EXIT_OK;
}

/* Searches one space; what streams is in the output then. The exit code. */
static int rank_one(rank_job *j, size_t device, size_t domain)
{
    wl_error err = {0};
    ranked_space *s = &j->spaces[j->space_count++];
    int code = make_ranker(j, device, domain, s, &err) == WL_OK ? EXIT_OK : diag_report(&err);
    code = team_agree(code);
    if (code != EXIT_OK)
        return code;
    if (search(j, s, &err) != WL_OK)
        return diag_report(&err);
    if (!team_leads())
        return EXIT_OK;
    if (s->count == 0 && !s->ranking.stopped)
        return rank_nothing(s);
    if (j->streams) {
        rank_write_space_end(&j->writer, s, false);
        j->written = j->space_count;
    }
    return choose(j, s);
}

static int rank_all(rank_job *j)
{
    int code = EXIT_OK;
    progress_start();
    for (size_t d = 0; d < j->device_count && code == EXIT_OK; d++)
        for (size_t k = 0; k < j->kernel_count && code == EXIT_OK && !progress_interrupted(); k++)
            code = rank_one(j, d, k);
    progress_end();
    return code;
}

/* ---- what else is made of it ---- */

static bool check_exports(const options *o)
{
    for (size_t i = 0; i < o->export_count; i++) {
        const size_t length = strcspn(o->exports[i], "=");
        char format[32];
        snprintf(format, sizeof format, "%.*s", (int)length, o->exports[i]);
        if (o->exports[i][length] != '=' || !o->exports[i][length + 1] || !rank_export_known(format)) {
            option_error("--export", o->exports[i], 1,
                         "FORMAT=FILE is needed, FORMAT one of kernel-tuner, kernel-tuner-cache, triton");
            return false;
        }
    }
    return true;
}

static int write_exports(const rank_job *j)
{
    const options *o = j->options;
    for (size_t i = 0; i < o->export_count; i++) {
        const char *path = strchr(o->exports[i], '=') + 1;
        char format[32];
        wl_error err = {0};
        output out;
        snprintf(format, sizeof format, "%.*s", (int)(path - 1 - o->exports[i]), o->exports[i]);
        int code = output_open(path, &out);
        if (code != EXIT_OK)
            return code;
        const wl_status status = rank_export(format, j->spaces, j->space_count, out.file, &err);
        code = output_close(&out, status == WL_OK);
        if (status != WL_OK)
            return diag_report(&err);
        if (code != EXIT_OK)
            return code;
    }
    return EXIT_OK;
}

static int show(rank_job *j)
{
    const options *o = j->options;
    if (is_format(o, "text")) {
        const size_t top = j->top ? j->top : o->top_k ? SIZE_MAX : TOP_DEFAULT;
        rank_text(j->spaces, j->space_count, top, j->out.file);
    } else {
        write_sorted(j, j->space_count);
        rank_write_end(&j->writer);
    }
    int code = write_exports(j);
    if (code == EXIT_OK && o->plot)
        code = rank_plot(o->plot, j->spaces, j->space_count);
    return code;
}

static int run(rank_job *j)
{
    const options *o = j->options;
    int code = read_numbers(o, j);
    if (code == EXIT_OK && (!check_exports(o) || (o->plot && !plot_file_ok(o->plot))))
        code = EXIT_INPUT;
    if (code == EXIT_OK)
        code = read_space(o, j);
    if (code == EXIT_OK)
        code = load_all(o, j);
    if (code == EXIT_OK && team_leads())
        code = output_open(o->output, &j->out);
    code = team_agree(code);
    if (code != EXIT_OK)
        return code;
    const int threads = team_threads();
    j->rank.threads = j->rank.threads ? j->rank.threads : threads;
    j->writer = (rank_writer){.file = j->out.file, .csv = is_format(o, "csv")};
    code = rank_all(j);
    if (code == EXIT_OK && team_leads())
        code = show(j);
    const int closed = team_leads() ? output_close(&j->out, code == EXIT_OK) : EXIT_OK;
    code = code == EXIT_OK ? closed : code;
    return code == EXIT_OK && progress_interrupted() ? EXIT_INTERRUPTED : code;
}

int cmd_rank(const options *o)
{
    rank_job j = {.options = o};
    int code = team_join();
    if (code != EXIT_OK)
        return code;
    code = team_agree(check_usage(o) ? EXIT_OK : EXIT_USAGE);
    if (code == EXIT_OK)
        code = run(&j);
    job_free(&j);
    return team_leave(code);
}
