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

#define ARCH_DEFAULT "sm_80"
#define COMPILED "the PTX compiled from "
#define NAME_LENGTH (WL_INPUT_NAME_MAX + sizeof COMPILED)

struct ptx_unit {
    char name[NAME_LENGTH]; /* of the PTX text in messages */
    char *text;
    char *source; /* the source it was compiled from; NULL: none */
    size_t source_length;
    wl_ptx *ptx;
    ptxas_report resources;
    data_files files;
    ptx_arguments *arguments; /* of every kernel: a kernel may read them again */
    bool spills_said;
};

/* ---- usage ---- */

/* seconds */
#define EFFORT_LEAST 0.001
#define EFFORT_MOST 86400.0

bool ptx_is_cuda(const char *kernel) { return has_suffix(kernel, ".cu"); }

bool ptx_is_source(const char *kernel) { return has_suffix(kernel, ".ptx") || ptx_is_cuda(kernel); }

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
    else if (of_cuda && !cuda)
        usage_error("%s is only for kernels in .cu files", of_cuda);
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

static wl_status read_text(const options *o, const char *path, const char *arch, ptx_unit *u, char *compiler,
                           size_t *length, wl_error *err)
{
    if (!ptx_is_cuda(path)) {
        (void)snprintf(u->name, sizeof u->name, "%s", path);
        return load_text(path, &u->text, length, err);
    }
    (void)snprintf(u->name, sizeof u->name, COMPILED "%.*s", WL_INPUT_NAME_MAX, path);
    wl_status status = compile_cuda(o, path, arch, compiler, &u->text, length, err);
    if (status == WL_OK)
        status = load_text(path, &u->source, &u->source_length, err);
    if (status == WL_OK)
        diag_remember(path, u->source);
    return status;
}

wl_status ptx_unit_open(const options *o, const char *path, const wl_device *device, ptx_unit **out, wl_error *err)
{
    char arch[ARCH_LENGTH] = ARCH_DEFAULT, compiler[PATH_LENGTH] = "";
    size_t length = 0;
    ptx_unit *u = calloc(1, sizeof *u);
    if (!u) {
        *err = (wl_error){.code = WL_E_NOMEM, .message = "out of memory"};
        return WL_E_NOMEM;
    }
    const bool named = o->arch || (device && arch_of_device(device, arch));
    if (o->arch)
        (void)snprintf(arch, sizeof arch, "%s", o->arch);
    wl_status status = read_text(o, path, arch, u, compiler, &length, err);
    if (status == WL_OK) {
        diag_remember(u->name, u->text);
        status = wl_ptx_parse(u->name, u->text, length, &u->ptx, err);
    }
    if (status == WL_OK) { /* one copy of a long text is enough */
        diag_remember(u->name, wl_ptx_own_text(u->ptx));
        free(u->text);
        u->text = NULL;
    }
    if (status == WL_OK && u->source)
        wl_ptx_set_source(u->ptx, path, u->source, u->source_length);
    /* shared memory is known from the PTX itself */
    if (status == WL_OK && !o->no_ptxas && !o->registers)
        status = compile_resources(wl_ptx_own_text(u->ptx), length, compiler, named ? arch : NULL, &u->resources, err);
    *out = u; /* kept even if it failed: a message shows a line of it */
    return status;
}

void ptx_unit_free(ptx_unit *u)
{
    if (!u)
        return;
    ptx_arguments_free(u->arguments);
    data_files_close(&u->files);
    ptxas_free(&u->resources);
    diag_forget_text(u->ptx ? wl_ptx_own_text(u->ptx) : u->text);
    wl_ptx_free(u->ptx);
    diag_forget_text(u->source);
    free(u->text);
    free(u->source);
    free(u);
}

const wl_ptx *ptx_unit_module(const ptx_unit *u) { return u->ptx; }

const ptxas_entry *ptx_unit_resources(const ptx_unit *u, const char *entry) { return ptxas_find(&u->resources, entry); }

/* ---- a kernel of it ---- */

/* The entry that is meant; entry count: none or several, which the library reports. */
static size_t entry_meant(const wl_ptx *ptx, const char *wanted)
{
    wl_error ignored = {0};
    size_t entry = 0;
    return wl_ptx_entry_find(ptx, wanted, &entry, &ignored) == WL_OK ? entry : wl_ptx_entry_count(ptx);
}

/* Registers and shared memory that ptxas found, unless they are given. dynamic_shared -1: it
 * follows from the launch. */
static void take_resources(ptx_unit *u, size_t entry, int64_t dynamic_shared, wl_launch *launch)
{
    const char *symbol = wl_ptx_entry_symbol(u->ptx, entry);
    const ptxas_entry *e = symbol ? ptxas_find(&u->resources, symbol) : NULL;
    if (!e)
        return;
    if (!launch->registers)
        launch->registers = e->registers;
    if (!launch->shared_bytes && dynamic_shared >= 0)
        launch->shared_bytes = e->shared_bytes + dynamic_shared;
    if ((e->spill_store_bytes || e->spill_load_bytes) && !u->spills_said)
        usage_error("note: %.200s spills registers (%lld bytes of stores, %lld of loads, ptxas says): that traffic is "
                    "not modelled",
                    wl_ptx_entry_name(u->ptx, entry), (long long)e->spill_store_bytes, (long long)e->spill_load_bytes);
    u->spills_said = true;
}

/* Too few, or too many: an error in one of them has a place. */
static bool is_about_arguments(const wl_error *err) { return strcmp(err->input, "--arg") == 0 && err->loc.line == 0; }

/* Arguments that would do, below the message about those that do not. */
static void show_form(const ptx_unit *u, size_t entry)
{
    wl_first_launch *launch = NULL;
    wl_error ignored = {0};
    if (wl_first_launch_of_ptx(u->ptx, entry, u->source, u->source_length, 0, &launch, &ignored) != WL_OK || !launch)
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

wl_status ptx_unit_kernel(ptx_unit *u, const ptx_request *r, wl_kernel **out, wl_error *err)
{
    const size_t entry = entry_meant(u->ptx, r->entry);
    const char *symbol = wl_ptx_entry_symbol(u->ptx, entry);
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
    wl_ptx_options o = {.entry = symbol ? symbol : r->entry,
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
    take_resources(u, entry, follows ? -1 : shared, &o.launch);
    progress_wait();
    const wl_status made = wl_kernel_from_ptx(u->ptx, &o, out, err);
    progress_wait_end();
    if (made == WL_E_INPUT && is_about_arguments(err))
        show_form(u, entry);
    if (made != WL_OK) {
        say_shared(err);
        ptx_arguments_show(u->arguments, r, err);
    }
    return made;
}
