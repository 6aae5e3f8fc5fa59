/* choices.h - the values of an option or an argument, if they can be listed.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_CHOICES_H
#define WL_CLI_CHOICES_H

#include "options.h"

/* Called for each value: the word and its description ("": none; NULL: that of a built-in device,
 * which is in its file). More text follows a word that ends in = or :. */
typedef void (*choice_sink)(void *user, const char *word, const char *meaning);

/* The values of an option of a command; option NULL: of the argument after `before` others. True:
 * file names are allowed, too. */
bool choices_of(const command *command, const char *option, size_t before, choice_sink sink, void *user);
/* May the value be a list with commas? */
bool choices_are_list(const command *command, const char *option);

#endif /* WL_CLI_CHOICES_H */
