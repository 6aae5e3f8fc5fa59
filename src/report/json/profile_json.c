/* profile_json.c - profiles as JSON (schema warpline.profile/1), and as a Chrome trace.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/units.h"
#include "profile/profile_internal.h"
#include "report/common/render.h"
#include "report/common/words.h"

#define MICROSECONDS 1e6 /* in a second: the unit of traces */

static const char *const directions[WL_COPY_COUNT] = {"htod", "dtoh", "dtod", "htoh"};

static void add_kernel(wl_json_out *o, const void *of, size_t i)
{
    const wl_profile *p = of;
    const wl_profile_kernel *k = &p->kernels[i];
    const bool known = k->predicted > 0;
    wl_out_members(o,
                   "kernel:s calls:d predicted:d like:d total_s:r? mean_s:r? min_s:r? max_s:r? share:r? measured_s:r?",
                   k->name, (int64_t)k->calls, (int64_t)k->predicted, (int64_t)k->like, known ? k->total_s : NAN,
                   known ? k->total_s / (double)k->predicted : NAN, known ? k->least_s : NAN, known ? k->most_s : NAN,
                   known && p->times.kernels_s > 0 ? k->total_s / p->times.kernels_s : NAN,
                   k->measured_s >= 0 ? k->measured_s : NAN);
    wl_out_members(o, "launch:d limiter:s? of_peak:r? reason:s?", (int64_t)k->launch,
                   known ? wl_bound_name(k->limiter) : NULL, known ? k->of_peak : NAN, k->reason);
    wl_out_truth(o, "complete", known && !k->reason && !wl_prediction_has_gaps(k->prediction));
}

static void add_copies(wl_json_out *o, const wl_profile *p)
{
    wl_out_array(o, "copies");
    for (int d = 0; d < WL_COPY_COUNT; d++)
        if (p->times.copies[d])
            wl_out_row(o, NULL, "direction:s copies:d bytes:d", directions[d], (int64_t)p->times.copies[d],
                       p->times.copied_bytes[d]);
    wl_out_array_end(o);
}

static void add_launches(wl_json_out *o, const wl_profile *p)
{
    wl_out_array(o, "launches");
    for (size_t i = 0; i < p->span_count; i++) {
        const wl_recorded_event *e = wl_recording_event(p->recording, p->spans[i].event);
        const char *reason = NULL;
        if (e->kind != WL_RECORDED_LAUNCH)
            continue;
        const wl_recorded_launch *l = wl_recording_launch(p->recording, e->launch);
        const wl_prediction *prediction = wl_profile_launch(p, e->launch, &reason);
        wl_out_row(o, NULL,
                   "launch:d kernel:s block:x grid:x stream:d like:b start_s:r? time_s:r? limiter:s? measured_s:r? "
                   "reason:s?",
                   (int64_t)e->launch, l->kernel, l->block, l->grid, l->stream, l->like,
                   prediction ? p->spans[i].start_s : NAN, prediction ? wl_prediction_time(prediction) : NAN,
                   prediction ? wl_bound_name(wl_prediction_limiter(prediction)) : NULL,
                   l->time_s >= 0 ? l->time_s : NAN, reason);
    }
    wl_out_array_end(o);
}

static void add_profile(wl_json_out *o, const void *of, size_t i)
{
    const wl_profile *p = ((const wl_profiles_report *)of)->profiles[i];
    const wl_profile_times *t = &p->times;
    wl_out_members(o, "device:s title:s time:{program_s:r kernels_s:r copies_s:r memsets_s:r} refused:d",
                   wl_device_name(p->device), wl_device_title(p->device), t->program_s, t->kernels_s, t->copies_s,
                   t->memsets_s, (int64_t)t->refused);
    wl_out_objects(o, "kernels", p->kernel_count, add_kernel, p);
    add_copies(o, p);
    add_launches(o, p);
}

void wl_profile_json(wl_json_out *o, const void *result)
{
    const wl_profiles_report *r = result;
    const wl_recording *recording = r->profiles[0]->recording;
    wl_out_members(o, "schema:s program:s? recorded_on:s?", "warpline.profile/1", wl_recording_command(recording),
                   wl_recording_device(recording));
    wl_out_array(o, "notes");
    for (size_t i = 0; wl_recording_note(recording, i); i++)
        wl_out_text(o, NULL, wl_recording_note(recording, i));
    wl_out_array_end(o);
    wl_out_objects(o, "profiles", r->count, add_profile, r);
}

/* ---- traces ---- */

/* A span that viewers draw: "X" is one with a beginning and a duration. */
static void add_span(wl_json_out *o, const wl_profile *p, const wl_profile_span *span)
{
    const wl_recorded_event *e = wl_recording_event(p->recording, span->event);
    const double start = MICROSECONDS * span->start_s, time = MICROSECONDS * (span->end_s - span->start_s);
    if (e->kind != WL_RECORDED_LAUNCH) {
        const char *name = e->kind == WL_RECORDED_MEMSET ? "memset" : directions[e->direction];
        wl_out_row(o, NULL, "name:s cat:s ph:s ts:r dur:r pid:d tid:d args:{bytes:d}", name,
                   e->kind == WL_RECORDED_MEMSET ? "memset" : "copy", "X", start, time, (int64_t)0, e->stream,
                   e->bytes);
        return;
    }
    const wl_recorded_launch *l = wl_recording_launch(p->recording, e->launch);
    const char *reason = NULL;
    const wl_prediction *prediction = wl_profile_launch(p, e->launch, &reason);
    wl_out_row(o, NULL, "name:s cat:s ph:s ts:r dur:r pid:d tid:d args:{launch:d block:x grid:x limiter:s? reason:s?}",
               l->kernel, "kernel", "X", start, time, (int64_t)0, e->stream, (int64_t)e->launch, l->block, l->grid,
               prediction ? wl_bound_name(wl_prediction_limiter(prediction)) : NULL, reason);
}

#define STREAMS_NAMED 1024 /* viewers number the others */

static void add_names(wl_json_out *o, const wl_profile *p)
{
    const char *command = wl_recording_command(p->recording);
    bool named[STREAMS_NAMED] = {false};
    wl_out_row(o, NULL, "name:s ph:s pid:d args:{name:s}", "process_name", "M", (int64_t)0,
               command ? command : "the program");
    for (size_t i = 0; i < p->span_count; i++) {
        const int64_t stream = wl_recording_event(p->recording, p->spans[i].event)->stream;
        const wl_short name =
            stream == 0 ? wl_short_of("default stream") : wl_short_of("stream %lld", (long long)stream);
        if (stream >= STREAMS_NAMED || named[stream])
            continue;
        named[stream] = true;
        wl_out_row(o, NULL, "name:s ph:s pid:d tid:d args:{name:s}", "thread_name", "M", (int64_t)0, stream, name.text);
    }
}

void wl_profile_events(wl_json_out *o, const void *result)
{
    const wl_profile *p = result;
    wl_out_members(o, "displayTimeUnit:s otherData:{device:s}", "ns", wl_device_name(p->device));
    wl_out_array(o, "traceEvents");
    add_names(o, p);
    for (size_t i = 0; i < p->span_count; i++)
        add_span(o, p, &p->spans[i]);
    wl_out_array_end(o);
}
