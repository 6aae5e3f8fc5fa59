/* derived.c - see derived.h. SPDX-License-Identifier: MIT */
#include "report/common/derived.h"

const char *wl_derived_name(wl_derived_id id)
{
    static const char *const names[WL_DERIVED_COUNT] = {
        [WL_SECTORS_PER_LOAD] = "sectors_per_load",
        [WL_SECTORS_PER_STORE] = "sectors_per_store",
        [WL_WAVEFRONTS_PER_SHARED] = "wavefronts_per_shared_access",
        [WL_LANES_ACTIVE] = "lanes_active",
        [WL_FLOPS_PER_DRAM_BYTE] = "flops_per_dram_byte",
        [WL_FLOPS_PER_L2_BYTE] = "flops_per_l2_byte",
        [WL_FLOPS_PER_L1_BYTE] = "flops_per_l1_byte",
    };
    return names[id];
}

/* Numerators and denominators; WL_METRIC_COUNT: no metric. */
static const struct {
    wl_metric over, under, and_under;
} ratios[WL_DERIVED_COUNT] = {
    [WL_SECTORS_PER_LOAD] = {WL_METRIC_l1_sectors_ld, WL_METRIC_inst_global_ld, WL_METRIC_COUNT},
    [WL_SECTORS_PER_STORE] = {WL_METRIC_l1_sectors_st, WL_METRIC_inst_global_st, WL_METRIC_COUNT},
    [WL_WAVEFRONTS_PER_SHARED] = {WL_METRIC_l1_wavefronts, WL_METRIC_inst_shared_ld, WL_METRIC_inst_shared_st},
    [WL_LANES_ACTIVE] = {WL_METRIC_thread_inst, WL_METRIC_inst_executed, WL_METRIC_COUNT},
    [WL_FLOPS_PER_DRAM_BYTE] = {WL_METRIC_flops, WL_METRIC_dram_load_bytes, WL_METRIC_dram_store_bytes},
    [WL_FLOPS_PER_L2_BYTE] = {WL_METRIC_flops, WL_METRIC_l2_load_bytes, WL_METRIC_l2_store_bytes},
    [WL_FLOPS_PER_L1_BYTE] = {WL_METRIC_flops, WL_METRIC_l1_sectors_ld, WL_METRIC_l1_sectors_st},
};

bool wl_derived(const wl_report *r, wl_derived_id id, double *value)
{
    static const wl_value nothing = {.known = true};
    const wl_value *m = r->prediction->metrics, *first = &m[ratios[id].under];
    const wl_value *second = ratios[id].and_under == WL_METRIC_COUNT ? &nothing : &m[ratios[id].and_under];
    double over = m[ratios[id].over].value, under = first->value + second->value, sector = 1;
    if (id == WL_WAVEFRONTS_PER_SHARED) {
        over = wl_value_part(&m[WL_METRIC_l1_wavefronts], "shared");
        under += m[WL_METRIC_inst_shared_atomic].value; /* 0 where there are none */
    }
    if (id == WL_FLOPS_PER_L1_BYTE && wl_device_get(r->device, WL_DEVICE_l1_sector, &sector))
        under *= sector;
    *value = under > 0 ? over / under : 0;
    return under > 0 && m[ratios[id].over].known && first->known && second->known;
}
