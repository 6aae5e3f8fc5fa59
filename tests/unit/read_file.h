/* read_file.h - the text of a file of this repository, for tests.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_UNIT_READ_FILE_H
#define WL_TESTS_UNIT_READ_FILE_H

#include <stdio.h>
#include <stdlib.h>

#include "unit/checks.h"

/* 0-terminated, to be freed; its length, unless that is NULL. */
static inline char *read_file(const char *path, size_t *length)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    const size_t size = (size_t)ftell(f);
    rewind(f);
    char *text = calloc(1, size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, size, f), size);
    (void)fclose(f);
    if (length)
        *length = size;
    return text;
}

#endif /* WL_TESTS_UNIT_READ_FILE_H */
