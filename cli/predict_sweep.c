/* predict_sweep.c - see predict_sweep.h. SPDX-License-Identifier: MIT */
#include "predict_sweep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "job.h"
#include "output.h"
#include "plot.h"
#include "progress.h"

#define VALUES_MAX 1000

/* NAME=FIRST..LAST:STEP or :xFACTOR */
typedef struct range {
    size_t set; /* which --set */
    char name[64];
    long long first, last, step, factor; /* one of the latter two is above 0 */
} range;

static const char *dots_of(const char *set)
{
    const char *value = strchr(set, '=');
    return value ? strstr(value, "..") : NULL;
}

bool sweep_is_asked(const options *o)
{
    for (size_t i = 0; i < o->set_count; i++)
        if (dots_of(o->set[i]))
            return true;
    return false;
}

static bool read_number(const char **p, long long *out)
{
    char *end;
    errno = 0;
    *out = strtoll(*p, &end, 10);
    const bool read = end != *p && errno == 0 && *out > 0;
    *p = end;
    return read;
}

static bool read_range(const char *set, range *r)
{
    const char *p = strchr(set, '=') + 1;
    const size_t length = (size_t)(p - 1 - set);
    if (length == 0 || length >= sizeof r->name)
        return false;
    memcpy(r->name, set, length);
    r->name[length] = '\0';
    r->factor = 2;
    if (!read_number(&p, &r->first) || strncmp(p, "..", 2) != 0)
        return false;
    p += 2;
    if (!read_number(&p, &r->last) || r->last < r->first)
        return false;
    if (*p == ':' && p[1] == 'x') {
        p += 2;
        return read_number(&p, &r->factor) && r->factor > 1 && *p == '\0';
    }
    if (*p == ':') {
        p++;
        r->factor = 0;
        return read_number(&p, &r->step) && *p == '\0';
    }
    return *p == '\0';
}

static bool find_range(const options *o, range *r)
{
    size_t ranges = 0;
    *r = (range){0};
    for (size_t i = 0; i < o->set_count; i++) {
        if (!dots_of(o->set[i]))
            continue;
        if (ranges++ == 0 && !read_range(o->set[i], r)) {
            usage_error("--set %s: a range is NAME=64..4096:x2 (each twice the one before) or NAME=64..512:64",
                        o->set[i]);
            return false;
        }
        r->set = ranges == 1 ? i : r->set;
    }
    const long long values = r->step > 0 ? (r->last - r->first) / r->step + 1 : 0;
    if (ranges > 1)
        usage_error("one range at a time, please: %zu values of --set are ranges", ranges);
    else if (values > VALUES_MAX)
        usage_error("--set %s: %lld values, at most %d", o->set[r->set], values, VALUES_MAX);
    else
        return true;
    return false;
}

static wl_status predict_launches(const options *o, job *j, long long value, wl_sweep *sweep, wl_error *err)
{
    for (size_t i = 0; i < j->launch_count; i++) {
        wl_prediction *p = NULL;
        wl_status status = wl_prediction_new(&p, err);
        if (status != WL_OK)
            return status;
        progress_wait();
        status = wl_predict(j->predictor, &j->launches[i], &j->options, p, err);
        progress_wait_end();
        if (status != WL_OK)
            job_show_option(o, o->block[i], err);
        else
            status = wl_sweep_add(sweep, (double)value, p, j->kernel, j->device, err);
        wl_prediction_free(p);
        if (status != WL_OK)
            return status;
    }
    return WL_OK;
}

/* One value: its kernel on every device. The exit code. */
static int predict_value(const options *o, const range *r, long long value, wl_sweep *sweep)
{
    options own = *o;
    char set[128];
    wl_error err = {0};
    (void)snprintf(set, sizeof set, "%s=%lld", r->name, value);
    own.set[r->set] = set;
    for (size_t d = 0; d < o->device_count; d++) {
        job *j = calloc(1, sizeof *j);
        if (!j)
            return diag_report(&(wl_error){.code = WL_E_NOMEM, .message = "out of memory"});
        int code = job_read_launches(&own, j);
        if (code == EXIT_OK) {
            wl_status status = job_load(&own, o->update ? NULL : o->arguments[0], o->devices[d], j, &err);
            status = status ? status : predict_launches(&own, j, value, sweep, &err);
            code = status ? diag_report(&err) : EXIT_OK;
        }
        job_free(j);
        free(j);
        if (code != EXIT_OK)
            return code;
    }
    return EXIT_OK;
}

static int print(const options *o, const wl_sweep *sweep)
{
    wl_error err = {0};
    char *text = NULL;
    if (wl_sweep_render(sweep, option_format(o), &text, &err) != WL_OK)
        return diag_report(&err);
    output_print(text, option_format(o), stdout);
    free(text);
    if (!o->plot)
        return EXIT_OK;
    if (wl_sweep_render(sweep, WL_FORMAT_SVG, &text, &err) != WL_OK)
        return diag_report(&err);
    const int code = plot_write(o->plot, text);
    free(text);
    return code;
}

int sweep_predict(const options *o)
{
    range r;
    wl_sweep *sweep = NULL;
    wl_error err = {0};
    if (!find_range(o, &r))
        return EXIT_USAGE;
    if (wl_sweep_new(r.name, &sweep, &err) != WL_OK)
        return diag_report(&err);
    int code = EXIT_OK;
    for (long long v = r.first; code == EXIT_OK; v = r.step > 0 ? v + r.step : v * r.factor) {
        code = predict_value(o, &r, v, sweep);
        if (r.step > 0 ? r.last - v < r.step : v > r.last / r.factor)
            break; /* the next one is beyond the last */
    }
    if (code == EXIT_OK)
        code = print(o, sweep);
    wl_sweep_free(sweep);
    return code;
}
