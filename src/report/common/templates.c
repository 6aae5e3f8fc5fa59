/* templates.c - see templates.h. SPDX-License-Identifier: MIT */
#include "report/common/templates.h"

#include <string.h>

#include "base/embedded.h"

static const char *next_part(const char *text)
{
    const char *next = strstr(text, "\n@ ");
    return next ? next + 1 : text + strlen(text);
}

wl_piece wl_template(const char *file, const char *part, size_t part_length)
{
    const char *text = wl_embedded_text(wl_embedded_templates, wl_embedded_template_count, file, NULL);
    for (const char *at = next_part(text); *at; at = next_part(at)) {
        const char *name = at + strlen("@ "), *end = name + strcspn(name, "\n");
        if ((size_t)(end - name) == part_length && memcmp(name, part, part_length) == 0)
            return (wl_piece){end + 1, (size_t)(next_part(end) - end - 1)};
    }
    return (wl_piece){text, 0};
}

void wl_template_add(wl_buffer *out, const char *file, const char *part)
{
    if (!part) {
        wl_buffer_text(out, wl_embedded_text(wl_embedded_templates, wl_embedded_template_count, file, NULL));
        return;
    }
    const wl_piece piece = wl_template(file, part, strlen(part));
    wl_buffer_put(out, piece.text, piece.length);
}
