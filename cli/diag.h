/* diag.h - messages: position, text, the line itself, and a caret. SPDX-License-Identifier: MIT */
#ifndef WL_CLI_DIAG_H
#define WL_CLI_DIAG_H

#include <stdbool.h>
#include <stddef.h>

#include "warpline/status.h"

/* From here on "note: .." and progress are not shown (--quiet). */
void diag_be_quiet(void);
bool diag_is_quiet(void);

/* "warpline: ..." on stderr. */
void usage_error(const char *format, ...) WL_PRINTF(1, 2);
void usage_no_device(void); /* what nearly every command needs */

/* A malformed option value: "--block:1:4: error: ...", the value, a caret. */
void option_error(const char *option, const char *value, int column, const char *format, ...) WL_PRINTF(4, 5);

/* "; did you mean 'near'?" for a word that is not among the names, or "" if none is similar; valid
 * until the next call of the thread. */
const char *did_you_mean(const char *word, const char *const *names, size_t count);

/* Prints the output of another program unchanged. */
void diag_quote(const char *text);

/* Remembers a text so that errors in it can show their line. Both must stay valid. */
void diag_remember(const char *input, const char *text);
/* To be called before a text is freed. */
void diag_forget_text(const char *text);
void diag_forget(void);

/* Adds to an error about a name without a value, for a kernel without params (PTX, CUDA), that
 * --set can give it one. */
void diag_say_set(wl_error *err);

/* Makes it the error of a failed allocation; returns its code. Inline, so that analyzers of one
 * file see that it is a failure. */
static inline wl_status diag_no_memory(wl_error *err)
{
    *err = (wl_error){.code = WL_E_NOMEM, .message = "out of memory"};
    return WL_E_NOMEM;
}

/* What to print as a note below the next error: how it is done right. */
void diag_hint(const char *format, ...) WL_PRINTF(1, 2);

/* Prints a library error; returns its exit code. */
int diag_report(const wl_error *err);

#endif /* WL_CLI_DIAG_H */
