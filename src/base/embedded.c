/* embedded.c - see embedded.h. SPDX-License-Identifier: MIT */
#include "base/embedded.h"

#include <string.h>

const wl_embedded_file *wl_embedded_find(const wl_embedded_file *files, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(files[i].name, name) == 0)
            return &files[i];
    return NULL;
}

const char *wl_embedded_text(const wl_embedded_file *files, size_t count, const char *name, size_t *length)
{
    const wl_embedded_file *file = wl_embedded_find(files, count, name);
    if (!file)
        return NULL;
    if (length)
        *length = file->length;
    return (const char *)file->text;
}
