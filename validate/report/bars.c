/* bars.c - what is promised, and whether it is kept. SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "accuracy.h"

#define LEFT_OUT_FACTOR 1.5

#define STENCIL                                                                                                        \
    .error = {[L1_WAVEFRONTS] = 0.04, [L2_LOADS] = 0.07, [DRAM_LOADS] = 0.05, [TIME] = 0.10}, .tau = 0.85, .pick = 0.95
#define OTHER                                                                                                          \
    .error = {[L1_WAVEFRONTS] = 0.06, [L2_LOADS] = 0.08, [L2_STORES] = 0.08, [DRAM_LOADS] = 0.08, [TIME] = 0.15}

#define COLUMNS .error = {[L2_LOADS] = 0.10, [TIME] = 0.10}, .tau = 0.8, .pick = 0.95, .open = true

static const bar bars[] = {
    {"star3d", STENCIL},
    {"layer", STENCIL},
    {"lbm_d3q15_pf", STENCIL},
    {"star7", OTHER, .tau = 0.8},
    {"box9", OTHER, .tau = 0.8},
    {"copy", OTHER},
    {"aos", OTHER},
    {"aos2soa", OTHER},
    {"pattern", .exact = 0.95},
    {"partial", .error = {[DRAM_LOADS] = 0.05}},
    {"box2d_col", COLUMNS},
    {"matmul_col", COLUMNS},
};
static const size_t bar_count = sizeof bars / sizeof bars[0];

const bar *bar_of(const char *name)
{
    for (size_t i = 0; i < bar_count; i++)
        if (strcmp(bars[i].family, name) == 0)
            return &bars[i];
    return NULL;
}

static const char *verdict(const bar *b, bool kept) { return kept ? "pass" : b->open ? "**open**" : "**fail**"; }

static void most(const bar *b, const statistics *s, FILE *out)
{
    for (int v = 0; v < JUDGED; v++)
        if (b->error[v] > 0 && s->values[v].count > 0)
            fprintf(out, "| %s | mean error of %s | at most %.0f %% | %.1f %% | %s |\n", b->family, value_label(v),
                    100 * b->error[v], 100 * s->values[v].mean, verdict(b, s->values[v].mean <= b->error[v]));
}

static void least(const bar *b, const statistics *s, FILE *out)
{
    static const int exact[2] = {L1_WAVEFRONTS, L1_TAG_WAVEFRONTS};
    if (b->tau > 0)
        fprintf(out, "| %s | tau of time | at least %.2f | %.3f | %s |\n", b->family, b->tau, s->rank.tau,
                verdict(b, s->rank.tau_known && s->rank.tau >= b->tau));
    if (b->pick > 0)
        fprintf(out, "| %s | best pick | at least %.0f %% | %.1f %% | %s |\n", b->family, 100 * b->pick,
                100 * s->rank.pick, verdict(b, s->rank.pick_known && s->rank.pick >= b->pick));
    for (int i = 0; i < 2 && b->exact > 0; i++)
        fprintf(out, "| %s | rows with exact %s | at least %.0f %% | %zu of %zu | %s |\n", b->family,
                value_label(exact[i]), 100 * b->exact, s->values[exact[i]].exact, s->launches,
                verdict(b, (double)s->values[exact[i]].exact >= b->exact * (double)s->launches));
}

void report_bars(const rows *all, FILE *out)
{
    fprintf(out, "| family | what | bar | value | |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < all->family_count; i++) {
        const bar *b = bar_of(all->families[i].name);
        statistics s;
        if (!b || strstr(all->families[i].table, "examples"))
            continue;
        if (!statistics_make(all, &(selection){all->families[i].table, b->family, NULL}, &s))
            return;
        most(b, &s, out);
        least(b, &s, out);
    }
    fputc('\n', out);
}

/* ---- a fit without the family ---- */

static double mean_of(const json_t *score, int v, bool *known)
{
    const json_t *one = json_object_get(score, value_key(v));
    *known = one != NULL;
    return json_number_value(json_object_get(one, "mean"));
}

static void cell(const json_t *fitted, const json_t *left_out, const bar *b, int v, FILE *out)
{
    bool fitted_known, known;
    const double with = mean_of(fitted, v, &fitted_known), without = mean_of(left_out, v, &known);
    if (!fitted_known || !known) {
        fputs(" |", out);
        return;
    }
    const double limit = b && b->error[v] > 0 ? LEFT_OUT_FACTOR * b->error[v] : 0;
    const char *bold = limit > 0 ? "**" : "";
    fprintf(out, " %.1f → %s%.1f%s%s |", 100 * with, bold, 100 * without, bold,
            limit <= 0         ? ""
            : without <= limit ? " pass"
                               : " fail");
}

bool report_left_out(const char *fit, FILE *out)
{
    static const int shown[] = {L1_WAVEFRONTS, L2_LOADS, L2_STORES, DRAM_LOADS, DRAM_STORES, TIME};
    json_error_t error;
    json_t *root = fit ? json_load_file(fit, 0, &error) : NULL;
    if (!root) {
        fprintf(out, "There is no cross-validation in this run.\n\n");
        return !fit;
    }
    fprintf(out, "| family |");
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++)
        fprintf(out, " %s |", value_label(shown[i]));
    fprintf(out, "\n|---|---|---|---|---|---|---|\n");
    size_t n;
    const json_t *one;
    json_array_foreach(json_object_get(root, "families"), n, one)
    {
        const char *name = json_string_value(json_object_get(one, "family"));
        if (!name)
            continue;
        fprintf(out, "| %s |", name);
        for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++)
            cell(json_object_get(one, "fitted"), json_object_get(one, "left_out"), bar_of(name), shown[i], out);
        fputc('\n', out);
    }
    fputc('\n', out);
    json_decref(root);
    return true;
}
