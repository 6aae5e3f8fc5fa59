/* list.h - growing arrays of the parser.
 * Layer  ptx/read (uses base). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_READ_LIST_H
#define WL_PTX_READ_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "warpline/status.h"

#define WL_PTX_LIST(type)                                                                                              \
    struct {                                                                                                           \
        union {                                                                                                        \
            type *items;                                                                                               \
            void *any;                                                                                                 \
        };                                                                                                             \
        int32_t count, capacity;                                                                                       \
    }

/* Makes room for one more item; *items may move. */
wl_status wl_ptx_list_room(void **items, int32_t count, int32_t *capacity, size_t size, wl_error *err);

/* Appends an item or returns from the calling function. */
#define WL_PTX_APPEND(list, err, ...)                                                                                  \
    do {                                                                                                               \
        WL_TRY(wl_ptx_list_room(&(list)->any, (list)->count, &(list)->capacity, sizeof *(list)->items, (err)));        \
        (list)->items[(list)->count++] = __VA_ARGS__;                                                                  \
    } while (0)

#endif /* WL_PTX_READ_LIST_H */
