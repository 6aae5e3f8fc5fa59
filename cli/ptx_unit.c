/* ptx_unit.c - see ptx_unit.h. SPDX-License-Identifier: MIT */
#include "ptx_unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "data_files.h"
#include "diag.h"
#include "first_words.h"
#include "launch_text.h"
#include "load.h"
#include "progress.h"
#include "ptx_arguments.h"
#include "recorded.h"

#define ARCH_DEFAULT "sm_80"
#define COMPILED "the PTX compiled from "

/* What ptxas says about a module, once it was asked. */
typedef struct module_resources {
    bool asked, has_machine_code;
    ptxas_report report;
} module_resources;

struct ptx_unit {
    char path[WL_INPUT_NAME_MAX];
    ptx_modules modules;
    char *source; /* the source it was compiled from; NULL: none */
    size_t source_length;
    char arch[ARCH_LENGTH], compiler[PATH_LENGTH]; /* for ptxas; arch "": that of the text */
    bool ask_ptxas, repetition_said;
    /* use machine code where ptxas is asked; ask it for that; or take this file */
    bool use_machine_code, ask_machine_code;
    const char *cubin;
    module_resources *resources; /* one for each module */
    data_files files;
    ptx_arguments *arguments; /* of every kernel: a kernel may read them again */
    ptx_request request;      /* of a launch of the recording: its rule is read again */
    bool spills_said;
};

/* ---- usage ---- */

/* seconds */
#define EFFORT_LEAST 0.001
#define EFFORT_MOST 86400.0

bool ptx_is_cuda(const char *kernel) { return has_suffix(kernel, ".cu"); }

bool ptx_is_source(const char *kernel)
{
    return has_suffix(kernel, ".ptx") || ptx_is_cuda(kernel) || recorded_recording() || binary_is(kernel);
}

bool ptx_usage(const options *o, const char *kernel)
{
    const bool ptx = kernel && ptx_is_source(kernel), cuda = kernel && ptx_is_cuda(kernel);
    const char *of_ptx = o->entry            ? "--kernel"
                         : o->arg_count      ? "--arg"
                         : o->constant_count ? "--constant"
                         : o->dynamic_shared ? "--dynamic-shared"
                         : o->cluster        ? "--cluster"
                         : o->emulate        ? "--emulate"
                         : o->effort         ? "--effort"
                         : o->no_ptxas       ? "--no-ptxas"
                         : o->machine_code   ? "--machine-code"
                         : o->arch           ? "--arch"
                         : o->per_line       ? "--per-line"
                                             : NULL;
    const char *of_cuda = o->compiler                ? "--compiler"
                          : o->define_count          ? "--define"
                          : o->include_count         ? "--include"
                          : o->compiler_option_count ? "--compiler-option"
                                                     : NULL;
    if (of_ptx && !ptx)
        usage_error("%s is only for kernels in .ptx or .cu files", of_ptx);
    else if (o->module && (!kernel || !binary_is(kernel)))
        usage_error("--module is only for executables, objects, libraries and fatbins");
    else if (of_cuda && !cuda)
        usage_error("%s is only for kernels in .cu files", of_cuda);
    else if (o->no_ptxas && o->machine_code && strcmp(o->machine_code, "ptxas") == 0)
        usage_error("--machine-code ptxas needs ptxas: it contradicts --no-ptxas");
    else if (ptx && o->type)
        usage_error("--type needs --update");
    else if (ptx && o->fold)
        usage_error("--fold is only for kernel files; the code of a PTX kernel fixes what a thread computes");
    else
        return true;
    return false;
}

/* "block.x*4", but not "48KiB". */
static bool is_rule(const char *text)
{
    double bytes;
    return !wl_quantity_read("B", text, &bytes) && strspn(text, "0123456789.") < strlen(text) &&
           !(text[0] >= '0' && text[0] <= '9' && !strpbrk(text, "*/%+("));
}

#define SHARED_OPTION "--dynamic-shared"

/* Dynamic shared memory of a launch by the rule of a request. Threads of a search call it, too:
 * ptx_unit_kernel remembers the rule for messages. */
static wl_status shared_of(void *user, const wl_launch *launch, int64_t *bytes, wl_error *err)
{
    const ptx_request *r = user;
    const wl_status status =
        wl_launch_number(launch, r->shared_rule, r->sets, r->set_count, NULL, r->domain, bytes, err);
    if (status != WL_OK && !err->input[0])
        (void)snprintf(err->input, sizeof err->input, SHARED_OPTION);
    return status;
}

int ptx_request_read(const options *o, ptx_request *r)
{
    r->entry = o->entry;
    r->args = o->args;
    r->arg_count = o->arg_count;
    r->constants = o->constants;
    r->constant_count = o->constant_count;
    r->sets = o->set;
    r->set_count = o->set_count;
    if (o->arch && !arch_is_valid(o->arch)) {
        option_error("--arch", o->arch, 1, "an architecture is needed, as in sm_90");
        return EXIT_INPUT;
    }
    if (o->dynamic_shared && is_rule(o->dynamic_shared))
        r->shared_rule = o->dynamic_shared;
    if ((o->dynamic_shared && !r->shared_rule &&
         !option_bytes("--dynamic-shared", o->dynamic_shared, 0, (int64_t)1 << 30, &r->dynamic_shared)) ||
        (o->cluster && !option_shape("--cluster", o->cluster, r->cluster)) ||
        (o->emulate && !option_integer("--emulate", o->emulate, 1, (int64_t)1 << 50, &r->budget)) ||
        (o->effort && !option_number("--effort", o->effort, EFFORT_LEAST, EFFORT_MOST, &r->effort)))
        return EXIT_INPUT;
    return EXIT_OK;
}

/* ---- the file ---- */

static wl_status read_ptx(const char *path, ptx_unit *u, wl_error *err)
{
    char *text = NULL;
    size_t length = 0;
    const wl_status status = load_text(path, &text, &length, err);
    return status == WL_OK ? ptx_modules_add(&u->modules, path, text, length, 0, err) : status;
}

/* Takes the text. */
static wl_status read_compiled(const char *path, char *text, size_t length, ptx_unit *u, wl_error *err)
{
    char name[PTX_NAME_LENGTH];
    (void)snprintf(name, sizeof name, COMPILED "%.*s", WL_INPUT_NAME_MAX, path);
    wl_status status = load_text(path, &u->source, &u->source_length, err);
    if (status != WL_OK) {
        free(text);
        return status;
    }
    diag_remember(path, u->source);
    status = ptx_modules_add(&u->modules, name, text, length, 0, err);
    if (status == WL_OK)
        wl_ptx_set_source((wl_ptx *)(uintptr_t)u->modules.ptx[0], path, u->source, u->source_length);
    return status;
}

static wl_status read_cuda(const options *o, const char *path, const char *arch, ptx_unit *u, wl_error *err)
{
    char *text = NULL;
    size_t length = 0;
    const wl_status status = compile_cuda(o, path, arch, u->compiler, &text, &length, err);
    return status == WL_OK ? read_compiled(path, text, length, u, err) : status;
}

/* The module of the launch that is meant. */
static wl_status read_recorded(ptx_modules *out, wl_error *err)
{
    const size_t number = wl_recording_launch(recorded_recording(), recorded_launch())->module;
    *out = (ptx_modules){.at = calloc(1, sizeof *out->at), .ptx = calloc(1, sizeof *out->ptx), .borrowed = true};
    if (!out->at || !out->ptx)
        return diag_no_memory(err);
    const wl_status status = wl_recording_module(recorded_recording(), number, &out->ptx[0], err);
    out->count = 1;
    out->at[0].text = (char *)wl_recording_module_text(recorded_recording(), number, &out->at[0].length);
    (void)snprintf(out->at[0].name, sizeof out->at[0].name, "the PTX of module %zu", number);
    return status;
}

/* "": the device has none. */
static void choose_arch(const options *o, const wl_device *device, char arch[ARCH_LENGTH])
{
    arch[0] = '\0';
    if (o->arch)
        (void)snprintf(arch, ARCH_LENGTH, "%s", o->arch);
    else if (device)
        (void)arch_of_device(device, arch);
}

static ptx_unit *unit_new(const options *o, const char *path, const wl_device *device)
{
    ptx_unit *u = calloc(1, sizeof *u);
    if (!u)
        return NULL;
    (void)snprintf(u->path, sizeof u->path, "%s", path);
    choose_arch(o, device, u->arch);
    u->ask_ptxas = !o->no_ptxas && !o->registers; /* shared memory is known from the PTX itself */
    const char *how = o->machine_code ? o->machine_code : "auto";
    u->ask_machine_code = strcmp(how, "ptxas") == 0;
    u->use_machine_code = u->ask_machine_code || strcmp(how, "auto") == 0;
    u->cubin = u->use_machine_code || strcmp(how, "rules") == 0 ? NULL : how;
    return u;
}

static wl_status make_room(ptx_unit *u, wl_error *err)
{
    u->resources = calloc(u->modules.count + 1, sizeof *u->resources);
    return u->resources ? WL_OK : diag_no_memory(err);
}

wl_status ptx_unit_compile(const options *o, const char *path, const wl_device *device, char compiler[PATH_LENGTH],
                           char **text, size_t *length, wl_error *err)
{
    char arch[ARCH_LENGTH];
    choose_arch(o, device, arch);
    return compile_cuda(o, path, arch[0] ? arch : ARCH_DEFAULT, compiler, text, length, err);
}

wl_status ptx_unit_open_compiled(const options *o, const char *path, const wl_device *device, const char *compiler,
                                 char *text, size_t length, ptx_unit **out, wl_error *err)
{
    ptx_unit *u = unit_new(o, path, device);
    *out = u;
    if (!u) {
        free(text);
        return diag_no_memory(err);
    }
    (void)snprintf(u->compiler, sizeof u->compiler, "%s", compiler);
    const wl_status status = read_compiled(path, text, length, u, err);
    return status == WL_OK ? make_room(u, err) : status;
}

wl_status ptx_unit_open(const options *o, const char *path, const wl_device *device, ptx_unit **out, wl_error *err)
{
    ptx_unit *u = unit_new(o, path, device);
    *out = u; /* kept even if it failed: a message shows a line of it */
    if (!u)
        return diag_no_memory(err);
    wl_status status;
    if (recorded_recording())
        status = read_recorded(&u->modules, err);
    else if (ptx_is_cuda(path))
        status = read_cuda(o, path, u->arch[0] ? u->arch : ARCH_DEFAULT, u, err);
    else if (has_suffix(path, ".ptx") && !binary_is(path))
        status = read_ptx(path, u, err);
    else
        status = ptx_modules_of_binary(o, path, u->arch, !o->arch, &u->modules, err);
    return status == WL_OK ? make_room(u, err) : status;
}

void ptx_unit_free(ptx_unit *u)
{
    if (!u)
        return;
    ptx_arguments_free(u->arguments);
    data_files_close(&u->files);
    for (size_t i = 0; u->resources && i < u->modules.count; i++)
        ptxas_free(&u->resources[i].report);
    free(u->resources);
    ptx_modules_free(&u->modules);
    diag_forget_text(u->source);
    free(u->source);
    free(u);
}

const ptx_modules *ptx_unit_modules(const ptx_unit *u) { return &u->modules; }

wl_status ptx_unit_find(const ptx_unit *u, const char *name, bool printed, size_t *module, size_t *entry, wl_error *err)
{
    const ptx_modules *m = &u->modules;
    const wl_status status = wl_ptx_entry_find_in(m->ptx, m->count, name, printed, module, entry, err);
    if (status == WL_E_INPUT && m->is_binary) /* not only of the first module */
        (void)snprintf(err->input, sizeof err->input, "%s", u->path);
    return status;
}

static wl_status set_machine_code(ptx_unit *u, size_t module, const char *cubin, size_t length, wl_error *err)
{
    u->resources[module].has_machine_code = true;
    return wl_ptx_set_machine_code((wl_ptx *)(uintptr_t)u->modules.ptx[module], cubin, length, err);
}

/* Resources and, if it is wanted, machine code of a module. */
static wl_status ask_ptxas(ptx_unit *u, size_t module, wl_error *err)
{
    module_resources *r = &u->resources[module];
    const ptx_module *m = &u->modules.at[module];
    char *cubin = NULL;
    size_t length = 0;
    r->asked = true;
    wl_status status = compile_resources(m->text, m->length, u->compiler, u->arch[0] ? u->arch : NULL, &r->report,
                                         u->use_machine_code ? &cubin : NULL, &length, err);
    wl_error unread = {0}; /* of an architecture that is not read, for example: rules apply */
    if (status == WL_OK && cubin && set_machine_code(u, module, cubin, length, &unread) == WL_E_NOMEM)
        status = diag_no_memory(err);
    free(cubin);
    return status;
}

wl_status ptx_unit_resources(ptx_unit *u, size_t module, const char *entry, const ptxas_entry **out, wl_error *err)
{
    module_resources *r = &u->resources[module];
    wl_status status = WL_OK;
    if (u->ask_ptxas && !r->asked)
        status = ask_ptxas(u, module, err);
    *out = status == WL_OK ? ptxas_find(&r->report, entry) : NULL;
    return status;
}

/* Machine code of a module, if it is wanted. */
static wl_status take_machine_code(ptx_unit *u, size_t module, wl_error *err)
{
    module_resources *r = &u->resources[module];
    if (u->ask_machine_code && !r->asked)
        return ask_ptxas(u, module, err);
    if (!u->cubin || r->has_machine_code)
        return WL_OK;
    char *cubin = NULL;
    size_t length = 0;
    wl_status status = load_text(u->cubin, &cubin, &length, err);
    if (status == WL_OK)
        status = set_machine_code(u, module, cubin, length, err);
    free(cubin);
    if (status != WL_OK && !err->input[0])
        (void)snprintf(err->input, sizeof err->input, "%s", u->cubin);
    return status;
}

/* ---- a kernel of it ---- */

/* Sources that use the same template have the same kernel. */
static void say_repetition(ptx_unit *u, size_t module, size_t entry)
{
    const ptx_modules *m = &u->modules;
    const char *symbol = wl_ptx_entry_symbol(m->ptx[module], entry);
    char others[80] = "";
    size_t used = 0;
    for (size_t k = module + 1; k < m->count && used + 24 < sizeof others; k++)
        for (size_t i = 0; i < wl_ptx_entry_count(m->ptx[k]); i++)
            if (strcmp(wl_ptx_entry_symbol(m->ptx[k], i), symbol) == 0)
                used +=
                    (size_t)snprintf(others + used, sizeof others - used, "%s%zu", used ? ", " : "", m->at[k].number);
    if (used > 0 && !u->repetition_said)
        usage_error("note: %.200s is in several modules: that of module %zu is read, --module %s the others",
                    wl_ptx_entry_name(m->ptx[module], entry), m->at[module].number, others);
    u->repetition_said = u->repetition_said || used > 0;
}

/* Registers and shared memory that ptxas found, unless they are given. dynamic_shared -1: it
 * follows from the launch. */
static wl_status take_resources(ptx_unit *u, size_t module, size_t entry, int64_t dynamic_shared, wl_launch *launch,
                                wl_error *err)
{
    const wl_ptx *ptx = u->modules.ptx[module];
    const ptxas_entry *e = NULL;
    const wl_status status = ptx_unit_resources(u, module, wl_ptx_entry_symbol(ptx, entry), &e, err);
    if (!e)
        return status;
    if (!launch->registers)
        launch->registers = e->registers;
    if (!launch->shared_bytes && dynamic_shared >= 0)
        launch->shared_bytes = e->shared_bytes + dynamic_shared;
    if ((e->spill_store_bytes || e->spill_load_bytes) && !u->spills_said)
        usage_error("note: %.200s spills registers (%lld bytes of stores, %lld of loads, ptxas says): that traffic is "
                    "not modelled",
                    wl_ptx_entry_name(ptx, entry), (long long)e->spill_store_bytes, (long long)e->spill_load_bytes);
    u->spills_said = true;
    return WL_OK;
}

/* Too few, or too many: an error in one of them has a place. */
static bool is_about_arguments(const wl_error *err) { return strcmp(err->input, "--arg") == 0 && err->loc.line == 0; }

/* Arguments that would do, below the message about those that do not. */
static void show_form(const ptx_unit *u, const wl_ptx *ptx, size_t entry)
{
    wl_first_launch *launch = NULL;
    wl_error ignored = {0};
    if (wl_first_launch_of_ptx(ptx, entry, u->source, u->source_length, 0, &launch, &ignored) != WL_OK || !launch)
        return;
    char *words = first_words_arguments(launch);
    if (words)
        diag_hint("%s %s",
                  strstr(words, "bytes:") ? "the form is, with members for bytes:" : "this form works:", words);
    free(words);
    wl_first_launch_free(launch);
}

/* An error in the rule for dynamic shared memory says how to give a name its value. */
static void say_shared(wl_error *err)
{
    if (strcmp(err->input, SHARED_OPTION) == 0)
        diag_say_set(err);
}

/* The launch that is meant, at its own geometry or at that of the request. */
static wl_status recorded_kernel(ptx_unit *u, const ptx_request *r, wl_kernel **out, wl_error *err)
{
    const wl_recorded_launch *recorded = wl_recording_launch(recorded_recording(), recorded_launch());
    const int64_t shared = r->dynamic_shared ? r->dynamic_shared : recorded->dynamic_shared;
    wl_ptx_options o = {.launch = r->launch,
                        .dynamic_shared = shared,
                        .shared_of = r->shared_rule ? shared_of : NULL,
                        .shared_user = &u->request,
                        .budget = r->budget,
                        .effort = r->effort,
                        .outside = r->outside};
    wl_launch launch;
    size_t entry = 0;
    u->request = *r;
    memcpy(o.domain, r->domain, sizeof o.domain);
    memcpy(o.cluster, r->cluster, sizeof o.cluster);
    diag_remember(u->modules.at[0].name, u->modules.at[0].text);
    wl_status status = wl_ptx_entry_find(u->modules.ptx[0], recorded->symbol, &entry, err);
    if (status == WL_OK)
        status = take_resources(u, 0, entry, r->shared_rule ? -1 : shared, &o.launch, err);
    if (status != WL_OK)
        return status;
    progress_wait();
    status = wl_recording_kernel(recorded_recording(), recorded_launch(), &o, &launch, out, err);
    progress_wait_end();
    return status;
}

wl_status ptx_unit_kernel(ptx_unit *u, const ptx_request *r, wl_kernel **out, wl_error *err)
{
    if (recorded_recording())
        return recorded_kernel(u, r, out, err);
    size_t module = 0, entry = 0;
    const bool follows = r->shared_rule && rule_follows_block(r->shared_rule);
    int64_t shared = r->dynamic_shared;
    if (r->shared_rule)
        diag_remember(SHARED_OPTION, r->shared_rule);
    wl_status status = ptx_arguments_add(&u->arguments, r, err);
    if (status == WL_OK && r->shared_rule && !follows)
        status = shared_of(&u->arguments->request, &r->launch, &shared, err);
    if (status != WL_OK) {
        say_shared(err);
        return status;
    }
    status = ptx_unit_find(u, r->entry, false, &module, &entry, err);
    if (status != WL_OK)
        return status;
    status = take_machine_code(u, module, err);
    if (status != WL_OK)
        return status;
    const wl_ptx *ptx = u->modules.ptx[module];
    wl_ptx_options o = {.entry = wl_ptx_entry_symbol(ptx, entry),
                        .args = (const char *const *)u->arguments->texts,
                        .arg_count = u->arguments->count,
                        .constants = (const char *const *)u->arguments->constants,
                        .constant_count = u->arguments->constant_count,
                        .launch = r->launch,
                        .dynamic_shared = shared,
                        .shared_of = follows ? shared_of : NULL,
                        .shared_user = &u->arguments->request,
                        .budget = r->budget,
                        .effort = r->effort,
                        .outside = r->outside,
                        .load = data_files_load,
                        .user = &u->files};
    memcpy(o.domain, r->domain, sizeof o.domain);
    memcpy(o.cluster, r->cluster, sizeof o.cluster);
    diag_remember(u->modules.at[module].name, u->modules.at[module].text);
    say_repetition(u, module, entry);
    status = take_resources(u, module, entry, follows ? -1 : shared, &o.launch, err);
    if (status != WL_OK)
        return status;
    progress_wait();
    const wl_status made = wl_kernel_from_ptx(ptx, &o, out, err);
    progress_wait_end();
    if (made == WL_E_INPUT && is_about_arguments(err))
        show_form(u, ptx, entry);
    if (made != WL_OK) {
        say_shared(err);
        ptx_arguments_show(u->arguments, r, err);
    }
    return made;
}
