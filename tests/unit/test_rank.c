/* test_rank.c - warpline/rank.h: the best launches of a space, found in any number of parts and
 * threads.
 * SPDX-License-Identifier: MIT */
#include "unit/rank_fixture.h"

#include "base/ckd.h"
#include "metrics/prediction.h"
#include "search/ranker.h"

/* ---- the search ---- */

static const char *const some_launches[] = {"block.x", "1..64:7,32..1024:x2", "block.y", "1,2,4,7", "block.z", "1",
                                            "fold",    "1,1x2,2x1",           NULL};

static const char *const fast_launches[] = {"block.x", "8..128:x2", "block.y", "1,4", "block.z", "1", NULL};

static void check_same(const char *name, const wl_ranked *a, const wl_ranked *b)
{
    check_int(name, "index", a->index, b->index);
    check_int(name, "outcome", a->outcome, b->outcome);
    check_near(name, "time", a->time_s, b->time_s, 0);
    for (int v = 0; v < WL_RANK_VALUES; v++)
        check_true(name, "value", a->values[v] == b->values[v] || (isnan(a->values[v]) && isnan(b->values[v])));
    check_int(name, "blocks", a->blocks_per_sm, b->blocks_per_sm);
    check_int(name, "warps", a->warps_per_sm, b->warps_per_sm);
    check_int(name, "limiter", a->limiter, b->limiter);
    check_int(name, "next", a->next, b->next);
}

/* A record has what a single prediction says, to the last bit. */
static void check_record(const wl_ranker *ranker, wl_predictor *predictor, const wl_ranked *record)
{
    static wl_prediction p;
    wl_launch launch;
    wl_error err = {0};
    wl_ranker_launch(ranker, record->index, &launch);
    check_ok("wl_predict", wl_predict(predictor, &launch, NULL, &p, &err), &err);
    wl_ranked want = {.index = record->index,
                      .time_s = p.model.time_s,
                      .blocks_per_sm = (int32_t)p.occupancy.blocks_per_sm,
                      .warps_per_sm = (int32_t)p.occupancy.warps_per_sm,
                      .limiter = (uint8_t)p.model.limiter,
                      .next = (uint8_t)p.model.next};
    for (int v = 0; v < WL_RANK_VALUES; v++) {
        const wl_value *value = &p.metrics[wl_rank_metric((wl_rank_value)v)];
        want.values[v] = value->known ? value->value : (double)NAN;
    }
    check_same("a single prediction", record, &want);
}

static void test_same_as_predict(void **state)
{
    wl_device *device = device_of("h200");
    wl_kernel *kernel = kernel_of(star2d, "500x300");
    wl_ranked *reference = NULL;
    wl_ranking first = {0};
    (void)state;
    for (int threads = 1; threads <= 5; threads++) {
        char name[32];
        const wl_rank_options options = {.threads = threads};
        wl_ranker *ranker = ranker_of(kernel, device, some_launches, &options);
        wl_ranking ranking;
        wl_ranked *best = rank_all(ranker, &ranking);
        snprintf(name, sizeof name, "%d threads", threads);
        check_true(name, "many launches", ranking.count > 100);
        check_true(name, "not stopped", !ranking.stopped);
        check_int(name, "predicted", ranking.outcomes[WL_OUTCOME_PREDICTED], (int64_t)ranking.count);
        if (threads == 1) {
            wl_predictor *predictor = NULL;
            wl_error err = {0};
            check_ok("predictor", wl_predictor_new(kernel, device, &predictor, &err), &err);
            for (size_t i = 0; i < ranking.count; i++)
                check_record(ranker, predictor, &best[i]);
            for (size_t i = 1; i < ranking.count; i++)
                check_true(name, "ascending time, then index",
                           best[i - 1].time_s < best[i].time_s ||
                               (best[i - 1].time_s == best[i].time_s && best[i - 1].index < best[i].index));
            wl_predictor_free(predictor);
            reference = best;
            first = ranking;
        } else {
            check_int(name, "count", (int64_t)ranking.count, (int64_t)first.count);
            for (size_t i = 0; i < ranking.count && i < first.count; i++)
                check_same(name, &best[i], &reference[i]);
            for (int o = 0; o < WL_OUTCOME_COUNT; o++)
                check_int(name, wl_outcome_text((wl_outcome)o), ranking.outcomes[o], first.outcomes[o]);
            free(best);
        }
        wl_ranker_free(ranker);
    }
    free(reference);
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

/* wl_ranker_predict gives the whole of what a record is a part of. */
static void test_ranker_predict(void **state)
{
    static const char *const settings[] = {"block.x", "32,64", "block.y", "4", NULL};
    wl_device *device = device_of("h200");
    wl_kernel *kernel = kernel_of(star2d, "500x300");
    wl_ranker *ranker = ranker_of(kernel, device, settings, NULL);
    static wl_prediction p;
    wl_ranked records[4];
    wl_error err = {0};
    (void)state;
    assert_int_equal(wl_ranker_size(ranker), 4);
    check_int("500x300", "items", wl_ranker_items(ranker), 150000);
    check_true("500x300", "kernel", wl_ranker_kernel(ranker) == kernel);
    check_true("500x300", "device", wl_ranker_device(ranker) == device);
    check_ok("evaluate", wl_ranker_evaluate(ranker, 0, 4, records, &err), &err);
    for (int64_t i = 0; i < 4; i++) {
        check_ok("predict", wl_ranker_predict(ranker, i, &p, &err), &err);
        check_near("predict", "time", p.model.time_s, records[i].time_s, 0);
    }
    wl_ranker_free(ranker);
    wl_ranker_free(NULL);
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

/* The best k are the first k of all, whatever k is. */
static void test_best_k(void **state)
{
    wl_device *device = device_of("h200");
    wl_kernel *kernel = kernel_of(star2d, "500x300");
    wl_ranker *ranker = ranker_of(kernel, device, some_launches, NULL);
    wl_ranking all;
    wl_ranked *sorted = rank_all(ranker, &all);
    const size_t capacities[] = {0, 1, 2, 3, 7, 64, all.count - 1, all.count, all.count + 5};
    (void)state;
    for (size_t c = 0; c < COUNT_OF(capacities); c++) {
        char name[32];
        wl_ranking ranking;
        wl_error err = {0};
        const size_t capacity = capacities[c], want = capacity < all.count ? capacity : all.count;
        wl_ranked *best = capacity ? malloc(capacity * sizeof *best) : NULL;
        snprintf(name, sizeof name, "the best %zu", capacity);
        check_ok(name, wl_rank(ranker, best, capacity, &ranking, &err), &err);
        check_int(name, "count", (int64_t)ranking.count, (int64_t)want);
        check_int(name, "predicted", ranking.outcomes[WL_OUTCOME_PREDICTED], all.outcomes[WL_OUTCOME_PREDICTED]);
        for (size_t i = 0; i < ranking.count && i < want; i++)
            check_same(name, &best[i], &sorted[i]);
        free(best);
    }
    free(sorted);
    wl_ranker_free(ranker);
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

/* The heap alone, with times that repeat: parts added in any order, against sorting. */
static int by_time_and_index(const void *a, const void *b)
{
    const wl_ranked *p = a, *q = b;
    if (p->time_s != q->time_s)
        return p->time_s < q->time_s ? -1 : 1;
    return (p->index > q->index) - (p->index < q->index);
}

static void test_heap(void **state)
{
    enum { COUNT = 500 };
    wl_device *device = device_of("h200");
    wl_kernel *kernel = kernel_of(star1d, "64");
    wl_ranker *ranker = ranker_of(kernel, device, NULL, NULL);
    uint64_t seed = 7;
    (void)state;
    for (int round = 0; round < 50; round++) {
        static wl_ranked records[COUNT], sorted[COUNT], best[COUNT];
        size_t predicted = 0;
        for (int i = 0; i < COUNT; i++) {
            const bool fine = check_random_in(&seed, 0, 9) > 0;
            records[i] = (wl_ranked){.index = i,
                                     .time_s = (double)check_random_in(&seed, 1, 60),
                                     .outcome = fine ? WL_OUTCOME_PREDICTED : WL_OUTCOME_REGISTERS};
            if (fine)
                sorted[predicted++] = records[i];
        }
        qsort(sorted, predicted, sizeof sorted[0], by_time_and_index);
        const size_t capacity = (size_t)check_random_in(&seed, 0, COUNT);
        const size_t cut = (size_t)check_random_in(&seed, 0, COUNT);
        wl_ranking ranking;
        wl_ranking_start(ranker, best, capacity, &ranking);
        wl_ranking_add(&ranking, records + cut, COUNT - cut); /* the second part comes first */
        wl_ranking_add(&ranking, records, cut);
        wl_ranking_finish(&ranking);
        const size_t want = capacity < predicted ? capacity : predicted;
        check_int("heap", "count", (int64_t)ranking.count, (int64_t)want);
        check_int("heap", "registers", ranking.outcomes[WL_OUTCOME_REGISTERS], (int64_t)(COUNT - predicted));
        for (size_t i = 0; i < want; i++)
            check_int("heap", "index", best[i].index, sorted[i].index);
    }
    wl_ranker_free(ranker);
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

/* In parts: each part's records are those of the whole. */
static void test_parts(void **state)
{
    wl_device *device = device_of("h200");
    wl_kernel *kernel = kernel_of(star2d, "500x300");
    wl_ranker *ranker = ranker_of(kernel, device, some_launches, NULL);
    const int64_t size = wl_ranker_size(ranker);
    wl_ranked *whole = calloc((size_t)size, sizeof *whole), *part = calloc((size_t)size, sizeof *part);
    wl_error err = {0};
    (void)state;
    check_ok("whole", wl_ranker_evaluate(ranker, 0, size, whole, &err), &err);
    for (int64_t first = 0, length = 1; first < size; first += length, length = 2 * length + 1) {
        const int64_t last = wl_min(first + length, size);
        check_ok("part", wl_ranker_evaluate(ranker, first, last, part, &err), &err);
        for (int64_t i = first; i < last; i++)
            check_same("part", &part[i - first], &whole[i]);
    }
    check_ok("an empty part", wl_ranker_evaluate(ranker, size, size, part, &err), &err);
    free(part);
    free(whole);
    wl_ranker_free(ranker);
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

/* ---- who listens ---- */

typedef struct listener {
    int64_t next, calls, stop_after; /* calls; 0: never */
    int64_t done, total, pulses;
    bool in_order;
} listener;

static bool on_each(void *user, const wl_ranked *records, size_t count)
{
    listener *l = user;
    for (size_t i = 0; i < count; i++)
        l->in_order = l->in_order && records[i].index == l->next++;
    l->calls++;
    return l->stop_after == 0 || l->calls < l->stop_after;
}

static bool on_progress(void *user, int64_t done, int64_t total)
{
    listener *l = user;
    check_true("progress", "grows", done >= l->done && done <= total);
    l->done = done;
    l->total = total;
    l->pulses++;
    return l->stop_after == 0;
}

/* More launches than are predicted at once, most of them quickly left out. */
static const char *const many_launches[] = {"block.x", "1..1024", "block.y",       "1..8",  "block.z",
                                            "1",       "fold",    "1,1x2,1x3,1x4", "where", "block.x % 100 == 0",
                                            NULL};

static void test_each(void **state)
{
    wl_device *device = device_of("h200");
    wl_kernel *kernel = kernel_of(star2d, "500x300");
    (void)state;
    for (int64_t stop_after = 0; stop_after <= 2; stop_after++) {
        for (int threads = 1; threads <= 3; threads += 2) {
            listener l = {.stop_after = stop_after, .in_order = true};
            const wl_rank_options options = {.threads = threads, .each = on_each, .user = &l};
            wl_ranker *ranker = ranker_of(kernel, device, many_launches, &options);
            const int64_t size = wl_ranker_size(ranker);
            wl_ranking ranking;
            wl_ranked *best = rank_all(ranker, &ranking);
            check_true("each", "several parts", size > 2 * 4096);
            check_true("each", "in order", l.in_order);
            check_int("each", "stopped", ranking.stopped, stop_after > 0);
            check_int("each", "outcomes", sum_of(&ranking), size + left_before(ranker));
            check_int("each", "left", ranking.outcomes[WL_OUTCOME_LEFT], size - l.next);
            check_true("each", "all or not", (l.next == size) == (stop_after == 0));
            check_int("each", "kept", (int64_t)ranking.count, ranking.outcomes[WL_OUTCOME_PREDICTED]);
            check_true("each", "some were predicted", ranking.count > 0);
            free(best);
            wl_ranker_free(ranker);
        }
    }
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

static void test_progress(void **state)
{
    static const char *const slow[] = {"block.x", "1..1024", "block.y", "1..32", "block.z", "1..4", NULL};
    wl_device *device = device_of("h200");
    wl_kernel *kernel = builtin_kernel("lbm_d3q19");
    (void)state;
    for (int threads = 1; threads <= 2; threads++) {
        listener l = {.stop_after = 1, .in_order = true};
        const wl_rank_options options = {.threads = threads, .progress = on_progress, .each = on_each, .user = &l};
        wl_ranker *ranker = ranker_of(kernel, device, slow, &options);
        const int64_t size = wl_ranker_size(ranker);
        wl_predictor *predictor = NULL;
        wl_ranking ranking;
        wl_error err = {0};
        wl_ranked *best = rank_all(ranker, &ranking);
        check_int("progress", "calls", l.pulses, 1);
        check_int("progress", "total", l.total, size);
        check_true("progress", "stopped", ranking.stopped);
        check_true("progress", "some are left", ranking.outcomes[WL_OUTCOME_LEFT] > 0);
        check_int("progress", "outcomes", sum_of(&ranking), size + left_before(ranker));
        check_true("progress", "some were predicted", ranking.count > 0);
        check_int("progress", "kept", (int64_t)ranking.count, ranking.outcomes[WL_OUTCOME_PREDICTED]);
        check_ok("predictor", wl_predictor_new(kernel, device, &predictor, &err), &err);
        for (size_t i = 0; i < ranking.count && i < 5; i++)
            check_record(ranker, predictor, &best[i]);
        wl_predictor_free(predictor);
        free(best);
        wl_ranker_free(ranker);
    }
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

/* An empty space is no error here: it has no launches. */
static void test_empty(void **state)
{
    static const char *const none[] = {"block.x", "2048", NULL};
    wl_device *device = device_of("h200");
    wl_kernel *kernel = kernel_of(star1d, "4096");
    wl_ranking ranking;
    wl_error err = {0};
    (void)state;
    wl_ranker *ranker = ranker_of(kernel, device, none, NULL);
    check_int("empty", "size", wl_ranker_size(ranker), 0);
    check_ok("empty", wl_rank(ranker, NULL, 0, &ranking, &err), &err);
    check_int("empty", "count", (int64_t)ranking.count, 0);
    check_int("empty", "extent", ranking.outcomes[WL_OUTCOME_EXTENT], 1);
    wl_ranker_free(ranker);
    ranker = ranker_of_list(kernel, device, NULL, 0, NULL);
    check_int("empty list", "size", wl_ranker_size(ranker), 0);
    check_ok("empty list", wl_rank(ranker, NULL, 0, &ranking, &err), &err);
    check_int("empty list", "outcomes", sum_of(&ranking), 0);
    wl_ranker_free(ranker);
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

/* Many launches at once are those asked for one by one, and their updates those of predictions;
 * with a grid that is the same for all blocks they differ from launch to launch. */
static void test_launches(void **state)
{
    static const char *const settings[] = {"block.x", "32,64,96", "block.y", "1,4", "grid", "4x3", NULL};
    wl_device *device = device_of("h200");
    static const char text[] = "name: k\nfields: {A: {type: f32}}\n"
                               "loads: [\"A[blockIdx.x*blockDim.x + threadIdx.x]\"]\n";
    wl_kernel *kernel = NULL, *plain = kernel_of(star2d, "500x300");
    wl_error failed = {0};
    (void)state;
    check_ok("parse", wl_kernel_parse("k", text, strlen(text), NULL, &kernel, &failed), &failed);
    for (int k = 0; k < 2; k++) {
        wl_ranker *ranker = ranker_of(k ? plain : kernel, device, k ? some_launches : settings, NULL);
        wl_ranking ranking;
        wl_ranked *best = rank_all(ranker, &ranking);
        wl_launch *launches = calloc(ranking.count, sizeof *launches), one;
        int64_t *items = calloc(ranking.count, sizeof *items);
        static wl_prediction p;
        wl_error err = {0};
        assert_non_null(launches);
        assert_non_null(items);
        check_true("launches", "there are some", ranking.count > 0);
        wl_ranker_launches(ranker, best, ranking.count, launches, NULL);
        wl_ranker_launches(ranker, best, ranking.count, NULL, items);
        for (size_t i = 0; i < ranking.count; i++) {
            wl_ranker_launch(ranker, best[i].index, &one);
            check_ok("predict", wl_ranker_predict(ranker, best[i].index, &p, &err), &err);
            /* of a domain, too */
            memcpy(one.grid, wl_prediction_launch(&p)->grid, sizeof one.grid);
            check_true("launch", "the same", memcmp(&one, &launches[i], sizeof one) == 0);
            check_int("launch", "items", items[i], wl_prediction_items(&p));
        }
        free(items);
        free(launches);
        free(best);
        wl_ranker_free(ranker);
    }
    wl_kernel_free(plain);
    wl_kernel_free(kernel);
    wl_device_free(device);
    check_done();
}

/* ---- the fastest alone ---- */

/* By the limiter model few products are replayed, and yet the same one is found. With a slow L2 the
 * least times say little, and with few conditions the space is empty. */
static void test_fastest(void **state)
{
    static const char *const changes[] = {NULL, "l2_bandwidth=100GB/s", "l2_bandwidth=2TB/s"};
    static const char *const none[] = {"block.x", "32", "where", "block.x > 32", NULL};
    static const wl_model_id models[] = {WL_MODEL_LIMITER, WL_MODEL_BEST};
    wl_kernel *kernel = builtin_kernel("matmul");
    (void)state;
    for (int n = 0; n < 6; n++) {
        wl_device *device = device_of("h200");
        wl_error err = {0};
        wl_ranked best, fastest;
        wl_ranking ranking;
        bool found = false;
        const char *change = changes[n / 2];
        const wl_rank_options options = {.predict = {.model = models[n % 2]}, .threads = 1 + n % 2};
        if (change)
            check_ok(change, wl_device_set(device, change, &err), &err);
        wl_ranker *ranker = ranker_of(kernel, device, n == 5 ? none : fast_launches, &options);
        check_ok("wl_rank", wl_rank(ranker, &best, 1, &ranking, &err), &err);
        check_ok("wl_rank_fastest", wl_rank_fastest(ranker, &fastest, &found, &err), &err);
        check_int("fastest", "found", found, (int64_t)ranking.count);
        check_int("fastest", "any", found, n < 5);
        if (found)
            check_same("fastest", &fastest, &best);
        wl_ranker_free(ranker);
        wl_device_free(device);
    }
    wl_kernel_free(kernel);
    check_done();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_predict), cmocka_unit_test(test_ranker_predict),
        cmocka_unit_test(test_best_k),          cmocka_unit_test(test_heap),
        cmocka_unit_test(test_parts),           cmocka_unit_test(test_each),
        cmocka_unit_test(test_progress),        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_launches),        cmocka_unit_test(test_fastest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
