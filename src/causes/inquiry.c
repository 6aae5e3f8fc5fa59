/* inquiry.c - see inquiry.h. SPDX-License-Identifier: MIT */
#include "causes/inquiry.h"

#include <string.h>

#include "base/fail.h"
#include "causes/answers.h"

#define WORTH_NAMING 0.01 /* of the time: smaller gains are not stated */

/* ---- what-ifs ---- */

wl_status wl_variant_make(wl_inquiry *q, wl_kernel **out, wl_error *err)
{
    const wl_kernel *from = q->kernel;
    wl_kernel *k = WL_ARENA_NEW(&q->scratch, wl_kernel, 1);
    wl_field *fields = WL_ARENA_NEW(&q->scratch, wl_field, from->field_count + 1);
    wl_access *accesses = WL_ARENA_NEW(&q->scratch, wl_access, from->access_count + 1);
    if (!k || !fields || !accesses)
        return wl_fail_memory(err);
    *k = *from;
    if (from->field_count > 0)
        memcpy(fields, from->fields, from->field_count * sizeof *fields);
    if (from->access_count > 0)
        memcpy(accesses, from->accesses, from->access_count * sizeof *accesses);
    k->fields = fields;
    k->accesses = accesses;
    *out = k;
    return wl_answers_make(&from->source, &q->scratch, &q->traced, &k->source, err);
}

static wl_status predict(wl_inquiry *q, const wl_kernel *kernel, const wl_launch *launch, wl_prediction *out,
                         wl_error *err)
{
    wl_predictor *predictor = NULL;
    WL_TRY(wl_predictor_new(kernel, q->device, &predictor, err));
    const wl_status status = wl_predict(predictor, launch, &q->options, out, err);
    wl_predictor_free(predictor);
    return status;
}

wl_status wl_try_wide(wl_inquiry *q, const wl_kernel *kernel, const wl_launch *launch, double items, wl_tried *best,
                      bool *better, wl_error *err)
{
    wl_error own = {0};
    wl_prediction *p = WL_ARENA_NEW(&q->scratch, wl_prediction, 1);
    const wl_status status = p ? predict(q, kernel, launch, p, &own) : wl_fail_memory(&own);
    *better = false;
    if (status == WL_E_NOMEM)
        return wl_fail(err, status, WL_NOWHERE, "%s", own.message);
    if (status != WL_OK || p->items < 1 || p->model.id != q->now.model.id)
        return WL_OK;
    const double time = p->model.time_s * (double)q->now.items / (items * (double)p->items);
    if (best->known && time >= best->time_s)
        return WL_OK;
    *best = (wl_tried){true, time, p->model.limiter};
    *better = true;
    return WL_OK;
}

wl_status wl_try_launch(wl_inquiry *q, const wl_launch *launch, wl_tried *best, bool *better, wl_error *err)
{
    return wl_try_wide(q, q->given, launch, 1, best, better, err);
}

wl_status wl_try_variant(wl_inquiry *q, const wl_kernel *variant, const wl_launch *launch, wl_tried *best, bool *better,
                         wl_error *err)
{
    return wl_try_wide(q, variant, launch, 1, best, better, err);
}

/* ---- naming causes ---- */

/* Can the operation be this access? */
static bool may_be(const wl_op *op, const wl_access *access)
{
    const bool shared = op->kind == WL_OP_SHARED, loads = op->kind == WL_OP_LOAD || (shared && op->writes > 0);
    const bool stores = op->kind == WL_OP_STORE || op->kind == WL_OP_ATOMIC || (shared && op->writes == 0);
    if (op->field != (int32_t)access->field || op->line < 1)
        return false;
    return access->traced ? op->line == access->loc.line : access->store ? stores : loads;
}

/* Its line in the source, or in PTX. */
static void place_op(const wl_inquiry *q, const wl_op *op, wl_cause *c)
{
    if (!op || !q->lives || op->line < 1)
        return;
    c->line = op->file >= 0 ? op->source_line : op->line;
    c->file = op->file >= 0 ? q->lives->files[op->file] : q->kernel->input;
}

/* The line, in the source or in PTX, of all operations that can be this access, if it is the
 * same. */
static void place(const wl_inquiry *q, size_t access, wl_cause *c)
{
    const wl_access *a = &q->kernel->accesses[access];
    const wl_op *found = NULL;
    for (int32_t i = 0; q->lives && i < q->lives->op_count; i++) {
        const wl_op *op = &q->lives->ops[i];
        if (!may_be(op, a))
            continue;
        if (found && (op->file != found->file || op->source_line != found->source_line ||
                      (op->file < 0 && op->line != found->line)))
            return;
        found = op;
    }
    if (!q->kernel->source.live) {
        c->line = a->loc.line;
        c->file = q->kernel->input;
    } else {
        place_op(q, found, c);
    }
}

static wl_status keep(wl_arena *arena, const char *text, const char **out, wl_error *err)
{
    *out = text ? wl_arena_text(arena, text, strlen(text)) : NULL;
    return text && !*out ? wl_fail_memory(err) : WL_OK;
}

static wl_status add(wl_inquiry *q, const wl_cause *cause, size_t access, wl_error *err)
{
    wl_cause c = *cause;
    if (q->count == WL_CAUSES_MAX)
        return WL_OK;
    if (access != WL_NO_ACCESS) {
        place(q, access, &c);
        WL_TRY(keep(q->arena, q->kernel->accesses[access].text, &c.access, err));
    }
    WL_TRY(keep(q->arena, c.file, &c.file, err));
    WL_TRY(keep(q->arena, c.text, &c.text, err));
    WL_TRY(keep(q->arena, c.change, &c.change, err));
    q->causes[q->count++] = c;
    return WL_OK;
}

/* Is the gain worth naming? Then *out has it. */
static bool gains(const wl_inquiry *q, wl_cause_id id, const wl_tried *tried, const char *text, const char *change,
                  wl_cause *out)
{
    const double gain = tried->known ? 1 - tried->time_s / q->now.model.time_s : 0;
    *out = (wl_cause){
        .id = id, .text = text, .change = change, .time_s = tried->time_s, .gain = gain, .limiter = tried->limiter};
    return gain >= WORTH_NAMING;
}

wl_status wl_blame(wl_inquiry *q, wl_cause_id id, size_t access, const wl_tried *tried, const char *text,
                   const char *change, wl_error *err)
{
    wl_cause c;
    return gains(q, id, tried, text, change, &c) ? add(q, &c, access, err) : WL_OK;
}

wl_status wl_blame_op(wl_inquiry *q, wl_cause_id id, const wl_op *op, const wl_tried *tried, const char *text,
                      const char *change, wl_error *err)
{
    wl_cause c;
    if (!gains(q, id, tried, text, change, &c))
        return WL_OK;
    place_op(q, op, &c);
    return add(q, &c, WL_NO_ACCESS, err);
}

wl_status wl_suspect(wl_inquiry *q, wl_cause_id id, size_t access, const char *text, wl_error *err)
{
    const wl_cause c = {.id = id, .text = text, .limiter = q->now.model.limiter};
    return add(q, &c, access, err);
}
