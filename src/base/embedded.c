/* embedded.c - see embedded.h. SPDX-License-Identifier: MIT */
#include "base/embedded.h"

#include <string.h>

const char *wl_embedded_text(const wl_embedded_file *files, size_t count, const char *name, size_t *length)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(files[i].name, name) == 0) {
            *length = files[i].length;
            return (const char *)files[i].text;
        }
    }
    return NULL;
}
