/* code_volumes.c - see code_volumes.h. SPDX-License-Identifier: MIT */
#include "laws/code_volumes.h"

#include <math.h>

#include "device/device_internal.h"

#define INSTRUCTION_BYTES 16 /* since Volta, the first generation with a known instruction_cache */

/* Of the L2 reads of convolutions on an RTX 2080 Ti (docs/model.md): the turn after which most
 * code is fetched, in cycles, how far shorter and longer ones differ, in units of the logarithm,
 * and what becomes of blocks whose warps the schedulers do not share equally, or have one each. */
#define WORST_TURN 15.1
#define TURN_SPREAD 1.19
#define UNEQUALLY_SHARED 2.07
#define ONE_EACH 0.66

double wl_code_apart(const wl_code_run *run, double schedulers)
{
    const double turn = run->resident_warps * run->busy;
    if (!(turn > 0))
        return 0;
    const double from_worst = log(turn / WORST_TURN) / TURN_SPREAD, paced = exp(-from_worst * from_worst / 2);
    if (run->block_warps == schedulers)
        return ONE_EACH * paced;
    if (run->block_warps > schedulers && fmod(run->block_warps, schedulers) != 0)
        return UNEQUALLY_SHARED * paced;
    return paced;
}

double wl_code_beyond(double instructions, const wl_device *device)
{
    double cache = 0;
    if (!wl_device_get(device, WL_DEVICE_instruction_cache, &cache) || !(cache > 0))
        return 0;
    return fmin(fmax(0, instructions * INSTRUCTION_BYTES - cache), cache);
}

void wl_code_volumes(const wl_code_run *run, const wl_device *device, wl_volumes *out)
{
    double share = 0, unit = 0, schedulers = 0;
    const double beyond = wl_code_beyond(run->instructions, device);
    out->code = 0;
    if (!wl_device_get(device, WL_DEVICE_instruction_share, &share) ||
        !wl_device_get(device, WL_DEVICE_sub_partitions, &schedulers))
        return;
    out->code =
        fmin(share * wl_code_apart(run, schedulers) * beyond, run->instructions * INSTRUCTION_BYTES) * run->blocks;
    if (out->requests_known && wl_device_get(device, WL_DEVICE_l2_unit, &unit) && unit > 0)
        out->requests.read_units += out->code / unit;
}
