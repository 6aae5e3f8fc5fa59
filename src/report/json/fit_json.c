/* fit_json.c - a fit as JSON, schema warpline.fit/1. SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/json.h"
#include "fit/fit_internal.h"
#include "report/common/render.h"
#include "model/trust_level.h"

static json_t *ranking_json(wl_json *j, const wl_fit *all, size_t r)
{
    const wl_ranking_fit *k = &all->rankings[r];
    json_t *levels = wl_json_array(j), *contests = wl_json_array(j);
    for (size_t i = 0; i < k->level_count; i++) {
        json_t *o = wl_json_pack(j, "{s:f,s:f,s:f}", "probability", wl_trust_level(i), "ratio", k->ratio[i], "launches",
                                 k->within[i]);
        if (i < k->covered_count)
            wl_json_set(j, o, "left_out", wl_json_real(j, k->coverage[i]));
        wl_json_add(j, levels, o);
    }
    for (size_t i = 0; i < all->contests[r].count; i++) {
        const wl_contest *c = &all->contests[r].contests[i];
        wl_json_add(j, contests,
                    wl_json_pack(j, "{s:s,s:I,s:f,s:f}", "family", c->family, "launches", (json_int_t)c->launches,
                                 "ratio", c->ratio, "error", exp(c->error)));
    }
    return wl_json_pack(j, "{s:s,s:I,s:I,s:f,s:o,s:o}", "model", wl_model_name(k->model), "families",
                        (json_int_t)k->families, "launches", (json_int_t)k->launches, "error", k->error, "levels",
                        levels, "contests", contests);
}

static json_t *score_json(wl_json *j, const wl_fit_score *s)
{
    json_t *o = wl_json_object(j);
    for (int t = 0; t < WL_FIT_TARGET_COUNT; t++)
        if (s->count[t] > 0)
            wl_json_set(j, o, wl_fit_target_name((wl_fit_target)t),
                        wl_json_pack(j, "{s:I,s:f,s:f}", "n", (json_int_t)s->count[t], "mean", s->error[t], "bias",
                                     s->bias[t]));
    return o;
}

json_t *wl_fit_json(wl_json *j, const void *result)
{
    const wl_fit_report *of = result;
    const wl_fit *all = of->fit;
    json_t *numbers = wl_json_array(j), *families = wl_json_array(j);
    for (size_t i = 0; all->options.fits && i < all->result.number_count; i++) {
        const wl_fit_number *n = &all->result.numbers[i];
        wl_json_add(j, numbers,
                    wl_json_pack(j, "{s:s,s:s,s:I,s:f,s:f,s:f}", "target", wl_fit_target_name(n->target), "key",
                                 wl_device_key_name(n->key), "index", (json_int_t)n->index, "start", n->start, "fitted",
                                 n->fitted, "deviation", n->deviation));
    }
    for (size_t f = 0; f < all->family_count && all->options.fits; f++) {
        json_t *o = wl_json_pack(j, "{s:s,s:o,s:o}", "family", all->families[f], "before",
                                 score_json(j, &all->before[f]), "fitted", score_json(j, &all->after[f]));
        if (all->options.cross_validate)
            wl_json_set(j, o, "left_out", score_json(j, &all->left_out[f]));
        wl_json_add(j, families, o);
    }
    json_t *root =
        wl_json_pack(j, "{s:s,s:s,s:s,s:o,s:o}", "schema", "warpline.fit/1", "device", wl_device_name(all->device),
                     "origin", of->origin, "numbers", numbers, "families", families);
    if (all->options.ranks) {
        json_t *rankings = wl_json_array(j);
        for (size_t r = 0; r < all->ranking_count; r++)
            wl_json_add(j, rankings, ranking_json(j, all, r));
        wl_json_set(j, root, "rankings", rankings);
    }
    return root;
}
