/* stored.c - see stored.h. SPDX-License-Identifier: MIT */
#include "stored.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "load.h"

wl_status stored_fail(const stored_file *file, const wl_stored *at, wl_error *err, const char *format, ...)
{
    va_list args;
    *err = (wl_error){.code = WL_E_INPUT, .loc = {at->line, 1, 1}};
    (void)snprintf(err->input, sizeof err->input, "%s", file->name);
    va_start(args, format);
    (void)vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    /* a message quotes the file's text: replaces characters that control a terminal */
    for (char *c = err->message; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    return WL_E_INPUT;
}

wl_status stored_check_complete(const options *o, const stored_file *file, const wl_stored *at, wl_error *err)
{
    if (!at->incomplete || !option_complete(o))
        return WL_OK;
    (void)stored_fail(file, at, err, "the stored prediction is incomplete");
    diag_hint("an incomplete prediction is not compared with others; --incomplete allow compares it all the same");
    return err->code = WL_E_UNSUPPORTED;
}

wl_status stored_load(const char *path, stored_file *out, wl_error *err)
{
    size_t length = 0;
    *out = (stored_file){.name = strcmp(path, "-") == 0 ? "standard input" : path};
    const wl_status status = load_text(path, &out->text, &length, err);
    if (status != WL_OK)
        return status;
    diag_remember(out->name, out->text);
    return wl_stored_read(out->name, out->text, length, &out->list, err);
}

void stored_free(stored_file *file)
{
    wl_stored_free(file->list);
    free(file->text);
    *file = (stored_file){0};
}
