/* choices.h - the values that an option, or an argument, can have, where they can be listed.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_CHOICES_H
#define WL_CLI_CHOICES_H

#include "options.h"

/* Called for each: a word, and what it is ("": nothing to say; NULL: a built-in device, whose file
 * has to be read for that). A word that ends in = or : goes on. */
typedef void (*choice_sink)(void *user, const char *word, const char *meaning);

/* Those of an option of a command; NULL: of its arguments, when `before` of them are given. True
 * where names of files will do, too. */
bool choices_of(const command *command, const char *option, size_t before, choice_sink sink, void *user);
/* May there be several, with commas between them? */
bool choices_are_list(const command *command, const char *option);

#endif /* WL_CLI_CHOICES_H */
