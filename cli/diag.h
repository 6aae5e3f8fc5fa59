/* diag.h - messages: where, what, the line itself, and a caret. SPDX-License-Identifier: MIT */
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

/* A malformed option value: "--block:1:4: error: ...", the value, a caret. */
void option_error(const char *option, const char *value, int column, const char *format, ...) WL_PRINTF(4, 5);

/* "; did you mean 'near'?" for a word that is none of the names, or "" where none is near; valid
 * until the next call. */
const char *did_you_mean(const char *word, const char *const *names, size_t count);

/* What another program said, as it is. */
void diag_quote(const char *text);

/* Remembers a text so that errors in it can show their line. Both must live on. */
void diag_remember(const char *input, const char *text);
/* Before a text is freed. */
void diag_forget_text(const char *text);
void diag_forget(void);

/* An expression of a kernel without params (PTX, CUDA) has a name that nothing gives a value:
 * --set would. */
void diag_say_set(wl_error *err);

/* Prints a library error; returns the exit code it stands for. */
int diag_report(const wl_error *err);

#endif /* WL_CLI_DIAG_H */
