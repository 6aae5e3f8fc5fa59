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

/* ---- tcgen05 ---- */

int wl_ptx_descriptor_operand(const wl_ptx_instruction *in)
{
    if (in->op != WL_PTX_OP_tcgen05_mma)
        return -1;
    /* [d], a, b, idesc; of sparse matrices: [d], a, b, [metadata], idesc */
    const int at = in->operand_count > 3 && in->operands[3].kind == WL_PTX_OPERAND_ADDRESS ? 4 : 3;
    return at < in->operand_count ? at : -1;
}

int wl_ptx_block_pair(const wl_ptx_instruction *in) { return wl_ptx_has_part(in, "cta_group::2") ? 2 : 1; }

bool wl_ptx_multiplies_by_thread(const wl_ptx_instruction *in) { return in->op == WL_PTX_OP_tcgen05_mma; }

/* The kind of a tcgen05.mma, and how many elements of dense matrices it adds up. */
static wl_tensor_kind described_kind(const wl_ptx_instruction *in, int *depth)
{
    static const struct {
        const char *part;
        wl_tensor_kind kind;
        int depth;
    } kinds[] = {{"::f16", WL_TENSOR_f16, 16},     {"::tf32", WL_TENSOR_tf32, 8}, {"::f8f6f4", WL_TENSOR_i8, 32},
                 {"::mxf8f6f4", WL_TENSOR_i8, 32}, {"::i8", WL_TENSOR_i8, 32},    {"::mxf4nvf4", WL_TENSOR_i8, 64},
                 {"::mxf4", WL_TENSOR_i8, 64}};
    enum { LONGER = 96, LONGER_BIT = 31 };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (wl_ptx_has_part(in, kinds[i].part)) {
            const bool longer = kinds[i].depth == 64 && in->descriptor >> LONGER_BIT;
            *depth = longer ? LONGER : kinds[i].depth;
            return kinds[i].kind;
        }
    *depth = 0;
    return WL_TENSOR_f16;
}

/* m, n and k of a tcgen05.mma, m of both blocks; k of a sparse one: of the elements that are not
 * 0. */
static bool described_shape(const wl_ptx_instruction *in, int shape[3], wl_tensor_kind *kind)
{
    if (in->op != WL_PTX_OP_tcgen05_mma || in->descriptor == 0)
        return false;
    shape[0] = (int)(in->descriptor >> 24 & 31) * 16;
    shape[1] = (int)(in->descriptor >> 17 & 63) * 8;
    *kind = described_kind(in, &shape[2]);
    return shape[2] > 0;
}

double wl_ptx_tensor_flops(const wl_ptx_instruction *in, wl_tensor_kind *kind)
{
    int shape[3];
    if (in->op == WL_PTX_OP_tcgen05_mma)
        return described_shape(in, shape, kind) ? 2.0 * shape[0] * shape[1] * shape[2] : 0;
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
    /* of a row of A and a column of B, whatever the type; more if the product is deeper */
    enum { DEPTH_BYTES = 32, LONGER = 96, LONGER_BYTES = 48 };
    int shape[3];
    wl_tensor_kind kind;
    const int all = wl_ptx_has_part(in, ".sp") ? 2 : 1; /* A has half of the elements, B has all */
    if (described_shape(in, shape, &kind)) {
        const bool in_tensor_memory = in->operands[1].kind == WL_PTX_OPERAND_ADDRESS;
        const int bytes = shape[2] == LONGER ? LONGER_BYTES : DEPTH_BYTES;
        return (double)((in_tensor_memory ? 0 : shape[0]) + all * shape[1]) * bytes;
    }
    if (in->op != WL_PTX_OP_wgmma || !wl_ptx_matrix_shape(in, shape))
        return 0;
    const bool from_registers = in->operand_count > 1 && in->operands[1].kind == WL_PTX_OPERAND_VECTOR;
    return (double)((from_registers ? 0 : shape[0]) + all * shape[1]) * DEPTH_BYTES / WL_PTX_GROUP;
}

double wl_ptx_divisible_flops(const wl_ptx_instruction *in)
{
    wl_tensor_kind kind = WL_TENSOR_KIND_COUNT;
    const double flops = wl_ptx_tensor_flops(in, &kind);
    return in->op == WL_PTX_OP_wmma || (in->op == WL_PTX_OP_mma && kind == WL_TENSOR_f16) ? flops : 0;
}

void wl_ptx_tensor_add(const wl_ptx_instruction *in, double times, double *flops, double *groups)
{
    wl_tensor_kind kind;
    const double each = wl_ptx_tensor_flops(in, &kind);
    if (each <= 0)
        return;
    /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.ArraySubscript) set where there are flops */
    flops[kind] += each * times;
    groups[kind] += in->op == WL_PTX_OP_wgmma || in->op == WL_PTX_OP_tcgen05_mma ? each * times : 0;
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
