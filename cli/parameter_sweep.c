/* parameter_sweep.c - see parameter_sweep.h. SPDX-License-Identifier: MIT */
#include "parameter_sweep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "load.h"
#include "output.h"
#include "plot.h"

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

/* One value: the options with it in place of the range, and what follows from its name. The exit
 * code. */
static int add_value(const options *o, const range *r, long long value, sweep_adder *add, wl_sweep *sweep)
{
    options own = *o;
    char set[128];
    (void)snprintf(set, sizeof set, "%s=%lld", r->name, value);
    own.set[r->set] = set;
    const int code = options_compute(&own);
    return code == EXIT_OK ? add(&own, o, (double)value, sweep) : code;
}

static int print(const options *o, const wl_sweep *sweep)
{
    wl_error err = {0};
    char *text = NULL;
    if (wl_sweep_render(sweep, option_format(o), &text, &err) != WL_OK)
        return diag_report(&err);
    int code = EXIT_OK;
    if (o->plot) { /* files are written before the rest is printed */
        char *picture = NULL;
        const wl_status drawn = wl_sweep_render(sweep, WL_FORMAT_SVG, &picture, &err);
        code = plot_own(o->plot, drawn, picture, &err);
    }
    if (code == EXIT_OK)
        code = output_write(o->output, text, option_format(o));
    free(text);
    return code;
}

int sweep_run(const options *o, sweep_adder *add)
{
    range r;
    wl_sweep *sweep = NULL;
    wl_error err = {0};
    if (!find_range(o, &r))
        return EXIT_USAGE;
    if (o->plot && !has_suffix(o->plot, ".svg")) {
        usage_error("--plot %s: a sweep is drawn as FILE.svg", o->plot);
        return EXIT_USAGE;
    }
    if (wl_sweep_new(r.name, &sweep, &err) != WL_OK)
        return diag_report(&err);
    int code = EXIT_OK;
    bool any = false;
    for (long long v = r.first; code == EXIT_OK; v = r.step > 0 ? v + r.step : v * r.factor) {
        code = add_value(o, &r, v, add, sweep);
        any = any || code == EXIT_OK;
        if (r.step > 0 ? r.last - v < r.step : v > r.last / r.factor)
            break; /* the next one is beyond the last */
    }
    if (code == EXIT_OK || (code == EXIT_INTERRUPTED && any)) {
        const int printed = print(o, sweep);
        code = printed == EXIT_OK ? code : printed;
    }
    wl_sweep_free(sweep);
    return code;
}
