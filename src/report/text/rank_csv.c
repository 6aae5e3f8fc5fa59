/* rank_csv.c - rankings as CSV, a line for each launch; an unknown value is an empty cell.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "base/digits.h"
#include "base/quote.h"
#include "report/common/rank_report.h"
#include "report/common/shape_text.h"
#include "search/ranker.h"

#define VALUE_DIGITS 15 /* as in JSON */

/* If all launches are linear, there is no column for schedules. */
void wl_rank_csv_start(const wl_ranked_space *s, wl_buffer *out)
{
    wl_buffer_text(out, "kernel,device,domain_x,domain_y,domain_z,rank,group,block_x,block_y,block_z,fold_x,fold_y,"
                        "fold_z");
    wl_buffer_text(out, wl_ranker_has_schedules(s->ranker) ? ",schedule" : "");
    wl_buffer_text(out, ",registers,blocks_per_sm,warps_per_sm,time_s,items_per_s,limiter,next_limiter");
    for (int v = 0; v < WL_RANK_VALUES; v++)
        wl_buffer_add(out, ",%s", wl_metric_name(wl_rank_metric((wl_rank_value)v)));
    wl_buffer_text(out, "\n");
}

static void add_whole(wl_buffer *out, int64_t value)
{
    char *to = wl_buffer_room(out, 1 + WL_DIGITS_ROOM);
    if (!to)
        return;
    to[0] = ',';
    wl_buffer_wrote(out, 1 + wl_digits_whole(value, to + 1));
}

static void add_real(wl_buffer *out, double value)
{
    char *to = wl_buffer_room(out, 1 + WL_DIGITS_ROOM);
    if (!to)
        return;
    to[0] = ',';
    const size_t length = isnan(value) ? 0 : wl_digits_real(value, VALUE_DIGITS, to + 1);
    if (length == 0 && !isnan(value))
        out->failed = true;
    else
        wl_buffer_wrote(out, 1 + length);
}

static void add_word(wl_buffer *out, const char *word)
{
    wl_buffer_put(out, ",", 1);
    wl_buffer_text(out, word);
}

void wl_rank_csv_launch(const wl_ranked_space *s, const wl_launch *l, const wl_ranked *r, wl_rank_place place,
                        wl_buffer *out)
{
    wl_quote_csv(out, wl_kernel_name(wl_ranker_kernel(s->ranker)));
    wl_buffer_put(out, ",", 1);
    wl_quote_csv(out, wl_device_name(wl_ranker_device(s->ranker)));
    for (int d = 0; d < 3; d++)
        add_whole(out, s->domain[d]);
    if (place.rank) {
        add_whole(out, (int64_t)place.rank);
        add_whole(out, (int64_t)place.group);
    } else {
        wl_buffer_text(out, ",,");
    }
    for (int d = 0; d < 3; d++)
        add_whole(out, l->block[d]);
    for (int d = 0; d < 3; d++)
        add_whole(out, l->fold[d]);
    if (wl_ranker_has_schedules(s->ranker)) {
        add_word(out, wl_schedule_words(&l->schedule).text);
    }
    if (l->registers)
        add_whole(out, l->registers);
    else
        add_word(out, "");
    add_whole(out, r->blocks_per_sm);
    add_whole(out, r->warps_per_sm);
    add_real(out, r->time_s);
    add_real(out, (double)wl_ranker_launch_items(s->ranker, r->index) / r->time_s);
    add_word(out, wl_bound_name((wl_bound_id)r->limiter));
    add_word(out, wl_bound_name((wl_bound_id)r->next));
    for (int v = 0; v < WL_RANK_VALUES; v++)
        add_real(out, r->values[v]);
    wl_buffer_put(out, "\n", 1);
}
