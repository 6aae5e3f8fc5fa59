/* list.c - see list.h.
 * Layer  ptx/read. SPDX-License-Identifier: MIT */
#include "ptx/read/list.h"

#include <stdlib.h>

#include "base/fail.h"

#define FIRST_ITEMS 16
#define ITEMS_MAX (1 << 28)

wl_status wl_ptx_list_room(void **items, int32_t count, int32_t *capacity, size_t size, wl_error *err)
{
    if (count < *capacity)
        return WL_OK;
    if (count >= ITEMS_MAX)
        return wl_fail(err, WL_E_LIMIT, WL_NOWHERE, "the text is too large");
    const int32_t wanted = *capacity ? 2 * *capacity : FIRST_ITEMS;
    void *grown = realloc(*items, (size_t)wanted * size);
    if (!grown)
        return wl_fail_memory(err);
    *items = grown;
    *capacity = wanted;
    return WL_OK;
}
