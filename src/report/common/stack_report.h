/* stack_report.h - the renderings behind wl_stack_render, and the words they share. Each only
 * formats.
 * SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_COMMON_STACK_REPORT_H
#define WL_REPORT_COMMON_STACK_REPORT_H

#include "model/stacks.h"
#include "report/common/render.h"

typedef struct wl_stack_report {
    const wl_prediction *prediction;
    const wl_kernel *kernel;
    const wl_device *device;
    const wl_stacks *stacks;
    /* the models that are shown; lines are sorted by the first */
    wl_model_id models[WL_MODEL_COUNT];
    int model_count;
} wl_stack_report;

wl_text_writer wl_stack_text, wl_stack_svg; /* wl_stack_report */
wl_json_writer wl_stack_json;

/* Sets the models that are shown: all, or the one that was asked for, else the default one.
 * WL_E_UNSUPPORTED: there is no stack by that model. */
wl_status wl_stack_choose_models(wl_stack_report *report, bool all, wl_error *err);

/* ---- words ---- */

/* Does the part have a share that shows in a stack? */
bool wl_stack_part_shows(const wl_stack_report *report, wl_stack_part part);
/* The share of the model's total; 0 if that is 0. */
double wl_stack_share(const wl_stack_report *report, wl_model_id model, double cycles);
/* What a line waits for, by the name of a part: "l2", "barrier", ..; "nothing" at the end of a
 * warp. */
const char *wl_stack_cause(const wl_stack_line *line);
/* What the line represents if no instruction is known. */
const char *wl_stack_assumed_words(const wl_stack_line *line);
/* An operation in PTX, on one line. */
typedef struct wl_stack_words {
    char text[160];
} wl_stack_words;
wl_stack_words wl_stack_ptx(const wl_op *op);
/* The place in the source, without folders: "heat.cu:14"; "": unknown. */
wl_stack_words wl_stack_place(const wl_stack_report *report, const wl_op *op);

/* Lines of the source, by the cycles of the first model that is shown: those that cost most first.
 * Returns their number; 0: the source is not known. */
typedef struct wl_stack_source {
    const wl_stack_line *line; /* of it, the one that costs most */
    double cycles[WL_STACK_PART_COUNT], sum;
} wl_stack_source;
size_t wl_stack_sources(const wl_stack_report *report, wl_stack_source *out, size_t most);

#endif /* WL_REPORT_COMMON_STACK_REPORT_H */
