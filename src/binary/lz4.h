/* lz4.h - unpacks one block of LZ4, as fatbins of CUDA before 13 hold it.
 *
 * Format: lz4_Block_format.md of the LZ4 project. Oracle: tests/unit/test_binary.c, blocks of
 * nvcc.
 * Layer  binary. SPDX-License-Identifier: MIT */
#ifndef WL_BINARY_LZ4_H
#define WL_BINARY_LZ4_H

#include "binary/bytes.h"

/* A byte of a block stands for 255 of the result at most. */
#define WL_LZ4_RATIO_MAX 255

/* False: damaged, or not exactly `size` bytes. Reads and writes nothing outside. */
bool wl_lz4_unpack(wl_bytes block, uint8_t *to, size_t size);

#endif /* WL_BINARY_LZ4_H */
