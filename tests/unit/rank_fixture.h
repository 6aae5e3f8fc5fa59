/* rank_fixture.h - small kernels, spaces and rankers for the tests of searches.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_UNIT_RANK_FIXTURE_H
#define WL_TESTS_UNIT_RANK_FIXTURE_H

#include "unit/checks.h"

#include <stdio.h>
#include <stdlib.h>

#include "warpline/rank.h"

static inline wl_device *device_of(const char *name)
{
    wl_device *device = NULL;
    wl_error err = {0};
    assert_int_equal(wl_device_builtin(name, &device, &err), WL_OK);
    return device;
}

static inline wl_kernel *kernel_of(const char *update, const char *domain)
{
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    assert_int_equal(wl_kernel_from_update(update, domain, "f32", &kernel, &err), WL_OK);
    return kernel;
}

static inline wl_kernel *builtin_kernel(const char *name)
{
    wl_kernel *kernel = NULL;
    wl_error err = {0};
    size_t length = 0;
    const char *text = wl_kernel_builtin_text(name, &length);
    assert_non_null(text);
    assert_int_equal(wl_kernel_parse(name, text, length, NULL, &kernel, &err), WL_OK);
    return kernel;
}

/* Keys and texts in turn, ended by NULL. */
static inline wl_space *space_of(const char *const *settings)
{
    wl_space *space = NULL;
    wl_error err = {0};
    assert_int_equal(wl_space_new(&space, &err), WL_OK);
    for (; settings && *settings; settings += 2)
        check_ok(settings[1], wl_space_set(space, settings[0], settings[1], &err), &err);
    return space;
}

/* The space is freed at once: a ranker keeps nothing of it. */
static inline wl_ranker *ranker_of(const wl_kernel *kernel, const wl_device *device, const char *const *settings,
                                   const wl_rank_options *options)
{
    wl_ranker *ranker = NULL;
    wl_error err = {0};
    wl_space *space = space_of(settings);
    check_ok("wl_ranker_new", wl_ranker_new(kernel, device, space, options, &ranker, &err), &err);
    wl_space_free(space);
    assert_non_null(ranker);
    return ranker;
}

static inline wl_ranker *ranker_of_list(const wl_kernel *kernel, const wl_device *device, const wl_launch *launches,
                                        size_t count, const char *const *settings)
{
    wl_ranker *ranker = NULL;
    wl_error err = {0};
    wl_space *space = space_of(settings);
    check_ok("wl_space_list", wl_space_list(space, launches, count, &err), &err);
    check_ok("wl_ranker_new", wl_ranker_new(kernel, device, space, NULL, &ranker, &err), &err);
    wl_space_free(space);
    assert_non_null(ranker);
    return ranker;
}

/* All launches that are predicted, best first; *out is the caller's to free. */
static inline wl_ranked *rank_all(wl_ranker *ranker, wl_ranking *ranking)
{
    const size_t size = (size_t)wl_ranker_size(ranker);
    wl_ranked *best = calloc(size + 1, sizeof *best);
    wl_error err = {0};
    assert_non_null(best);
    check_ok("wl_rank", wl_rank(ranker, best, size, ranking, &err), &err);
    return best;
}

static inline int64_t sum_of(const wl_ranking *ranking)
{
    int64_t sum = 0;
    for (int i = 0; i < WL_OUTCOME_COUNT; i++)
        sum += ranking->outcomes[i];
    return sum;
}

/* Launches that the lists left out. */
static inline int64_t left_before(const wl_ranker *ranker)
{
    wl_ranking ranking;
    wl_ranking_start(ranker, NULL, 0, &ranking);
    return sum_of(&ranking);
}

/* "32x1x1/1x2x1" for every launch, in the order of their numbers. */
static inline void describe(const wl_ranker *ranker, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (int64_t i = 0; i < wl_ranker_size(ranker) && used < size; i++) {
        wl_launch l;
        wl_ranker_launch(ranker, i, &l);
        used += (size_t)snprintf(out + used, size - used, "%s%lldx%lldx%lld/%lldx%lldx%lld", i ? " " : "",
                                 (long long)l.block[0], (long long)l.block[1], (long long)l.block[2],
                                 (long long)l.fold[0], (long long)l.fold[1], (long long)l.fold[2]);
    }
}

#define star1d "dst[0] = src[1] + src[-1]"
#define star2d "dst[0,0] = src[1,0] + src[-1,0] + src[0,1] + src[0,-1]"
#define star3d "dst[0,0,0] = src[1,0,0] + src[0,1,0] + src[0,0,1]"

#endif /* WL_TESTS_UNIT_RANK_FIXTURE_H */
