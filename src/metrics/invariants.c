/* invariants.c - see invariants.h. SPDX-License-Identifier: MIT */
#include "metrics/invariants.h"

#include <math.h>

#include "device/device_internal.h"
#include "metrics/warnings.h"

/* sums of doubles in another order differ by less, relative to their largest term */
#define ROUNDING 1e-9

/* ---- one value ---- */

typedef struct checker {
    const wl_invariants_input *in;
    const char *field; /* whose volume is checked; NULL: the launch's */
    wl_prediction *out;
} checker;

/* The value, or the nearest one between the two limits; not a number becomes the lower one. */
static double kept(const checker *c, const char *what, double value, double least, double most)
{
    const double slack = ROUNDING * fmax(fabs(value), fmax(fabs(least), isfinite(most) ? fabs(most) : 0));
    if (value >= least && value <= most && isfinite(value))
        return value;
    const double clamped = value > most && isfinite(most) ? most : least;
    if (isfinite(value) && fabs(value - clamped) <= slack)
        return value; /* except for rounding */
    c->out->clamped++;
    wl_warn(c->out, "%s%s%s was predicted as %.6g, which is impossible: %.6g is used", what, c->field ? " of " : "",
            c->field ? c->field : "", value, clamped);
    return clamped;
}

/* ---- volumes of a field ---- */

/* What bounds the volumes of one field, in bytes. */
typedef struct limits {
    double requested, written, atomics; /* sectors of instructions */
    /* that the launch loads, through the L2 and from DRAM; 0: not known */
    double distinct[2];
    double per_sector; /* the most bytes from DRAM per byte of a sector */
} limits;

/* Simulated caches load nothing from DRAM that a store has brought into the L2 before. */
static limits limits_of(const wl_invariants_input *in, size_t field, bool simulated)
{
    const double sector = (double)wl_device_int(in->device, WL_DEVICE_l1_sector),
                 fetch = (double)wl_device_int(in->device, WL_DEVICE_dram_fetch);
    limits l = {.per_sector = fmax(1, fetch / sector)};
    for (size_t a = 0; a < in->kernel->access_count; a++) {
        const wl_access *access = &in->kernel->accesses[a];
        if (access->field == field)
            *(access->atomic ? &l.atomics : access->store ? &l.written : &l.requested) += in->costs[a].sectors * sector;
    }
    if (in->traffic && in->traffic->windows_known && !simulated) {
        const double units = in->traffic->fields[field].windows.units[in->traffic->window_count - 1];
        l.distinct[0] = fmax(units * fmin(sector, fetch), in->traffic->fields[field].loads.launch_sectors * sector);
        l.distinct[1] = units * fetch;
    }
    return l;
}

static void keep_signs(const checker *c, bool dram, wl_volume *v)
{
    v->l2_compulsory = kept(c, "the compulsory L2 load volume", v->l2_compulsory, 0, INFINITY);
    v->l2_capacity = kept(c, "the L2 load volume of reloads", v->l2_capacity, 0, INFINITY);
    if (!dram)
        return;
    v->dram_compulsory = kept(c, "the compulsory DRAM load volume", v->dram_compulsory, 0, INFINITY);
    v->dram_capacity = kept(c, "the DRAM load volume of reloads", v->dram_capacity, 0, INFINITY);
    for (int i = 0; i < 3; i++)
        v->dram_reuse[i] = -kept(c, "the reuse in the L2", -v->dram_reuse[i], 0, INFINITY);
}

static void keep_l2(const checker *c, const limits *l, wl_volume *v)
{
    const double loaded = v->l2_compulsory + v->l2_capacity;
    const double right = kept(c, "the L2 load volume", loaded, fmin(l->distinct[0], l->requested), l->requested);
    if (right != loaded) {
        v->l2_capacity = loaded > 0 ? v->l2_capacity * right / loaded : 0;
        v->l2_compulsory = right - v->l2_capacity;
    }
    v->l2_store = kept(c, "the L2 store volume", v->l2_store, 0, l->written);
}

static void keep_dram(const checker *c, const limits *l, wl_volume *v)
{
    const double most = (v->l2_compulsory + v->l2_capacity) * l->per_sector, written = l->written + l->atomics;
    const double reused = -(v->dram_reuse[0] + v->dram_reuse[1] + v->dram_reuse[2]);
    const double loaded = v->dram_compulsory + v->dram_capacity - reused;
    const double right = kept(c, "the DRAM load volume", loaded, fmin(l->distinct[1], most), most);
    if (right != loaded) { /* if too low, less is reused; if too high, all parts are scaled down */
        const double left = right > loaded && reused > 0 ? fmax(0, 1 - (right - loaded) / reused)
                            : loaded > 0                 ? right / loaded
                                                         : 0;
        for (int i = 0; i < 3; i++)
            v->dram_reuse[i] *= left;
        v->dram_capacity *= right < loaded ? left : 1;
        v->dram_compulsory = right - v->dram_capacity - v->dram_reuse[0] - v->dram_reuse[1] - v->dram_reuse[2];
    }
    v->dram_partial = kept(c, "the DRAM volume read back for partial stores", v->dram_partial, 0, written);
    v->dram_store = kept(c, "the DRAM store volume", v->dram_store, 0, v->l2_store + l->atomics + v->dram_partial);
}

void wl_invariants_of_volumes(const wl_invariants_input *in, wl_volumes *v, wl_prediction *out)
{
    const int before = out->clamped;
    for (size_t f = 0; f < in->kernel->field_count; f++) {
        const checker c = {in, in->kernel->fields[f].name, out};
        if (in->kernel->fields[f].shared)
            continue;
        const limits l = limits_of(in, f, v->simulation.used);
        keep_signs(&c, v->known, &v->fields[f]);
        keep_l2(&c, &l, &v->fields[f]);
        if (v->known)
            keep_dram(&c, &l, &v->fields[f]);
    }
    if (out->clamped > before)
        wl_volumes_add_up(in->kernel->field_count, v);
}

/* ---- results ---- */

static void keep_parts(const checker *c, wl_metric metric, wl_value *v)
{
    double sum = 0, size = fabs(v->value);
    for (int i = 0; i < v->part_count; i++) {
        sum += v->parts[i].value;
        size = fmax(size, fabs(v->parts[i].value));
    }
    if (v->part_count == 0 || fabs(sum - v->value) <= ROUNDING * size)
        return;
    v->value = kept(c, wl_metric_name(metric), v->value, sum, sum);
}

/* An instruction with an active lane accesses a sector at least. Samples of blocks may miss those
 * that few blocks execute, and instructions are counted in another sample. */
static void keep_sectors(const checker *c, wl_memory_op op, wl_metric instructions, wl_metric sectors)
{
    const wl_value *inst = &c->out->metrics[instructions];
    wl_value *v = &c->out->metrics[sectors];
    const wl_mix *mix = &c->out->mix;
    /* instructions of a stream include those without an active lane */
    const bool active = inst->known && !(c->out->has_mix && mix->has_memory);
    const double on = c->out->has_mix && mix->has_memory_on ? mix->memory_on[op] : active ? inst->value : 0;
    if (v->known && on > 0 && v->value <= 0)
        v->value = kept(c, wl_metric_name(sectors), v->value, on, INFINITY);
}

void wl_invariants_of_results(wl_prediction *out)
{
    const checker c = {NULL, NULL, out};
    wl_model_result *m = &out->model;
    double slowest = 0;
    for (int i = 0; i < WL_METRIC_COUNT; i++) {
        wl_value *v = &out->metrics[i];
        if (!v->known)
            continue;
        v->value = kept(&c, wl_metric_name((wl_metric)i), v->value, 0, INFINITY);
        keep_parts(&c, (wl_metric)i, v);
    }
    keep_sectors(&c, WL_MEMORY_LOAD, WL_METRIC_inst_global_ld, WL_METRIC_l1_sectors_ld);
    keep_sectors(&c, WL_MEMORY_STORE, WL_METRIC_inst_global_st, WL_METRIC_l1_sectors_st);
    for (int i = 0; i < WL_BOUND_COUNT; i++)
        if (m->bound_known[i]) {
            m->bound_s[i] = kept(&c, "a bound of the time", m->bound_s[i], 0, INFINITY);
            slowest = fmax(slowest, m->bound_s[i]);
        }
    const double time = m->time_s;
    m->time_s = kept(&c, "the time", time, m->id == WL_MODEL_LIMITER || m->id == WL_MODEL_FOUR_LIMITERS ? slowest : 0,
                     INFINITY);
    if (m->time_s != time && !isfinite(time))
        m->time_s = slowest;
    m->items_per_s = m->time_s > 0 ? m->items_per_s : 0;
    if (m->time_s != time)
        m->items_per_s = m->time_s > 0 ? (double)out->items / m->time_s : 0;
}
