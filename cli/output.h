/* output.h - results that appear whole or not at all: written beside, then renamed.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_OUTPUT_H
#define WL_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "warpline/warpline.h"

typedef struct output {
    FILE *file;
    const char *path;      /* NULL: standard output */
    char *beside, *target; /* target: the file a link leads to, else NULL */
} output;

/* NULL and "-" are standard output. Prints what is wrong; the exit code. */
int output_open(const char *path, output *out);
/* With `keep` the file appears under its name; otherwise nothing is left. The exit code. */
int output_close(output *out, bool keep);

/* Text to be written to a file, held back so that nothing is written if the rest fails; a long text
 * is streamed. All-zero but for `file` to begin with. */
typedef struct held_output {
    FILE *file;
    char *text;
    size_t length, capacity;
    bool passes; /* it is long */
    bool marked; /* it is of WL_FORMAT_MARKED, whole texts at a time */
} held_output;
/* A wl_sink of the library; `user` is the held_output. WL_E_IO, WL_E_NOMEM. */
wl_status held_add(void *user, const char *text, size_t length, wl_error *err);
/* Writes what is held, and to where it is read. */
void held_flush(held_output *held);
/* With `keep`, writes what is held. Frees it. */
void held_end(held_output *held, bool keep);

/* What a renderer of the library gave; JSON ends in a line end, too. */
void output_print(const char *text, wl_format format, FILE *file);
/* The same to a file or standard output, as output_open has it. The exit code. */
int output_write(const char *path, const char *text, wl_format format);

#endif /* WL_CLI_OUTPUT_H */
