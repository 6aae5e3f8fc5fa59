/* fail.c - see fail.h. SPDX-License-Identifier: MIT */
#include "base/fail.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/print.h"

const char *wl_status_name(wl_status status)
{
    switch (status) {
    case WL_OK: return "ok";
    case WL_E_INPUT: return "bad input";
    case WL_E_RANGE: return "out of range";
    case WL_E_UNSUPPORTED: return "not supported";
    case WL_E_LIMIT: return "over the budget";
    case WL_E_NOMEM: return "out of memory";
    case WL_E_IO: return "input/output error";
    case WL_E_BOUNDS: return "out of bounds";
    }
    return "unknown status";
}

wl_status wl_fail(wl_error *err, wl_status code, wl_loc loc, const char *format, ...)
{
    if (err && err->code == WL_OK) {
        err->code = code;
        err->loc = loc;
        va_list args;
        va_start(args, format);
        (void)wl_print_list(err->message, sizeof err->message, format, args);
        va_end(args);
        /* messages quote user input: one line, no control characters */
        for (char *c = err->message; *c; c++)
            if ((unsigned char)*c < ' ' || *c == 0x7f)
                *c = '?';
    }
    return code;
}

wl_status wl_fail_in(wl_error *err, const char *input)
{
    if (!err)
        return WL_E_INPUT;
    if (err->input[0] == '\0' && input)
        (void)snprintf(err->input, sizeof err->input, "%s", input);
    return err->code;
}
