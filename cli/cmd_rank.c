/* cmd_rank.c - warpline rank: from what to search to a ranking, and to what shows it. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "progress.h"
#include "rank.h"
#include "team.h"

#define TOP_DEFAULT 10
#define KEPT_LEAST 64 /* launches of each space, however little memory may be used: a table needs some */

/* ---- the search ---- */

static bool on_progress(void *user, int64_t done, int64_t total)
{
    (void)user;
    return team_pulse(done, total);
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

/* Only now is it sure that there is something to write. */
static void start_stream(rank_job *j)
{
    write_sorted(j, j->space_count - 1);
    rank_write_space(&j->writer, j->searched);
    j->streaming = true;
}

static bool on_records(void *user, const wl_ranked *records, size_t count)
{
    rank_job *j = user;
    for (size_t i = 0; j->streams && i < count; i++) {
        if (records[i].outcome != WL_OUTCOME_PREDICTED)
            continue;
        if (!j->streaming)
            start_stream(j);
        rank_write_launch(&j->writer, j->searched, &records[i], 0, 0);
    }
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
    return WL_OK;
}

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* Rounded up to two digits after the point. */
static double mebibytes(double bytes) { return ceil(100 * bytes / (1 << 20)) / 100; }

/* More launches than may be kept are written as they come, in the order of the space. */
static void announce_stream(const rank_job *j, int64_t size)
{
    usage_error(
        "note: to sort %lld launches takes %.6g MiB (--memory allows %.6g): they are written in the order of the "
        "space",
        (long long)size, mebibytes((double)size * sizeof(wl_ranked)), mebibytes((double)j->memory));
}

/* The table or the set asked for is longer than what may be kept. */
static void announce_short(const rank_job *j, int64_t room, int64_t size)
{
    const int64_t wanted = smaller(size, j->choose ? j->choose : j->top ? (int64_t)j->top : TOP_DEFAULT);
    if (team_leads() && wanted > room)
        usage_error("note: only the best %lld are kept (--memory allows %.6g MiB)", (long long)room,
                    mebibytes((double)j->memory));
}

static wl_status search(rank_job *j, ranked_space *s, wl_error *err)
{
    const int64_t size = wl_ranker_size(s->ranker);
    int64_t room = j->memory / (int64_t)(sizeof(wl_ranked) * j->device_count * j->kernel_count);
    room = smaller(size, room > KEPT_LEAST ? room : KEPT_LEAST);
    wl_ranked *best = malloc((size_t)(room > 0 ? room : 1) * sizeof *best);
    if (!best) {
        *err = (wl_error){.code = WL_E_NOMEM, .message = "out of memory"};
        return WL_E_NOMEM;
    }
    const bool whole = !option_format_is(j->options, "text") && !j->top && !j->options->top_k;
    j->searched = s;
    j->streams = whole && room < size && team_leads();
    j->streaming = false;
    if (j->streams)
        announce_stream(j, size);
    else if (!whole)
        announce_short(j, room, size);
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
        if ((int64_t)n == s->ranking.outcomes[WL_OUTCOME_PREDICTED])
            s->chance = 1;
        else if (n == s->count) /* the next one was not kept */
            s->chance = wl_trust_probability(&s->trust, s->within);
        else
            s->chance = wl_trust_probability(&s->trust, s->launches[n].time_s / s->best_s * (1 - 1e-12));
    } else {
        if (!wl_trust_ratio(&s->trust, j->probability, &s->within)) {
            option_error("--top-k", j->options->top_k, 1, "the validation data (%s) says nothing beyond %.0f %%",
                         s->trust.basis, 100 * wl_trust_level(s->trust.level_count - 1));
            return EXIT_UNSUPPORTED;
        }
        n = rank_within(s, s->within);
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
    if (search(j, s, &err) != WL_OK) {
        const char *condition;
        for (size_t i = 0; (condition = wl_ranker_condition(s->ranker, i)); i++)
            diag_remember(condition, condition); /* an error inside one names it */
        return diag_report(&err);
    }
    if (!team_leads())
        return EXIT_OK;
    if (s->count == 0 && !s->ranking.stopped)
        return rank_nothing(s);
    if (j->streaming) {
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
        for (size_t k = 0; k < j->kernel_count && code == EXIT_OK; k++) {
            code = rank_one(j, d, k);
            if (code == EXIT_OK && team_leads() && progress_interrupted())
                code = EXIT_INTERRUPTED;
            code = team_agree(code); /* only the leader knows what came out */
        }
    progress_end();
    return code == EXIT_INTERRUPTED ? EXIT_OK : code; /* what was found is shown */
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
    int code = write_exports(j); /* first: after a failure standard output is empty */
    if (code == EXIT_OK && o->plot)
        code = rank_plot(o->plot, j->spaces, j->space_count);
    if (code != EXIT_OK)
        return code;
    if (option_format_is(o, "text")) {
        const size_t top = j->top ? j->top : o->top_k ? SIZE_MAX : TOP_DEFAULT;
        rank_text(j->spaces, j->space_count, top, j->out.file);
    } else {
        write_sorted(j, j->space_count);
        rank_write_end(&j->writer);
    }
    return EXIT_OK;
}

static int run(rank_job *j)
{
    const options *o = j->options;
    int code = check_exports(o) ? rank_load(j) : EXIT_INPUT;
    if (code == EXIT_OK && team_leads())
        code = output_open(o->output, &j->out);
    code = team_agree(code);
    if (code != EXIT_OK)
        return code;
    const int threads = team_threads();
    j->rank.threads = j->rank.threads ? j->rank.threads : threads;
    j->writer = (rank_writer){.file = j->out.file, .csv = option_format_is(o, "csv")};
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
    code = team_agree(rank_usage(o) ? EXIT_OK : EXIT_USAGE);
    if (code == EXIT_OK)
        code = run(&j);
    rank_job_free(&j);
    return team_leave(code);
}
