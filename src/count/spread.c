/* spread.c - see spread.h. SPDX-License-Identifier: MIT */
#include "count/spread.h"

int64_t wl_sample_block(int64_t i, int64_t count, int64_t blocks)
{
    if (count >= blocks)
        return i;
    return wl_spread_below((uint64_t)i, 0, blocks);
}
