/* compare_recorded.c - launches of a recording beside their measured times: those that it has
 * itself, or rows of tables, which belong to launches of the same kernel, block and grid in order.
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "compare_job.h"
#include "diag.h"
#include "recorded.h"

#define OWN "the recording"

static wl_status add_row(comparison *c, const wl_profile *profile, size_t launch, const char *table,
                         const wl_measurement *row, wl_error *err)
{
    const char *reason = NULL, *kernel = wl_recording_launch(recorded_recording(), launch)->kernel;
    const wl_prediction *prediction = wl_profile_launch(profile, launch, &reason);
    if (!prediction)
        return wl_comparison_skip(c->found, table, row->line, 1, reason, err);
    return wl_comparison_add(c->found,
                             &(wl_compared){.table = table, .family = kernel, .kernel = kernel, .measurement = row},
                             prediction, err);
}

/* ---- times of its own ---- */

static wl_status add_own(comparison *c, const wl_profile *profile, wl_error *err)
{
    const wl_recorded_launch *l;
    size_t count = 0, timed = 0;
    while (wl_recording_launch(recorded_recording(), count))
        count++;
    c->recorded = calloc(count + 1, sizeof *c->recorded);
    if (!c->recorded)
        return diag_no_memory(err);
    for (size_t i = 0; (l = wl_recording_launch(recorded_recording(), i)); i++) {
        wl_measurement *m = &c->recorded[i];
        if (!(l->time_s > 0))
            continue;
        *m = (wl_measurement){.line = (int32_t)i,
                              .family = l->kernel,
                              .variant = "",
                              .params = "",
                              .kernel = l->kernel,
                              .time_s = l->time_s,
                              .time_known = true};
        memcpy(m->block, l->block, sizeof m->block);
        memcpy(m->grid, l->grid, sizeof m->grid);
        timed++;
        const wl_status status = add_row(c, profile, i, OWN, m, err);
        if (status != WL_OK)
            return status;
    }
    if (timed > 0)
        return WL_OK;
    *err = (wl_error){.code = WL_E_INPUT,
                      .message = "the recording has no times ('warpline record --times' takes them): give a table, "
                                 "our CSV or that of ncu --csv"};
    return WL_E_INPUT;
}

/* ---- tables ---- */

/* Names of profilers have return types and parameters, which recordings leave out. */
static bool same_kernel(const char *measured, const wl_recorded_launch *l)
{
    const char *name = strncmp(measured, "void ", 5) == 0 ? measured + 5 : measured;
    const size_t length = strlen(l->kernel);
    if (strcmp(measured, l->symbol) == 0)
        return true;
    return strncmp(name, l->kernel, length) == 0 && (name[length] == '\0' || name[length] == '(');
}

static bool same_launch(const wl_measurement *row, const wl_recorded_launch *l)
{
    bool same = same_kernel(row->kernel[0] ? row->kernel : row->family, l);
    for (int d = 0; d < 3; d++)
        same = same && row->block[d] == l->block[d] && (row->grid[0] == 0 || row->grid[d] == l->grid[d]);
    return same;
}

/* The first launch of the row that no earlier row has; if all have one, the last. */
static bool find_launch(const wl_measurement *row, bool *taken, size_t *launch)
{
    const wl_recorded_launch *l;
    bool found = false;
    for (size_t i = 0; (l = wl_recording_launch(recorded_recording(), i)); i++) {
        if (!same_launch(row, l))
            continue;
        *launch = i;
        found = true;
        if (!taken[i])
            break;
    }
    if (found)
        taken[*launch] = true;
    return found;
}

static wl_status add_table(comparison *c, const wl_profile *profile, size_t table, bool *taken, wl_error *err)
{
    wl_status status = WL_OK;
    for (size_t i = 0; i < wl_table_count(c->parsed[table]) && status == WL_OK; i++) {
        const wl_measurement *row = wl_table_row(c->parsed[table], i);
        size_t launch = 0;
        status = find_launch(row, taken, &launch)
                     ? add_row(c, profile, launch, c->tables[table], row, err)
                     : wl_comparison_skip(c->found, c->tables[table], row->line, 1,
                                          "no launch of the recording has this kernel, block and grid", err);
    }
    return status;
}

wl_status comparison_recorded(comparison *c, wl_error *err)
{
    recorded_profiles p = {0};
    size_t count = 0;
    wl_status status = recorded_profiles_make(c->options, false, &c->options->device, 1, &p, err);
    while (wl_recording_launch(recorded_recording(), count))
        count++;
    bool *taken = calloc(count + 1, sizeof *taken);
    if (status == WL_OK && !taken)
        status = diag_no_memory(err);
    if (status == WL_OK && c->table_count == 0)
        status = add_own(c, p.profiles[0], err);
    for (size_t t = 0; t < c->table_count && status == WL_OK; t++)
        status = add_table(c, p.profiles[0], t, taken, err);
    free(taken);
    recorded_profiles_free(&p);
    return status;
}
