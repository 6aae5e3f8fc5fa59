/* check_json.c - findings as JSON, schema warpline.check/1. SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/json_out.h"
#include "judge/findings.h"
#include "report/common/render.h"

static void finding(wl_json_out *o, const void *of, size_t i)
{
    const wl_finding *f = &((const wl_checked *)of)->findings[i];
    const char *limit = f->from_baseline ? "baseline" : wl_subject_is_gain(f->subject) ? "at_least" : "at_most";
    char name[64];
    wl_subject_name(f->subject, name, sizeof name);
    wl_out_members(o, "name:s against:s verdict:s unit:s predicted:n?", name, f->from_baseline ? "baseline" : "budget",
                   wl_verdict_name(f->verdict), wl_subject_unit(f->subject), f->predicted_known ? f->predicted : NAN);
    wl_out_number(o, limit, f->limit_known ? f->limit : NAN);
    wl_out_real(o, "change", f->change_known ? f->change : NAN);
}

static void launch(wl_json_out *o, const void *of, size_t i)
{
    const wl_checked *l = &((const wl_check *)of)->launches[i];
    wl_out_members(o, "device:s block:x fold:x grid:x registers:d shared_bytes:d", l->device, l->launch.block,
                   l->launch.fold, l->launch.grid, l->launch.registers, l->launch.shared_bytes);
    wl_out_objects(o, "findings", l->finding_count, finding, l);
    wl_out_array(o, "unknown_metrics");
    for (size_t k = 0; l->baseline && k < l->baseline->strange_count; k++)
        wl_out_text(o, NULL, l->baseline->strange[k]);
    wl_out_array_end(o);
}

void wl_check_json(wl_json_out *o, const void *result)
{
    const wl_check_report *r = result;
    const wl_check *c = r->check;
    bool has_baseline = c->left_out > 0;
    for (size_t i = 0; i < c->launch_count; i++)
        has_baseline = has_baseline || c->launches[i].baseline;
    wl_out_members(o, "schema:s kernel:s passed:b findings:d failed:d better:d not_compared:d launches_left_out:d",
                   "warpline.check/1", r->kernel, c->failed == 0, (int64_t)c->total, (int64_t)c->failed,
                   (int64_t)c->better, (int64_t)c->not_compared, (int64_t)c->left_out);
    wl_out_objects(o, "launches", c->launch_count, launch, c);
    wl_out_real(o, "tolerance", has_baseline ? c->tolerance : NAN);
}
