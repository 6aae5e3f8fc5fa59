/* roofline_measured.c - measured launches under the ceilings of a device, alone or beside predicted
 * ones.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare_ptx.h"
#include "diag.h"
#include "load.h"
#include "plot.h"
#include "roofline_job.h"

#define LAUNCH_LENGTH 120
#define PARAMS_END 15 /* the first params distinguish launches; all of them would fill the line */

bool picture_is_table(const char *path) { return has_suffix(path, ".csv"); }

/* ---- what was not measured ---- */

/* For one table: what some launch lacks, and what was measured in an unusual way. */
typedef struct survey {
    size_t rows, added;
    bool known[WL_TALLY_COUNT]; /* by every launch */
    const char *differs[WL_TALLY_COUNT];
} survey;

static void look_at(const wl_measurement *m, const wl_tallies *t, survey *s)
{
    for (int i = 0; i < WL_TALLY_COUNT; i++) {
        const char *difference = wl_measurement_differs(m, (wl_tally)i);
        s->known[i] = (s->rows == 0 || s->known[i]) && t->known[i];
        s->differs[i] = difference[0] ? difference : s->differs[i];
    }
    s->rows++;
}

/* What the picture lacks. Without a single launch in it, that is an error. */
static int report_missing(const picture *p, const char *name, const survey *s)
{
    const char *kind = wl_roofline_kind_name(p->kind);
    wl_error err = {0};
    char *text = NULL;
    const bool empty = s->added == 0;
    if (wl_counters_missing(p->kind, s->known, !empty, &text, &err) != WL_OK)
        return diag_report(&err);
    const bool lacks = text[0] != '\0';
    if (lacks && empty)
        fprintf(stderr, "%s: error: not measured, for a roofline of the kind %s:\n%s", name, kind, text);
    else if (lacks && !diag_is_quiet())
        fprintf(stderr,
                "%s: note: not measured by every launch, so missing in the picture: %s; 'warpline metrics --model %s' "
                "prints the ncu command\n",
                name, text, kind);
    free(text);
    return lacks && empty ? EXIT_INPUT : EXIT_OK;
}

static int report_differences(const picture *p, const char *name, const survey *s)
{
    for (int i = 0; i < WL_TALLY_COUNT && s->added > 0; i++) {
        bool known[WL_TALLY_COUNT];
        wl_error err = {0};
        char *needed = NULL;
        for (int k = 0; k < WL_TALLY_COUNT; k++)
            known[k] = k != i;
        if (!s->differs[i])
            continue;
        if (wl_counters_missing(p->kind, known, true, &needed, &err) != WL_OK)
            return diag_report(&err);
        if (needed[0] && !diag_is_quiet())
            fprintf(stderr, "%s: note: %s is %s\n", name, wl_tally_name((wl_tally)i), s->differs[i]);
        free(needed);
    }
    return EXIT_OK;
}

/* What could not be read; that some metrics of comparisons are absent does not matter here. */
static void report_notes(const char *name, const wl_table *table)
{
    for (size_t i = 0; i < wl_table_note_count(table) && !diag_is_quiet(); i++) {
        const wl_note *note = wl_table_note(table, i);
        if (strncmp(note->reason, "not measured", strlen("not measured")) == 0)
            continue;
        fprintf(stderr, note->line > 0 ? "%s:%d: note: %s" : "%s: note: %.0d%s", name, (int)note->line, note->reason);
        fprintf(stderr, note->count > 1 ? " (%zu times)\n" : "\n", note->count);
    }
}

/* ---- launches ---- */

/* "32x8 grid 128x128", or with the params of our tables. */
static void name_launch(const wl_measurement *m, char text[LAUNCH_LENGTH])
{
    size_t used = 0;
    const int64_t *const shapes[] = {m->block, m->grid};
    text[0] = '\0';
    for (int s = 0; s < (m->params[0] ? 1 : 2) && shapes[s][0] > 0; s++) {
        const int64_t *e = shapes[s];
        used += (size_t)snprintf(text + used, LAUNCH_LENGTH - used, s ? " grid %lld" : "%lld", (long long)e[0]);
        for (int d = 1; d < (e[2] > 1 ? 3 : e[1] > 1 ? 2 : 1); d++)
            used += (size_t)snprintf(text + used, LAUNCH_LENGTH - used, "x%lld", (long long)e[d]);
    }
    for (const char *at = m->params; *at && used < LAUNCH_LENGTH / 2; at += strspn(at, ";")) {
        const size_t length = strcspn(at, ";");
        if (used + length > PARAMS_END) {
            (void)snprintf(text + used, LAUNCH_LENGTH - used, " ..");
            break;
        }
        used += (size_t)snprintf(text + used, LAUNCH_LENGTH - used, " %.*s", (int)length, at);
        at += length;
    }
}

/* A measured launch, and the predicted one that it belongs to, which was added last; NULL: none. */
static wl_status add_measured(picture *p, const wl_measurement *m, const wl_tallies *predicted, survey *s,
                              wl_error *err)
{
    char launch[LAUNCH_LENGTH], *title = NULL;
    wl_tallies t;
    bool added = false;
    wl_measurement_tallies(m, &t);
    wl_status status = wl_kernel_title(m->kernel, m->family, m->variant, &title, err);
    if (status != WL_OK)
        return status;
    name_launch(m, launch);
    t.kernel = title;
    t.launch = launch;
    look_at(m, &t, s);
    if (predicted) { /* the width of accesses depends on the code, and no counter measures it */
        t.of = p->added;
        t.known[WL_TALLY_element_bytes] = predicted->known[WL_TALLY_element_bytes];
        t.value[WL_TALLY_element_bytes] = predicted->value[WL_TALLY_element_bytes];
    }
    status = picture_add(p, &t, &added, err);
    s->added += added;
    free(title);
    return status;
}

static wl_status open_picture(picture *p, wl_error *err)
{
    const options *o = p->options;
    wl_device *device = NULL;
    if (p->roofline)
        return WL_OK;
    wl_status status = load_device(o->device, o->with, o->with_count, &device, err);
    if (status == WL_OK)
        status = wl_roofline_new(p->kind, device, &p->roofline, err);
    wl_device_free(device);
    return status;
}

static wl_status add_rows(picture *p, const wl_table *table, survey *s, wl_error *err)
{
    wl_status status = open_picture(p, err);
    for (size_t i = 0; i < wl_table_count(table) && status == WL_OK; i++)
        status = add_measured(p, wl_table_row(table, i), NULL, s, err);
    return status;
}

int picture_add_table(picture *p, const char *path)
{
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    wl_error err = {0};
    wl_table *table = NULL;
    survey s = {0};
    char *text = NULL;
    size_t length = 0;
    wl_status status = load_text(path, &text, &length, &err);
    if (status == WL_OK)
        status = wl_table_parse(name, text, length, &table, &err);
    free(text);
    if (status == WL_OK)
        status = add_rows(p, table, &s, &err);
    int code = status == WL_OK ? EXIT_OK : diag_report(&err);
    if (status == WL_OK) {
        report_notes(name, table);
        code = report_missing(p, name, &s);
        code = code == EXIT_OK ? report_differences(p, name, &s) : code;
    }
    wl_table_free(table);
    return code;
}

/* ---- pairs ---- */

typedef struct pairing {
    picture *picture;
    const wl_device *const *device;
    survey survey;
} pairing;

static wl_status add_pair(void *user, const wl_compared *row, const wl_prediction *prediction, const wl_kernel *kernel,
                          wl_error *err)
{
    pairing *pairs = user;
    picture *p = pairs->picture;
    char launch[LAUNCH_LENGTH], *title = NULL;
    wl_tallies t;
    bool added = false;
    const wl_measurement *m = row->measurement;
    wl_status status = p->roofline ? WL_OK : wl_roofline_new(p->kind, *pairs->device, &p->roofline, err);
    if (status == WL_OK)
        status = wl_kernel_title(m->kernel, m->family, m->variant, &title, err);
    if (status != WL_OK)
        return status;
    wl_tallies_predicted(prediction, kernel, *pairs->device, &t);
    name_launch(m, launch);
    t.kernel = title;
    t.launch = launch;
    status = picture_add(p, &t, &added, err);
    free(title);
    return status == WL_OK && added ? add_measured(p, m, &t, &pairs->survey, err) : status;
}

int picture_add_pairs(picture *p, const char *kernel)
{
    options o = *p->options;
    pairing pairs = {.picture = p};
    comparison c = {.options = &o, .seen = add_pair, .seen_user = &pairs, .emulate = true};
    o.argument_count = 0;
    if (kernel)
        o.arguments[o.argument_count++] = kernel;
    o.arguments[o.argument_count++] = o.measured;
    o.entry = o.kernel_count ? o.kernels[0] : NULL;
    pairs.device = (const wl_device *const *)&c.device;
    c.model = option_model(&o);
    if ((o.fold && !option_shape("--fold", o.fold, c.fold)) ||
        (o.registers && !option_integer("--registers", o.registers, 1, 1024, &c.registers)))
        return EXIT_INPUT;
    int code = comparison_load(&c);
    if (code == EXIT_OK)
        code = comparison_print_skips(&c);
    if (code == EXIT_OK && pairs.survey.rows > 0) {
        code = report_missing(p, o.measured, &pairs.survey);
        code = code == EXIT_OK ? report_differences(p, o.measured, &pairs.survey) : code;
    }
    comparison_free(&c);
    return code;
}
