/* line_match.h - what a command printed against what a table expects.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_CLI_LINE_MATCH_H
#define WL_TESTS_CLI_LINE_MATCH_H

#include "case_table.h"

/* How many lines differ: expected but missing, or printed but not expected. */
size_t count_differences(const expectations *expected, const text_lines *printed);
/* The same as a text on stdout: "-" for a missing line, "+" for one not expected. */
void print_differences(const char *stream, const expectations *expected, const text_lines *printed);
/* What would be accepted: patterns that still match stay, other lines become what was printed. */
expectations updated(const expectations *expected, const text_lines *printed);

#endif
