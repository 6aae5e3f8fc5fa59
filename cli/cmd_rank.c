/* cmd_rank.c - warpline rank: searches spaces and writes rankings, exports and plots.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diag.h"
#include "load.h"
#include "plot.h"
#include "progress.h"
#include "rank_job.h"
#include "parameter_sweep.h"
#include "team.h"
#include "tune.h"
#include "with_effect.h"

#define TOP_DEFAULT 10
/* launches kept of each space, however little memory may be used: a table needs some */
#define KEPT_LEAST 64

/* ---- the search ---- */

static bool on_progress(void *user, int64_t done, int64_t total)
{
    (void)user;
    return team_pulse(done, total);
}

/* Writes the searched spaces that are not yet written, best launches first. */
static wl_status write_sorted(rank_job *j, size_t end, wl_error *err)
{
    wl_status status = WL_OK;
    for (; j->written < end && status == WL_OK; j->written++)
        status = wl_rank_write_sorted(&j->writer, &j->spaces[j->written], j->top ? j->top : SIZE_MAX, err);
    return status;
}

/* Called when it is certain that there is something to write. */
static wl_status start_stream(rank_job *j, wl_error *err)
{
    const wl_status status = write_sorted(j, j->space_count - 1, err);
    j->streaming = true;
    return status == WL_OK ? wl_rank_write_space(&j->writer, j->searched, err) : status;
}

static bool on_records(void *user, const wl_ranked *records, size_t count)
{
    rank_job *j = user;
    wl_error *err = &j->write_error;
    for (size_t i = 0; j->streams && i < count && err->code == WL_OK; i++) {
        if (records[i].outcome != WL_OUTCOME_PREDICTED)
            continue;
        if (!j->streaming && start_stream(j, err) != WL_OK)
            break;
        if (wl_rank_write_launch(&j->writer, j->searched, &records[i], err) != WL_OK)
            break;
    }
    return err->code == WL_OK;
}

static wl_status make_ranker(rank_job *j, size_t device, size_t domain, wl_ranked_space *s, wl_error *err)
{
    j->rank.progress = on_progress;
    j->rank.each = on_records;
    j->rank.user = j;
    const char *gap = wl_kernel_gap(j->kernels[domain], 0);
    wl_status status = rank_list_launches(j, device, domain, err);
    if (status == WL_OK && gap && j->rank.predict.complete) { /* before thousands are predicted */
        *err = (wl_error){.code = WL_E_UNSUPPORTED, .input = "--incomplete"};
        (void)snprintf(err->message, sizeof err->message, "%s", gap);
        return err->code;
    }
    if (status == WL_OK)
        status = wl_ranker_new(j->kernels[domain], j->devices[device], j->space, &j->rank, &s->ranker, err);
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

/* If there are more launches than may be kept, they are written as they come, in the order of the
 * space. */
static void announce_stream(const rank_job *j, int64_t size)
{
    usage_error(
        "note: sorting %lld launches takes %.6g MiB (--memory allows %.6g): they are written in the order of the "
        "space",
        (long long)size, mebibytes((double)size * sizeof(wl_ranked)), mebibytes((double)j->memory));
}

/* The requested table or set is longer than what may be kept. */
static void announce_short(const rank_job *j, int64_t room, int64_t size)
{
    const int64_t wanted = smaller(size, j->choose ? j->choose : j->top ? (int64_t)j->top : TOP_DEFAULT);
    if (team_leads() && wanted > room)
        usage_error("note: only the best %lld are kept (--memory allows %.6g MiB)", (long long)room,
                    mebibytes((double)j->memory));
}

static void take_ranking(wl_ranked_space *s)
{
    s->launches = s->ranking.best;
    s->count = s->ranking.count;
    s->best_s = s->count ? s->launches[0].time_s : 0;
}

static void on_cut_short(void *user);

static wl_status search(rank_job *j, wl_ranked_space *s, wl_error *err)
{
    const int64_t size = wl_ranker_size(s->ranker);
    int64_t room = j->memory / (int64_t)(sizeof(wl_ranked) * j->device_count * j->kernel_count);
    room = smaller(size, room > KEPT_LEAST ? room : KEPT_LEAST);
    wl_ranked *best = malloc((size_t)(room > 0 ? room : 1) * sizeof *best);
    if (!best)
        return diag_no_memory(err);
    const bool whole = !option_format_is(j->options, "text") && !j->top && !j->options->top_k;
    j->searched = s;
    j->streams = whole && room < size && team_leads();
    j->streaming = false;
    if (j->streams)
        announce_stream(j, size);
    else if (!whole)
        announce_short(j, room, size);
    const team_listener listener = {.each = on_records, .cut_short = on_cut_short, .user = j};
    const wl_status status = team_rank(s->ranker, best, (size_t)room, &listener, &s->ranking, err);
    s->ranking.best = best;
    take_ranking(s);
    return status;
}

/* --top-k: the set to benchmark. The exit code. */
static int choose(const rank_job *j, wl_ranked_space *s)
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
                         s->trust.basis, 100 * wl_trust_probability(&s->trust, INFINITY));
            return EXIT_UNSUPPORTED;
        }
        n = wl_rank_within(s, s->within);
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

/* Why there is nothing to rank; the exit code. */
static int nothing_found(const rank_job *j, const wl_ranked_space *s)
{
    int64_t all = 0;
    char *text = NULL;
    wl_error err = {0};
    for (int o = 0; o < WL_OUTCOME_COUNT; o++)
        all += s->ranking.outcomes[o];
    if (wl_rank_left_out(s, &text, &err) != WL_OK)
        return diag_report(&err);
    if (all == 0)
        usage_error("error: the space is empty: no block %s",
                    j->options->schedules ? "and folding suits these schedules" : "or folding is left to try");
    else
        usage_error("error: none of the %lld launches is left to rank on %s:", (long long)all,
                    wl_device_name(wl_ranker_device(s->ranker)));
    fputs(text, stderr);
    free(text);
    return EXIT_INPUT;
}

/* What follows the search of a space. The exit code. */
static int finish_space(rank_job *j, wl_ranked_space *s)
{
    wl_error err = {0};
    if (j->write_error.code == WL_E_NOMEM) /* output_close reports what cannot be written */
        return diag_report(&j->write_error);
    if (s->count == 0 && !s->ranking.stopped)
        return nothing_found(j, s);
    if (j->streaming && j->write_error.code == WL_OK) {
        if (wl_rank_write_space_end(&j->writer, s, &err) != WL_OK)
            return diag_report(&err);
        j->written = j->space_count;
    }
    return choose(j, s);
}

/* Searches one space; streamed launches are then in the output. Returns the exit code. */
static int rank_one(rank_job *j, size_t device, size_t domain)
{
    wl_error err = {0};
    wl_ranked_space *s = &j->spaces[j->space_count++];
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
    code = finish_space(j, s);
    if (code != EXIT_OK || s->count == 0 || j->repeated)
        return code;
    wl_launch best;
    wl_ranker_launch(s->ranker, s->launches[0].index, &best);
    const wl_status status = note_no_effect(j->options, j->options->devices[device], wl_ranker_kernel(s->ranker), &best,
                                            1, "the best launch", &j->rank.predict, &err);
    return status == WL_OK ? EXIT_OK : diag_report(&err);
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
            code = team_agree(code); /* only the leader knows the result */
        }
    progress_end();
    return code == EXIT_INTERRUPTED ? EXIT_OK : code; /* what was found is shown */
}

/* ---- what else is made of it ---- */

/* "triton=FILE" */
static bool read_export(const char *text, wl_export *format, const char **path)
{
    const size_t length = strcspn(text, "=");
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    *path = text[length] == '=' ? text + length + 1 : "";
    return (*path)[0] && wl_export_find(name, format);
}

static bool check_exports(const options *o)
{
    wl_export format;
    const char *path;
    for (size_t i = 0; i < o->export_count; i++)
        if (!read_export(o->exports[i], &format, &path)) {
            option_error("--export", o->exports[i], 1,
                         "FORMAT=FILE is needed, FORMAT one of kernel-tuner, kernel-tuner-cache, triton");
            return false;
        }
    return true;
}

/* The text of every --export, to be freed. */
static int make_exports(const rank_job *j, char **made)
{
    wl_export format;
    const char *path;
    wl_error err = {0};
    for (size_t i = 0; i < j->options->export_count; i++)
        if (!read_export(j->options->exports[i], &format, &path) ||
            wl_rank_export(format, j->spaces, j->space_count, &made[i], &err) != WL_OK)
            return diag_report(&err);
    return EXIT_OK;
}

/* Writes the exports that go to files, or prints the others. */
static int write_exports(const rank_job *j, char *const *made, bool printed)
{
    wl_export format;
    const char *path;
    int code = EXIT_OK;
    for (size_t i = 0; i < j->options->export_count && code == EXIT_OK; i++)
        if (read_export(j->options->exports[i], &format, &path) && (strcmp(path, "-") == 0) == printed)
            code = output_write(path, made[i], WL_FORMAT_TEXT);
    return code;
}

static int draw(const rank_job *j)
{
    plot picture;
    wl_error err = {0};
    char *script = NULL, *data = NULL;
    if (has_suffix(j->options->plot, ".svg")) {
        const wl_status status = wl_rank_svg(j->spaces, j->space_count, &script, &err);
        return plot_own(j->options->plot, status, script, &err);
    }
    if (!plot_name(&picture, j->options->plot, &err) ||
        wl_rank_plot(j->spaces, j->space_count, &picture.files, &script, &data, &err) != WL_OK) {
        plot_free(&picture);
        return plot_none(j->options->plot, &err);
    }
    const int code = plot_draw(&picture, script, data);
    plot_free(&picture);
    free(script);
    free(data);
    return code;
}

static wl_status hold_text(rank_job *j, wl_error *err)
{
    const size_t top = j->top ? j->top : j->options->top_k ? SIZE_MAX : TOP_DEFAULT;
    char *text = NULL;
    wl_status status = wl_rank_text(j->spaces, j->space_count, top, WL_FORMAT_MARKED, &text, err);
    if (status == WL_OK)
        status = held_add(&j->held, text, strlen(text), err);
    free(text);
    return status;
}

/* Holds the result back: it is printed last. */
static int hold_result(rank_job *j)
{
    wl_error err = j->write_error;
    if (option_format_is(j->options, "text"))
        return hold_text(j, &err) == WL_OK ? EXIT_OK : diag_report(&err);
    if (err.code == WL_OK && write_sorted(j, j->space_count, &err) == WL_OK)
        (void)!wl_rank_write_end(&j->writer, &err); /* in err */
    /* output_close reports what cannot be written */
    return err.code == WL_E_NOMEM ? diag_report(&err) : EXIT_OK;
}

/* Everything is made before anything is written, and files are written before the rest is printed:
 * after a failure, standard output is empty. */
static int show(rank_job *j)
{
    char *exports[MANY_MAX] = {0};
    int code = hold_result(j);
    code = code == EXIT_OK ? make_exports(j, exports) : code;
    code = code == EXIT_OK ? write_exports(j, exports, false) : code;
    if (code == EXIT_OK && j->options->plot)
        j->drawn = draw(j);
    code = code == EXIT_OK && j->drawn != EXIT_NO_PICTURE ? j->drawn : code;
    code = code == EXIT_OK ? write_exports(j, exports, true) : code;
    for (size_t i = 0; i < j->options->export_count; i++)
        free(exports[i]);
    return code;
}

static void on_cut_short(void *user)
{
    rank_job *j = user;
    take_ranking(j->searched);
    progress_end();
    int code = finish_space(j, j->searched);
    code = code == EXIT_OK ? show(j) : code;
    held_end(&j->held, code == EXIT_OK);
    const int closed = output_close(&j->out, code == EXIT_OK);
    (void)fflush(stdout);
    _exit(code != EXIT_OK ? code : closed != EXIT_OK ? closed : EXIT_INTERRUPTED);
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
    j->held.file = j->out.file;
    j->held.marked = option_format_is(o, "text");
    j->writer = (wl_rank_writer){.format = option_format(o), .sink = held_add, .user = &j->held};
    code = rank_all(j);
    if (code == EXIT_OK && team_leads())
        code = show(j);
    held_end(&j->held, code == EXIT_OK);
    const int closed = team_leads() ? output_close(&j->out, code == EXIT_OK) : EXIT_OK;
    code = code == EXIT_OK ? closed : code;
    code = code == EXIT_OK && team_leads() && progress_interrupted() ? EXIT_INTERRUPTED : code;
    return plot_worse(code, j->drawn);
}

/* ---- over the values of a parameter ---- */

/* The best launch of a space, predicted once more for what rankings do not keep. */
static wl_status add_best(const rank_job *j, const wl_ranked_space *s, const char *domain, double value,
                          wl_sweep *sweep, wl_error *err)
{
    char line[120];
    const char *device = wl_device_name(wl_ranker_device(s->ranker));
    wl_prediction *p = NULL;
    (void)snprintf(line, sizeof line, j->kernel_count > 1 ? "%s, domain %s" : "%s", device, domain);
    wl_status status = wl_prediction_new(&p, err);
    if (status == WL_OK)
        status = wl_ranker_predict(s->ranker, s->launches[0].index, p, err);
    const wl_sweep_launch best = {.value = value,
                                  .prediction = p,
                                  .kernel = wl_ranker_kernel(s->ranker),
                                  .device = wl_ranker_device(s->ranker),
                                  .line = line,
                                  .best_of = s->ranking.outcomes[WL_OUTCOME_PREDICTED]};
    if (status == WL_OK)
        status = wl_sweep_add(sweep, &best, err);
    wl_prediction_free(p);
    return status;
}

static int sweep_value(const options *o, const options *given, double value, wl_sweep *sweep)
{
    rank_job j = {.options = o, .repeated = wl_sweep_launches(sweep) > 0};
    wl_error err = {0};
    int code = rank_load(&j);
    j.top = 1; /* kept, and not written as it is found */
    if (code == EXIT_OK)
        code = rank_all(&j);
    if (code == EXIT_OK && progress_interrupted())
        code = EXIT_INTERRUPTED;
    for (size_t i = 0; i < j.space_count && code == EXIT_OK; i++)
        if (add_best(&j, &j.spaces[i], given->domains[i % j.kernel_count], value, sweep, &err) != WL_OK)
            code = diag_report(&err);
    rank_job_free(&j);
    return code;
}

int cmd_rank(const options *o)
{
    rank_job j = {.options = o};
    int code = team_join();
    if (code != EXIT_OK)
        return code;
    code = team_agree(rank_usage(o) ? EXIT_OK : EXIT_USAGE);
    if (code == EXIT_OK)
        code = o->tune_count ? tune_run(o) : sweep_is_asked(o) ? sweep_run(o, sweep_value) : run(&j);
    rank_job_free(&j);
    return team_leave(code);
}
