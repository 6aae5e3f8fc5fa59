/* def_use.h - who defines and who reads the registers of a function; its loops; what differs between the lanes of a warp.
 *
 * From the instructions in the order they are written, without a control-flow graph: compilers emit nearly every
 * register with one definition, and loops that end in a branch back.
 * Layer  ptx (uses base). SPDX-License-Identifier: MIT */
#ifndef WL_PTX_MODULE_DEF_USE_H
#define WL_PTX_MODULE_DEF_USE_H

#include "ptx/module/module.h"

enum { WL_PTX_NO_DEFINITION = -1, WL_PTX_SEVERAL_DEFINITIONS = -2 };

typedef struct wl_ptx_def_use {
    const wl_ptx_function *function;
    /* By register. */
    int32_t *definition;   /* its only one, or one of the constants above */
    int32_t *readers;      /* instructions, in order, of all registers one after another; */
    int32_t *first_reader; /* those of register r are readers[first_reader[r]] .. readers[first_reader[r + 1] - 1] */
    bool *divergent;       /* between lanes */
    /* By instruction. */
    bool *target;      /* a branch leads here */
    int32_t *loop_end; /* the branch back of the innermost loop it is in; -1: none */
} wl_ptx_def_use;

wl_status wl_ptx_def_use_make(const wl_ptx_function *function, wl_arena *arena, wl_ptx_def_use *out, wl_error *err);

/* Calls visit for every register that the instruction writes (written) or reads. A guard is read. */
typedef void (*wl_ptx_register_visit)(void *user, int32_t reg, bool written);
void wl_ptx_registers_of(const wl_ptx_function *function, const wl_ptx_instruction *in, wl_ptx_register_visit visit,
                         void *user);

/* The instruction a branch leads to; -1: not a branch to one place. */
int32_t wl_ptx_branch_target(const wl_ptx_instruction *in);

static inline int32_t wl_ptx_reader_count(const wl_ptx_def_use *def_use, int32_t reg)
{
    return def_use->first_reader[reg + 1] - def_use->first_reader[reg];
}

/* The only definition of the register that operand `which` reads; NULL: not a register, or not one definition. */
const wl_ptx_instruction *wl_ptx_definition_of(const wl_ptx_def_use *def_use, const wl_ptx_instruction *in, int which);

#endif /* WL_PTX_MODULE_DEF_USE_H */
