/* def_use.h - def-use information of a function: the definition and the readers of each
 * register, which registers vary between the lanes of a warp, and the innermost loop of each
 * instruction.
 *
 * It needs the instructions in program order only, no control flow graph: compilers give nearly
 * every register one definition and end loops with a back edge.
 * Layer  ptx/module (uses base, kernel). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_MODULE_DEF_USE_H
#define WL_PTX_MODULE_DEF_USE_H

#include "ptx/module/module.h"

enum { WL_PTX_NO_DEFINITION = -1, WL_PTX_SEVERAL_DEFINITIONS = -2 };

typedef struct wl_ptx_def_use {
    const wl_ptx_function *function;
    /* By register. */
    int32_t *definition; /* the only definition, or one of the constants above */
    int32_t *readers;    /* reading instructions in program order, grouped by register */
    /* register r: readers[first_reader[r]] .. readers[first_reader[r + 1] - 1] */
    int32_t *first_reader;
    bool *divergent; /* differs between the lanes of a warp, or is loaded: not a uniform register */
    bool *differs;   /* differs between them */
    /* By instruction. */
    bool *target;      /* some branch targets it */
    int32_t *loop_end; /* the back edge of the innermost loop around it; -1: none */
} wl_ptx_def_use;

wl_status wl_ptx_def_use_make(const wl_ptx_function *function, wl_arena *arena, wl_ptx_def_use *out, wl_error *err);

/* Calls visit for every register that the instruction reads or writes. A guard predicate is
 * read. */
typedef void (*wl_ptx_register_visit)(void *user, int32_t reg, bool written);
void wl_ptx_registers_of(const wl_ptx_function *function, const wl_ptx_instruction *in, wl_ptx_register_visit visit,
                         void *user);

/* The instruction a direct branch targets; -1: not a direct branch. */
int32_t wl_ptx_branch_target(const wl_ptx_instruction *in);

/* Where the assembler unrolls a loop of one basic block, a copy of the body has so many trips. */
#define WL_PTX_ROUND 4
/* Does a pragma forbid unrolling the loop that begins with this instruction? Compilers mark loops
 * that they have unrolled. */
bool wl_ptx_forbids_unrolling(const wl_ptx_function *function, int32_t first);

static inline int32_t wl_ptx_reader_count(const wl_ptx_def_use *def_use, int32_t reg)
{
    return def_use->first_reader[reg + 1] - def_use->first_reader[reg];
}

/* The only definition of the register that operand `which` reads. NULL: the operand is not a
 * register, or the register has no definition or several. */
const wl_ptx_instruction *wl_ptx_definition_of(const wl_ptx_def_use *def_use, const wl_ptx_instruction *in, int which);

#endif /* WL_PTX_MODULE_DEF_USE_H */
