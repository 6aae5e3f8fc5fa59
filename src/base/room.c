/* room.c - see room.h. SPDX-License-Identifier: MIT */
#include "base/room.h"

#include <stdlib.h>
#include <string.h>

#define FIRST 16 /* items, more than are wanted */

bool wl_room(void *array, size_t size, size_t wanted, size_t *room)
{
    void *items; /* POSIX: all pointers to objects look alike */
    if (wanted <= *room)
        return true;
    const size_t larger = (wanted > 2 * *room ? wanted : 2 * *room) + FIRST;
    memcpy(&items, array, sizeof items);
    items = realloc(items, larger * size);
    if (!items)
        return false;
    memcpy(array, &items, sizeof items);
    *room = larger;
    return true;
}
