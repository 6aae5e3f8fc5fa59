/* prediction_table.c - launches side by side, with the parts of the memory volume as bars. SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "report/prediction_report.h"
#include "report/shape_text.h"

#define BAR_WIDTH 48

/* What is loaded, what is evicted and loaded again, what earlier blocks had left in the cache; per update. */
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

static void add_line(const wl_prediction *p, wl_buffer *out)
{
    const double items = (double)p->items;
    char block[WL_SHAPE_LENGTH], fold[WL_SHAPE_LENGTH];
    (void)wl_shape_text(p->launch.block, block);
    (void)wl_shape_text(p->launch.fold, fold);
    wl_buffer_add(out, "%-12s %-6s %3lld %9.3f", block, fold, (long long)p->occupancy.blocks_per_sm,
                  p->metrics[WL_METRIC_l1_wavefronts].value / items);
    wl_buffer_add(out, " %8.1f",
                  (p->metrics[WL_METRIC_l2_load_bytes].value + p->metrics[WL_METRIC_l2_store_bytes].value) / items);
    if (p->metrics[WL_METRIC_dram_load_bytes].known)
        wl_buffer_add(out, " %8.1f %8.1f", p->metrics[WL_METRIC_dram_load_bytes].value / items,
                      p->metrics[WL_METRIC_dram_store_bytes].value / items);
    else
        wl_buffer_add(out, " %8s %8s", "-", "-");
    wl_buffer_add(out, " %8.3f %8.1f  %s\n", 1e3 * p->model.time_s, 1e-9 * p->model.items_per_s,
                  wl_bound_name(p->model.limiter));
}

static void add_bar(const wl_prediction *p, double scale, wl_buffer *out)
{
    const parts v = parts_of(p);
    char block[WL_SHAPE_LENGTH];
    (void)wl_shape_text(p->launch.block, block);
    wl_buffer_add(out, "%-12s |", block);
    wl_buffer_repeat(out, "#", (int)lround(v.loaded * scale));
    wl_buffer_repeat(out, "+", (int)lround(v.again * scale));
    wl_buffer_repeat(out, ".", (int)lround(v.saved * scale));
    wl_buffer_add(out, "| %.1f B loaded, %.1f B saved\n", v.loaded + v.again, v.saved);
}

/* Each note once, whichever launch it belongs to. */
static void add_notes(const wl_prediction *const *predictions, size_t count, wl_buffer *out)
{
    const char *lead = "\n";
    for (size_t i = 0; i < count; i++) {
        for (int w = 0; w < predictions[i]->warning_count; w++) {
            bool shown = false;
            for (size_t j = 0; j < i && !shown; j++)
                for (int v = 0; v < predictions[j]->warning_count && !shown; v++)
                    shown = strcmp(predictions[j]->warnings[v], predictions[i]->warnings[w]) == 0;
            if (!shown)
                wl_buffer_add(out, "%snote: %s\n", lead, predictions[i]->warnings[w]);
            lead = shown ? lead : "";
        }
    }
}

wl_status wl_predictions_table(const wl_prediction *const *predictions, size_t count, const wl_kernel *kernel,
                               const wl_device *device, char **out, wl_error *err)
{
    wl_buffer text = {0};
    double longest = 0;
    wl_buffer_add(&text, "%s on %s (%s)\n\n", wl_kernel_name(kernel), wl_device_name(device), wl_device_title(device));
    wl_buffer_add(&text, "%-12s %-6s %3s %9s %8s %8s %8s %8s %8s\n", "", "", "blk", "L1 wavefr", "L2-L1", "DRAM",
                  "DRAM", "time", "");
    wl_buffer_add(&text, "%-12s %-6s %3s %9s %8s %8s %8s %8s %8s  %s\n", "block", "fold", "/SM", "per LUP", "B/LUP",
                  "ld B/LUP", "st B/LUP", "ms", "GLUP/s", "limiter");
    for (size_t i = 0; i < count; i++) {
        const parts v = parts_of(predictions[i]);
        longest = fmax(longest, v.loaded + v.again + v.saved);
        add_line(predictions[i], &text);
    }
    if (longest > 0) {
        wl_buffer_add(&text, "\nDRAM loads per update: # loaded, + loaded again or to complete stores, . found in the "
                             "L2 from earlier blocks\n");
        for (size_t i = 0; i < count; i++)
            add_bar(predictions[i], BAR_WIDTH / longest, &text);
    }
    add_notes(predictions, count, &text);
    if (count > 0 && predictions[0]->confidence)
        wl_confidence_text(device, predictions[0]->model.id, &text);
    return wl_buffer_take(&text, out, err);
}
