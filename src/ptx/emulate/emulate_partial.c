/* emulate_partial.c - registers of which only some bits are unknown.
 *
 * Blocks that look back pack a flag and a sum into one word. The sum depends on data, the flag does
 * not, and only the flag decides what happens. So in kernels whose blocks tell each other, a mask
 * per register says which of its bits may be unknown, in those of its lanes that are not known: a
 * result without such bits is known, and so is a comparison that they cannot change.
 * Layer  ptx/emulate. Oracle: tests/unit/test_ptx_order.c. SPDX-License-Identifier: MIT */
#include "ptx/emulate/emulate_internal.h"

static uint64_t bits_below(int count) { return count >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << count) - 1; }

static uint64_t hidden_of(const wl_ptx_frame *frame, int32_t slot, uint32_t lanes)
{
    const uint32_t unknown = frame->unknown[slot] & lanes;
    return !unknown ? 0 : unknown & ~frame->partly[slot] ? ~(uint64_t)0 : frame->hidden[slot];
}

/* Bits that are set in some lane. */
static uint64_t any_bits(const wl_ptx_frame *frame, int32_t slot, uint32_t lanes)
{
    uint64_t any = 0;
    WL_PTX_FOR_LANES(lane, lanes) any |= frame->value[slot][lane];
    return any;
}

/* A sum or product: everything above the lowest bit that is not known. */
static uint64_t carried(uint64_t hidden) { return hidden ? ~((hidden & (0 - hidden)) - 1) : 0; }

static uint64_t shifted(const wl_ptx_frame *frame, const wl_ptx_step *s, uint64_t hidden, uint32_t lanes)
{
    const int32_t by = s->from[1];
    const uint64_t first = frame->value[by][wl_ptx_lane_first(lanes)];
    const int bits = wl_ptx_type_bits(s->in->type);
    bool same = !(frame->unknown[by] & lanes) && first < (uint64_t)bits;
    WL_PTX_FOR_LANES(lane, lanes) same = same && frame->value[by][lane] == first;
    if (!same)
        return ~(uint64_t)0;
    if (s->in->op == WL_PTX_OP_shl)
        return hidden << first;
    const bool fills = wl_ptx_type_is_signed(s->in->type) && hidden >> (bits - 1) & 1;
    return fills ? ~(uint64_t)0 : (hidden & bits_below(bits)) >> first;
}

static uint64_t converted(const wl_ptx_step *s, uint64_t hidden)
{
    const int from = wl_ptx_type_bits(s->in->from);
    if (wl_ptx_type_is_float(s->in->type) || wl_ptx_type_is_float(s->in->from))
        return ~(uint64_t)0;
    const bool fills = wl_ptx_type_is_signed(s->in->from) && hidden >> (from - 1) & 1;
    return fills ? ~(uint64_t)0 : hidden & bits_below(from);
}

/* Bits of the result that may be unknown. */
static uint64_t result_hides(const wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t lanes)
{
    const int32_t a = s->from[0], b = s->from[1];
    const uint64_t ha = hidden_of(frame, a, lanes), hb = hidden_of(frame, b, lanes);
    if (wl_ptx_type_is_float(s->in->type))
        return ~(uint64_t)0;
    switch (s->in->op) {
    case WL_PTX_OP_mov: return ha;
    case WL_PTX_OP_or:
    case WL_PTX_OP_xor: return ha | hb;
    case WL_PTX_OP_and: return (ha & (hb | any_bits(frame, b, lanes))) | (hb & (ha | any_bits(frame, a, lanes)));
    case WL_PTX_OP_add:
    case WL_PTX_OP_sub: return carried(ha | hb);
    case WL_PTX_OP_shl:
    case WL_PTX_OP_shr: return shifted(frame, s, ha, lanes);
    case WL_PTX_OP_cvt: return converted(s, ha);
    default: return ~(uint64_t)0;
    }
}

static void set_hidden(wl_ptx_frame *frame, int32_t slot, uint32_t lanes, uint64_t hidden, int bits)
{
    hidden &= bits_below(bits);
    if (!hidden)
        frame->unknown[slot] &= ~lanes;
    wl_ptx_set_partly(frame, slot, lanes, hidden);
}

void wl_ptx_set_partly(wl_ptx_frame *frame, int32_t slot, uint32_t lanes, uint64_t hidden)
{
    const uint32_t others = frame->unknown[slot] & frame->partly[slot] & ~lanes;
    frame->hidden[slot] = hidden | (others ? frame->hidden[slot] : 0);
    frame->partly[slot] = lanes | others;
}

/* {low, high} to one register, or back. */
static void track_halves(wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t lanes)
{
    const int32_t *list = frame->program->lists + s->list;
    const int bits = wl_ptx_type_bits(s->in->type) / s->elements;
    const bool unpacks = s->in->operands[0].kind == WL_PTX_OPERAND_VECTOR;
    uint64_t all = 0;
    for (int e = 0; e < s->elements; e++) {
        const int shift = bits * e & 63;
        if (unpacks)
            set_hidden(frame, list[e], lanes, hidden_of(frame, s->from[0], lanes) >> shift, bits);
        else
            all |= (hidden_of(frame, list[e], lanes) & bits_below(bits)) << shift;
    }
    if (!unpacks)
        set_hidden(frame, s->to, lanes, all, 64);
}

void wl_ptx_track_hidden(wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t lanes)
{
    const int32_t spare = frame->program->spare;
    const bool halves = s->in->op == WL_PTX_OP_mov && s->elements > 0 && s->kind == WL_PTX_STEP_COMPUTE;
    if (s->in->op == WL_PTX_OP_ld || !lanes || s->kind > WL_PTX_STEP_RUN || s->kind == WL_PTX_STEP_TEST)
        return; /* loads know better */
    if (halves && s->from[0] != s->to) {
        track_halves(frame, s, lanes);
        return;
    }
    const bool computed = s->kind == WL_PTX_STEP_APPLY || s->kind == WL_PTX_STEP_PRODUCT || s->kind == WL_PTX_STEP_COPY;
    if (computed && s->to < spare && frame->unknown[s->to] & lanes) {
        set_hidden(frame, s->to, lanes, result_hides(frame, s, lanes), 64);
        return;
    }
    frame->partly[s->to] = frame->partly[s->other] = 0;
    for (int e = 0; e < s->elements; e++)
        frame->partly[frame->program->lists[s->list + e]] = 0;
}

/* Whether an order of numbers is the same at both ends of what they may be. */
static uint32_t same_at_ends(const wl_ptx_frame *frame, const wl_ptx_step *s, uint64_t ha, uint64_t hb)
{
    const uint64_t *a = frame->value[s->from[0]], *b = frame->value[s->from[1]];
    uint64_t least[2][WL_PTX_LANES], most[2][WL_PTX_LANES];
    for (int i = 0; i < WL_PTX_LANES; i++) {
        least[0][i] = a[i] & ~ha;
        most[0][i] = a[i] | ha;
        least[1][i] = b[i] & ~hb;
        most[1][i] = b[i] | hb;
    }
    const uint64_t *const low[2] = {least[0], most[1]}, *const high[2] = {most[0], least[1]};
    return ~(s->of.test(low, s->in) ^ s->of.test(high, s->in));
}

void wl_ptx_decide_test(wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t lanes)
{
    const uint32_t unknown = frame->unknown[s->to] & lanes;
    const int bits = wl_ptx_type_bits(s->in->type);
    const uint64_t ha = hidden_of(frame, s->from[0], unknown) & bits_below(bits),
                   hb = hidden_of(frame, s->from[1], unknown) & bits_below(bits);
    const bool equal = s->in->compare == WL_PTX_EQ || s->in->compare == WL_PTX_NE;
    uint32_t decided = 0;
    if (!unknown || !wl_ptx_compares_integers(s))
        return;
    if (equal) {
        WL_PTX_FOR_LANES(lane, unknown)
        {
            const uint64_t differ = frame->value[s->from[0]][lane] ^ frame->value[s->from[1]][lane];
            decided |= (uint32_t)((differ & ~(ha | hb) & bits_below(bits)) != 0) << lane;
        }
    } else if (!(wl_ptx_type_is_signed(s->in->type) && (ha | hb) >> (bits - 1) & 1)) {
        decided = same_at_ends(frame, s, ha, hb);
    }
    frame->unknown[s->to] &= ~(decided & unknown);
}

uint32_t wl_ptx_hidden_bytes(const wl_ptx_frame *frame, int32_t slot, uint32_t lanes)
{
    const uint64_t hidden = hidden_of(frame, slot, lanes);
    uint32_t bytes = 0;
    for (int k = 0; k < 8; k++)
        bytes |= (uint32_t)((hidden >> 8 * k & 0xff) != 0) << k;
    return bytes;
}
