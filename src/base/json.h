/* json.h - builds JSON without a check at every step. The first failed allocation is remembered and
 * reported by wl_json_take. A value that could not be made is NULL, and every function accepts
 * NULL.
 *
 * Layer  base.
 * SPDX-License-Identifier: MIT */
#ifndef WL_BASE_JSON_H
#define WL_BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/json_out.h"
#include "warpline/status.h"

/* One text under construction. Starts as all zeros. */
typedef struct wl_json {
    bool failed;
    wl_error error;      /* the first failure of what a value is made of; its code is WL_OK: none */
    char not_finite[32]; /* key of the first required number that is not finite */
} wl_json;

json_t *wl_json_object(wl_json *json);
json_t *wl_json_array(wl_json *json);
/* Bytes that are not UTF-8 become question marks. */
json_t *wl_json_text(wl_json *json, const char *text);
/* The one number format: integers without a point, others as doubles. Infinities and NaN give NULL,
 * which is left out. */
json_t *wl_json_number(wl_json *json, double value);
/* Always a double: times, shares, ratios. */
json_t *wl_json_real(wl_json *json, double value);
json_t *wl_json_whole(wl_json *json, int64_t value);
json_t *wl_json_truth(wl_json *json, bool value);
/* [32, 4, 2] */
json_t *wl_json_shape(wl_json *json, const int64_t extent[3]);
/* Like json_pack, with the same format. No value may be missing, and numbers must be finite.
 * Strings must be UTF-8. */
json_t *wl_json_pack(wl_json *json, const char *format, ...);

/* Take ownership of the value. A NULL value is left out. */
void wl_json_set(wl_json *json, json_t *object, const char *key, json_t *value);
void wl_json_add(wl_json *json, json_t *array, json_t *value);

/* Like json_loadb, but out of memory gives NULL and sets j->failed: jansson itself may then drop a
 * character, or report a syntax error. */
json_t *wl_json_read(wl_json *json, const char *text, size_t length, size_t flags, json_error_t *error);

/* Frees `root` and hands its text to the caller. WL_E_NOMEM: some allocation failed, here or
 * earlier. WL_E_RANGE: a packed number is infinite or NaN, a mistake of the library; the message
 * names it. Any other: that of json->error. */
wl_status wl_json_take(wl_json *json, json_t *root, wl_json_form form, int digits, char **out, wl_error *err);

#endif /* WL_BASE_JSON_H */
