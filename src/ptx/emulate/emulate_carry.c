/* emulate_carry.c - loads, stores and atomics of a launch that is carried out.
 *
 * Such a launch works in the memory of the program. A warp mostly reaches known addresses of one
 * allocation, or of one other part of memory: the same address in all lanes, neighbouring elements,
 * or any. Everything else goes the way of emulate_memory.c.
 * Layer  ptx/emulate. Oracle: tests/unit/test_execute.c. SPDX-License-Identifier: MIT */
#include "ptx/emulate/emulate_internal.h"

#include "base/ckd.h"

#define ALL_LANES UINT32_MAX

/* ---- where an access is ---- */

/* The bytes of the first lane, and how far those of each lane are from there. */
typedef struct span {
    uint8_t *data;
    uint64_t at[WL_PTX_LANES];
    bool same, row; /* all at one address; one element after the other */
    bool of_block;  /* no other block can reach it */
} span;

/* A part of memory: addresses from begin on. */
typedef struct part {
    uint8_t *data;
    uint64_t begin, bytes;
    uint64_t of_lane; /* each lane has so many bytes of its own; 0: all share them */
    bool is_allocation;
} part;

static bool find_region(const wl_ptx_region *region, int64_t bytes, bool by_lane, part *out)
{
    out->data = region->data;
    out->bytes = (uint64_t)bytes;
    out->of_lane = by_lane ? (uint64_t)bytes : 0;
    return !region->hides;
}

/* The allocation that an instruction found last often has its next address, too. */
static bool find_allocation(wl_ptx_machine *m, const wl_ptx_step *s, uint64_t address, int use, part *out)
{
    const wl_ptx_buffer **recent = &m->recent[(uint32_t)s->number % WL_PTX_RECENT], *b = *recent;
    if (!b || address - b->base >= (uint64_t)b->bytes)
        b = *recent = wl_ptx_buffer_at(m->launch.arguments, address);
    if (!b || !b->own)
        return false;
    m->used[b - m->launch.arguments->buffers] |= (uint8_t)use;
    *out = (part){b->own, b->base, (uint64_t)b->bytes, 0, true};
    return true;
}

static bool find_part(wl_ptx_machine *m, const wl_ptx_step *s, uint64_t address, int use, part *out)
{
    wl_ptx_space space = s->in->space;
    *out = (part){0};
    if (space == WL_PTX_GENERIC || space == WL_PTX_SPACE_NONE) {
        space = wl_ptx_space_at(address);
        out->begin = wl_ptx_window_of(space);
    }
    switch (space) {
    case WL_PTX_GLOBAL:
    case WL_PTX_CONST: return find_allocation(m, s, address, use, out);
    case WL_PTX_SHARED: return !m->maps_blocks && find_region(&m->shared, m->shared_bytes, false, out);
    case WL_PTX_LOCAL: return find_region(&m->warp->local, m->warp->local_bytes, true, out);
    case WL_PTX_PARAM:
        if (m->warp->depth > 1 || (int64_t)(address - out->begin) >= m->launch.arguments->param_bytes)
            return find_region(&m->frame->params, m->frame->program->param_bytes, true, out);
        out->data = m->launch.arguments->params;
        out->bytes = (uint64_t)m->launch.arguments->param_bytes;
        return use == WL_PTX_READS;
    default: return false;
    }
}

/* Are all addresses inside, and aligned? No branch: compilers vectorize this. */
static bool is_inside(const span *r, uint64_t first, uint64_t bytes, uint64_t size)
{
    const uint64_t most = bytes - size;
    uint64_t outside = 0, bits = first;
    if (bytes < size || first > most)
        return false;
    if (r->same || r->row)
        return !(first & (size - 1)) && (r->same || most - first >= (WL_PTX_LANES - 1) * size);
    for (int i = 0; i < WL_PTX_LANES; i++) {
        /* the highest bit of `here` is set below the begin, that of most - here above the end */
        const uint64_t here = first + r->at[i];
        outside |= here | (most - here);
        bits |= r->at[i];
    }
    return !(outside >> 63) && !(bits & (size - 1));
}

#define FOUR(n) (n), (n) + 1, (n) + 2, (n) + 3
static const uint64_t lane_number[WL_PTX_LANES] = {FOUR(0),  FOUR(4),  FOUR(8),  FOUR(12),
                                                   FOUR(16), FOUR(20), FOUR(24), FOUR(28)};

/* False: not the usual case. Lanes that are off get the address of the first. */
static bool find_span(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, int use, span *out)
{
    static const uint64_t none[WL_PTX_LANES];
    const uint64_t *base = m->frame->value[s->from[0]], offset = (uint64_t)s->offset;
    const uint64_t kept = s->wraps ? UINT32_MAX : ~(uint64_t)0, size = (uint64_t)s->bytes * s->elements;
    const uint64_t first = (base[wl_ptx_lane_first(mask)] + offset) & kept;
    const int shift = __builtin_ctzll(size);
    uint64_t apart = 0, beside = 0;
    part p;
    if (m->frame->unknown[s->from[0]] & mask || !find_part(m, s, first, use, &p))
        return false;
    for (int i = 0; i < WL_PTX_LANES; i++) {
        const uint64_t at = ((base[i] + offset) & kept) - first;
        out->at[i] = at;
        apart |= at;
        beside |= at ^ (lane_number[i] << shift);
    }
    out->same = !apart;
    out->row = !beside;
    out->of_block = !p.is_allocation;
    if (mask != ALL_LANES && apart) {
        wl_ptx_choose(out->at, mask, out->at, none);
        out->row = false;
    }
    if (!is_inside(out, first - p.begin, p.bytes, size))
        return false;
    out->data = p.data + (first - p.begin);
    if (p.of_lane) {
        out->same = out->row = false;
        for (int i = 0; i < WL_PTX_LANES; i++)
            out->at[i] += lane_number[i] * p.of_lane;
    }
    return true;
}

/* ---- loads ---- */

#define FETCH(T)                                                                                                       \
    do {                                                                                                               \
        T x;                                                                                                           \
        if (r->same) {                                                                                                 \
            memcpy(&x, from, sizeof x);                                                                                \
            WL_PTX_EACH_LANE value[i] = (uint64_t)x;                                                                   \
        } else if (r->row && s->elements == 1) {                                                                       \
            WL_PTX_EACH_LANE                                                                                           \
            {                                                                                                          \
                memcpy(&x, from + (size_t)i * sizeof x, sizeof x);                                                     \
                value[i] = (uint64_t)x;                                                                                \
            }                                                                                                          \
        } else {                                                                                                       \
            for (int i = 0; i < WL_PTX_LANES; i++) {                                                                   \
                memcpy(&x, from + r->at[i], sizeof x);                                                                 \
                value[i] = (uint64_t)x;                                                                                \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

/* Element e of a vector, in all lanes. */
static void fetch(const wl_ptx_step *s, const span *r, int e, uint64_t *value)
{
    const uint8_t *from = r->data + (size_t)e * s->bytes;
    const bool is_signed = wl_ptx_type_is_signed(s->in->type);
    switch (s->bytes) {
    case 1:
        if (is_signed)
            FETCH(int8_t);
        else
            FETCH(uint8_t);
        break;
    case 2:
        if (is_signed)
            FETCH(int16_t);
        else
            FETCH(uint16_t);
        break;
    case 4:
        if (is_signed)
            FETCH(int32_t);
        else
            FETCH(uint32_t);
        break;
    default: FETCH(uint64_t);
    }
}

static wl_status load(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err)
{
    wl_ptx_frame *frame = m->frame;
    const uint32_t dead = ~m->warp->live;
    uint64_t value[WL_PTX_LANES];
    span r;
    if (!find_span(m, s, mask, WL_PTX_READS, &r))
        return wl_ptx_run_load(m, s, mask, err);
    for (int e = 0; e < s->elements; e++) {
        const int32_t slot = frame->program->lists[s->list + e];
        if ((mask | dead) == ALL_LANES) {
            fetch(s, &r, e, frame->value[slot]);
            frame->unknown[slot] = 0;
        } else {
            fetch(s, &r, e, value);
            wl_ptx_write(frame, slot, mask, value, 0);
        }
    }
    return WL_OK;
}

/* ---- stores ---- */

#define PUT(T)                                                                                                         \
    do {                                                                                                               \
        T x;                                                                                                           \
        if (r->row && s->elements == 1) {                                                                              \
            WL_PTX_EACH_LANE                                                                                           \
            {                                                                                                          \
                x = (T)value[i];                                                                                       \
                memcpy(to + (size_t)i * sizeof x, &x, sizeof x);                                                       \
            }                                                                                                          \
        } else {                                                                                                       \
            const wl_ptx_store_order o = wl_ptx_store_order_of(mask, s->bytes * s->elements);                          \
            WL_PTX_FOR_LANES(turn, o.turns)                                                                            \
            {                                                                                                          \
                x = (T)value[turn ^ o.flip];                                                                           \
                memcpy(to + r->at[turn ^ o.flip], &x, sizeof x);                                                       \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

static wl_status store(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err)
{
    const wl_ptx_frame *frame = m->frame;
    const int32_t *list = frame->program->lists + s->list;
    uint32_t unknown = 0;
    span found;
    const span *r = &found;
    for (int e = 0; e < s->elements; e++)
        unknown |= frame->unknown[list[e]] & mask;
    if (unknown || !find_span(m, s, mask, WL_PTX_WRITES, &found))
        return wl_ptx_run_store(m, s, mask, err);
    for (int e = 0; e < s->elements; e++) {
        const uint64_t *value = frame->value[list[e]];
        uint8_t *to = r->data + (size_t)e * s->bytes;
        switch (s->bytes) {
        case 1: PUT(uint8_t); break;
        case 2: PUT(uint16_t); break;
        case 4: PUT(uint32_t); break;
        default: PUT(uint64_t);
        }
    }
    return WL_OK;
}

/* ---- atomics ---- */

/* Lane after lane; returns the old value. */
#define UPDATE(T)                                                                                                      \
    do {                                                                                                               \
        T x;                                                                                                           \
        memcpy(&x, at, sizeof x);                                                                                      \
        old = x;                                                                                                       \
        x = (T)(adds ? old + b : wl_ptx_updated(s->in, old, b, c));                                                    \
        memcpy(at, &x, sizeof x);                                                                                      \
    } while (0)

static uint64_t update(const wl_ptx_step *s, bool adds, uint8_t *at, uint64_t b, uint64_t c)
{
    uint64_t old;
    if (s->bytes == 2)
        UPDATE(uint16_t);
    else if (s->bytes == 4)
        UPDATE(uint32_t);
    else
        UPDATE(uint64_t);
    return old;
}

static wl_status atomic(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err)
{
    wl_ptx_frame *frame = m->frame;
    const int32_t from = frame->program->lists[s->list];
    const uint64_t *b = frame->value[from], *c = frame->value[s->from[2]];
    const bool adds = s->in->variant == WL_PTX_ADD && !wl_ptx_type_is_float(s->in->type);
    uint64_t old[WL_PTX_LANES] = {0};
    span r;
    if (s->elements != 1 || (frame->unknown[from] | frame->unknown[s->from[2]]) & mask ||
        !find_span(m, s, mask, WL_PTX_READS | WL_PTX_WRITES, &r))
        return wl_ptx_run_atomic(m, s, mask, err);
    const bool alone = r.of_block || m->launch.one_thread;
    WL_PTX_FOR_LANES(lane, mask)
    old[lane] = alone ? update(s, adds, r.data + r.at[lane], b[lane], c[lane])
                      : wl_ptx_update_in_place(r.data + r.at[lane], s->in, s->bytes, b[lane], c[lane]);
    if (s->in->op == WL_PTX_OP_atom)
        wl_ptx_write(frame, s->to, mask, old, 0);
    return WL_OK;
}

wl_ptx_run wl_ptx_find_carried(wl_ptx_run run)
{
    return run == wl_ptx_run_load ? load : run == wl_ptx_run_store ? store : run == wl_ptx_run_atomic ? atomic : run;
}
