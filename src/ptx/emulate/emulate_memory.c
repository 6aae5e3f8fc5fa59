/* emulate_memory.c - loads and stores.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/emulate_internal.h"

#include "base/fail.h"

/* ---- bytes ---- */

static uint64_t read_buffer(wl_ptx_machine *m, uint64_t address, int bytes, bool *unknown)
{
    const wl_ptx_buffer *b = m->buffer ? m->buffer : wl_ptx_buffer_at(m->launch.arguments, address);
    const int32_t number = (int32_t)(b - m->launch.arguments->buffers);
    uint64_t value = 0;
    *unknown = !wl_ptx_buffer_read(b, (int64_t)(address - b->base), bytes, (uint8_t *)&value);
    m->as_given = true;
    m->hidden_bytes = *unknown ? UINT32_MAX : 0;
    if (m->order.asking.polls)
        wl_ptx_order_poll(m, address);
    if (!m->written[number])
        return value;
    uint32_t written = 0, hidden = 0; /* masks of bytes */
    if (m->sees_others && m->order.history.count > 0)
        wl_ptx_order_read(m, address, number, bytes, &value, &written, &hidden);
    const wl_ptx_page *page = wl_ptx_pages_find(&m->pages, address);
    const size_t at = address % WL_PTX_PAGE_BYTES;
    for (int k = 0; page && k < bytes; k++) {
        const uint8_t state = page->state[at + (size_t)k];
        if (!state)
            continue;
        memcpy((uint8_t *)&value + k, page->data + at + k, 1);
        written |= (uint32_t)1 << k;
        hidden = (hidden & ~((uint32_t)1 << k)) | (uint32_t)(state == 2) << k;
    }
    const bool all = written == ((uint32_t)1 << bytes) - 1;
    m->as_given = !hidden && !all;
    m->hidden_bytes = hidden | (m->hidden_bytes & ~written);
    *unknown = hidden || (*unknown && !all);
    return value;
}

static wl_ptx_region *region_of(wl_ptx_machine *m, wl_ptx_space space, uint32_t lane, int64_t *at)
{
    if (space == WL_PTX_SHARED)
        return &m->shared;
    if (space == WL_PTX_LOCAL) {
        *at += m->warp->local_bytes * lane;
        return &m->warp->local;
    }
    *at += m->frame->program->param_bytes * lane;
    return &m->frame->params;
}

uint8_t *wl_ptx_memory_in_place(wl_ptx_machine *m, uint32_t lane, int64_t offset, int use)
{
    const wl_ptx_touch *t = &m->touch;
    const uint64_t at = t->address[lane] + (uint64_t)offset;
    if (!m->launch.in_place || (t->space != WL_PTX_GLOBAL && t->space != WL_PTX_CONST))
        return NULL;
    const wl_ptx_buffer *b = m->buffer ? m->buffer : wl_ptx_buffer_at(m->launch.arguments, at);
    if (!b->own)
        return NULL;
    m->used[b - m->launch.arguments->buffers] |= (uint8_t)use;
    return b->own + (at - b->base);
}

uint64_t wl_ptx_memory_read(wl_ptx_machine *m, uint32_t lane, int64_t offset, int bytes, bool *unknown)
{
    const wl_ptx_touch *t = &m->touch;
    int64_t at = (int64_t)t->address[lane] + offset;
    const uint8_t *place = wl_ptx_memory_in_place(m, lane, offset, WL_PTX_READS);
    if (place) {
        uint64_t value = 0;
        memcpy(&value, place, (size_t)bytes);
        *unknown = false;
        return value;
    }
    if (t->space == WL_PTX_GLOBAL || t->space == WL_PTX_CONST)
        return read_buffer(m, (uint64_t)at, bytes, unknown);
    if (t->space == WL_PTX_PARAM && m->warp->depth == 1 && at + bytes <= m->launch.arguments->param_bytes) {
        uint64_t value = 0;
        memcpy(&value, m->launch.arguments->params + at, (size_t)bytes);
        *unknown = false;
        return value;
    }
    const wl_ptx_region *region = region_of(m, t->space, lane, &at);
    return wl_ptx_region_read(region, at, bytes, unknown);
}

void wl_ptx_memory_write(wl_ptx_machine *m, uint32_t lane, int64_t offset, int bytes, uint64_t value, bool unknown)
{
    const wl_ptx_touch *t = &m->touch;
    int64_t at = (int64_t)t->address[lane] + offset;
    uint8_t *place = wl_ptx_memory_in_place(m, lane, offset, WL_PTX_WRITES);
    if (place) {
        memcpy(place, &value, (size_t)bytes);
        return;
    }
    if (t->space == WL_PTX_GLOBAL || t->space == WL_PTX_CONST) {
        const wl_ptx_buffer *b = m->buffer ? m->buffer : wl_ptx_buffer_at(m->launch.arguments, (uint64_t)at);
        m->written[b - m->launch.arguments->buffers] = true;
        if (!wl_ptx_pages_write(&m->pages, (uint64_t)at, bytes, value, unknown))
            m->out_of_memory = true;
        return;
    }
    wl_ptx_region *region = region_of(m, t->space, lane, &at);
    wl_ptx_region_write(region, at, bytes, value, unknown);
}

/* ---- loads ---- */

/* For all lanes without a branch per lane; data[0] is at `base`. */
static void gather(const uint8_t *data, uint64_t base, const uint64_t *address, int bytes, uint64_t *value)
{
    if (bytes == 4) {
        for (int i = 0; i < WL_PTX_LANES; i++) {
            uint32_t low;
            memcpy(&low, data + (address[i] - base), sizeof low);
            value[i] = low;
        }
    } else if (bytes == 8) {
        for (int i = 0; i < WL_PTX_LANES; i++)
            memcpy(&value[i], data + (address[i] - base), sizeof *value);
    } else if (bytes == 2) {
        for (int i = 0; i < WL_PTX_LANES; i++) {
            uint16_t low;
            memcpy(&low, data + (address[i] - base), sizeof low);
            value[i] = low;
        }
    } else {
        for (int i = 0; i < WL_PTX_LANES; i++)
            value[i] = data[address[i] - base];
    }
}

/* The lanes that read an unknown byte. */
static uint32_t unknown_bytes(const uint8_t *flags, const uint64_t *address, int bytes)
{
    uint64_t read[WL_PTX_LANES], any = 0;
    uint32_t unknown = 0;
    gather(flags, 0, address, bytes, read);
    for (int i = 0; i < WL_PTX_LANES; i++)
        any |= read[i];
    if (any)
        for (int i = 0; i < WL_PTX_LANES; i++)
            unknown |= (uint32_t)(read[i] != 0) << i;
    return unknown;
}

static uint64_t bits_of_bytes(uint32_t bytes)
{
    uint64_t bits = 0;
    for (int k = 0; k < 8; k++)
        bits |= bytes >> k & 1 ? (uint64_t)0xff << 8 * k : 0;
    return bits;
}

/* Lanes often load the same address one after the other: contents may be expensive to make. */
static void load_each(wl_ptx_machine *m, const wl_ptx_step *s, int64_t offset, uint64_t *value, uint32_t *unknown)
{
    const int bytes = s->bytes;
    const wl_ptx_touch *t = &m->touch;
    const bool common = t->space == WL_PTX_GLOBAL || t->space == WL_PTX_CONST || t->space == WL_PTX_SHARED;
    uint64_t before = 0, found = 0;
    bool hidden = false, any = false;
    m->read_hidden = t->space == WL_PTX_GLOBAL ? 0 : ~(uint64_t)0;
    WL_PTX_FOR_LANES(lane, t->lanes)
    {
        if (!any || !common || t->address[lane] != before) {
            hidden = false;
            found = wl_ptx_memory_read(m, lane, offset, bytes, &hidden);
            /* a flag whose contents are not given */
            if (hidden && s->orders && m->as_given && t->space == WL_PTX_GLOBAL)
                hidden = !wl_ptx_starts_with_0(m, s);
            if (hidden && t->space == WL_PTX_GLOBAL)
                m->read_hidden |= bits_of_bytes(m->hidden_bytes);
        }
        any = true;
        before = t->address[lane];
        value[lane] = found;
        *unknown |= (uint32_t)hidden << lane;
    }
}

/* Local memory, and parameters in a call: each lane has its own part. */
static void load_by_lane(wl_ptx_machine *m, int64_t offset, int bytes, uint64_t *value, uint32_t *unknown)
{
    int64_t part = 0;
    const wl_ptx_region *region = region_of(m, m->touch.space, 1, &part);
    uint64_t at[WL_PTX_LANES];
    for (uint64_t i = 0; i < WL_PTX_LANES; i++)
        at[i] = m->touch.address[i] + i * (uint64_t)part;
    gather(region->data + offset, 0, at, bytes, value);
    *unknown = unknown_bytes(region->unknown + offset, at, bytes);
}

/* Loads one element of a vector for all lanes. The usual cases come first: contents not
 * supplied, contents of a file, generated contents, shared memory. */
static void load_element(wl_ptx_machine *m, const wl_ptx_step *s, int element, uint64_t *value, uint32_t *unknown)
{
    const wl_ptx_touch *t = &m->touch;
    const int bytes = s->bytes;
    const int64_t offset = (int64_t)element * bytes;
    const bool global = t->space == WL_PTX_GLOBAL || t->space == WL_PTX_CONST, usual = m->plain;
    const wl_ptx_buffer *b = global && m->plain ? m->buffer : NULL;
    const bool as_given = b && !m->written[b - m->launch.arguments->buffers];
    *unknown = 0;
    m->read_hidden = ~(uint64_t)0;
    if (s->orders && global) {
        load_each(m, s, offset, value, unknown);
    } else if (as_given && b->content == WL_PTX_UNTOUCHED) {
        memset(value, 0, WL_PTX_LANES * sizeof *value);
        *unknown = t->lanes;
    } else if (as_given && b->content == WL_PTX_BYTES && usual && (!b->texture || b->own)) {
        m->used[b - m->launch.arguments->buffers] |= WL_PTX_READS;
        gather(b->data + offset, b->base, t->address, bytes, value);
    } else if (as_given && wl_ptx_buffer_generate(b, t->address, t->lanes, offset, bytes, value)) {
        m->read_hidden = t->space == WL_PTX_GLOBAL ? 0 : m->read_hidden;
    } else if (t->space == WL_PTX_SHARED && usual) {
        gather(m->shared.data + offset, 0, t->address, bytes, value);
        *unknown = unknown_bytes(m->shared.unknown + offset, t->address, bytes);
    } else if (usual && (t->space == WL_PTX_LOCAL || (t->space == WL_PTX_PARAM && m->warp->depth > 1))) {
        load_by_lane(m, offset, bytes, value, unknown);
    } else {
        load_each(m, s, offset, value, unknown);
    }
    if (wl_ptx_type_is_signed(s->in->type) && bytes < 8)
        for (int i = 0; i < WL_PTX_LANES; i++)
            value[i] = wl_ptx_extended(value[i], s->in->type);
}

/* Skipped lanes and lanes with an assumed address load unknown values. */
wl_status wl_ptx_run_load(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err)
{
    uint64_t address[WL_PTX_LANES], value[WL_PTX_LANES] = {0};
    wl_ptx_frame *frame = m->frame;
    wl_ptx_access_request r = wl_ptx_request_of(m, s, mask, address);
    const uint32_t dead = m->launch.in_place ? ~m->warp->live : 0; /* see run_steps */
    for (uint32_t rest; r.mask; r.mask = rest) {
        const uint32_t round = r.mask;
        WL_TRY(wl_ptx_resolve(m, &r, &rest, err));
        for (int e = 0; e < s->elements; e++) {
            const int32_t slot = frame->program->lists[s->list + e];
            uint32_t unknown = 0;
            if (m->plain && (round | dead) == UINT32_MAX && !rest) {
                load_element(m, s, e, frame->value[slot], &unknown);
                frame->unknown[slot] = unknown;
                wl_ptx_set_partly(frame, slot, UINT32_MAX, m->read_hidden);
                continue;
            }
            load_element(m, s, e, value, &unknown);
            const uint32_t done = round & ~rest, skipped = done & ~m->touch.lanes;
            WL_PTX_FOR_LANES(lane, skipped) value[lane] = 0;
            wl_ptx_write(frame, slot, done, value, unknown | skipped | m->touch.unknown);
            wl_ptx_set_partly(frame, slot, done & ~skipped & ~m->touch.unknown, m->read_hidden);
        }
    }
    return WL_OK;
}

/* ---- stores ---- */

#define WAVEFRONT 128 /* bytes */

/* A warp stores up to 128 bytes at once, one part after the other. Of the lanes of a part that
 * store to the same address, the value of the first stays (validate/probes/h200_same_address.csv):
 * it is the last one here. */
wl_ptx_store_order wl_ptx_store_order_of(uint32_t lanes, int bytes_per_lane)
{
    wl_ptx_store_order o = {lanes, bytes_per_lane <= 4   ? 31
                                   : bytes_per_lane <= 8 ? WAVEFRONT / 8 - 1
                                                         : WAVEFRONT / 16 - 1};
    static const uint32_t low[] = {0x55555555u, 0x33333333u, 0x0f0f0f0fu, 0x00ff00ffu, 0x0000ffffu};
    for (int k = 0; o.flip >> k & 1; k++) /* the bits of a part in reverse */
        o.turns = (o.turns & low[k]) << (1 << k) | (o.turns >> (1 << k) & low[k]);
    return o;
}

/* To shared memory, or to what each lane has, in the usual sizes. */
static bool scatter(wl_ptx_machine *m, wl_ptx_store_order o, int64_t offset, int bytes, const uint64_t *value,
                    uint32_t unknown)
{
    const wl_ptx_touch *t = &m->touch;
    int64_t part = 0;
    if (t->space == WL_PTX_GLOBAL || t->space == WL_PTX_CONST || (bytes != 4 && bytes != 8))
        return false;
    wl_ptx_region *region = region_of(m, t->space, 1, &part);
    region->hides = region->hides || unknown & t->lanes;
    WL_PTX_FOR_LANES(turn, o.turns)
    {
        const uint32_t lane = turn ^ o.flip;
        const uint64_t at = t->address[lane] + (uint64_t)(offset + part * lane);
        const uint64_t flags = unknown >> lane & 1 ? 0x0101010101010101u : 0;
        if (bytes == 4) {
            memcpy(region->data + at, &value[lane], 4);
            memcpy(region->unknown + at, &flags, 4);
        } else {
            memcpy(region->data + at, &value[lane], 8);
            memcpy(region->unknown + at, &flags, 8);
        }
    }
    return true;
}

/* Of a partly unknown value, some bytes are known. */
static void know_bytes(wl_ptx_machine *m, const wl_ptx_step *s, int32_t slot, int element, uint32_t lanes)
{
    const uint32_t known = ~wl_ptx_hidden_bytes(m->frame, slot, lanes);
    const uint32_t all = ((uint32_t)1 << s->bytes) - 1;
    WL_PTX_FOR_LANES(lane, known & all ? lanes : 0)
    {
        const uint64_t address = m->touch.address[lane] + (uint64_t)element * s->bytes;
        wl_ptx_page *page = wl_ptx_pages_find(&m->pages, address);
        for (uint32_t k = 0; page && k < s->bytes; k++)
            if (known >> k & 1)
                page->state[address % WL_PTX_PAGE_BYTES + k] = 1;
    }
}

wl_status wl_ptx_run_store(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err)
{
    uint64_t address[WL_PTX_LANES];
    const wl_ptx_frame *frame = m->frame;
    wl_ptx_access_request r = wl_ptx_request_of(m, s, mask, address);
    for (uint32_t rest; r.mask; r.mask = rest) {
        WL_TRY(wl_ptx_resolve(m, &r, &rest, err));
        const wl_ptx_store_order o = wl_ptx_store_order_of(m->touch.lanes, s->bytes * s->elements);
        for (int e = 0; e < s->elements; e++) {
            const int32_t slot = frame->program->lists[s->list + e];
            const uint32_t unknown = frame->unknown[slot] | m->touch.unknown;
            if (scatter(m, o, (int64_t)e * s->bytes, s->bytes, frame->value[slot], unknown))
                continue;
            WL_PTX_FOR_LANES(turn, o.turns)
            {
                const uint32_t lane = turn ^ o.flip;
                wl_ptx_memory_write(m, lane, (int64_t)e * s->bytes, s->bytes, frame->value[slot][lane],
                                    unknown >> lane & 1);
            }
            if (frame->program->partial && m->touch.space == WL_PTX_GLOBAL)
                know_bytes(m, s, slot, e, frame->unknown[slot] & ~m->touch.unknown & m->touch.lanes);
        }
    }
    return WL_OK;
}

wl_status wl_ptx_run_touch(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err)
{
    uint64_t address[WL_PTX_LANES];
    wl_ptx_access_request r = wl_ptx_request_of(m, s, mask, address);
    for (uint32_t rest; r.mask; r.mask = rest)
        WL_TRY(wl_ptx_resolve(m, &r, &rest, err));
    return WL_OK;
}

/* Registers of 128 bits hold no values: what they load and store is unknown. */
static wl_status run_wide(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err)
{
    const bool stores = s->in->op == WL_PTX_OP_st;
    uint64_t address[WL_PTX_LANES];
    wl_ptx_access_request r = wl_ptx_request_of(m, s, mask, address);
    for (uint32_t rest; r.mask; r.mask = rest) {
        WL_TRY(wl_ptx_resolve(m, &r, &rest, err));
        WL_PTX_FOR_LANES(lane, stores ? m->touch.lanes : 0)
        for (int half = 0; half < 2; half++)
            wl_ptx_memory_write(m, lane, 8 * half, 8, 0, true);
    }
    if (!stores)
        m->frame->unknown[m->frame->program->lists[s->list]] |= mask;
    return WL_OK;
}

wl_ptx_run wl_ptx_find_memory(const wl_ptx_instruction *in)
{
    const int bits = wl_ptx_type_bits(in->type);
    if (bits == 128 && in->vector == 1)
        return run_wide;
    if (bits < 8 || bits > 64)
        return NULL;
    return in->op == WL_PTX_OP_st ? wl_ptx_run_store : wl_ptx_run_load;
}
