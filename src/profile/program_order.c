/* program_order.c - when launches and copies of a program happen on a device.
 *
 * The host takes no time: it issues everything at once, up to where it waits. Work of a stream is
 * done in order; the default stream waits for all others, and they for it. From launch to launch
 * it takes launch_overhead at least, whichever streams they are in. Kernels, memsets and
 * copies inside of the device follow each other, as each is predicted to have the device for
 * itself; copies from and to the host have an engine for each direction.
 *
 * Layer  profile. Oracle: tests/unit/test_profile.c. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/room.h"
#include "profile/profile_internal.h"
#include "recording/record_format.h"

enum { ENGINE_DEVICE, ENGINE_IN, ENGINE_OUT, ENGINE_COUNT };
enum { STREAM, MARK }; /* what a time belongs to */

/* Times by number, of streams and marks. */
typedef struct clocks {
    wl_digest_map number_of;
    double *time;
    size_t count, room;
} clocks;

typedef struct order {
    const wl_profile *profile;
    clocks clocks;
    double host, all, first_stream, engine[ENGINE_COUNT]; /* until when each is busy */
    double next_launch;                                   /* no sooner */
    double bandwidth, latency, memory, duration;          /* of copies; 0: not known */
} order;

static wl_status clock_of(clocks *c, int what, int64_t number, double **time, wl_error *err)
{
    const wl_digest key = {{(uint64_t)what, (uint64_t)number}};
    size_t at;
    if (!wl_digest_map_find(&c->number_of, key, &at)) {
        at = c->count;
        if (!WL_ROOM(c->time, c->count + 1, c->room) || !wl_digest_map_add(&c->number_of, key, c->count))
            return wl_fail_memory(err);
        c->time[c->count++] = 0;
    }
    *time = &c->time[at];
    return WL_OK;
}

/* Seconds of an event, and which engine does it; -1: none. */
static double seconds_of(const order *o, const wl_recorded_event *e, int *engine)
{
    *engine = ENGINE_DEVICE;
    if (e->kind == WL_RECORDED_LAUNCH) {
        const wl_prediction *p = wl_profile_launch(o->profile, e->launch, NULL);
        return p ? wl_prediction_time(p) : 0;
    }
    if (e->kind == WL_RECORDED_MEMSET)
        return o->duration + (double)e->bytes / o->memory; /* a kernel, too */
    if (e->direction == WL_COPY_DTOD)
        return o->duration + 2 * (double)e->bytes / o->memory; /* reads and writes */
    if (e->direction == WL_COPY_HTOH) {
        *engine = -1;
        return 0;
    }
    *engine = e->direction == WL_COPY_HTOD ? ENGINE_IN : ENGINE_OUT;
    return o->bandwidth > 0 ? o->latency + (double)e->bytes / o->bandwidth : 0;
}

static wl_status place(order *o, const wl_recorded_event *e, wl_profile_span *span, double *seconds, wl_error *err)
{
    double *ready;
    int engine;
    WL_TRY(clock_of(&o->clocks, STREAM, e->stream, &ready, err));
    *seconds = seconds_of(o, e, &engine);
    double start = fmax(o->host, e->stream == 0 ? o->all : fmax(*ready, o->first_stream));
    if (engine >= 0)
        start = fmax(start, o->engine[engine]);
    if (e->kind == WL_RECORDED_LAUNCH) {
        start = fmax(start, o->next_launch);
        o->next_launch = start + o->latency;
    }
    span->start_s = start;
    span->end_s = start + *seconds;
    if (engine >= 0)
        o->engine[engine] = span->end_s;
    *ready = span->end_s;
    if (e->stream == 0)
        o->first_stream = span->end_s;
    o->all = fmax(o->all, span->end_s);
    return WL_OK;
}

/* Marks and waits. */
static wl_status wait_for(order *o, const wl_recorded_event *e, wl_error *err)
{
    double *mark, *ready, until = o->all;
    if (e->kind == WL_RECORDED_MARK) {
        WL_TRY(clock_of(&o->clocks, STREAM, e->stream, &ready, err));
        until = e->stream == 0 ? o->all : fmax(*ready, o->first_stream);
        WL_TRY(clock_of(&o->clocks, MARK, e->mark, &mark, err));
        *mark = fmax(until, o->host);
        return WL_OK;
    }
    if (e->mark >= 0) {
        WL_TRY(clock_of(&o->clocks, MARK, e->mark, &mark, err));
        until = *mark;
    }
    if (e->stream < 0) {
        o->host = fmax(o->host, until);
        return WL_OK;
    }
    WL_TRY(clock_of(&o->clocks, STREAM, e->stream, &ready, err));
    *ready = fmax(*ready, until);
    if (e->stream == 0)
        o->first_stream = fmax(o->first_stream, until);
    return WL_OK;
}

static wl_status place_all(order *o, wl_profile *p, wl_error *err)
{
    const wl_recorded_event *e;
    for (size_t i = 0; (e = wl_recording_event(p->recording, i)) != NULL; i++) {
        double seconds = 0;
        if (e->kind == WL_RECORDED_MARK || e->kind == WL_RECORDED_WAIT) {
            WL_TRY(wait_for(o, e, err));
            continue;
        }
        wl_profile_span *span = &p->spans[p->span_count++];
        span->event = i;
        WL_TRY(place(o, e, span, &seconds, err));
        if (e->kind == WL_RECORDED_MEMSET)
            p->times.memsets_s += seconds;
        if (e->kind != WL_RECORDED_COPY)
            continue;
        const bool linked = e->direction == WL_COPY_HTOD || e->direction == WL_COPY_DTOH;
        p->times.copies_s += seconds;
        p->times.copies[e->direction]++;
        p->times.copied_bytes[e->direction] += e->bytes;
        p->times.no_link = p->times.no_link || (linked && !(o->bandwidth > 0));
    }
    p->times.program_s = o->all;
    return WL_OK;
}

wl_status wl_profile_order(wl_profile *p, wl_error *err)
{
    order o = {.profile = p};
    size_t count = 0;
    while (wl_recording_event(p->recording, count))
        count++;
    p->spans = calloc(count + 1, sizeof *p->spans);
    (void)wl_device_get(p->device, WL_DEVICE_host_bandwidth, &o.bandwidth);
    (void)wl_device_get(p->device, WL_DEVICE_launch_overhead, &o.latency);
    (void)wl_device_get(p->device, WL_DEVICE_launch_duration, &o.duration);
    (void)wl_device_get(p->device, WL_DEVICE_dram_bandwidth, &o.memory); /* every device has it */
    const wl_status status = p->spans ? place_all(&o, p, err) : wl_fail_memory(err);
    wl_digest_map_free(&o.clocks.number_of);
    free(o.clocks.time);
    return status;
}
