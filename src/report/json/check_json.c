/* check_json.c - findings as JSON, schema warpline.check/1. SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "judge/findings.h"
#include "report/common/render.h"

static json_t *finding_json(wl_json *j, const wl_finding *f)
{
    char name[64];
    wl_subject_name(f->subject, name, sizeof name);
    json_t *all =
        wl_json_pack(j, "{s:s, s:s, s:s, s:s}", "name", name, "against", f->from_baseline ? "baseline" : "budget",
                     "verdict", wl_verdict_name(f->verdict), "unit", wl_subject_unit(f->subject));
    if (f->predicted_known)
        wl_json_set(j, all, "predicted", wl_json_number(j, f->predicted));
    if (f->limit_known)
        wl_json_set(j, all,
                    f->from_baseline                 ? "baseline"
                    : wl_subject_is_gain(f->subject) ? "at_least"
                                                     : "at_most",
                    wl_json_number(j, f->limit));
    if (f->change_known)
        wl_json_set(j, all, "change", wl_json_real(j, f->change));
    return all;
}

static json_t *launch_json(wl_json *j, const wl_checked *l)
{
    json_t *findings = wl_json_array(j), *strange = wl_json_array(j);
    for (size_t i = 0; i < l->finding_count; i++)
        wl_json_add(j, findings, finding_json(j, &l->findings[i]));
    for (size_t i = 0; l->baseline && i < l->baseline->strange_count; i++)
        wl_json_add(j, strange, wl_json_text(j, l->baseline->strange[i]));
    return wl_json_pack(j, "{s:s, s:o, s:o, s:o, s:I, s:I, s:o, s:o}", "device", l->device, "block",
                        wl_json_shape(j, l->launch.block), "fold", wl_json_shape(j, l->launch.fold), "grid",
                        wl_json_shape(j, l->launch.grid), "registers", (json_int_t)l->launch.registers, "shared_bytes",
                        (json_int_t)l->launch.shared_bytes, "findings", findings, "unknown_metrics", strange);
}

json_t *wl_check_json(wl_json *j, const void *result)
{
    const wl_check_report *r = result;
    const wl_check *c = r->check;
    json_t *launches = wl_json_array(j);
    for (size_t i = 0; i < c->launch_count; i++)
        wl_json_add(j, launches, launch_json(j, &c->launches[i]));
    json_t *root =
        wl_json_pack(j, "{s:s, s:s, s:b, s:I, s:I, s:I, s:I, s:I, s:o}", "schema", "warpline.check/1", "kernel",
                     r->kernel, "passed", c->failed == 0, "findings", (json_int_t)c->total, "failed",
                     (json_int_t)c->failed, "better", (json_int_t)c->better, "not_compared",
                     (json_int_t)c->not_compared, "launches_left_out", (json_int_t)c->left_out, "launches", launches);
    bool has_baseline = c->left_out > 0;
    for (size_t i = 0; i < c->launch_count; i++)
        has_baseline = has_baseline || c->launches[i].baseline;
    if (has_baseline)
        wl_json_set(j, root, "tolerance", wl_json_real(j, c->tolerance));
    return root;
}
