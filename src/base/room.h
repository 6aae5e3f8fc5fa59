/* room.h - arrays that grow.
 *
 * Layer  base. SPDX-License-Identifier: MIT */
#ifndef WL_BASE_ROOM_H
#define WL_BASE_ROOM_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for `wanted` items in an array of malloc, which may move; `room` (size_t) says for how
 * many there is. It doubles at least, so that items can be added one by one. False: no memory; all
 * stays as it is. */
#define WL_ROOM(array, wanted, room)                                                                                   \
    ((wanted) <= (room) || wl_room((void *)&(array), sizeof *(array), (wanted), &(room)))
bool wl_room(void *array, size_t size, size_t wanted, size_t *room);

#endif /* WL_BASE_ROOM_H */
