/* gpumech_plus.c - GPUMech+ (Wang et al. 2019, section 4): requests queue in the network as well,
 * and a miss register stays occupied while its request is queued.
 * SPDX-License-Identifier: MIT */
#include "model/interval_model.h"

wl_contended wl_gpumech_plus(const wl_contention *c)
{
    wl_contended s = wl_half_queues(c);
    s.mshr = wl_mean_wait(c) * (c->latency + s.noc + s.dram);
    return s;
}
