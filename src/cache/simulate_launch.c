/* simulate_launch.c - see simulate_launch.h. SPDX-License-Identifier: MIT */
#include "cache/simulate_launch.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/room.h"
#include "cache/hierarchy.h"
#include "cache/tasks.h"
#include "device/device_internal.h"
#include "kernel/program.h"

#define ADDRESSES_DEFAULT ((int64_t)1 << 26)
#define REQUESTS_MAX ((int64_t)1 << 23) /* of concurrent blocks: 128 MiB */
#define ADDRESSES_OF_REQUEST 8          /* or more: lanes that share a line, in most kernels */
#define SECTORS_MAX 8                   /* of a line */
#define L2_WAYS 16
#define FILLED_MAX 1e9 /* addresses of the blocks of one multiprocessor: a minute */
#define REGISTER_BYTES 4
#define EXPECTED 4 /* requests of a warp whose memory is fetched before */

/* What one instruction of a warp requests from one line. */
typedef struct request {
    uint64_t line;
    uint16_t sectors;
    bool store, last; /* last: of its instruction */
    bool bypasses_l1;
    uint8_t width;   /* bytes of a lane */
    int32_t written; /* of stores that do not fill their sectors: first of their masks, else -1 */
} request;

typedef struct warp_stream {
    size_t at, end;
} warp_stream;

/* Sectors that one field moved. */
typedef struct field_moved {
    int64_t l2_to_l1, l1_to_l2, dram_to_l2;
} field_moved;

typedef struct launch_simulation {
    const wl_kernel *kernel;
    const wl_geometry *geometry;
    wl_tasks tasks;
    wl_hierarchy *hierarchy;
    int64_t line, sector;
    int sectors;
    int64_t sms, simulated_sms, resident, warps; /* warps of a block */
    int64_t warp_size, turn;
    bool past_l1;     /* some load leaves the L1 alone */
    int64_t l2_lines; /* of all partitions, as many as are simulated */
    /* of the current generation */
    request *requests;
    size_t request_count, request_room;
    uint32_t *masks;
    size_t mask_count, mask_room;
    size_t instruction; /* first request of the present instruction */
    /* bytes of the sector that its latest lane ended in */
    int64_t sector_start, sector_end;
    warp_stream *streams;
    field_moved *moved, *early; /* one per field: by all blocks, and by those of the first half */
    double addresses;
} launch_simulation;

/* ---- requests of a warp ---- */

static wl_status add_request(launch_simulation *s, uint64_t line, const wl_access *access, wl_error *err)
{
    const bool store = access->store;
    if (!WL_ROOM(s->requests, s->request_count + 1, s->request_room))
        return wl_fail_memory(err);
    if (store && !WL_ROOM(s->masks, s->mask_count + (size_t)s->sectors, s->mask_room))
        return wl_fail_memory(err);
    s->requests[s->request_count++] = (request){.line = line,
                                                .store = store,
                                                .bypasses_l1 = access->bypasses_l1,
                                                .width = (uint8_t)wl_min(access->width_bytes, UINT8_MAX),
                                                .written = store ? (int32_t)s->mask_count : -1};
    if (store) {
        memset(s->masks + s->mask_count, 0, (size_t)s->sectors * sizeof *s->masks);
        s->mask_count += (size_t)s->sectors;
    }
    return WL_OK;
}

/* The instruction's request for a line. */
static wl_status find_request(launch_simulation *s, uint64_t line, const wl_access *access, request **out,
                              wl_error *err)
{
    for (size_t i = s->request_count; i > s->instruction; i--)
        if (s->requests[i - 1].line == line) {
            *out = &s->requests[i - 1];
            return WL_OK;
        }
    WL_TRY(add_request(s, line, access, err));
    *out = &s->requests[s->request_count - 1];
    return WL_OK;
}

/* Parts of a sector that hold the bytes first <= n < end of it. */
static uint32_t parts_of(const launch_simulation *s, int64_t first, int64_t end)
{
    const int64_t a = first * 32 / s->sector, b = wl_ceil_div(end * 32, s->sector);
    return (b - a >= 32 ? ~0u : (1u << (b - a)) - 1) << a;
}

static wl_status add_lane(launch_simulation *s, const wl_access *access, int64_t address, wl_error *err)
{
    const int64_t end = address + access->width_bytes;
    for (int64_t n = wl_floor_div(address, s->sector); n * s->sector < end; n++) {
        const int64_t line = wl_floor_div(n, s->sectors), sector = n - line * s->sectors, start = n * s->sector;
        request *r = NULL;
        s->sector_start = start;
        s->sector_end = start + s->sector;
        WL_TRY(find_request(s, wl_field_line(access->field, line), access, &r, err));
        r->sectors |= (uint16_t)(1u << sector);
        if (r->written >= 0)
            s->masks[r->written + sector] |=
                parts_of(s, wl_max(address, start) - start, wl_min(end, start + s->sector) - start);
    }
    return WL_OK;
}

/* Does the latest lane's sector have all that a lane loads? Neighbours mostly share one. */
static bool is_loaded(const launch_simulation *s, const wl_access *access, int64_t address)
{
    return !access->store && address >= s->sector_start && address + access->width_bytes <= s->sector_end;
}

static bool fills_its_sectors(const launch_simulation *s, const request *r)
{
    bool whole = true;
    for (int i = 0; i < s->sectors; i++)
        whole = whole && (!(r->sectors >> i & 1) || s->masks[r->written + i] == WL_WRITTEN_ALL);
    return whole;
}

static wl_status add_execution(void *user, const wl_warp_execution *e, wl_error *err)
{
    launch_simulation *s = user;
    s->instruction = s->request_count;
    s->addresses += e->lanes;
    s->sector_start = s->sector_end = 0;
    for (int i = 0; i < e->lanes; i++)
        if (!is_loaded(s, e->access, e->addresses[i]))
            WL_TRY(add_lane(s, e->access, e->addresses[i], err));
    for (size_t i = s->instruction; i < s->request_count; i++)
        if (s->requests[i].store && fills_its_sectors(s, &s->requests[i]))
            s->requests[i].written = -1;
    if (s->request_count > s->instruction)
        s->requests[s->request_count - 1].last = true;
    return WL_OK;
}

/* ---- concurrent blocks ---- */

static warp_stream *stream_of(const launch_simulation *s, int64_t sm, int64_t place, int64_t warp)
{
    return &s->streams[(sm * s->resident + place) * s->warps + warp];
}

/* Blocks of generation g; returns how many there are. */
static wl_status load_generation(launch_simulation *s, int64_t generation, int64_t *blocks, wl_error *err)
{
    s->request_count = s->mask_count = 0;
    *blocks = 0;
    for (int64_t sm = 0; sm < s->simulated_sms; sm++)
        for (int64_t place = 0; place < s->resident; place++) {
            const int64_t block = (generation * s->resident + place) * s->sms + sm;
            *blocks += block < s->geometry->blocks;
            for (int64_t w = 0; w < s->warps; w++) {
                warp_stream *stream = stream_of(s, sm, place, w);
                stream->at = s->request_count;
                if (block < s->geometry->blocks)
                    WL_TRY(wl_tasks_visit_warp(&s->tasks, block, w * s->warp_size, add_execution, s, err));
                stream->end = s->request_count;
            }
        }
    return WL_OK;
}

/* The caches' memory for the next requests of a warp. */
static void expect(const launch_simulation *s, int64_t sm, const warp_stream *stream)
{
    if (stream->end - stream->at > EXPECTED)
        wl_hierarchy_expect(s->hierarchy, sm, s->requests[stream->at + EXPECTED].line);
}

/* One instruction of a warp; returns the bytes that its loads take of a thread's registers. */
static int64_t play(launch_simulation *s, int64_t sm, warp_stream *stream)
{
    int64_t bytes = 0;
    for (bool more = true; more && stream->at < stream->end; stream->at++) {
        const request *r = &s->requests[stream->at];
        const wl_request one = {r->line, r->sectors, r->written >= 0 ? s->masks + r->written : NULL};
        expect(s, sm, stream);
        const wl_hierarchy_counts *now = wl_hierarchy_moved(s->hierarchy);
        const field_moved before = {now->l2_to_l1, now->l1_to_l2, now->dram_to_l2};
        if (r->store)
            wl_hierarchy_store(s->hierarchy, sm, &one);
        else if (r->bypasses_l1)
            wl_hierarchy_load_past_l1(s->hierarchy, sm, &one);
        else
            wl_hierarchy_load(s->hierarchy, sm, &one);
        field_moved *field = &s->moved[r->line >> WL_FIELD_SHIFT];
        field->l2_to_l1 += now->l2_to_l1 - before.l2_to_l1;
        field->l1_to_l2 += now->l1_to_l2 - before.l1_to_l2;
        field->dram_to_l2 += now->dram_to_l2 - before.dram_to_l2;
        bytes = r->store ? 0 : wl_max(r->width, REGISTER_BYTES);
        more = !r->last;
    }
    return bytes;
}

/* Does the next instruction of a warp request a line that the warp has requested since `first`, one
 * of them past the L1? It comes later: requests of one warp do not join each other. */
static bool requests_again(const launch_simulation *s, const warp_stream *stream, size_t first)
{
    const request *next = &s->requests[stream->at];
    for (size_t i = first; i < stream->at && s->past_l1; i++)
        if (s->requests[i].line == next->line && (s->requests[i].bypasses_l1 || next->bypasses_l1))
            return true;
    return false;
}

/* A warp issues loads until the values in flight fill its registers. */
static void take_turn(launch_simulation *s, int64_t sm, warp_stream *stream)
{
    const int64_t room = s->geometry->registers * REGISTER_BYTES;
    const size_t first = stream->at;
    int64_t bytes = 0, instructions = 0;
    while (stream->at < stream->end && (s->turn ? instructions < s->turn : bytes < room) &&
           !requests_again(s, stream, first)) {
        bytes += play(s, sm, stream);
        instructions++;
    }
}

/* The first blocks start together, so requests of several multiprocessors in one turn are in flight
 * together. Later blocks start when others end; a single simulated generation that represents
 * several counts as a later one. */
static void play_generation(launch_simulation *s, bool first)
{
    bool busy = true;
    if (!first)
        wl_hierarchy_drift_apart(s->hierarchy);
    while (busy) {
        busy = false;
        if (first)
            wl_hierarchy_next_moment(s->hierarchy);
        for (int64_t sm = 0; sm < s->simulated_sms; sm++)
            for (int64_t i = 0; i < s->resident * s->warps; i++) {
                warp_stream *stream = stream_of(s, sm, 0, i);
                take_turn(s, sm, stream);
                busy = busy || stream->at < stream->end;
            }
    }
}

/* ---- the launch ---- */

/* Caches fill in the first half; the second half is extrapolated to the rest. */
static double extrapolate(const wl_simulated *o, int64_t early_blocks, double early, double all)
{
    const double scale = (double)o->sms / (double)o->simulated_sms, cold = (double)early_blocks * scale,
                 seen = (double)o->simulated * scale, later = (double)o->blocks - cold;
    if (o->simulated == o->blocks && o->simulated_sms == o->sms)
        return all;
    if (seen <= cold)
        return all * (double)o->blocks / (double)o->simulated;
    return scale * (early + (all - early) * later / (seen - cold));
}

static void fill(const launch_simulation *s, const wl_hierarchy_counts *early, const wl_hierarchy_counts *all,
                 int64_t early_blocks, wl_simulated *o)
{
    const double sector = (double)s->sector;
#define TOTAL(field) extrapolate(o, early_blocks, (double)early->field, (double)all->field)
    o->l1_load_sectors = TOTAL(l1.load_sectors);
    o->l1_load_hits = o->l1_load_sectors - TOTAL(l1.fetched_sectors);
    o->l2_load_bytes = sector * TOTAL(l2_to_l1);
    o->l2_store_bytes = sector * TOTAL(l1_to_l2);
    o->l2_load_hits = TOTAL(l2_hits);
    o->dram_load_bytes = sector * TOTAL(dram_to_l2);
    o->dram_store_bytes = sector * TOTAL(l2_to_dram);
#undef TOTAL
}

static void fill_fields(const launch_simulation *s, int64_t early_blocks, const wl_simulated *o,
                        wl_simulated_field *fields)
{
    const double sector = (double)s->sector;
    for (size_t f = 0; fields && f < s->kernel->field_count; f++) {
#define TOTAL(field) (sector * extrapolate(o, early_blocks, (double)s->early[f].field, (double)s->moved[f].field))
        fields[f] = (wl_simulated_field){TOTAL(l2_to_l1), TOTAL(l1_to_l2), TOTAL(dram_to_l2)};
#undef TOTAL
    }
}

static wl_status run(launch_simulation *s, int64_t generations, wl_simulated_field *fields, wl_simulated *out,
                     wl_error *err)
{
    wl_hierarchy_counts early = {0};
    int64_t early_blocks = 0;
    for (int64_t g = 0; g < generations; g++) {
        int64_t blocks = 0;
        WL_TRY(load_generation(s, g, &blocks, err));
        play_generation(s, g == 0 && (generations > 1 || s->geometry->blocks <= s->resident * s->sms));
        out->simulated += blocks;
        if (g != (generations - 1) / 2)
            continue;
        early = wl_hierarchy_count(s->hierarchy);
        early_blocks = out->simulated;
        memcpy(s->early, s->moved, s->kernel->field_count * sizeof *s->early);
        out->l2_filled = early.l2.evicted_lines >= s->l2_lines;
    }
    const int64_t written = wl_hierarchy_count(s->hierarchy).l2_to_dram;
    wl_hierarchy_clean(s->hierarchy);
    const wl_hierarchy_counts all = wl_hierarchy_count(s->hierarchy);
    out->dirty_bytes = (double)((all.l2_to_dram - written) * s->sector) * (double)out->sms / (double)out->simulated_sms;
    /* dirty data at the end is attributed to all blocks equally */
    early.l2_to_dram = out->simulated ? all.l2_to_dram * early_blocks / out->simulated : 0;
    out->addresses = s->addresses;
    fill(s, &early, &all, early_blocks, out);
    fill_fields(s, early_blocks, out, fields);
    return WL_OK;
}

static double addresses_of_block(const launch_simulation *s)
{
    const wl_geometry *g = s->geometry;
    const wl_population *p = s->kernel->source.population;
    double sum = 0;
    for (size_t i = 0; i < s->kernel->access_count; i++) {
        const bool traced = s->kernel->accesses[i].traced && p && p->lanes[i] >= 0;
        sum += traced ? p->lanes[i]
                      : (double)(g->threads * g->fold[0] * g->fold[1] * g->fold[2]) *
                            wl_access_steps(s->kernel, &s->kernel->accesses[i]);
    }
    return sum > 1 ? sum : 1;
}

/* Chooses how many multiprocessors to simulate; returns how many generations of blocks. */
static int64_t plan(launch_simulation *s, const wl_simulate_options *o)
{
    const double budget = (double)(o && o->addresses ? o->addresses : ADDRESSES_DEFAULT);
    const double filled = addresses_of_block(s) * (double)s->resident;
    const double room = (double)REQUESTS_MAX * ADDRESSES_OF_REQUEST;
    const double affordable = (budget < room ? budget : room) / filled;
    const int64_t generations = wl_ceil_div(s->geometry->blocks, s->resident * s->sms);
    s->simulated_sms = affordable >= (double)s->sms ? s->sms : affordable < 1 ? 1 : (int64_t)affordable;
    const double times = budget / (filled * (double)s->simulated_sms);
    return times >= (double)generations ? generations : times < 1 ? 1 : (int64_t)times;
}

static wl_status make_hierarchy(launch_simulation *s, const wl_device *device, const wl_simulate_options *o,
                                wl_error *err)
{
    const int64_t partitions = wl_device_int(device, WL_DEVICE_l2_partitions);
    const int64_t l2 = wl_device_int(device, WL_DEVICE_l2_size) / partitions / s->line * s->simulated_sms / s->sms;
    const int64_t gpcs = wl_device_int(device, WL_DEVICE_gpcs);
    double coalesced = 1;
    (void)wl_device_get(device, WL_DEVICE_l2_merge_blocks, &coalesced);
    const wl_hierarchy_shape shape = {
        .sms = s->simulated_sms,
        .l1 = {.lines = wl_max(1, s->geometry->occupancy.l1_bytes / s->line),
               .sectors = s->sectors,
               .policy = o ? o->policy : WL_POLICY_LRU,
               .seed = o ? o->seed : 0},
        .partitions = partitions,
        .l2 = {.lines = wl_max(L2_WAYS, l2 - l2 % L2_WAYS),
               .ways = L2_WAYS,
               .sectors = s->sectors,
               .hashed_sets = true,
               .write_back = true,
               .store_allocates = true},
        .dram_sectors = (int)wl_max(1, wl_min(s->sectors, wl_device_int(device, WL_DEVICE_dram_fetch) / s->sector)),
        .coalesced = (int64_t)coalesced,
        .gpcs = wl_max(1, (2 * s->simulated_sms * gpcs + s->sms) / (2 * s->sms))};
    s->l2_lines = shape.partitions * shape.l2.lines;
    return wl_hierarchy_new(&shape, &s->hierarchy, err);
}

static wl_status simulate(launch_simulation *s, const wl_device *device, const wl_simulate_options *o, wl_arena *arena,
                          wl_simulated *out, wl_error *err)
{
    const wl_kernel_tasks wanted = {
        .kernel = s->kernel, .geometry = s->geometry, .line_bytes = s->line, .by = s->warp_size};
    const int64_t generations = plan(s, o);
    const double filled = addresses_of_block(s) * (double)s->resident;
    out->simulated_sms = s->simulated_sms;
    out->generations = generations;
    if (filled > FILLED_MAX)
        return wl_fail(err, WL_E_LIMIT, WL_NOWHERE,
                       "the blocks of one multiprocessor have %.3g addresses: too many to simulate", filled);
    WL_TRY(wl_tasks_of_kernel(&wanted, arena, &s->tasks, err));
    s->streams = WL_ARENA_NEW(arena, warp_stream, s->simulated_sms * s->resident * s->warps);
    s->moved = WL_ARENA_NEW(arena, field_moved, s->kernel->field_count + 1);
    s->early = WL_ARENA_NEW(arena, field_moved, s->kernel->field_count + 1);
    if (!s->streams || !s->moved || !s->early)
        return wl_fail_memory(err);
    WL_TRY(make_hierarchy(s, device, o, err));
    const wl_status status = run(s, generations, o ? o->fields : NULL, out, err);
    wl_tasks_forget(&s->tasks);
    return status;
}

wl_status wl_simulate_launch(const wl_kernel *kernel, const wl_device *device, const wl_geometry *g,
                             const wl_simulate_options *options, wl_simulated *out, wl_error *err)
{
    launch_simulation s = {.kernel = kernel, .geometry = g, .past_l1 = wl_kernel_bypasses_l1(kernel)};
    wl_arena arena = {0};
    s.turn = options ? options->turn : 0;
    s.line = wl_device_int(device, WL_DEVICE_l1_line);
    s.sector = wl_device_int(device, WL_DEVICE_l1_sector);
    s.sectors = (int)(s.line / s.sector);
    s.warp_size = wl_device_int(device, WL_DEVICE_warp_size);
    s.warps = wl_ceil_div(g->threads, s.warp_size);
    s.sms = wl_min(wl_device_int(device, WL_DEVICE_sm_count), g->blocks);
    s.resident = wl_max(1, wl_min(g->occupancy.blocks_per_sm, wl_ceil_div(g->blocks, s.sms)));
    *out = (wl_simulated){.blocks = g->blocks, .sms = s.sms};
    if (s.sectors > SECTORS_MAX)
        return wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "lines of %d sectors cannot be simulated", s.sectors);
    const wl_status status = simulate(&s, device, options, &arena, out, err);
    wl_hierarchy_free(s.hierarchy);
    free(s.requests);
    free(s.masks);
    wl_arena_free(&arena);
    return status;
}
