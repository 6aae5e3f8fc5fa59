/* stack.c - see stack.h. SPDX-License-Identifier: MIT */
#include "model/stack.h"

static const struct {
    const char *name, *reason, *meaning;
} parts[WL_STACK_PART_COUNT] = {
#define WL_STACK_PART(id, name, reason, meaning) {name, reason, meaning},
    WL_STACK_PARTS
#undef WL_STACK_PART
};

const char *wl_stack_part_name(wl_stack_part part) { return parts[part].name; }
const char *wl_stack_part_meaning(wl_stack_part part) { return parts[part].meaning; }
const char *wl_stack_part_reason(wl_stack_part part) { return parts[part].reason; }

double wl_stack_sum(const double cycles[WL_STACK_PART_COUNT])
{
    double sum = 0;
    for (int i = 0; i < WL_STACK_PART_COUNT; i++)
        sum += cycles[i];
    return sum;
}

double wl_stack_part_share(const wl_stack *stack, wl_stack_part part)
{
    return stack->total > 0 ? stack->cycles[part] / stack->total : 0;
}

double wl_stack_cpi(const wl_stack *stack, wl_stack_part part)
{
    return stack->instructions > 0 ? stack->cycles[part] * stack->sms / stack->instructions : 0;
}
