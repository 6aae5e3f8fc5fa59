/* words_file.c - see words_file.h. SPDX-License-Identifier: MIT */
#include "words_file.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "load.h"
#include "options.h"

#define WORDS_MAX 1024
#define FILES_MAX 16

static char *words[WORDS_MAX + 1];
static int word_count;
static char *files[FILES_MAX];
static int file_count;

void words_forget(void)
{
    while (file_count > 0)
        free(files[--file_count]);
    word_count = 0;
}

static int add(char *word)
{
    if (word_count == WORDS_MAX) {
        usage_error("more than %d words on one command line", WORDS_MAX);
        return EXIT_USAGE;
    }
    words[word_count++] = word;
    words[word_count] = NULL;
    return EXIT_OK;
}

static char *skip(char *at)
{
    for (;;) {
        at += strspn(at, " \t\r\n\\");
        if (*at != '#')
            return at;
        at += strcspn(at, "\n");
    }
}

/* Cuts the word at `at` out of the text, without its quotes; the rest, or NULL where a quote is not
 * closed. */
static char *cut(char *at)
{
    char *to = at;
    char quote = '\0';
    for (; *at && (quote || !strchr(" \t\r\n", *at)); at++) {
        if (quote ? *at == quote : *at == '\'' || *at == '"')
            quote = quote ? '\0' : *at;
        else
            *to++ = *at;
    }
    char *rest = *at ? at + 1 : at;
    *to = '\0';
    return quote ? NULL : rest;
}

static int add_file(const char *path)
{
    wl_error err = {0};
    size_t length = 0;
    if (file_count == FILES_MAX) {
        usage_error("more than %d files of arguments", FILES_MAX);
        return EXIT_USAGE;
    }
    if (load_text(path, &files[file_count], &length, &err) != WL_OK)
        return diag_report(&err);
    char *at = files[file_count++];
    int code = EXIT_OK;
    while (code == EXIT_OK && *(at = skip(at))) {
        char *word = at;
        at = cut(at);
        if (!at) {
            usage_error("error: %s: a quote is not closed: %.*s", path, (int)strcspn(word, "\n"), word);
            return EXIT_INPUT;
        }
        code = add(word);
    }
    return code;
}

int words_expand(int *argc, char ***argv)
{
    bool any = false, only_arguments = false;
    for (int i = 2; i < *argc; i++)
        any = any || (*argv)[i][0] == '@';
    if (!any)
        return EXIT_OK;
    words_forget();
    int code = EXIT_OK;
    for (int i = 0; i < *argc && code == EXIT_OK; i++) {
        char *word = (*argv)[i];
        only_arguments = only_arguments || strcmp(word, "--") == 0;
        code = i >= 2 && word[0] == '@' && word[1] && !only_arguments ? add_file(word + 1) : add(word);
    }
    *argc = word_count;
    *argv = words;
    return code;
}
