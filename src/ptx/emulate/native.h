/* native.h - kernels of launches that are carried out, in machine code: a function as C text, whose
 * 32 lanes are vectors, and what runs it when somebody has compiled that.
 *
 * The text has a label for each basic block. Steps that are usual become expressions; others are
 * executed by the emulator. A branch that all lanes take goes to its label; where lanes part, and
 * at barriers, the emulator takes over, and comes back. Results are the same bit for bit.
 *
 * Layer  ptx/emulate (uses base). Oracle: tests/unit/test_native.c. SPDX-License-Identifier: MIT */
#ifndef WL_PTX_EMULATE_NATIVE_H
#define WL_PTX_EMULATE_NATIVE_H

#include "base/buffer.h"
#include "ptx/emulate/emulate_internal.h"

typedef enum wl_native_class { WL_NATIVE_NONE, WL_NATIVE_P, WL_NATIVE_I, WL_NATIVE_L } wl_native_class;
wl_native_class wl_native_class_of(const wl_ptx_program *program, int32_t reg);

/* Appends the text of one program; false: it has a step that is not for this. The function is
 * called `wl_native_N`, with the number of the program. */
bool wl_native_program_text(const wl_ptx_program *program, wl_buffer *out);
/* native_steps.c: the statements of a step that only computes; false: the emulator executes it. */
bool wl_native_step_text(const wl_ptx_program *program, const wl_ptx_step *s, wl_buffer *out);
/* An operand as an expression of a class. */
void wl_native_operand(const wl_ptx_program *program, int32_t slot, wl_native_class wanted, char out[80]);
/* An assignment to a register, of a value of a class, in the lanes whose guard is true. */
void wl_native_assign(const wl_ptx_program *program, const wl_ptx_step *s, int32_t reg, wl_native_class has,
                      const char *value, wl_buffer *out);
/* The guard as an expression; "" if there is none. */
void wl_native_guard(const wl_ptx_step *s, char out[32]);

#endif /* WL_PTX_EMULATE_NATIVE_H */
