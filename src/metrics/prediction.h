/* prediction.h - the results of one launch, as later stages fill and read them. Callers of the
 * library use the getters of warpline/predict.h.
 *
 * Layer  metrics (uses laws). Units: metrics.def; seconds, cycles.
 * SPDX-License-Identifier: MIT */
#ifndef WL_METRICS_PREDICTION_H
#define WL_METRICS_PREDICTION_H

#include "footprint/count.h"
#include "kernel/gaps.h"
#include "kernel/work_unit.h"
#include "laws/volumes.h"
#include "warpline/predict.h"

/* The error that is stated: so many standard errors; one sample in 370 is farther off. */
#define WL_STATED_ERRORS 3

/* A named part of a metric; the parts of a value add up to it. */
#define WL_PARTS_MAX 8
typedef struct wl_part {
    const char *name;
    double value;
} wl_part;

/* An unknown value has known == false: never 0, never -1. */
typedef struct wl_value {
    bool known;
    double value;
    int part_count;
    wl_part parts[WL_PARTS_MAX];
} wl_value;
/* The value of a part; 0 if there is none of that name. */
double wl_value_part(const wl_value *value, const char *name);

/* What a block waits for, in cycles. */
typedef struct wl_block_waits {
    double start;              /* until its first instruction */
    double issue;              /* while its longest warp issues */
    double dependence, shared; /* for arithmetic; for shared memory or shuffles */
    double fetch;              /* for instructions */
    double level[3];           /* for L1, L2 and DRAM without load */
    double queue;              /* additional wait for DRAM, because others use it */
    double barrier;
} wl_block_waits;

/* The components of the time of the model turnover, in seconds. */
typedef struct wl_turnover_steps {
    double own, even; /* the busiest unit, on the busiest multiprocessor and on average */
    double sm;        /* a multiprocessor, with the waits that other blocks do not hide */
    double l2, dram;  /* the memory's bounds, */
    double alone[2];  /* parts of the L2's and of DRAM's time that overlap with nothing; */
    double memory;    /* all of these, */
    double conflicts; /* waits between requests that change parts of one line; */
    double rest;      /* multiprocessors, memory and these, */
    double together;  /* and atomics as well; */
    double atomics;   /* the weight of atomics in it: a share */
    double longest;   /* until the longest block ends; */
    double apart;     /* of sm: from when blocks would end together to the last end */
    double first_end; /* until the first block ends: from then on, blocks retire one by one; */
    /* until unequal blocks have ended, and if they were distributed evenly; 0: they are alike */
    double filled, balanced;
    double last, started; /* the last blocks take longer by; before the first one starts */
} wl_turnover_steps;

typedef struct wl_model_result {
    wl_model_id id; /* never WL_MODEL_BEST */
    double time_s, items_per_s;
    double launch_gap_s; /* by how much longer a launch takes between two events of the host */
    /* that the multiprocessors run at, and how busy tensor cores are meanwhile; 0: not known */
    double clock_hz, tensor_load;
    wl_bound_id limiter, next;      /* the largest bound and the one after it */
    double own_cycles, wait_cycles; /* of one block: turnover only */
    /* how much later the last block ends than if all ended together */
    double tail_cycles;
    bool from_life;       /* the wait comes from the lives of warps */
    wl_block_waits waits; /* the wait by cause; like the steps, for turnover only */
    wl_turnover_steps steps;
    wl_caches caches; /* when the launch starts */
    double remains;   /* share of the data that an earlier launch has left in the L2 */
    struct {
        int count; /* of kinds of blocks; 0: all are about alike */
        /* the one whose last block ends last, longest first; -1: none in particular */
        int last;
        /* of that kind, or of the longest: number of blocks, and wait of its longest block */
        double blocks, wait_cycles;
    } kinds;
    bool bound_known[WL_BOUND_COUNT];
    double bound_s[WL_BOUND_COUNT];
    /* about by how much the time falls with each: turnover only; the stack has it exactly */
    double weight[WL_BOUND_COUNT];
} wl_model_result;

/* What a warning is about. */
typedef enum wl_warning_kind {
    WL_WARNING_ACT,     /* something is missing or wrong that the user can give or mend */
    WL_WARNING_ASSUMED, /* how the prediction was made, and what it assumes */
    WL_WARNING_SAMPLED, /* which numbers come from a sample */
    WL_WARNING_GAP      /* what the prediction leaves out or guesses: shown above all else */
} wl_warning_kind;

/* Of two bounds of one unit, the one that takes more of its time. */
wl_bound_id wl_larger_bound(const wl_model_result *model, wl_bound_id a, wl_bound_id b);

#define WL_OUTSIDE_SHOWN 4
#define WL_WARNINGS_MAX 32
#define WL_WARNING_LENGTH 240

struct wl_prediction {
    wl_launch launch; /* with everything filled in */
    wl_occupancy occupancy;
    const char *sm_word; /* what the device's vendor calls a multiprocessor: "SM" or "CU" */
    int64_t items;       /* lattice updates or cells: */
    wl_work_unit work_unit;
    int64_t threads_per_block, blocks, wave_blocks;
    double waves;
    wl_value metrics[WL_METRIC_COUNT];
    bool has_mix; /* the kernel states or counts its instructions by class */
    wl_mix mix;
    double bulk_sectors;                      /* of all sectors: of bulk copies, beside the L1 */
    double l1_oversubscription, l1_miss_rate; /* of reloads */
    wl_reuse reuse[3];                        /* x, y, z */
    /* the L1 estimator is the tag hash, else the bank-distance rule */
    bool has_tag_hash;
    wl_volume_estimator volume_estimator;
    wl_count_method count_method;
    bool has_replayed;    /* L2 loads of some fields come from a replay: see `replayed` */
    bool sampled;         /* counts of instructions or sectors come from a sample of blocks */
    double sampled_error; /* WL_STATED_ERRORS standard errors */
    wl_model_result model;
    bool confidence;   /* to be shown: the measured or estimated error on this device */
    int clamped;       /* values that contradicted an invariant: metrics/invariants.h */
    int outside_count; /* accesses outside of all buffers: */
    wl_outside outside[WL_OUTSIDE_SHOWN];
    int warning_count;
    char warnings[WL_WARNINGS_MAX][WL_WARNING_LENGTH];
    wl_warning_kind warning_kind[WL_WARNINGS_MAX];
    /* bytes of the elements that are loaded, and stored, each once; made with the stacks */
    bool has_distinct;
    double distinct[2];
    /* Borrowed from the predictor: valid until its next prediction. `accesses` is NULL unless asked
     * for. */
    /* the kernel at this launch; the shares refer to its fields and accesses */
    const wl_kernel *kernel;
    const wl_share *fields;
    const bool *replayed; /* by field: its L2 loads come from a replay */
    const wl_share *accesses;
    /* most executed first; NULL unless asked for and source lines are known */
    const wl_line_mix *lines;
    size_t line_count;
    /* of count/view.h: the kernel's shapes, the same for all launches; or NULL */
    const struct wl_view *fixed_view;
    const struct wl_stacks *stacks; /* of model/stacks.h; NULL unless asked for */
};

/* The waits by name. */
#define WL_NAMED_WAITS 10
typedef struct wl_named_wait {
    const char *name;
    double cycles;
} wl_named_wait;
int wl_named_waits(const wl_block_waits *waits, wl_named_wait out[WL_NAMED_WAITS]);

/* "tag-hash" or "bank-distance", "reuse-sets", "l2-partitions" or "simulated", "closed form",
 * "rows" or "threads" */
const char *wl_l1_estimator_name(bool has_tag_hash);
const char *wl_volume_estimator_name(wl_volume_estimator estimator);
const char *wl_count_method_name(wl_count_method method);

#endif /* WL_METRICS_PREDICTION_H */
