/* cluster.c - see cluster.h. SPDX-License-Identifier: MIT */
#include "timeline/cluster.h"

#include <math.h>

#include "base/fail.h"

#define ROUNDS 8 /* mostly enough for clusters and means to converge */

typedef struct point {
    double issue, cycles; /* as shares of the most */
    double warps;
    size_t cluster;
} point;

static point point_of(const wl_life_profile *p)
{
    point out = {.warps = p->warps};
    for (size_t i = 0; i < p->count; i++) {
        out.issue += p->list[i].times * p->list[i].instructions;
        out.cycles += p->list[i].times * (p->list[i].instructions + p->list[i].stall);
    }
    return out;
}

static double distance(const point *a, const point *b)
{
    const double x = a->issue - b->issue, y = a->cycles - b->cycles;
    return x * x + y * y;
}

/* The number of the nearest; the lowest of several. */
static size_t nearest(const point *to, const point *list, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (distance(to, &list[i]) < distance(to, &list[best]))
            best = i;
    return best;
}

/* Scales lives to shares of the largest; returns the number of the longest life. */
static size_t find_points(const wl_life_profile *list, size_t count, point *points)
{
    size_t longest = 0;
    double issue = 0, cycles = 0;
    for (size_t i = 0; i < count; i++) {
        points[i] = point_of(&list[i]);
        longest = points[i].cycles > points[longest].cycles ? i : longest;
        issue = fmax(issue, points[i].issue);
        cycles = fmax(cycles, points[i].cycles);
    }
    for (size_t i = 0; i < count; i++) {
        points[i].issue /= issue > 0 ? issue : 1;
        points[i].cycles /= cycles > 0 ? cycles : 1;
    }
    return longest;
}

/* Starts with the first life, then the one that is farthest from all before it. */
static size_t find_means(const point *points, size_t count, size_t longest, point *means)
{
    size_t found = 0;
    means[found++] = points[longest == 0];
    while (found < WL_REPRESENTATIVES - 1) {
        size_t far = 0;
        double most = 0;
        for (size_t i = 0; i < count; i++) {
            const double d = i == longest ? 0 : distance(&points[i], &means[nearest(&points[i], means, found)]);
            if (d > most) {
                most = d;
                far = i;
            }
        }
        if (most == 0)
            break;
        means[found++] = points[far];
    }
    return found;
}

static void move_means(point *points, size_t count, size_t longest, point *means, size_t found)
{
    point sums[WL_REPRESENTATIVES] = {{0}};
    for (size_t i = 0; i < count; i++) {
        point *sum = &sums[points[i].cluster = nearest(&points[i], means, found)];
        const double warps = i == longest ? 0 : points[i].warps;
        sum->issue += warps * points[i].issue;
        sum->cycles += warps * points[i].cycles;
        sum->warps += warps;
    }
    for (size_t k = 0; k < found; k++)
        if (sums[k].warps > 0)
            means[k] = (point){sums[k].issue / sums[k].warps, sums[k].cycles / sums[k].warps, sums[k].warps, 0};
}

/* The life nearest to the mean gets the warps of its cluster; returns its number. */
static size_t choose(wl_life_profile *list, const point *points, size_t count, size_t cluster, const point *mean)
{
    size_t best = count;
    double warps = 0;
    for (size_t i = 0; i < count; i++) {
        if (points[i].cluster != cluster)
            continue;
        warps += points[i].warps;
        if (best == count || distance(&points[i], mean) < distance(&points[best], mean))
            best = i;
    }
    if (best < count)
        list[best].warps = warps;
    return best;
}

wl_status wl_life_cluster(wl_life_profile *list, size_t *count, wl_arena *arena, wl_error *err)
{
    point means[WL_REPRESENTATIVES];
    size_t chosen[WL_REPRESENTATIVES], kept = 0;
    if (*count <= WL_REPRESENTATIVES)
        return WL_OK;
    point *points = WL_ARENA_NEW(arena, point, *count);
    if (!points)
        return wl_fail_memory(err);
    const size_t longest = find_points(list, *count, points), found = find_means(points, *count, longest, means);
    for (int round = 0; round < ROUNDS; round++)
        move_means(points, *count, longest, means, found);
    points[longest].cluster = found; /* by itself */
    for (size_t k = 0; k < found; k++)
        chosen[k] = choose(list, points, *count, k, &means[k]);
    chosen[found] = longest;
    for (size_t i = 0; i < *count; i++)
        for (size_t k = 0; k <= found; k++)
            if (chosen[k] == i)
                list[kept++] = list[i];
    *count = kept;
    return WL_OK;
}
