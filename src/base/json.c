/* json.c - see json.h. SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/fail.h"
#include "base/print.h"
#include "base/text.h"

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
    if (value == floor(value) && fabs(value) < WL_JSON_WHOLE_MAX)
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

/* Remembers the key of the first packed number that is not finite: packed as such, or made by
 * wl_json_number, which gave NULL. False: there is none. */
static bool find_not_finite(wl_json *j, const char *format, va_list args)
{
    const char *text = "a number";
    for (const char *f = format; *f; f++) {
        bool finite = true;
        if (*f == 's' && f[1] == '%') { /* of a length, so no key */
            (void)va_arg(args, const char *);
            (void)va_arg(args, size_t);
        } else if (*f == 's')
            text = va_arg(args, const char *);
        else if (*f == 'I')
            (void)va_arg(args, json_int_t);
        else if (*f == 'i' || *f == 'b')
            (void)va_arg(args, int);
        else if (*f == 'f')
            finite = isfinite(va_arg(args, double));
        else if (*f == 'o')
            finite = va_arg(args, json_t *) != NULL;
        if (finite)
            continue;
        if (!j->not_finite[0])
            (void)wl_print(j->not_finite, sizeof j->not_finite, "%s", text);
        return true;
    }
    return false;
}

json_t *wl_json_pack(wl_json *j, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    json_t *value = json_vpack_ex(NULL, 0, format, args);
    if (!value && (j->failed || !find_not_finite(j, format, again)))
        j->failed = true;
    va_end(again);
    va_end(args);
    return value;
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

/* ---- texts ---- */

/* jansson does not always report that memory ran out. errno does, if it is checked before the next
 * number sets it: at every character read. */
static bool ran_out(void) { return errno == ENOMEM; }

typedef struct json_source {
    const char *text;
    size_t length, at;
    bool out_of_memory;
} json_source;

static size_t next_character(void *to, size_t room, void *data)
{
    json_source *s = data;
    s->out_of_memory = s->out_of_memory || ran_out();
    if (s->out_of_memory)
        return (size_t)-1;
    if (s->at == s->length || room == 0)
        return 0;
    *(char *)to = s->text[s->at++];
    return 1;
}

json_t *wl_json_read(wl_json *j, const char *text, size_t length, size_t flags, json_error_t *error)
{
    const int before = errno;
    json_source source = {.text = text, .length = length};
    errno = 0;
    json_t *value = json_load_callback(next_character, &source, flags, error);
    if (source.out_of_memory || ran_out()) {
        j->failed = true;
        json_decref(value);
        value = NULL;
    }
    errno = before;
    return value;
}

wl_status wl_json_take(wl_json *j, json_t *root, wl_json_form form, int digits, char **out, wl_error *err)
{
    wl_buffer text = {0};
    wl_json_out to = {.text = &text, .form = form, .digits = digits};
    *out = NULL;
    if (j->error.code != WL_OK && !j->failed) {
        json_decref(root);
        return wl_fail_with(err, &j->error);
    }
    if (j->not_finite[0] && !j->failed) {
        json_decref(root);
        return wl_fail(err, WL_E_RANGE, WL_NOWHERE, "internal error: %s is not a finite number", j->not_finite);
    }
    if (!root || j->failed)
        text.failed = true;
    else
        wl_out_tree(&to, NULL, root);
    json_decref(root);
    return wl_buffer_take(&text, out, err);
}
