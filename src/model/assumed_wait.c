/* assumed_wait.c - the life of a block whose warps are not followed. See turnover.h.
 *
 * Loads are grouped into phases: as many as registers hold the results of are in flight together.
 * A phase that loads new lines waits for DRAM. Between phases each instruction waits for the one
 * before. SPDX-License-Identifier: MIT */
#include <math.h>

#include "device/device_internal.h"
#include "model/turnover.h"

/* Compilers interleave two chains of dependent instructions, of both kinds. A scheduler may have
 * fewer than one issue slot a cycle. */
double wl_instruction_wait(const wl_device *device)
{
    const double latency =
        (wl_device_or(device, WL_DEVICE_fp32_latency, 0) + wl_device_or(device, WL_DEVICE_int32_latency, 0)) / 2;
    return fmax(latency / 2,
                wl_device_or(device, WL_DEVICE_sub_partitions, 1) / wl_device_or(device, WL_DEVICE_issue_rate, 1));
}

/* Some phases find their lines in the L1, where the wait is little, and as many do not. */
double wl_wait_of_phase(const wl_turnover *n) { return n->l2.latency / 2; }

/* Beyond the L2. A phase that loads new lines waits for DRAM: the first one of a block for all of
 * its latency, later ones for half of it, unless each step of a loop needs its loads at once. */
static double wait_for_dram(const wl_turnover *n, const wl_demand *d)
{
    const double first = fmax(0, n->dram.latency - n->l2.latency),
                 next = d->thread.serial ? first : n->dram.latency / 2;
    return first + next * fmax(0, d->thread.fresh_loads - 1);
}

/* As of add_covered in timeline/waiting.c: while a warp stalls, each other warp of its scheduler
 * issues one instruction, and the L1 serves what each other warp of its block loads in a phase. */
static void add_covered(const wl_turnover *n, const wl_demand *d, wl_waiting *life)
{
    const double others = fmax(0, d->block_warps / n->sm.schedulers - 1);
    const double requests = d->thread.phases > 0 ? d->sm.l1_wavefronts / d->warps / d->thread.phases : 0;
    const double stall = d->thread.phases > 0 ? life->stall[WL_STALL_MEMORY] / d->thread.phases : 0;
    const double next = fmax(0, n->sm.instruction_wait - 1);
    life->covered[0] = life->issue * fmin(next, others) + d->thread.phases * fmin(stall, others);
    life->covered[1] = d->thread.phases * fmin(stall, requests * fmax(0, d->block_warps - 1));
}

static wl_waiting assume(const wl_turnover *n, const wl_demand *d)
{
    /* the block itself fetches lines from DRAM */
    const double met = 1 - exp(-d->dram.read / n->l1.line / d->blocks);
    const double missed = met * (n->l2.latency - wl_wait_of_phase(n)); /* the L1, for certain */
    wl_waiting life = {.known = true,
                       .assumed = true,
                       .issue = d->thread.instructions,
                       .fetches = met,
                       .atomics = 1,
                       .level = {0, wl_wait_of_phase(n) * d->thread.phases + missed, met * wait_for_dram(n, d)}};
    life.stall[WL_STALL_MEMORY] = life.level[1] + life.level[2];
    life.stall[WL_STALL_DEPENDENCE] = fmax(0, n->sm.instruction_wait - 1) * life.issue;
    life.stall[WL_STALL_BARRIER] = n->sm.barrier_latency * d->barriers;
    life.cycles = life.issue;
    for (int c = 0; c < WL_STALL_COUNT; c++)
        life.cycles += life.stall[c];
    add_covered(n, d, &life);
    /* warps start together, so that they wait together for the first loads of a loop, and
     * separately from then on */
    life.apart = d->thread.steps <= 1 ? 0 : 1 - 1 / fmax(1, d->thread.phases);
    return life;
}

wl_waiting wl_life_of_block(const wl_turnover *n, const wl_demand *d)
{
    const wl_waiting *life = d->waiting;
    return life && life->known ? *life : assume(n, d);
}
