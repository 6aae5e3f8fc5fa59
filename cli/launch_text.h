/* launch_text.h - launches as text, the same for --block and for the launches of diff:
 * BLOCK[:fold=XxYxZ][:grid=XxYxZ][:registers=N][:shared=BYTES][:schedule=S][:device=D], regs for registers.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_LAUNCH_TEXT_H
#define WL_CLI_LAUNCH_TEXT_H

#include "options.h"

#define LAUNCH_TEXT_MAX 256

typedef struct launch_text {
    const char *given;
    char parts[LAUNCH_TEXT_MAX]; /* the same, cut at its colons */
    wl_launch launch;            /* what the text does not say stays as it is */
    const char *device;          /* NULL: not said */
} launch_text;

/* `option` is what messages call it. Prints what is wrong; the exit code. */
int launch_text_read(const char *option, const char *text, launch_text *out);

#endif /* WL_CLI_LAUNCH_TEXT_H */
