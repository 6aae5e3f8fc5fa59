/* walk_loops.c - see walk_loops.h. SPDX-License-Identifier: MIT */
#include "replay/walk_loops.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"

#define SECTORS_MAX 31 /* of a line: bits of a mask */

/* ---- chunks ---- */

static wl_walk_chunks divide(const wl_kernel *k, int64_t pieces)
{
    wl_walk_chunks c = {.count = 1};
    for (c.level = 0; c.level < k->loop_count; c.level++) {
        const int64_t all = c.count * k->loop_extent[c.level];
        c.steps = wl_max(1, all / pieces);
        c.extent[c.level] = wl_ceil_div(k->loop_extent[c.level], c.steps);
        c.count *= c.extent[c.level];
        if (all >= pieces || c.level == k->loop_count - 1)
            break;
    }
    return c;
}

uint32_t wl_walk_chunk_start(const wl_walk_chunks *c, int64_t n, int64_t at[WL_LOOPS_MAX])
{
    uint32_t bits = 0;
    memset(at, 0, WL_LOOPS_MAX * sizeof *at);
    for (int l = c->level; l >= 0; l--) {
        at[l] = n % c->extent[l] * (l == c->level ? c->steps : 1);
        n /= c->extent[l];
        bits |= (uint32_t)(at[l] > 0) << l;
    }
    return bits;
}

/* ---- accesses ---- */

static void set_loops(wl_walker *w, const wl_kernel *k, const wl_walk_chunks *c, const wl_bound *b, int64_t line)
{
    w->executions = w->lines_each = 1;
    w->loops = b->loops;
    for (int l = 0; l < k->loop_count; l++) {
        if (!(b->loops >> l & 1))
            continue;
        w->stride[l] = b->index_loops >> l & 1 ? b->loop_strides[l] * b->access->unit_bytes : 0;
        if (l < c->level)
            continue;
        const int64_t n = l == c->level ? wl_min(c->steps, k->loop_extent[l]) : k->loop_extent[l];
        w->executions *= n;
        if (w->stride[l] == 0)
            continue;
        if (w->stride[l] < line && w->stride[l] > -line) {
            /* it goes on in the same or the next line */
            w->beyond += wl_max(0, w->stride[l]) * (n - 1);
            w->before += wl_min(0, w->stride[l]) * (n - 1);
        } else {
            w->lines_each *= n;
        }
    }
}

static bool go_alike(const wl_walker *a, const wl_walker *b)
{
    return a->field == b->field && a->lines_each == b->lines_each &&
           memcmp(a->stride, b->stride, sizeof a->stride) == 0;
}

double wl_load_registers(const wl_kernel *k)
{
    double most = 1;
    for (size_t i = 0; i < k->access_count; i++) {
        const wl_field *f = &k->fields[k->accesses[i].field];
        if (!k->accesses[i].store && !f->shared)
            most = fmax(most, (double)wl_type_bytes(f->type) / WL_REGISTER_BYTES);
    }
    return most;
}

bool wl_walk_loops_known(const wl_walk_input *in)
{
    const wl_kernel *k = in->view->kernel;
    if (k->loop_count == 0 || k->access_count > WL_WALK_ACCESSES || in->warp_size > WL_WALK_PIECES ||
        in->line / in->sector > SECTORS_MAX)
        return false;
    for (size_t i = 0; i < k->access_count; i++) {
        const wl_bound *b = &in->view->bounds[i];
        if (!b->never && !b->access->store && !k->fields[b->access->field].shared &&
            (b->access->traced || !b->even || b->access->atomic || wl_expr_is_random(b->access->index)))
            return false;
    }
    return true;
}

wl_status wl_walk_loops_make(const wl_walk_input *in, int64_t pieces, wl_arena *arena, wl_walk_loops *out,
                             wl_error *err)
{
    const wl_kernel *k = in->view->kernel;
    out->in = in;
    out->chunks = divide(k, pieces);
    out->walker_count = 0;
    out->warps_per_block = wl_ceil_div(in->geometry->threads, in->warp_size);
    out->steps_per_wait = WL_STEPS_PER_WAIT / wl_load_registers(k);
    const double warps = (double)in->geometry->blocks * (double)out->warps_per_block;
    for (size_t i = 0; i < k->access_count; i++) {
        const wl_bound *b = &in->view->bounds[i];
        const bool loads = !b->access->store && !k->fields[b->access->field].shared;
        wl_walker *w = &out->walkers[out->walker_count];
        if (b->never || in->costs[i].inst <= 0)
            continue;
        const double all = warps * wl_access_steps(k, b->access);
        *w = (wl_walker){.field = loads ? (int)b->access->field : -1,
                         .cycles = fmax(in->costs[i].hit, in->costs[i].tag) / all * in->wavefront,
                         .sectors = in->costs[i].sectors / all};
        WL_TRY(wl_program_make(k, b->access, arena, &w->program, err));
        w->program.one_block = true;
        if (!b->conditional)
            wl_program_always(&w->program);
        set_loops(w, k, &out->chunks, b, in->line);
        while (w->kind < out->walker_count && !go_alike(&out->walkers[w->kind], w))
            w->kind++;
        out->walkers[w->kind].alike++;
        w->name = wl_hash_add((uint64_t)w->field, w->lines_each > 1 ? (uint64_t)w->kind + 1 : 0);
        out->walker_count++;
    }
    return WL_OK;
}

double wl_walker_waits(const wl_walk_loops *l, const wl_walker *w)
{
    const bool barriers = l->in->view->kernel->barriers > 0;
    const double together = barriers ? 1 : fmax(1, l->steps_per_wait / l->walkers[w->kind].alike);
    return w->field < 0 ? 0 : (double)w->executions / together;
}

double wl_walk_lines(const wl_walk_loops *l)
{
    const double line = (double)l->in->line;
    double lines = 0;
    for (int i = 0; i < l->walker_count; i++) {
        const wl_walker *w = &l->walkers[i];
        if (w->field >= 0 && w->kind == i)
            lines += (double)w->lines_each * fmax(1, w->sectors * (double)l->in->sector / line) +
                     (double)(w->beyond - w->before) / line;
    }
    return lines;
}

/* ---- what a warp loads ---- */

/* Where add_bytes puts the bytes of an access, `width` per lane. */
typedef struct gatherer {
    wl_walk_bytes *to;
    int64_t width;
} gatherer;

static wl_status add_bytes(void *context, const int64_t *addresses, const uint8_t *which, int lanes, wl_error *err)
{
    const gatherer *g = context;
    wl_walk_bytes *b = g->to;
    (void)which;
    (void)err;
    for (int i = 0; i < lanes; i++) {
        int at = 0;
        /* in it, or right behind it */
        while (at < b->count && (addresses[i] > b->hi[at] || addresses[i] < b->lo[at]))
            at++;
        if (at == WL_WALK_PIECES)
            continue;
        if (at == b->count) {
            b->lo[at] = b->hi[at] = addresses[i];
            b->count++;
        }
        b->hi[at] = wl_max(b->hi[at], addresses[i] + g->width);
    }
    return WL_OK;
}

wl_status wl_walk_gather(wl_walk_loops *l, int64_t block, int64_t warp, wl_walk_bytes *by_access, wl_error *err)
{
    const wl_geometry *g = l->in->geometry;
    wl_warp_id id = {.first_thread = warp * l->in->warp_size};
    wl_lane_values values;
    uint8_t lane[WL_LANES_MAX];
    int64_t f[3];
    wl_block_at(g, block, id.block);
    for (f[2] = 0; f[2] < g->fold[2]; f[2]++)
        for (f[1] = 0; f[1] < g->fold[1]; f[1]++)
            for (f[0] = 0; f[0] < g->fold[0]; f[0]++) {
                const bool any = wl_lanes_fill(g, &id, (int)l->in->warp_size, f, &values, lane) > 0;
                for (int i = 0; i < l->walker_count && any; i++) {
                    gatherer to = {&by_access[i], l->walkers[i].program.access->width_bytes};
                    if (l->walkers[i].field >= 0)
                        WL_TRY(wl_program_run_first(&l->walkers[i].program, &values, add_bytes, &to, err));
                }
            }
    return WL_OK;
}
