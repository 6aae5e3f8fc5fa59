/* page_volumes.c - the data volume on each level, by field, access and source line.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "report/common/words.h"
#include "report/page/page.h"

#define COLOURS 7      /* fields with a separate colour; all others share the last */
#define ROWS_MOST 1000 /* accesses or lines of a table */
#define LABELLED 0.12  /* share of the width: larger parts of a bar have room for a name */
#define SHOWS 1e-4     /* share of a level: if more belongs to no field, it is shown */

/* What crosses one level in one direction. */
typedef enum level { L1, L2_LOAD, L2_STORE, DRAM_LOAD, DRAM_STORE, LEVEL_COUNT } level;

static const char *const level_names[] = {"L1, loads and stores", "L2 to L1", "L1 to L2", "DRAM to L2", "L2 to DRAM"};
static const char *const level_keys[] = {"l1", "l2_load", "l2_store", "dram_load", "dram_store"};

typedef struct volumes {
    const wl_page_part *part;
    double sector; /* bytes */
    double total[LEVEL_COUNT], most;
    bool known[LEVEL_COUNT];
    size_t fields;
    size_t order[COLOURS]; /* fields with a colour, largest first */
    size_t coloured;
} volumes;

static double of_share(const volumes *v, const wl_share *s, level l)
{
    const double bytes[] = {s->l1_sectors * v->sector, s->l2_load_bytes, s->l2_store_bytes, s->dram_load_bytes,
                            s->dram_store_bytes};
    return bytes[l];
}

static double field_sum(const volumes *v, size_t field)
{
    double sum = 0;
    for (int l = 0; l < LEVEL_COUNT; l++)
        sum += v->known[l] ? of_share(v, &v->part->prediction->fields[field], (level)l) : 0;
    return sum;
}

static void order_fields(volumes *v)
{
    for (size_t n = 0; n < v->fields && n < COLOURS; n++) {
        size_t most = v->fields;
        for (size_t f = 0; f < v->fields; f++) {
            bool taken = false;
            for (size_t i = 0; i < n; i++)
                taken = taken || v->order[i] == f;
            if (!taken && (most == v->fields || field_sum(v, f) > field_sum(v, most)))
                most = f;
        }
        v->order[v->coloured++] = most;
    }
}

static volumes measure(const wl_page_part *p)
{
    static const wl_metric metrics[LEVEL_COUNT] = {WL_METRIC_l1_sectors_ld, WL_METRIC_l2_load_bytes,
                                                   WL_METRIC_l2_store_bytes, WL_METRIC_dram_load_bytes,
                                                   WL_METRIC_dram_store_bytes};
    const wl_value *all = p->prediction->metrics;
    volumes v = {.part = p, .sector = p->ceilings.sector};
    for (int l = 0; l < LEVEL_COUNT; l++) {
        v.known[l] = all[metrics[l]].known;
        v.total[l] = all[metrics[l]].value;
    }
    v.known[L1] = v.known[L1] && all[WL_METRIC_l1_sectors_st].known;
    v.total[L1] = v.sector * (v.total[L1] + all[WL_METRIC_l1_sectors_st].value +
                              (all[WL_METRIC_texture_sectors].known ? all[WL_METRIC_texture_sectors].value : 0));
    for (int l = 0; l < LEVEL_COUNT; l++)
        v.most = v.known[l] ? fmax(v.most, v.total[l]) : v.most;
    v.fields = p->prediction->fields ? wl_kernel_field_count(p->kernel) : 0;
    order_fields(&v);
    return v;
}

/* ---- bars ---- */

static void add_piece(const volumes *v, level l, size_t colour, const char *name, double bytes, wl_buffer *out)
{
    const double share = bytes / v->most;
    if (!(bytes > SHOWS * v->total[l]))
        return;
    wl_page_print(out, "<i class=\"f%zu\" style=\"width:%.3f%%\" data-field=\"%s\"", colour, 100 * share, name);
    wl_page_attribute(out, "data-bytes", bytes);
    wl_page_print(out, " title=\"%s: %sB, %.3g %%\">%s</i>", name, wl_scaled(bytes).text, 100 * bytes / v->total[l],
                  share >= LABELLED ? name : "");
}

/* The fields with a colour, the others, and volumes of no field: local memory, textures. */
static void add_pieces(const volumes *v, level l, wl_buffer *out)
{
    double left = v->total[l], others = 0;
    for (size_t i = 0; i < v->coloured; i++) {
        const double bytes = of_share(v, &v->part->prediction->fields[v->order[i]], l);
        add_piece(v, l, i, wl_kernel_field_name(v->part->kernel, v->order[i]), bytes, out);
        left -= bytes;
    }
    for (size_t f = 0; f < v->fields && v->fields > v->coloured; f++)
        others += of_share(v, &v->part->prediction->fields[f], l);
    if (v->fields > v->coloured)
        others -= v->total[l] - left;
    add_piece(v, l, COLOURS, "other fields", others, out);
    add_piece(v, l, COLOURS, "no field", left - others, out);
}

static void add_level(const volumes *v, level l, wl_buffer *out)
{
    const double items = (double)v->part->prediction->items;
    wl_buffer_add(out, "<tr data-level=\"%s\"", level_keys[l]);
    if (v->known[l])
        wl_page_attribute(out, "data-bytes", v->total[l]);
    wl_buffer_add(out, "><td>%s</td>", level_names[l]);
    if (!v->known[l]) {
        wl_buffer_text(out, "<td class=\"n\">unknown</td><td></td><td class=\"pieces\"></td></tr>\n");
        return;
    }
    wl_page_number(out, v->total[l], "%sB", wl_scaled(v->total[l]).text);
    wl_page_number(out, v->total[l] / items, "%.4g B", v->total[l] / items);
    wl_buffer_text(out, "<td class=\"pieces\"><div>");
    if (v->total[l] > 0)
        add_pieces(v, l, out);
    wl_buffer_text(out, "</div></td></tr>\n");
}

static void add_legend(const volumes *v, wl_buffer *out)
{
    wl_buffer_text(out, "<p class=\"legend\">");
    for (size_t i = 0; i < v->coloured; i++)
        wl_page_print(out, "<span><i class=\"f%zu\"></i>%s</span> ", i,
                      wl_kernel_field_name(v->part->kernel, v->order[i]));
    if (v->fields > v->coloured)
        wl_buffer_add(out, "<span><i class=\"f%d\"></i>%zu other fields</span>", COLOURS, v->fields - v->coloured);
    wl_buffer_text(out, "</p>\n");
}

static const char *unit_of(const wl_page_part *p) { return wl_work_unit_words(p->prediction->work_unit)->one; }

void wl_page_volumes(const wl_page_part *p, wl_buffer *out)
{
    const volumes v = measure(p);
    wl_buffer_add(out,
                  "<h3>Volumes on each level, by field</h3>\n"
                  "<div class=\"wide\"><table class=\"volumes\"><thead><tr><th scope=\"col\">between</th>"
                  "<th scope=\"col\" class=\"n\">per launch</th><th scope=\"col\" class=\"n\">per %s</th>"
                  "<th scope=\"col\">which field it is for</th></tr></thead>\n<tbody>\n",
                  unit_of(p));
    for (int l = 0; l < LEVEL_COUNT; l++)
        add_level(&v, (level)l, out);
    wl_page_table_end(out);
    add_legend(&v, out);
}

/* ---- accesses and lines ---- */

static void add_share(const wl_page_part *p, const wl_share *s, wl_buffer *out)
{
    const double items = (double)p->prediction->items;
    const double values[] = {s->inst,           s->l1_wavefronts,   s->l1_sectors,      s->l2_load_bytes,
                             s->l2_store_bytes, s->dram_load_bytes, s->dram_store_bytes};
    const bool dram = p->prediction->metrics[WL_METRIC_dram_load_bytes].known;
    for (int i = 0; i < 7; i++) {
        if (i >= 5 && !dram)
            wl_page_unknown(out);
        else
            wl_page_number(out, values[i], "%.4g", values[i] / items);
    }
}

#define SHARE_HEADS "#warp instr.|#L1 wavefronts|#L1 sectors|#L2 load B|#L2 store B|#DRAM load B|#DRAM store B"

static void add_fields(const wl_page_part *p, wl_buffer *out)
{
    const size_t count = p->prediction->fields ? wl_kernel_field_count(p->kernel) : 0;
    if (count == 0)
        return;
    wl_buffer_add(out, "<h4>By field, per %s</h4>\n", unit_of(p));
    wl_page_table(out, "fields", "field|" SHARE_HEADS);
    for (size_t f = 0; f < count; f++) {
        const char *name = wl_kernel_field_name(p->kernel, f);
        wl_page_print(out, "<tr data-field=\"%s\"><td>%s</td>", name, name);
        add_share(p, &p->prediction->fields[f], out);
        wl_buffer_text(out, "</tr>\n");
    }
    wl_page_table_end(out);
}

static void say_cut(size_t count, wl_buffer *out)
{
    if (count > ROWS_MOST)
        wl_buffer_add(out, "<p>The first %d of %zu.</p>\n", ROWS_MOST, count);
}

static void add_access(const wl_page_part *p, size_t a, wl_buffer *out)
{
    wl_buffer_text(out, "<tr>");
    wl_page_number(out, (double)a + 1, "%zu", a + 1);
    wl_page_print(out, "<td><code>%s</code></td><td>%s</td>", wl_kernel_access_text(p->kernel, a),
                  wl_access_kind(p->kernel, a));
    add_share(p, &p->prediction->accesses[a], out);
    wl_buffer_text(out, "</tr>\n");
}

static void add_all_accesses(const wl_page_part *p, wl_buffer *out)
{
    const size_t count = p->prediction->accesses ? wl_kernel_access_count(p->kernel) : 0;
    wl_buffer_add(out, "<h4>By access, per %s</h4>\n", unit_of(p));
    if (count == 0) {
        wl_buffer_text(out, "<p>No access is known on its own.</p>\n");
        return;
    }
    wl_buffer_text(out, "<p>In program order; a sector or line is counted for the access that touches it first.</p>\n");
    wl_page_table(out, "accesses", "##|access|kind|" SHARE_HEADS);
    for (size_t a = 0; a < count && a < ROWS_MOST; a++)
        add_access(p, a, out);
    wl_page_table_end(out);
    say_cut(count, out);
}

static void add_count(double count, wl_buffer *out) { wl_page_number(out, count, "%s", wl_scaled(count).text); }

static void add_line(const wl_page_part *p, const wl_line_mix *l, wl_buffer *out)
{
    const double all = p->prediction->metrics[WL_METRIC_inst_executed].value;
    wl_page_print(out, "<tr><td>%s</td>", l->file);
    wl_page_number(out, l->line, "%d", (int)l->line);
    add_count(l->warp, out);
    if (all > 0)
        wl_page_number(out, l->warp / all, "%.1f %%", 100 * l->warp / all);
    else
        wl_page_unknown(out);
    add_count(l->thread, out);
    add_count(l->global_accesses, out);
    add_count(l->shared_accesses, out);
    wl_buffer_text(out, "</tr>\n");
}

static void add_lines(const wl_page_part *p, wl_buffer *out)
{
    const size_t count = p->prediction->line_count;
    wl_buffer_text(out, "<h4>By source line, per launch</h4>\n");
    if (count == 0) {
        wl_buffer_text(out, "<p>No source lines are known: they come with PTX that was compiled with "
                            "<code>-lineinfo</code>.</p>\n");
        return;
    }
    wl_page_table(out, "lines", "file|#line|#warp instr.|#share|#thread instr.|#global accesses|#shared accesses");
    for (size_t i = 0; i < count && i < ROWS_MOST; i++)
        add_line(p, &p->prediction->lines[i], out);
    wl_page_table_end(out);
    say_cut(count, out);
}

void wl_page_accesses(const wl_page_part *p, wl_buffer *out)
{
    wl_buffer_text(out, "<h3>Where it comes from</h3>\n");
    add_fields(p, out);
    add_all_accesses(p, out);
    add_lines(p, out);
}
