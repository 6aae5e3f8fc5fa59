/* tensor.h - matrix products: how much work an instruction is. Layer  ptx (uses base). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_MODULE_TENSOR_H
#define WL_PTX_MODULE_TENSOR_H

#include "ptx/module/module.h"

/* Whether the mnemonic has a part, as it is written: ".row", ".f16". */
bool wl_ptx_has_part(const wl_ptx_instruction *in, const char *part);

/* m, n and k of a mnemonic with .m16n8k16; what it does not name is 0. False: there is none. */
bool wl_ptx_matrix_shape(const wl_ptx_instruction *in, int shape[3]);

/* Flops of one warp with mma, wmma.mma or wgmma; of a sparse matrix, half of it is work. 0: others, or not known. */
double wl_ptx_tensor_flops(const wl_ptx_instruction *in, wl_tensor_kind *kind);

/* Adds the flops of so many warps that execute it; `groups` takes those of wgmma, too. */
void wl_ptx_tensor_add(const wl_ptx_instruction *in, double warps, double *flops, double *groups);

#endif /* WL_PTX_MODULE_TENSOR_H */
