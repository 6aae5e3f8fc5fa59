/* local_count.c - see local_count.h. SPDX-License-Identifier: MIT */
#include "count/local_count.h"

#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"

#define WARPS_MAX 64  /* of a block, tracked separately */
#define MORE_WORDS 64 /* room for later ones */

/* The words of a thread that some lane of a warp has touched. */
typedef struct words {
    uint8_t *seen;
    int64_t room;
} words;

/* What one access of a warp costs if all its lanes use the same word of theirs: the same for all
 * words, as they are a row of memory each. */
typedef struct row_cost {
    uint64_t lanes; /* active; 0: not known */
    int32_t width;
    int64_t in_word; /* bytes before it in the word */
    wl_warp_written written;
    int wavefronts;
} row_cost;

typedef struct tally {
    const wl_l1_rules *rules;
    row_cost latest;
    wl_local sum;
    words warps[WARPS_MAX];
    double lines; /* distinct per warp, of the launch */
} tally;

static wl_status see(tally *t, const wl_local_touch *touch, int64_t word, wl_error *err)
{
    words *w = &t->warps[touch->warp % WARPS_MAX];
    if (word >= w->room) {
        const int64_t room = wl_max(2 * w->room, word + MORE_WORDS);
        uint8_t *larger = realloc(w->seen, (size_t)room);
        if (!larger)
            return wl_fail_memory(err);
        memset(larger + w->room, 0, (size_t)(room - w->room));
        w->seen = larger;
        w->room = room;
    }
    t->lines += w->seen[word] ? 0 : touch->blocks;
    w->seen[word] = 1;
    return WL_OK;
}

static wl_status cost_of(tally *t, const wl_local_touch *touch, int first, row_cost *out, wl_error *err)
{
    const int shift = t->rules->local_word_shift;
    const int64_t word = (int64_t)1 << shift, row = word * t->rules->local_lanes;
    wl_warp_access a = {.width = (int32_t)wl_min(word, touch->bytes)};
    for (uint64_t left = touch->lanes; left; left &= left - 1) {
        const int lane = __builtin_ctzll(left);
        const int64_t at = touch->offset[a.count] + first;
        WL_TRY(see(t, touch, at >> shift, err));
        a.lane[a.count] = (uint8_t)lane;
        a.address[a.count++] = (at >> shift) * row + lane * word + (at & (word - 1));
    }
    const int hit = wl_warp_hit_wavefronts(t->rules, &a);
    const int tag = t->rules->has_hash ? wl_warp_tag_cost(t->rules, &a).tag : 0;
    *out = (row_cost){touch->lanes, a.width, (touch->offset[0] + first) & (word - 1), wl_warp_write(t->rules, &a),
                      hit > tag ? hit : tag};
    return WL_OK;
}

static bool is_one_row(const wl_local_touch *touch)
{
    const int lanes = __builtin_popcountll(touch->lanes);
    for (int i = 1; i < lanes; i++)
        if (touch->offset[i] != touch->offset[0])
            return false;
    return lanes > 0;
}

/* One word per lane; wider accesses are split. */
static wl_status add_words(tally *t, const wl_local_touch *touch, int first, wl_error *err)
{
    const int64_t word = (int64_t)1 << t->rules->local_word_shift, start = touch->offset[0] + first;
    const int32_t width = (int32_t)wl_min(word, touch->bytes);
    row_cost *c = &t->latest, apart;
    if (!is_one_row(touch)) {
        c = &apart;
        WL_TRY(cost_of(t, touch, first, c, err));
    } else if (c->lanes != touch->lanes || c->width != width || c->in_word != (start & (word - 1))) {
        WL_TRY(cost_of(t, touch, first, c, err));
    } else {
        WL_TRY(see(t, touch, start >> t->rules->local_word_shift, err));
    }
    t->sum.wavefronts[touch->store] += touch->blocks * c->wavefronts;
    t->sum.sectors[touch->store] += touch->blocks * c->written.sectors;
    t->sum.units[touch->store] += touch->blocks * c->written.units;
    t->sum.full += touch->store ? touch->blocks * c->written.full : 0;
    t->sum.lines += touch->store ? touch->blocks * c->written.lines : 0;
    return WL_OK;
}

/* touch NULL: end of a block; other warps follow. */
static wl_status add_touch(void *user, const wl_local_touch *touch, wl_error *err)
{
    tally *t = user;
    for (int i = 0; i < WARPS_MAX && !touch; i++)
        if (t->warps[i].seen)
            memset(t->warps[i].seen, 0, (size_t)t->warps[i].room);
    if (!touch)
        return WL_OK;
    t->sum.inst[touch->store] += touch->blocks;
    for (int first = 0; first < touch->bytes; first += 1 << t->rules->local_word_shift)
        WL_TRY(add_words(t, touch, first, err));
    return WL_OK;
}

wl_status wl_local_count(const wl_kernel *kernel, const wl_geometry *g, const wl_l1_rules *rules, wl_local *out,
                         wl_error *err)
{
    tally t = {.rules = rules};
    *out = (wl_local){0};
    if (!kernel->source.visit_local)
        return WL_OK;
    const wl_status status =
        kernel->source.visit_local(kernel->source.context, g->block, g->grid_dim, add_touch, &t, err);
    for (int i = 0; i < WARPS_MAX; i++)
        free(t.warps[i].seen);
    if (status != WL_OK)
        return status;
    *out = t.sum;
    const double row = (double)((int64_t)rules->local_lanes << rules->local_word_shift);
    out->resident_bytes = t.lines / (double)g->blocks * row * (double)wl_min(g->blocks, g->wave_blocks);
    return WL_OK;
}
