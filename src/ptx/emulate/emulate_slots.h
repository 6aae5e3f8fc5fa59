/* emulate_slots.h - operands become slots: where a step finds what it reads, and leaves what it writes.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#ifndef WL_PTX_EMULATE_EMULATE_SLOTS_H
#define WL_PTX_EMULATE_EMULATE_SLOTS_H

#include "ptx/emulate/emulate_internal.h"

/* A function whose instructions become steps. */
typedef struct wl_ptx_decoder {
    wl_ptx_machine *machine;
    wl_ptx_program *program;
    const wl_ptx_function *function;
    wl_error *err;
    bool failed; /* memory is short */
} wl_ptx_decoder;

/* The slot of a constant; equal ones share it. */
int32_t wl_ptx_slot_constant(wl_ptx_decoder *d, wl_ptx_constant_kind kind, uint64_t value);

/* The slot of the address of a variable, and some bytes. */
int32_t wl_ptx_slot_variable(wl_ptx_decoder *d, int32_t variable, int64_t offset);

/* What is read. */
int32_t wl_ptx_slot_read(wl_ptx_decoder *d, const wl_ptx_operand *o);
int32_t wl_ptx_slot_predicate(wl_ptx_decoder *d, const wl_ptx_operand *o);

/* What is written. */
int32_t wl_ptx_slot_written(const wl_ptx_decoder *d, const wl_ptx_operand *o);

/* A vector operand, or a single one, as slots in the program's lists. */
void wl_ptx_slot_list(wl_ptx_decoder *d, wl_ptx_step *step, const wl_ptx_operand *o, bool written);

/* The base of an address into from[0], what is added to it into offset. */
void wl_ptx_slot_address(wl_ptx_decoder *d, wl_ptx_step *step, const wl_ptx_operand *o);

/* The second register of a pair p|q. */
int32_t wl_ptx_slot_second(const wl_ptx_decoder *d, const wl_ptx_operand *o);

#endif /* WL_PTX_EMULATE_EMULATE_SLOTS_H */
