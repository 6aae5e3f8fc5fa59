/* fail.h - how a wl_error is filled. The first error wins, so cleanup code may fail without hiding
 * the cause.
 *
 * Layer  base.
 * SPDX-License-Identifier: MIT */
#ifndef WL_BASE_FAIL_H
#define WL_BASE_FAIL_H

#include "warpline/status.h"

#define WL_NOWHERE ((wl_loc){0, 0, 0})

/* Fills *err unless NULL or already set; returns code. */
wl_status wl_fail(wl_error *err, wl_status code, wl_loc loc, const char *format, ...) WL_PRINTF(4, 5);

/* Passes on an error that happened: fills *err unless NULL or already set. Returns its code. */
static inline wl_status wl_fail_with(wl_error *err, const wl_error *why)
{
    if (err && err->code == WL_OK)
        *err = *why;
    return why->code;
}

/* WL_E_NOMEM, "out of memory". Inline, so that analyzers of one file see that it is a failure. */
static inline wl_status wl_fail_memory(wl_error *err)
{
    (void)wl_fail(err, WL_E_NOMEM, WL_NOWHERE, "out of memory");
    return WL_E_NOMEM;
}

/* Names the input that caused the error, unless it has a name already. Returns err->code. */
wl_status wl_fail_in(wl_error *err, const char *input);

#define WL_TRY(call)                                                                                                   \
    do {                                                                                                               \
        const wl_status wl_try_status_ = (call);                                                                       \
        if (wl_try_status_ != WL_OK)                                                                                   \
            return wl_try_status_;                                                                                     \
    } while (0)

#endif /* WL_BASE_FAIL_H */
