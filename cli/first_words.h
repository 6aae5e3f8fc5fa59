/* first_words.h - a first launch as words of a command line. SPDX-License-Identifier: MIT */
#ifndef WL_CLI_FIRST_WORDS_H
#define WL_CLI_FIRST_WORDS_H

#include "options.h"

/* The command line of 'warpline predict' for a first launch, in memory of malloc: in lines of at
 * most 100 characters, ready to copy, or one option per line for @FILE. `entry` is for --kernel;
 * NULL: there is only one. NULL: out of memory. */
char *first_words_command(const options *options, const char *device, const char *entry, const wl_first_launch *launch);
char *first_words_file(const options *options, const char *device, const char *entry, const wl_first_launch *launch);
/* Only --set and --arg, in one line. */
char *first_words_arguments(const wl_first_launch *launch);

#endif /* WL_CLI_FIRST_WORDS_H */
