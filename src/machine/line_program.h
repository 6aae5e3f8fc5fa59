/* line_program.h - DWARF line programs: which line each address of machine code comes from.
 *
 * Versions 2 to 4, of which version 2 is what ptxas writes. Only addresses and lines are kept.
 * Layer  machine (uses base, binary). Oracle: tests/unit/test_machine_code.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_MACHINE_LINE_PROGRAM_H
#define WL_MACHINE_LINE_PROGRAM_H

#include "binary/bytes.h"
#include "warpline/status.h"

typedef struct wl_line_visitor {
    void *user;
    /* A sequence of rows begins; `at`: where in the section its address is, for a relocation */
    void (*begin)(void *user, uint64_t at);
    /* code from this address on, up to that of the next row, comes from the line */
    void (*row)(void *user, uint64_t address, int64_t line);
} wl_line_visitor;

/* WL_E_INPUT: damaged, or of another version. */
wl_status wl_line_program_read(wl_bytes section, const wl_line_visitor *visitor, wl_error *err);

#endif /* WL_MACHINE_LINE_PROGRAM_H */
