/* stats.c - the statistics of a selection of rows.
 *
 * A problem is what a user chooses among: launches of one family with the same params and element
 * type, whatever their block and folding. Order and best pick are given for all launches of a
 * family together, as `warpline compare` does, and for its problems, since picking the smallest of
 * several problem sizes is no feat. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "accuracy.h"

#define PROBLEM_LAUNCHES 3 /* fewer are no choice */
#define KEY_LENGTH 320

/* A launch's time on both sides, and its problem. */
typedef struct timed {
    char key[KEY_LENGTH];
    wl_pair pair;
} timed;

/* The variant without the words that tell the folding (fy2), and the params. */
static void problem_key(const row *r, char key[KEY_LENGTH])
{
    size_t used = 0;
    for (const char *word = r->variant; *word && used < KEY_LENGTH;) {
        const size_t length = strcspn(word, "_");
        const bool fold =
            length >= 3 && word[0] == 'f' && strchr("xyz", word[1]) && strspn(word + 2, "0123456789") == length - 2;
        if (!fold)
            used += (size_t)snprintf(key + used, KEY_LENGTH - used, "%.*s_", (int)length, word);
        word += length + (word[length] == '_');
    }
    if (used < KEY_LENGTH)
        snprintf(key + used, KEY_LENGTH - used, " %s", r->params);
}

static int by_key(const void *a, const void *b) { return strcmp(((const timed *)a)->key, ((const timed *)b)->key); }

static bool rank_problem(const wl_pair *pairs, size_t count, ranking *out)
{
    wl_agreement a;
    wl_error err;
    double pick = 0;
    if (count < PROBLEM_LAUNCHES)
        return true;
    if (wl_agreement_compute(pairs, count, &a, &err) != WL_OK)
        return false;
    if (!wl_best_pick(pairs, count, &pick) || !a.tau_known)
        return true;
    out->worst_pick = out->problems == 0 ? pick : fmin(out->worst_pick, pick);
    out->problem_tau += a.tau;
    out->problem_pick += pick;
    out->problems++;
    return true;
}

static bool rank(timed *list, wl_pair *pairs, size_t count, wl_agreement *all, ranking *out)
{
    wl_error err;
    *out = (ranking){0};
    qsort(list, count, sizeof *list, by_key);
    for (size_t i = 0; i < count; i++)
        pairs[i] = list[i].pair;
    if (wl_agreement_compute(pairs, count, all, &err) != WL_OK)
        return false;
    out->tau_known = all->tau_known;
    out->tau = all->tau;
    out->pick_known = wl_best_pick(pairs, count, &out->pick);
    for (size_t first = 0, next; first < count; first = next) {
        for (next = first + 1; next < count && strcmp(list[next].key, list[first].key) == 0;)
            next++;
        if (!rank_problem(pairs + first, next - first, out))
            return false;
    }
    out->problems_known = out->problems > 0;
    if (out->problems_known) {
        out->problem_tau /= (double)out->problems;
        out->problem_pick /= (double)out->problems;
    }
    return true;
}

static bool times(const rows *all, const selection *which, timed *list, wl_pair *pairs, statistics *out)
{
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++) {
        const row *r = &all->list[i];
        if (!row_selected(r, which) || !row_counts(r, TIME))
            continue;
        problem_key(r, list[count].key);
        list[count++].pair = (wl_pair){r->measured[TIME], r->predicted[TIME]};
    }
    if (!rank(list, pairs, count, &out->values[TIME], &out->rank))
        return false;
    count = 0;
    for (size_t i = 0; i < all->count; i++) {
        const row *r = &all->list[i];
        if (!row_selected(r, which) || !row_counts(r, TIME) || !r->limiter_known)
            continue;
        problem_key(r, list[count].key);
        list[count++].pair = (wl_pair){r->measured[TIME], r->limiter_s};
    }
    return rank(list, pairs, count, &out->limiter, &out->limiter_rank);
}

static bool exact(const row *r, int first, int second)
{
    bool same = true;
    for (int v = first; v <= second; v++)
        same = same && (!r->known[v] || wl_pair_exact((wl_pair){r->measured[v], r->predicted[v]}));
    return same;
}

bool statistics_make(const rows *all, const selection *which, statistics *out)
{
    wl_error err;
    wl_pair *pairs = calloc(all->count + 1, sizeof *pairs);
    timed *list = calloc(all->count + 1, sizeof *list);
    bool ok = pairs && list;
    *out = (statistics){0};
    for (int v = 0; ok && v < TIME; v++) {
        size_t count = 0;
        for (size_t i = 0; i < all->count; i++) {
            const row *r = &all->list[i];
            if (row_selected(r, which) && row_counts(r, v))
                pairs[count++] = (wl_pair){r->measured[v], r->predicted[v]};
        }
        ok = wl_agreement_compute(pairs, count, &out->values[v], &err) == WL_OK;
    }
    ok = ok && times(all, which, list, pairs, out);
    for (size_t i = 0; ok && i < all->count; i++) {
        const row *r = &all->list[i];
        if (!row_selected(r, which))
            continue;
        out->launches++;
        out->exact_inst += exact(r, INST_LOADS, INST_STORES);
        out->exact_sectors += exact(r, SECTOR_LOADS, SECTOR_STORES);
    }
    free(pairs);
    free(list);
    return ok;
}
