/* source_place.c - see source_place.h. Layer  ptx/module. SPDX-License-Identifier: MIT */
#include "ptx/module/source_place.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"

const char *wl_ptx_last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The file of the line; NULL: no line is known, or no source. */
static const char *file_of(const wl_ptx_module *m, const wl_ptx_instruction *in)
{
    if (!m->source.name || in->file < 0 || in->file >= m->file_count || in->source_line <= 0)
        return NULL;
    return m->files[in->file];
}

wl_status wl_ptx_fail_at(wl_error *err, const wl_ptx_module *m, const wl_ptx_instruction *in)
{
    const char *file = file_of(m, in);
    if (err && !err->input[0])
        err->loc = file ? (wl_loc){in->source_line, 1, 1} : (wl_loc){in->line, in->column, in->text_length};
    return wl_fail_in(err, file ? file : m->input);
}

void wl_ptx_place_text(const wl_ptx_module *m, const wl_ptx_instruction *in, char *text, size_t size)
{
    const char *file = file_of(m, in);
    (void)snprintf(text, size, "%s:%d", file ? file : m->input, file ? (int)in->source_line : (int)in->line);
}
