/* words_file.h - command lines kept in files: the word @FILE stands for the words in FILE.
 *
 * Words are separated by blanks and line ends; '..' and ".." keep blanks; # starts a comment.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_WORDS_FILE_H
#define WL_CLI_WORDS_FILE_H

/* Replaces such words from number 2 on. Prints what is wrong; the exit code. */
int words_expand(int *argc, char ***argv);
/* After the command. */
void words_forget(void);

#endif /* WL_CLI_WORDS_FILE_H */
