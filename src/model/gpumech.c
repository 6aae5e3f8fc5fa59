/* gpumech.c - GPUMech (Huang et al. 2014). The network costs nothing. DRAM is an M/D/1 queue, which
 * the requests of an interval enter during the interval. A request waits for at most half of the
 * others, since near saturation the queue formula gives more.
 * SPDX-License-Identifier: MIT */
#include "model/interval_model.h"

#include <math.h>

wl_contended wl_gpumech(const wl_contention *c)
{
    const double busy = c->flying * c->dram_service, most = busy / 2;
    const double load = c->alone > 0 ? busy / c->alone : 1;
    const double queued = load < 1 ? load * c->dram_one / (2 * (1 - load)) : most;
    return (wl_contended){.mshr = wl_mean_wait(c) * c->latency, .dram = fmin(queued, most)};
}
