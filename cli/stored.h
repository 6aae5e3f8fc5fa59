/* stored.h - predictions that `warpline predict --format json` wrote, read back: one object or several after one
 * another. SPDX-License-Identifier: MIT */
#ifndef WL_CLI_STORED_H
#define WL_CLI_STORED_H

#include <jansson.h>

#include "warpline/warpline.h"

#define STRANGE_MAX 8

/* What the prediction does not hold: reuse, shares and warnings. Texts belong to the JSON. */
typedef struct stored {
    json_t *json;
    int32_t line; /* where the object begins */
    const char *kernel, *device;
    wl_prediction prediction;
    const char *strange[STRANGE_MAX]; /* metrics of the file that this version does not have */
    size_t strange_count;
} stored;

typedef struct stored_file {
    const char *name; /* in messages */
    char *text;
    stored *all;
    size_t count;
} stored_file;

/* `path` may be "-" and must live on; free the file even when this fails, but after the message is printed.
 * WL_E_IO: it cannot be read; WL_E_INPUT: not JSON, not predictions, no prediction at all. */
wl_status stored_load(const char *path, stored_file *out, wl_error *err);
void stored_free(stored_file *file);

/* Fails at the place of one object of the file. */
wl_status stored_fail(const stored_file *file, const stored *at, wl_error *err, const char *format, ...)
    WL_PRINTF(4, 5);

#endif /* WL_CLI_STORED_H */
