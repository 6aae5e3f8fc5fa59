/* emulate_warp.c - operations across the lanes of a warp: shuffles, votes, matches, reductions.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/emulate_internal.h"

/* The lanes that a shuffle reads; b and c as in the PTX manual. Returns those that are in range;
 * others read themselves. */
static uint32_t shuffled(wl_ptx_variant mode, const uint64_t *b, const uint64_t *c, uint32_t source[WL_PTX_LANES])
{
    uint8_t in_range[WL_PTX_LANES];
    WL_PTX_EACH_LANE
    {
        const uint32_t lane = (uint32_t)i, segment = (uint32_t)c[i] >> 8 & 31, b5 = (uint32_t)b[i] & 31;
        const uint32_t lowest = lane & segment, highest = lowest | ((uint32_t)c[i] & 31 & ~segment);
        const uint32_t from = mode == WL_PTX_UP     ? lane - b5
                              : mode == WL_PTX_DOWN ? lane + b5
                              : mode == WL_PTX_BFLY ? lane ^ b5
                                                    : lowest | (b5 & ~segment);
        const bool inside = mode == WL_PTX_UP ? (int32_t)from >= (int32_t)highest : from <= highest;
        in_range[i] = inside;
        source[i] = inside ? from & 31 : lane;
    }
    return wl_ptx_bits_of(in_range);
}

static void run_shuffle(wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t mask)
{
    const uint64_t *a = frame->value[s->from[0]];
    const uint32_t hidden = frame->unknown[s->from[1]] | frame->unknown[s->from[2]];
    /* an inactive lane provides no value */
    const uint32_t given = mask & ~frame->unknown[s->from[0]];
    uint64_t value[WL_PTX_LANES];
    uint32_t source[WL_PTX_LANES], unknown = hidden & mask;
    const uint32_t ranged = shuffled(s->in->variant, frame->value[s->from[1]], frame->value[s->from[2]], source);
    for (int i = 0; i < WL_PTX_LANES; i++)
        value[i] = a[source[i]];
    WL_PTX_FOR_LANES(lane, given == UINT32_MAX ? 0 : mask)
    {
        unknown |= (~given >> source[lane] & 1) << lane;
        if (!(mask >> source[lane] & 1))
            value[lane] = 0;
    }
    wl_ptx_write(frame, s->to, mask, value, unknown);
    wl_ptx_write_predicate(frame, s->other, mask, ranged, hidden);
}

/* The active lanes of the member mask, which is operand k. */
static uint32_t members(const wl_ptx_frame *frame, const wl_ptx_step *s, int k, uint32_t mask)
{
    if (!(s->in->modifiers & WL_PTX_MOD_SYNC) || k + 1 >= s->in->operand_count)
        return mask;
    return mask & (uint32_t)frame->value[s->from[k]][wl_ptx_lane_first(mask)];
}

static void run_vote(wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t mask)
{
    const uint32_t taking = members(frame, s, 1, mask), hidden = frame->unknown[s->from[0]] & taking;
    const uint32_t value = wl_ptx_predicate(frame, s->from[0]);
    const uint32_t yes = (s->in->operands[1].negated ? ~value : value) & taking, no = taking & ~yes;
    bool result = false, unknown = hidden != 0;
    switch (s->in->variant) {
    case WL_PTX_BALLOT: wl_ptx_write_same(frame, s->to, mask, yes & ~hidden, unknown); return;
    case WL_PTX_ANY:
        result = yes & ~hidden;
        unknown = unknown && !result;
        break;
    case WL_PTX_UNI:
        result = !(yes & ~hidden) || !(no & ~hidden);
        unknown = unknown && result;
        break;
    default:
        result = !(no & ~hidden);
        unknown = unknown && result;
        break;
    }
    wl_ptx_write_predicate(frame, s->to, mask, result ? UINT32_MAX : 0, unknown ? mask : 0);
}

static void run_match(wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t mask)
{
    const uint32_t taking = members(frame, s, 1, mask), hidden = frame->unknown[s->from[0]] & taking;
    const uint64_t low = wl_ptx_type_bits(s->in->type) == 64 ? ~(uint64_t)0 : UINT32_MAX;
    const uint64_t *a = frame->value[s->from[0]];
    const bool all = s->in->variant == WL_PTX_ALL;
    uint64_t value[WL_PTX_LANES] = {0};
    uint32_t same = 0;
    WL_PTX_FOR_LANES(lane, taking)
    {
        WL_PTX_FOR_LANES(other, taking) value[lane] |= (uint64_t)((a[lane] & low) == (a[other] & low)) << other;
        same |= (uint32_t)(value[lane] == taking) << lane;
        if (all)
            value[lane] = value[lane] == taking ? taking : 0;
    }
    wl_ptx_write(frame, s->to, mask, value, hidden ? mask : 0);
    wl_ptx_write_predicate(frame, s->other, mask, same, hidden ? mask : 0);
}

static uint32_t reduced(uint32_t a, uint32_t b, const wl_ptx_instruction *in)
{
    const bool less = wl_ptx_type_is_signed(in->type) ? (int32_t)a < (int32_t)b : a < b;
    switch (in->variant) {
    case WL_PTX_ADD: return a + b;
    case WL_PTX_MIN: return less ? a : b;
    case WL_PTX_MAX: return less ? b : a;
    case WL_PTX_AND: return a & b;
    case WL_PTX_OR: return a | b;
    default: return a ^ b;
    }
}

static void run_redux(wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t mask)
{
    const uint32_t taking = members(frame, s, 1, mask), first = wl_ptx_lane_first(taking);
    uint32_t result = 0;
    WL_PTX_FOR_LANES(lane, taking)
    {
        const uint32_t value = (uint32_t)frame->value[s->from[0]][lane];
        result = lane == first ? value : reduced(result, value, s->in);
    }
    wl_ptx_write_same(frame, s->to, mask, result, frame->unknown[s->from[0]] & taking);
}

static void run_activemask(wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t mask)
{
    wl_ptx_write_same(frame, s->to, mask, mask, false);
}

/* Elects the lowest lane of the member mask. */
static void run_elect(wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t mask)
{
    const uint32_t taking = members(frame, s, 0, mask), leader = wl_ptx_lane_first(taking ? taking : mask);
    wl_ptx_write_same(frame, s->to, mask, leader, false);
    wl_ptx_write_predicate(frame, s->other, mask, (uint32_t)1 << leader, 0);
}

wl_ptx_compute wl_ptx_find_warp(const wl_ptx_instruction *in)
{
    switch (in->op) {
    case WL_PTX_OP_shfl: return run_shuffle;
    case WL_PTX_OP_vote: return run_vote;
    case WL_PTX_OP_match: return run_match;
    case WL_PTX_OP_redux: return wl_ptx_integer_index(in->type) >= 0 ? run_redux : NULL;
    case WL_PTX_OP_activemask: return run_activemask;
    case WL_PTX_OP_elect: return run_elect;
    default: return NULL;
    }
}
