/* emulate_frame.c - allocation and reuse of warps and their call frames.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/emulate_internal.h"

#include <stdlib.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "base/room.h"

#define LOCAL_MAX (512 << 10) /* bytes per thread: the limit of all GPUs */

static void frame_free(wl_ptx_frame *frame)
{
    if (!frame)
        return;
    free(frame->value);
    free(frame->unknown);
    free(frame->hidden);
    free(frame->partly);
    free(frame->paths);
    free(frame->registers);
    wl_ptx_region_free(&frame->params);
    free(frame);
}

void wl_ptx_warp_free(wl_ptx_warp *warp)
{
    if (!warp)
        return;
    for (int32_t k = 0; k < WL_PTX_CALL_DEPTH_MAX; k++)
        frame_free(warp->frames[k]);
    wl_ptx_region_free(&warp->local);
    free(warp->rounds);
    free(warp);
}

bool wl_ptx_place_threads(wl_ptx_machine *m)
{
    const int64_t *b = m->launch.block;
    m->tids = WL_ARENA_NEW(&m->arena, wl_ptx_tids, m->warp_count);
    for (int64_t thread = 0; m->tids && thread < (int64_t)m->warp_count * WL_PTX_LANES; thread++) {
        int64_t(*at)[WL_PTX_LANES] = m->tids[thread / WL_PTX_LANES].at;
        const int64_t lane = thread % WL_PTX_LANES;
        at[0][lane] = thread % b[0];
        at[1][lane] = thread / b[0] % b[1];
        at[2][lane] = thread / b[0] / b[1];
    }
    return m->tids != NULL;
}

/* NULL: out of memory. */
wl_ptx_warp *wl_ptx_warp_take(wl_ptx_machine *m, int32_t number)
{
    wl_ptx_warp *warp = m->free_warps;
    if (warp) {
        m->free_warps = warp->next_free;
    } else {
        warp = calloc(1, sizeof *warp);
        if (warp)
            warp->rounds = calloc((size_t)m->loop_count + 1, sizeof *warp->rounds);
        if (!warp || !warp->rounds) {
            wl_ptx_warp_free(warp);
            return NULL;
        }
    }
    warp->state = WL_PTX_WARP_READY;
    warp->number = number;
    warp->depth = 0;
    warp->executed = 0;
    warp->loads = warp->serial = warp->chained = 0;
    warp->spins = 0;
    warp->waited = 0;
    warp->gives_up = false;
    warp->leaves = 0;
    warp->trips = warp->rest = 0;
    warp->waits = warp->freed = 0;
    warp->product_waits = warp->products_freed = 0;
    warp->issued = warp->done = 0;
    memset(warp->rounds, 0, ((size_t)m->loop_count + 1) * sizeof *warp->rounds);
    warp->tid = (const int64_t(*)[WL_PTX_LANES])m->tids[number].at;
    const int64_t *b = m->launch.block, there = b[0] * b[1] * b[2] - (int64_t)number * WL_PTX_LANES;
    warp->live = UINT32_MAX >> (WL_PTX_LANES - wl_min(WL_PTX_LANES, there));
    return warp;
}

void wl_ptx_warp_release(wl_ptx_machine *m, wl_ptx_warp *warp)
{
    warp->next_free = m->free_warps;
    m->free_warps = warp;
}

/* ---- constants of a frame ---- */

static void fill(uint64_t *to, uint64_t value)
{
    for (int i = 0; i < WL_PTX_LANES; i++)
        to[i] = value;
}

static uint64_t lane_mask(wl_ptx_special which, int lane)
{
    const uint64_t bit = (uint64_t)1 << lane;
    switch (which) {
    case WL_PTX_LANEMASK_EQ: return bit;
    case WL_PTX_LANEMASK_LT: return bit - 1;
    case WL_PTX_LANEMASK_LE: return bit | (bit - 1);
    case WL_PTX_LANEMASK_GE: return (uint32_t) ~(bit - 1);
    default: return (uint32_t) ~(bit | (bit - 1));
    }
}

uint64_t wl_ptx_cluster_rank(const wl_ptx_machine *m)
{
    const int64_t *c = m->launch.cluster, *b = m->block;
    return (uint64_t)(b[0] % c[0] + c[0] * (b[1] % c[1] + c[1] * (b[2] % c[2])));
}

/* Of the block in its cluster, or of the cluster in the grid: a coordinate or an extent. */
static uint64_t of_cluster(const wl_ptx_machine *m, wl_ptx_special which)
{
    const int64_t *c = m->launch.cluster, *b = m->block, *g = m->launch.grid;
    const int d = (int)(which - WL_PTX_CLUSTERID_X) % 3;
    if (which == WL_PTX_CLUSTER_CTARANK)
        return wl_ptx_cluster_rank(m);
    if (which == WL_PTX_CLUSTER_NCTARANK)
        return (uint64_t)(c[0] * c[1] * c[2]);
    if (which <= WL_PTX_CLUSTERID_Z)
        return (uint64_t)(b[d] / c[d]);
    if (which <= WL_PTX_NCLUSTERID_Z)
        return (uint64_t)wl_ceil_div(g[d], c[d]);
    return (uint64_t)(which <= WL_PTX_CLUSTER_CTAID_Z ? b[d] % c[d] : c[d]);
}

/* The value of a special register; false: unknown. */
static bool special(const wl_ptx_machine *m, wl_ptx_special which, uint64_t *to)
{
    const wl_ptx_launch *launch = &m->launch;
    const wl_ptx_warp *warp = m->warp;
    if (which >= WL_PTX_LANEMASK_EQ && which <= WL_PTX_LANEMASK_GT) {
        for (int lane = 0; lane < WL_PTX_LANES; lane++)
            to[lane] = lane_mask(which, lane);
        return true;
    }
    if (which >= WL_PTX_CLUSTERID_X && which <= WL_PTX_CLUSTER_NCTARANK) {
        fill(to, of_cluster(m, which));
        return true;
    }
    switch (which) {
    case WL_PTX_TID_X:
    case WL_PTX_TID_Y:
    case WL_PTX_TID_Z: memcpy(to, warp->tid[which - WL_PTX_TID_X], sizeof warp->tid[0]); return true;
    case WL_PTX_NTID_X:
    case WL_PTX_NTID_Y:
    case WL_PTX_NTID_Z: fill(to, (uint64_t)launch->block[which - WL_PTX_NTID_X]); return true;
    case WL_PTX_CTAID_X:
    case WL_PTX_CTAID_Y:
    case WL_PTX_CTAID_Z: fill(to, (uint64_t)m->block[which - WL_PTX_CTAID_X]); return true;
    case WL_PTX_NCTAID_X:
    case WL_PTX_NCTAID_Y:
    case WL_PTX_NCTAID_Z: fill(to, (uint64_t)launch->grid[which - WL_PTX_NCTAID_X]); return true;
    case WL_PTX_LANEID:
        for (int lane = 0; lane < WL_PTX_LANES; lane++)
            to[lane] = (uint64_t)lane;
        return true;
    case WL_PTX_WARPID: fill(to, (uint64_t)warp->number); return true;
    case WL_PTX_DYNAMIC_SMEM: fill(to, (uint64_t)launch->dynamic_shared); return true;
    case WL_PTX_TOTAL_SMEM: fill(to, (uint64_t)m->shared_bytes); return true;
    default: fill(to, 0); return false; /* clocks, SM number */
    }
}

static uint64_t param_at(const wl_ptx_machine *m, uint64_t place)
{
    const wl_ptx_type type = (wl_ptx_type)(place & 255);
    uint64_t value = 0;
    memcpy(&value, m->launch.arguments->params + (place >> 8), (size_t)wl_ptx_type_bits(type) / 8);
    return wl_ptx_extended(value, type);
}

static void fill_constant(const wl_ptx_machine *m, wl_ptx_frame *frame, const wl_ptx_constant_slot *c)
{
    const int32_t slot = frame->program->spare + 1 + (int32_t)(c - frame->program->constants);
    uint64_t *to = frame->value[slot];
    frame->unknown[slot] = 0;
    switch (c->kind) {
    case WL_PTX_FIXED:
    case WL_PTX_FIXED_PREDICATE: fill(to, c->value); break;
    case WL_PTX_OF_WARP: frame->unknown[slot] = special(m, (wl_ptx_special)c->value, to) ? 0 : UINT32_MAX; break;
    case WL_PTX_OF_FRAME: fill(to, c->value + (uint64_t)frame->local_base); break;
    case WL_PTX_OF_PARAMS: fill(to, param_at(m, c->value)); break;
    }
}

/* Constants of the program persist between runs; those of the warp and the frame are refilled. */
static void fill_constants(const wl_ptx_machine *m, wl_ptx_frame *frame, bool all)
{
    const wl_ptx_program *p = frame->program;
    for (int32_t k = 0; k < (all ? p->constant_count : p->changing_count); k++)
        fill_constant(m, frame, &p->constants[all ? k : p->changing[k]]);
}

/* ---- frames ---- */

static bool frame_fit(const wl_ptx_machine *m, wl_ptx_frame *frame, const wl_ptx_program *program)
{
    if (frame->slot_room < program->slot_count) {
        free(frame->value);
        free(frame->unknown);
        free(frame->hidden);
        free(frame->partly);
        frame->program = NULL;
        frame->slot_room = 0;
        frame->value = calloc((size_t)program->slot_count, sizeof *frame->value);
        frame->unknown = calloc((size_t)program->slot_count, sizeof *frame->unknown);
        frame->hidden = calloc((size_t)program->slot_count, sizeof *frame->hidden);
        frame->partly = calloc((size_t)program->slot_count, sizeof *frame->partly);
        if (!frame->value || !frame->unknown || !frame->hidden || !frame->partly)
            return false;
        frame->slot_room = program->slot_count;
    }
    /* parameters of a kernel are read from the arguments */
    const int64_t given = m->warp->depth == 0 ? m->launch.arguments->param_bytes : 0;
    return program->param_bytes <= given ||
           wl_ptx_region_resize(&frame->params, program->param_bytes * WL_PTX_LANES, m->launch.in_place);
}

bool wl_ptx_path_push(wl_ptx_frame *frame, int32_t at, int32_t until, uint32_t mask)
{
    if (!WL_ROOM(frame->paths, (size_t)frame->path_count + 1, frame->path_room))
        return false;
    frame->paths[frame->path_count++] = (wl_ptx_path){at, until, mask};
    return true;
}

/* Makes room for the frame's local memory: zeros, unknown ones unless `known`. */
static bool local_fit(wl_ptx_warp *warp, int64_t base, int64_t bytes, bool known)
{
    if (bytes == 0)
        return true;
    if (warp->local_bytes < base + bytes) {
        const int64_t room = 2 * (base + bytes);
        wl_ptx_region larger = {0};
        if (!wl_ptx_region_resize(&larger, room * WL_PTX_LANES, known))
            return false;
        for (int lane = 0; warp->local_bytes > 0 && lane < WL_PTX_LANES; lane++) {
            const size_t kept = (size_t)warp->local_bytes;
            memcpy(larger.data + lane * room, warp->local.data + lane * warp->local_bytes, kept);
            memcpy(larger.unknown + lane * room, warp->local.unknown + lane * warp->local_bytes, kept);
        }
        larger.hides = larger.hides || warp->local.hides;
        wl_ptx_region_free(&warp->local);
        warp->local = larger;
        warp->local_bytes = room;
    }
    for (int lane = 0; lane < WL_PTX_LANES; lane++) {
        memset(warp->local.data + lane * warp->local_bytes + base, 0, (size_t)bytes);
        if (warp->local.hides)
            memset(warp->local.unknown + lane * warp->local_bytes + base, !known, (size_t)bytes);
    }
    return true;
}

void wl_ptx_frames_forget(wl_ptx_machine *m)
{
    for (wl_ptx_warp *warp = m->free_warps; warp; warp = warp->next_free)
        for (int depth = 0; depth < WL_PTX_CALL_DEPTH_MAX && warp->frames[depth]; depth++)
            warp->frames[depth]->program = NULL;
}

wl_status wl_ptx_frame_push(wl_ptx_machine *m, const wl_ptx_program *program, uint32_t mask, wl_error *err)
{
    wl_ptx_warp *warp = m->warp;
    wl_ptx_frame **place = &warp->frames[warp->depth];
    if (!*place)
        *place = calloc(1, sizeof **place);
    wl_ptx_frame *frame = *place;
    if (!frame || !frame_fit(m, frame, program))
        return wl_fail_memory(err);
    const wl_ptx_frame *caller = warp->depth > 0 ? warp->frames[warp->depth - 1] : NULL;
    const bool other = frame->program != program;
    frame->program = program;
    frame->fresh = true;
    frame->carry = 0;
    frame->carry_unknown = UINT32_MAX;
    frame->local_base = caller ? caller->local_base + caller->program->local_bytes : 0;
    frame->called = mask;
    frame->path_count = 0;
    if (program->local_bytes > LOCAL_MAX - frame->local_base)
        return wl_fail(err, WL_E_LIMIT, (wl_loc){program->function->line, 1, 1},
                       "a thread needs more than %d KiB of local memory", LOCAL_MAX >> 10);
    if (!local_fit(warp, frame->local_base, program->local_bytes, m->launch.in_place) ||
        !wl_ptx_path_push(frame, 0, program->function->instruction_count, mask))
        return wl_fail_memory(err);
    /* machine code knows no unknown values */
    const bool native = m->launch.native && m->launch.native[program->number];
    memset(frame->unknown, native ? 0 : 0xff, (size_t)(program->spare + 1) * sizeof *frame->unknown);
    if (program->partial)
        memset(frame->partly, 0, (size_t)program->slot_count * sizeof *frame->partly);
    for (int32_t r = 0; r < program->function->register_count && program->reads_unset; r++)
        if (program->flow.live_at_entry[r])
            memset(frame->value[r], 0, sizeof frame->value[r]);
    fill_constants(m, frame, other);
    warp->depth++;
    m->frame = frame;
    return WL_OK;
}
