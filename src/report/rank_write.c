/* rank_write.c - rankings piece by piece, so that a space of any size can pass through: a text of a million launches
 * would not fit the memory a search is allowed. SPDX-License-Identifier: MIT */
#include "base/fail.h"
#include "report/rank_report.h"

size_t wl_tie_group_of(wl_tie_groups *g, const wl_ranked *launch)
{
    if (g->group == 0 || launch->time_s > g->start_s * g->tie) {
        g->group++;
        g->start_s = launch->time_s;
    }
    return g->group;
}

size_t wl_rank_within(const wl_ranked_space *s, double ratio)
{
    size_t n = 0;
    while (n < s->ranking.count && s->launches[n].time_s <= s->best_s * ratio)
        n++;
    return n;
}

/* Gives a piece to the sink, and is done with it. */
static wl_status send(const wl_rank_writer *w, wl_buffer *piece, wl_error *err)
{
    wl_status status = piece->failed ? wl_fail_memory(err) : WL_OK;
    if (status == WL_OK && piece->length > 0)
        status = w->sink(w->user, piece->text, piece->length, err);
    wl_buffer_drop(piece);
    return status;
}

static bool is_csv(const wl_rank_writer *w) { return w->format == WL_FORMAT_CSV; }

wl_status wl_rank_write_space(wl_rank_writer *w, const wl_ranked_space *s, wl_error *err)
{
    wl_buffer piece = {0};
    if (is_csv(w) && w->spaces == 0)
        wl_rank_csv_start(s, &piece);
    if (!is_csv(w) && w->spaces == 0)
        wl_rank_json_start(s, &piece);
    if (!is_csv(w))
        wl_rank_json_space(s, w->spaces == 0, &piece);
    w->spaces++;
    w->launches = 0;
    return send(w, &piece, err);
}

static wl_status write_launch(wl_rank_writer *w, const wl_ranked_space *s, const wl_ranked *r, wl_rank_place place,
                              wl_error *err)
{
    wl_buffer piece = {0};
    wl_launch launch;
    wl_ranker_launch(s->ranker, r->index, &launch);
    for (int d = 0; d < 3; d++) {
        launch.block[d] += launch.block[d] == 0;
        launch.fold[d] += launch.fold[d] == 0;
    }
    if (is_csv(w))
        wl_rank_csv_launch(s, &launch, r, place, &piece);
    else
        wl_rank_json_launch(s, &launch, r, place, w->launches == 0, &piece);
    w->launches++;
    return send(w, &piece, err);
}

wl_status wl_rank_write_launch(wl_rank_writer *w, const wl_ranked_space *s, const wl_ranked *r, wl_error *err)
{
    return write_launch(w, s, r, (wl_rank_place){0, 0}, err);
}

static wl_status end_space(wl_rank_writer *w, const wl_ranked_space *s, bool sorted, wl_error *err)
{
    wl_buffer piece = {0};
    if (!is_csv(w))
        wl_rank_json_space_end(s, sorted, w->launches == 0, &piece);
    return send(w, &piece, err);
}

wl_status wl_rank_write_space_end(wl_rank_writer *w, const wl_ranked_space *s, wl_error *err)
{
    return end_space(w, s, false, err);
}

wl_status wl_rank_write_sorted(wl_rank_writer *w, const wl_ranked_space *s, size_t top, wl_error *err)
{
    wl_tie_groups groups = {.tie = s->tie};
    WL_TRY(wl_rank_write_space(w, s, err));
    for (size_t i = 0; i < s->count && i < top; i++) {
        const wl_rank_place place = {i + 1, wl_tie_group_of(&groups, &s->launches[i])};
        WL_TRY(write_launch(w, s, &s->launches[i], place, err));
    }
    return end_space(w, s, true, err);
}

wl_status wl_rank_write_end(wl_rank_writer *w, wl_error *err)
{
    wl_buffer piece = {0};
    if (!is_csv(w) && w->spaces > 0)
        wl_buffer_text(&piece, "\n]}\n");
    return send(w, &piece, err);
}
