/* make_exports.c - make_exports FOLDER: searches two small kernels and writes every kind of export,
 * and a picture's script, for run.sh and check.py. expected.txt lists what was found, independently
 * of the exports.
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "warpline/warpline.h"

#define TOP 12
#define CROWD 45000 /* more points than a picture shows */

/* A name that would end strings, comments and labels early, were it not quoted. */
static const char flat_kernel[] =
    "name: \"it's \\\"3\\\\n\\\" # {x}\\n'; % \\u03b1\"\n"
    "params: {nx: 1024}\ndomain: [nx, 512]\n"
    "fields: {a: {type: f64, extent: [nx, 512], halo: 1}, b: {type: f64, extent: [nx, 512]}}\n"
    "update: b[0,0] = a[-1,0] + a[1,0] + a[0,-1] + a[0,1]\n";
static const char line_kernel[] = "name: line\ndomain: [1048576]\n"
                                  "fields: {a: {type: f32, extent: [1048576]}, b: {type: f32, extent: [1048576]}}\n"
                                  "update: b[0] = a[0] * a[0]\n";

typedef struct search {
    wl_kernel *kernel;
    wl_device *device;
    wl_ranked_space space;
    wl_ranked best[TOP];
} search;

static const char *folder;
static int failures;

static void stop(const char *what, const wl_error *err)
{
    fprintf(stderr, "%s: %s\n", what, err->message);
    exit(2);
}

static void check(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "not so: %s\n", what);
        failures++;
    }
}

static FILE *create(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        exit(2);
    }
    return file;
}

/* repeated: two launches that differ only in registers, the worse first. */
static wl_space *make_space(bool folded, bool repeated)
{
    static const wl_launch twice[] = {{.block = {128, 1, 1}, .fold = {1, 1, 1}, .registers = 255},
                                      {.block = {128, 1, 1}, .fold = {1, 1, 1}, .registers = 16},
                                      {.block = {32, 8, 1}, .fold = {1, 1, 1}, .registers = 16}};
    wl_error err = {0};
    wl_space *space = NULL;
    if (wl_space_new(&space, &err) || wl_space_set(space, "fold", folded ? "1x1x1,1x2x1" : "1x1x1", &err) ||
        (repeated && wl_space_list(space, twice, 3, &err)))
        stop("space", &err);
    return space;
}

static wl_space *make_scheduled(void)
{
    wl_error err = {0};
    wl_space *space = NULL;
    if (wl_space_new(&space, &err) || wl_space_set(space, "block.x", "64,256", &err) ||
        wl_space_set(space, "block.y", "1,2", &err) || wl_space_set(space, "fold", "1x1x1", &err) ||
        wl_space_set(space, "schedule", "linear,column:32,tile:16x8,swizzle:4", &err))
        stop("space", &err);
    return space;
}

static void run_search(search *s, const char *text, const char *set, const char *device, wl_space *space)
{
    wl_error err = {0};
    wl_ranking ranking;
    const wl_kernel_options sets = {.sets = &set, .set_count = set != NULL};
    if (wl_kernel_parse("kernel", text, strlen(text), &sets, &s->kernel, &err) ||
        wl_device_builtin(device, &s->device, &err) ||
        wl_ranker_new(s->kernel, s->device, space, NULL, &s->space.ranker, &err) ||
        wl_rank(s->space.ranker, s->best, TOP, &ranking, &err))
        stop("search", &err);
    s->space.launches = s->best;
    s->space.count = ranking.count;
    s->space.dims = wl_kernel_domain(s->kernel, s->space.domain);
    s->space.tie = strcmp(device, "h200") == 0 ? 1.05 : 1.2;
    wl_space_free(space);
}

static void free_search(search *s)
{
    wl_ranker_free(s->space.ranker);
    wl_kernel_free(s->kernel);
    wl_device_free(s->device);
}

/* "NAME DEVICE DOMAIN BLOCK FOLD SCHEDULE SECONDS" */
static void expect(FILE *out, const char *name, const search *s)
{
    for (size_t i = 0; i < s->space.count; i++) {
        const int64_t *d = s->space.domain;
        wl_launch l;
        wl_ranker_launch(s->space.ranker, s->best[i].index, &l);
        fprintf(out, "%s %s %" PRId64, name, wl_device_name(s->device), d[0]);
        for (int k = 1; k < s->space.dims; k++)
            fprintf(out, "x%" PRId64, d[k]);
        fprintf(out,
                " %" PRId64 "x%" PRId64 "x%" PRId64 " %" PRId64 "x%" PRId64 "x%" PRId64 " %dx%" PRId64 "x%" PRId64
                " %.17g\n",
                l.block[0], l.block[1], l.block[2], l.fold[0], l.fold[1], l.fold[2], (int)l.schedule.kind,
                l.schedule.width, l.schedule.height, s->best[i].time_s);
    }
}

static void write_file(const char *name, const char *text)
{
    FILE *out = create(name);
    fputs(text, out);
    fclose(out);
}

static void export_all(const char *name, const wl_ranked_space *spaces, size_t count)
{
    static const char *const formats[] = {"kernel-tuner", "kernel-tuner-cache", "triton"};
    static const char *const suffixes[] = {"tuner.py", "cache.json", "triton.py"};
    for (int f = 0; f < 3; f++) {
        char file[64], *text = NULL;
        wl_error err = {0};
        wl_export format = WL_EXPORT_KERNEL_TUNER;
        snprintf(file, sizeof file, "%s_%s", name, suffixes[f]);
        check(wl_export_find(formats[f], &format) && (int)format == f, "every format is known");
        const wl_status status = wl_rank_export(format, spaces, count, &text, &err);
        check(status == (f == 1 && count > 1 ? WL_E_UNSUPPORTED : WL_OK),
              "a cache holds one space, other exports any number");
        if (status == WL_OK)
            write_file(file, text);
        free(text);
    }
}

static void refuse(wl_export format, const wl_ranked_space *spaces, size_t count, const char *what)
{
    wl_error err = {0};
    char *text = NULL;
    check(wl_rank_export(format, spaces, count, &text, &err) == WL_E_UNSUPPORTED && err.message[0], what);
    check(!text, "what is refused writes nothing");
}

static void check_refusals(const search *a, const search *other_kernel)
{
    const wl_ranked_space twice[] = {a->space, a->space}, mixed[] = {a->space, other_kernel->space};
    wl_ranked_space empty = a->space;
    wl_export format;
    empty.count = 0;
    refuse(WL_EXPORT_TRITON, twice, 2, "the same device and domain twice");
    refuse(WL_EXPORT_KERNEL_TUNER, mixed, 2, "two kernels");
    refuse(WL_EXPORT_TRITON, &empty, 1, "an empty space");
    refuse(WL_EXPORT_TRITON, NULL, 0, "no space");
    check(!wl_export_find("kernel", &format) && !wl_export_find("", &format), "other formats are not known");
}

/* FOLDER/NAME.svg, drawn without gnuplot */
static wl_status draw(const char *name, const wl_ranked_space *spaces, size_t count)
{
    char file[64], *text = NULL;
    wl_error err = {0};
    snprintf(file, sizeof file, "%s.svg", name);
    const wl_status status = wl_rank_svg(spaces, count, &text, &err);
    if (status == WL_OK)
        write_file(file, text);
    free(text);
    return status;
}

/* FOLDER/NAME.gp and FOLDER/NAME.dat */
static wl_status plot(const char *name, const wl_ranked_space *spaces, size_t count)
{
    char picture[1024], data[1024], script_name[64], data_name[64], *script = NULL, *points = NULL;
    wl_error err = {0};
    snprintf(picture, sizeof picture, "%s/%s.png", folder, name);
    snprintf(data, sizeof data, "%s/%s.dat", folder, name);
    snprintf(script_name, sizeof script_name, "%s.gp", name);
    snprintf(data_name, sizeof data_name, "%s.dat", name);
    const wl_status status = wl_rank_plot(spaces, count, &(wl_plot_files){picture, data}, &script, &points, &err);
    if (status == WL_OK) {
        write_file(script_name, script);
        write_file(data_name, points);
    } else {
        fprintf(stderr, "%s\n", err.message);
    }
    free(script);
    free(points);
    return status;
}

static void plot_all(const search *a, const search *b)
{
    wl_ranked_space spaces[] = {a->space, b->space}, empty = a->space, crowd = a->space;
    check(plot("two", spaces, 2) == WL_OK, "a picture of two spaces");
    check(draw("two", spaces, 2) == WL_OK, "a map of two spaces");
    empty.count = 0;
    check(plot("empty", &empty, 1) == WL_E_UNSUPPORTED, "no picture of nothing");
    check(draw("empty", &empty, 1) == WL_E_UNSUPPORTED, "no map of nothing");
    wl_ranked *many = calloc(CROWD, sizeof *many);
    for (size_t i = 0; many && i < CROWD; i++) {
        many[i] = a->best[i % a->space.count];
        many[i].time_s = a->best[0].time_s * (1 + (double)i / 1000);
    }
    crowd.launches = many;
    crowd.count = many ? CROWD : 0;
    check(plot("crowd", &crowd, 1) == WL_OK, "a picture of very many launches");
    check(draw("crowd", &crowd, 1) == WL_OK, "a map of very many launches");
    free(many);
}

int main(int argc, char **argv)
{
    search flat = {0}, line = {0}, repeated = {0}, scheduled = {0}, several[4] = {0};
    wl_ranked_space spaces[4];
    if (argc != 2)
        return 2;
    folder = argv[1];
    FILE *expected = create("expected.txt");
    run_search(&flat, flat_kernel, NULL, "h200", make_space(true, false));
    run_search(&line, line_kernel, NULL, "a100-40gb", make_space(false, false));
    run_search(&repeated, flat_kernel, NULL, "h200", make_space(false, true));
    run_search(&scheduled, flat_kernel, NULL, "h200", make_scheduled());
    line.best[line.space.count - 1].time_s = 2; /* 2000 ms: no decimals */
    for (size_t i = 0; i < 4; i++) {
        run_search(&several[i], flat_kernel, i % 2 ? "nx=4096" : NULL, i < 2 ? "a100-40gb" : "h200",
                   make_space(false, false));
        if (i == 1)
            several[i].space.tie = 1.1; /* the largest of a device counts */
        spaces[i] = several[i].space;
        expect(expected, "several", &several[i]);
    }
    expect(expected, "flat", &flat);
    expect(expected, "line", &line);
    expect(expected, "repeated", &repeated);
    expect(expected, "scheduled", &scheduled);
    fclose(expected);
    export_all("flat", &flat.space, 1);
    export_all("line", &line.space, 1);
    export_all("repeated", &repeated.space, 1);
    export_all("scheduled", &scheduled.space, 1);
    export_all("several", spaces, 4);
    check_refusals(&flat, &line);
    plot_all(&flat, &line);
    free_search(&flat);
    free_search(&line);
    free_search(&repeated);
    free_search(&scheduled);
    for (size_t i = 0; i < 4; i++)
        free_search(&several[i]);
    return failures > 0;
}
