/* report_search.c - see report_search.h. The space is the default one of 'warpline rank',
 * restricted to blocks near the launch: for other foldings and distant blocks, use 'rank'.
 * SPDX-License-Identifier: MIT */
#include "report_search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "progress.h"

#define AROUND 4 /* extents of a block up to so many times as large or small */

static bool on_progress(void *user, int64_t done, int64_t total)
{
    (void)user;
    return progress_show(done, total);
}

/* ---- the space ---- */

/* The block cannot change if the kernel, or its grid, was written for it. */
static const char *why_not(const report_launch *l)
{
    if (l->launch.grid[0] && !l->rule)
        return "Not searched: the grid is given, and another block would need another one. A rule, as in --grid "
               "'cdiv(nx,block.x),ny', or a domain lets blocks change.";
    if (l->launch.shared_bytes)
        return "Not searched: shared memory is given, which belongs to the block.";
    if (wl_kernel_needs_its_block(l->kernel) && !wl_kernel_condition(l->kernel, 0))
        return "Not searched: the block is part of the kernel (it names threads or uses shared memory), and no 'where' "
               "says which others are right.";
    return NULL;
}

static int64_t least(int64_t extent) { return extent > AROUND ? extent / AROUND : 1; }

static void near(const int64_t block[3], char *text, size_t size)
{
    (void)snprintf(text, size,
                   "block.x >= %lld && block.x <= %lld && block.y >= %lld && block.y <= %lld && block.z >= %lld && "
                   "block.z <= %lld",
                   (long long)least(block[0]), (long long)(AROUND * block[0]), (long long)least(block[1]),
                   (long long)(AROUND * block[1]), (long long)least(block[2]), (long long)(AROUND * block[2]));
}

static wl_status make_space(const report_launch *l, wl_space **space, wl_error *err)
{
    const int64_t *f = wl_prediction_launch(l->prediction)->fold;
    char text[256];
    wl_status status = wl_space_new(space, err);
    if (status == WL_OK)
        status = wl_space_names(*space, l->kernel, l->options->set, l->options->set_count, err);
    if (status == WL_OK && l->rule)
        status = wl_space_set(*space, "grid", l->rule, err);
    (void)snprintf(text, sizeof text, "%lldx%lldx%lld", (long long)f[0], (long long)f[1], (long long)f[2]);
    if (status == WL_OK)
        status = wl_space_set(*space, "fold", text, err);
    (void)snprintf(text, sizeof text, "%lld", (long long)l->launch.registers);
    if (status == WL_OK && l->launch.registers)
        status = wl_space_set(*space, "registers", text, err);
    near(wl_prediction_launch(l->prediction)->block, text, sizeof text);
    return status == WL_OK ? wl_space_set(*space, "where", text, err) : status;
}

/* ---- the search ---- */

static wl_status rank(const report_launch *l, const wl_space *space, wl_ranked_space *s, wl_error *err)
{
    const wl_rank_options how = {.predict = {.model = l->predict->model, .l1_samples = l->predict->l1_samples},
                                 .progress = on_progress};
    wl_status status = wl_ranker_new(l->others, l->device, space, &how, &s->ranker, err);
    if (status == WL_OK)
        status = wl_trust_of(l->device, l->predict->model, &s->trust, err);
    if (status != WL_OK)
        return status;
    const size_t size = (size_t)wl_ranker_size(s->ranker);
    wl_ranked *best = malloc((size ? size : 1) * sizeof *best);
    if (!best) {
        *err = (wl_error){.code = WL_E_NOMEM, .message = "out of memory"};
        return WL_E_NOMEM;
    }
    progress_start();
    status = wl_rank(s->ranker, best, size, &s->ranking, err);
    progress_end();
    s->ranking.best = best;
    s->launches = best;
    s->count = status == WL_OK ? s->ranking.count : 0;
    s->best_s = s->count ? best[0].time_s : 0;
    s->tie = exp(s->trust.error);
    s->dims = wl_kernel_domain(l->others, s->domain);
    return status;
}

static void drop_ranking(report_search *out)
{
    wl_ranker_free(out->space.ranker);
    free(out->space.ranking.best);
    out->space = (wl_ranked_space){0};
}

static void describe(const report_launch *l, report_search *out)
{
    const int64_t *b = wl_prediction_launch(l->prediction)->block;
    const long long count = (long long)out->space.ranking.outcomes[WL_OUTCOME_PREDICTED];
    (void)snprintf(
        out->searched, sizeof out->searched,
        "Searched: blocks of whole warps whose extents are powers of two (in x, or multiples of a warp), at "
        "most %d times as large or small as %lldx%lldx%lld, with the folding, registers and shared memory of "
        "this launch: %lld launch%s predicted%s%s. 'warpline rank' searches more.",
        AROUND, (long long)b[0], (long long)b[1], (long long)b[2], count, count == 1 ? "" : "es",
        l->others != l->kernel ? ", each with less effort than the launch itself" : "",
        out->space.ranking.stopped ? " before the search was interrupted" : "");
}

static wl_status search(const report_launch *l, report_search *out, wl_error *err)
{
    const char *why = why_not(l);
    wl_space *space = NULL;
    if (why) {
        (void)snprintf(out->searched, sizeof out->searched, "%s", why);
        return WL_OK;
    }
    wl_status status = make_space(l, &space, err);
    if (status == WL_OK)
        status = rank(l, space, &out->space, err);
    wl_space_free(space);
    if (status == WL_OK) {
        describe(l, out);
        return WL_OK;
    }
    drop_ranking(out);
    (void)snprintf(out->searched, sizeof out->searched, "Not searched: %s.", err->message);
    return status == WL_E_NOMEM ? status : WL_OK;
}

static wl_status advise(const report_launch *l, report_search *out, wl_error *err)
{
    const wl_advise_options how = {.predict = {.model = l->predict->model, .l1_samples = l->predict->l1_samples}};
    progress_wait();
    const wl_status status = wl_advise(l->others, l->device, &l->launch, &how, &out->advised, err);
    progress_wait_end();
    if (status != WL_OK)
        (void)snprintf(out->no_advice, sizeof out->no_advice, "No changes were tried: %s.", err->message);
    return status == WL_E_NOMEM ? status : WL_OK;
}

wl_status report_search_run(const report_launch *l, report_search *out, wl_error *err)
{
    wl_status status = search(l, out, err);
    if (status == WL_OK) {
        *err = (wl_error){0};
        status = advise(l, out, err);
    }
    if (status == WL_OK)
        *err = (wl_error){0};
    return status;
}

void report_search_free(report_search *s)
{
    drop_ranking(s);
    wl_advised_free(s->advised);
}
