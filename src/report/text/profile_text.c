/* profile_text.c - the profile of a program for people: kernels by time as profilers print them; of
 * several devices, devices by time. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "profile/profile_internal.h"
#include "report/common/marks.h"
#include "report/common/render.h"
#include "report/common/words.h"

static const char *const directions[WL_COPY_COUNT] = {"to the device", "to the host", "inside the device",
                                                      "inside the host"};

static const char *program_of(const wl_profile *p)
{
    const char *command = wl_recording_command(p->recording);
    return command ? command : "the program";
}

static const char *plural(size_t count) { return count == 1 ? "" : "s"; }

static void add_headline(const wl_profile *p, wl_buffer *out)
{
    wl_headline(out, "%.200s on %s (%s)", program_of(p), wl_device_name(p->device), wl_device_title(p->device));
    wl_buffer_add(out, ": %s, %zu launch%s of %zu kernel%s\n\n", wl_quantity(WL_DIM_TIME, p->times.program_s).text,
                  p->launch_count, p->launch_count == 1 ? "" : "es", p->kernel_count, plural(p->kernel_count));
}

/* Names of templates may have thousands of characters: their middle is left out. --format json has
 * them whole. */
#define NAME_MOST 100
#define NAME_END 36
typedef struct short_name {
    char text[NAME_MOST + 4];
} short_name;

static short_name shortened(const char *name)
{
    short_name out;
    const size_t length = strlen(name);
    if (length <= NAME_MOST)
        (void)snprintf(out.text, sizeof out.text, "%s", name);
    else
        (void)snprintf(out.text, sizeof out.text, "%.*s..%s", NAME_MOST - NAME_END - 2, name, name + length - NAME_END);
    return out;
}

static void add_kernel(const wl_profile *p, const wl_profile_kernel *k, wl_buffer *out)
{
    wl_mark_row(out, 2);
    if (!k->predicted) {
        wl_buffer_add(out, "%6s %11s %6zu %11s", "-", "-", k->calls, "-");
        wl_mark_wide(out, " %11s %11s", "-", "-");
        wl_buffer_add(out, "  %-9s %7s  %s\n", "-", "-", shortened(k->name).text);
        return;
    }
    const double share = p->times.kernels_s > 0 ? 100 * k->total_s / p->times.kernels_s : 0;
    wl_buffer_add(out, "%5.1f%% %11s %6zu %11s", share, wl_quantity(WL_DIM_TIME, k->total_s).text, k->calls,
                  wl_quantity(WL_DIM_TIME, k->total_s / (double)k->predicted).text);
    wl_mark_wide(out, " %11s %11s", wl_quantity(WL_DIM_TIME, k->least_s).text,
                 wl_quantity(WL_DIM_TIME, k->most_s).text);
    wl_buffer_add(out, "  %-9s %6.0f%%  %s\n", wl_bound_name(k->limiter), 100 * k->of_peak, shortened(k->name).text);
}

static void add_kernels(const wl_profile *p, wl_buffer *out)
{
    wl_buffer_add(out, "%6s %11s %6s %11s", "share", "total", "calls", "mean");
    wl_mark_wide(out, " %11s %11s", "min", "max");
    wl_buffer_add(out, "  %-9s %7s  %s\n", "limiter", "of peak", "kernel");
    for (size_t i = 0; i < p->kernel_count; i++)
        add_kernel(p, &p->kernels[i], out);
}

static void add_sum(const char *name, double seconds, wl_buffer *out)
{
    wl_buffer_add(out, "%6s %11s  %s", "", wl_quantity(WL_DIM_TIME, seconds).text, name);
}

static void add_sums(const wl_profile *p, wl_buffer *out)
{
    const wl_profile_times *t = &p->times;
    wl_buffer_text(out, "\n");
    add_sum("kernels\n", t->kernels_s, out);
    if (t->memsets_s > 0)
        add_sum("memsets\n", t->memsets_s, out);
    for (int d = 0, any = 0; d < WL_COPY_COUNT; d++) {
        if (!t->copies[d])
            continue;
        if (!any++)
            add_sum("copies:", t->copies_s, out);
        wl_buffer_add(out, "%s %s %s in %zu", any > 1 ? "," : "",
                      wl_quantity(WL_DIM_BYTES, (double)t->copied_bytes[d]).text, directions[d], t->copies[d]);
    }
    if (t->copies[WL_COPY_HTOD] + t->copies[WL_COPY_DTOH] + t->copies[WL_COPY_DTOD] + t->copies[WL_COPY_HTOH])
        wl_buffer_text(out, "\n");
    add_sum("the program: one kernel at a time, copies beside them where its streams allow\n", t->program_s, out);
}

#define REFUSED_MOST 12 /* reasons that are told */

static const char *kernel_of(const wl_profile *p, size_t kind)
{
    return wl_recording_launch(p->recording, p->kinds[kind].launch)->kernel;
}

static bool same_refusal(const wl_profile *p, size_t a, size_t b)
{
    return !p->kinds[a].prediction && !p->kinds[b].prediction && strcmp(kernel_of(p, a), kernel_of(p, b)) == 0 &&
           strcmp(p->kinds[a].reason, p->kinds[b].reason) == 0;
}

static bool told_before(const wl_profile *p, size_t kind)
{
    for (size_t i = 0; i < kind; i++)
        if (same_refusal(p, i, kind))
            return true;
    return false;
}

/* Launches without a prediction, those of one kernel and reason together. */
static void add_refused(const wl_profile *p, wl_buffer *out)
{
    int told = 0;
    for (size_t i = 0; i < p->kind_count && told <= REFUSED_MOST; i++) {
        size_t count = 0;
        if (p->kinds[i].prediction || told_before(p, i))
            continue;
        if (told++ == REFUSED_MOST) {
            wl_line(out, 2, "not predicted: and others, which --format json lists\n");
            break;
        }
        for (size_t l = p->kinds[i].launch; l < p->launch_count; l++)
            count += same_refusal(p, p->kind_of[l], i);
        wl_line(out, 2, "not predicted: launch %zu%s, %s: %s\n", p->kinds[i].launch,
                count > 1 ? wl_short_of(" and %zu more", count - 1).text : "", shortened(kernel_of(p, i)).text,
                p->kinds[i].reason);
    }
}

/* What a prediction leaves out or guesses, of the launch that stands for a kernel. */
static void add_gaps(const wl_profile *p, wl_buffer *out)
{
    for (size_t i = 0; i < p->kernel_count; i++)
        if (p->kernels[i].prediction && wl_prediction_has_gaps(p->kernels[i].prediction))
            wl_line(out, 2, "warning: %s: its prediction leaves something out: --launch %zu says what\n",
                    shortened(p->kernels[i].name).text, p->kernels[i].launch);
}

static void add_notes(const wl_profile *p, wl_buffer *out)
{
    size_t like = 0;
    wl_note_gap(out);
    for (size_t i = 0; i < p->kernel_count; i++)
        like += p->kernels[i].like;
    if (like > 0)
        wl_note_line(out, "",
                     "%zu launches were recorded as like an earlier one, without their arguments: they take as long",
                     like);
    if (p->times.refused > 0)
        wl_note_line(out, "", "%zu launch%s without a prediction: no part of the sums", p->times.refused,
                     p->times.refused == 1 ? "" : "es");
    if (p->times.no_link)
        wl_note_line(out, "", "copies from and to the host take no time here: the device has no host_bandwidth");
    for (size_t i = 0; wl_recording_note(p->recording, i); i++)
        wl_note_line(out, "", "%s", wl_recording_note(p->recording, i));
    if (p->kernels[0].predicted)
        wl_note_line(out, "",
                     "of peak: the time that the limiter alone would take; --launch %zu predicts one launch in full",
                     p->kernels[0].launch);
}

/* ---- several devices ---- */

static int by_program(const void *a, const void *b)
{
    const wl_profile *x = *(const wl_profile *const *)a, *y = *(const wl_profile *const *)b;
    return x->times.program_s < y->times.program_s ? -1 : x->times.program_s > y->times.program_s;
}

static void add_device(const wl_profile *p, const wl_profile *first, int width, bool best, wl_buffer *out)
{
    const wl_profile_times *t = &p->times;
    const double ratio = first->times.program_s > 0 ? t->program_s / first->times.program_s : NAN;
    wl_mark_row(out, 2);
    wl_mark_if(out, best, WL_MARK_BEST);
    wl_buffer_add(out, "%-*s %11s %8s %11s %11s", width, wl_device_name(p->device),
                  wl_quantity(WL_DIM_TIME, t->program_s).text, wl_cell_number("%.2f", ratio).text,
                  wl_quantity(WL_DIM_TIME, t->kernels_s).text, wl_quantity(WL_DIM_TIME, t->copies_s).text);
    wl_mark_if(out, best, WL_MARK_END);
    if (p->kernels[0].predicted && t->kernels_s > 0)
        wl_buffer_add(out, "  %.0f%% %s, %s", 100 * p->kernels[0].total_s / t->kernels_s,
                      shortened(p->kernels[0].name).text, wl_bound_name(p->kernels[0].limiter));
    wl_buffer_text(out, "\n");
}

static void add_devices(const wl_profiles_report *r, wl_buffer *out)
{
    const wl_profile **sorted = calloc(r->count, sizeof *sorted);
    int width = (int)strlen("device");
    if (!sorted) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < r->count; i++) {
        const int length = (int)strlen(wl_device_name(r->profiles[i]->device));
        sorted[i] = r->profiles[i];
        width = length > width ? length : width;
    }
    qsort(sorted, r->count, sizeof *sorted, by_program);
    wl_headline(out, "%.200s on %zu devices", program_of(r->profiles[0]), r->count);
    wl_buffer_add(out, ": fastest on %s\n\n%-*s %11s %8s %11s %11s  %s\n", wl_device_name(sorted[0]->device), width,
                  "device", "program", "/ first", "kernels", "copies", "most of the kernels' time");
    for (size_t i = 0; i < r->count; i++)
        add_device(sorted[i], r->profiles[0], width, i == 0, out);
    free(sorted);
}

void wl_profile_text(const void *result, wl_buffer *out)
{
    const wl_profiles_report *r = result;
    const wl_profile *p = r->profiles[0];
    for (size_t i = 0; i < (r->count > 1 ? r->count : 0); i++)
        p = r->profiles[i]->times.refused > p->times.refused ? r->profiles[i] : p;
    if (r->count > 1) {
        add_devices(r, out);
    } else {
        add_headline(p, out);
        add_kernels(p, out);
        add_sums(p, out);
    }
    wl_buffer_text(out, p->times.refused ? "\n" : "");
    add_refused(p, out);
    add_gaps(p, out);
    add_notes(p, out);
}
