/* option_values.h - values of options: words out of a list, numbers, sizes, times, shapes. The same
 * for every command.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_OPTION_VALUES_H
#define WL_CLI_OPTION_VALUES_H

#include <stdbool.h>
#include <stdint.h>

struct command;

/* Is the value allowed for the option, as far as that is known before the command runs? Prints what
 * is wrong. */
bool value_ok(const struct command *command, const char *option, const char *value);
/* The possible values of an option, separated by blanks, except those not worth completing; NULL:
 * any. */
const char *value_words(const struct command *command, const char *option);

/* "32x4x2"; missing extents are 1. How many there are; 0: malformed, at *column. */
int value_shape(const char *text, int64_t extent[3], int *column);
#define SHAPE_NEEDED "one to three whole numbers above 0 are needed, as in 32x4x2"

/* The following print a message and return false when the text is malformed. */

bool option_shape(const char *option, const char *text, int64_t extent[3]);
bool option_number(const char *option, const char *text, double least, double most, double *value);
bool option_integer(const char *option, const char *text, int64_t least, int64_t most, int64_t *value);
/* "49152", "48KiB", "48K" */
bool option_bytes(const char *option, const char *text, int64_t least, int64_t most, int64_t *bytes);
/* "20us"; 0 needs no unit. No message. */
bool read_time(const char *text, double *seconds);

#endif /* WL_CLI_OPTION_VALUES_H */
