/* counter_needs.c - see counter_needs.h. SPDX-License-Identifier: MIT */
#include "report/common/counter_needs.h"

#include <string.h>

#include "warpline/metrics.h"

enum {
    CLASSIC = 1u << WL_ROOFLINE_CLASSIC | 1u << WL_ROOFLINE_PARALLELISM,
    LEVELS = 1u << WL_ROOFLINE_HIERARCHICAL,
    INSTRUCTION = 1u << WL_ROOFLINE_INSTRUCTION,
    FLOPS = CLASSIC | LEVELS,
    ALL = FLOPS | INSTRUCTION
};

static const wl_purpose needs[WL_TALLY_COUNT] = {
    [WL_TALLY_time] = ALL,
    [WL_TALLY_flops_f16] = FLOPS,
    [WL_TALLY_flops_f32] = FLOPS,
    [WL_TALLY_flops_f64] = FLOPS,
    [WL_TALLY_fma_f16] = LEVELS,
    [WL_TALLY_fma_f32] = LEVELS,
    [WL_TALLY_fma_f64] = LEVELS,
    [WL_TALLY_tensor_f16] = FLOPS,
    [WL_TALLY_tensor_tf32] = FLOPS,
    [WL_TALLY_tensor_i8] = FLOPS,
    [WL_TALLY_tensor_f64] = FLOPS,
    [WL_TALLY_inst] = INSTRUCTION,
    [WL_TALLY_thread_inst] = INSTRUCTION,
    [WL_TALLY_thread_inst_on] = INSTRUCTION,
    [WL_TALLY_inst_global] = INSTRUCTION,
    [WL_TALLY_inst_local] = INSTRUCTION,
    [WL_TALLY_inst_shared] = INSTRUCTION,
    [WL_TALLY_inst_tensor] = INSTRUCTION,
    [WL_TALLY_global_transactions] = LEVELS | INSTRUCTION,
    [WL_TALLY_local_transactions] = LEVELS | INSTRUCTION,
    [WL_TALLY_texture_transactions] = LEVELS | INSTRUCTION,
    [WL_TALLY_shared_transactions] = LEVELS | INSTRUCTION,
    [WL_TALLY_l2_transactions] = LEVELS | INSTRUCTION,
    [WL_TALLY_dram_transactions] = ALL,
};

bool wl_purpose_find(const char *name, wl_purpose *purpose)
{
    wl_roofline_kind kind;
    if (strcmp(name, "roofline") == 0)
        *purpose = WL_PURPOSE_ROOFLINES;
    else if (strcmp(name, "compare") == 0)
        *purpose = WL_PURPOSE_COMPARE;
    else if (wl_roofline_kind_find(name, &kind))
        *purpose = 1u << kind;
    else
        return false;
    return true;
}

bool wl_tally_is_needed(wl_tally tally, wl_purpose purpose) { return (needs[tally] & purpose) != 0; }

static void need(const char *sum, bool needed[WL_COUNTER_COUNT])
{
    wl_counter_name found;
    wl_term term;
    while (wl_term_next(&sum, &term))
        if (wl_counter_find(term.name, &found))
            needed[found.index] = true;
}

void wl_counters_needed(wl_purpose purpose, bool needed[WL_COUNTER_COUNT])
{
    memset(needed, 0, WL_COUNTER_COUNT * sizeof *needed);
    for (int t = 0; t < WL_TALLY_COUNT; t++)
        if (wl_tally_is_needed((wl_tally)t, purpose))
            need(wl_tally_ncu((wl_tally)t), needed);
    if (!(purpose & WL_PURPOSE_COMPARE))
        return;
    need(wl_tally_ncu(WL_TALLY_time), needed);
    for (int m = 0; m < WL_METRIC_COUNT; m++) { /* "name (x 32 B)": the first word counts */
        wl_counter_name found;
        wl_term term;
        const char *sum = wl_metric_counter((wl_metric)m);
        if (wl_term_next(&sum, &term) && wl_counter_find(term.name, &found))
            needed[found.index] = true;
    }
}

void wl_counters_command(const bool needed[WL_COUNTER_COUNT], size_t width, wl_buffer *out)
{
    static const char start[] = "ncu --csv --page raw --print-units base --clock-control none --metrics ";
    static const char end[] = " ./program >measured.csv";
    const char *comma = "";
    size_t column = strlen(start);
    wl_buffer_text(out, start);
    for (int i = 0; i < WL_COUNTER_COUNT; i++) {
        if (!needed[i])
            continue;
        const size_t length = strlen(wl_counter_at(i)->ncu) + strlen(",");
        const bool breaks = width > 0 && column + length + strlen("\\") > width;
        wl_buffer_add(out, "%s%s%s", comma, breaks ? "\\\n" : "", wl_counter_at(i)->ncu);
        column = (breaks ? 0 : column) + length;
        comma = ",";
    }
    wl_buffer_add(out, "%s%s", width > 0 && column + strlen(end) > width ? " \\\n " : "", end);
}
