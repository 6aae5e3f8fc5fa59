/* l1_law.c - see l1_law.h. SPDX-License-Identifier: MIT */
#include "laws/l1_law.h"

#include <math.h>

#include "device/device_internal.h"

void wl_l1_numbers_read(const wl_device *d, wl_l1_numbers *out)
{
    *out = (wl_l1_numbers){0};
    wl_device_read_list(d, WL_DEVICE_l1_warp_extra, out->extra, 3);
    wl_device_read_list(d, WL_DEVICE_l1_store_split, out->split, 2);
}

double wl_l1_repeats_that_hit(double miss_rate) { return 1 - fmin(1, fmax(0, miss_rate)); }

wl_l1_wavefronts wl_l1_law(const wl_l1_totals *t, const wl_l1_numbers *n)
{
    wl_l1_wavefronts w = {.loads = t->load_cold - n->repeats * t->load_again - t->load_found,
                          .stores = t->store_hit + n->split[0] * t->store_split};
    if (t->load_inst > 0 && t->store_inst > 0 && n->extra[0] > 0) {
        const double each = (t->load_hit + t->store_hit) / (t->load_inst + t->store_inst);
        w.load_store =
            t->warps * n->extra[0] * (1 - exp(-t->loads_per_warp / n->extra[1])) * each / (each + n->extra[2]);
    }
    return w;
}

wl_l1_wavefronts wl_l1_law_on(const wl_l1_totals *totals, const wl_device *device, double miss_rate)
{
    wl_l1_numbers numbers;
    wl_l1_numbers_read(device, &numbers);
    numbers.repeats = wl_l1_repeats_that_hit(miss_rate);
    return wl_l1_law(totals, &numbers);
}
