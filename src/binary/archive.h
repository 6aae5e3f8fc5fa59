/* archive.h - the members of a static library (ar), as GNU and BSD tools write it.
 * Layer  binary. SPDX-License-Identifier: MIT */
#ifndef WL_BINARY_ARCHIVE_H
#define WL_BINARY_ARCHIVE_H

#include "binary/bytes.h"
#include "warpline/status.h"

bool wl_archive_is(wl_bytes bytes);

typedef struct wl_archive_member {
    wl_bytes name, contents;
    wl_bytes long_names; /* of the archive: a member before those that need it */
    size_t end;
} wl_archive_member;

/* The member after *member; after a zeroed one, the first. Tables of the archive itself are left
 * out. *found is false behind the last one. WL_E_INPUT: damaged; WL_E_UNSUPPORTED: a thin archive,
 * whose members are other files. */
wl_status wl_archive_next(wl_bytes archive, wl_archive_member *member, bool *found, wl_error *err);

#endif /* WL_BINARY_ARCHIVE_H */
