/* alu_bits.c - logic, shifts, bit fields and byte permutations. See alu.h.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#include "ptx/emulate/alu.h"

#define LANES(name, T, expression) WL_PTX_DEFINE_APPLY(name, T, (T), (uint64_t), expression)
LANES(and64, uint64_t, x &y)
LANES(or64, uint64_t, x | y)
LANES(xor64, uint64_t, x ^ y)
LANES(popc32, uint32_t, __builtin_popcount(x))
LANES(popc64, uint64_t, __builtin_popcountll(x))
LANES(clz32, uint32_t, x ? __builtin_clz(x) : 32)
LANES(clz64, uint64_t, x ? __builtin_clzll(x) : 64)

static uint64_t low_bits(uint64_t value, wl_ptx_type type)
{
    return wl_ptx_type_bits(type) == 64 ? value : value & (((uint64_t)1 << wl_ptx_type_bits(type)) - 1);
}

/* The position of the highest bit that differs from the sign; -1: there is none. */
static void find_highest(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)
{
    const int bits = wl_ptx_type_bits(in->type);
    for (int i = 0; i < WL_PTX_LANE_COUNT; i++) {
        uint64_t x = low_bits(from[0][i], in->type);
        if (wl_ptx_type_is_signed(in->type) && x >> (bits - 1) & 1)
            x = low_bits(~x, in->type);
        const uint32_t at = x ? 63 - (uint32_t)__builtin_clzll(x) : UINT32_MAX;
        to[i] = at != UINT32_MAX && in->modifiers & WL_PTX_MOD_SHIFTAMT ? (uint32_t)bits - 1 - at : at;
    }
}

static void reverse(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)
{
    const int bits = wl_ptx_type_bits(in->type);
    for (int i = 0; i < WL_PTX_LANE_COUNT; i++) {
        uint64_t x = from[0][i], result = 0;
        for (int bit = 0; bit < bits; bit++, x >>= 1)
            result = result << 1 | (x & 1);
        to[i] = result;
    }
}

static void take_field(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)
{
    const int bits = wl_ptx_type_bits(in->type);
    for (int i = 0; i < WL_PTX_LANE_COUNT; i++) {
        const uint64_t x = low_bits(from[0][i], in->type);
        const int at = (int)(from[1][i] & 0xff), length = (int)(from[2][i] & 0xff);
        /* this bit is the sign */
        const int last = at + length - 1 < bits - 1 ? at + length - 1 : bits - 1;
        const bool negative = wl_ptx_type_is_signed(in->type) && length > 0 && x >> last & 1;
        uint64_t field = at < bits ? x >> at : 0;
        if (length < 64)
            field &= ((uint64_t)1 << length) - 1;
        const int kept = at >= bits ? 0 : last - at + 1;
        if (negative && kept < 64)
            field |= ~(uint64_t)0 << kept;
        to[i] = low_bits(field, in->type);
    }
}

static void put_field(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)
{
    const int bits = wl_ptx_type_bits(in->type);
    for (int i = 0; i < WL_PTX_LANE_COUNT; i++) {
        const int at = (int)(from[2][i] & 0xff), length = (int)(from[3][i] & 0xff);
        uint64_t mask = length < 64 ? ((uint64_t)1 << length) - 1 : ~(uint64_t)0;
        mask = at < bits ? mask << at : 0;
        to[i] = low_bits((from[1][i] & ~mask) | (at < bits ? from[0][i] << at & mask : 0), in->type);
    }
}

static void extend_from_bit(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)
{
    for (int i = 0; i < WL_PTX_LANE_COUNT; i++) {
        const uint32_t x = (uint32_t)from[0][i], y = (uint32_t)from[1][i];
        const uint32_t n = in->modifiers & WL_PTX_MOD_WRAP ? y & 31 : y;
        const uint32_t low = n == 0 ? 0 : x & (UINT32_MAX >> (32 - (n < 32 ? n : 31)));
        const bool negative = n > 0 && n < 32 && wl_ptx_type_is_signed(in->type) && x >> (n - 1) & 1;
        to[i] = n >= 32 ? x : negative ? x | UINT32_MAX << n : low;
    }
}

static void make_mask(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)
{
    const bool wrap = in->modifiers & WL_PTX_MOD_WRAP;
    for (int i = 0; i < WL_PTX_LANE_COUNT; i++) {
        const uint32_t x = (uint32_t)from[0][i], y = (uint32_t)from[1][i];
        const uint32_t at = wrap ? x & 31 : x, length = wrap ? y & 31 : y;
        const uint64_t mask = length >= 32 ? UINT32_MAX : ((uint64_t)1 << length) - 1;
        to[i] = at >= 32 ? 0 : (uint32_t)(mask << at);
    }
}

static void any_function(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)
{
    const uint64_t *a = from[0], *b = from[1], *c = from[2];
    const int64_t table = in->operands[4].value;
    uint32_t minterm[8];
    for (int k = 0; k < 8; k++)
        minterm[k] = table >> k & 1 ? UINT32_MAX : 0;
    WL_PTX_EACH_LANE
    {
        const uint32_t x = (uint32_t)a[i], y = (uint32_t)b[i], z = (uint32_t)c[i];
        const uint32_t without =
            (minterm[0] & ~y & ~z) | (minterm[1] & ~y & z) | (minterm[2] & y & ~z) | (minterm[3] & y & z);
        const uint32_t with =
            (minterm[4] & ~y & ~z) | (minterm[5] & ~y & z) | (minterm[6] & y & ~z) | (minterm[7] & y & z);
        to[i] = (~x & without) | (x & with);
    }
}

/* Shifts the concatenation b:a. Left shifts take the upper 32 bits of the result, right shifts
 * the lower. */
static void funnel(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)
{
    const bool wrap = in->modifiers & WL_PTX_MOD_WRAP, left = in->modifiers & WL_PTX_MOD_LEFT;
    for (int i = 0; i < WL_PTX_LANE_COUNT; i++) {
        const uint64_t both = (uint64_t)(uint32_t)from[1][i] << 32 | (uint32_t)from[0][i];
        const uint32_t c = (uint32_t)from[2][i], n = wrap ? c & 31 : c < 32 ? c : 32;
        to[i] = (uint32_t)(left ? both << n >> 32 : both >> n);
    }
}

/* The byte of b:a that goes to byte k of the result, for the named modes of prmt. */
static uint32_t named_choice(wl_ptx_variant mode, uint32_t c, uint32_t k)
{
    switch (mode) {
    case WL_PTX_F4E: return c + k;
    case WL_PTX_B4E: return (c + 8 - k) & 7;
    case WL_PTX_RC8: return c;
    case WL_PTX_ECL: return k < c ? c : k;
    case WL_PTX_ECR: return k > c ? c : k;
    default: return 2 * (c & 1) + (k & 1); /* RC16 */
    }
}

static void permute(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)
{
    for (int i = 0; i < WL_PTX_LANE_COUNT; i++) {
        const uint64_t both = (uint64_t)(uint32_t)from[1][i] << 32 | (uint32_t)from[0][i];
        const uint32_t c = (uint32_t)from[2][i];
        uint32_t result = 0;
        for (uint32_t k = 0; k < 4; k++) {
            const uint32_t selector =
                in->variant == WL_PTX_V_NONE ? c >> 4 * k & 15 : named_choice(in->variant, c & 3, k);
            uint32_t byte = (uint32_t)(both >> 8 * (selector & 7)) & 0xff;
            if (selector & 8)
                byte = byte & 0x80 ? 0xff : 0;
            result |= byte << 8 * k;
        }
        to[i] = result;
    }
}

static int64_t part(uint64_t value, int bits, int k, bool is_signed)
{
    const uint64_t field = value >> bits * k & (((uint64_t)1 << bits) - 1);
    return is_signed ? wl_ptx_as_signed(field, bits) : (int64_t)field;
}

/* dp4a: four bytes times four bytes; dp2a: two halves times the lower or upper two bytes. */
static void dot(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)
{
    const bool sa = wl_ptx_type_is_signed(in->type);
    const bool sb = wl_ptx_type_is_signed(in->from == WL_PTX_NONE ? in->type : in->from);
    const bool four = in->op == WL_PTX_OP_dp4a;
    const int first = in->modifiers & WL_PTX_MOD_HI ? 2 : 0;
    for (int i = 0; i < WL_PTX_LANE_COUNT; i++) {
        int64_t sum = (int32_t)(uint32_t)from[2][i];
        for (int k = 0; k < (four ? 4 : 2); k++)
            sum += part(from[0][i], four ? 8 : 16, k, sa) * part(from[1][i], 8, four ? k : first + k, sb);
        to[i] = (uint32_t)sum;
    }
}

/* For types of 16, 32 and 64 bits. */
static wl_ptx_apply find_sized(const wl_ptx_instruction *in)
{
    const int bits = wl_ptx_type_bits(in->type);
    if (wl_ptx_integer_index(in->type) < 0)
        return NULL;
    switch (in->op) {
    case WL_PTX_OP_and: return and64;
    case WL_PTX_OP_or: return or64;
    case WL_PTX_OP_xor: return xor64;
    case WL_PTX_OP_popc: return bits == 64 ? popc64 : bits == 32 ? popc32 : NULL;
    case WL_PTX_OP_clz: return bits == 64 ? clz64 : bits == 32 ? clz32 : NULL;
    case WL_PTX_OP_bfind: return find_highest;
    case WL_PTX_OP_brev: return reverse;
    case WL_PTX_OP_bfe: return take_field;
    case WL_PTX_OP_bfi: return put_field;
    default: return NULL;
    }
}

/* The same place in the shared memory of another block of the cluster. */
static void place_in_block(uint64_t *to, const uint64_t *const *from, const wl_ptx_instruction *in)
{
    const uint64_t ranks = (uint64_t)0xff << WL_PTX_RANK_SHIFT;
    (void)in;
    WL_PTX_EACH_LANE to[i] = (from[0][i] & ~ranks) | ((from[1][i] + 1) << WL_PTX_RANK_SHIFT & ranks);
}

wl_ptx_apply wl_ptx_find_bits(const wl_ptx_instruction *in)
{
    switch (in->op) {
    case WL_PTX_OP_lop3:
        return in->operand_count > 4 && in->operands[4].kind == WL_PTX_OPERAND_IMMEDIATE ? any_function : NULL;
    case WL_PTX_OP_shf: return funnel;
    case WL_PTX_OP_szext: return extend_from_bit;
    case WL_PTX_OP_bmsk: return make_mask;
    case WL_PTX_OP_prmt: return permute;
    case WL_PTX_OP_mapa: return place_in_block;
    case WL_PTX_OP_dp4a:
    case WL_PTX_OP_dp2a: return dot;
    default: return find_sized(in);
    }
}
