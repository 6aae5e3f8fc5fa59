/* launch_text.h - launches as text, the same for --block and for the launches of diff:
 * BLOCK[:fold=XxYxZ][:grid=XxYxZ|RULE][:registers=N][:shared=BYTES][:schedule=S][:device=D], regs
 * for registers.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_LAUNCH_TEXT_H
#define WL_CLI_LAUNCH_TEXT_H

#include "options.h"

#define LAUNCH_TEXT_MAX 256

/* A grid that is a rule, "cdiv(nx,block.x),ny": a part of the text of its launch. length 0:
 * none. */
typedef struct launch_rule {
    const char *option, *given;
    int at, length;
} launch_rule;

typedef struct launch_text {
    const char *given;
    char parts[LAUNCH_TEXT_MAX]; /* the same, cut at its colons */
    wl_launch launch;            /* settings that the text does not have stay unchanged */
    launch_rule rule;            /* needs names of the kernel: launch_rule_apply */
    const char *device;          /* NULL: not given */
} launch_text;

/* `option` is what messages call it. Prints what is wrong; the exit code. */
int launch_text_read(const char *option, const char *text, launch_text *out);

/* "20x128x256" is not a rule. */
bool grid_is_rule(const char *grid);

/* Does an expression depend on the block? */
bool rule_follows_block(const char *rule);

/* Sets the grid of a launch whose text has a rule for it; the --set of the options and the params
 * of `kernel` (NULL: none) are names in it. `domain` and `device` as in wl_grid_rule_apply. */
wl_status launch_rule_apply(const launch_rule *rule, const options *options, const wl_kernel *kernel,
                            const wl_device *device, const int64_t domain[3], wl_launch *launch, wl_error *err);

#endif /* WL_CLI_LAUNCH_TEXT_H */
