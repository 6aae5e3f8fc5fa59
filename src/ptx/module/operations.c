/* operations.c - queries about operations, types and instruction classes, from operations.def.
 * See module.h.
 * Layer  ptx/module. SPDX-License-Identifier: MIT */
#include "ptx/module/module.h"
#include "ptx/module/tensor.h"

#include "base/ckd.h"

/* The kinds of operations.def: by type, by space, or a class. */
enum { KIND_BY_TYPE = WL_INST_CLASS_COUNT, KIND_BY_SPACE };
#define KIND_fp64 WL_INST_fp64
#define KIND_int WL_INST_int
#define KIND_control WL_INST_control
#define KIND_load WL_INST_load
#define KIND_store WL_INST_store
#define KIND_shared WL_INST_shared
#define KIND_special WL_INST_special
#define KIND_tensor WL_INST_tensor
#define KIND_move WL_INST_move

#define CLASS_OF(kind) ((kind) < WL_INST_CLASS_COUNT ? (wl_inst_class)(kind) : WL_INST_int)

static const wl_ptx_op_info operations[WL_PTX_OP_COUNT] = {
    {"", "not known to the reader", WL_INST_int, false, false, WL_PTX_COUNTED, true},
#define ROW(mnemonic, kind, support, meaning, has_result)                                                              \
    {mnemonic,                                                                                                         \
     meaning,                                                                                                          \
     CLASS_OF((int)KIND_##kind),                                                                                       \
     (int)KIND_##kind == KIND_BY_TYPE,                                                                                 \
     (int)KIND_##kind == KIND_BY_SPACE,                                                                                \
     WL_PTX_##support,                                                                                                 \
     has_result},
#define WL_PTX_OPERATION(id, mnemonic, kind, support, meaning) ROW(mnemonic, kind, support, meaning, true)
#define WL_PTX_EFFECT(id, mnemonic, kind, support, meaning) ROW(mnemonic, kind, support, meaning, false)
#include "ptx/module/operations.def"
};

const wl_ptx_op_info *wl_ptx_op_info_of(wl_ptx_op op) { return &operations[op]; }

static const struct {
    const char *name;
    int bits;
} types[WL_PTX_TYPE_COUNT] = {
    [WL_PTX_NONE] = {"none", 0},      [WL_PTX_PRED] = {"pred", 1},     [WL_PTX_B8] = {"b8", 8},
    [WL_PTX_B16] = {"b16", 16},       [WL_PTX_B32] = {"b32", 32},      [WL_PTX_B64] = {"b64", 64},
    [WL_PTX_B128] = {"b128", 128},    [WL_PTX_U8] = {"u8", 8},         [WL_PTX_U16] = {"u16", 16},
    [WL_PTX_U32] = {"u32", 32},       [WL_PTX_U64] = {"u64", 64},      [WL_PTX_S8] = {"s8", 8},
    [WL_PTX_S16] = {"s16", 16},       [WL_PTX_S32] = {"s32", 32},      [WL_PTX_S64] = {"s64", 64},
    [WL_PTX_F16] = {"f16", 16},       [WL_PTX_F16X2] = {"f16x2", 32},  [WL_PTX_BF16] = {"bf16", 16},
    [WL_PTX_BF16X2] = {"bf16x2", 32}, [WL_PTX_TF32] = {"tf32", 32},    [WL_PTX_F32] = {"f32", 32},
    [WL_PTX_F32X2] = {"f32x2", 64},   [WL_PTX_F64] = {"f64", 64},      [WL_PTX_U16X2] = {"u16x2", 32},
    [WL_PTX_S16X2] = {"s16x2", 32},   [WL_PTX_NARROW] = {"narrow", 8}, [WL_PTX_OPAQUE] = {"opaque", 64},
};

int wl_ptx_type_bits(wl_ptx_type type) { return types[type].bits; }
const char *wl_ptx_type_name(wl_ptx_type type) { return types[type].name; }

static bool is_half(wl_ptx_type t) { return t >= WL_PTX_F16 && t <= WL_PTX_BF16X2; }
static bool is_single(wl_ptx_type t) { return t >= WL_PTX_TF32 && t <= WL_PTX_F32X2; }

/* A conversion or comparison counts in the class of its wider floating-point type. */
static wl_inst_class class_by_type(wl_ptx_type a, wl_ptx_type b)
{
    if (a == WL_PTX_F64 || b == WL_PTX_F64)
        return WL_INST_fp64;
    if (is_single(a) || is_single(b))
        return WL_INST_fp32;
    return is_half(a) || is_half(b) ? WL_INST_fp16 : WL_INST_int;
}

static wl_inst_class class_by_space(const wl_ptx_instruction *in)
{
    const bool stores = in->op == WL_PTX_OP_st || in->op == WL_PTX_OP_st_async;
    if (in->op == WL_PTX_OP_cp_async || in->op == WL_PTX_OP_cp_bulk)
        return in->to_space == WL_PTX_GLOBAL ? WL_INST_store : WL_INST_load;
    if (in->space == WL_PTX_SHARED)
        return WL_INST_shared;
    /* machine code reads parameters as operands from the constant bank */
    if (in->space == WL_PTX_PARAM)
        return WL_INST_move;
    if (in->op == WL_PTX_OP_atom || in->op == WL_PTX_OP_red)
        return WL_INST_atomic;
    return stores ? WL_INST_store : WL_INST_load;
}

wl_inst_class wl_ptx_class_of(const wl_ptx_instruction *in)
{
    const wl_ptx_op_info *info = wl_ptx_op_info_of(in->op);
    if (info->class_by_type)
        return class_by_type(in->type, in->from);
    return info->class_by_space ? class_by_space(in) : info->kind;
}

wl_ptx_l1_use wl_ptx_l1_use_of(const wl_ptx_instruction *in)
{
    if (in->op == WL_PTX_OP_cp_bulk)
        return WL_PTX_L1_PASSES;
    if (in->op != WL_PTX_OP_ld && in->op != WL_PTX_OP_cp_async)
        return WL_PTX_L1_KEEPS;
    if (in->modifiers & WL_PTX_MOD_NO_ALLOCATE)
        return WL_PTX_L1_LOOKS;
    /* ld.global.cg.nc becomes a load of constant data, which the L1 may keep */
    return in->modifiers & WL_PTX_MOD_BYPASS && !(in->modifiers & WL_PTX_MOD_NC) ? WL_PTX_L1_PASSES : WL_PTX_L1_KEEPS;
}

int wl_ptx_access_bytes(const wl_ptx_instruction *in)
{
    wl_ptx_tile tile;
    const wl_ptx_operand *size = &in->operands[2];
    switch (in->op) {
    case WL_PTX_OP_ld:
    case WL_PTX_OP_ldu:
    case WL_PTX_OP_st:
    case WL_PTX_OP_atom:
    case WL_PTX_OP_red: return wl_ptx_type_bits(in->type) / 8 * in->vector;
    case WL_PTX_OP_cp_async:
        return in->operand_count > 2 && size->kind == WL_PTX_OPERAND_IMMEDIATE ? (int)wl_min(wl_max(size->value, 0), 16)
                                                                               : 0;
    case WL_PTX_OP_ldmatrix:
    case WL_PTX_OP_stmatrix: return 16; /* one row */
    case WL_PTX_OP_wmma_load:
    case WL_PTX_OP_wmma_store: return wl_ptx_tile_of(in, &tile) ? tile.bytes : 0;
    default: return 0;
    }
}

int wl_ptx_request_lanes(const wl_ptx_instruction *in)
{
    const int quad = 4, pair = 8; /* measured: validate/data/h200_texture.csv */
    switch (in->op) {
    case WL_PTX_OP_tex: return in->from == WL_PTX_F32 ? quad : pair;
    case WL_PTX_OP_suld:
    case WL_PTX_OP_sust: return pair;
    default: return 0;
    }
}

double wl_ptx_flops(const wl_ptx_instruction *in)
{
    const bool packed = in->type == WL_PTX_F16X2 || in->type == WL_PTX_BF16X2 || in->type == WL_PTX_F32X2;
    const double width = packed ? 2 : 1;
    if (!wl_ptx_type_is_float(in->type))
        return 0;
    switch (in->op) {
    case WL_PTX_OP_add:
    case WL_PTX_OP_sub:
    case WL_PTX_OP_mul:
    case WL_PTX_OP_div:
    case WL_PTX_OP_sqrt:
    case WL_PTX_OP_rsqrt:
    case WL_PTX_OP_rcp: return width;
    case WL_PTX_OP_fma:
    case WL_PTX_OP_mad: return 2 * width;
    default: return 0;
    }
}

bool wl_ptx_is_fill(const wl_ptx_instruction *in)
{
    return in->op == WL_PTX_OP_cp_async && wl_ptx_l1_use_of(in) == WL_PTX_L1_PASSES;
}

bool wl_ptx_is_barrier(const wl_ptx_instruction *in)
{
    return in->op == WL_PTX_OP_barrier_cluster ? wl_ptx_has_part(in, "wait")
                                               : in->op == WL_PTX_OP_bar && !(in->modifiers & WL_PTX_MOD_WARP);
}

bool wl_ptx_is_swap_loop(const wl_ptx_instruction *in)
{
    const bool computes = in->variant == WL_PTX_ADD || in->variant == WL_PTX_INC || in->variant == WL_PTX_DEC ||
                          in->variant == WL_PTX_AND || in->variant == WL_PTX_OR || in->variant == WL_PTX_XOR;
    return (in->op == WL_PTX_OP_atom || in->op == WL_PTX_OP_red) && in->space == WL_PTX_SHARED && computes &&
           !wl_ptx_reaches_cluster(in) && (wl_ptx_type_is_float(in->type) || wl_ptx_type_bits(in->type) == 64);
}

bool wl_ptx_adds_floats(const wl_ptx_instruction *in)
{
    return (in->op == WL_PTX_OP_atom || in->op == WL_PTX_OP_red) && in->variant == WL_PTX_ADD &&
           wl_ptx_type_is_float(in->type);
}

bool wl_ptx_reaches_cluster(const wl_ptx_instruction *in)
{
    const bool accesses =
        in->op == WL_PTX_OP_ld || in->op == WL_PTX_OP_st || in->op == WL_PTX_OP_atom || in->op == WL_PTX_OP_red;
    return in->op == WL_PTX_OP_barrier_cluster || (accesses && wl_ptx_has_part(in, "shared::cluster"));
}

bool wl_ptx_writes_first(const wl_ptx_instruction *in)
{
    return in->op == WL_PTX_OP_bar ? in->modifiers & WL_PTX_MOD_RED : wl_ptx_op_info_of(in->op)->has_result;
}
