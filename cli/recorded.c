/* recorded.c - see recorded.h. SPDX-License-Identifier: MIT */
#include "recorded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "diag.h"
#include "load.h"
#include "progress.h"
#include "ptx_unit.h"

#define EFFORT_DEFAULT 0.1 /* seconds to emulate each of many launches, about */
#define SHAPE_LENGTH 64

static wl_recording *recording;
static size_t launch_number;
static char block_text[SHAPE_LENGTH], grid_text[SHAPE_LENGTH];

bool recorded_is(const char *path) { return wl_recording_is(path); }

wl_recording *recorded_recording(void) { return recording; }

size_t recorded_launch(void) { return launch_number; }

void recorded_forget(void)
{
    wl_recording_free(recording);
    recording = NULL;
}

bool recorded_whole(const options *o) { return recording && !o->launch; }

/* ---- profiles ---- */

/* What ptxas says of the modules, for one architecture. */
typedef struct needs {
    const char *arch;
    struct module_needs {
        size_t module;
        ptxas_report report;
    } * modules;
    size_t count, room;
    int64_t registers; /* of every kernel; 0: not given */
    bool failed, wanted;
} needs;

static const ptxas_report *report_of(needs *n, size_t module)
{
    for (size_t i = 0; i < n->count; i++)
        if (n->modules[i].module == module)
            return &n->modules[i].report;
    struct module_needs *larger = realloc(n->modules, (n->count + 1) * sizeof *larger);
    if (!larger)
        return NULL;
    n->modules = larger;
    struct module_needs *m = &n->modules[n->count++];
    wl_error ignored = {0};
    size_t length = 0;
    *m = (struct module_needs){.module = module};
    const char *text = wl_recording_module_text(recording, module, &length);
    n->failed = n->failed ||
                (text && compile_resources(text, length, "", n->arch, &m->report, NULL, NULL, &ignored) == WL_E_NOMEM);
    return &m->report;
}

static void set_needs(void *user, const wl_recorded_launch *launch, wl_launch *out)
{
    needs *n = user;
    out->registers = n->registers;
    if (n->registers || !n->wanted)
        return;
    const ptxas_report *report = report_of(n, launch->module);
    const ptxas_entry *e = report ? ptxas_find(report, launch->symbol) : NULL;
    n->failed = n->failed || !report;
    if (!e)
        return;
    out->registers = e->registers;
    out->shared_bytes = e->shared_bytes + launch->dynamic_shared;
}

static void needs_free(needs *n)
{
    for (size_t i = 0; i < n->count; i++)
        ptxas_free(&n->modules[i].report);
    free(n->modules);
}

static wl_status make_profile(const options *o, const wl_profile_options *how, const wl_device *device,
                              wl_profile **out, wl_error *err)
{
    char arch[ARCH_LENGTH];
    const bool named = o->arch || arch_of_device(device, arch);
    needs n = {.arch = o->arch ? o->arch : named ? arch : NULL, .wanted = !o->no_ptxas};
    wl_profile_options own = *how;
    if (o->registers && !option_integer("--registers", o->registers, 1, 1024, &n.registers))
        return WL_E_INPUT;
    own.needs = set_needs;
    own.user = &n;
    progress_wait();
    wl_status status = wl_profile_make(recording, device, &own, out, err);
    progress_wait_end();
    needs_free(&n);
    return status == WL_OK && n.failed ? diag_no_memory(err) : status;
}

wl_status recorded_profiles_make(const options *o, bool full, const char *const *devices, size_t count,
                                 recorded_profiles *out, wl_error *err)
{
    wl_profile_options how = {.effort = EFFORT_DEFAULT};
    ptx_request request = {0};
    if (ptx_request_read(o, &request) != EXIT_OK || option_predict(o, &how.predict) != EXIT_OK)
        return WL_E_INPUT; /* the message is printed: *err is empty */
    how.effort = request.effort > 0 ? request.effort : how.effort;
    how.budget = request.budget;
    how.predict.emulate = how.predict.stacks = full;
    *out = (recorded_profiles){.devices = calloc(count, sizeof *out->devices),
                               .profiles = calloc(count, sizeof *out->profiles),
                               .count = count};
    if (!out->devices || !out->profiles)
        return diag_no_memory(err);
    for (size_t i = 0; i < count; i++) {
        wl_status status = load_device(devices[i], o->with, o->with_count, &out->devices[i], err);
        if (status == WL_OK)
            status = make_profile(o, &how, out->devices[i], &out->profiles[i], err);
        if (status != WL_OK)
            return status;
    }
    return WL_OK;
}

void recorded_profiles_free(recorded_profiles *p)
{
    for (size_t i = 0; p->profiles && i < p->count; i++)
        wl_profile_free(p->profiles[i]);
    for (size_t i = 0; p->devices && i < p->count; i++)
        wl_device_free(p->devices[i]);
    free(p->profiles);
    free(p->devices);
    *p = (recorded_profiles){0};
}

/* ---- one launch ---- */

/* The launch that takes longest, of the kernel that takes most of the time. */
static int find_longest(const options *o)
{
    const char *device = o->device ? o->device : o->device_count ? o->devices[0] : NULL;
    recorded_profiles p = {0};
    wl_error err = {0};
    if (!device) {
        usage_no_device();
        return EXIT_USAGE;
    }
    const wl_status status = recorded_profiles_make(o, false, &device, 1, &p, &err);
    int code = status == WL_OK ? EXIT_OK : err.code ? diag_report(&err) : EXIT_INPUT;
    if (code == EXIT_OK) {
        const wl_profile_kernel *k = wl_profile_kernel_at(p.profiles[0], 0);
        const double all = wl_profile_times_of(p.profiles[0])->kernels_s;
        launch_number = k->launch;
        if (k->predicted == 0) {
            usage_error("error: no launch of the recording can be predicted: launch %zu, %.100s: %.300s", k->launch,
                        k->name, k->reason);
            code = EXIT_UNSUPPORTED;
        } else if (!diag_is_quiet()) {
            usage_error(
                "note: launch %zu, %.100s: this kernel takes %.0f %% of the kernels' time (--launch N: another)",
                k->launch, k->name, all > 0 ? 100 * k->total_s / all : 0);
        }
    }
    recorded_profiles_free(&p);
    return code;
}

static int read_number(const options *o)
{
    int64_t number = 0;
    if (!option_integer("--launch", o->launch, 0, INT32_MAX, &number))
        return EXIT_INPUT;
    launch_number = (size_t)number;
    if (wl_recording_launch(recording, launch_number))
        return EXIT_OK;
    size_t count = 0;
    while (wl_recording_launch(recording, count))
        count++;
    option_error("--launch", o->launch, 1, "the recording has launches 0 to %zu", count ? count - 1 : 0);
    return EXIT_INPUT;
}

static void print_shape(char text[SHAPE_LENGTH], const int64_t a[3], const int64_t b[3])
{
    (void)snprintf(text, SHAPE_LENGTH, "%lldx%lldx%lld", (long long)(a[0] * b[0]), (long long)(a[1] * b[1]),
                   (long long)(a[2] * b[2]));
}

static void describe_launch(bool threads)
{
    static const int64_t ones[3] = {1, 1, 1};
    const wl_recorded_launch *l = wl_recording_launch(recording, launch_number);
    print_shape(block_text, l->block, ones);
    print_shape(grid_text, l->grid, threads ? l->block : ones);
}

/* As if the user had given them. Commands that try other blocks need the threads, not the grid. */
static void fill_in(const command *c, options *o)
{
    const bool search = command_is_of(c, "r"), varies = command_is_of(c, "paPr") || o->block_count > 0;
    describe_launch(varies);
    if (search && !o->domain_count && !o->grid)
        o->domains[o->domain_count++] = grid_text;
    else if (!search && !o->grid && !o->domain)
        *(varies ? &o->domain : &o->grid) = grid_text;
    if (!search && o->block_count == 0)
        o->block[o->block_count++] = block_text;
}

wl_status recorded_block_varies(const options *o, const wl_kernel *kernel, wl_error *err)
{
    const char *why =
        recording && !o->grid && !o->block_count ? wl_recording_fixed_block(recording, launch_number, kernel) : NULL;
    if (!why)
        return WL_OK;
    *err = (wl_error){.code = WL_E_UNSUPPORTED};
    (void)snprintf(err->message, sizeof err->message, "%.40s keeps its blocks of %.24s: %.100s", wl_kernel_name(kernel),
                   block_text, why);
    diag_hint("where other blocks work, say how many there are: --grid 'cdiv(n,block.x)'; or list them: --block");
    return err->code;
}

void recorded_choose(size_t launch, options *o)
{
    launch_number = launch;
    describe_launch(true);
    o->domain = grid_text;
    o->grid = NULL;
    o->block[0] = block_text;
    o->block_count = 1;
}

/* Arguments come from the recording. */
static bool usage_ok(const command *c, const options *o)
{
    const bool tables = command_is_of(c, "m");
    const char *given = o->arg_count        ? "--arg"
                        : o->constant_count ? "--constant"
                        : o->entry          ? "--kernel"
                        : o->kernel_count   ? "--kernel"
                        : o->update         ? "--update"
                        : o->batch          ? "--batch"
                                            : NULL;
    if (given)
        usage_error("%s does not go with a recording: it has kernels and arguments of its own; --launch N takes one "
                    "launch",
                    given);
    else if (o->argument_count > 1 && !tables)
        usage_error("one recording at a time, please");
    return !given && (o->argument_count <= 1 || tables);
}

int recorded_open(const char *path)
{
    wl_error err = {0};
    return wl_recording_open(path, &recording, &err) == WL_OK ? EXIT_OK : diag_report(&err);
}

int recorded_prepare(const command *c, options *o)
{
    const bool whole = command_is_of(c, "pRPm") && !o->launch;
    if (!command_is_of(c, "ptcrasRPSm") || o->argument_count == 0 || !wl_recording_is(o->arguments[0])) {
        if (o->launch)
            usage_error("--launch is the number of a launch in a recording");
        return o->launch ? EXIT_USAGE : EXIT_OK;
    }
    if (!usage_ok(c, o))
        return EXIT_USAGE;
    int code = recorded_open(o->arguments[0]);
    if (code != EXIT_OK || whole)
        return code;
    code = o->launch ? read_number(o) : find_longest(o);
    if (code == EXIT_OK)
        fill_in(c, o);
    return code;
}
