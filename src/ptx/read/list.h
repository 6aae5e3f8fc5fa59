/* list.h - growing arrays of the parser.
 * Layer  ptx/read (uses base). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_READ_LIST_H
#define WL_PTX_READ_LIST_H

#include <stdint.h>

#include "base/fail.h"
#include "base/room.h"

#define WL_PTX_LIST(type)                                                                                              \
    struct {                                                                                                           \
        type *items;                                                                                                   \
        int32_t count;                                                                                                 \
        size_t room;                                                                                                   \
    }

/* Appends an item or returns from the calling function. */
#define WL_PTX_APPEND(list, err, ...)                                                                                  \
    do {                                                                                                               \
        if (!WL_ROOM((list)->items, (size_t)(list)->count + 1, (list)->room))                                          \
            return wl_fail_memory(err);                                                                                \
        (list)->items[(list)->count++] = __VA_ARGS__;                                                                  \
    } while (0)

#endif /* WL_PTX_READ_LIST_H */
