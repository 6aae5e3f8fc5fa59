/* mdm_queue.c - MDM-Queue (Wang et al. 2019, section 4): the queues of MDM, equation 5, with
 * GPUMech's wait for a miss register. SPDX-License-Identifier: MIT */
#include "model/interval_model.h"

wl_contended wl_mdm_queue(const wl_contention *c)
{
    wl_contended s = wl_saturated_queues(c);
    s.mshr = wl_mean_wait(c) * (c->latency + s.noc + s.dram);
    return s;
}
