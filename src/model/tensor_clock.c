/* tensor_clock.c - see tensor_clock.h. SPDX-License-Identifier: MIT */
#include "model/tensor_clock.h"

#include <math.h>

#include "device/device_internal.h"
#include "metrics/rates.h"

#define ROUNDS 3   /* until clock and load agree */
#define LEAST 1e-3 /* of the clock, whatever the numbers of a device say */

/* The L2 runs with the multiprocessors, as its keys say: only memory has a clock of its own. */
static wl_turnover at_share(const wl_turnover *n, double share)
{
    wl_turnover at = *n;
    double *const rates[] = {
        &at.clock,       &at.l2.bandwidth,        &at.l2.read_bandwidth,   &at.l2.lone_rate,       &at.l2.piece_rate,
        &at.atomic.rate, &at.atomic.address_rate, &at.atomic.word_rate[0], &at.atomic.word_rate[1]};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
        *rates[i] *= share;
    return at;
}

void wl_turnover_at_clock(const wl_turnover *n, const wl_demand *d, wl_model_result *out)
{
    wl_turnover at = *n;
    wl_turnover_apply(&at, d, out);
    for (int i = 0; i < ROUNDS && d->sm.tensor_load > 0 && n->sm.clock_loss[1] > 0 && out->time_s > 0; i++) {
        const double load = fmin(1, d->sm.tensor_load / (n->sms * at.clock * out->time_s));
        at = at_share(n, fmax(LEAST, 1 - n->sm.clock_loss[0] - n->sm.clock_loss[1] * load));
        wl_turnover_apply(&at, d, out);
        out->tensor_load = load;
    }
    out->clock_hz = at.clock;
}

double wl_tensor_load_cycles(const wl_mix *mix, const wl_device *device)
{
    double halves = 0, cycles = 0;
    if (!wl_device_get(device, WL_DEVICE_tensor_f16_rate, &halves))
        return 0;
    for (int k = 0; k < WL_TENSOR_KIND_COUNT; k++) {
        double rate = 0;
        if (wl_device_get(device, wl_tensor_rate_key((wl_tensor_kind)k), &rate) && rate > 0)
            cycles += mix->tensor[k] / fmax(rate, halves);
    }
    return cycles;
}
