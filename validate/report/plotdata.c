/* plotdata.c - the data of the plots; the scripts of validate/plots draw it.
 *
 * A file holds series, told apart by two empty lines; the first line of a series is its name.
 * Volumes and times are per lattice update. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy.h"

#define SERIES_MAX 32
#define NANOSECOND 1e9
#define WARP 32.0
#define LAW_POINTS 120
#define LAW_RANGE 4.0
/* a smaller share of repetition between warps is left out: a quotient of small numbers */
#define BETWEEN_WARPS_MIN 0.1

typedef struct plotter {
    const rows *all;
    again *again;
    const char *folder;
} plotter;

typedef struct series {
    char names[SERIES_MAX][NAME_LENGTH];
    size_t count;
} series;

static FILE *open_data(const plotter *p, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.dat", p->folder, name);
    FILE *f = fopen(path, "wb");
    if (!f)
        fprintf(stderr, "report: cannot write %s\n", path);
    return f;
}

static bool close_data(FILE *f) { return f && !ferror(f) && fclose(f) == 0; }

typedef enum series_by { BY_VARIANT, BY_FAMILY, BY_BLOCK, BY_WIDTH } series_by;

static void series_name(const row *r, series_by by, char name[NAME_LENGTH])
{
    if (by == BY_BLOCK)
        snprintf(name, NAME_LENGTH, "%lldx%lldx%lld", (long long)r->block[0], (long long)r->block[1],
                 (long long)r->block[2]);
    else if (by == BY_WIDTH)
        snprintf(name, NAME_LENGTH, "blocks %lld wide", (long long)r->block[0]);
    else
        snprintf(name, NAME_LENGTH, "%s", by == BY_FAMILY ? r->family : r->variant);
}

static void find_series(const rows *all, const selection *which, series_by by, series *out)
{
    out->count = 0;
    for (size_t i = 0; i < all->count; i++) {
        char name[NAME_LENGTH];
        size_t n = 0;
        if (!row_selected(&all->list[i], which))
            continue;
        series_name(&all->list[i], by, name);
        while (n < out->count && strcmp(out->names[n], name) != 0)
            n++;
        if (n == out->count && n < SERIES_MAX)
            snprintf(out->names[out->count++], NAME_LENGTH, "%s", name);
    }
}

static bool is_of(const row *r, const selection *which, series_by by, const char *name)
{
    char own[NAME_LENGTH];
    series_name(r, by, own);
    return row_selected(r, which) && strcmp(own, name) == 0;
}

/* ---- predicted over measured ---- */

static const int panels[] = {L1_WAVEFRONTS, L2_LOADS, L2_STORES, DRAM_LOADS, DRAM_STORES, TIME};
#define PANELS (sizeof panels / sizeof panels[0])

static double per_update(int v, double value, double work)
{
    return v == TIME ? value * NANOSECOND * 1e3 / work : v == L1_WAVEFRONTS ? value * WARP / work : value / work;
}

static void scatter_row(const plotter *p, const row *r, FILE *f)
{
    const double work = again_work(p->again, r);
    for (size_t i = 0; i < PANELS; i++) {
        const int v = panels[i];
        if (row_counts(r, v) && work > 0 && r->measured[v] > 0 && r->predicted[v] > 0)
            fprintf(f, "%.5g %.5g ", per_update(v, r->measured[v], work), per_update(v, r->predicted[v], work));
        else
            fputs("NaN NaN ", f);
    }
    fprintf(f, "%lldx%lldx%lld\n", (long long)r->block[0], (long long)r->block[1], (long long)r->block[2]);
}

static bool scatter(const plotter *p, const char *name, const selection *which, series_by by)
{
    series s;
    FILE *f = open_data(p, name);
    if (!f)
        return false;
    find_series(p->all, which, by, &s);
    fputs("# measured and predicted: L1 wavefronts per 32 updates; L2 loads, L2 stores, DRAM loads, DRAM stores in B; "
          "time in ps; the block\n",
          f);
    for (size_t n = 0; n < s.count; n++) {
        fprintf(f, "%s\"%s\"\n", n ? "\n\n" : "", s.names[n]);
        for (size_t i = 0; i < p->all->count; i++)
            if (is_of(&p->all->list[i], which, by, s.names[n]))
                scatter_row(p, &p->all->list[i], f);
    }
    return close_data(f);
}

/* ---- parts of the memory loads ---- */

typedef struct composition {
    char block[NAME_LENGTH];
    double once, again[3], saved[3], partial, measured;
} composition;

static int by_measured(const void *a, const void *b)
{
    const composition *p = a, *q = b;
    return (p->measured > q->measured) - (p->measured < q->measured);
}

static double part_of(const wl_prediction *p, wl_metric metric, const char *name)
{
    double value = 0;
    const char *part;
    for (size_t i = 0; (part = wl_prediction_part(p, metric, i, &value)); i++)
        if (strcmp(part, name) == 0)
            return value;
    return 0;
}

/* The prediction counts every window of blocks anew and takes away what is found; here: once, and
 * what is loaded again.
 */
static composition compose(const wl_prediction *p, const row *r, double work)
{
    static const char *const names[3] = {"reuse_x", "reuse_y", "reuse_z"};
    const wl_metric loads = WL_METRIC_dram_load_bytes;
    const double waves = (double)wl_prediction_blocks(p) / (double)wl_prediction_wave_blocks(p);
    composition c = {.once = part_of(p, loads, "compulsory") / work,
                     .partial = (part_of(p, loads, "partial_stores") + part_of(p, loads, "capacity")) / work,
                     .measured = r->measured[DRAM_LOADS] / work};
    series_name(r, BY_BLOCK, c.block);
    for (int d = 0; d < 3; d++) {
        const double overlap = wl_prediction_reuse(p, d)->overlap_bytes * waves;
        c.saved[d] = -part_of(p, loads, names[d]) / work;
        c.again[d] = fmax(0, overlap / work - c.saved[d]);
        c.once -= overlap / work;
    }
    return c;
}

static bool compositions(const plotter *p)
{
    const selection which = {"h200_fit", "star3d", "r4_fy1_fz1_b64"};
    composition *list = calloc(p->all->count, sizeof *list);
    size_t count = 0;
    for (size_t i = 0; list && i < p->all->count; i++) {
        const row *r = &p->all->list[i];
        if (!row_selected(r, &which) || r->block[0] * r->block[1] * r->block[2] != 1024)
            continue;
        const wl_prediction *prediction = again_predict(p->again, r);
        const double work = again_work(p->again, r);
        if (prediction && work > 0)
            list[count++] = compose(prediction, r, work);
    }
    FILE *f = list ? open_data(p, "composition_star3d") : NULL;
    if (f) {
        qsort(list, count, sizeof *list, by_measured);
        fputs("# B per update: block, once, again x, y, z, partly written and evicted, saved x, y, z, measured\n", f);
        for (size_t i = 0; i < count; i++) {
            const composition *c = &list[i];
            fprintf(f, "%s %.5g %.5g %.5g %.5g %.5g %.5g %.5g %.5g %.5g\n", c->block, c->once, c->again[0], c->again[1],
                    c->again[2], c->partial, c->saved[0], c->saved[1], c->saved[2], c->measured);
        }
    }
    free(list);
    return close_data(f);
}

/* ---- the L1's law ---- */

static double law(const wl_device *device, double over)
{
    double c[3];
    for (size_t i = 0; i < 3; i++)
        c[i] = wl_device_list_value(device, WL_DEVICE_l1_reload_curve, i);
    return c[0] * exp(-c[1] * exp(-c[2] * over));
}

static void reload_row(const plotter *p, const row *r, FILE *f)
{
    const wl_prediction *x = r->known[L2_LOADS] ? again_predict(p->again, r) : NULL;
    if (!x || wl_prediction_l1_miss_rate(x) <= 0)
        return;
    const double misses = wl_prediction_l1_miss_rate(x), over = wl_prediction_l1_oversubscription(x);
    const double compulsory = part_of(x, WL_METRIC_l2_load_bytes, "compulsory");
    const double repeated = part_of(x, WL_METRIC_l2_load_bytes, "capacity") / misses;
    const double between = misses / law(again_device(p->again), over);
    if (repeated <= 0.05 * compulsory) /* hardly anything is requested again: noise */
        return;
    const double measured = (r->measured[L2_LOADS] - compulsory) / repeated;
    fprintf(f, "%.5g %.5g %.5g %.5g\n", over, measured, misses,
            between >= BETWEEN_WARPS_MIN ? measured / between : NAN);
}

static bool reloads(const plotter *p)
{
    static const selection sets[] = {{"h200_fit", "star3d", NULL},       {"h200_fit", "layer", NULL},
                                     {"h200_fit", "lbm_d3q15_pf", NULL}, {"h200_fit2", "star7", NULL},
                                     {"h200_fit2", "box9", NULL},        {"h200_heldout", "star3dr2", NULL},
                                     {"h200_heldout", "star2d5", NULL}};
    FILE *f = open_data(p, "l1_reload");
    if (!f)
        return false;
    fputs("# oversubscription, share loaded again: measured, predicted, measured over the share between warps; the "
          "first series is the law\n\"law\"\n",
          f);
    for (int i = 0; i <= LAW_POINTS; i++)
        fprintf(f, "%.4g %.5g\n", LAW_RANGE * i / LAW_POINTS, law(again_device(p->again), LAW_RANGE * i / LAW_POINTS));
    for (size_t n = 0; n < sizeof sets / sizeof sets[0]; n++) {
        fprintf(f, "\n\n\"%s\"\n", sets[n].family);
        for (size_t i = 0; i < p->all->count; i++)
            if (row_selected(&p->all->list[i], &sets[n]))
                reload_row(p, &p->all->list[i], f);
    }
    return close_data(f);
}

/* ---- planes, and the order of times ---- */

static bool layers(const plotter *p)
{
    const selection which = {"h200_fit", "layer", NULL};
    series s;
    FILE *f = open_data(p, "layer_condition");
    if (!f)
        return false;
    find_series(p->all, &which, BY_BLOCK, &s);
    fputs("# cells along a side of the plane; memory loads in B per update: measured, predicted\n", f);
    for (size_t n = 0; n < s.count; n++) {
        fprintf(f, "%s\"%s\"\n", n ? "\n\n" : "", s.names[n]);
        for (size_t i = 0; i < p->all->count; i++) {
            const row *r = &p->all->list[i];
            const char *nx = strstr(r->params, "nx=");
            if (!is_of(r, &which, BY_BLOCK, s.names[n]) || !nx)
                continue;
            const double work = again_work(p->again, r);
            fprintf(f, "%ld %.5g %.5g\n", strtol(nx + 3, NULL, 10), r->measured[DRAM_LOADS] / work,
                    r->predicted[DRAM_LOADS] / work);
        }
    }
    return close_data(f);
}

static int by_predicted(const void *a, const void *b)
{
    const double p = (*(const row *const *)a)->predicted[TIME], q = (*(const row *const *)b)->predicted[TIME];
    return (p > q) - (p < q);
}

static bool order(const plotter *p)
{
    const selection which = {"h200_fit", "star3d", NULL};
    const row **list = calloc(p->all->count, sizeof *list);
    size_t count = 0;
    for (size_t i = 0; list && i < p->all->count; i++)
        if (row_selected(&p->all->list[i], &which) && row_counts(&p->all->list[i], TIME))
            list[count++] = &p->all->list[i];
    FILE *f = list ? open_data(p, "time_star3d") : NULL;
    if (f) {
        qsort(list, count, sizeof *list, by_predicted);
        fputs("# rank by predicted time; ms: measured, predicted; cells per thread in y, z; the block\n", f);
        for (size_t i = 0; i < count; i++)
            fprintf(f, "%zu %.5g %.5g %lld %lld %lldx%lldx%lld\n", i + 1, 1e3 * list[i]->measured[TIME],
                    1e3 * list[i]->predicted[TIME], (long long)list[i]->fold[1], (long long)list[i]->fold[2],
                    (long long)list[i]->block[0], (long long)list[i]->block[1], (long long)list[i]->block[2]);
    }
    free(list);
    return close_data(f);
}

bool plotdata_write(const rows *all, const report_options *o)
{
    plotter p = {all, o->map ? again_open(o->map, all->device) : NULL, o->plots};
    const bool ok = p.again && scatter(&p, "scatter_star3d", &(selection){"h200_fit", "star3d", NULL}, BY_VARIANT) &&
                    scatter(&p, "scatter_layer", &(selection){"h200_fit", "layer", NULL}, BY_BLOCK) &&
                    scatter(&p, "scatter_lbm", &(selection){"h200_fit", "lbm_d3q15_pf", NULL}, BY_WIDTH) &&
                    scatter(&p, "scatter_star7", &(selection){"h200_fit2", "star7", NULL}, BY_VARIANT) &&
                    scatter(&p, "scatter_box9", &(selection){"h200_fit2", "box9", NULL}, BY_VARIANT) &&
                    scatter(&p, "scatter_heldout", &(selection){"h200_heldout", NULL, NULL}, BY_FAMILY) &&
                    compositions(&p) && reloads(&p) && layers(&p) && order(&p);
    again_close(p.again);
    return ok;
}
