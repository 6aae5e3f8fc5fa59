/* machine_code.h - the instructions of a kernel in a cubin (sm_70 to sm_121), with the lines of the
 * PTX that they were made of.
 *
 * An instruction has 16 bytes. Read are its opcode, whether a predicate guards it, and where a
 * branch goes to; operands are not. Lines come from .nv_debug_line_sass, which `ptxas -lineinfo`
 * writes.
 * Layer  machine (uses base, binary). Oracle: tests/unit/test_machine_code.c; nvdisasm.
 * SPDX-License-Identifier: MIT */
#ifndef WL_MACHINE_MACHINE_CODE_H
#define WL_MACHINE_MACHINE_CODE_H

#include "base/arena.h"
#include "binary/elf_file.h"
#include "warpline/mix.h"

/* A pipe that not every instruction of a class takes. */
typedef enum wl_machine_pipe {
    WL_MACHINE_ANY,
    WL_MACHINE_INTEGER,
    WL_MACHINE_MULTIPLY, /* products of integers, by the size of the result */
    WL_MACHINE_MULTIPLY_WIDE
} wl_machine_pipe;

/* What follows an instruction. */
typedef enum wl_machine_flow {
    WL_MACHINE_NEXT,
    WL_MACHINE_BRANCH,
    WL_MACHINE_END,     /* of the lanes */
    WL_MACHINE_CALL,    /* and then the next one */
    WL_MACHINE_INDIRECT /* a place that is not known */
} wl_machine_flow;

typedef struct wl_machine_operation {
    const char *name; /* NULL: unknown */
    wl_inst_class of;
    wl_machine_pipe pipe;
    wl_machine_flow flow;
} wl_machine_operation;

typedef struct wl_machine_instruction {
    const wl_machine_operation *operation;
    int32_t line;   /* of the PTX; 0: not known */
    int32_t target; /* of a branch: an instruction; -1: none, or outside */
    bool guarded;   /* only some lanes execute it, or none */
} wl_machine_instruction;

typedef struct wl_machine_code {
    wl_elf elf;
    int arch;        /* 90 */
    wl_bytes lines;  /* the line table, */
    wl_bytes places; /* and the relocations of its addresses; empty: none */
    bool addends;    /* these have */
    wl_bytes symbols;
} wl_machine_code;

typedef struct wl_machine_kernel {
    wl_machine_instruction *list;
    int32_t count;
    int32_t unknown; /* an instruction with an unknown operation; -1: none */
    bool has_lines;
} wl_machine_kernel;

/* Borrows the bytes. WL_E_INPUT: no cubin, or damaged; WL_E_UNSUPPORTED: of an architecture before
 * sm_70 or after sm_121. */
wl_status wl_machine_code_open(wl_bytes bytes, wl_machine_code *out, wl_error *err);
/* A kernel by its name in the file, in memory of the arena. WL_E_INPUT: there is none, or its line
 * table is damaged. */
wl_status wl_machine_kernel_read(const wl_machine_code *code, const char *name, wl_arena *arena, wl_machine_kernel *out,
                                 wl_error *err);

#endif /* WL_MACHINE_MACHINE_CODE_H */
