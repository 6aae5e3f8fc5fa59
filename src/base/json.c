/* json.c - see json.h. SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <errno.h>

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

json_t *wl_json_read(const char *text, size_t length, size_t flags, json_error_t *error, bool *failed)
{
    const int before = errno;
    json_source source = {.text = text, .length = length};
    errno = 0;
    json_t *value = json_load_callback(next_character, &source, flags, error);
    if (source.out_of_memory || ran_out()) {
        *failed = true;
        json_decref(value);
        value = NULL;
    }
    errno = before;
    return value;
}
