/* stored.h - files of stored predictions. SPDX-License-Identifier: MIT */
#ifndef WL_CLI_STORED_H
#define WL_CLI_STORED_H

#include "options.h"
#include "warpline/warpline.h"

typedef struct stored_file {
    const char *name; /* in messages */
    char *text;       /* for messages */
    wl_stored_list *list;
} stored_file;

/* `path` may be "-" and must stay valid; free the file even if this fails, but after the message is
 * printed. WL_E_IO: it cannot be read; WL_E_INPUT: not JSON, not predictions, no prediction at
 * all. */
wl_status stored_load(const char *path, stored_file *out, wl_error *err);
void stored_free(stored_file *file);

/* Fails at the place of one object of the file. */
wl_status stored_fail(const stored_file *file, const wl_stored *at, wl_error *err, const char *format, ...)
    WL_PRINTF(4, 5);

/* WL_E_UNSUPPORTED: the prediction is incomplete and, by the options, not to be compared. */
wl_status stored_check_complete(const options *o, const stored_file *file, const wl_stored *at, wl_error *err);

#endif /* WL_CLI_STORED_H */
