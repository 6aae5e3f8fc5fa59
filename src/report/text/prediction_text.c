/* prediction_text.c - a prediction for people: per launch, per work item, and where the time goes.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "device/device_internal.h"
#include "metrics/layer_condition.h"
#include "report/common/derived.h"
#include "report/common/marks.h"
#include "report/common/prediction_report.h"
#include "report/common/words.h"
#include "roofline/limit_words.h"

#define BAR_WIDTH 40
#define PARTS_COLUMN 50 /* where the parts of a metric begin in its row */

static void add_row(const wl_report *r, const char *label, wl_metric metric, wl_buffer *out)
{
    const wl_value *v = &r->prediction->metrics[metric];
    const double items = (double)r->prediction->items;
    const bool bytes = wl_metric_unit(metric)[0] == 'b';
    if (!v->known) {
        wl_buffer_add(out, "  %-16s %12s\n", label, "unknown");
        return;
    }
    wl_mark_row(out, PARTS_COLUMN);
    wl_buffer_add(out, "  %-16s %11s%-2s %10.4g %s", label, wl_scaled(v->value).text, bytes ? "B" : "",
                  v->value / items, bytes ? "B" : " ");
    const char *separator = "   = ";
    for (int i = 0; i < v->part_count; i++) {
        if (fabs(v->parts[i].value) <= 1e-4 * fabs(v->value))
            continue; /* would not show in four digits */
        wl_buffer_add(out, "%s%s %.4g", separator, v->parts[i].name, v->parts[i].value / items);
        separator = ", ";
    }
    wl_buffer_add(out, "\n");
}

static const char *plural(int64_t count) { return count == 1 ? "" : "s"; }

static void add_head(const wl_report *r, wl_buffer *out)
{
    const wl_prediction *p = r->prediction;
    wl_kernel_headline(out, r->kernel, r->device);
    wl_buffer_text(out, "\n");
    wl_line(out, 4, "  block %s, fold %s, grid %s, %lld registers, %lld B shared\n",
            wl_shape_text(p->launch.block).text, wl_shape_text(p->launch.fold).text, wl_shape_text(p->launch.grid).text,
            (long long)p->launch.registers, (long long)p->launch.shared_bytes);
    wl_line(out, 4, "  %lld %s; %lld block%s and %lld warp%s per %s (limit: %s); a wave is %lld of %lld block%s\n",
            (long long)p->items, wl_work_unit_explained(p->work_unit, p->items), (long long)p->occupancy.blocks_per_sm,
            plural(p->occupancy.blocks_per_sm), (long long)p->occupancy.warps_per_sm, plural(p->occupancy.warps_per_sm),
            wl_device_sm_word(r->device), wl_occupancy_limit_name(p->occupancy.limiter), (long long)p->wave_blocks,
            (long long)p->blocks, plural(p->blocks));
}

/* Time, work rate, and the share of every peak that is used. */
static void add_headline(const wl_report *r, wl_buffer *out)
{
    const wl_model_result *m = &r->prediction->model;
    wl_tallies tallies;
    wl_ceilings ceilings;
    wl_use uses[WL_USES_MAX];
    double flops;
    if (!(m->time_s > 0))
        return;
    const wl_limited launch = {r->prediction, r->kernel, r->device};
    wl_tallies_predicted(r->prediction, r->kernel, r->device, &tallies);
    wl_line(out, 4, "  ");
    wl_headline(out, "%s, %s%s/s", wl_quantity(WL_DIM_TIME, m->time_s).text, wl_scaled(m->items_per_s).text,
                wl_work_unit_words(r->prediction->work_unit)->brief);
    if (wl_all_flops(&tallies, &flops) && flops > 0)
        wl_buffer_add(out, ", %sFLOP/s", wl_scaled(flops / m->time_s).text);
    const int count = wl_uses_predicted(&launch, &ceilings, uses);
    for (int i = 0; i < count; i++)
        if (wl_use_shows(&uses[i], &ceilings))
            wl_buffer_add(out, "%s %s %.3g %%", i == 0 ? "; of peak:" : ",", wl_use_name(&uses[i]),
                          100 * uses[i].share);
    wl_buffer_add(out, "\n");
}

static void add_metrics(const wl_report *r, wl_buffer *out)
{
    /* those with another metric are shown where that is known */
    static const struct {
        const char *label;
        wl_metric metric, with;
    } rows[] = {{"global loads", WL_METRIC_inst_global_ld, WL_METRIC_COUNT},
                {"global stores", WL_METRIC_inst_global_st, WL_METRIC_COUNT},
                {"local loads", WL_METRIC_inst_local_ld, WL_METRIC_inst_local_ld},
                {"local stores", WL_METRIC_inst_local_st, WL_METRIC_inst_local_ld},
                {"global atomics", WL_METRIC_inst_atomic, WL_METRIC_inst_atomic},
                {"texture fetches", WL_METRIC_inst_texture, WL_METRIC_inst_texture},
                {"surface accesses", WL_METRIC_inst_surface, WL_METRIC_inst_texture},
                {"flops", WL_METRIC_flops, WL_METRIC_COUNT},
                {"tensor flops", WL_METRIC_tensor_flops, WL_METRIC_tensor_flops},
                {"L1 wavefronts", WL_METRIC_l1_wavefronts, WL_METRIC_COUNT},
                {"L1 tag wavefr.", WL_METRIC_l1_tag_wavefronts, WL_METRIC_COUNT},
                {"L1 sectors ld", WL_METRIC_l1_sectors_ld, WL_METRIC_COUNT},
                {"L1 sectors st", WL_METRIC_l1_sectors_st, WL_METRIC_COUNT},
                {"L1 sectors tex", WL_METRIC_texture_sectors, WL_METRIC_inst_texture},
                {"DSMEM loads", WL_METRIC_dsmem_load_bytes, WL_METRIC_dsmem_load_bytes},
                {"DSMEM stores", WL_METRIC_dsmem_store_bytes, WL_METRIC_dsmem_load_bytes},
                {"L2-L1 loads", WL_METRIC_l2_load_bytes, WL_METRIC_COUNT},
                {"L2-L1 stores", WL_METRIC_l2_store_bytes, WL_METRIC_COUNT},
                {"DRAM loads", WL_METRIC_dram_load_bytes, WL_METRIC_COUNT},
                {"DRAM stores", WL_METRIC_dram_store_bytes, WL_METRIC_COUNT}};
    wl_buffer_add(out, "\n  %-16s %12s %11s\n", "", "per launch",
                  wl_short_of("per %s", wl_work_unit_words(r->prediction->work_unit)->one).text);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].with == WL_METRIC_COUNT || r->prediction->metrics[rows[i].with].known)
            add_row(r, rows[i].label, rows[i].metric, out);
}

/* "LABEL  4 per load, 8 per store": the known figures. */
static void add_derived(const wl_report *r, const char *label, const wl_derived_id *ids, const char *const *what, int n,
                        wl_buffer *out)
{
    const char *separator = " ";
    double value;
    for (int i = 0; i < n; i++) {
        if (!wl_derived(r, ids[i], &value) || value <= 0)
            continue;
        if (separator[0] == ' ')
            wl_buffer_add(out, "  %-16s", label);
        wl_buffer_add(out, "%s%s%.4g %s", separator, separator[0] == ' ' ? "" : " ", value, what[i]);
        separator = ",";
    }
    if (separator[0] == ',')
        wl_buffer_add(out, "\n");
}

static void add_figures(const wl_report *r, wl_buffer *out)
{
    static const wl_derived_id access[] = {WL_SECTORS_PER_LOAD, WL_SECTORS_PER_STORE, WL_WAVEFRONTS_PER_SHARED},
                               intensity[] = {WL_FLOPS_PER_DRAM_BYTE, WL_FLOPS_PER_L2_BYTE, WL_FLOPS_PER_L1_BYTE};
    static const char *const of_access[] = {"sectors per load", "per store", "wavefronts per shared access"};
    static const char *const of_intensity[] = {"flops per byte of DRAM", "of L2", "of L1"};
    add_derived(r, "warp accesses", access, of_access, 3, out);
    add_derived(r, "intensity", intensity, of_intensity, 3, out);
}

/* Classes by their share, "fp64 26 %". */
static void add_classes(const wl_mix *mix, double all, wl_buffer *out)
{
    const char *separator = "";
    wl_line(out, 19, "  %-16s ", "");
    for (int c = 0; c < WL_INST_CLASS_COUNT; c++) {
        if (mix->warp[c] <= 0)
            continue;
        wl_buffer_add(out, "%s%s %.1f %%", separator, wl_inst_class_name((wl_inst_class)c), 100 * mix->warp[c] / all);
        separator = ", ";
    }
    wl_buffer_add(out, "\n");
}

static void add_instructions(const wl_report *r, wl_buffer *out)
{
    const wl_prediction *p = r->prediction;
    const double warp = p->metrics[WL_METRIC_inst_executed].value, thread = p->metrics[WL_METRIC_thread_inst].value;
    double lanes;
    if (!wl_derived(r, WL_LANES_ACTIVE, &lanes))
        return;
    const double size = wl_device_or(r->device, WL_DEVICE_warp_size, 0);
    wl_buffer_add(out, "\n  %-16s %s of warps, %s of threads; %.3g of %.0f lanes active\n", "instructions",
                  wl_scaled_bare(warp).text, wl_scaled_bare(thread).text, lanes, size);
    if (!p->has_mix)
        return;
    add_classes(&p->mix, warp, out);
    if (p->mix.thread_on < thread)
        wl_buffer_add(out, "  %-16s %.1f %% of thread instructions predicated off\n", "",
                      100 * (1 - p->mix.thread_on / thread));
    if (p->mix.branches > 0)
        wl_buffer_add(out, "  %-16s %.1f %% of branches divergent\n", "", 100 * p->mix.divergent / p->mix.branches);
}

static void add_lines(const wl_report *r, wl_buffer *out)
{
    const wl_prediction *p = r->prediction;
    const double all = p->metrics[WL_METRIC_inst_executed].value;
    if (p->line_count == 0)
        return;
    wl_buffer_add(out, "\n  %-32s %12s %7s %12s %12s\n", "source line", "warp instr.", "share", "global acc.",
                  "shared acc.");
    for (size_t i = 0; i < p->line_count; i++) {
        const wl_line_mix *l = &p->lines[i];
        char place[80];
        (void)snprintf(place, sizeof place, "%.60s:%d", l->file, (int)l->line);
        wl_buffer_add(out, "  %-32s %12s %6.1f%% %12s %12s\n", place, wl_scaled_bare(l->warp).text,
                      all > 0 ? 100 * l->warp / all : 0, wl_scaled_bare(l->global_accesses).text,
                      wl_scaled_bare(l->shared_accesses).text);
    }
}

static void add_caches(const wl_report *r, wl_buffer *out)
{
    const wl_prediction *p = r->prediction;
    wl_buffer_text(out, "\n");
    wl_line(out, 6, "  L1: %s touched of %s; oversubscription %.2f, %.1f %% of possible hits miss\n",
            wl_quantity(WL_DIM_BYTES, p->metrics[WL_METRIC_l1_alloc_bytes].value).text,
            wl_quantity(WL_DIM_BYTES, (double)p->occupancy.l1_bytes).text, p->l1_oversubscription,
            100 * p->l1_miss_rate);
    if (p->metrics[WL_METRIC_l2_alloc_bytes].known) {
        wl_buffer_add(out, "  L2: a wave touches %s",
                      wl_quantity(WL_DIM_BYTES, p->metrics[WL_METRIC_l2_alloc_bytes].value).text);
        if (p->metrics[WL_METRIC_tlb_pages].known)
            wl_buffer_add(out, " on %.0f pages of 2 MiB", p->metrics[WL_METRIC_tlb_pages].value);
        wl_buffer_add(out, "\n");
    }
    for (int i = 0; i < 3; i++) {
        const wl_reuse *u = &p->reuse[i];
        if (!u->exists)
            continue;
        wl_buffer_add(out, "      reuse in %c: %s per wave, oversubscription %.2f, hit rate %.1f %%\n", 'x' + i,
                      wl_quantity(WL_DIM_BYTES, u->overlap_bytes).text, u->oversubscription, 100 * u->hit_rate);
    }
}

static void add_layer_condition(const wl_report *r, wl_buffer *out)
{
    wl_layer_condition c;
    const wl_status status = wl_layer_condition_of(r->prediction, r->kernel, r->device, &c, NULL);
    out->failed = out->failed || status == WL_E_NOMEM;
    if (status != WL_OK || c.layers < 2)
        return; /* no layer condition: nothing is reused from layer to layer */
    wl_line(out, 8, "      layer condition of a sequential sweep: %lld layers, %s in %s: %s\n", (long long)c.layers,
            wl_quantity(WL_DIM_BYTES, c.needed_bytes).text, wl_quantity(WL_DIM_BYTES, c.room_bytes).text,
            c.holds ? "holds" : "fails");
}

static const char *share_name(const wl_report *r, size_t fields, size_t i)
{
    return i < fields ? wl_kernel_field_name(r->kernel, i) : wl_kernel_access_text(r->kernel, i - fields);
}

/* The width of the longest name, so that columns stay aligned. */
static int share_width(const wl_report *r, size_t fields, size_t count)
{
    enum { LEAST = 16, MOST = 40 };
    size_t width = LEAST;
    for (size_t i = 0; i < count; i++)
        width = strlen(share_name(r, fields, i)) > width ? strlen(share_name(r, fields, i)) : width;
    return width < MOST ? (int)width : MOST;
}

static void add_shares(const wl_report *r, wl_buffer *out)
{
    const wl_prediction *p = r->prediction;
    const double items = (double)p->items;
    const size_t fields = p->fields ? wl_kernel_field_count(r->kernel) : 0,
                 n = p->accesses ? wl_kernel_access_count(r->kernel) : 0;
    if (fields < 2 && n == 0)
        return;
    const int width = share_width(r, fields, fields + n);
    wl_buffer_add(out, "\n  per %-*s", width - (int)strlen("per "), wl_work_unit_words(p->work_unit)->one);
    wl_mark_wide(out, " %10s", "wavefronts");
    wl_buffer_text(out, "  L2 load   L2 store  DRAM load  DRAM store\n");
    for (size_t i = 0; i < fields + n; i++) {
        const wl_share *s = i < fields ? &p->fields[i] : &p->accesses[i - fields];
        wl_buffer_add(out, "  %-*s", width, share_name(r, fields, i));
        wl_mark_wide(out, " %10.4g", s->l1_wavefronts / items);
        wl_buffer_add(out, " %8.4g B %8.4g B", s->l2_load_bytes / items, s->l2_store_bytes / items);
        if (p->metrics[WL_METRIC_dram_load_bytes].known)
            wl_buffer_add(out, " %8.4g B %9.4g B\n", s->dram_load_bytes / items, s->dram_store_bytes / items);
        else
            wl_buffer_add(out, " %10s %11s\n", "unknown", "unknown");
    }
}

/* What a block waits for, if that comes from the life of a warp: largest first. */
static void add_waits(const wl_model_result *m, wl_buffer *out)
{
    wl_named_wait waits[WL_NAMED_WAITS];
    const char *separator = "";
    const int count = wl_named_waits(&m->waits, waits);
    bool taken[WL_NAMED_WAITS] = {false};
    if (!m->from_life)
        return;
    wl_line(out, 4, "  waits, from the life of a warp: ");
    for (int n = 0; n < count; n++) {
        int most = 0;
        while (taken[most])
            most++;
        for (int i = most + 1; i < count; i++)
            if (!taken[i] && waits[i].cycles > waits[most].cycles)
                most = i;
        taken[most] = true;
        if (waits[most].cycles < m->wait_cycles / 20)
            break; /* less than a twentieth */
        wl_buffer_add(out, "%s%s %.0f", separator, waits[most].name, waits[most].cycles);
        separator = ", ";
    }
    wl_buffer_add(out, " cycles\n");
}

#define GIGA 1e9
#define LEAST_TAIL 0.01 /* share of the wait of a block: less is not shown */

/* How long a block stays on its multiprocessor, and how many others share it: a small launch does
 * not fill it. */
static void add_block(const wl_report *r, wl_buffer *out)
{
    const wl_prediction *p = r->prediction;
    if (p->model.own_cycles <= 0)
        return;
    const double sms = wl_device_or(r->device, WL_DEVICE_sm_count, 1);
    const double others = fmin((double)p->occupancy.blocks_per_sm, ceil((double)p->blocks / sms)) - 1;
    wl_buffer_add(out, "  a block keeps its %s busy for %.0f cycles and waits %.0f, ", wl_device_sm_word(r->device),
                  p->model.own_cycles, p->model.wait_cycles);
    if (others > 0)
        wl_buffer_add(out, "beside %.0f other%s\n", others, others > 1 ? "s" : "");
    else
        wl_buffer_text(out, "alone there\n");
    if (p->model.tensor_load > 0)
        wl_buffer_add(out, "  the clock falls to %.2f GHz: tensor cores are busy %.0f %% of the time\n",
                      p->model.clock_hz / GIGA, 100 * p->model.tensor_load);
    if (p->model.tail_cycles > LEAST_TAIL * p->model.wait_cycles)
        wl_buffer_add(out, "  blocks end one after the other, the last one %.0f cycles later than all together\n",
                      p->model.tail_cycles);
}

static void add_model(const wl_report *r, wl_buffer *out)
{
    const wl_model_result *m = &r->prediction->model;
    wl_buffer_add(out, "\n");
    for (int i = 0; i < WL_BOUND_COUNT; i++) {
        if (!m->bound_known[i])
            continue;
        wl_mark_if(out, (wl_bound_id)i == m->limiter, WL_MARK_LIMITER);
        wl_buffer_add(out, "  %-8s %10s  ", wl_bound_name((wl_bound_id)i),
                      wl_quantity(WL_DIM_TIME, m->bound_s[i]).text);
        wl_buffer_repeat(out, "#", m->time_s > 0 ? (int)(BAR_WIDTH * m->bound_s[i] / m->time_s + 0.5) : 0);
        wl_buffer_text(out, (wl_bound_id)i == m->limiter                         ? "  <- limiter"
                            : (wl_bound_id)i == m->next && m->next != m->limiter ? "  <- next"
                                                                                 : "");
        wl_mark_if(out, (wl_bound_id)i == m->limiter, WL_MARK_END);
        wl_buffer_text(out, "\n");
    }
    add_block(r, out);
    add_waits(m, out);
    if (m->kinds.count > 0)
        wl_buffer_add(out, "  blocks of %d kinds: %s %.0f that wait up to %.0f cycles\n", m->kinds.count,
                      m->kinds.last >= 0 ? "the last to end is of" : "the longest are", m->kinds.blocks,
                      m->kinds.wait_cycles);
    wl_line(out, 4, "  predicted %s, %s%s/s, limited by ", wl_quantity(WL_DIM_TIME, m->time_s).text,
            wl_scaled(m->items_per_s).text, wl_work_unit_words(r->prediction->work_unit)->brief);
    wl_mark_text(out, WL_MARK_LIMITER, wl_bound_name(m->limiter));
    if (m->next != m->limiter)
        wl_buffer_add(out, ", then %s", wl_bound_name(m->next));
    wl_buffer_add(out, "\n");
}

void wl_report_text(const void *result, wl_buffer *out)
{
    const wl_report *r = result;
    const wl_prediction *p = r->prediction;
    wl_gap_lines(p, out);
    add_head(r, out);
    add_headline(r, out);
    add_metrics(r, out);
    add_figures(r, out);
    add_instructions(r, out);
    add_caches(r, out);
    add_layer_condition(r, out);
    add_shares(r, out);
    add_lines(r, out);
    add_model(r, out);
    wl_buffer_text(out, "\n");
    wl_line(out, 4, "  estimators: ");
    wl_estimators_text(p, out);
    wl_buffer_text(out, "\n");
    wl_prediction_notes(p, "  ", out);
    if (p->confidence)
        wl_confidence_text(r->device, p->model.id, out);
}
