/* mdm_mshr.c - MDM-MSHR (Wang et al. 2019, section 4): the batches of MDM, equation 8, with the
 * queues of GPUMech+. SPDX-License-Identifier: MIT */
#include "model/interval_model.h"

wl_contended wl_mdm_mshr(const wl_contention *c)
{
    wl_contended s = wl_half_queues(c);
    s.mshr = (wl_batches(c) - 1) * (c->latency + s.noc + s.dram);
    return s;
}
