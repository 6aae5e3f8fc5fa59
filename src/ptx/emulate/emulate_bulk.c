/* emulate_bulk.c - bulk copies (cp.async.bulk): ranges of bytes, and boxes of an array that a
 * tensor map describes, between global and shared memory. The copy unit moves them: no lane loads
 * or stores, and a barrier object counts the bytes that arrive.
 *
 * What a tensor map delivers is unknown unless a launch is carried out; its addresses are exact.
 * Copies to several blocks of a cluster: each block issues its part, so a block receives as many as
 * it issues for.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/emulate_internal.h"

#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "ptx/async/tensor_map.h"

#define PIECE 16 /* bytes that one lane of a touch stands for: the unit of bulk copies */

/* One copy of one lane. */
typedef struct bulk {
    const wl_ptx_copy_form *form;
    bool data;               /* contents are copied, too */
    uint64_t global, shared; /* addresses; of a tensor map: that of the map */
    uint64_t bytes;          /* without a map */
    wl_ptx_box box;          /* with a map */
    int coordinates;
    int copies;       /* that arrive here: as many as the blocks that it is sent to */
    uint64_t barrier; /* the address of the object that it signals */
} bulk;

/* ---- operands ---- */

bool wl_ptx_operand_in_lane(const wl_ptx_machine *m, const wl_ptx_operand *o, uint32_t lane, uint64_t *out)
{
    const wl_ptx_frame *frame = m->frame;
    *out = (uint64_t)o->value;
    if (o->kind == WL_PTX_OPERAND_REG || (o->kind == WL_PTX_OPERAND_ADDRESS && o->variable < 0 && o->reg >= 0)) {
        const bool narrow = wl_ptx_type_bits(frame->program->function->registers[o->reg].type) <= 32;
        const uint64_t offset = o->kind == WL_PTX_OPERAND_ADDRESS ? (uint64_t)o->value : 0;
        *out = (frame->value[o->reg][lane] + offset) & (narrow ? UINT32_MAX : ~(uint64_t)0);
        return !(frame->unknown[o->reg] >> lane & 1);
    }
    if (o->kind == WL_PTX_OPERAND_ADDRESS && o->variable >= 0)
        *out += m->launch.arguments->variable_address[o->variable];
    return o->kind == WL_PTX_OPERAND_IMMEDIATE || o->kind == WL_PTX_OPERAND_ADDRESS;
}

/* The value of element k of a vector in a lane; false: unknown. */
static bool element_of(const wl_ptx_machine *m, const wl_ptx_operand *o, int k, uint32_t lane, uint64_t *out)
{
    return wl_ptx_operand_in_lane(m, &m->frame->program->function->lists[o->first + k], lane, out);
}

static bool read_coordinates(const wl_ptx_machine *m, const wl_ptx_operand *o, uint32_t lane, bulk *b)
{
    for (int d = 0; d < o->count && d < WL_PTX_MAP_DIMS; d++) {
        uint64_t value = 0;
        if (!element_of(m, o, d, lane, &value))
            return false;
        b->box.at[d] = (int32_t)(uint32_t)value;
    }
    return true;
}

/* Offsets by dimension; of mode im2col::w, how many pixels follow those of a row, then the offset
 * in it. Such further pixels are not modelled. */
static bool read_offsets(const wl_ptx_machine *m, const wl_ptx_operand *o, uint32_t lane, bulk *b)
{
    const int first = b->form->mode == WL_PTX_BOX_PIXELS ? 0 : 1;
    for (int k = 0; k < o->count && k < first + WL_PTX_PIXEL_DIMS; k++) {
        uint64_t value = 0;
        if (!element_of(m, o, k, lane, &value) || (k < first && (uint16_t)value != 0))
            return false;
        if (k >= first)
            b->box.offset[k - first] = (uint16_t)value;
    }
    return true;
}

/* A run that only follows the control flow does not know the places. */
static bool read_operands(const wl_ptx_machine *m, const wl_ptx_step *s, uint32_t lane, bulk *b)
{
    const wl_ptx_copy_form *form = b->form;
    const bool places = m->visit || b->data;
    const wl_ptx_operand *to = &s->in->operands[form->to], *from = &s->in->operands[form->from];
    uint64_t value = 0;
    bool known = wl_ptx_operand_in_lane(m, form->loads ? from : to, lane, &b->global) || !(places || form->tensor);
    known = (wl_ptx_operand_in_lane(m, form->loads ? to : from, lane, &b->shared) || !places) && known;
    const wl_ptx_operand *coordinates = from->count > 0 ? from : to;
    b->box.mode = form->mode;
    b->coordinates = coordinates->count;
    if (form->tensor)
        known = (!places || read_coordinates(m, coordinates, lane, b)) && known;
    else
        known = wl_ptx_operand_in_lane(m, &s->in->operands[form->size], lane, &value) && known;
    b->bytes = (uint32_t)value;
    b->copies = form->paired ? 2 : 1;
    if (form->barrier >= 0)
        known = wl_ptx_operand_in_lane(m, &s->in->operands[form->barrier], lane, &b->barrier) && known;
    if (form->offsets >= 0)
        known = (!places || read_offsets(m, &s->in->operands[form->offsets], lane, b)) && known;
    if (form->blocks >= 0) {
        known = wl_ptx_operand_in_lane(m, &s->in->operands[form->blocks], lane, &value) && known;
        b->copies *= wl_ptx_lanes_in((uint32_t)value & UINT16_MAX);
    }
    return known;
}

/* ---- addresses ---- */

/* Collects the pieces of a copy in global memory, and visits as many at once as a warp has
 * lanes. */
typedef struct collector {
    wl_ptx_machine *m;
    const wl_ptx_step *step;
    uint64_t address[WL_PTX_LANES];
    uint32_t count;
    bool store, atomic;
    wl_status status;
    wl_error *err;
} collector;

static bool flush(collector *c)
{
    if (c->count == 0)
        return true;
    const uint32_t mask = c->count == WL_PTX_LANES ? UINT32_MAX : ((uint32_t)1 << c->count) - 1;
    const wl_ptx_access_request r = {c->step, mask, c->address, 0, WL_PTX_GLOBAL, PIECE, c->store, c->atomic};
    uint32_t rest = 0;
    c->status = wl_ptx_resolve(c->m, &r, &rest, c->err);
    c->count = 0;
    return c->status == WL_OK;
}

static bool collect(void *user, uint64_t address, uint64_t bytes)
{
    collector *c = user;
    const wl_line_sample *sample = c->m->sample;
    for (uint64_t at = address / PIECE * PIECE; at < address + bytes; at += PIECE) {
        if (sample && !wl_line_is_sampled(sample, at)) {
            at += sample->bytes - PIECE - at % sample->bytes; /* on to the next line */
            continue;
        }
        c->address[c->count++] = at;
        if (c->count == WL_PTX_LANES && !flush(c))
            return false;
    }
    return true;
}

/* A range is requested line by line of shared memory: if its sectors lie otherwise there, a sector
 * that two lines share is requested twice (measured: 5 instead of 4 for 128 bytes). */
static void collect_range(collector *c, const bulk *b)
{
    enum { LINE = 128, SECTOR = 32 };
    const bool shifted = (b->shared ^ b->global) % SECTOR != 0;
    for (uint64_t at = 0; at < b->bytes && c->status == WL_OK;) {
        const uint64_t in_line = LINE - (b->shared + at) % LINE, left = b->bytes - at;
        const uint64_t bytes = shifted && in_line < left ? in_line : left;
        (void)collect(c, b->global + at, bytes);
        if (shifted && c->status == WL_OK)
            (void)flush(c);
        at += bytes;
    }
}

static wl_status visit(wl_ptx_machine *m, const wl_ptx_step *s, const bulk *b, const wl_ptx_tensor_map *map,
                       wl_error *err)
{
    collector c = {.m = m, .step = s, .store = !b->form->loads, .atomic = b->form->reduces, .err = err};
    if (!m->visit || b->form->within)
        return WL_OK;
    if (b->form->tensor)
        (void)wl_ptx_map_rows(map, &b->box, collect, &c);
    else
        collect_range(&c, b);
    if (c.status == WL_OK)
        (void)flush(&c);
    return c.status;
}

/* ---- contents ---- */

/* Makes what arrives in shared memory unknown. */
static void hide(wl_ptx_machine *m, uint64_t address, uint64_t bytes)
{
    const int64_t at = wl_ptx_shared_offset(address);
    m->shared.hides = true;
    if (at < m->shared_bytes)
        memset(m->shared.unknown + at, 1, (size_t)wl_min((int64_t)bytes, m->shared_bytes - at));
}

/* Copies a range, 8 bytes at a time. */
static wl_status copy_range(wl_ptx_machine *m, const wl_ptx_step *s, const bulk *b, wl_error *err)
{
    const int64_t at = wl_ptx_shared_offset(b->shared);
    const wl_ptx_visit visitor = m->visit;
    wl_status status = WL_OK;
    if (b->bytes == 0 || at + (int64_t)b->bytes > m->shared_bytes)
        return WL_OK;
    m->visit = NULL; /* the copy was visited already */
    for (uint64_t k = 0; k < b->bytes && status == WL_OK; k += 8) {
        const uint64_t address[WL_PTX_LANES] = {b->global + k};
        const wl_ptx_access_request r = {s, 1, address, 0, WL_PTX_GLOBAL, 8, !b->form->loads, false};
        uint32_t rest = 0;
        bool unknown = false;
        status = wl_ptx_resolve(m, &r, &rest, err);
        if (status != WL_OK)
            break;
        const bool inside = m->touch.lanes & 1;
        if (b->form->loads) {
            const uint64_t value = inside ? wl_ptx_memory_read(m, 0, 0, 8, &unknown) : 0;
            unknown = unknown || !inside;
            wl_ptx_region_write(&m->shared, at + (int64_t)k, 8, value, unknown);
        } else if (inside) {
            const uint64_t value = wl_ptx_region_read(&m->shared, at + (int64_t)k, 8, &unknown);
            wl_ptx_memory_write(m, 0, 0, 8, value, unknown);
        }
    }
    m->visit = visitor;
    return status;
}

/* Where a byte of a box is in shared memory: swizzled, units of 16 bytes trade places. */
static int64_t swizzled(const wl_ptx_tensor_map *map, int64_t at)
{
    static const int masks[] = {0, 1, 3, 7};
    const int mask = map->swizzle < sizeof masks / sizeof *masks ? masks[map->swizzle] : 0;
    return at ^ ((at >> 7 & mask) << 4);
}

/* A run of a box between global and shared memory; `inside` false: a load outside the array. */
static wl_status copy_run(wl_ptx_machine *m, const wl_ptx_step *s, const bulk *b, const wl_ptx_tensor_map *map,
                          uint64_t global, int64_t at, int64_t bytes, bool inside, wl_error *err)
{
    for (int64_t k = 0, size; k < bytes; k += size) {
        size = map->bytes;
        while (size < 8 && (at + k) % (2 * size) == 0 && (global + (uint64_t)k) % (uint64_t)(2 * size) == 0 &&
               k + 2 * size <= bytes)
            size *= 2;
        const int64_t place = swizzled(map, at + k);
        bool unknown = false;
        uint32_t rest = 0;
        if (!inside) {
            wl_ptx_region_write(&m->shared, place, (int)size, 0, map->fill != 0);
            continue;
        }
        const uint64_t address[WL_PTX_LANES] = {global + (uint64_t)k};
        const wl_ptx_access_request r = {s, 1, address, 0, WL_PTX_GLOBAL, (int)size, !b->form->loads, false};
        WL_TRY(wl_ptx_resolve(m, &r, &rest, err));
        const bool there = m->touch.lanes & 1;
        if (b->form->loads) {
            const uint64_t value = there ? wl_ptx_memory_read(m, 0, 0, (int)size, &unknown) : 0;
            wl_ptx_region_write(&m->shared, place, (int)size, value, unknown || !there);
        } else if (there) {
            const uint64_t value = wl_ptx_region_read(&m->shared, place, (int)size, &unknown);
            wl_ptx_memory_write(m, 0, 0, (int)size, value, unknown);
        }
    }
    return WL_OK;
}

/* Copies a box row by row, the first dimension in a row. */
static wl_status copy_box(wl_ptx_machine *m, const wl_ptx_step *s, const bulk *b, const wl_ptx_tensor_map *map,
                          wl_error *err)
{
    const int64_t row = (int64_t)map->box[0] * map->bytes, from = b->box.at[0];
    const int64_t low = wl_max(from, 0), high = wl_min(from + map->box[0], (int64_t)map->extent[0]);
    int64_t at = wl_ptx_shared_offset(b->shared), index[WL_PTX_MAP_DIMS] = {0}, rows = 1;
    const wl_ptx_visit visitor = m->visit;
    wl_status status = WL_OK;
    for (int d = 1; d < map->rank; d++)
        rows *= map->box[d];
    if (at + rows * row > m->shared_bytes)
        return WL_OK;
    m->visit = NULL; /* the copy was visited already */
    for (int64_t k = 0; k < rows && status == WL_OK; k++, at += row) {
        uint64_t global = map->base;
        bool inside = low < high;
        int64_t left = k;
        for (int d = 1; d < map->rank; d++) {
            index[d] = b->box.at[d] + left % map->box[d];
            left /= map->box[d];
            inside = inside && index[d] >= 0 && index[d] < (int64_t)map->extent[d];
            global += (uint64_t)index[d] * map->stride[d - 1];
        }
        if (b->form->loads && (!inside || high - low < map->box[0]))
            status = copy_run(m, s, b, map, 0, at, row, false, err);
        if (inside && status == WL_OK)
            status = copy_run(m, s, b, map, global + (uint64_t)(low * map->bytes), at + (low - from) * map->bytes,
                              (high - low) * map->bytes, true, err);
    }
    m->visit = visitor;
    return status;
}

/* Boxes that are carried out: tiles of whole bytes, of every element, for one block. */
static bool is_plain_box(const bulk *b, const wl_ptx_tensor_map *map)
{
    bool plain = b->form->tensor && b->form->mode == WL_PTX_BOX_TILED && b->copies == 1 && !b->form->reduces &&
                 map->bytes > 0 && map->interleave == 0 && map->swizzle < 4;
    for (int d = 0; d < map->rank; d++)
        plain = plain && map->step[d] == 1;
    return plain;
}

/* ---- copies ---- */

static wl_status run_one(wl_ptx_machine *m, const wl_ptx_step *s, bulk *b, wl_error *err)
{
    wl_ptx_tensor_map map = {.rank = 0};
    const wl_ptx_copy_form *form = b->form;
    if (form->tensor &&
        (!wl_ptx_map_read(m, b->global, &map) || wl_ptx_map_coordinates(&map, form->mode) != b->coordinates))
        return wl_ptx_assume(m, s, WL_PTX_ASSUMED_RESULT, err);
    const uint64_t bytes = form->tensor ? wl_ptx_map_box_bytes(&map, form->mode) : b->bytes;
    WL_TRY(visit(m, s, b, &map, err));
    const bool executes = m->launch.in_place && b->data;
    if (executes && is_plain_box(b, &map))
        WL_TRY(copy_box(m, s, b, &map, err));
    else if (form->loads && (form->tensor || form->within || !b->data) && (m->visit || b->data))
        hide(m, b->shared, bytes);
    else if (b->data && !form->tensor && !form->reduces)
        WL_TRY(copy_range(m, s, b, err));
    if (executes && form->tensor && !is_plain_box(b, &map))
        WL_TRY(wl_ptx_assume(m, s, WL_PTX_ASSUMED_RESULT, err));
    if (form->barrier >= 0 && !m->alone)
        return wl_ptx_mbarrier_deliver(m, s, b->barrier, (int64_t)bytes * b->copies, err);
    return WL_OK;
}

static wl_status run_lanes(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, bool data, wl_error *err)
{
    WL_PTX_FOR_LANES(lane, mask)
    {
        bulk b = {.form = &s->async->copy, .data = data};
        if (read_operands(m, s, lane, &b))
            WL_TRY(run_one(m, s, &b, err));
        else
            WL_TRY(wl_ptx_assume(m, s, WL_PTX_ASSUMED_RESULT, err));
    }
    return WL_OK;
}

static wl_status run_bulk(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err)
{
    return run_lanes(m, s, mask, true, err);
}

wl_status wl_ptx_run_bulk_places(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err)
{
    return run_lanes(m, s, mask, false, err);
}

wl_ptx_run wl_ptx_find_bulk(void) { return run_bulk; }
