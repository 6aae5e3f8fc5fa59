/* ptx_target.h - a PTX text for another architecture. For some a compiler writes the same code but
 * for its .target line: such files are not kept, but made from their twin.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_UNIT_PTX_TARGET_H
#define WL_TESTS_UNIT_PTX_TARGET_H

#include <stddef.h>
#include <string.h>

#include "unit/checks.h"

/* Names target, as in "sm_80", in the .target line of a text, in its place: both names have one
 * length. */
static inline void ptx_retarget(char *text, size_t length, const char *target)
{
    static const char line[] = "\n.target sm_";
    const size_t head = sizeof line - 1 - strlen("sm_"), size = strlen(target);
    for (size_t i = 0; i + head + size < length; i++) {
        if (memcmp(text + i, line, sizeof line - 1) != 0)
            continue;
        assert_int_equal(text[i + head + size], '\n');
        memcpy(text + i + head, target, size);
        return;
    }
    fail_msg("no .target line");
}

#endif
