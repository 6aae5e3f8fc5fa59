/* fit_json.c - a fit as JSON, schema warpline.fit/1. SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/json_out.h"
#include "fit/fit_internal.h"
#include "model/trust_level.h"
#include "report/common/render.h"

static void level(wl_json_out *o, const void *of, size_t i)
{
    const wl_ranking_fit *k = of;
    wl_out_members(o, "probability:r ratio:r launches:r left_out:r?", wl_trust_level(i), k->ratio[i], k->within[i],
                   i < k->covered_count ? k->coverage[i] : NAN);
}

static void contest(wl_json_out *o, const void *of, size_t i)
{
    const wl_contest *c = &((const wl_contest_list *)of)->contests[i];
    wl_out_members(o, "family:s launches:d ratio:r error:r", c->family, (int64_t)c->launches, c->ratio, exp(c->error));
}

static void ranking(wl_json_out *o, const void *of, size_t r)
{
    const wl_fit *all = of;
    const wl_ranking_fit *k = &all->rankings[r];
    wl_out_members(o, "model:s families:d launches:d error:r", wl_model_name(k->model), (int64_t)k->families,
                   (int64_t)k->launches, k->error);
    wl_out_objects(o, "levels", k->level_count, level, k);
    wl_out_objects(o, "contests", all->contests[r].count, contest, &all->contests[r]);
}

static void score(wl_json_out *o, const char *key, const wl_fit_score *s)
{
    wl_out_object(o, key);
    for (int t = 0; t < WL_FIT_TARGET_COUNT; t++)
        if (s->count[t] > 0)
            wl_out_row(o, wl_fit_target_name((wl_fit_target)t), "n:d mean:r bias:r", (int64_t)s->count[t], s->error[t],
                       s->bias[t]);
    wl_out_object_end(o);
}

static void number(wl_json_out *o, const void *of, size_t i)
{
    const wl_fit_number *n = &((const wl_fit *)of)->result.numbers[i];
    wl_out_members(o, "target:s key:s index:d start:r fitted:r deviation:r", wl_fit_target_name(n->target),
                   wl_device_key_name(n->key), (int64_t)n->index, n->start, n->fitted, n->deviation);
}

static void family(wl_json_out *o, const void *of, size_t f)
{
    const wl_fit *all = of;
    wl_out_members(o, "family:s", all->families[f]);
    score(o, "before", &all->before[f]);
    score(o, "fitted", &all->after[f]);
    if (all->options.cross_validate)
        score(o, "left_out", &all->left_out[f]);
}

void wl_fit_json(wl_json_out *o, const void *result)
{
    const wl_fit_report *of = result;
    const wl_fit *all = of->fit;
    wl_out_members(o, "schema:s device:s origin:s", "warpline.fit/1", wl_device_name(all->device), of->origin);
    wl_out_objects(o, "numbers", all->options.fits ? all->result.number_count : 0, number, all);
    wl_out_objects(o, "families", all->options.fits ? all->family_count : 0, family, all);
    if (all->options.ranks)
        wl_out_objects(o, "rankings", all->ranking_count, ranking, all);
}
