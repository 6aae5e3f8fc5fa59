/* replay_traffic.c - see replay_traffic.h. SPDX-License-Identifier: MIT */
#include "replay/replay_traffic.h"

#include <math.h>

#include "base/fail.h"
#include "device/device_internal.h"
#include "replay/l1_replay.h"
#include "replay/walk_replay.h"

typedef struct stage {
    const wl_traffic_input *in;
    wl_traffic *out;
    wl_error *err;
} stage;

/* ---- data-dependent loads ---- */

static wl_status replay_loads(const stage *t, wl_arena *arena)
{
    const wl_kernel *k = t->in->view->kernel;
    const wl_population *p = k->source.population;
    const wl_replay_input in = {k,
                                t->in->geometry,
                                (int64_t)t->out->sms,
                                (int64_t)t->out->line,
                                (int64_t)t->out->sector,
                                wl_device_int(t->in->device, WL_DEVICE_sub_partitions),
                                wl_device_or(t->in->device, WL_DEVICE_l1_latency, 0),
                                wl_device_or(t->in->device, WL_DEVICE_l2_latency, 0),
                                p ? p->replayed : 1,
                                p ? p->accesses : 0};
    wl_replay replayed;
    WL_TRY(wl_replay_loads(&in, arena, &replayed, t->err));
    for (size_t i = 0; i < t->out->field_count && replayed.known; i++) {
        t->out->fields[i].replay.replayed = replayed.replayed[i];
        t->out->fields[i].replay.missed = replayed.missed[i];
        t->out->fields[i].replay.found = replayed.found[i];
        t->out->fields[i].replay.units = replayed.units[i];
        t->out->fields[i].replay.lone = replayed.lone[i];
    }
    return WL_OK;
}

/* ---- loops of several blocks through the same data ---- */

/* Replaying is worthwhile if blocks that are not neighbours load the same data, and not all blocks
 * start at the same moment. */
static bool walk_together(const stage *t)
{
    bool common = false;
    for (size_t i = 0; i < t->out->field_count; i++) {
        const wl_field_traffic *f = &t->out->fields[i];
        if (f->replay.replayed || f->loads.random)
            return false;
        common = common || (f->loads.far_common && f->loads.block_sectors > 0);
    }
    return common && t->out->blocks > t->out->wave_blocks;
}

/* Does the L2 still hold so much when the launch repeats? */
static bool stays_in_l2(const stage *t)
{
    return t->in->any_room || wl_data_stays(t->out->footprint, wl_device_or(t->in->device, WL_DEVICE_l2_reuse_room, 0),
                                            wl_device_or(t->in->device, WL_DEVICE_l2_reuse_steepness, 1));
}

static wl_status replay_walks(const stage *t, wl_arena *arena)
{
    wl_walk_input in = {.view = t->in->view,
                        .geometry = t->in->geometry,
                        .costs = t->in->costs,
                        .repeats = t->out->replays == WL_REPLAYS_ALL && stays_in_l2(t)};
    wl_walked walked = {0};
    if (!walk_together(t))
        return WL_OK;
    if (!wl_walk_read(t->in->device, &in))
        return WL_OK;
    WL_TRY(wl_walk_replay(&in, arena, &walked, t->err));
    t->out->replay_size = walked.size;
    for (size_t i = 0; i < t->out->field_count && walked.known; i++) {
        t->out->fields[i].replay.walked = t->out->fields[i].loads.far_common && t->out->fields[i].loads.requested > 0;
        t->out->fields[i].replay.missed = walked.missed[i];
        t->out->fields[i].replay.walk = walked.fields[i];
    }
    return WL_OK;
}

wl_status wl_replay_traffic(const wl_traffic_input *input, wl_replays replays, wl_arena *arena, wl_traffic *traffic,
                            wl_error *err)
{
    const stage t = {input, traffic, err};
    const bool loads = input->view->kernel->source.visit_loads;
    traffic->replays = loads || walk_together(&t) ? replays : WL_REPLAYS_ALL;
    if (traffic->replays == WL_REPLAYS_NONE)
        return WL_OK;
    WL_TRY(replay_loads(&t, arena));
    return replay_walks(&t, arena);
}
