/* status.h - how every function of the library says what went wrong.
 *
 * Three kinds of failure are kept apart: a mistake in the input or a failing machine is a
 * wl_status; a bug of the calling program is an assertion; an honest limit of a model is
 * WL_E_UNSUPPORTED or a warning inside a result.
 * SPDX-License-Identifier: MIT */
#ifndef WL_STATUS_H
#define WL_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define WL_NODISCARD __attribute__((warn_unused_result))
#define WL_PRINTF(format_at, first_at) __attribute__((format(printf, format_at, first_at)))
#else
#define WL_NODISCARD
#define WL_PRINTF(format_at, first_at)
#endif

/* Functions declared WL_API are the library's interface; everything else is hidden. All have C
 * linkage. */
#if defined(__cplusplus)
#define WL_LINKAGE extern "C"
#else
#define WL_LINKAGE
#endif
#if defined(__GNUC__)
#define WL_API WL_LINKAGE __attribute__((visibility("default")))
#else
#define WL_API WL_LINKAGE
#endif

/* The version of these headers, and of the library that is linked: "0.2.0". Within one major
 * version functions and constants are added, and none is changed or taken away; 0 promises nothing
 * yet. */
#define WL_VERSION_MAJOR 0
#define WL_VERSION_MINOR 2
#define WL_VERSION_PATCH 0
WL_API const char *wl_version(void);

typedef enum wl_status {
    WL_OK = 0,
    WL_E_INPUT,       /* the text or value given is wrong                       */
    WL_E_RANGE,       /* a number leaves the range the library computes in      */
    WL_E_UNSUPPORTED, /* well-formed, but outside what the model can do         */
    WL_E_LIMIT,       /* would need more work or memory than the budget allows  */
    WL_E_NOMEM,       /* an allocation failed                                   */
    WL_E_IO,          /* a file cannot be read or written                       */
    WL_E_BOUNDS       /* a thread accesses memory outside of its buffers        */
} wl_status;

/* A function that can fail: its status must be checked. */
#define WL_FALLIBLE WL_API WL_NODISCARD wl_status

/* A place in a text: 1-based line and column; line 0 means "no particular place". */
typedef struct wl_loc {
    int32_t line, col, len;
} wl_loc;

#define WL_MESSAGE_MAX 256
#define WL_INPUT_NAME_MAX 128

/* The first error of a call. Self-contained: it stays valid after everything else is freed. */
typedef struct wl_error {
    wl_status code;
    wl_loc loc;
    char input[WL_INPUT_NAME_MAX]; /* file name, or the option the text came from; may be empty */
    char message[WL_MESSAGE_MAX];  /* one sentence, no newline                                 */
} wl_error;

/* a short word: "ok", "bad input", ... Never NULL */
WL_API const char *wl_status_name(wl_status status);

/* Of `count` names, the one that a mistyped `word` most likely meant, whatever the case of its
 * letters; NULL: none. */
WL_API const char *wl_nearest_name(const char *word, const char *const *names, size_t count);

/* The number at the start of `text`, rounded as strtod rounds it in the C locale: a sign, then
 * decimal digits with a point and an exponent, or hexadecimal ones after 0x. No blanks before it,
 * no "inf" and no "nan". What is too large is infinite. *end (unless NULL) points after it, or at
 * `text` where there is no number; then 0 is returned. */
WL_API double wl_number_read(const char *text, const char **end);

/* The whole of `text` as a quantity in `unit`: bytes "B" (49152, 48KiB, 48K, 49.152kB) or seconds
 * "s" (2e-5, 20us). */
WL_API bool wl_quantity_read(const char *unit, const char *text, double *value);

#endif /* WL_STATUS_H */
