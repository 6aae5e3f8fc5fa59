/* kernel_title.c - short names of measured kernels. SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "ptx/module/demangle.h"
#include "ptx/module/name_match.h"
#include "warpline/report.h"

static void put_printed(const char *text, wl_buffer *out)
{
    const char *name = strncmp(text, "void ", 5) == 0 ? text + 5 : text;
    wl_buffer_put(out, name, wl_ptx_printed_end(name));
}

wl_status wl_kernel_title(const char *kernel, const char *family, const char *variant, char **out, wl_error *err)
{
    wl_arena arena = {0};
    wl_buffer text = {0};
    if (strncmp(kernel, "_Z", 2) == 0) {
        const wl_ptx_demangled name = wl_ptx_demangle(kernel, &arena);
        text.failed = !name.text;
        if (name.text)
            wl_buffer_put(&text, name.text + name.name, name.end - name.name);
    } else if (kernel[0]) {
        put_printed(kernel, &text);
    } else {
        wl_buffer_add(&text, "%s%s%s", family, variant[0] ? " " : "", variant);
    }
    wl_arena_free(&arena);
    return wl_buffer_take(&text, out, err);
}
