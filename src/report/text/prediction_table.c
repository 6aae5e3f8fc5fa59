/* prediction_table.c - launches side by side, with the parts of the memory volume as bars.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "device/device_internal.h"
#include "report/common/marks.h"
#include "report/common/prediction_report.h"
#include "report/common/words.h"

#define BAR_WIDTH 48

/* Loads, loads after eviction, and loads saved because earlier blocks left the data in the cache;
 * per unit of work. */
typedef struct parts {
    double loaded, again, saved;
} parts;

static parts parts_of(const wl_prediction *p)
{
    const wl_value *v = &p->metrics[WL_METRIC_dram_load_bytes];
    parts out = {0};
    for (int i = 0; i < v->part_count; i++) {
        const double each = v->parts[i].value / (double)p->items;
        if (i == 0)
            out.loaded += each;
        else if (each < 0) {
            out.saved -= each;
            out.loaded += each;
        } else {
            out.again += each;
        }
    }
    return out;
}

/* The columns of a launch behind that of its block, which stands first; the column of resident
 * blocks is as wide as its head, "/SM" or "/SM|CU". */
static void add_cells(const char *block, const char *sm_word, const char *const cells[8], wl_buffer *out)
{
    const int blocks = (int)strlen("/") + (int)strlen(sm_word);
    const wl_cell_place places[8] = {{-6, false}, {blocks, false}, {9, true},  {8, true},
                                     {8, false},  {8, true},       {8, false}, {8, false}};
    wl_buffer_add(out, "%-12s", block);
    wl_cells(out, places, 8, cells);
}

static void add_numbers(const wl_prediction *p, const char *sm_word, wl_buffer *out)
{
    const double items = (double)p->items;
    const wl_value *m = p->metrics;
    const bool dram = m[WL_METRIC_dram_load_bytes].known;
    add_cells(
        wl_shape_text(p->launch.block).text, sm_word,
        (const char *[]){
            wl_shape_text(p->launch.fold).text, wl_cell_number("%.0f", (double)p->occupancy.blocks_per_sm).text,
            wl_cell_number("%.3f", m[WL_METRIC_l1_wavefronts].value / items).text,
            wl_cell_number("%.1f", (m[WL_METRIC_l2_load_bytes].value + m[WL_METRIC_l2_store_bytes].value) / items).text,
            wl_cell_number("%.1f", dram ? m[WL_METRIC_dram_load_bytes].value / items : NAN).text,
            wl_cell_number("%.1f", dram ? m[WL_METRIC_dram_store_bytes].value / items : NAN).text,
            wl_cell_number("%.3f", 1e3 * p->model.time_s).text,
            wl_cell_number("%.1f", 1e-9 * p->model.items_per_s).text},
        out);
}

static void add_upper_head(const char *sm_word, wl_buffer *out)
{
    add_cells("", sm_word, (const char *[]){"", "blk", "L1 wavefr", "L2-L1", "DRAM ld", "DRAM st", "time", ""}, out);
}

static void add_lower_head(const char *sm_word, const wl_unit_heads *h, wl_buffer *out)
{
    add_cells(
        "block", sm_word,
        (const char *[]){"fold", wl_short_of("/%s", sm_word).text, h->per, h->bytes, h->bytes, h->bytes, "ms", h->rate},
        out);
}

/* Of several launches with the same work, the fastest; `count`: none is highlighted. */
static size_t best_of(const wl_prediction *const *predictions, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++) {
        if (predictions[i]->items != predictions[0]->items)
            return count;
        best = predictions[i]->model.time_s < predictions[best]->model.time_s ? i : best;
    }
    return count > 1 ? best : count;
}

static void add_line(const wl_prediction *p, bool best, wl_buffer *out)
{
    wl_mark_if(out, best, WL_MARK_BEST);
    add_numbers(p, p->sm_word, out);
    wl_buffer_add(out, "  %s", wl_bound_name(p->model.limiter));
    wl_mark_if(out, best, WL_MARK_END);
    wl_buffer_text(out, "\n");
}

static void add_bar(const wl_prediction *p, double scale, wl_buffer *out)
{
    const parts v = parts_of(p);
    wl_buffer_add(out, "%-12s |", wl_shape_text(p->launch.block).text);
    wl_buffer_repeat(out, "#", (int)lround(v.loaded * scale));
    wl_buffer_repeat(out, "+", (int)lround(v.again * scale));
    wl_buffer_repeat(out, ".", (int)lround(v.saved * scale));
    wl_buffer_add(out, "| %.1f B", v.loaded + v.again);
    wl_mark_wide(out, " loaded, %.1f B saved", v.saved);
    wl_buffer_text(out, "\n");
}

static bool has_note(const wl_prediction *p, const char *note)
{
    for (int w = 0; w < p->warning_count; w++)
        if (strcmp(p->warnings[w], note) == 0)
            return true;
    return false;
}

/* Has prediction i the note first? */
static bool is_first(const wl_prediction *const *predictions, size_t i, const char *note)
{
    for (size_t j = 0; j < i; j++)
        if (has_note(predictions[j], note))
            return false;
    return true;
}

/* Was the device named before prediction i? */
static bool is_named(const wl_prediction *const *predictions, const wl_device *const *devices, size_t i,
                     const char *note)
{
    for (size_t j = 0; j < i; j++)
        if (devices[j] == devices[i] && has_note(predictions[j], note))
            return true;
    return false;
}

/* A note, with the devices that it concerns unless it concerns all, or there is one (NULL): "note
 * (h200, v100): .." */
static void add_note(const wl_prediction *const *predictions, const wl_device *const *devices, size_t count,
                     const char *note, wl_buffer *out)
{
    size_t about = 0;
    for (size_t i = 0; i < count; i++)
        about += has_note(predictions[i], note);
    if (!devices || about == count) {
        wl_note_line(out, "", "%s", note);
        return;
    }
    const char *lead = "note (";
    wl_note_start(out);
    for (size_t i = 0; i < count; i++) {
        if (!has_note(predictions[i], note) || is_named(predictions, devices, i, note))
            continue;
        wl_buffer_add(out, "%s%s", lead, wl_device_name(devices[i]));
        lead = ", ";
    }
    wl_buffer_add(out, "): %s\n", note);
}

/* Each note once, whichever launch it belongs to. */
static void add_notes(const wl_prediction *const *predictions, const wl_device *const *devices, size_t count,
                      wl_buffer *out)
{
    bool any = devices != NULL;
    if (any) /* more notes follow */
        wl_note_gap(out);
    for (size_t i = 0; i < count; i++)
        for (int w = 0; w < predictions[i]->warning_count; w++) {
            const char *note = predictions[i]->warnings[w];
            if (predictions[i]->warning_kind[w] == WL_WARNING_GAP || !is_first(predictions, i, note))
                continue;
            if (!any)
                wl_note_gap(out);
            add_note(predictions, devices, count, note, out);
            any = true;
        }
}

/* What some launch leaves out or guesses, above the table. */
static void add_gaps(const wl_prediction *const *predictions, size_t count, wl_buffer *out)
{
    for (size_t i = 0; i < count; i++)
        for (int w = 0; w < predictions[i]->warning_count; w++)
            if (predictions[i]->warning_kind[w] == WL_WARNING_GAP &&
                is_first(predictions, i, predictions[i]->warnings[w]))
                wl_gap_line(predictions[i]->warnings[w], out);
}

/* 0: launches differ. */
static int64_t common_items(const wl_prediction *const *predictions, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (predictions[i]->items != predictions[0]->items)
            return 0;
    return count > 0 ? predictions[0]->items : 0;
}

wl_status wl_predictions_table(const wl_prediction *const *predictions, size_t count, const wl_kernel *kernel,
                               const wl_device *device, wl_format format, char **out, wl_error *err)
{
    wl_buffer text = wl_text_buffer(format);
    const size_t best = best_of(predictions, count);
    double longest = 0;
    const wl_work_unit unit = wl_kernel_work_unit(kernel);
    const wl_unit_heads h = wl_unit_heads_of(unit);
    add_gaps(predictions, count, &text);
    wl_kernel_headline(&text, kernel, device);
    wl_unit_explain(", ", unit, common_items(predictions, count), &text);
    wl_buffer_text(&text, "\n\n");
    add_upper_head(wl_device_sm_word(device), &text);
    wl_buffer_text(&text, "\n");
    add_lower_head(wl_device_sm_word(device), &h, &text);
    wl_buffer_text(&text, "  limiter\n");
    for (size_t i = 0; i < count; i++) {
        const parts v = parts_of(predictions[i]);
        longest = fmax(longest, v.loaded + v.again + v.saved);
        add_line(predictions[i], i == best, &text);
    }
    if (longest > 0) {
        wl_buffer_text(&text, "\n");
        wl_mark_line(&text, 2);
        wl_buffer_add(&text,
                      "DRAM loads per %s: # loaded, + loaded again or to complete stores, . found in the "
                      "L2 from earlier blocks\n",
                      wl_work_unit_words(unit)->one);
        for (size_t i = 0; i < count; i++)
            add_bar(predictions[i], BAR_WIDTH / longest, &text);
    }
    add_notes(predictions, NULL, count, &text);
    if (count > 0 && predictions[0]->confidence)
        wl_confidence_text(device, predictions[0]->model.id, &text);
    return wl_buffer_take(&text, out, err);
}

/* ---- several devices ---- */

/* Times of different models cannot be compared fairly. */
static void add_models(const wl_prediction *const *predictions, const wl_device *const *devices, size_t count,
                       wl_buffer *out)
{
    size_t other = 0;
    for (size_t i = count; i-- > 0;)
        other = predictions[i]->model.id != predictions[0]->model.id ? i : other;
    if (other > 0)
        wl_note_line(out, "",
                     "times come from different models, %s on %s and %s on %s: --model limiter compares like with like",
                     wl_model_name(predictions[0]->model.id), wl_device_name(devices[0]),
                     wl_model_name(predictions[other]->model.id), wl_device_name(devices[other]));
}

static int longest_name(const wl_device *const *devices, size_t count)
{
    int longest = (int)strlen("device");
    for (size_t i = 0; i < count; i++)
        longest = (int)fmax(longest, (double)strlen(wl_device_name(devices[i])));
    return longest;
}

static const char *sm_word_of_all(const wl_device *const *devices, size_t count)
{
    const char *word = wl_device_sm_word(devices[0]);
    for (size_t i = 1; i < count; i++)
        word = wl_sm_word_of_both(word, wl_device_sm_word(devices[i]));
    return word;
}

static void add_device_head(int width, const char *sm_word, const wl_unit_heads *h, wl_buffer *text)
{
    wl_buffer_add(text, "%-*s ", width, "");
    add_upper_head(sm_word, text);
    wl_buffer_add(text, " %8s\n%-*s ", "time /", width, "device");
    add_lower_head(sm_word, h, text);
    wl_buffer_add(text, " %8s  limiter\n", "first");
}

wl_status wl_predictions_by_device(const wl_prediction *const *predictions, const wl_device *const *devices,
                                   size_t count, const wl_kernel *kernel, wl_format format, char **out, wl_error *err)
{
    wl_buffer text = wl_text_buffer(format);
    const size_t best = best_of(predictions, count);
    const int width = longest_name(devices, count);
    const char *sm_word = sm_word_of_all(devices, count);
    double first = 0; /* time of the launch on the first device */
    const wl_work_unit unit = wl_kernel_work_unit(kernel);
    const wl_unit_heads h = wl_unit_heads_of(unit);
    add_gaps(predictions, count, &text);
    wl_headline(&text, "%s, devices compared", wl_kernel_name(kernel));
    wl_unit_explain(", ", unit, common_items(predictions, count), &text);
    wl_buffer_text(&text, "\n\n");
    add_device_head(width, sm_word, &h, &text);
    for (size_t i = 0; i < count; i++) {
        const wl_prediction *p = predictions[i];
        first = devices[i] == devices[0] ? p->model.time_s : first;
        wl_mark_if(&text, i == best, WL_MARK_BEST);
        wl_buffer_add(&text, "%-*s ", width, wl_device_name(devices[i]));
        add_numbers(p, sm_word, &text);
        const double ratio = first > 0 && p->model.time_s > 0 ? p->model.time_s / first : NAN;
        wl_buffer_add(&text, " %8s  %s", wl_cell_number("%.2f", ratio).text, wl_bound_name(p->model.limiter));
        wl_mark_if(&text, i == best, WL_MARK_END);
        wl_buffer_text(&text, "\n");
    }
    add_notes(predictions, devices, count, &text);
    add_models(predictions, devices, count, &text);
    for (size_t i = 0; i < count; i++)
        if (predictions[i]->confidence && (i == 0 || devices[i] != devices[i - 1]))
            wl_confidence_text(devices[i], predictions[i]->model.id, &text);
    return wl_buffer_take(&text, out, err);
}
