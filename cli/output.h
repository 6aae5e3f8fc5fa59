/* output.h - results that appear whole or not at all: written to a temporary file, then renamed.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_OUTPUT_H
#define WL_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "warpline/warpline.h"

typedef struct output {
    FILE *file;
    const char *path;      /* NULL: standard output */
    char *beside, *target; /* the temporary file; the target of a link, else NULL */
} output;

/* NULL and "-" are standard output. Prints what is wrong; the exit code. */
int output_open(const char *path, output *out);
/* With `keep` the file appears under its name; otherwise nothing is left. The exit code. */
int output_close(output *out, bool keep);

/* Text to be written to a file, held back so that nothing is written if the rest fails; a long text
 * is streamed. Initialize to zeros, except for `file`. */
typedef struct held_chunk held_chunk;
typedef struct held_output {
    FILE *file;
    held_chunk *first, *last;
    size_t length; /* of all chunks */
    size_t most;   /* to hold back; 0: 4 MiB */
    bool passes;   /* it is long: no longer held back */
    bool marked;   /* texts are of WL_FORMAT_MARKED, and whole */
} held_output;
/* A wl_sink of the library; `user` is the held_output. WL_E_IO, WL_E_NOMEM. */
wl_status held_add(void *user, const char *text, size_t length, wl_error *err);
/* Writes what is held, and flushes the file. */
void held_flush(held_output *held);
/* With `keep`, writes what is held. Frees it. */
void held_end(held_output *held, bool keep);

/* Prints the output of a renderer of the library; adds a line end to JSON. */
void output_print(const char *text, wl_format format, FILE *file);
/* The same to a file or standard output, as by output_open. Returns the exit code. */
int output_write(const char *path, const char *text, wl_format format);

#endif /* WL_CLI_OUTPUT_H */
