/* tensor.h - shape, type and floating-point work of tensor core instructions.
 * Layer  ptx/module (uses base, kernel). Oracle: tests/unit/test_ptx_tensor.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PTX_MODULE_TENSOR_H
#define WL_PTX_MODULE_TENSOR_H

#include "ptx/module/module.h"

/* Whether the mnemonic contains a modifier, as written: ".row", ".f16". */
bool wl_ptx_has_part(const wl_ptx_instruction *in, const char *part);

/* m, n and k from a modifier such as .m16n8k16; a missing one is 0. False: no shape modifier. */
bool wl_ptx_matrix_shape(const wl_ptx_instruction *in, int shape[3]);

/* The operand of tcgen05.mma that describes the instruction, and its bits that give m and n; -1:
 * another instruction. */
int wl_ptx_descriptor_operand(const wl_ptx_instruction *in);
#define WL_PTX_DESCRIPTOR_SHAPE 0x1f7e0000u

/* Blocks that execute a tcgen05 instruction together: 1 or 2. */
int wl_ptx_block_pair(const wl_ptx_instruction *in);

/* Flops of one warp's mma, wmma.mma or wgmma, or of one thread's tcgen05.mma (of both blocks);
 * half for sparse matrices. 0: another instruction, or unknown. A warp's mma.m8n8k4 of halves is
 * four products. */
double wl_ptx_tensor_flops(const wl_ptx_instruction *in, wl_tensor_kind *kind);

/* The same for what several machine instructions execute on a device whose instructions are
 * smaller: wmma, and mma of 16-bit matrices. 0: other instructions. */
double wl_ptx_divisible_flops(const wl_ptx_instruction *in);

#define WL_PTX_GROUP 4 /* warps that execute one wgmma together */
/* Bytes of operands that one warp of a wgmma reads from shared memory, a quarter of what its group
 * does, or that a tcgen05.mma reads: B, and A unless it is in registers or tensor memory. 0:
 * another instruction. Measured on an H200 for all types and N of 64 to 256: one wavefront per 128
 * bytes. */
#define WL_PTX_WAVEFRONT_BYTES 128
double wl_ptx_operand_bytes(const wl_ptx_instruction *in);

/* Who executes a product once: a warp, or a thread of it (tcgen05.mma). */
bool wl_ptx_multiplies_by_thread(const wl_ptx_instruction *in);

/* Adds the flops of that many executions. `groups` counts those of wgmma and tcgen05.mma in
 * addition. */
void wl_ptx_tensor_add(const wl_ptx_instruction *in, double times, double *flops, double *groups);

/* The matrix that wmma.load or wmma.store moves. A line is a row, or a column if the matrix is
 * stored in column order. A warp moves it in pieces: 8 lines with 4 lanes each. A lane moves 4
 * bytes of an input, or two adjacent elements of a result. Measured: 4 loads of 8 sectors for 16x16
 * halves, 4 stores of 8 sectors for 16x16 results of 4 bytes. */
#define WL_PTX_PIECE_LINES 8
#define WL_PTX_LINE_LANES 4
typedef struct wl_ptx_tile {
    int lines, line_elements, bits, line_bytes;
    int bytes; /* of a lane and piece */
} wl_ptx_tile;
/* False: another instruction, or an unknown shape. */
bool wl_ptx_tile_of(const wl_ptx_instruction *in, wl_ptx_tile *out);

#endif /* WL_PTX_MODULE_TENSOR_H */
