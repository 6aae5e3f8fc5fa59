/* page.c - launches of any kernels and devices in one HTML file: a section each, a table of
 * contents and a comparison on top. The file loads nothing from elsewhere, and its content security
 * policy forbids it; the only script sorts tables. SPDX-License-Identifier: MIT */
#include "report/page/page.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/print.h"
#include "base/room.h"
#include "profile/profile_internal.h"
#include "report/common/roofline_report.h"
#include "report/common/words.h"
#include "report/common/templates.h"
#include "report/page/page_try.h"
#include "roofline/limit_words.h"

#define TITLE 120    /* characters of a kernel's name in a headline */
#define PAGE_KINDS 3 /* of rooflines: the first ones */

/* Launches of one device under its roofs. */
typedef struct page_device {
    char *name, *title;
    wl_ceilings ceilings;
    wl_roofline *rooflines[PAGE_KINDS];
    size_t added[PAGE_KINDS];
    size_t launches;
} page_device;

struct wl_page {
    wl_buffer sections, contents, rows; /* rows: of the comparison */
    wl_buffer title;                    /* of the first launch */
    size_t count;
    page_device *devices;
    size_t device_count;
    wl_buffer opening; /* of a program */
    wl_page_saving *savings;
    size_t saving_count, saving_room;
    wl_page_web web;
};

static const char *const kind_names[PAGE_KINDS] = {"classic", "hierarchical", "instruction"};
/* The most informative kind first. */
static const wl_roofline_kind kind_order[PAGE_KINDS] = {WL_ROOFLINE_HIERARCHICAL, WL_ROOFLINE_CLASSIC,
                                                        WL_ROOFLINE_INSTRUCTION};

wl_status wl_page_new(const char *web, wl_page **out, wl_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return wl_fail_memory(err);
    return web ? wl_page_web_read(web, &(*out)->web, err) : WL_OK;
}

static void device_free(page_device *d)
{
    for (int k = 0; k < PAGE_KINDS; k++)
        wl_roofline_free(d->rooflines[k]);
    free(d->name);
    free(d->title);
}

void wl_page_free(wl_page *page)
{
    if (!page)
        return;
    for (size_t i = 0; i < page->device_count; i++)
        device_free(&page->devices[i]);
    free(page->devices);
    wl_buffer_drop(&page->sections);
    wl_buffer_drop(&page->contents);
    wl_buffer_drop(&page->rows);
    wl_buffer_drop(&page->title);
    wl_buffer_drop(&page->opening);
    for (size_t i = 0; i < page->saving_count; i++)
        free(page->savings[i].words);
    free(page->savings);
    wl_page_web_free(&page->web);
    free(page);
}

/* ---- rooflines ---- */

static void add_tab(wl_buffer *out, const char *group, int place, wl_roofline_kind kind, bool checked)
{
    wl_buffer_add(out, "<input type=\"radio\" name=\"%s\" id=\"%s-%d\"%s><label for=\"%s-%d\">%s</label>\n", group,
                  group, place, checked ? " checked" : "", group, place, kind_names[kind]);
}

static void add_picture(wl_buffer *out, const wl_roofline *r, const char *why)
{
    wl_buffer_text(out, "<figure>");
    if (!why)
        wl_roofline_svg(r, out);
    else
        wl_page_text(out, why);
    wl_buffer_text(out, "</figure>\n");
}

static void name_launch(const wl_page_part *p, char text[2 * WL_SHAPE_LENGTH])
{
    const int64_t *f = p->prediction->launch.fold;
    const bool folded = f[0] > 1 || f[1] > 1 || f[2] > 1;
    (void)wl_print(text, 2 * WL_SHAPE_LENGTH, "%s%s%s", wl_shape_text(p->prediction->launch.block).text,
                   folded ? " fold " : "", folded ? wl_shape_text(f).text : "");
}

/* The launch in one picture of each kind; a kind that cannot show it states why. */
typedef struct pictures {
    wl_roofline *rooflines[PAGE_KINDS]; /* in the order of kind_order */
    wl_error why[PAGE_KINDS];
    int first; /* the first that shows it */
} pictures;

static wl_status make_pictures(const wl_page_part *p, pictures *out, wl_error *err)
{
    out->first = PAGE_KINDS;
    for (int i = 0; i < PAGE_KINDS; i++) {
        WL_TRY(wl_roofline_new(kind_order[i], p->device, &out->rooflines[i], err));
        const wl_status status = wl_roofline_add(out->rooflines[i], &p->tallies, &out->why[i]);
        if (status != WL_OK && status != WL_E_UNSUPPORTED) {
            *err = out->why[i];
            return status;
        }
        if (status == WL_OK && i < out->first)
            out->first = i;
    }
    return WL_OK;
}

static void add_pictures(const wl_page_part *p, const pictures *all, wl_buffer *out)
{
    char group[32];
    (void)wl_print(group, sizeof group, "roof%zu", p->number);
    wl_buffer_text(out, "<h3>Rooflines</h3>\n<div class=\"tabs\">\n");
    for (int i = 0; i < PAGE_KINDS; i++)
        add_tab(out, group, i, kind_order[i], i == all->first % PAGE_KINDS);
    for (int i = 0; i < PAGE_KINDS; i++)
        add_picture(out, all->rooflines[i], all->why[i].code != WL_OK ? all->why[i].message : NULL);
    wl_buffer_text(out, "</div>\n");
}

static wl_status add_rooflines(const wl_page_part *p, wl_buffer *out, wl_error *err)
{
    pictures all = {.first = 0};
    const wl_status status = make_pictures(p, &all, err);
    if (status == WL_OK)
        add_pictures(p, &all, out);
    for (int i = 0; i < PAGE_KINDS; i++)
        wl_roofline_free(all.rooflines[i]);
    return status;
}

/* ---- devices ---- */

static bool same_device(const page_device *d, const wl_page_part *p)
{
    return strcmp(d->name, wl_device_name(p->device)) == 0 &&
           memcmp(d->ceilings.bandwidth, p->ceilings.bandwidth, sizeof d->ceilings.bandwidth) == 0 &&
           memcmp(d->ceilings.peak, p->ceilings.peak, sizeof d->ceilings.peak) == 0;
}

static wl_status new_device(wl_page *page, const wl_page_part *p, page_device **out, wl_error *err)
{
    page_device *more = realloc(page->devices, (page->device_count + 1) * sizeof *more);
    if (!more)
        return wl_fail_memory(err);
    page->devices = more;
    page_device *d = &more[page->device_count];
    *d = (page_device){.name = strdup(wl_device_name(p->device)),
                       .title = strdup(wl_device_title(p->device)),
                       .ceilings = p->ceilings};
    wl_status status = d->name && d->title ? WL_OK : wl_fail_memory(err);
    for (int k = 0; k < PAGE_KINDS && status == WL_OK; k++)
        status = wl_roofline_new((wl_roofline_kind)k, p->device, &d->rooflines[k], err);
    if (status != WL_OK) {
        device_free(d);
        return status;
    }
    page->device_count++;
    *out = d;
    return WL_OK;
}

/* The launch among the others of its device. */
static wl_status add_to_device(wl_page *page, const wl_page_part *p, wl_error *err)
{
    page_device *d = NULL;
    for (size_t i = 0; i < page->device_count && !d; i++)
        d = same_device(&page->devices[i], p) ? &page->devices[i] : NULL;
    if (!d)
        WL_TRY(new_device(page, p, &d, err));
    d->launches++;
    for (int k = 0; k < PAGE_KINDS; k++) {
        wl_error why = {0};
        const wl_status status = wl_roofline_add(d->rooflines[k], &p->tallies, &why);
        d->added[k] += status == WL_OK;
        if (status != WL_OK && status != WL_E_UNSUPPORTED) {
            *err = why;
            return status;
        }
    }
    return WL_OK;
}

static void add_device(const page_device *d, size_t number, wl_buffer *out)
{
    char group[32];
    int place = 0;
    (void)wl_print(group, sizeof group, "device%zu", number);
    wl_page_print(out, "<h3>All launches on %s</h3>\n<div class=\"tabs\">\n", d->title);
    for (int i = 0; i < PAGE_KINDS; i++) {
        if (d->added[kind_order[i]] == 0)
            continue;
        add_tab(out, group, place, kind_order[i], place == 0);
        place++;
    }
    for (int i = 0; i < PAGE_KINDS; i++)
        if (d->added[kind_order[i]] > 0)
            add_picture(out, d->rooflines[kind_order[i]], NULL);
    wl_buffer_text(out, "</div>\n");
}

/* ---- the comparison ---- */

static const wl_use *find_use(const wl_page_part *p, bool is_level, wl_level level)
{
    const wl_use *most = NULL;
    for (int i = 0; i < p->use_count; i++) {
        const wl_use *u = &p->uses[i];
        if (u->is_level != is_level || !wl_use_shows(u, &p->ceilings) || (is_level && u->level != level))
            continue;
        if (!most || u->share > most->share)
            most = u;
    }
    return most;
}

static void add_share(const wl_use *use, bool named, wl_buffer *out)
{
    if (use)
        wl_page_number(out, use->share, "%s%s%.3g %%", named ? wl_use_name(use) : "", named ? " " : "",
                       100 * use->share);
    else
        wl_page_unknown(out);
}

static void add_row(wl_page *page, const wl_page_part *p, const char *launch)
{
    const wl_model_result *m = &p->prediction->model;
    wl_buffer *out = &page->rows;
    wl_buffer_add(out, "<tr data-launch=\"%zu\">", p->number);
    wl_page_number(out, (double)p->number, "%zu", p->number);
    wl_page_print(out, "<td><a href=\"#launch%zu\">%s</a></td>", p->number, wl_kernel_name(p->kernel));
    wl_page_cell(out, wl_device_name(p->device));
    wl_page_cell(out, launch);
    wl_page_quantity(out, WL_DIM_TIME, m->time_s);
    wl_page_number(out, m->items_per_s, "%s%s/s", wl_scaled(m->items_per_s).text,
                   wl_work_unit_words(p->prediction->work_unit)->brief);
    add_share(find_use(p, true, WL_LEVEL_DRAM), false, out);
    add_share(find_use(p, true, WL_LEVEL_L2), false, out);
    add_share(find_use(p, true, WL_LEVEL_L1), false, out);
    add_share(find_use(p, false, WL_LEVEL_COUNT), true, out);
    wl_page_cell(out, wl_bound_name(m->limiter));
    wl_buffer_text(out, "</tr>\n");
}

static void add_comparison(const wl_page *page, wl_buffer *out)
{
    wl_buffer_text(out, "<section id=\"compare\"><h2>Comparison</h2>\n");
    wl_page_table(out, "comparison",
                  "##|kernel|device|block|#time|#work rate|#of DRAM|#of L2|#of L1|#of busiest unit|limited by");
    wl_buffer_text(out, page->rows.text ? page->rows.text : "");
    wl_page_table_end(out);
    for (size_t i = 0; i < page->device_count; i++)
        if (page->devices[i].launches > 1)
            add_device(&page->devices[i], i + 1, out);
    wl_buffer_text(out, "</section>\n");
}

/* ---- sections ---- */

static void add_head(const wl_page_part *p, const char *launch, wl_buffer *out)
{
    const wl_prediction *r = p->prediction;
    wl_page_print(out,
                  "<section class=\"launch\" id=\"launch%zu\" data-kernel=\"%s\" data-device=\"%s\" data-block=\"%s\"",
                  p->number, wl_kernel_name(p->kernel), wl_device_name(p->device), launch);
    wl_page_attribute(out, "data-time-s", r->model.time_s);
    wl_page_attribute(out, "data-items-per-s", r->model.items_per_s);
    wl_page_print(out, " data-limiter=\"%s\">\n<h2>%s <small>on %s</small></h2>\n", wl_bound_name(r->model.limiter),
                  wl_kernel_name(p->kernel), wl_device_title(p->device));
    if (wl_kernel_symbol(p->kernel))
        wl_page_print(out, "<p class=\"symbol\"><code>%s</code></p>\n", wl_kernel_symbol(p->kernel));
    wl_buffer_add(out,
                  "<p>Block %s, fold %s, grid %s; %lld registers per thread, %lld B of shared memory per block; %lld "
                  "%s.</p>\n",
                  wl_shape_text(r->launch.block).text, wl_shape_text(r->launch.fold).text,
                  wl_shape_text(r->launch.grid).text, (long long)r->launch.registers, (long long)r->launch.shared_bytes,
                  (long long)r->items, wl_work_unit_explained(r->work_unit, r->items));
}

static wl_status add_stack(const wl_page_part *p, wl_buffer *out, wl_error *err)
{
    char *svg = NULL;
    wl_error why = {0};
    const wl_status status = wl_stack_render(p->prediction, p->kernel, p->device, false, WL_FORMAT_SVG, &svg, &why);
    if (status != WL_OK && status != WL_E_UNSUPPORTED) {
        *err = why;
        return status;
    }
    if (svg)
        wl_buffer_add(out, "<h3>Where the cycles go</h3>\n<figure>%s</figure>\n", svg);
    else
        wl_page_print(out, "<h3>Where the cycles go</h3>\n<figure>%s</figure>\n", why.message);
    free(svg);
    return WL_OK;
}

static wl_status add_section(const wl_page_part *p, const char *launch, wl_buffer *out, wl_error *err)
{
    add_head(p, launch, out);
    wl_page_verdict(p, out);
    wl_page_try(p, out);
    wl_page_figures(p, out);
    WL_TRY(add_rooflines(p, out, err));
    WL_TRY(add_stack(p, out, err));
    WL_TRY(wl_page_source(p, out, err));
    wl_page_bounds(p, out);
    wl_page_volumes(p, out);
    wl_page_accesses(p, out);
    wl_page_occupancy(p, out);
    WL_TRY(wl_page_ranking(p, out, err));
    wl_page_causes(p, out);
    WL_TRY(wl_page_advice(p, out, err));
    wl_page_notes(p, out);
    wl_page_metrics(p, out);
    wl_buffer_text(out, "</section>\n");
    return WL_OK;
}

static void add_entry(wl_page *page, const wl_page_part *p, const char *launch)
{
    wl_buffer *out = &page->contents;
    wl_page_print(out, "<li><a href=\"#launch%zu\">%s</a> on %s, %s</li>\n", p->number, wl_kernel_name(p->kernel),
                  wl_device_name(p->device), launch);
    if (page->count > 1)
        return;
    wl_quote_xml(&page->title, wl_kernel_name(p->kernel), TITLE);
    wl_page_print(&page->title, " on %s", wl_device_name(p->device));
}

/* What the best change of a launch saves in the whole program. */
static wl_status add_saving(wl_page *page, const wl_page_part *p, wl_error *err)
{
    wl_buffer words = {0};
    const double gain = p->launch->program_s > 0 ? wl_page_best(p, &words) : 0;
    if (!(gain > 0)) {
        wl_buffer_drop(&words);
        return WL_OK;
    }
    char *text = NULL;
    WL_TRY(wl_buffer_take(&words, &text, err));
    if (!WL_ROOM(page->savings, page->saving_count + 1, page->saving_room)) {
        free(text);
        return wl_fail_memory(err);
    }
    page->savings[page->saving_count++] =
        (wl_page_saving){.words = text, .number = p->number, .saving_s = gain * p->launch->program_s};
    return WL_OK;
}

wl_status wl_page_profile(wl_page *page, const wl_profile *const *profiles, size_t count, wl_error *err)
{
    const char *command = wl_recording_command(profiles[0]->recording);
    wl_page_program(profiles, count, page->savings, page->saving_count, &page->opening);
    wl_buffer_drop(&page->title);
    wl_quote_xml(&page->title, command ? command : "a program", TITLE);
    wl_page_print(&page->title, " on %s", wl_device_name(profiles[0]->device));
    return page->opening.failed || page->title.failed ? wl_fail_memory(err) : WL_OK;
}

wl_status wl_page_add(wl_page *page, const wl_page_launch *launch, wl_error *err)
{
    const wl_prediction *r = launch->prediction;
    wl_page_part p = {.launch = launch,
                      .prediction = r,
                      .kernel = r->fields && r->kernel ? r->kernel : launch->kernel,
                      .device = launch->device,
                      .number = page->count + 1};
    char name[2 * WL_SHAPE_LENGTH];
    name_launch(&p, name);
    wl_tallies_predicted(r, launch->kernel, launch->device, &p.tallies);
    p.tallies.launch = name;
    p.use_count = wl_uses_predicted(&(wl_limited){r, p.kernel, p.device}, &p.ceilings, p.uses);
    WL_TRY(add_section(&p, name, &page->sections, err));
    WL_TRY(add_to_device(page, &p, err));
    WL_TRY(add_saving(page, &p, err));
    page->count++;
    add_row(page, &p, name);
    add_entry(page, &p, name);
    return page->sections.failed || page->rows.failed || page->contents.failed || page->title.failed
               ? wl_fail_memory(err)
               : WL_OK;
}

/* ---- the whole ---- */

/* of share/templates/page_script.js: tests/page/page.sh prints the right one */
static const char script_hash[] = "sha256-F+xfXszU86fnFAxzNBKU3AwMAx2Bwz+B0NSSY4oa2UU=";

static void add_start(const wl_page *page, const char *date, wl_buffer *out)
{
    wl_buffer_add(out,
                  "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"color-scheme\" content=\"light dark\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "style-src 'unsafe-inline'; script-src '%s'",
                  script_hash);
    wl_page_web_policy(&page->web, out);
    wl_buffer_add(out, "\">\n<title>Warpline: %s%s</title>\n", page->title.text ? page->title.text : "",
                  page->count > 1 && !page->opening.text ? " and others" : "");
    wl_buffer_text(out, "<style>\n");
    wl_template_add(out, "page_style", NULL);
    wl_page_web_style(&page->web, out);
    wl_buffer_add(out,
                  "</style>\n</head>\n<body>\n<header><h1>Predicted performance</h1>\n<p>%zu launch%s, by warpline %s, "
                  "without a GPU",
                  page->count, page->count == 1 ? "" : "es", wl_version());
    if (date)
        wl_page_print(out, "; %s", date);
    wl_buffer_text(out, ".</p></header>\n");
}

wl_status wl_page_render(const wl_page *page, const char *date, char **out, wl_error *err)
{
    wl_buffer text = {0};
    if (page->count == 0 && !page->opening.text)
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "a page without a launch has nothing to show");
    add_start(page, date, &text);
    wl_buffer_text(&text, wl_buffer_string(&page->opening));
    if (page->count > 1) {
        wl_buffer_add(&text, "<nav><h2>Contents</h2>\n<ol>\n%s</ol></nav>\n", page->contents.text);
        add_comparison(page, &text);
    }
    wl_buffer_text(&text, wl_buffer_string(&page->sections));
    wl_buffer_text(&text, "<script>");
    wl_template_add(&text, "page_script", NULL);
    wl_buffer_text(&text, "</script>\n");
    wl_page_web_add(&page->web, &text);
    wl_buffer_text(&text, "</body>\n</html>\n");
    return wl_buffer_take(&text, out, err);
}
