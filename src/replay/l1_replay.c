/* l1_replay.c - see l1_replay.h. SPDX-License-Identifier: MIT */
#include "replay/l1_replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "cache/line_shelf.h"
#include "expr/operate.h"
#include "replay/warp_queue.h"

#define PAIR 2          /* multiprocessors that share a path to the L2 */
#define PAIRS 2         /* replayed */
#define FIRST_ROOM 1024 /* loads of a block */
/* at most so many blocks, one after another, in one place of a multiprocessor */
#define GENERATIONS 6
#define WARPS_MAX 32        /* of a block */
#define DEPTH_MAX 8         /* of chains of dependent loads; deeper loads are issued together */
#define LOADS_LEAST 512.0   /* of a warp, where blocks are replayed in part */
#define REQUESTS_MAX 400000 /* of a resident block; later ones are left out */

/* ---- what the blocks load ---- */

typedef struct load {
    uint64_t line;
    uint32_t sectors;
    uint16_t field;
    uint16_t depth;
    bool bypasses_l1;
    bool settled; /* it represents what is not replayed */
    bool first;   /* line of its instruction */
    uint32_t group;
    int32_t next;
} load;

/* The loads of a warp, in the order in which they are issued. */
typedef struct queue {
    int32_t first, last; /* -1: none */
    /* last load before the current group, and of each depth of it */
    int32_t before, deep[DEPTH_MAX];
    uint32_t group;
    int32_t recorded, visited;
} queue;

/* One place for a resident block. */
typedef struct place {
    load *loads;
    int32_t count, room;
    queue warps[WARPS_MAX];
    int generation;
    int left; /* warps that have not ended */
} place;

typedef struct player {
    const wl_replay_input *in;
    wl_shelf caches[PAIR];
    wl_shelf passed[PAIR]; /* what loads requested that leave the L1 alone: requests for it merge */
    place *places[PAIR];
    int64_t resident;      /* places of each */
    int32_t most_recorded; /* requests of a warp */
    double part;           /* of its loads that are replayed; 1: all */
    double most_visited;   /* loads of a warp; 0: all */
    int sector_shift, line_shift;
    wl_warp_queue queues[PAIR];
    double now[PAIR];
    int64_t started[PAIR]; /* blocks */
    /* of a pair, by field; of the first generation, and of later ones */
    double *requested[2], *missed[2], *found[2];
    double *all[2], *all_missed[2], *all_found[2]; /* of all pairs */
    /* of a pair, by field: pairs of sectors that miss together; single sectors */
    double *units, *lone;
    double *all_units, *all_lone; /* of all pairs */
    wl_error *err;
} player;

typedef struct recorder {
    const player *player;
    place *place;
} recorder;

/* Inserts a load after those of its group that are not deeper. */
static void put_in_queue(load *loads, int32_t at, queue *q)
{
    load *l = &loads[at];
    if (q->first < 0 || l->group != q->group) {
        q->before = q->last;
        q->group = l->group;
        for (int d = 0; d < DEPTH_MAX; d++)
            q->deep[d] = -1;
    }
    int32_t after = q->before;
    for (int d = 0; d <= l->depth; d++)
        after = q->deep[d] >= 0 ? q->deep[d] : after;
    int32_t *link = after >= 0 ? &loads[after].next : &q->first;
    l->next = *link;
    *link = at;
    q->deep[l->depth] = at;
    q->last = l->next < 0 ? at : q->last;
    q->recorded++;
}

static bool append(place *p, int warp, const load *l)
{
    if (p->count == p->room) {
        const int32_t room = p->room ? 2 * p->room : FIRST_ROOM;
        load *larger = realloc(p->loads, (size_t)room * sizeof *larger);
        if (!larger)
            return false;
        p->loads = larger;
        p->room = room;
    }
    const int32_t at = p->count++;
    p->loads[at] = *l;
    put_in_queue(p->loads, at, &p->warps[warp]);
    return true;
}

/* Adds the sectors of one lane to the lines of its instruction, which start at `start`. */
static bool add_lane(const recorder *r, const wl_load_touch *t, int32_t start, int64_t address)
{
    const int sector = r->player->sector_shift, per_line = r->player->line_shift - sector;
    for (int64_t s = wl_shift_down(address, sector); s <= wl_shift_down(address + t->bytes - 1, sector); s++) {
        const uint64_t line = (uint64_t)wl_shift_down(s, per_line);
        const uint32_t bit = 1u << (s & (((int64_t)1 << per_line) - 1));
        int32_t i = start;
        while (i < r->place->count && r->place->loads[i].line != line)
            i++;
        if (i < r->place->count) {
            r->place->loads[i].sectors |= bit;
            continue;
        }
        const load l = {.line = line,
                        .sectors = bit,
                        .field = (uint16_t)t->field,
                        .depth = (uint16_t)(t->depth < DEPTH_MAX ? t->depth : DEPTH_MAX - 1),
                        .bypasses_l1 = t->bypasses_l1,
                        .settled =
                            r->player->part < 1 && 2 * r->place->warps[t->warp].visited > r->player->most_visited,
                        .group = t->group,
                        .first = r->place->count == start};
        if (!append(r->place, (int)t->warp, &l))
            return false;
    }
    return true;
}

static wl_status record(void *user, const wl_load_touch *t, wl_error *err)
{
    const recorder *r = user;
    const int32_t start = r->place->count;
    int n = 0;
    /* a block that is too long is cut in all its warps, so that they still share data */
    if (t->warp >= WARPS_MAX || r->place->warps[t->warp].recorded >= r->player->most_recorded) {
        *t->enough = t->warp < WARPS_MAX;
        return WL_OK;
    }
    *t->enough = r->player->part < 1 && ++r->place->warps[t->warp].visited >= r->player->most_visited;
    for (uint64_t left = t->lanes; left; left &= left - 1)
        if (!add_lane(r, t, start, t->address[n++]))
            return wl_fail_memory(err);
    return WL_OK;
}

static wl_status start_block(player *p, place *at, int64_t number, int generation)
{
    recorder r = {p, at};
    int64_t block[3];
    at->count = 0;
    at->generation = generation;
    for (int w = 0; w < WARPS_MAX; w++)
        at->warps[w] = (queue){.first = -1, .last = -1};
    wl_block_at(p->in->geometry, number, block);
    return p->in->kernel->source.visit_loads(p->in->kernel->source.context, block, record, &r, p->err);
}

/* ---- the cache ---- */

/* Requests sectors of a line; returns those that miss. *there: when all of them are there. */
static uint32_t request(const player *p, wl_shelf *l1, uint64_t line, uint32_t sectors, double now, double *there)
{
    wl_shelf_piece *piece = wl_shelf_use(l1, line, 1);
    const uint32_t missing = sectors & ~piece->sectors;
    if (missing) {
        piece->fresh = missing | (piece->there > now ? piece->fresh : 0);
        piece->there = now + p->in->miss;
    }
    piece->sectors |= sectors;
    *there = piece->there;
    return missing;
}

/* Sectors in flight: requested so shortly before or after that the requests merge. */
static uint32_t on_their_way(const player *p, const wl_shelf *l1, uint64_t line, double now)
{
    const wl_shelf_piece *piece = wl_shelf_find(l1, line);
    return piece && fabs(piece->there - p->in->miss - now) < p->in->miss ? piece->fresh : 0;
}

/* ---- the replay ---- */

/* A request for sectors of one line. */
static void count_missed(player *p, int later, size_t field, uint32_t missed)
{
    const uint32_t first_halves = 0x55555555u;
    p->missed[later][field] += __builtin_popcount(missed);
    p->units[field] += __builtin_popcount((missed | missed >> 1) & first_halves);
    p->lone[field] += __builtin_popcount(missed) == 1;
}

/* Sectors of an instruction whose lines have all hit so far. */
typedef struct hit_so_far {
    const load *instruction; /* its first line; NULL: none */
    int later, sectors;
} hit_so_far;

static void count_found(player *p, const hit_so_far *f)
{
    if (f->instruction)
        p->found[f->later][f->instruction->field] += f->sectors;
}

/* Replays the loads that a warp issues before it waits for one of them, a line per cycle; returns
 * when all are there. An instruction of which one line misses takes as long as if all did. */
static double play(player *p, int sm, place *at, queue *warp)
{
    const load start = at->loads[warp->first];
    hit_so_far hits = {0};
    double ready = 0;
    while (warp->first >= 0) {
        const load *l = &at->loads[warp->first];
        if (l->group != start.group || l->depth != start.depth)
            break;
        const int later = at->generation > 0 || l->settled;
        const double now = p->now[sm]++;
        wl_shelf *shelves = l->bypasses_l1 ? p->passed : p->caches;
        double there;
        const uint32_t absent = request(p, &shelves[sm], l->line, l->sectors, now, &there);
        const uint32_t missed = l->bypasses_l1 ? l->sectors : absent;
        const uint32_t other = missed ? on_their_way(p, &shelves[1 - sm], l->line, now) : 0;
        ready = fmax(ready, l->bypasses_l1 ? now + p->in->miss : there);
        p->requested[later][l->field] += __builtin_popcount(l->sectors);
        if (l->first) {
            count_found(p, &hits);
            hits = (hit_so_far){l, later, 0};
        }
        hits.sectors += __builtin_popcount(l->sectors);
        if (there > now || l->bypasses_l1)
            hits.instruction = NULL;
        count_missed(p, later, l->field, missed & ~other);
        warp->first = l->next;
    }
    count_found(p, &hits);
    return fmax(ready, p->now[sm] + p->in->hit);
}

/* Starts the next block in a place that is free. All have one age: waits are those of an idle L2,
 * so more warps are ready than on a GPU, and preferring the oldest would keep the others from
 * sharing anything (validate/notes/replay.md). */
static wl_status fill_place(player *p, int sm, int64_t place_number, int64_t first, int64_t most)
{
    place *at = &p->places[sm][place_number];
    at->left = 0;
    while (at->left == 0) {
        const int64_t next = first + sm + p->started[sm] * p->in->sms;
        if (p->started[sm] >= most || next >= p->in->geometry->blocks)
            return WL_OK;
        WL_TRY(start_block(p, at, next, (int)(p->started[sm] / p->resident)));
        p->started[sm]++;
        for (int32_t w = 0; w < WARPS_MAX; w++)
            if (at->warps[w].first >= 0) {
                const wl_queued queued = {.ready = p->now[sm], .warp = (int32_t)(place_number * WARPS_MAX + w)};
                wl_warp_queue_add(&p->queues[sm], &queued);
                at->left++;
            }
    }
    return WL_OK;
}

/* The next event of a multiprocessor; false: all its blocks have ended. */
static wl_status play_next(player *p, int sm, int64_t first, int64_t most, bool *busy)
{
    const int32_t next = wl_warp_queue_next(&p->queues[sm], &p->now[sm]);
    *busy = next >= 0;
    if (next < 0)
        return WL_OK;
    place *at = &p->places[sm][next / WARPS_MAX];
    queue *warp = &at->warps[next % WARPS_MAX];
    const wl_queued queued = {.ready = play(p, sm, at, warp), .warp = next, .loads = true};
    if (warp->first >= 0) {
        wl_warp_queue_add(&p->queues[sm], &queued);
        return WL_OK;
    }
    return --at->left > 0 ? WL_OK : fill_place(p, sm, next / WARPS_MAX, first, most);
}

/* Two neighbours, `most` blocks each at most. */
static wl_status play_pair(player *p, int64_t first, int64_t most)
{
    bool busy[PAIR] = {true, true};
    for (int sm = 0; sm < PAIR; sm++) {
        p->started[sm] = 0;
        p->now[sm] = 0;
        wl_warp_queue_clear(&p->queues[sm]);
        for (int64_t i = 0; i < p->resident; i++)
            WL_TRY(fill_place(p, sm, i, first, most));
    }
    while (busy[0] || busy[1]) {
        const int sm = busy[0] && (!busy[1] || p->now[0] <= p->now[1]) ? 0 : 1;
        WL_TRY(play_next(p, sm, first, most, &busy[sm]));
    }
    return WL_OK;
}

/* The caches start empty: the first generation represents itself, later ones all others. Of blocks
 * that are replayed in part, the second half of that part represents the rest. */
static void mean_of_generations(const player *p, wl_replay *out)
{
    const wl_geometry *g = p->in->geometry;
    const double each = (double)g->blocks / (double)p->in->sms, start = p->part < 1 ? p->part / 2 : 1;
    const double cold = start * fmin(1, (double)p->resident / fmax(each, 1));
    for (size_t f = 0; f < p->in->kernel->field_count; f++) {
        double share = 0, found = 0, weights = 0;
        for (int later = 0; later < 2; later++) {
            const double weight = later ? fmax(0, 1 - cold) : fmin(1, cold);
            if (p->all[later][f] <= 0 || weight <= 0)
                continue;
            share += weight * p->all_missed[later][f] / p->all[later][f];
            found += weight * p->all_found[later][f] / p->all[later][f];
            weights += weight;
        }
        out->replayed[f] = weights > 0;
        out->missed[f] = weights > 0 ? share / weights : 0;
        out->found[f] = weights > 0 ? found / weights : 0;
        const double missed = p->all_missed[0][f] + p->all_missed[1][f];
        out->units[f] = missed > 0 ? p->all_units[f] / missed : 0;
        out->lone[f] = p->all_units[f] > 0 ? p->all_lone[f] / p->all_units[f] : 0;
    }
}

/* Adds a pair to the sums. Pairs that are drawn in proportion to their loads have equal weight. */
static void add_pair(player *p, bool drawn)
{
    double sum = 0;
    for (int i = 0; i < 2; i++)
        for (size_t f = 0; f < p->in->kernel->field_count; f++)
            sum += p->requested[i][f];
    const double weight = drawn && sum > 0 ? 1 / sum : 1;
    for (int i = 0; i < 2; i++)
        for (size_t f = 0; f < p->in->kernel->field_count; f++) {
            p->all[i][f] += weight * p->requested[i][f];
            p->all_missed[i][f] += weight * p->missed[i][f];
            p->all_found[i][f] += weight * p->found[i][f];
            p->requested[i][f] = p->missed[i][f] = p->found[i][f] = 0;
        }
    for (size_t f = 0; f < p->in->kernel->field_count; f++) {
        p->all_units[f] += weight * p->units[f];
        p->all_lone[f] += weight * p->lone[f];
        p->units[f] = p->lone[f] = 0;
    }
}

/* The first block of the pair on which a drawn block runs, from about when that starts. */
static int64_t first_around(const player *p, int64_t number, int64_t most, int64_t later)
{
    const int64_t sm = number % p->in->sms, before = number / p->in->sms - most / 2;
    return sm - sm % PAIR + wl_max(0, wl_min(later, before)) * p->in->sms;
}

static wl_status play_pairs(player *p, int64_t lines)
{
    const wl_geometry *g = p->in->geometry;
    const wl_population *population = p->in->kernel->source.population;
    const int drawn = population ? population->drawn_count : 0;
    const int64_t sms = wl_min(p->in->sms, g->blocks), wanted = drawn ? drawn : PAIRS,
                  blocks = (int64_t)fmax(1, p->in->blocks),
                  pairs = wl_max(1, wl_min(wl_min(wanted, sms / PAIR), blocks / PAIR));
    const int64_t most =
        p->part < 1 ? p->resident : wl_max(1, wl_min(GENERATIONS * p->resident, blocks / (PAIR * pairs)));
    /* blocks of a multiprocessor that are left out */
    const int64_t later = wl_max(0, g->blocks / p->in->sms - most);
    /* if fewer blocks are replayed than are resident, they get their share of the cache */
    const int64_t together = wl_min(p->resident, most), part = lines * together / p->resident;
    p->resident = together;
    for (int64_t i = 0; i < pairs; i++) {
        const int64_t skipped = pairs > 1 ? later * i / (pairs - 1) : 0, middle = sms * (2 * i + 1) / (2 * pairs);
        const int64_t first = drawn ? first_around(p, population->drawn[(2 * i + 1) * drawn / (2 * pairs)], most, later)
                                    : middle - middle % PAIR + skipped * p->in->sms;
        for (int sm = 0; sm < PAIR; sm++) {
            wl_shelf_clear(&p->caches[sm], wl_max(1, part));
            wl_shelf_clear(&p->passed[sm], wl_max(1, part));
        }
        WL_TRY(play_pair(p, first, most));
        add_pair(p, drawn > 0);
    }
    return WL_OK;
}

static bool make_player(player *p, int64_t lines, wl_arena *arena)
{
    const size_t fields = p->in->kernel->field_count;
    double **const sums[] = {&p->requested[0], &p->requested[1], &p->missed[0],     &p->missed[1],
                             &p->all[0],       &p->all[1],       &p->all_missed[0], &p->all_missed[1],
                             &p->found[0],     &p->found[1],     &p->all_found[0],  &p->all_found[1],
                             &p->units,        &p->lone,         &p->all_units,     &p->all_lone};
    bool ok = true;
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++) {
        *sums[i] = WL_ARENA_NEW(arena, double, fields);
        ok = ok && *sums[i];
    }
    for (int sm = 0; sm < PAIR && ok; sm++) {
        p->places[sm] = WL_ARENA_NEW(arena, place, p->resident);
        ok = p->places[sm] && wl_shelf_make(&p->caches[sm], lines, WL_SHELF_OLDER_OF_TWO, arena) &&
             wl_shelf_make(&p->passed[sm], lines, WL_SHELF_OLDER_OF_TWO, arena) &&
             wl_warp_queue_make(&p->queues[sm], p->resident * WARPS_MAX, p->in->schedulers, arena);
    }
    return ok;
}

wl_status wl_replay_loads(const wl_replay_input *in, wl_arena *arena, wl_replay *out, wl_error *err)
{
    const wl_geometry *g = in->geometry;
    const size_t fields = in->kernel->field_count;
    const int64_t lines = g->occupancy.l1_bytes / in->line,
                  resident = wl_min(g->occupancy.blocks_per_sm, wl_ceil_div(g->blocks, in->sms));
    const int64_t warps =
        wl_max(1, wl_min(WARPS_MAX, wl_ceil_div(g->threads, wl_max(1, in->kernel->source.warp_size))));
    player p = {.in = in,
                .resident = resident,
                .most_recorded = (int32_t)(REQUESTS_MAX / warps),
                .sector_shift = wl_log2(in->sector),
                .line_shift = wl_log2(in->line),
                .err = err};
    /* blocks that are resident on a pair; the shorter their parts, the less is known of what they
     * find in the cache */
    const double pair = (double)wl_min(PAIR * resident, g->blocks), loads = in->loads / (double)warps;
    p.part = in->loads > 0 ? fmin(1, fmax(in->blocks / pair, LOADS_LEAST / fmax(1, loads))) : 1;
    p.most_visited = p.part * loads;
    *out = (wl_replay){0};
    if (!in->kernel->source.visit_loads || lines < 1 || fields > UINT16_MAX)
        return WL_OK;
    out->replayed = WL_ARENA_NEW(arena, bool, fields);
    out->missed = WL_ARENA_NEW(arena, double, fields);
    out->found = WL_ARENA_NEW(arena, double, fields);
    out->units = WL_ARENA_NEW(arena, double, fields);
    out->lone = WL_ARENA_NEW(arena, double, fields);
    const bool made =
        make_player(&p, lines, arena) && out->replayed && out->missed && out->found && out->units && out->lone;
    const wl_status status = made ? play_pairs(&p, lines) : wl_fail_memory(err);
    for (int sm = 0; sm < PAIR; sm++)
        for (int64_t i = 0; p.places[sm] && i < resident; i++)
            free(p.places[sm][i].loads);
    if (status != WL_OK)
        return status;
    mean_of_generations(&p, out);
    out->known = true;
    return WL_OK;
}
