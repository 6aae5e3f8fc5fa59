/* mdm.c - the memory divergence model (Wang et al. 2019, equations 5, 7 and 8): where the miss
 * registers run out, requests go in batches, and each batch saturates the queues.
 * SPDX-License-Identifier: MIT */
#include "model/interval_model.h"

wl_contended wl_mdm(const wl_contention *c)
{
    wl_contended s = wl_saturated_queues(c);
    s.mshr = (wl_batches(c) - 1) * (c->latency + s.noc + s.dram);
    return s;
}
