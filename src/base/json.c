/* json.c - see json.h. SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/text.h"

#define WHOLE_MAX 9007199254740992.0 /* 2^53: beyond, a double is not one whole number */

static json_t *kept(wl_json *j, json_t *value)
{
    if (!value)
        j->failed = true;
    return value;
}

json_t *wl_json_object(wl_json *j) { return kept(j, json_object()); }
json_t *wl_json_array(wl_json *j) { return kept(j, json_array()); }
json_t *wl_json_whole(wl_json *j, int64_t value) { return kept(j, json_integer(value)); }
json_t *wl_json_truth(wl_json *j, bool value) { return kept(j, json_boolean(value)); }

json_t *wl_json_real(wl_json *j, double value) { return isfinite(value) ? kept(j, json_real(value)) : NULL; }

json_t *wl_json_number(wl_json *j, double value)
{
    if (value == floor(value) && fabs(value) < WHOLE_MAX)
        return wl_json_whole(j, (int64_t)value);
    return wl_json_real(j, value);
}

json_t *wl_json_text(wl_json *j, const char *text)
{
    char *copy = NULL;
    for (size_t i = 0, length; text[i]; i += length ? length : 1) {
        length = wl_text_utf8(text + i);
        if (length > 0)
            continue;
        if (!copy && !(copy = strdup(text)))
            return kept(j, NULL);
        copy[i] = '?';
    }
    json_t *string = kept(j, json_string(copy ? copy : text));
    free(copy);
    return string;
}

json_t *wl_json_shape(wl_json *j, const int64_t extent[3])
{
    json_t *list = wl_json_array(j);
    for (int d = 0; d < 3; d++)
        wl_json_add(j, list, wl_json_whole(j, extent[d]));
    return list;
}

json_t *wl_json_pack(wl_json *j, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    json_t *value = json_vpack_ex(NULL, 0, format, args);
    va_end(args);
    return kept(j, value);
}

void wl_json_set(wl_json *j, json_t *object, const char *key, json_t *value)
{
    if (value && (!object || json_object_set(object, key, value) != 0))
        j->failed = true;
    json_decref(value);
}

void wl_json_add(wl_json *j, json_t *array, json_t *value)
{
    if (value && (!array || json_array_append(array, value) != 0))
        j->failed = true;
    json_decref(value);
}

/* jansson passes over a failure to write a key: the buffer does not forget it. */
static int write_piece(const char *text, size_t length, void *buffer)
{
    wl_buffer *b = buffer;
    wl_buffer_put(b, text, length);
    return b->failed ? -1 : 0;
}

wl_status wl_json_take(wl_json *j, json_t *root, wl_json_form form, int digits, char **out, wl_error *err)
{
    const size_t shape = form == WL_JSON_INDENTED ? JSON_INDENT(1) : form == WL_JSON_COMPACT ? JSON_COMPACT : 0;
    wl_buffer text = {0};
    if (!root || j->failed ||
        json_dump_callback(root, write_piece, &text, shape | JSON_REAL_PRECISION((size_t)digits)) != 0)
        text.failed = true;
    json_decref(root);
    return wl_buffer_take(&text, out, err);
}
