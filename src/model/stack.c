/* stack.c - see stack.h. SPDX-License-Identifier: MIT */
#include "model/stack.h"

static const struct {
    const char *name, *meaning;
} parts[WL_STACK_PART_COUNT] = {
#define WL_STACK_PART(id, name, meaning) {name, meaning},
    WL_STACK_PARTS
#undef WL_STACK_PART
};

const char *wl_stack_part_name(wl_stack_part part) { return parts[part].name; }
const char *wl_stack_part_meaning(wl_stack_part part) { return parts[part].meaning; }

double wl_stack_sum(const double cycles[WL_STACK_PART_COUNT])
{
    double sum = 0;
    for (int i = 0; i < WL_STACK_PART_COUNT; i++)
        sum += cycles[i];
    return sum;
}

double wl_stack_cpi(const wl_stack *stack, wl_stack_part part)
{
    return stack->instructions > 0 ? stack->cycles[part] * stack->sms / stack->instructions : 0;
}
