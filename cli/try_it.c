/* try_it.c - see try_it.h. SPDX-License-Identifier: MIT */
#include "try_it.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diag.h"
#include "load.h"
#include "process.h"
#include "recorded.h"

#define PAGE "index.html"
#define PTX_MOST ((size_t)1 << 20) /* bytes: each section has its own copy */

/* ---- the page ---- */

bool try_it_usage(const options *o)
{
    if (o->web && !o->interactive)
        usage_error("--web is the page for --interactive");
    return !o->web || o->interactive;
}

/* The page at a path: a file, or in a folder. */
static bool page_at(const char *given, char path[PATH_LENGTH])
{
    struct stat what;
    const bool folder = stat(given, &what) == 0 && S_ISDIR(what.st_mode);
    const int n = snprintf(path, PATH_LENGTH, folder ? "%s/" PAGE : "%s", given);
    return n > 0 && n < PATH_LENGTH && access(path, R_OK) == 0;
}

/* Beside the tool where it was built, or where it was installed. */
static bool page_beside(char path[PATH_LENGTH])
{
    static const char *const places[] = {"../web", "../share/warpline/web"};
    char self[PATH_LENGTH], place[2 * PATH_LENGTH];
    if (!process_own_folder(self))
        return false;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        (void)snprintf(place, sizeof place, "%s/%s", self, places[i]);
        if (page_at(place, path))
            return true;
    }
    return false;
}

int try_it_read(const options *o, char **html)
{
    const char *told = getenv("WARPLINE_WEB");
    const char *given = o->web ? o->web : told && *told ? told : NULL;
    char path[PATH_LENGTH];
    wl_error err = {0};
    size_t length = 0;
    if (given ? page_at(given, path) : page_beside(path))
        return load_text(path, html, &length, &err) == WL_OK ? EXIT_OK : diag_report(&err);
    usage_error("error: %s%s--interactive puts the page of 'make web' into the report, and it is not there: run 'make "
                "web' first, or say where it is: --web FOLDER",
                given ? given : "", given ? ": " : "");
    return EXIT_INPUT;
}

/* ---- a launch as an address ---- */

static void put_encoded(FILE *out, const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
    for (const char *c = text; *c; c++)
        if (strchr(plain, *c))
            (void)putc(*c, out);
        else
            (void)fprintf(out, "%%%02X", (unsigned)(unsigned char)*c);
}

/* A member of the state; nothing for a text that is not given. */
static void put(FILE *out, const char *name, const char *text)
{
    if (!text)
        return;
    (void)fprintf(out, "&%s=", name);
    put_encoded(out, text);
}

/* A line of arguments: quoted as a shell does. */
static void put_word(FILE *out, const char *option, const char *text)
{
    if (!text)
        return;
    put_encoded(out, option);
    put_encoded(out, " '");
    for (const char *c = text; *c; c++) {
        const char one[] = {*c == '\n' ? ' ' : *c, '\0'};
        put_encoded(out, *c == '\'' ? "'\"'\"'" : one);
    }
    put_encoded(out, "'\n");
}

static void put_words(FILE *out, const char *option, const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put_word(out, option, texts[i]);
}

/* Does a text name a file with contents of memory, as "buf:4K=data.bin" does? */
static bool names_file(const char *text, bool is_constant)
{
    static const char *const made[] = {"zero", "const:", "iota", "random"};
    const char *buffer = is_constant ? text : strchr(text, ':');
    for (const char *c = buffer; c && (c = strchr(c, '=')); c++) {
        bool is_made = false;
        for (size_t i = 0; i < sizeof made / sizeof *made; i++)
            is_made = is_made || strncmp(c + 1, made[i], strlen(made[i])) == 0;
        if (!is_made)
            return true;
    }
    return false;
}

static bool needs_files(const options *o)
{
    bool needs = false;
    for (size_t i = 0; i < o->arg_count; i++)
        needs = needs || names_file(o->args[i], false);
    for (size_t i = 0; i < o->constant_count; i++)
        needs = needs || names_file(o->constants[i], true);
    return needs;
}

/* PTX goes with its arguments, and is emulated on the page as well. False: it has to be shown as a
 * kernel file. */
static bool put_ptx(FILE *out, const try_launch *l)
{
    const options *o = l->options;
    size_t module = 0, entry = 0;
    wl_error ignored = {0};
    if (!l->job || !l->job->unit || recorded_recording() || needs_files(o) ||
        ptx_unit_find(l->job->unit, o->entry, false, &module, &entry, &ignored) != WL_OK)
        return false;
    const ptx_modules *m = ptx_unit_modules(l->job->unit);
    const ptx_module *at = &m->at[module];
    if (!at->text || at->length > PTX_MOST)
        return false;
    put(out, "kind", "ptx");
    put(out, "plain", at->text);
    put(out, "entry", wl_ptx_entry_name(m->ptx[module], entry));
    (void)fputs("&args=", out);
    put_word(out, "--grid", o->grid);
    put_word(out, "--domain", o->domain);
    put_words(out, "--set", o->set, o->set_count);
    put_words(out, "--arg", o->args, o->arg_count);
    put_words(out, "--constant", o->constants, o->constant_count);
    put_word(out, "--dynamic-shared", o->dynamic_shared);
    put_word(out, "--cluster", o->cluster);
    put_word(out, "--emulate", o->emulate);
    put_word(out, "--effort", o->effort);
    return true;
}

static void WL_PRINTF(2, 3) refuse(try_it *made, const char *format, ...)
{
    static const char start[] = "It cannot be tried here: ";
    va_list args;
    va_start(args, format);
    memcpy(made->note, start, sizeof start);
    (void)vsnprintf(made->note + sizeof start - 1, sizeof made->note - sizeof start, format, args);
    va_end(args);
    made->refused = true;
}

static bool is_builtin(const try_launch *l)
{
    size_t length;
    return l->kernel && !l->options->domain && wl_kernel_builtin_text(l->kernel, &length) &&
           access(l->kernel, F_OK) != 0;
}

/* The kernel as it was read, as a file. */
static wl_status put_shown(FILE *out, const try_launch *l, try_it *made, bool *recovered, wl_error *err)
{
    char *yaml = NULL;
    wl_error why = {0};
    const bool emulated = l->job && l->job->unit;
    const wl_status status = wl_kernel_show(emulated ? wl_prediction_kernel(l->prediction) : l->read, &yaml, &why);
    if (status == WL_E_NOMEM)
        return diag_no_memory(err);
    if (status != WL_OK) {
        refuse(made, "%.400s", why.message);
        return WL_OK;
    }
    put(out, "kind", "file");
    put(out, "plain", yaml);
    *recovered = strstr(yaml, "\n# recovered from ") != NULL;
    free(yaml);
    if (*recovered)
        (void)snprintf(made->note, sizeof made->note,
                       "It opens as a kernel file, as 'warpline show' prints it: counts and volumes are those of the "
                       "PTX, without contents of memory; the time is estimated from them and is another one.");
    return WL_OK;
}

/* "32x8:grid=20x4:regs=40": what the block does not say itself. */
static void put_launch(FILE *out, const try_launch *l, bool is_ptx, bool recovered)
{
    const options *o = l->options;
    const wl_launch *predicted = wl_prediction_launch(l->prediction);
    char block[2 * LAUNCH_TEXT_MAX];
    if (l->block && !recovered) {
        const bool grid = !is_ptx && o->grid && !strstr(l->block, ":grid="),
                   schedule = o->schedule && !strstr(l->block, ":schedule=");
        (void)snprintf(block, sizeof block, "%s%s%s%s%s", l->block, grid ? ":grid=" : "", grid ? o->grid : "",
                       schedule ? ":schedule=" : "", schedule ? o->schedule : "");
    } else {
        (void)snprintf(block, sizeof block, "%lldx%lldx%lld", (long long)predicted->block[0],
                       (long long)predicted->block[1], (long long)predicted->block[2]);
    }
    put(out, "block", block);
    if (!strstr(block, ":fold="))
        put(out, "fold", l->job ? o->fold : NULL);
    if (!strstr(block, ":shared="))
        put(out, "shared", l->job ? o->shared : NULL);
    if ((o->registers || is_ptx || recovered) && !strstr(block, ":reg"))
        (void)fprintf(out, "&registers=%lld", (long long)predicted->registers);
}

/* Has the page this very device? It knows the built-in ones, and --with. */
static wl_status put_device(FILE *out, const try_launch *l, try_it *made, wl_error *err)
{
    const options *o = l->options;
    const char *name = wl_device_name(l->device);
    wl_device *like = NULL;
    char *own = NULL, *its = NULL;
    size_t length;
    wl_error why = {0};
    wl_status status = WL_OK;
    if (wl_device_builtin_text(name, &length))
        status = load_device(name, o->with, o->with_count, &like, &why);
    if (like && status == WL_OK)
        status = wl_device_render(l->device, WL_FORMAT_JSON, &own, err);
    if (like && status == WL_OK)
        status = wl_device_render(like, WL_FORMAT_JSON, &its, err);
    if (!own || !its || strcmp(own, its) != 0)
        refuse(made, "the page has the built-in devices, and this %.80s is none of them.", name);
    put(out, "device", name);
    for (size_t i = 0; i < o->with_count; i++)
        put(out, "with", o->with[i]);
    wl_device_free(like);
    free(own);
    free(its);
    return status == WL_E_NOMEM ? diag_no_memory(err) : WL_OK;
}

/* What a page predicts without, although the report was asked for it. */
static void say_left_out(const options *o, char note[TRY_NOTE_LENGTH])
{
    const size_t used = strlen(note);
    if (o->model || o->caches || o->samples)
        (void)snprintf(note + used, TRY_NOTE_LENGTH - used, "%sIt opens without%s%s%s.", used ? " " : "",
                       o->model ? " --model" : "", o->caches ? " --caches" : "", o->samples ? " --l1-samples" : "");
}

static wl_status put_all(FILE *out, const try_launch *l, try_it *made, wl_error *err)
{
    const options *o = l->options;
    bool is_ptx = false, recovered = false;
    wl_status status = WL_OK;
    if (is_builtin(l)) {
        put(out, "kind", "builtin");
        put(out, "kernel", l->kernel);
        for (size_t i = 0; i < o->set_count; i++)
            put(out, "set", o->set[i]);
    } else if (o->update) {
        put(out, "kind", "update");
        put(out, "plain", o->update);
        put(out, "domain", o->domain);
        put(out, "type", o->type);
    } else if (!(is_ptx = put_ptx(out, l))) {
        status = put_shown(out, l, made, &recovered, err);
    }
    if (status == WL_OK)
        status = put_device(out, l, made, err);
    put_launch(out, l, is_ptx, recovered);
    return status;
}

wl_status try_it_make(const try_launch *l, try_it *made, wl_error *err)
{
    char *text = NULL;
    size_t length = 0;
    *made = (try_it){0};
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return diag_no_memory(err);
    wl_status status = put_all(out, l, made, err);
    const bool failed = ferror(out) != 0;
    if ((fclose(out) != 0 || failed || !text) && status == WL_OK)
        status = diag_no_memory(err);
    if (status == WL_OK && !made->refused) {
        say_left_out(l->options, made->note);
        memmove(text, text + 1, length); /* without the first & */
        made->address = text;
        return WL_OK;
    }
    free(text);
    return status;
}
