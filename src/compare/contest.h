/* contest.h - how far a model can be trusted, from contests (measured searches).
 * SPDX-License-Identifier: MIT */
#ifndef WL_COMPARE_CONTEST_H
#define WL_COMPARE_CONTEST_H

#include "warpline/compare.h"

#define WL_CONTEST_LEAST 6 /* the least number of launches of a contest */
/* A contest (a measured search in the documents): launches of one kernel with the same params that
 * differ in block or fold, all measured. It shows how far a ranking by predicted times can be
 * trusted (docs/model.md). */
typedef struct wl_contest {
    /* borrowed; every family has the same total weight */
    const char *family;
    const wl_pair *times; /* of its launches; borrowed */
    size_t launches;
    /* predicted time of the fastest measured launch / shortest predicted time: 1 or more. If
     * several were measured equally fast, the one predicted fastest counts: to find one of them is
     * enough */
    double ratio;
    double error;  /* mean |deviation| of ln(predicted / measured) from its mean */
    double weight; /* 1 / contests of the family; set by wl_contests_prepare */
} wl_contest;

/* Fills *out except for family and weight. False: fewer than WL_CONTEST_LEAST launches, or a time
 * is 0. */
bool wl_contest_judge(const wl_pair *times, size_t count, wl_contest *out);

/* Sets the weights and sorts by ratio, which the functions below need. Returns the number of
 * families. */
size_t wl_contests_prepare(wl_contest *contests, size_t count);
/* For a contest of a new family, the ratio within which its fastest launch is predicted with at
 * least this probability. Each of F families has the mass 1 / (F + 1), and so has the new one.
 * `without`: a family to leave out, or NULL. False: F / (F + 1) is less than the probability. */
bool wl_contests_ratio(const wl_contest *contests, size_t count, const char *without, double probability,
                       double *ratio);
/* The share of contests whose fastest launch is within the ratio that the other families give; all
 * families have the same weight. False: there are too few other families for the probability. */
bool wl_contests_coverage(const wl_contest *contests, size_t count, double probability, double *coverage);
/* Means over the contests, where all families have the same weight; 0 for no contests: of the
 * error, and of the share of launches predicted within `ratio` of the shortest predicted time,
 * which are the ones to benchmark. */
double wl_contests_error(const wl_contest *contests, size_t count);
double wl_contests_within(const wl_contest *contests, size_t count, double ratio);

/* The contests among rows that compute the same, with the predicted times of the rows (0: unknown).
 * Contests whose fastest launch was measured at less than min_time_s are left out. Contests borrow
 * from the other members. */
typedef struct wl_contest_list {
    wl_contest *contests;
    size_t count;
    wl_pair *times;
} wl_contest_list;
wl_status wl_comparison_contests(wl_comparison *comparison, const double *times, double min_time_s,
                                 wl_contest_list *out, wl_error *err);
void wl_contest_list_free(wl_contest_list *list);

#endif /* WL_COMPARE_CONTEST_H */
