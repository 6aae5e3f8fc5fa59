/* words.c - see words.h. SPDX-License-Identifier: MIT */
#include "report/common/words.h"

#include <stdio.h>
#include <string.h>

#include "kernel/kernel_internal.h"
#include "report/common/marks.h"

static long long given(int64_t extent) { return extent ? extent : 1; }

wl_shape_words wl_shape_text(const int64_t extent[3])
{
    wl_shape_words out = {""};
    (void)snprintf(out.text, sizeof out.text, "%lldx%lldx%lld", given(extent[0]), given(extent[1]), given(extent[2]));
    return out;
}

wl_schedule_name wl_schedule_words(const wl_schedule *schedule)
{
    wl_schedule_name out = {""};
    wl_schedule_print(schedule, out.text);
    return out;
}

/* ---- work ---- */

wl_unit_heads wl_unit_heads_of(wl_work_unit unit)
{
    const char *name = wl_work_unit_words(unit)->brief;
    wl_unit_heads out;
    (void)snprintf(out.per, sizeof out.per, "per %s", name);
    (void)snprintf(out.bytes, sizeof out.bytes, "B/%s", name);
    (void)snprintf(out.rate, sizeof out.rate, "G%s/s", name);
    return out;
}

void wl_unit_explain(const char *lead, wl_work_unit unit, int64_t items, wl_buffer *out)
{
    if (items > 0)
        wl_buffer_add(out, "%s%lld %s", lead, (long long)items, wl_work_unit_explained(unit, items));
    else if (unit == WL_WORK_UPDATE)
        wl_buffer_add(out, "%sper lattice update (LUP)", lead);
}

void wl_kernel_headline(wl_buffer *out, const wl_kernel *kernel, const wl_device *device)
{
    wl_headline(out, "%s on %s (%s)", wl_kernel_name(kernel), wl_device_name(device), wl_device_title(device));
}

const char *wl_kernel_symbol(const wl_kernel *kernel)
{
    return kernel->symbol && strcmp(kernel->symbol, kernel->name) != 0 ? kernel->symbol : NULL;
}

const char *wl_access_kind(const wl_kernel *kernel, size_t access)
{
    return wl_kernel_access_is_atomic(kernel, access)  ? "atomic"
           : wl_kernel_access_is_store(kernel, access) ? "store"
                                                       : "load";
}

/* ---- sentences ---- */

void wl_estimators_text(const wl_prediction *p, wl_buffer *out)
{
    wl_buffer_add(out, "L1 %s, volumes %s (counted by %s%s), time %s", wl_l1_estimator_name(p->has_tag_hash),
                  wl_volume_estimator_name(p->volume_estimator), wl_count_method_name(p->count_method),
                  p->has_replayed ? ", replayed" : "", wl_model_name(p->model.id));
    if (p->kernel && p->kernel->counted_by)
        wl_buffer_add(out, ", instructions by %s", p->kernel->counted_by);
}

void wl_gap_line(const char *text, wl_buffer *out)
{
    wl_mark_line(out, 4);
    wl_mark_text(out, WL_MARK_FAILURE, "warning:");
    wl_buffer_add(out, " %s\n", text);
}

void wl_gap_lines(const wl_prediction *p, wl_buffer *out)
{
    for (int i = 0; i < p->warning_count; i++)
        if (p->warning_kind[i] == WL_WARNING_GAP)
            wl_gap_line(p->warnings[i], out);
}

bool wl_prediction_has_gaps(const wl_prediction *p)
{
    for (int i = 0; i < p->warning_count; i++)
        if (p->warning_kind[i] == WL_WARNING_GAP)
            return true;
    return false;
}

void wl_prediction_notes(const wl_prediction *p, const char *lead, wl_buffer *out)
{
    for (int i = 0; i < p->warning_count; i++)
        if (p->warning_kind[i] != WL_WARNING_GAP)
            wl_note_line(out, lead, "%s", p->warnings[i]);
}

void wl_wrapped_text(const char *text, int width, wl_buffer *out)
{
    int column = 0;
    for (const char *word = text; *word;) {
        int length = (int)strcspn(word, " ");
        if (strncmp(word + length, " %", 2) == 0) /* "38 %" stays together */
            length += 1 + (int)strcspn(word + length + 1, " ");
        if (column > 0 && column + 1 + length > width) {
            wl_buffer_text(out, "\n");
            column = 0;
        }
        if (column == 0)
            wl_mark_line(out, 2); /* for a narrower terminal */
        wl_buffer_add(out, "%s%.*s", column ? " " : "  ", length, word);
        column += length + (column > 0);
        word += length + (word[length] == ' ');
    }
    wl_buffer_text(out, "\n");
}

/* The distance to the next blank at which a line may end: a number and its unit stay together. */
static size_t piece_length(const char *text)
{
    size_t length = strcspn(text, " ");
    while (text[length] == ' ' && length > 0 && text[length - 1] >= '0' && text[length - 1] <= '9' &&
           ((text[length + 1] >= 'A' && text[length + 1] <= 'Z') || text[length + 1] == '%'))
        length += 1 + strcspn(text + length + 1, " ");
    return length;
}

void wl_hanging_text(const char *head, const char *text, size_t width, wl_buffer *out)
{
    const size_t indent = strlen(head);
    size_t column = indent;
    wl_buffer_text(out, head);
    for (const char *word = text; *word;) {
        const size_t length = piece_length(word);
        if (column > indent && column + 1 + length > width) {
            wl_buffer_add(out, "\n%*s", (int)indent, "");
            column = indent;
        }
        wl_buffer_add(out, "%s%.*s", column > indent ? " " : "", (int)length, word);
        column += length + (column > indent);
        word += length + (word[length] == ' ');
    }
    wl_buffer_text(out, "\n");
}
