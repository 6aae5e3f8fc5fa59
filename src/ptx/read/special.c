/* special.c - special registers by name.
 * Layer  ptx/read. SPDX-License-Identifier: MIT */
#include <string.h>

#include "ptx/read/parser.h"

static const struct {
    const char *name;
    wl_ptx_special special;
} specials[] = {
    {"%tid.x", WL_PTX_TID_X},
    {"%tid.y", WL_PTX_TID_Y},
    {"%tid.z", WL_PTX_TID_Z},
    {"%tid.w", WL_PTX_SPECIAL_OTHER},
    {"%tid", WL_PTX_SPECIAL_OTHER},
    {"%ntid.x", WL_PTX_NTID_X},
    {"%ntid.y", WL_PTX_NTID_Y},
    {"%ntid.z", WL_PTX_NTID_Z},
    {"%ntid.w", WL_PTX_SPECIAL_OTHER},
    {"%ntid", WL_PTX_SPECIAL_OTHER},
    {"%ctaid.x", WL_PTX_CTAID_X},
    {"%ctaid.y", WL_PTX_CTAID_Y},
    {"%ctaid.z", WL_PTX_CTAID_Z},
    {"%ctaid.w", WL_PTX_SPECIAL_OTHER},
    {"%ctaid", WL_PTX_SPECIAL_OTHER},
    {"%nctaid.x", WL_PTX_NCTAID_X},
    {"%nctaid.y", WL_PTX_NCTAID_Y},
    {"%nctaid.z", WL_PTX_NCTAID_Z},
    {"%nctaid.w", WL_PTX_SPECIAL_OTHER},
    {"%nctaid", WL_PTX_SPECIAL_OTHER},
    {"%laneid", WL_PTX_LANEID},
    {"%warpid", WL_PTX_WARPID},
    {"%nwarpid", WL_PTX_NWARPID},
    {"%smid", WL_PTX_SMID},
    {"%nsmid", WL_PTX_NSMID},
    {"%gridid", WL_PTX_GRIDID},
    {"%lanemask_eq", WL_PTX_LANEMASK_EQ},
    {"%lanemask_le", WL_PTX_LANEMASK_LE},
    {"%lanemask_lt", WL_PTX_LANEMASK_LT},
    {"%lanemask_ge", WL_PTX_LANEMASK_GE},
    {"%lanemask_gt", WL_PTX_LANEMASK_GT},
    {"%clock", WL_PTX_CLOCK},
    {"%clock_hi", WL_PTX_SPECIAL_OTHER},
    {"%clock64", WL_PTX_CLOCK64},
    {"%globaltimer", WL_PTX_GLOBALTIMER},
    {"%globaltimer_lo", WL_PTX_SPECIAL_OTHER},
    {"%globaltimer_hi", WL_PTX_SPECIAL_OTHER},
    {"%dynamic_smem_size", WL_PTX_DYNAMIC_SMEM},
    {"%total_smem_size", WL_PTX_TOTAL_SMEM},
    {"%aggr_smem_size", WL_PTX_TOTAL_SMEM},
    {"%is_explicit_cluster", WL_PTX_SPECIAL_OTHER},
    {"%clusterid.x", WL_PTX_CLUSTERID_X},
    {"%clusterid.y", WL_PTX_CLUSTERID_Y},
    {"%clusterid.z", WL_PTX_CLUSTERID_Z},
    {"%nclusterid.x", WL_PTX_NCLUSTERID_X},
    {"%nclusterid.y", WL_PTX_NCLUSTERID_Y},
    {"%nclusterid.z", WL_PTX_NCLUSTERID_Z},
    {"%cluster_ctaid.x", WL_PTX_CLUSTER_CTAID_X},
    {"%cluster_ctaid.y", WL_PTX_CLUSTER_CTAID_Y},
    {"%cluster_ctaid.z", WL_PTX_CLUSTER_CTAID_Z},
    {"%cluster_nctaid.x", WL_PTX_CLUSTER_NCTAID_X},
    {"%cluster_nctaid.y", WL_PTX_CLUSTER_NCTAID_Y},
    {"%cluster_nctaid.z", WL_PTX_CLUSTER_NCTAID_Z},
    {"%cluster_ctarank", WL_PTX_CLUSTER_CTARANK},
    {"%cluster_nctarank", WL_PTX_CLUSTER_NCTARANK},
    {"%current_graph_exec", WL_PTX_SPECIAL_OTHER},
    {"%reserved_smem_offset_begin", WL_PTX_SPECIAL_OTHER},
    {"%reserved_smem_offset_end", WL_PTX_SPECIAL_OTHER},
    {"%reserved_smem_offset_cap", WL_PTX_SPECIAL_OTHER},
};

/* %envreg0 to 31, %pm0 to 7 and %pm0_64 to 7_64, %reserved_smem_offset_0 and 1. */
static const struct {
    const char *prefix, *suffix;
    int count;
    wl_ptx_special special;
} numbered[] = {{"%envreg", "", 32, WL_PTX_ENVREG},
                {"%pm", "", 8, WL_PTX_PM},
                {"%pm", "_64", 8, WL_PTX_PM},
                {"%reserved_smem_offset_", "", 2, WL_PTX_SPECIAL_OTHER}};

/* The number between prefix and suffix, or -1. */
static int number_between(const char *text, size_t length, const char *prefix, const char *suffix)
{
    const size_t before = strlen(prefix), behind = strlen(suffix);
    int number = 0;
    if (length <= before + behind || length > before + behind + 2 || memcmp(text, prefix, before) != 0 ||
        memcmp(text + length - behind, suffix, behind) != 0)
        return -1;
    for (size_t i = before; i < length - behind; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        number = 10 * number + text[i] - '0';
    }
    return number;
}

bool wl_ptx_special_named(const char *text, size_t length, wl_ptx_special *out)
{
    for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
        if (strlen(specials[i].name) == length && memcmp(specials[i].name, text, length) == 0) {
            *out = specials[i].special;
            return true;
        }
    for (size_t i = 0; i < sizeof numbered / sizeof numbered[0]; i++) {
        const int number = number_between(text, length, numbered[i].prefix, numbered[i].suffix);
        if (number >= 0 && number < numbered[i].count) {
            *out = numbered[i].special;
            return true;
        }
    }
    return false;
}
