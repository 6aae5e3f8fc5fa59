/* help_examples.h - what to try first: the examples at the end of a command's help.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_HELP_EXAMPLES_H
#define WL_CLI_HELP_EXAMPLES_H

/* The examples of a command, all lines of them; "" if it has none. */
const char *help_examples_of(const char *command);

#endif /* WL_CLI_HELP_EXAMPLES_H */
