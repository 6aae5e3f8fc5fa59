/* check_report.c - findings as text, and as JSON of the schema warpline.check/1. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "shape.h"

/* ---- text ---- */

static const char *mark(wl_verdict v) { return wl_verdict_fails(v) ? "FAIL" : wl_verdict_name(v); }

/* Two decimals, but for what would read as nothing, or as a row of digits. */
static void write_percent(double percent, char *text, size_t size)
{
    const double much = fabs(percent);
    const bool plain = much == 0 || (much >= 0.005 && much < 1e5);
    (void)snprintf(text, size, plain ? "%+.2f %%" : "%+.1e %%", percent);
}

static void print_finding(const wl_finding *f)
{
    char name[64], predicted[40] = "unknown", limit[40] = "unknown", change[32] = "";
    const char *relation = f->from_baseline ? "was" : wl_subject_is_gain(f->subject) ? ">= " : "<= ";
    wl_subject_name(f->subject, name, sizeof name);
    if (f->predicted_known)
        wl_subject_value_text(f->subject, f->predicted, predicted, sizeof predicted);
    if (f->limit_known)
        wl_subject_value_text(f->subject, f->limit, limit, sizeof limit);
    if (f->change_known)
        write_percent(100 * f->change, change, sizeof change);
    printf("  %-6s  %-22s  %12s  %s %12s  %10s", mark(f->verdict), name, predicted, relation, limit, change);
    printf("%s\n", f->verdict == WL_VERDICT_GONE  ? "  not compared: unknown now"
                   : f->verdict == WL_VERDICT_NEW ? "  not compared: not in the baseline"
                                                  : "");
}

static void print_launch(const check *c, const checked *l)
{
    char block[SHAPE_LENGTH], fold[SHAPE_LENGTH];
    printf("%s on %s, block %s, fold %s\n", wl_kernel_name(c->job.kernel), l->device,
           shape_text(l->launch.block, block), shape_text(l->launch.fold, fold));
    for (size_t i = 0; i < l->finding_count; i++)
        print_finding(&l->findings[i]);
    for (size_t i = 0; l->stored && i < l->stored->strange_count; i++)
        printf("  gone    %s: not compared, this version has no such metric\n", l->stored->strange[i]);
}

void check_text(const check *c)
{
    for (size_t i = 0; i < c->launch_count; i++)
        print_launch(c, &c->launches[i]);
    printf("check %s: %zu of %zu failed", c->failed ? "FAILED" : "passed", c->failed, c->total);
    if (c->better)
        printf(", %zu better", c->better);
    if (c->not_compared)
        printf(", %zu not compared", c->not_compared);
    printf("; %zu launch%s", c->launch_count, c->launch_count == 1 ? "" : "es");
    if (c->left_out)
        printf(" of %zu in the baseline", c->launch_count + c->left_out);
    printf("\n");
}

/* ---- JSON ---- */

static json_t *number(double value)
{
    return value == floor(value) && fabs(value) < 9007199254740992.0 ? json_integer((json_int_t)value)
                                                                     : json_real(value);
}

static json_t *finding_json(const wl_finding *f)
{
    char name[64];
    wl_subject_name(f->subject, name, sizeof name);
    json_t *all = json_pack("{s:s, s:s, s:s, s:s}", "name", name, "against", f->from_baseline ? "baseline" : "budget",
                            "verdict", wl_verdict_name(f->verdict), "unit", wl_subject_unit(f->subject));
    if (f->predicted_known)
        json_object_set_new(all, "predicted", number(f->predicted));
    if (f->limit_known)
        json_object_set_new(all,
                            f->from_baseline                 ? "baseline"
                            : wl_subject_is_gain(f->subject) ? "at_least"
                                                             : "at_most",
                            number(f->limit));
    if (f->change_known)
        json_object_set_new(all, "change", json_real(f->change));
    return all;
}

static json_t *launch_json(const checked *l)
{
    json_t *findings = json_array(), *strange = json_array();
    for (size_t i = 0; i < l->finding_count; i++)
        json_array_append_new(findings, finding_json(&l->findings[i]));
    for (size_t i = 0; l->stored && i < l->stored->strange_count; i++)
        json_array_append_new(strange, json_string(l->stored->strange[i]));
    return json_pack("{s:s, s:o, s:o, s:o, s:I, s:I, s:o, s:o}", "device", l->device, "block",
                     shape_json(l->launch.block), "fold", shape_json(l->launch.fold), "grid",
                     shape_json(l->launch.grid), "registers", (json_int_t)l->launch.registers, "shared_bytes",
                     (json_int_t)l->launch.shared_bytes, "findings", findings, "unknown_metrics", strange);
}

wl_status check_json(const check *c)
{
    json_t *launches = json_array();
    for (size_t i = 0; i < c->launch_count; i++)
        json_array_append_new(launches, launch_json(&c->launches[i]));
    json_t *root =
        json_pack("{s:s, s:s, s:b, s:I, s:I, s:I, s:I, s:I, s:o}", "schema", "warpline.check/1", "kernel",
                  wl_kernel_name(c->job.kernel), "passed", c->failed == 0, "findings", (json_int_t)c->total, "failed",
                  (json_int_t)c->failed, "better", (json_int_t)c->better, "not_compared", (json_int_t)c->not_compared,
                  "launches_left_out", (json_int_t)c->left_out, "launches", launches);
    if (root && c->options->baseline)
        json_object_set_new(root, "tolerance", json_real(c->tolerance));
    char *text = root ? json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) : NULL;
    json_decref(root);
    if (!text)
        return WL_E_NOMEM;
    puts(text);
    free(text);
    return WL_OK;
}
