/* measured_tallies.c - the tallies that rooflines need, from the counters of a launch.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "measure/counters.h"
#include "measure/row.h"

static const struct {
    wl_tally tally;
    const char *sum, *difference;
} others[] = {
#define WL_ALTERNATIVE(tally, sum, difference) {WL_TALLY_##tally, sum, difference},
#include "measure/alternatives.def"
};

static const char *other_sum(wl_tally tally, size_t index, const char **difference)
{
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (others[i].tally == tally && index-- == 0) {
            *difference = others[i].difference;
            return others[i].sum;
        }
    }
    return NULL;
}

static void copy_word(const char *from, size_t length, char *out, size_t size)
{
    (void)snprintf(out, size, "%.*s", (int)length, from);
}

bool wl_term_next(const char **sum, wl_term *out)
{
    const char *at = *sum + strspn(*sum, " +");
    char number[32];
    size_t length = strcspn(at, " ");
    if (length == 0)
        return false;
    out->factor = 1;
    if (strncmp(at + length, " * ", 3) == 0) {
        copy_word(at, length, number, sizeof number);
        (void)wl_text_number(number, &out->factor);
        at += length + 3;
        length = strcspn(at, " ");
    }
    copy_word(at, length, out->name, sizeof out->name);
    *sum = at + length;
    return true;
}

static bool value_of(const wl_counts *counts, const char *name, double *value)
{
    wl_counter_name found;
    if (!wl_counter_find(name, &found))
        return false;
    for (size_t i = 0; i < counts->count; i++) {
        if (counts->list[i].index == found.index) {
            *value = counts->list[i].value;
            return true;
        }
    }
    return false;
}

static bool add_up(const wl_counts *counts, const char *sum, double *total)
{
    wl_term term;
    double value = 0;
    *total = 0;
    if (!*sum)
        return false;
    while (wl_term_next(&sum, &term)) {
        if (!value_of(counts, term.name, &value))
            return false;
        *total += term.factor * value;
    }
    return isfinite(*total);
}

bool wl_counts_tally(const wl_counts *counts, wl_tally tally, double *value, const char **difference)
{
    const char *sum = NULL;
    *difference = "";
    if (add_up(counts, wl_tally_ncu(tally), value) || add_up(counts, wl_tally_nvprof(tally), value))
        return true;
    for (size_t i = 0; (sum = other_sum(tally, i, difference)); i++)
        if (add_up(counts, sum, value))
            return true;
    *difference = "";
    return false;
}

void wl_measurement_tallies(const wl_measurement *m, wl_tallies *out)
{
    const char *difference = NULL;
    *out = (wl_tallies){.kernel = m->kernel[0] ? m->kernel : m->family, .launch = "", .measured = true};
    for (int t = 0; t < WL_TALLY_COUNT; t++)
        out->known[t] = wl_counts_tally(&m->values->counts, (wl_tally)t, &out->value[t], &difference);
    /* where the table has both, the time without the profiler */
    out->known[WL_TALLY_time] = m->time_known;
    out->value[WL_TALLY_time] = m->time_s;
}

const char *wl_measurement_differs(const wl_measurement *m, wl_tally tally)
{
    const char *difference = "";
    double value = 0;
    (void)wl_counts_tally(&m->values->counts, tally, &value, &difference);
    return difference;
}
