/* complete.h - the command line described for programs: shells that complete a word, and the build
 * of the man pages.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_COMPLETE_H
#define WL_CLI_COMPLETE_H

#include "options.h"

/* warpline --complete WORD...: completions of the last word. One per line: the word, a tab, a
 * description; "@file" if file names are allowed. */
int complete(const command *commands, size_t count, const char *const *words, size_t word_count);

/* warpline --tables: commands and options as lines of fields with tabs between them.
 *   command NAME ARGUMENTS SUMMARY FORMATS
 *   option COMMAND NAME VALUE one|many|flag HELP
 *   value COMMAND OPTION WORD (OPTION "": of arguments; WORD "@file": any file)
 *   example COMMAND LINE */
int print_tables(const command *commands, size_t count);

#endif /* WL_CLI_COMPLETE_H */
