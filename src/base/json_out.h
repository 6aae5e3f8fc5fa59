/* json_out.h - writes JSON as it comes, without a tree.
 *
 * Layer  base. Oracle: tests/unit/test_json.c (jansson's own writer).
 * SPDX-License-Identifier: MIT */
#ifndef WL_BASE_JSON_OUT_H
#define WL_BASE_JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/members.h"

typedef enum wl_json_form {
    WL_JSON_INDENTED, /* for files and people: each value on a line of its own */
    WL_JSON_SPACED,   /* one line, blanks behind commas and colons */
    WL_JSON_COMPACT   /* one line, no blanks */
} wl_json_form;
/* of a prediction; 17 would tell any two doubles apart */
#define WL_JSON_DIGITS 15
/* 2^53: beyond it a double no longer represents every integer */
#define WL_JSON_WHOLE_MAX 9007199254740992.0

/* A text under construction. The caller sets text, form and digits; the rest starts as zeros. */
typedef struct wl_json_out {
    wl_buffer *text; /* remembers the first failed allocation */
    wl_json_form form;
    int digits;          /* of doubles */
    int depth;           /* objects and arrays that are open */
    bool filled;         /* the innermost of them has a value */
    char not_finite[32]; /* key of the first required number that is not finite */
    wl_error *err;       /* of the caller, for what is written; may be NULL */
    wl_status status;    /* of that: set with *err by what fails */
} wl_json_out;

/* Each adds a value to the open object under its key, or to the open array: the key is NULL. */
void wl_out_object(wl_json_out *out, const char *key);
void wl_out_object_end(wl_json_out *out);
void wl_out_array(wl_json_out *out, const char *key);
void wl_out_array_end(wl_json_out *out);
/* Bytes that are not UTF-8 become question marks. */
void wl_out_text(wl_json_out *out, const char *key, const char *value);
void wl_out_whole(wl_json_out *out, const char *key, int64_t value);
void wl_out_truth(wl_json_out *out, const char *key, bool value);
/* Integers without a point, others as doubles. Infinities and NaN are left out. */
void wl_out_number(wl_json_out *out, const char *key, double value);
/* Always a double: times, shares, ratios. */
void wl_out_real(wl_json_out *out, const char *key, double value);
void wl_out_null(wl_json_out *out, const char *key);

/* Adds members to the open object (base/members.h): unknown ones are left out; any other number
 * must be finite. */
void wl_out_members(wl_json_out *out, const char *format, ...);
void wl_out_list(wl_json_out *out, wl_members *members);
/* An object of them: an element of the open array, or a member. */
void wl_out_row(wl_json_out *out, const char *key, const char *format, ...);
/* "KEY": [{..}, ..]: `item` adds the members of an object. */
typedef void wl_out_item(wl_json_out *out, const void *of, size_t index);
void wl_out_objects(wl_json_out *out, const char *key, size_t count, wl_out_item *item, const void *of);
/* "KEY": [1.5, ..], each a double. */
void wl_out_reals(wl_json_out *out, const char *key, const double *values, size_t count);
/* Adds texts to the open array: the first of `count`, each in `size` bytes. */
void wl_out_texts(wl_json_out *out, const char *first, size_t size, int count);

/* WL_E_NOMEM; WL_E_RANGE: see above, the message names the number; or out->status. */
wl_status wl_out_status(const wl_json_out *out, wl_error *err);

#endif /* WL_BASE_JSON_OUT_H */
