/* sweep_report.c - see sweep_report.h. SPDX-License-Identifier: MIT */
#include "report/common/sweep_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "metrics/layer_condition.h"
#include "report/common/words.h"

#define LINE_LENGTH 200 /* of a name, in launches that a search chose */

wl_status wl_sweep_new(const char *name, wl_sweep **out, wl_error *err)
{
    wl_sweep *s = calloc(1, sizeof *s);
    if (s)
        s->name = wl_arena_text(&s->arena, name, strlen(name));
    if (s && s->name) {
        *out = s;
        return WL_OK;
    }
    free(s);
    return wl_fail_memory(err);
}

void wl_sweep_free(wl_sweep *s)
{
    if (!s)
        return;
    wl_arena_free(&s->arena);
    free(s->lines);
    free(s->points);
    free(s);
}

/* Room for one more; NULL without memory, and nothing is lost. */
static void *one_more(void *list, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return list;
    const size_t more = *room ? 2 * *room : 16;
    void *grown = realloc(list, more * size);
    *room = grown ? more : *room;
    return grown;
}

static wl_status find_line(wl_sweep *s, const char *text, size_t *line, wl_error *err)
{
    for (*line = 0; *line < s->line_count; ++*line)
        if (strcmp(s->lines[*line], text) == 0)
            return WL_OK;
    const char **lines = one_more(s->lines, s->line_count, &s->line_room, sizeof *lines);
    if (!lines)
        return wl_fail_memory(err);
    s->lines = lines;
    lines[*line] = wl_arena_text(&s->arena, text, strlen(text));
    if (!lines[*line])
        return wl_fail_memory(err);
    s->line_count++;
    return WL_OK;
}

static double per_item(const wl_prediction *p, wl_metric metric)
{
    const wl_value *v = &p->metrics[metric];
    return v->known && p->items > 0 ? v->value / (double)p->items : NAN;
}

/* Block, and where they are not the usual ones, folding and schedule. */
static void name_block(const wl_launch *l, char *text, size_t size)
{
    const bool folded = l->fold[0] * l->fold[1] * l->fold[2] > 1, scheduled = l->schedule.kind != WL_SCHEDULE_LINEAR;
    (void)snprintf(text, size, "%s%s%s%s%s", wl_shape_text(l->block).text, folded ? " fold " : "",
                   folded ? wl_shape_text(l->fold).text : "", scheduled ? " " : "",
                   scheduled ? wl_schedule_words(&l->schedule).text : "");
}

/* Names its line, launch and block. */
static wl_status name_point(wl_sweep *s, const wl_sweep_launch *of, wl_sweep_point *one, wl_error *err)
{
    char block[2 * WL_SHAPE_LENGTH + WL_SCHEDULE_TEXT_MAX + 16], launch[sizeof block + LINE_LENGTH];
    const bool searched = of->best_of > 0;
    name_block(&of->prediction->launch, block, sizeof block);
    (void)snprintf(launch, sizeof launch, "%.*s, %s", LINE_LENGTH - 3,
                   searched && of->line ? of->line : wl_device_name(of->device), block);
    const char *named = searched || !of->line ? launch : of->line;
    one->best_of = of->best_of;
    one->launch = wl_arena_text(&s->arena, named, strlen(named));
    one->block = wl_arena_text(&s->arena, block, strlen(block));
    if (!one->launch || !one->block)
        return wl_fail_memory(err);
    return find_line(s, of->line ? of->line : launch, &one->line, err);
}

wl_status wl_sweep_add(wl_sweep *s, const wl_sweep_launch *of, wl_error *err)
{
    const wl_prediction *p = of->prediction;
    const wl_kernel *k = p->fields && p->kernel ? p->kernel : of->kernel;
    wl_layer_condition c = {0};
    wl_sweep_point one = {.value = of->value,
                          .time_s = p->model.time_s,
                          .items_per_s = p->model.items_per_s,
                          .volume = {per_item(p, WL_METRIC_l2_load_bytes), per_item(p, WL_METRIC_dram_load_bytes),
                                     per_item(p, WL_METRIC_dram_store_bytes)},
                          .limiter = p->model.limiter};
    const wl_status status = wl_layer_condition_of(p, k, of->device, &c, NULL);
    if (status == WL_E_NOMEM)
        return wl_fail_memory(err);
    if (status == WL_OK && c.layers > 1) {
        one.needed = c.needed_bytes;
        one.room = c.room_bytes;
    }
    WL_TRY(name_point(s, of, &one, err));
    if (!s->kernel) {
        s->kernel = wl_arena_text(&s->arena, wl_kernel_name(k), strlen(wl_kernel_name(k)));
        s->unit = wl_work_unit_words(p->work_unit)->brief;
    }
    wl_sweep_point *points = s->kernel ? one_more(s->points, s->count, &s->room, sizeof *points) : NULL;
    if (!points)
        return wl_fail_memory(err);
    s->points = points;
    points[s->count++] = one;
    return WL_OK;
}

size_t wl_sweep_launches(const wl_sweep *sweep) { return sweep->count; }
