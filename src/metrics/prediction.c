/* prediction.c - getters of a prediction; see warpline/predict.h. SPDX-License-Identifier: MIT */
#include "metrics/prediction.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

wl_bound_id wl_larger_bound(const wl_model_result *m, wl_bound_id a, wl_bound_id b)
{
    return m->bound_s[b] > m->bound_s[a] ? b : a;
}

double wl_value_part(const wl_value *value, const char *name)
{
    for (int i = 0; i < value->part_count; i++)
        if (strcmp(value->parts[i].name, name) == 0)
            return value->parts[i].value;
    return 0;
}

wl_status wl_prediction_new(wl_prediction **out, wl_error *err)
{
    *out = calloc(1, sizeof **out);
    return *out ? WL_OK : wl_fail_memory(err);
}

void wl_prediction_free(wl_prediction *prediction) { free(prediction); }

/* ---- the launch ---- */

const wl_launch *wl_prediction_launch(const wl_prediction *p) { return &p->launch; }
const wl_occupancy *wl_prediction_occupancy(const wl_prediction *p) { return &p->occupancy; }
int64_t wl_prediction_items(const wl_prediction *p) { return p->items; }
const char *wl_prediction_unit(const wl_prediction *p) { return wl_work_unit_words(p->work_unit)->name; }
int64_t wl_prediction_blocks(const wl_prediction *p) { return p->blocks; }
int64_t wl_prediction_wave_blocks(const wl_prediction *p) { return p->wave_blocks; }

/* ---- values ---- */

bool wl_prediction_metric(const wl_prediction *p, wl_metric metric, double *value)
{
    if (!p->metrics[metric].known)
        return false;
    *value = p->metrics[metric].value;
    return true;
}

const char *wl_prediction_part(const wl_prediction *p, wl_metric metric, size_t index, double *value)
{
    const wl_value *v = &p->metrics[metric];
    if (!v->known || index >= (size_t)v->part_count)
        return NULL;
    *value = v->parts[index].value;
    return v->parts[index].name;
}

bool wl_prediction_instructions(const wl_prediction *p, wl_inst_class of, double *warp, double *thread)
{
    if (!p->has_mix)
        return false;
    *warp = p->mix.warp[of];
    *thread = p->mix.thread[of];
    return true;
}

/* ---- waits ---- */

int wl_named_waits(const wl_block_waits *w, wl_named_wait out[WL_NAMED_WAITS])
{
    const wl_named_wait all[WL_NAMED_WAITS] = {
        {"start", w->start},      {"issue", w->issue},    {"dependence", w->dependence}, {"shared", w->shared},
        {"fetch", w->fetch},      {"l1", w->level[0]},    {"l2", w->level[1]},           {"dram", w->level[2]},
        {"dram_queue", w->queue}, {"barrier", w->barrier}};
    for (int i = 0; i < WL_NAMED_WAITS; i++)
        out[i] = all[i];
    return WL_NAMED_WAITS;
}

/* ---- time ---- */

wl_model_id wl_prediction_model(const wl_prediction *p) { return p->model.id; }
double wl_prediction_time(const wl_prediction *p) { return p->model.time_s; }
const char *wl_caches_name(wl_caches caches) { return caches == WL_CACHES_COLD ? "cold" : "warm"; }

wl_caches wl_caches_of(const char *name)
{
    return name && strcmp(name, wl_caches_name(WL_CACHES_COLD)) == 0 ? WL_CACHES_COLD : WL_CACHES_WARM;
}

double wl_prediction_launch_gap(const wl_prediction *p) { return p->model.launch_gap_s; }
wl_bound_id wl_prediction_limiter(const wl_prediction *p) { return p->model.limiter; }
wl_bound_id wl_prediction_next_limiter(const wl_prediction *p) { return p->model.next; }

bool wl_prediction_bound(const wl_prediction *p, wl_bound_id bound, double *seconds)
{
    if (!p->model.bound_known[bound])
        return false;
    *seconds = p->model.bound_s[bound];
    return true;
}

/* ---- estimators and shares ---- */

const wl_reuse *wl_prediction_reuse(const wl_prediction *p, int direction) { return &p->reuse[direction]; }
double wl_prediction_l1_oversubscription(const wl_prediction *p) { return p->l1_oversubscription; }
double wl_prediction_l1_miss_rate(const wl_prediction *p) { return p->l1_miss_rate; }

const char *wl_prediction_warning(const wl_prediction *p, size_t index)
{
    return index < (size_t)p->warning_count ? p->warnings[index] : NULL;
}

bool wl_prediction_is_outside(const wl_prediction *p) { return p->outside_count > 0; }

int wl_prediction_clamped(const wl_prediction *p) { return p->clamped; }

bool wl_prediction_sampled_error(const wl_prediction *p, double *error)
{
    if (!p->sampled)
        return false;
    *error = p->sampled_error;
    return true;
}

const wl_kernel *wl_prediction_kernel(const wl_prediction *p) { return p->kernel; }

const wl_share *wl_prediction_field_share(const wl_prediction *p, size_t field)
{
    return p->fields && field < wl_kernel_field_count(p->kernel) ? &p->fields[field] : NULL;
}

const wl_share *wl_prediction_access_share(const wl_prediction *p, size_t access)
{
    return p->accesses && access < wl_kernel_access_count(p->kernel) ? &p->accesses[access] : NULL;
}

const wl_line_mix *wl_prediction_line(const wl_prediction *p, size_t index)
{
    return index < p->line_count ? &p->lines[index] : NULL;
}

/* ---- names ---- */

const char *wl_l1_estimator_name(bool has_tag_hash) { return has_tag_hash ? "tag-hash" : "bank-distance"; }

const char *wl_volume_estimator_name(wl_volume_estimator estimator)
{
    static const char *const names[] = {"reuse-sets", "l2-partitions", "simulated"};
    return names[estimator];
}

const char *wl_count_method_name(wl_count_method method)
{
    static const char *const names[] = {"closed form", "rows", "threads"};
    return names[method];
}
