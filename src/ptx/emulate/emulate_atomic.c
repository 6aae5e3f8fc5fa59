/* emulate_atomic.c - atomics, lane by lane in lane order.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/emulate_internal.h"

#include "base/fail.h"

static uint64_t add_float(uint64_t old, uint64_t b, wl_ptx_type type)
{
    if (type == WL_PTX_F32) /* not in double: the sum is rounded once */
        return wl_ptx_f32_bits(wl_ptx_f32_of(old) + wl_ptx_f32_of(b));
    const double sum = wl_ptx_float_value(old, type, false) + wl_ptx_float_value(b, type, false);
    const uint64_t low = wl_ptx_float_bits(sum, type, WL_PTX_RN);
    if (!wl_ptx_is_half_pair(type))
        return low;
    const double high = wl_ptx_float_value(old >> 16, type, false) + wl_ptx_float_value(b >> 16, type, false);
    return low | wl_ptx_float_bits(high, type, WL_PTX_RN) << 16;
}

static bool is_less(uint64_t a, uint64_t b, wl_ptx_type type)
{
    if (type == WL_PTX_F32 || type == WL_PTX_F64)
        return wl_ptx_float_value(a, type, false) < wl_ptx_float_value(b, type, false);
    a = wl_ptx_extended(a, type);
    b = wl_ptx_extended(b, type);
    return wl_ptx_type_is_signed(type) ? (int64_t)a < (int64_t)b : a < b;
}

uint64_t wl_ptx_updated(const wl_ptx_instruction *in, uint64_t old, uint64_t b, uint64_t c)
{
    const int bits = wl_ptx_type_bits(in->type);
    const uint64_t low = bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
    b &= low;
    c &= low;
    switch (in->variant) {
    case WL_PTX_ADD: return wl_ptx_type_is_float(in->type) ? add_float(old, b, in->type) : old + b;
    case WL_PTX_INC: return old >= b ? 0 : old + 1;
    case WL_PTX_DEC: return old == 0 || old > b ? b : old - 1;
    case WL_PTX_MIN: return is_less(b, old, in->type) ? b : old;
    case WL_PTX_MAX: return is_less(old, b, in->type) ? b : old;
    case WL_PTX_AND: return old & b;
    case WL_PTX_OR: return old | b;
    case WL_PTX_XOR: return old ^ b;
    case WL_PTX_EXCH: return b;
    case WL_PTX_CAS: return old == b ? c : old;
    default: return old;
    }
}

/* A counter, or a lock that is taken if it is 0, whose contents are not given. */
static bool starts_with_0(const wl_ptx_frame *frame, const wl_ptx_step *s, uint32_t lane)
{
    const int32_t compared = frame->program->lists[s->list];
    const bool counts =
        (s->in->variant == WL_PTX_ADD && !wl_ptx_type_is_float(s->in->type)) || s->in->variant == WL_PTX_INC;
    const bool locks =
        s->in->variant == WL_PTX_CAS && !(frame->unknown[compared] >> lane & 1) && frame->value[compared][lane] == 0;
    return s->orders && (counts || locks);
}

/* In the program's own memory, which other threads may update, too. */
uint64_t wl_ptx_update_in_place(uint8_t *at, const wl_ptx_instruction *in, int bytes, uint64_t b, uint64_t c)
{
#define UPDATE(T)                                                                                                      \
    do {                                                                                                               \
        T *word = (T *)(void *)at, old = __atomic_load_n(word, __ATOMIC_RELAXED);                                      \
        while (!__atomic_compare_exchange_n(word, &old, (T)wl_ptx_updated(in, old, b, c), false, __ATOMIC_RELAXED,     \
                                            __ATOMIC_RELAXED))                                                         \
            ;                                                                                                          \
        return old;                                                                                                    \
    } while (0)
    if (bytes == 8)
        UPDATE(uint64_t);
    if (bytes == 4)
        UPDATE(uint32_t);
    UPDATE(uint16_t);
#undef UPDATE
}

/* Updates one element for one lane and returns the old value. */
static uint64_t update(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t lane, int element, bool *old_unknown)
{
    const wl_ptx_frame *frame = m->frame;
    const int32_t b = frame->program->lists[s->list + element], c = s->from[2];
    const int64_t at = (int64_t)element * s->bytes;
    uint8_t *place = wl_ptx_memory_in_place(m, lane, at, WL_PTX_READS | WL_PTX_WRITES);
    if (place && s->bytes > 1)
        return wl_ptx_update_in_place(place, s->in, s->bytes, frame->value[b][lane], frame->value[c][lane]);
    const uint64_t old = wl_ptx_memory_read(m, lane, at, s->bytes, old_unknown);
    if (*old_unknown && m->as_given && starts_with_0(frame, s, lane))
        *old_unknown = !wl_ptx_starts_with_0(m, s);
    const bool swaps = s->in->variant == WL_PTX_CAS, exchanges = s->in->variant == WL_PTX_EXCH;
    const bool operands = frame->unknown[b] >> lane & 1 || (swaps && frame->unknown[c] >> lane & 1);
    const bool assumed = m->touch.unknown >> lane & 1;
    const uint64_t value = wl_ptx_updated(s->in, old, frame->value[b][lane], frame->value[c][lane]);
    wl_ptx_memory_write(m, lane, at, s->bytes, value, assumed || operands || (*old_unknown && !exchanges));
    *old_unknown = *old_unknown || assumed;
    return old;
}

#define ELEMENTS_MAX 8 /* of a vector */

/* The register that receives element e of the old value; -1: none does. */
static int32_t result_of(const wl_ptx_frame *frame, const wl_ptx_step *s, int e)
{
    const wl_ptx_operand *to = &s->in->operands[0];
    if (s->in->op != WL_PTX_OP_atom || to->kind != WL_PTX_OPERAND_VECTOR)
        return s->in->op == WL_PTX_OP_atom && e == 0 ? s->to : -1;
    const wl_ptx_operand *one = e < to->count ? &frame->program->function->lists[to->first + e] : NULL;
    return one && one->kind == WL_PTX_OPERAND_REG ? one->reg : -1;
}

wl_status wl_ptx_run_atomic(wl_ptx_machine *m, const wl_ptx_step *s, uint32_t mask, wl_error *err)
{
    uint64_t address[WL_PTX_LANES], old[ELEMENTS_MAX][WL_PTX_LANES] = {{0}};
    uint32_t unknown = mask; /* skipped lanes stay unknown */
    wl_ptx_access_request r = wl_ptx_request_of(m, s, mask, address);
    for (uint32_t rest; r.mask; r.mask = rest) {
        WL_TRY(wl_ptx_resolve(m, &r, &rest, err));
        if (s->draws && m->order.tries && m->touch.lanes)
            WL_TRY(wl_ptx_try_draw(m, s));
        uint32_t hidden_lanes = 0;
        if (s->draws && m->order.ticket_count > 0 && wl_ptx_draw_tickets(m, s, old[0], &hidden_lanes)) {
            unknown = (unknown & ~m->touch.lanes) | hidden_lanes;
            continue;
        }
        WL_PTX_FOR_LANES(lane, m->touch.lanes)
        {
            bool hidden = false;
            for (int e = s->elements - 1; e >= 0; e--)
                old[e][lane] = update(m, s, lane, e, &hidden);
            unknown = (unknown & ~((uint32_t)1 << lane)) | (uint32_t)hidden << lane;
        }
    }
    for (int e = 0; e < s->elements; e++)
        if (result_of(m->frame, s, e) >= 0)
            wl_ptx_write(m->frame, result_of(m->frame, s, e), mask, old[e], unknown);
    return WL_OK;
}

wl_ptx_run wl_ptx_find_atomic(const wl_ptx_instruction *in)
{
    const int bits = wl_ptx_type_bits(in->type);
    return bits >= 16 && bits <= 64 && in->vector <= ELEMENTS_MAX ? wl_ptx_run_atomic : NULL;
}
