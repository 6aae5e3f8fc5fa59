/* rank_write.c - streams rankings in pieces, so that a space can have any size: the text of a
 * million launches would not fit into the memory that a search may use. SPDX-License-Identifier:
 * MIT */
#include "base/fail.h"
#include "report/common/rank_report.h"

#define LAUNCH_LENGTH 512 /* more than nearly every launch takes */
/* bytes of one piece, if launches do not come one by one */
#define PIECE_LENGTH ((size_t)1 << 16)

/* Gives a piece to the sink; its memory can then be reused. */
static wl_status pass_on(const wl_rank_writer *w, wl_buffer *piece, wl_error *err)
{
    wl_status status = piece->failed ? wl_fail_memory(err) : WL_OK;
    if (status == WL_OK && piece->length > 0)
        status = w->sink(w->user, piece->text, piece->length, err);
    piece->length = 0;
    return status;
}

/* The same, and frees the piece. */
static wl_status send(const wl_rank_writer *w, wl_buffer *piece, wl_error *err)
{
    const wl_status status = pass_on(w, piece, err);
    wl_buffer_drop(piece);
    return status;
}

static bool is_csv(const wl_rank_writer *w) { return w->format == WL_FORMAT_CSV; }

/* A line of CSV, or the heads of its columns. */
static void add_line(const wl_ranked_space *s, const wl_launch *launch, const wl_ranked *r, wl_rank_place place,
                     bool heads, wl_buffer *piece)
{
    wl_row row = {.csv = piece, .heads = heads};
    wl_rank_columns(&row, s, launch, r, place);
    wl_row_end(&row);
}

wl_status wl_rank_write_space(wl_rank_writer *w, const wl_ranked_space *s, wl_error *err)
{
    wl_buffer piece = {0};
    if (is_csv(w) && w->spaces == 0)
        add_line(s, &(wl_launch){0}, &(wl_ranked){0}, (wl_rank_place){0}, true, &piece);
    if (!is_csv(w) && w->spaces == 0)
        wl_rank_json_start(s, &piece);
    if (!is_csv(w))
        wl_rank_json_space(s, w->spaces == 0, &piece);
    w->spaces++;
    w->launches = 0;
    return send(w, &piece, err);
}

static void add_launch(wl_rank_writer *w, const wl_ranked_space *s, const wl_ranked *r, wl_rank_place place,
                       wl_buffer *piece)
{
    wl_launch launch;
    wl_ranker_launch(s->ranker, r->index, &launch);
    for (int d = 0; d < 3; d++) {
        launch.block[d] += launch.block[d] == 0;
        launch.fold[d] += launch.fold[d] == 0;
    }
    if (is_csv(w))
        add_line(s, &launch, r, place, false, piece);
    else
        wl_rank_json_launch(s, &launch, r, place, w->launches == 0, piece);
    w->launches++;
}

wl_status wl_rank_write_launch(wl_rank_writer *w, const wl_ranked_space *s, const wl_ranked *r, wl_error *err)
{
    wl_buffer piece = {0};
    (void)wl_buffer_room(&piece, LAUNCH_LENGTH);
    add_launch(w, s, r, (wl_rank_place){0, 0}, &piece);
    return send(w, &piece, err);
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
    wl_buffer piece = {0};
    WL_TRY(wl_rank_write_space(w, s, err));
    wl_status status = WL_OK;
    for (size_t i = 0; status == WL_OK && i < s->count && i < top; i++) {
        const wl_rank_place place = {i + 1, wl_tie_group_of(&groups, &s->launches[i])};
        add_launch(w, s, &s->launches[i], place, &piece);
        if (piece.length >= PIECE_LENGTH || piece.failed)
            status = pass_on(w, &piece, err);
    }
    if (status == WL_OK)
        status = pass_on(w, &piece, err);
    wl_buffer_drop(&piece);
    WL_TRY(status);
    return end_space(w, s, true, err);
}

wl_status wl_rank_write_end(wl_rank_writer *w, wl_error *err)
{
    wl_buffer piece = {0};
    if (!is_csv(w) && w->spaces > 0)
        wl_buffer_text(&piece, "\n]}\n");
    return send(w, &piece, err);
}
