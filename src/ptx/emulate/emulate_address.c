/* emulate_address.c - resolves the addresses of a warp's access: state spaces, bounds checks, and
 * assumptions for unknown addresses.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/emulate_internal.h"

#include <stdio.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "kernel/expr.h"
#include "ptx/module/source_place.h"

#define NEAR ((uint64_t)8 << 20) /* bytes: within this distance a message names the buffer */

void wl_ptx_addresses(const wl_ptx_machine *m, const wl_ptx_step *s, uint64_t *out)
{
    const uint64_t *base = m->frame->value[s->from[0]];
    const uint64_t offset = (uint64_t)s->offset, kept = s->wraps ? UINT32_MAX : ~(uint64_t)0;
    for (int i = 0; i < WL_PTX_LANES; i++)
        out[i] = (base[i] + offset) & kept;
}

typedef struct lane_place {
    const wl_ptx_access_request *request;
    uint32_t lane;
    uint64_t address;
} lane_place;

/* The instruction on one line, shortened. */
static void text_of(const wl_ptx_instruction *in, char *text, size_t size)
{
    size_t n = 0;
    bool blank = false;
    for (int32_t k = 0; k < in->text_length; k++) {
        const char c = in->text[k];
        const bool is_blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (!is_blank && n + 4 >= size) {
            memcpy(text + n, "..", 2);
            n += 2;
            break;
        }
        if (!is_blank && blank)
            text[n++] = ' ';
        if (!is_blank)
            text[n++] = c;
        blank = is_blank;
    }
    text[n] = '\0';
}

/* Fails with a message about one lane; the caller formats what is wrong. */
static wl_status fail_at(const wl_ptx_machine *m, const lane_place *p, wl_status code, const char *what, wl_error *err)
{
    const wl_ptx_instruction *in = p->request->step->in;
    const wl_ptx_warp *warp = m->warp;
    char text[64];
    text_of(in, text, sizeof text);
    (void)wl_fail(err, code, WL_NOWHERE, "thread (%lld, %lld, %lld) of block (%lld, %lld, %lld): '%s' %s",
                  (long long)warp->tid[0][p->lane], (long long)warp->tid[1][p->lane], (long long)warp->tid[2][p->lane],
                  (long long)m->block[0], (long long)m->block[1], (long long)m->block[2], text, what);
    (void)wl_ptx_fail_at(err, m->launch.module, in);
    return code;
}

/* Suggests an offset if an argument is read before its start; keeps the alignment of the
 * pointer. */
static void suggest(const wl_ptx_buffer *b, uint64_t address, char *text, size_t size)
{
    const int64_t missing = address < b->base ? wl_round_up((int64_t)(b->base - address), 256) : 0;
    if (missing > 0 && b->argument >= 0)
        (void)snprintf(text, size, "; buf:%lld:%lld has room before the pointer", (long long)(b->bytes + missing),
                       (long long)(b->offset + missing));
}

/* The buffer that is too small: that of the pointer or, if that is not known, the nearest one. */
static const wl_ptx_buffer *buffer_meant(const wl_ptx_machine *m, const lane_place *p)
{
    const wl_ptx_arguments *arguments = m->launch.arguments;
    const wl_ptx_buffer *found = NULL;
    for (int i = 0; i < arguments->buffer_count && p->request->step->pointer >= 0; i++) {
        if (arguments->buffers[i].argument != p->request->step->pointer)
            continue;
        if (found) /* a struct with several pointers */
            return wl_ptx_buffer_within(arguments, p->address, NEAR);
        found = &arguments->buffers[i];
    }
    return found ? found : wl_ptx_buffer_within(arguments, p->address, NEAR);
}

static wl_status fail_buffer(const wl_ptx_machine *m, const lane_place *p, wl_error *err)
{
    const wl_ptx_buffer *b = buffer_meant(m, p);
    const char *verb = p->request->store ? "writes" : "reads";
    char what[240], instead[100] = "";
    if (b)
        suggest(b, p->address, instead, sizeof instead);
    if (b)
        (void)snprintf(what, sizeof what, "%s %d bytes at offset %lld of %s, which has %lld%s", verb, p->request->bytes,
                       (long long)(p->address - b->base), b->name, (long long)b->bytes, instead);
    else if (p->address < 65536)
        (void)snprintf(what, sizeof what, "%s through a null pointer (address 0x%llx)", verb,
                       (unsigned long long)p->address);
    else
        (void)snprintf(what, sizeof what, "%s address 0x%llx, which is in no buffer", verb,
                       (unsigned long long)p->address);
    return fail_at(m, p, WL_E_BOUNDS, what, err);
}

static wl_status fail_aligned(const wl_ptx_machine *m, const lane_place *p, wl_error *err)
{
    char what[160];
    (void)snprintf(what, sizeof what, "%s %d bytes at 0x%llx, which is not a multiple of that",
                   p->request->store ? "writes" : "reads", p->request->bytes, (unsigned long long)p->address);
    return fail_at(m, p, WL_E_INPUT, what, err);
}

/* ---- findings instead of failures ---- */

/* accesses of lanes outside of all buffers in one block: beyond, an argument is wrong, and a loop
 * may never end */
#define ASTRAY_MAX (1 << 17)

/* Leaves out a lane whose access is one of many that went outside, without another word: is it? */
static bool strays_again(wl_ptx_machine *m, const lane_place *p)
{
    const wl_ptx_step *s = p->request->step;
    bool known = m->outside_count == WL_PTX_OUTSIDE_MAX;
    for (size_t i = 0; i < m->outside_count && !known; i++)
        known = m->outside_of[i]->function == s->function && m->outside_of[i]->number == s->number;
    if (!known || !m->launch.lenient || m->astray >= ASTRAY_MAX)
        return false;
    m->astray++;
    m->missed |= (uint32_t)1 << p->lane;
    m->touch.lanes &= ~((uint32_t)1 << p->lane);
    return true;
}

/* Describes an access outside of all buffers, the first one of its instruction. `b` is the buffer
 * that is too small, or NULL; `why` says it in words. */
static void note_outside(wl_ptx_machine *m, const lane_place *p, const wl_ptx_buffer *b, const wl_error *why)
{
    const wl_ptx_step *s = p->request->step;
    m->outside_of[m->outside_count] = s;
    wl_outside *o = &m->outside[m->outside_count++];
    *o = (wl_outside){.store = p->request->store,
                      .bytes = p->request->bytes,
                      .address = p->address,
                      .buffer = b ? b->name : NULL,
                      .offset = b ? (int64_t)(p->address - b->base) : 0,
                      .buffer_bytes = b ? b->bytes : 0};
    for (int d = 0; d < 3; d++) {
        o->thread[d] = m->warp->tid[d][p->lane];
        o->block[d] = m->block[d];
    }
    text_of(s->in, o->access, sizeof o->access);
    wl_ptx_place_text(m->launch.module, s->in, o->place, sizeof o->place);
    (void)snprintf(o->text, sizeof o->text, "%.*s", (int)sizeof o->text - 1, why->message);
}

/* Whether the launch goes on without the lane: its access goes nowhere. */
static bool goes_on(wl_ptx_machine *m, const lane_place *p, wl_status status, const wl_ptx_buffer *b,
                    const wl_error *why)
{
    if (status != WL_E_BOUNDS || !m->launch.lenient || ++m->astray > ASTRAY_MAX)
        return false;
    note_outside(m, p, b, why);
    m->missed |= (uint32_t)1 << p->lane;
    m->touch.lanes &= ~((uint32_t)1 << p->lane);
    return true;
}

/* A random element for an unknown address, reproducible by instruction, thread, block and
 * execution. */
static uint64_t random_element(const wl_ptx_machine *m, const lane_place *p, int64_t count)
{
    const wl_ptx_step *s = p->request->step;
    uint64_t key = (uint64_t)m->first[s->function] + (uint64_t)s->number;
    key = key * 0x100000001b3u + (uint64_t)m->block[0];
    key = key * 0x100000001b3u + (uint64_t)m->block[1];
    key = key * 0x100000001b3u + (uint64_t)m->block[2];
    key = key * 0x100000001b3u + (uint64_t)m->warp->number;
    key = key * 0x100000001b3u + m->warp->executed;
    return (uint64_t)wl_random_below((int64_t)(key * WL_PTX_LANES + p->lane), count);
}

/* Moves a lane with an unknown address to a random element of its buffer; false: no buffer, the
 * lane is skipped. */
static bool assume_in_buffer(const wl_ptx_machine *m, lane_place *p)
{
    const wl_ptx_buffer *b = wl_ptx_buffer_within(m->launch.arguments, p->address, NEAR);
    const int64_t count = b ? b->bytes / p->request->bytes : 0;
    if (count == 0)
        return false;
    p->address = b->base + random_element(m, p, count) * (uint64_t)p->request->bytes;
    return true;
}

static bool assume_in_space(const wl_ptx_machine *m, lane_place *p, int64_t bytes)
{
    const int64_t count = bytes / p->request->bytes;
    if (count == 0)
        return false;
    p->address = random_element(m, p, count) * (uint64_t)p->request->bytes;
    return true;
}

/* ---- global and constant memory ---- */

static wl_status check_lane(wl_ptx_machine *m, const lane_place *p, wl_error *err)
{
    const wl_ptx_buffer *b = wl_ptx_buffer_at(m->launch.arguments, p->address);
    if (!b || p->address + (uint64_t)p->request->bytes > b->base + (uint64_t)b->bytes)
        return strays_again(m, p) ? WL_OK : fail_buffer(m, p, err);
    return p->address % (uint64_t)p->request->bytes ? fail_aligned(m, p, err) : WL_OK;
}

/* Are all addresses, less `window`, aligned and in the `bytes` bytes from `base`? Inactive lanes
 * get the address of an active one, so that a statement about all lanes holds for them, too. No
 * branch and no minimum: compilers vectorize this. */
static bool all_inside(wl_ptx_machine *m, const wl_ptx_access_request *r, uint64_t window, uint64_t base, int64_t bytes)
{
    uint64_t *to = m->touch.address, outside = 0, bits = 0;
    const uint64_t first = r->address[wl_ptx_lane_first(r->mask)], most = (uint64_t)(bytes - r->bytes);
    if (r->mask == UINT32_MAX) {
        for (int i = 0; i < WL_PTX_LANES; i++)
            to[i] = r->address[i] - window;
    } else {
        uint64_t same[WL_PTX_LANES];
        for (int i = 0; i < WL_PTX_LANES; i++)
            same[i] = first;
        wl_ptx_choose(to, r->mask, r->address, same);
        for (int i = 0; i < WL_PTX_LANES; i++)
            to[i] -= window;
    }
    for (int i = 0; i < WL_PTX_LANES; i++) {
        /* the highest bit of `at` is set below the base, that of most - at above the end */
        const uint64_t at = to[i] - base;
        outside |= at | (most - at);
        bits |= to[i];
    }
    return bytes >= r->bytes && !(outside >> 63) && !(bits & ((uint64_t)r->bytes - 1));
}

/* The fast path: all addresses known, aligned and in one buffer. */
static bool all_in_one(wl_ptx_machine *m, const wl_ptx_access_request *r)
{
    const uint64_t first = r->address[wl_ptx_lane_first(r->mask)];
    const wl_ptx_buffer *b = m->buffer;
    if (!b || first < b->base || first - b->base >= (uint64_t)b->bytes)
        b = wl_ptx_buffer_at(m->launch.arguments, first);
    m->buffer = b;
    return b && all_inside(m, r, 0, b->base, b->bytes);
}

static wl_status resolve_buffers(wl_ptx_machine *m, const wl_ptx_access_request *r, wl_error *err)
{
    wl_ptx_touch *t = &m->touch;
    t->lanes = r->mask;
    t->unknown = r->unknown & r->mask;
    m->plain = !t->unknown && all_in_one(m, r);
    if (m->plain)
        return WL_OK;
    m->buffer = NULL;
    if (t->unknown)
        WL_TRY(wl_ptx_assume(m, r->step, WL_PTX_ASSUMED_ADDRESS, err));
    WL_PTX_FOR_LANES(lane, r->mask)
    {
        lane_place p = {r, lane, r->address[lane]};
        if (!(t->unknown >> lane & 1)) {
            wl_error why = {0};
            const wl_status status = check_lane(m, &p, &why);
            if (status != WL_OK && !goes_on(m, &p, status, buffer_meant(m, &p), &why)) {
                if (err)
                    *err = why;
                return status;
            }
        } else if (!assume_in_buffer(m, &p)) {
            t->lanes &= ~((uint32_t)1 << lane);
        }
        t->address[lane] = p.address;
    }
    t->unknown &= t->lanes;
    return WL_OK;
}

/* ---- other state spaces: offsets from 0 ---- */

static int64_t space_bytes(const wl_ptx_machine *m, wl_ptx_space space)
{
    if (space == WL_PTX_SHARED)
        return m->shared_bytes;
    return space == WL_PTX_LOCAL ? m->warp->local_bytes : m->frame->program->param_bytes;
}

/* The end of the current frame; more may be allocated. */
static int64_t local_used(const wl_ptx_machine *m) { return m->frame->local_base + m->frame->program->local_bytes; }

static wl_status fail_space(const wl_ptx_machine *m, const lane_place *p, int64_t bytes, wl_error *err)
{
    const wl_ptx_space space = m->touch.space;
    const char *name = space == WL_PTX_SHARED  ? "shared memory"
                       : space == WL_PTX_LOCAL ? "local memory"
                                               : "the parameters";
    char what[160];
    (void)snprintf(what, sizeof what, "%s %d bytes at offset %lld of %s, which has %lld%s",
                   p->request->store ? "writes" : "reads", p->request->bytes, (long long)p->address, name,
                   (long long)bytes, space == WL_PTX_SHARED ? " (dynamic shared memory included)" : "");
    return fail_at(m, p, WL_E_BOUNDS, what, err);
}

static wl_status resolve_space(wl_ptx_machine *m, const wl_ptx_access_request *r, uint64_t window, wl_error *err)
{
    wl_ptx_touch *t = &m->touch;
    const int64_t bytes = space_bytes(m, t->space);
    t->lanes = r->mask;
    t->unknown = r->unknown & r->mask;
    m->plain = !t->unknown && all_inside(m, r, window, 0, bytes);
    if (m->plain)
        return WL_OK;
    if (t->unknown)
        WL_TRY(wl_ptx_assume(m, r->step, WL_PTX_ASSUMED_ADDRESS, err));
    WL_PTX_FOR_LANES(lane, r->mask)
    {
        lane_place p = {r, lane, r->address[lane] - window};
        if (t->unknown >> lane & 1) {
            if (!assume_in_space(m, &p, t->space == WL_PTX_LOCAL ? local_used(m) : bytes))
                t->lanes &= ~((uint32_t)1 << lane);
        } else if (p.address > (uint64_t)bytes || p.address + (uint64_t)r->bytes > (uint64_t)bytes) {
            wl_error why = {0};
            const wl_status status = strays_again(m, &p) ? WL_OK : fail_space(m, &p, bytes, &why);
            if (status != WL_OK && !goes_on(m, &p, status, NULL, &why)) {
                if (err)
                    *err = why;
                return status;
            }
        } else if (p.address & ((uint64_t)r->bytes - 1)) {
            return fail_aligned(m, &p, err);
        }
        t->address[lane] = p.address;
    }
    t->unknown &= t->lanes;
    return WL_OK;
}

wl_ptx_space wl_ptx_space_at(uint64_t address)
{
    static const wl_ptx_space spaces[] = {WL_PTX_GLOBAL, WL_PTX_SHARED, WL_PTX_LOCAL, WL_PTX_PARAM};
    const uint64_t window = address / WL_PTX_WINDOW_BYTES;
    return window < sizeof spaces / sizeof *spaces ? spaces[window] : WL_PTX_GLOBAL;
}

uint64_t wl_ptx_window_of(wl_ptx_space space)
{
    return space == WL_PTX_SHARED  ? WL_PTX_SHARED_WINDOW
           : space == WL_PTX_LOCAL ? WL_PTX_LOCAL_WINDOW
           : space == WL_PTX_PARAM ? WL_PTX_PARAM_WINDOW
                                   : 0;
}

/* Addresses in the shared memory of other blocks of the cluster as those of this one: the others do
 * the same to it. Returns the lanes of other blocks. */
static uint32_t leave_blocks_out(const wl_ptx_machine *m, const wl_ptx_access_request *r, uint64_t window,
                                 uint64_t out[WL_PTX_LANES])
{
    const uint64_t here = wl_ptx_cluster_rank(m) + 1; /* as mapa writes it */
    uint32_t remote = 0;
    for (int i = 0; i < WL_PTX_LANES; i++) {
        const uint64_t offset = r->address[i] - window, rank = offset >> WL_PTX_RANK_SHIFT;
        const bool mapped = rank && offset <= UINT32_MAX;
        out[i] = mapped ? window + (uint64_t)wl_ptx_shared_offset(offset) : r->address[i];
        remote |= (uint32_t)(mapped && rank != here) << i;
    }
    return remote;
}

/* Visits what was resolved; lanes of other blocks apart, at the addresses that they asked for. */
static wl_status visit_touch(wl_ptx_machine *m, const uint64_t *asked, uint64_t window, uint32_t remote, wl_error *err)
{
    wl_ptx_touch *t = &m->touch;
    const uint32_t lanes = t->lanes;
    t->lanes = lanes & ~remote;
    if (t->lanes)
        WL_TRY(m->visit(m->user, t, err));
    t->lanes = lanes;
    if (!(lanes & remote))
        return WL_OK;
    wl_ptx_touch there = *t;
    there.remote = true;
    there.lanes = lanes & remote;
    WL_PTX_FOR_LANES(lane, there.lanes) there.address[lane] = asked[lane] - window;
    return m->visit(m->user, &there, err);
}

wl_status wl_ptx_resolve(wl_ptx_machine *m, const wl_ptx_access_request *request, uint32_t *rest, wl_error *err)
{
    wl_ptx_access_request r = *request;
    wl_ptx_touch *t = &m->touch;
    uint64_t window = 0;
    *rest = 0;
    if (r.space == WL_PTX_GENERIC || r.space == WL_PTX_SPACE_NONE) {
        uint32_t same = 0;
        r.space = wl_ptx_space_at(r.address[wl_ptx_lane_first(r.mask)]);
        WL_PTX_FOR_LANES(lane, r.mask) same |= (uint32_t)(wl_ptx_space_at(r.address[lane]) == r.space) << lane;
        *rest = r.mask & ~same;
        r.mask = same;
        window = wl_ptx_window_of(r.space);
    }
    uint64_t here[WL_PTX_LANES];
    uint32_t remote = 0;
    if (m->maps_blocks && r.space == WL_PTX_SHARED) {
        remote = leave_blocks_out(m, &r, window, here);
        r.address = here;
    }
    m->sees_others = m->order.on && (r.step->orders || r.atomic);
    m->order.asking.polls = m->order.rehearses && !m->order.tries && r.step->wait_loop > 0;
    m->order.asking.words = 0;
    t->space = r.space;
    t->function = r.step->function;
    t->instruction = r.step->number;
    t->warp = m->warp->number;
    t->store = r.store;
    t->atomic = r.atomic;
    t->more = m->more;
    t->bytes = r.bytes;
    m->missed = 0;
    if (r.space == WL_PTX_GLOBAL || r.space == WL_PTX_CONST)
        WL_TRY(resolve_buffers(m, &r, err));
    else
        WL_TRY(resolve_space(m, &r, window, err));
    /* recovered addresses, with which those of single warps are compared, know no buffers */
    const uint32_t inside = t->lanes;
    t->lanes |= m->alone ? m->missed : 0;
    if (m->visit && t->lanes && (r.space != WL_PTX_PARAM || m->warp->depth == 1))
        WL_TRY(visit_touch(m, request->address, window, remote, err));
    t->lanes = inside;
    return WL_OK;
}
