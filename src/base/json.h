/* json.h - JSON built without a check at every step: the first failed allocation is remembered, and reported once, by
 * wl_json_take. What could not be made is NULL, and NULL may be given on. SPDX-License-Identifier: MIT */
#ifndef WL_BASE_JSON_H
#define WL_BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "warpline/status.h"

/* One text being built. All-zero to begin with. */
typedef struct wl_json {
    bool failed;
} wl_json;

json_t *wl_json_object(wl_json *json);
json_t *wl_json_array(wl_json *json);
/* Bytes that are no UTF-8 become question marks. */
json_t *wl_json_text(wl_json *json, const char *text);
/* The one format of numbers: whole ones without a point, others as doubles. What is not finite is NULL: absent. */
json_t *wl_json_number(wl_json *json, double value);
/* A double in any case: times, shares, ratios. */
json_t *wl_json_real(wl_json *json, double value);
json_t *wl_json_whole(wl_json *json, int64_t value);
json_t *wl_json_truth(wl_json *json, bool value);
/* [32, 4, 2] */
json_t *wl_json_shape(wl_json *json, const int64_t extent[3]);
/* As json_pack, of which it takes the format. Strings must be UTF-8. */
json_t *wl_json_pack(wl_json *json, const char *format, ...);

/* Take the value over. A value that is NULL is left out. */
void wl_json_set(wl_json *json, json_t *object, const char *key, json_t *value);
void wl_json_add(wl_json *json, json_t *array, json_t *value);

/* As json_loadb. NULL, with j->failed, where memory is short: jansson itself may leave a character
 * out then, or call the text wrong. */
json_t *wl_json_read(wl_json *json, const char *text, size_t length, size_t flags, json_error_t *error);

typedef enum wl_json_form {
    WL_JSON_INDENTED, /* for files and people: each value on a line of its own */
    WL_JSON_SPACED,   /* one line, blanks behind commas and colons             */
    WL_JSON_COMPACT   /* one line, no blanks                                   */
} wl_json_form;
#define WL_JSON_DIGITS 15 /* of a prediction; 17 tell any two doubles apart */

/* Gives the text of `root`, which is freed, to the caller. WL_E_NOMEM: something could not be allocated, here or
 * before. */
wl_status wl_json_take(wl_json *json, json_t *root, wl_json_form form, int digits, char **out, wl_error *err);

#endif /* WL_BASE_JSON_H */
