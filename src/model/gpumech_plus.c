/* gpumech_plus.c - GPUMech+ (Wang et al. 2019, section 4): the network queues, too, and a miss
 * register is taken for as long as the queues make a miss last. SPDX-License-Identifier: MIT */
#include "model/interval_model.h"

wl_contended wl_gpumech_plus(const wl_contention *c)
{
    wl_contended s = wl_half_queues(c);
    s.mshr = wl_mean_wait(c) * (c->latency + s.noc + s.dram);
    return s;
}
