/* line_form.h - lines of a batch that differ only in the numbers of their launches.
 *
 * Most lines of a batch repeat the text of an earlier one, character by character, but for block,
 * fold, grid, registers and shared memory. Such a line is compared with it and its numbers are read
 * where they stand, which takes a small part of the time of parsing JSON. Other lines are parsed.
 * SPDX-License-Identifier: MIT */
#ifndef LINE_FORM_H
#define LINE_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include "warpline/launch.h"

#define LINE_NUMBERS_MAX 11 /* three extents of block, fold and grid; registers, shared bytes */

typedef struct line_form {
    char *text; /* of the line it was made from; NULL: there is none */
    size_t length;
    wl_launch launch; /* of that line */
    int count;        /* of the numbers in the text that may differ */
    struct {
        size_t at, end;
        int which;
    } number[LINE_NUMBERS_MAX];
} line_form;

/* From a line that is valid JSON and has this launch. False: out of memory. */
bool line_form_make(const char *text, size_t length, const wl_launch *launch, line_form *out);
void line_form_free(line_form *form);

/* The launch of a line of the same form. False: it has another form, or a number is out of
 * range. */
bool line_form_read(const line_form *form, const char *text, size_t length, wl_launch *out);

#endif /* LINE_FORM_H */
