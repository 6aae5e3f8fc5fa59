/* emulate_map.c - tensor maps in memory: read by bulk copies, changed and copied by a kernel. A map
 * that is copied to shared memory, changed there and copied back works as any other.
 *
 * The 128 bytes that such a copy moves are not counted as traffic.
 * Layer  ptx/emulate. Oracle: tests/unit/test_ptx_async.c. SPDX-License-Identifier: MIT */
#include "ptx/emulate/emulate_internal.h"

#include <string.h>

#include "base/fail.h"

#define MAP_ALIGNED 64 /* bytes */

/* Makes m->touch the place of a map; false: it does not lie in one piece of memory, or at an odd
 * place. */
static bool place_map(wl_ptx_machine *m, uint64_t address)
{
    wl_ptx_touch *t = &m->touch;
    t->space = wl_ptx_space_at(address);
    t->address[0] = address - wl_ptx_window_of(t->space);
    const uint64_t end = t->address[0] + WL_PTX_MAP_BYTES;
    m->buffer = NULL;
    if (t->address[0] % MAP_ALIGNED != 0)
        return false;
    switch (t->space) {
    case WL_PTX_GLOBAL:
        m->buffer = wl_ptx_buffer_at(m->launch.arguments, address);
        return m->buffer && end <= m->buffer->base + (uint64_t)m->buffer->bytes;
    case WL_PTX_SHARED: return end <= (uint64_t)m->shared_bytes;
    case WL_PTX_PARAM: return end <= (uint64_t)m->frame->program->param_bytes;
    default: return false;
    }
}

/* The bytes at an address; false: some are unknown. */
static bool read_bytes(wl_ptx_machine *m, uint64_t address, uint64_t words[WL_PTX_MAP_BYTES / 8])
{
    bool known = place_map(m, address);
    for (int k = 0; k < WL_PTX_MAP_BYTES / 8 && known; k++) {
        bool unknown = false;
        words[k] = wl_ptx_memory_read(m, 0, (int64_t)k * 8, 8, &unknown);
        known = !unknown;
    }
    m->buffer = NULL;
    return known;
}

static bool write_bytes(wl_ptx_machine *m, uint64_t address, const uint64_t words[WL_PTX_MAP_BYTES / 8], bool unknown)
{
    const bool placed = place_map(m, address) && m->touch.space != WL_PTX_PARAM;
    for (int k = 0; k < WL_PTX_MAP_BYTES / 8 && placed; k++)
        wl_ptx_memory_write(m, 0, (int64_t)k * 8, 8, words[k], unknown);
    m->buffer = NULL;
    return placed;
}

bool wl_ptx_map_read(wl_ptx_machine *m, uint64_t address, wl_ptx_tensor_map *map)
{
    uint64_t words[WL_PTX_MAP_BYTES / 8];
    if (!read_bytes(m, address, words))
        return false;
    memcpy(map, words, sizeof *map);
    return wl_ptx_map_is_valid(map);
}

/* An address operand in generic memory. */
static bool address_of(const wl_ptx_machine *m, const wl_ptx_operand *o, wl_ptx_space space, uint32_t lane,
                       uint64_t *out)
{
    const bool known = wl_ptx_operand_in_lane(m, o, lane, out);
    if (space == WL_PTX_SHARED && wl_ptx_space_at(*out) != WL_PTX_SHARED)
        *out = wl_ptx_window_of(WL_PTX_SHARED) + (uint32_t)*out;
    return known;
}

static bool copy_map(wl_ptx_machine *m, const wl_ptx_instruction *in, uint32_t lane)
{
    uint64_t to, from, words[WL_PTX_MAP_BYTES / 8] = {0};
    if (!address_of(m, &in->operands[0], in->to_space, lane, &to) ||
        !address_of(m, &in->operands[1], in->space, lane, &from))
        return false;
    const bool known = read_bytes(m, from, words);
    return write_bytes(m, to, words, !known) && known;
}

/* A change that is not known makes the whole map unknown. */
static bool replace_field(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t lane)
{
    const wl_ptx_map_form *form = &s->async->map;
    const wl_ptx_operand *operands = s->in->operands;
    uint64_t address, dimension = 0, value, words[WL_PTX_MAP_BYTES / 8] = {0};
    wl_ptx_tensor_map map;
    if (!address_of(m, &operands[0], s->in->space, lane, &address))
        return false;
    bool known = read_bytes(m, address, words);
    known = (form->dimension < 0 || wl_ptx_operand_in_lane(m, &operands[form->dimension], lane, &dimension)) && known;
    known = wl_ptx_operand_in_lane(m, &operands[form->value], lane, &value) && known;
    memcpy(&map, words, sizeof map);
    known = known && wl_ptx_map_replace(&map, form->field, dimension, value);
    memcpy(words, &map, sizeof map);
    return write_bytes(m, address, words, !known) && known;
}

wl_status wl_ptx_run_map(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err)
{
    if (s->async->map.copies) /* once for the warp */
        mask &= 0 - mask;
    WL_PTX_FOR_LANES(lane, mask)
    {
        const bool done = s->async->map.copies ? copy_map(m, s->in, lane) : replace_field(m, s, lane);
        if (!done)
            WL_TRY(wl_ptx_assume(m, s, WL_PTX_ASSUMED_RESULT, err));
    }
    return WL_OK;
}
