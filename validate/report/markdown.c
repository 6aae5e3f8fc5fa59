/* markdown.c - the report as text. SPDX-License-Identifier: MIT */
#include <string.h>

#include "accuracy.h"

/* ---- head ---- */

static const struct {
    const char *table, *what;
} about[] = {
    {"h200_fit", "fitted: star3d, layer, lbm_d3q15_pf"},
    {"h200_fit2", "fitted: star7, box9, copy, aos, aos2soa, arith"},
    {"h200_micro", "fitted: stream. Tag hash, latencies and store combining were read off hash, warm, chase, store"},
    {"h200_micro2", "fitted: mix, star3d_small"},
    {"h200_narrow", "fitted: narrow"},
    {"h200_halves", "l2_lone_rate, l2_random_hits and the laws of pieces were read off lone, streams, far, spread"},
    {"h200_heldout", "no number was fitted to it"},
    {"h200_examples", "not fitted"},
    {"h200_regular", "not fitted; when pieces overlap with DRAM was found on d3q19 here and on streams"},
};

static const char *about_table(const char *table)
{
    for (size_t i = 0; i < sizeof about / sizeof about[0]; i++)
        if (strcmp(about[i].table, table) == 0)
            return about[i].what;
    return "";
}

/* The variants of a family in the order of their first rows. */
static bool is_first(const rows *all, size_t index)
{
    const row *r = &all->list[index];
    const selection same = {r->table, r->family, r->variant};
    for (size_t i = 0; i < index; i++)
        if (row_selected(&all->list[i], &same))
            return false;
    return true;
}

/* About a column, not about launches. */
static bool is_note(const skip *s) { return strstr(s->reason, "measured") != NULL; }

static void tables(const rows *all, FILE *out)
{
    fprintf(out, "| table | launches | families | left out | what it was used for |\n|---|---|---|---|---|\n");
    for (size_t t = 0; t < all->table_count; t++) {
        size_t launches = 0, families = 0, skipped = 0;
        for (size_t i = 0; i < all->family_count; i++)
            if (all->families[i].table == all->tables[t]) {
                launches += all->families[i].rows;
                families++;
            }
        for (size_t i = 0; i < all->skip_count; i++)
            if (all->skips[i].table == all->tables[t] && !is_note(&all->skips[i]))
                skipped += all->skips[i].count;
        fprintf(out, "| %s | %zu | %zu | %zu | %s |\n", all->tables[t], launches, families, skipped,
                about_table(all->tables[t]));
    }
}

static const char reading[] =
    "\nThe numbers that `warpline fit` finds come from the families named here; some others were read off single "
    "micro-benchmarks (`warpline devices show h200` names the source of each). No number was fitted to "
    "h200_heldout, but the form of some laws (loops, lone pieces, averaging over blocks) was chosen with it in view, "
    "so it "
    "is a test of the numbers rather than of the forms.\n\n"
    "How to read the tables:\n\n"
    "- The relative error is predicted / measured - 1. The tables give `mean / median / largest` of its absolute "
    "value, in percent.\n"
    "- Launches shorter than 20 us are left out of the statistics of time: they mostly measure the launch itself.\n"
    "- Memory volumes measured below 48 MB are left out of the DRAM columns: the data of such a launch is still in the "
    "L2 when it ends, and what is written back depends on the launch before. `-`: no launch is left.\n"
    "- A group is a family and one of its variants (element type, folding). `tau` is Kendall's tau-b between measured "
    "and predicted times, `pick` the best measured time over the measured time of the launch predicted to be fastest; "
    "both over all launches of the row.\n"
    "- `per problem`: tau and pick within launches of equal params and type, as a user would choose among blocks and "
    "foldings; mean over the problems of three launches or more (how many, in brackets), and the worst pick. If a "
    "family has several problem sizes, this is the meaningful number. If all launches of a problem take the same time "
    "within a few percent, their tau means little.\n"
    "- `inst`, `sectors`: launches whose load and store instructions, and whose sectors, are predicted exactly.\n"
    "- Bold: this number has a bar, a limit that it should meet. `fail`: it misses the bar; `open`: it misses the bar "
    "and is being worked on. Bars "
    "of "
    "`waiting` are those of \"Threads that loop and wait\".\n\n";

static void head(const rows *all, const report_options *o, FILE *out)
{
    size_t groups = 0;
    for (size_t i = 0; i < all->count; i++)
        groups += is_first(all, i);
    fprintf(
        out,
        "# Accuracy\n\nPredicted against measured: device `%s`, %zu launches, %zu families, %zu groups, %s. Written "
        "by `make validate` (no GPU needed, some minutes); not to be edited.\nThe numbers behind the tables are in "
        "[validate/accuracy.json](../validate/accuracy.json), which the test `accuracy` compares with.\n\n",
        all->device, all->count, all->family_count, groups, o->date ? o->date : "no date");
    tables(all, out);
    fputs(reading, out);
}

static void skips(const rows *all, FILE *out)
{
    fprintf(out, "## Left out\n\n| table | launches | why |\n|---|---|---|\n");
    for (size_t i = 0; i < all->skip_count; i++)
        if (!is_note(&all->skips[i]))
            fprintf(out, "| %s | %zu | %s |\n", all->skips[i].table, all->skips[i].count, all->skips[i].reason);
    fputc('\n', out);
}

/* ---- families and groups ---- */

static void error_cell(const wl_agreement *a, double most, FILE *out)
{
    if (a->count == 0)
        fputs(" - |", out);
    else if (most > 0)
        fprintf(out, " **%.1f** / %.1f / %.1f%s |", 100 * a->mean, 100 * a->median, 100 * a->max,
                a->mean <= most ? "" : " fail");
    else
        fprintf(out, " %.1f / %.1f / %.1f |", 100 * a->mean, 100 * a->median, 100 * a->max);
}

static void least_cell(bool known, double value, double least, bool percent, FILE *out)
{
    const char *bold = least > 0 ? "**" : "", *fail = least > 0 && value < least ? " fail" : "";
    if (!known)
        fputs(" - |", out);
    else if (percent)
        fprintf(out, " %s%.1f%s%s |", bold, 100 * value, bold, fail);
    else
        fprintf(out, " %s%.2f%s%s |", bold, value, bold, fail);
}

static void line_head(const char *first, FILE *out)
{
    fprintf(out, "| %s | n |", first);
    for (int v = 0; v < JUDGED; v++)
        fprintf(out, " %s |", value_label(v));
    fprintf(out, " tau | pick %% | per problem: tau, pick %%, worst | inst | sectors |\n|---|---|");
    for (int v = 0; v < JUDGED + 5; v++)
        fputs("---|", out);
    fputc('\n', out);
}

static void line(const char *name, const statistics *s, const bar *b, FILE *out)
{
    fprintf(out, "| %s | %zu |", name, s->launches);
    for (int v = 0; v < JUDGED; v++)
        error_cell(&s->values[v], b ? b->error[v] : 0, out);
    least_cell(s->rank.tau_known, s->rank.tau, b ? b->tau : 0, false, out);
    least_cell(s->rank.pick_known && s->values[TIME].count > 1, s->rank.pick, b ? b->pick : 0, true, out);
    if (s->rank.problems_known)
        fprintf(out, " %.2f, %.1f, %.1f (%zu) |", s->rank.problem_tau, 100 * s->rank.problem_pick,
                100 * s->rank.worst_pick, s->rank.problems);
    else
        fputs(" - |", out);
    fprintf(out, " %zu | %zu |\n", s->exact_inst, s->exact_sectors);
}

static bool families(const rows *all, FILE *out)
{
    fprintf(out, "## Families\n\n");
    for (size_t t = 0; t < all->table_count; t++) {
        const bool judged = !strstr(all->tables[t], "examples");
        fprintf(out, "### %s\n\n", all->tables[t]);
        line_head("family", out);
        for (size_t i = 0; i < all->family_count; i++) {
            const family_rows *f = &all->families[i];
            statistics s;
            if (f->table != all->tables[t])
                continue;
            if (!statistics_make(all, &(selection){f->table, f->name, NULL}, &s))
                return false;
            line(f->name, &s, judged ? bar_of(f->name) : NULL, out);
        }
        fputc('\n', out);
    }
    return true;
}

static bool groups(const rows *all, FILE *out)
{
    fprintf(out, "## Groups\n\nFamily and variant.\n\n");
    for (size_t t = 0; t < all->table_count; t++) {
        fprintf(out, "### %s, groups\n\n", all->tables[t]);
        line_head("group", out);
        for (size_t i = 0; i < all->count; i++) {
            const row *r = &all->list[i];
            char name[2 * NAME_LENGTH];
            statistics s;
            if (r->table != all->tables[t] || !is_first(all, i))
                continue;
            if (!statistics_make(all, &(selection){r->table, r->family, r->variant}, &s))
                return false;
            snprintf(name, sizeof name, "%s/%s", r->family, r->variant);
            line(name, &s, NULL, out);
        }
        fputc('\n', out);
    }
    return true;
}

/* ---- the other model ---- */

static void model_cells(const wl_agreement *a, const ranking *r, FILE *out)
{
    if (a->count == 0)
        fputs(" - | - | - | - |", out);
    else
        fprintf(out, " %.1f / %.1f / %.1f | %+.1f |", 100 * a->mean, 100 * a->median, 100 * a->max, 100 * a->bias);
    if (a->count > 0) {
        least_cell(r->tau_known, r->tau, 0, false, out);
        least_cell(r->pick_known, r->pick, 0, true, out);
    }
}

static bool limiter(const rows *all, FILE *out)
{
    bool any = false;
    for (size_t i = 0; i < all->count; i++)
        any = any || all->list[i].limiter_known;
    if (!any)
        return true;
    fprintf(out, "## Turnover against limiter\n\nThe same volumes, two models of time: `turnover` (the default, "
                 "fitted) and `limiter` (the largest of "
                 "the bounds by data-sheet and measured rates, nothing fitted). Errors in percent: mean / median / "
                 "largest, then the mean with its "
                 "sign.\n\n"
                 "| family | table | n | turnover | bias | tau | pick %% | limiter | bias | tau | pick %% |\n"
                 "|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < all->family_count; i++) {
        const family_rows *f = &all->families[i];
        statistics s;
        if (!statistics_make(all, &(selection){f->table, f->name, NULL}, &s))
            return false;
        if (s.values[TIME].count < 2)
            continue;
        fprintf(out, "| %s | %s | %zu |", f->name, f->table, s.values[TIME].count);
        model_cells(&s.values[TIME], &s.rank, out);
        model_cells(&s.limiter, &s.limiter_rank, out);
        fputc('\n', out);
    }
    fputc('\n', out);
    return true;
}

/* ---- plots ---- */

static const struct {
    const char *file, *title, *text;
} plots[] = {
    {"scatter_star3d", "Range-4 star",
     "Points on the diagonal are predicted exactly; dashed lines are 20 % beside it. Values are per lattice update."},
    {"scatter_layer", "Range-4 star, growing planes", ""},
    {"scatter_lbm", "Lattice Boltzmann D3Q15 with phase field", ""},
    {"scatter_star7", "Seven-point star, rows not aligned", ""},
    {"scatter_box9", "Nine-point box in two dimensions", ""},
    {"scatter_heldout", "Held-out families: nothing was fitted to them", ""},
    {"composition_star3d", "What memory loads are made of",
     "Blocks of 1024 threads without folding, sorted by the measured volume. The solid parts of a bar add up to the "
     "predicted volume; the light ones "
     "are what would be loaded too, were it not found in the L2. Points are measured."},
    {"l1_reload", "Data loaded into the L1 again",
     "Of the sectors requested again, the share that has to be loaded again, over the lines the resident blocks touch "
     "against the L1. Measured: (L2 loads - "
     "compulsory) / (requested - compulsory), the compulsory part from the prediction. Right: divided by how much of "
     "the repetition is between warps (repetition "
     "inside a warp hits); the curve is the law's."},
    {"layer_condition", "Layer condition",
     "The same number of cells in ever larger planes: lines are predicted, points measured. Blocks of one layer keep "
     "their reuse longest, and lose most."},
    {"time_star3d", "Time and order",
     "Left: predicted over measured. Right: launches in the order of their predicted times; were the order right, the "
     "points would never fall."},
};

static void pictures(const report_options *o, FILE *out)
{
    fprintf(out,
            "## Plots\n\n`make validate` draws them from the scripts of `validate/plots` and leaves the data beside "
            "copies of these in `build/validate/plots`: `cd build/validate/plots && gnuplot -c scatter.gp star3d`, "
            "say.\n\n");
    if (!o->drawn)
        fprintf(out, "gnuplot was not there when this report was written: the plots are not drawn (or older than the "
                     "tables). Install it and run `make validate` again, or draw "
                     "them from their scripts.\n\n");
    for (size_t i = 0; i < sizeof plots / sizeof plots[0]; i++) {
        fprintf(out, "### %s\n\n", plots[i].title);
        if (plots[i].text[0])
            fprintf(out, "%s\n\n", plots[i].text);
        fprintf(out, o->drawn ? "![%s](plots/%s.svg)\n\n" : "%s: data in `build/validate/plots/%s.dat`\n\n",
                plots[i].title, plots[i].file);
    }
}

bool report_write(const rows *all, const report_options *o, FILE *out)
{
    head(all, o, out);
    fprintf(out, "## Bars\n\n");
    report_bars(all, out);
    bool ok = families(all, out);
    fprintf(
        out,
        "## One family left out\n\nThe numbers of the device are fitted again without the launches of one family, and "
        "then predict that family: this is what to expect for a kernel that is not among the families. Mean errors "
        "in percent, `fitted with it → fitted without it`, rows left out as above; both are fits of this run, "
        "not the numbers of the device file. The bar is 1.5 times the family's own bar; bold where there is "
        "one.\n\n");
    ok = report_left_out(o->fit, out) && ok;
    ok = ok && limiter(all, out) && report_worst(all, o->explanations, out);
    if (ok && o->plots)
        pictures(o, out);
    skips(all, out);
    return ok && groups(all, out) && !ferror(out);
}
