/* ranker.h - a ranker: the launches of a space that exist for one kernel and device.
 *
 * Layer  search (uses base, device, kernel, launch, and predictions).
 * Oracle  tests/unit/test_ranker.c, test_rank.c
 * SPDX-License-Identifier: MIT */
#ifndef WL_SEARCH_RANKER_H
#define WL_SEARCH_RANKER_H

#include "metrics/prediction.h"
#include "search/space.h"

#define WL_RANK_NOTES_MAX 4
#define WL_RANK_NOTE_LENGTH 200

typedef struct wl_rank_fold {
    int64_t fold[3], registers; /* 0: what the kernel states */
} wl_rank_fold;

/* The folding and schedule that a block is launched with. */
typedef struct wl_rank_way {
    uint32_t fold, schedule; /* indices into the lists */
} wl_rank_way;

struct wl_ranker {
    const wl_kernel *kernel;
    const wl_device *device;
    wl_rank_options options;
    wl_arena arena;
    int64_t items, warp_size; /* items 0: determined by the grid */
    /* launch number n: block by block, each with all its ways; or launches[n] */
    int32_t (*blocks)[3];
    size_t block_count;
    wl_rank_fold *folds;
    size_t fold_count;
    wl_schedule_list schedules;
    wl_rank_way *ways[2]; /* of blocks with several dimensions, and of blocks that are one row */
    size_t way_count[2];
    int64_t *starts; /* launches before each block; one more than blocks */
    wl_launch *launches;
    bool has_schedules; /* kept, as each line of a table asks */
    int64_t size;
    wl_grid_rule *grid; /* for launches that state no grid; NULL: determined by the domain */
    const wl_where *conditions[WL_CONDITIONS_MAX];
    size_t condition_count;           /* the kernel's, then the space's */
    int64_t before[WL_OUTCOME_COUNT]; /* launches that the lists exclude already */
    char notes[WL_RANK_NOTES_MAX][WL_RANK_NOTE_LENGTH];
    size_t note_count;
    wl_predictor **predictors; /* one per thread */
    int threads;
    int64_t done_before; /* launches of earlier parts, for progress */
};

/* Does any launch have a schedule, so that tables need a column for it? */
bool wl_ranker_has_schedules(const wl_ranker *ranker);

/* Fills blocks, folds and schedules, and counts the excluded launches. */
wl_status wl_ranker_enumerate(wl_ranker *ranker, const wl_space *space, wl_error *err);

/* Launches in any order. */
wl_status wl_ranker_evaluate_listed(wl_ranker *ranker, const int64_t *launches, size_t count, wl_ranked *records,
                                    wl_error *err);

/* The launch that wl_rank would put first; *found is false if none was predicted. Only those are
 * replayed that can be: the others take longer whatever their L2 does (wl_time_has_least). */
wl_status wl_rank_fastest(wl_ranker *ranker, wl_ranked *best, bool *found, wl_error *err);

/* Units of work of one launch. */
int64_t wl_ranker_launch_items(const wl_ranker *ranker, int64_t index);
/* What had to be assumed for all launches; NULL beyond the last. */
const char *wl_ranker_note(const wl_ranker *ranker, size_t index);

#endif /* WL_SEARCH_RANKER_H */
