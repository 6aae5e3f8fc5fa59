/* tensor.c - see tensor.h.
 * Layer  ptx/module. SPDX-License-Identifier: MIT */
#include "ptx/module/tensor.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"

#define QUARTERS 4 /* of a warp: each executes a product of mma.m8n8k4 */

static bool in_mnemonic(const wl_ptx_instruction *in, int32_t at)
{
    return at < in->text_length && in->text[at] != '[' && in->text[at] != '{';
}

bool wl_ptx_has_part(const wl_ptx_instruction *in, const char *part)
{
    const size_t length = strlen(part);
    for (int32_t k = 0; k + (int32_t)length <= in->text_length && in_mnemonic(in, k); k++)
        if (strncmp(in->text + k, part, length) == 0)
            return true;
    return false;
}

bool wl_ptx_matrix_shape(const wl_ptx_instruction *in, int shape[3])
{
    int32_t at = 0;
    while (at + 4 < in->text_length && in_mnemonic(in, at) &&
           !(in->text[at] == '.' && in->text[at + 1] == 'm' && wl_is_digit(in->text[at + 2])))
        at++;
    if (at + 4 >= in->text_length || !in_mnemonic(in, at))
        return false;
    char *end = NULL;
    shape[0] = (int)strtol(in->text + at + 2, &end, 10);
    shape[1] = *end == 'n' ? (int)strtol(end + 1, &end, 10) : 0;
    shape[2] = *end == 'k' ? (int)strtol(end + 1, &end, 10) : 0;
    return true;
}

/* By the input type. A mnemonic that names result types only has f16 inputs. */
static wl_tensor_kind kind_of(const wl_ptx_instruction *in)
{
    static const char *const narrow[] = {".s8",   ".u8",   ".s4",   ".u4",   ".b1",
                                         ".e4m3", ".e5m2", ".e3m2", ".e2m3", ".e2m1"};
    for (size_t i = 0; i < sizeof narrow / sizeof narrow[0]; i++)
        if (wl_ptx_has_part(in, narrow[i]))
            return WL_TENSOR_i8;
    if (wl_ptx_has_part(in, ".tf32"))
        return WL_TENSOR_tf32;
    return wl_ptx_has_part(in, ".f64") ? WL_TENSOR_f64 : WL_TENSOR_f16;
}

double wl_ptx_tensor_flops(const wl_ptx_instruction *in, wl_tensor_kind *kind)
{
    int shape[3];
    if ((in->op != WL_PTX_OP_mma && in->op != WL_PTX_OP_wmma && in->op != WL_PTX_OP_wgmma) ||
        !wl_ptx_matrix_shape(in, shape))
        return 0;
    *kind = kind_of(in);
    const double warps = in->op == WL_PTX_OP_wgmma ? WL_PTX_GROUP : 1;
    /* one product of each quarter of the warp */
    const bool quarters = in->op == WL_PTX_OP_mma && *kind == WL_TENSOR_f16 && shape[0] == 8 && shape[2] == 4;
    const double flops = 2.0 * shape[0] * shape[1] * shape[2] * (quarters ? QUARTERS : 1) / warps;
    return wl_ptx_has_part(in, ".sp") ? flops / 2 : flops;
}

double wl_ptx_operand_bytes(const wl_ptx_instruction *in)
{
    enum { DEPTH_BYTES = 32 }; /* of a row of A and a column of B, whatever the type */
    int shape[3];
    if (in->op != WL_PTX_OP_wgmma || !wl_ptx_matrix_shape(in, shape))
        return 0;
    const bool from_registers = in->operand_count > 1 && in->operands[1].kind == WL_PTX_OPERAND_VECTOR;
    return (double)((from_registers ? 0 : shape[0]) + shape[1]) * DEPTH_BYTES / WL_PTX_GROUP;
}

double wl_ptx_divisible_flops(const wl_ptx_instruction *in)
{
    wl_tensor_kind kind = WL_TENSOR_KIND_COUNT;
    const double flops = wl_ptx_tensor_flops(in, &kind);
    return in->op == WL_PTX_OP_wmma || (in->op == WL_PTX_OP_mma && kind == WL_TENSOR_f16) ? flops : 0;
}

void wl_ptx_tensor_add(const wl_ptx_instruction *in, double warps, double *flops, double *groups)
{
    wl_tensor_kind kind;
    const double each = wl_ptx_tensor_flops(in, &kind);
    if (each <= 0)
        return;
    /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.ArraySubscript) set where there are flops */
    flops[kind] += each * warps;
    groups[kind] += in->op == WL_PTX_OP_wgmma ? each * warps : 0;
}

bool wl_ptx_tile_of(const wl_ptx_instruction *in, wl_ptx_tile *out)
{
    int shape[3];
    if ((in->op != WL_PTX_OP_wmma_load && in->op != WL_PTX_OP_wmma_store) || !wl_ptx_matrix_shape(in, shape))
        return false;
    /* wmma.load.a.sync.aligned.row.m16n16k16.global.f16 */
    const bool is_a = wl_ptx_has_part(in, ".a."), is_b = wl_ptx_has_part(in, ".b."),
               by_column = wl_ptx_has_part(in, ".col");
    const int rows = is_b ? shape[2] : shape[0], columns = is_a ? shape[2] : shape[1];
    out->lines = by_column ? columns : rows;
    out->line_elements = by_column ? rows : columns;
    out->bits = wl_ptx_type_bits(in->type == WL_PTX_TF32 ? WL_PTX_F32 : in->type);
    out->line_bytes = out->line_elements * out->bits / 8;
    out->bytes = (is_a || is_b) && out->bits <= 32 ? 4 : 2 * out->bits / 8;
    return out->lines > 0 && out->line_elements > 0 && out->lines <= 64 && out->line_elements <= 64 && out->bits >= 8;
}
