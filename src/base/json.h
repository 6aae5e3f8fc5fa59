/* json.h - reads JSON. json_out.h writes it.
 *
 * Layer  base.
 * SPDX-License-Identifier: MIT */
#ifndef WL_BASE_JSON_H
#define WL_BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>

/* Like json_loadb, but out of memory gives NULL and sets *failed: jansson itself may then drop a
 * character, or report a syntax error. */
json_t *wl_json_read(const char *text, size_t length, size_t flags, json_error_t *error, bool *failed);

#endif /* WL_BASE_JSON_H */
