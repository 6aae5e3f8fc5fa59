/* rank_data.c - rankings as JSON (schema warpline.rank/1) and CSV, written line by line: a tree of a million launches
 * would not fit the memory a search is allowed. SPDX-License-Identifier: MIT */
#include <math.h>

#include "rank.h"

static void quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p == '"' || *p == '\\')
            fprintf(out, "\\%c", *p);
        else if (*p < 0x20)
            fprintf(out, "\\u%04x", (unsigned)*p);
        else
            fputc(*p, out);
    }
    fputc('"', out);
}

/* Quotes inside are doubled. */
static void csv_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++)
        fprintf(out, "%s%c", *text == '"' ? "\"" : "", *text);
    fputc('"', out);
}

static void triple(FILE *out, const char *name, const int64_t v[3])
{
    fprintf(out, "\"%s\": [%lld, %lld, %lld]", name, (long long)v[0], (long long)v[1], (long long)v[2]);
}

static const char *kernel_name(const ranked_space *s) { return wl_kernel_name(wl_ranker_kernel(s->ranker)); }
static const char *device_name(const ranked_space *s) { return wl_device_name(wl_ranker_device(s->ranker)); }

void rank_write_start(rank_writer *w, const char *kernel)
{
    if (!w->csv) {
        fprintf(w->file, "{\"schema\": \"warpline.rank/1\", \"kernel\": ");
        quoted(w->file, kernel);
        fprintf(w->file, ", \"spaces\": [");
        return;
    }
    fprintf(w->file, "kernel,device,domain_x,domain_y,domain_z,rank,group,block_x,block_y,block_z,fold_x,fold_y,fold_z,"
                     "registers,blocks_per_sm,warps_per_sm,time_s,items_per_s,limiter,next_limiter");
    for (int v = 0; v < WL_RANK_VALUES; v++)
        fprintf(w->file, ",%s", wl_metric_name(wl_rank_metric((wl_rank_value)v)));
    fputc('\n', w->file);
}

void rank_write_space(rank_writer *w, const ranked_space *s)
{
    w->launches = 0;
    if (!w->csv) {
        fprintf(w->file, "%s\n{\"device\": ", w->spaces ? "," : "");
        quoted(w->file, device_name(s));
        fprintf(w->file, ", ");
        if (s->dims > 0) {
            triple(w->file, "domain", s->domain);
            fprintf(w->file, ", \"items\": %lld, ", (long long)wl_ranker_items(s->ranker));
        }
        fputs("\"launches\": [", w->file);
    }
    w->spaces++;
}

static void csv_launch(FILE *out, const ranked_space *s, const wl_launch *l, const wl_ranked *r, size_t rank,
                       size_t group)
{
    csv_quoted(out, kernel_name(s));
    fputc(',', out);
    csv_quoted(out, device_name(s));
    for (int d = 0; d < 3; d++)
        fprintf(out, ",%lld", (long long)s->domain[d]);
    if (rank)
        fprintf(out, ",%zu,%zu", rank, group);
    else
        fprintf(out, ",,");
    fprintf(out, ",%lld,%lld,%lld,%lld,%lld,%lld", (long long)l->block[0], (long long)l->block[1],
            (long long)l->block[2], (long long)l->fold[0], (long long)l->fold[1], (long long)l->fold[2]);
    if (l->registers)
        fprintf(out, ",%lld", (long long)l->registers);
    else
        fputc(',', out);
    fprintf(out, ",%d,%d,%.15g,%.15g,%s,%s", (int)r->blocks_per_sm, (int)r->warps_per_sm, r->time_s,
            (double)wl_ranker_launch_items(s->ranker, r->index) / r->time_s, wl_bound_name((wl_bound_id)r->limiter),
            wl_bound_name((wl_bound_id)r->next));
    for (int v = 0; v < WL_RANK_VALUES; v++) {
        fputc(',', out);
        if (!isnan(r->values[v]))
            fprintf(out, "%.15g", r->values[v]);
    }
    fputc('\n', out);
}

static void json_launch(FILE *out, const ranked_space *s, const wl_launch *l, const wl_ranked *r, size_t rank,
                        size_t group)
{
    fputc('{', out);
    if (rank)
        fprintf(out, "\"rank\": %zu, \"group\": %zu, ", rank, group);
    triple(out, "block", l->block);
    fputs(", ", out);
    triple(out, "fold", l->fold);
    if (l->grid[0] > 0) {
        fputs(", ", out);
        triple(out, "grid", l->grid);
    }
    fputs(", \"schedule\": \"linear\"", out);
    if (l->registers)
        fprintf(out, ", \"registers\": %lld", (long long)l->registers);
    fprintf(
        out,
        ", \"occupancy\": {\"blocks_per_sm\": %d, \"warps_per_sm\": %d}, \"time_s\": %.15g, \"items_per_s\": %.15g, "
        "\"limiter\": \"%s\", \"next_limiter\": \"%s\", \"metrics\": {",
        (int)r->blocks_per_sm, (int)r->warps_per_sm, r->time_s,
        (double)wl_ranker_launch_items(s->ranker, r->index) / r->time_s, wl_bound_name((wl_bound_id)r->limiter),
        wl_bound_name((wl_bound_id)r->next));
    const char *comma = "";
    for (int v = 0; v < WL_RANK_VALUES; v++) {
        if (isnan(r->values[v]))
            continue;
        fprintf(out, "%s\"%s\": %.15g", comma, wl_metric_name(wl_rank_metric((wl_rank_value)v)), r->values[v]);
        comma = ", ";
    }
    fputs("}}", out);
}

void rank_write_launch(rank_writer *w, const ranked_space *s, const wl_ranked *r, size_t rank, size_t group)
{
    wl_launch launch;
    wl_ranker_launch(s->ranker, r->index, &launch);
    for (int d = 0; d < 3; d++) {
        launch.block[d] += launch.block[d] == 0;
        launch.fold[d] += launch.fold[d] == 0;
    }
    if (w->csv) {
        csv_launch(w->file, s, &launch, r, rank, group);
    } else {
        fputs(w->launches ? ",\n  " : "\n  ", w->file);
        json_launch(w->file, s, &launch, r, rank, group);
    }
    w->launches++;
}

/* What became of the launches that were not predicted. */
static void left_out(FILE *out, const ranked_space *s)
{
    const char *comma = "";
    fputs("\"left_out\": [", out);
    for (int o = WL_OUTCOME_PREDICTED + 1; o < WL_OUTCOME_COUNT; o++) {
        if (s->ranking.outcomes[o] == 0 || o == WL_OUTCOME_WHERE)
            continue;
        fprintf(out, "%s{\"reason\": ", comma);
        quoted(out, wl_outcome_text((wl_outcome)o));
        fprintf(out, ", \"cannot_run\": %s, \"count\": %lld}", wl_outcome_cannot_run((wl_outcome)o) ? "true" : "false",
                (long long)s->ranking.outcomes[o]);
        comma = ", ";
    }
    const char *condition;
    for (size_t i = 0; (condition = wl_ranker_condition(s->ranker, i)); i++) {
        fprintf(out, "%s{\"reason\": ", comma);
        quoted(out, wl_outcome_text(WL_OUTCOME_WHERE));
        fprintf(out, ", \"condition\": ");
        quoted(out, condition);
        fprintf(out, ", \"cannot_run\": false, \"count\": %lld}", (long long)s->ranking.conditions[i]);
        comma = ", ";
    }
    fputs("]", out);
}

void rank_write_space_end(rank_writer *w, const ranked_space *s, bool sorted)
{
    if (w->csv)
        return;
    FILE *out = w->file;
    fprintf(out, "%s], \"sorted\": %s, \"predicted\": %lld, ", w->launches ? "\n " : "", sorted ? "true" : "false",
            (long long)s->ranking.outcomes[WL_OUTCOME_PREDICTED]);
    left_out(out, s);
    fprintf(out, ", \"interrupted\": %s, \"tie\": %.6g, \"error_basis\": ", s->ranking.stopped ? "true" : "false",
            s->tie);
    quoted(out, s->trust.basis);
    if (s->chosen) {
        fprintf(out, ", \"benchmark\": {\"count\": %zu, \"within\": %.6g", s->count, s->within);
        if (s->chance > 0)
            fprintf(out, ", \"probability\": %.4g", s->chance);
        fprintf(out, ", \"assumed\": %s}", s->trust.assumed ? "true" : "false");
    }
    fprintf(out, ", \"notes\": [");
    const char *note;
    for (size_t i = 0; (note = wl_ranker_note(s->ranker, i)); i++) {
        fputs(i ? ", " : "", out);
        quoted(out, note);
    }
    fputs("]}", out);
}

void rank_write_end(rank_writer *w)
{
    if (!w->csv)
        fputs("\n]}\n", w->file);
}
