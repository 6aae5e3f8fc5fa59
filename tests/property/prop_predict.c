/* prop_predict.c - what every prediction must obey, on random kernels, launches and machines.
 *
 * Machines are built-in devices made small (a few multiprocessors, a few blocks each), so that
 * small launches have several waves. Where a law has an exact answer it is enumerated.
 *
 * WL_SEED sets the first seed and WL_ITERATIONS the number of random cases per test;
 * WL_STATISTICS=1 prints what was compared. SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* the shared headers hold more than one test needs */
#pragma GCC diagnostic ignored "-Wunused-function"
#include "device/device_internal.h"
#include "metrics/prediction.h"
#include "property/random_kernel.h"
#include "property/trial.h"
#include "warpline/predict.h"

#define REFERENCES_MAX 200000 /* of a case; larger ones are left out */
#define LAUNCHES 4

/* A prediction and what it borrows. */
typedef struct outcome {
    wl_prediction p;
    wl_share fields[RANDOM_FIELDS_MAX], accesses[TRIAL_ACCESSES_MAX];
    size_t field_count, access_count;
} outcome;

static struct {
    uint64_t seed, iterations; /* 0 iterations: each test's own number */
    int64_t cases, several_waves, one_wave, first_loads, full_stores, unknown, steps_that_matter, shifts;
} run;

static trial current; /* large, so not on the stack */
static wl_device *device;
static char machine[200]; /* how it was made */
static outcome first, second;
static addresses listed;

static uint64_t iterations(uint64_t usual) { return run.iterations ? run.iterations : effort_cases(usual); }

static double value_of(const outcome *o, wl_metric metric) { return o->p.metrics[metric].value; }

static double part_of(const outcome *o, wl_metric metric, const char *name)
{
    const wl_value *v = &o->p.metrics[metric];
    for (int i = 0; i < v->part_count; i++)
        if (strcmp(v->parts[i].name, name) == 0)
            return v->parts[i].value;
    fail_msg("%s has no part %s", wl_metric_name(metric), name);
    return 0;
}

static bool warned(const outcome *o, const char *words)
{
    for (int i = 0; i < o->p.warning_count; i++)
        if (strstr(o->p.warnings[i], words))
            return true;
    return false;
}

/* ---- checks ---- */

static void complain(const char *what, double expected, double got)
{
    trial_print(&current);
    print_error("machine: %s\n", machine);
    fail_msg("%s: expected %.17g, got %.17g", what, expected, got);
}

static void expect_same(const char *what, double expected, double got)
{
    if (memcmp(&expected, &got, sizeof got) != 0)
        complain(what, expected, got);
}

/* But for rounding in sums whose terms are not larger than `scale`. */
static void expect_near(const char *what, double expected, double got, double scale)
{
    if (!(fabs(expected - got) <= 1e-10 * fmax(scale, fmax(fabs(expected), fabs(got)))))
        complain(what, expected, got);
}

static void expect_at_most(const char *what, double limit, double got)
{
    if (!(got <= limit + 1e-10 * fabs(limit)))
        complain(what, limit, got);
}

/* ---- cases ---- */

static void set_device(const char *key, int64_t value)
{
    char assignment[80];
    wl_error err = {0};
    (void)snprintf(assignment, sizeof assignment, "%s=%lld", key, (long long)value);
    if (wl_device_set(device, assignment, &err) != WL_OK) {
        print_error("machine: %s, %s\n", machine, assignment);
        trial_fail(&current, &err);
    }
}

/* A small machine: small launches fill it several times, and small caches are too small for
 * them. */
static void make_device(random_source *r)
{
    const char *name = wl_device_builtin_name((size_t)random_in(r, 0, (int64_t)wl_device_builtin_count() - 1));
    wl_error err = {0};
    wl_device_free(device);
    device = NULL;
    if (random_chance(r, 40))
        name = random_chance(r, 50) ? "h200" : "a100-40gb";
    if (wl_device_builtin(name, &device, &err) != WL_OK)
        fail_msg("%s: %s", name, err.message);
    (void)snprintf(machine, sizeof machine, "%s", name);
    if (random_chance(r, 20))
        return;
    const int64_t sms = random_in(r, 1, 6), blocks_per_sm = random_in(r, 1, 3), l2 = 4096 << random_in(r, 0, 10);
    (void)snprintf(machine, sizeof machine, "%s with sm_count=%lld max_blocks_per_sm=%lld l2_size=%lld", name,
                   (long long)sms, (long long)blocks_per_sm, (long long)l2);
    set_device("sm_count", sms);
    set_device("max_blocks_per_sm", blocks_per_sm);
    set_device("l2_size", l2);
}

static int64_t references(const trial *t)
{
    const wl_launch *l = &t->input.launch;
    int64_t n = (int64_t)t->kernel->access_count;
    for (int d = 0; d < 3; d++)
        n *= t->grid[d] * l->block[d] * l->fold[d];
    for (int i = 0; i < t->kernel->loop_count; i++)
        n *= t->kernel->loop_extent[i];
    return n;
}

/* False when it is too large. */
static bool start_case(uint64_t seed, random_source *r)
{
    *r = random_start(~seed);
    make_device(r);
    trial_start(&current, device, seed);
    run.cases++;
    return references(&current) <= REFERENCES_MAX;
}

static wl_predictor *make_predictor(void)
{
    wl_predictor *predictor = NULL;
    wl_error err = {0};
    if (wl_predictor_new(current.kernel, device, &predictor, &err) != WL_OK)
        trial_fail(&current, &err);
    return predictor;
}

static void predict(wl_predictor *predictor, const wl_launch *launch, outcome *out)
{
    const wl_predict_options options = {.per_access = true};
    wl_error err = {0};
    if (wl_predict(predictor, launch, &options, &out->p, &err) != WL_OK)
        trial_fail(&current, &err);
    out->field_count = current.kernel->field_count;
    out->access_count = current.kernel->access_count;
    memcpy(out->fields, out->p.fields, out->field_count * sizeof *out->fields);
    memcpy(out->accesses, out->p.accesses, out->access_count * sizeof *out->accesses);
}

static void predict_afresh(const wl_launch *launch, outcome *out)
{
    wl_predictor *predictor = make_predictor();
    predict(predictor, launch, out);
    wl_predictor_free(predictor);
}

/* ---- sums ---- */

static void check_values(const outcome *o)
{
    for (int m = 0; m < WL_METRIC_COUNT; m++) {
        const wl_value *v = &o->p.metrics[m];
        double sum = 0, scale = 0;
        if (!v->known)
            continue;
        if (!isfinite(v->value) || v->value < 0)
            complain(wl_metric_name((wl_metric)m), 0, v->value);
        for (int i = 0; i < v->part_count; i++) {
            sum += v->parts[i].value;
            scale = fmax(scale, fabs(v->parts[i].value));
        }
        if (v->part_count)
            expect_near(wl_metric_name((wl_metric)m), v->value, sum, scale);
    }
    const double requested = value_of(o, WL_METRIC_l1_sectors_ld) * (double)wl_device_int(device, WL_DEVICE_l1_sector);
    if (warned(o, "sample of blocks") || warned(o, "without a closed form"))
        return;
    expect_at_most("compulsory L2 loads, against what is requested", requested,
                   part_of(o, WL_METRIC_l2_load_bytes, "compulsory"));
    expect_at_most("L2 loads, against what is requested", requested, value_of(o, WL_METRIC_l2_load_bytes));
}

/* A given grid may reach beyond the domain, and any one start before it. */
static bool has_idle_blocks(const trial *t)
{
    const wl_launch *l = &t->input.launch;
    for (int d = 0; d < 3 && t->input.dims; d++)
        if ((t->grid[d] - 1) * l->block[d] * l->fold[d] >= t->input.domain[d] ||
            l->block[d] * l->fold[d] <= t->input.first[d])
            return true;
    return false;
}

/* What one wave finds of its predecessors is part of what it loads; and what loads at all loads
 * from memory. */
static void check_reuse(const outcome *o)
{
    if (!o->p.metrics[WL_METRIC_dram_load_bytes].known)
        return;
    const double compulsory = part_of(o, WL_METRIC_dram_load_bytes, "compulsory");
    double overlap = 0;
    for (int d = 0; d < 3; d++) {
        overlap += o->p.reuse[d].overlap_bytes;
        if (o->p.reuse[d].overlap_bytes < 0 || o->p.reuse[d].hit_rate < 0 || o->p.reuse[d].hit_rate > 1)
            complain("reuse of a direction", 0, o->p.reuse[d].hit_rate);
    }
    /* the overlap is that of one wave in the middle, of which others at the edges may load less */
    if (!has_idle_blocks(&current))
        expect_at_most("overlap with earlier blocks, against the loads of a wave",
                       fmax(compulsory / o->p.waves, value_of(o, WL_METRIC_l2_alloc_bytes)), overlap);
    if (value_of(o, WL_METRIC_inst_global_ld) > 0 && compulsory <= 0)
        complain("compulsory memory loads", 1, compulsory);
}

#define SHARE_COUNT (sizeof(wl_share) / sizeof(double))

static wl_share share_of_total(const outcome *o)
{
    const bool known = o->p.metrics[WL_METRIC_dram_load_bytes].known;
    return (wl_share){
        .inst = value_of(o, WL_METRIC_inst_global_ld) + value_of(o, WL_METRIC_inst_global_st),
        .l1_wavefronts = part_of(o, WL_METRIC_l1_wavefronts, "loads") + part_of(o, WL_METRIC_l1_wavefronts, "stores"),
        .l1_sectors = value_of(o, WL_METRIC_l1_sectors_ld) + value_of(o, WL_METRIC_l1_sectors_st),
        .l2_load_bytes = value_of(o, WL_METRIC_l2_load_bytes),
        .l2_store_bytes = value_of(o, WL_METRIC_l2_store_bytes),
        .dram_load_bytes = known ? value_of(o, WL_METRIC_dram_load_bytes) : 0,
        .dram_store_bytes = known ? value_of(o, WL_METRIC_dram_store_bytes) : 0,
    };
}

static void expect_shares(const char *of, const wl_share *expected, const wl_share *got)
{
    static const char *const name[] = {"inst",           "l1_wavefronts",   "l1_sectors",      "l2_load_bytes",
                                       "l2_store_bytes", "dram_load_bytes", "dram_store_bytes"};
    double a[SHARE_COUNT], b[SHARE_COUNT];
    _Static_assert(sizeof name / sizeof name[0] == SHARE_COUNT, "a share was added");
    memcpy(a, expected, sizeof a);
    memcpy(b, got, sizeof b);
    for (size_t i = 0; i < SHARE_COUNT; i++) {
        char what[80];
        (void)snprintf(what, sizeof what, "%s, %s", of, name[i]);
        expect_near(what, a[i], b[i], 0);
    }
}

static void add_share(wl_share *sum, const wl_share *share)
{
    double a[SHARE_COUNT], b[SHARE_COUNT];
    memcpy(a, sum, sizeof a);
    memcpy(b, share, sizeof b);
    for (size_t i = 0; i < SHARE_COUNT; i++)
        a[i] += b[i];
    memcpy(sum, a, sizeof a);
}

static void check_shares(const outcome *o)
{
    const wl_share total = share_of_total(o);
    wl_share sum = {0};
    for (size_t f = 0; f < o->field_count; f++) {
        wl_share accesses = {0};
        for (size_t a = 0; a < o->access_count; a++)
            if (current.kernel->accesses[a].field == f)
                add_share(&accesses, &o->accesses[a]);
        expect_shares("accesses of a field", &o->fields[f], &accesses);
        add_share(&sum, &o->fields[f]);
    }
    if (o->p.metrics[WL_METRIC_dram_load_bytes].known)
        expect_shares("fields", &total, &sum);
    else
        run.unknown++;
}

static void parts_and_shares_add_up(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < iterations(3000); i++) {
        random_source r;
        if (start_case(run.seed + i, &r)) {
            predict_afresh(&current.input.launch, &first);
            run.several_waves += first.p.waves > 1;
            check_values(&first);
            check_reuse(&first);
            check_shares(&first);
        }
        trial_end(&current);
    }
}

/* ---- caches ---- */

static void check_growth(const char *key, int64_t least, wl_metric metric, double *last)
{
    for (int step = 0; step < 8; step++) {
        set_device(key, least << (2 * step));
        predict_afresh(&current.input.launch, &second);
        if (!second.p.metrics[metric].known)
            return;
        const double value = value_of(&second, metric);
        if (step > 0) {
            expect_at_most(key, *last, value);
            run.steps_that_matter += value < *last;
        }
        *last = value;
    }
}

static void larger_caches_never_load_more(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < iterations(700); i++) {
        random_source r;
        double last = 0;
        if (start_case(run.seed + i, &r)) {
            current.input.launch.shared_bytes = random_chance(&r, 30) ? 1024 * random_in(&r, 1, 20) : 0;
            check_growth("l2_size", 2048, WL_METRIC_dram_load_bytes, &last);
            check_growth("l1_size", 1024, WL_METRIC_l2_load_bytes, &last);
        }
        trial_end(&current);
    }
}

/* ---- places ---- */

/* Everything that whole lines decide; with `tags` also what the tag hash decides. How many
 * requests to the L2 are merged depends on the time between them, which wavefronts measure. */
static void expect_same_place(const outcome *a, const outcome *b, bool tags)
{
    const bool same_time = value_of(a, WL_METRIC_l1_wavefronts) == value_of(b, WL_METRIC_l1_wavefronts);
    for (int m = 0; m < WL_METRIC_COUNT; m++) {
        const bool by_tag = m == WL_METRIC_l1_tag_wavefronts ||
                            (m == WL_METRIC_l1_wavefronts && a->p.metrics[WL_METRIC_l1_tag_wavefronts].known);
        const bool by_time = m == WL_METRIC_l2_load_bytes && !same_time;
        if ((by_tag || by_time || m == WL_METRIC_tlb_pages) && !tags)
            continue;
        if (a->p.metrics[m].known != b->p.metrics[m].known)
            complain(wl_metric_name((wl_metric)m), a->p.metrics[m].known, b->p.metrics[m].known);
        expect_same(wl_metric_name((wl_metric)m), a->p.metrics[m].value, b->p.metrics[m].value);
    }
}

/* 4096 elements are whole lines whatever the type; 2^34 elements leave the bits alone that the tag
 * hash looks at, and whole pages. */
static void shifts_by_whole_lines_change_nothing(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < iterations(1500); i++) {
        random_source r;
        if (start_case(run.seed + i, &r)) {
            const bool tags = random_chance(&r, 50);
            const int64_t unit = tags ? (int64_t)1 << 34 : 4096;
            predict_afresh(&current.input.launch, &first);
            trial_end(&current);
            trial_load(&current, device, unit * random_in(&r, -5, 5));
            predict_afresh(&current.input.launch, &second);
            expect_same_place(&first, &second, tags);
            run.shifts++;
        }
        trial_end(&current);
    }
}

/* ---- exact volumes ---- */

static blocks all_blocks(void) { return (blocks){0, current.grid[0] * current.grid[1] * current.grid[2]}; }

/* One wave has no one before it: every fetch unit its loads touch comes from memory once. */
static void check_compulsory(const outcome *o)
{
    const int64_t fetch = wl_device_int(device, WL_DEVICE_dram_fetch);
    int64_t units = 0;
    if (o->p.waves > 1 || !o->p.metrics[WL_METRIC_dram_load_bytes].known)
        return;
    for (size_t f = 0; f < o->field_count; f++) {
        const group g = trial_group(&current, f, 0);
        enumerate(&current, &g, all_blocks(), &listed);
        units += count_enumerated(&listed, fetch).touched;
    }
    run.one_wave++;
    expect_same("memory loads of one wave, compulsory", (double)(units * fetch),
                part_of(o, WL_METRIC_dram_load_bytes, "compulsory"));
    expect_same("memory loads of one wave, reuse", 0,
                fabs(part_of(o, WL_METRIC_dram_load_bytes, "reuse_x")) +
                    fabs(part_of(o, WL_METRIC_dram_load_bytes, "reuse_y")) +
                    fabs(part_of(o, WL_METRIC_dram_load_bytes, "reuse_z")));
}

/* A block loads its sectors for the first time once, unless another block has loaded them or
 * requests them at the same moment; somebody loads every sector of the launch. */
static void check_first_loads(const outcome *o)
{
    const double compulsory = part_of(o, WL_METRIC_l2_load_bytes, "compulsory");
    const int64_t sector = wl_device_int(device, WL_DEVICE_l1_sector);
    const blocks all = all_blocks();
    int64_t together = 0, apart = 0;
    if (o->p.count_method != WL_COUNT_CLOSED_FORM || warned(o, "sample of blocks"))
        return;
    for (size_t f = 0; f < o->field_count; f++) {
        const group g = trial_group(&current, f, 0);
        enumerate(&current, &g, all, &listed);
        together += count_enumerated(&listed, sector).touched;
        for (int64_t b = all.first; b < all.last; b++) {
            enumerate(&current, &g, (blocks){b, b + 1}, &listed);
            apart += count_enumerated(&listed, sector).touched;
        }
    }
    run.first_loads++;
    expect_at_most("sectors of the launch, against compulsory L2 loads", compulsory, (double)(together * sector));
    expect_at_most("compulsory L2 loads, against sectors of the blocks", (double)(apart * sector), compulsory);
}

/* Such a field is enumerated, and its stores are extrapolated from one wave. */
static bool too_many_strides(const group *g)
{
    wl_arena arena = {0};
    wl_shape shape;
    wl_error err = {0};
    const wl_status status = wl_shape_make(g->members, g->count, &current.geometry, &arena, &shape, &err);
    wl_arena_free(&arena);
    return status != WL_OK;
}

/* Sectors that blocks store to, each counted for every block: in a small L2 a sector can be evicted
 * after the piece of each block. */
static int64_t pieces_of_blocks(const group *g, int64_t sector)
{
    const blocks all = all_blocks();
    int64_t pieces = 0;
    for (int64_t b = all.first; b < all.last; b++) {
        enumerate(&current, g, (blocks){b, b + 1}, &listed);
        pieces += count_enumerated(&listed, sector).touched;
    }
    return pieces;
}

/* Memory takes every sector that is stored to once, and at most what the L2 was sent; sectors that
 * are not filled have to be read, once, or for every piece. Where the L2 was sent nothing twice,
 * that is all. */
static void check_stores(const outcome *o, size_t field)
{
    const int64_t sector = wl_device_int(device, WL_DEVICE_l1_sector);
    const group g = trial_group(&current, field, 1);
    const wl_share *share = &o->fields[field];
    const bool only_stored = trial_group(&current, field, 0).count == 0;
    if (g.count == 0 || !o->p.metrics[WL_METRIC_dram_store_bytes].known || !g.affine || too_many_strides(&g))
        return;
    enumerate(&current, &g, all_blocks(), &listed);
    const wl_count sectors = count_enumerated(&listed, sector);
    const double touched = (double)(sectors.touched * sector),
                 partial = (double)((sectors.touched - sectors.covered) * sector);
    if (o->p.volume_estimator == WL_VOLUMES_L2_PARTITIONS) {
        /* some stay in the L2, some are cleaned early */
        run.full_stores += partial == 0;
        expect_at_most("memory stores, against twice the distinct sectors or what the L2 was sent",
                       fmax(2 * touched, share->l2_store_bytes), share->dram_store_bytes);
        if (only_stored)
            expect_at_most("loads of a field that is only stored, against its sectors and their pieces",
                           fmax(partial + touched, (double)(pieces_of_blocks(&g, sector) * sector)),
                           share->dram_load_bytes);
        if (only_stored)
            expect_at_most("sectors stored in part, against loads of a field that is only stored",
                           share->dram_load_bytes, partial);
        return;
    }
    expect_at_most("distinct sectors stored, against memory stores", share->dram_store_bytes, touched);
    expect_at_most("memory stores, against L2 stores", fmax(touched, share->l2_store_bytes), share->dram_store_bytes);
    if (only_stored)
        expect_at_most("sectors stored in part, against loads of a field that is only stored", share->dram_load_bytes,
                       partial);
    if (share->l2_store_bytes != touched)
        return;
    run.full_stores += partial == 0;
    expect_same("stores without repetition", touched, share->dram_store_bytes);
    if (only_stored)
        expect_same("loads of a field that is stored without repetition", partial, share->dram_load_bytes);
}

static void volumes_agree_with_enumeration(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < iterations(3000); i++) {
        random_source r;
        if (start_case(run.seed + i, &r)) {
            predict_afresh(&current.input.launch, &first);
            check_compulsory(&first);
            check_first_loads(&first);
            for (size_t f = 0; f < first.field_count; f++)
                check_stores(&first, f);
        }
        trial_end(&current);
    }
}

/* A kernel made so that every warp stores whole sectors: rows of whole sectors, folds along y and z
 * only. */
static void make_aligned(random_source *r, uint64_t seed)
{
    static const char *const types[] = {"i8", "f16", "f32", "f64"};
    static const int64_t widths[] = {32, 64, 128};
    random_case *c = &current.input;
    const int type = (int)random_in(r, wl_device_int(device, WL_DEVICE_l1_sector) > 32 ? 2 : 0,
                                    3); /* a warp's row is at least a sector */
    const int64_t nx = 128 * random_in(r, 1, 3), ny = random_in(r, 1, 9), nz = random_in(r, 1, 5),
                  pitch = nx + 128 * random_in(r, 0, 2);
    const int64_t plane = pitch * (ny + random_in(r, 0, 2));
    *c = (random_case){.dims = 3, .domain = {nx, ny, nz}, .field_count = 2};
    random_put(c, "name: aligned\nparams: {shift: 0}\ndomain: [%lld, %lld, %lld]\nfields:\n", (long long)nx,
               (long long)ny, (long long)nz);
    for (int f = 0; f < 2; f++)
        random_put(c, "  f%d: {type: %s, strides: [1, %lld, %lld], origin: %lld}\n", f, types[type], (long long)pitch,
                   (long long)plane, (long long)(128 * random_in(r, 0, 4)));
    const long long right = random_in(r, -2, 2), up = random_in(r, -1, 1);
    random_put(c, "update: f0[0,0,0] = f1[0,0,0] + f1[%lld,0,%lld]\n", right, up);
    c->launch = (wl_launch){.block = {RANDOM_OF(r, widths)}, .fold = {1}};
    for (int d = 1; d < 3; d++) {
        c->launch.block[d] = random_in(r, 1, 4 - d);
        c->launch.fold[d] = random_in(r, 1, 3);
    }
    current.seed = seed;
}

static void aligned_stores_are_written_once(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < iterations(600); i++) {
        random_source r = random_start(~(run.seed + i));
        const int64_t before = run.full_stores;
        make_device(&r);
        trial_end(&current);
        make_aligned(&r, run.seed + i);
        trial_load(&current, device, 0);
        predict_afresh(&current.input.launch, &first);
        check_compulsory(&first);
        check_stores(&first, 0);
        if (run.full_stores == before)
            complain("full sectors stored", 1, 0);
        trial_end(&current);
    }
}

/* ---- state ---- */

static void expect_same_outcome(const outcome *a, const outcome *b)
{
    expect_same_place(a, b, true);
    for (int m = 0; m < WL_METRIC_COUNT; m++)
        for (int i = 0; i < a->p.metrics[m].part_count; i++)
            expect_same(a->p.metrics[m].parts[i].name, a->p.metrics[m].parts[i].value, b->p.metrics[m].parts[i].value);
    for (size_t f = 0; f < a->field_count; f++)
        if (memcmp(&a->fields[f], &b->fields[f], sizeof a->fields[f]) != 0)
            complain("share of a field, dram_load_bytes", a->fields[f].dram_load_bytes, b->fields[f].dram_load_bytes);
    for (size_t i = 0; i < a->access_count; i++)
        if (memcmp(&a->accesses[i], &b->accesses[i], sizeof a->accesses[i]) != 0)
            complain("share of an access, dram_load_bytes", a->accesses[i].dram_load_bytes,
                     b->accesses[i].dram_load_bytes);
    for (int d = 0; d < 3; d++)
        expect_same("overlap", a->p.reuse[d].overlap_bytes, b->p.reuse[d].overlap_bytes);
    expect_same("time", a->p.model.time_s, b->p.model.time_s);
    expect_same("L1 miss rate", a->p.l1_miss_rate, b->p.l1_miss_rate);
    if (a->p.count_method != b->p.count_method || a->p.warning_count != b->p.warning_count)
        complain("warnings, or how it was counted", a->p.warning_count, b->p.warning_count);
    for (int i = 0; i < a->p.warning_count; i++)
        if (strcmp(a->p.warnings[i], b->p.warnings[i]) != 0)
            complain(a->p.warnings[i], 0, 0);
}

/* A predictor that has seen other launches, twice over, says what a new one says. */
static void predictors_remember_nothing(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < iterations(500); i++) {
        random_source r;
        if (start_case(run.seed + i, &r)) {
            wl_launch launches[LAUNCHES];
            wl_predictor *used = make_predictor();
            for (int l = 0; l < LAUNCHES; l++) {
                if (l > 0)
                    random_launch(&r, &current.input);
                launches[l] = current.input.launch;
            }
            for (int l = 0; l < 2 * LAUNCHES; l++) {
                current.input.launch = launches[l % LAUNCHES];
                predict(used, &current.input.launch, &first);
                predict_afresh(&current.input.launch, &second);
                expect_same_outcome(&first, &second);
            }
            wl_predictor_free(used);
        }
        trial_end(&current);
    }
}

/* ---- main ---- */

static int setup(void **state)
{
    (void)state;
    const char *seed = getenv("WL_SEED"), *count = getenv("WL_ITERATIONS");
    run.seed = seed ? strtoull(seed, NULL, 10) : 1;
    run.iterations = count ? strtoull(count, NULL, 10) : 0;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    if (getenv("WL_STATISTICS"))
        print_message("%lld cases, %lld of several waves, %lld of unknown volume; %lld compulsory volumes, %lld first "
                      "loads, %lld full stores; "
                      "%lld cache sizes that mattered; %lld shifts\n",
                      (long long)run.cases, (long long)run.several_waves, (long long)run.unknown,
                      (long long)run.one_wave, (long long)run.first_loads, (long long)run.full_stores,
                      (long long)run.steps_that_matter, (long long)run.shifts);
    trial_end(&current); /* a failed test leaves it behind */
    wl_device_free(device);
    free(listed.starts);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_and_shares_add_up),
        cmocka_unit_test(larger_caches_never_load_more),
        cmocka_unit_test(shifts_by_whole_lines_change_nothing),
        cmocka_unit_test(volumes_agree_with_enumeration),
        cmocka_unit_test(aligned_stores_are_written_once),
        cmocka_unit_test(predictors_remember_nothing),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
