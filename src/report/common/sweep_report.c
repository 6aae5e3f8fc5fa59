/* sweep_report.c - see sweep_report.h. SPDX-License-Identifier: MIT */
#include "report/common/sweep_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "metrics/layer_condition.h"
#include "report/common/words.h"

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

static void name_line(const wl_prediction *p, const wl_device *device, char *text, size_t size)
{
    const int64_t *fold = p->launch.fold;
    const bool folded = fold[0] * fold[1] * fold[2] > 1;
    (void)snprintf(text, size, "%s, %s%s%s", wl_device_name(device), wl_shape_text(p->launch.block).text,
                   folded ? " fold " : "", folded ? wl_shape_text(fold).text : "");
}

wl_status wl_sweep_add(wl_sweep *s, double value, const wl_prediction *p, const wl_kernel *kernel,
                       const wl_device *device, wl_error *err)
{
    const wl_kernel *k = p->fields && p->kernel ? p->kernel : kernel;
    char line[2 * WL_SHAPE_LENGTH + 80];
    wl_layer_condition c = {0};
    wl_sweep_point one = {.value = value,
                          .time_s = p->model.time_s,
                          .items_per_s = p->model.items_per_s,
                          .volume = {per_item(p, WL_METRIC_l2_load_bytes), per_item(p, WL_METRIC_dram_load_bytes),
                                     per_item(p, WL_METRIC_dram_store_bytes)},
                          .limiter = p->model.limiter};
    const wl_status status = wl_layer_condition_of(p, k, device, &c, NULL);
    if (status == WL_E_NOMEM)
        return wl_fail_memory(err);
    if (status == WL_OK && c.layers > 1) {
        one.needed = c.needed_bytes;
        one.room = c.room_bytes;
    }
    name_line(p, device, line, sizeof line);
    WL_TRY(find_line(s, line, &one.line, err));
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
