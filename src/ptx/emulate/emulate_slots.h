/* emulate_slots.h - maps operands to slots, where a step reads its inputs and writes its
 * results.
 * Layer  ptx/emulate. SPDX-License-Identifier: MIT */
#ifndef WL_PTX_EMULATE_EMULATE_SLOTS_H
#define WL_PTX_EMULATE_EMULATE_SLOTS_H

#include "ptx/emulate/emulate_internal.h"
#include "ptx/module/contraction.h"

/* Decodes a function into steps. */
#define WL_PTX_CONSTANT_BUCKETS 1024

typedef struct wl_ptx_decoder {
    wl_ptx_machine *machine;
    wl_ptx_program *program;
    const wl_ptx_function *function;
    const wl_ptx_contraction *contraction; /* by instruction */
    int32_t *takers, taker_count;          /* instructions that may take a lock */
    wl_error *err;
    bool failed; /* out of memory */
    /* by hash of a value: one more than the number of the last constant that has it; 0: none */
    int32_t buckets[WL_PTX_CONSTANT_BUCKETS];
} wl_ptx_decoder;

/* The slot of a constant; equal constants share one. */
int32_t wl_ptx_slot_constant(wl_ptx_decoder *d, wl_ptx_constant_kind kind, uint64_t value);

/* The slot of a variable's address plus an offset. */
int32_t wl_ptx_slot_variable(wl_ptx_decoder *d, int32_t variable, int64_t offset);

/* Slots of operands that are read. */
int32_t wl_ptx_slot_read(wl_ptx_decoder *d, const wl_ptx_operand *o);
int32_t wl_ptx_slot_predicate(wl_ptx_decoder *d, const wl_ptx_operand *o);

/* The slot of an operand that is written. */
int32_t wl_ptx_slot_written(const wl_ptx_decoder *d, const wl_ptx_operand *o);

/* Appends the slots of a vector operand, or of a single one, to the program's lists. */
void wl_ptx_slot_list(wl_ptx_decoder *d, wl_ptx_step *step, const wl_ptx_operand *o, bool written);

/* Sets from[0] to the base of an address and offset to the rest. */
void wl_ptx_slot_address(wl_ptx_decoder *d, wl_ptx_step *step, const wl_ptx_operand *o);

/* The second register of a pair p|q. */
int32_t wl_ptx_slot_second(const wl_ptx_decoder *d, const wl_ptx_operand *o);

#endif /* WL_PTX_EMULATE_EMULATE_SLOTS_H */
