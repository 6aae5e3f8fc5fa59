/* ptx_modules.c - see ptx_modules.h. SPDX-License-Identifier: MIT */
#include "ptx_modules.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diag.h"
#include "load.h"

#define FILE_MOST ((int64_t)16 << 30)
#define PTX_MOST ((size_t)256 << 20) /* of all modules; parsed, eight times that */

/* ---- the file ---- */

/* A pipe is not touched: what is read from it is gone. */
bool binary_is(const char *path)
{
    struct stat info;
    char start[16];
    if (has_suffix(path, ".yaml") || has_suffix(path, ".cu") || has_suffix(path, ".csv") || stat(path, &info) != 0 ||
        !S_ISREG(info.st_mode))
        return false;
    const int file = open(path, O_RDONLY);
    const ssize_t length = file < 0 ? -1 : read(file, start, sizeof start);
    if (file >= 0)
        close(file);
    return length > 0 && wl_binary_is(start, (size_t)length);
}

static wl_status fail_io(const char *path, const char *why, wl_error *err)
{
    *err = (wl_error){.code = WL_E_IO};
    (void)snprintf(err->input, sizeof err->input, "%s", path);
    (void)snprintf(err->message, sizeof err->message, "%s", why);
    return WL_E_IO;
}

static wl_status map(int file, const char *path, binary_file *out, wl_error *err)
{
    struct stat info;
    if (fstat(file, &info) != 0)
        return fail_io(path, strerror(errno), err);
    if (info.st_size > FILE_MOST)
        return fail_io(path, "the file is too large", err);
    out->length = (size_t)info.st_size;
    void *bytes = mmap(NULL, out->length, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED)
        return fail_io(path, strerror(errno), err);
    out->bytes = bytes;
    return WL_OK;
}

wl_status binary_open(const char *path, binary_file *out, wl_error *err)
{
    *out = (binary_file){0};
    const int file = open(path, O_RDONLY);
    if (file < 0)
        return fail_io(path, strerror(errno), err);
    const wl_status status = map(file, path, out, err);
    close(file);
    return status == WL_OK ? wl_binary_open(path, out->bytes, out->length, &out->binary, err) : status;
}

void binary_close(binary_file *file)
{
    wl_binary_free(file->binary);
    if (file->bytes)
        (void)munmap((void *)(uintptr_t)file->bytes, file->length);
    *file = (binary_file){0};
}

/* ---- modules ---- */

static void free_module(ptx_modules *m, size_t i)
{
    diag_forget_text(m->at[i].text);
    wl_ptx_free((wl_ptx *)(uintptr_t)m->ptx[i]);
    free(m->at[i].read);
}

void ptx_modules_free(ptx_modules *m)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->borrowed)
            diag_forget_text(m->at[i].text);
        else
            free_module(m, i);
    free(m->at);
    free((void *)m->ptx);
    *m = (ptx_modules){0};
}

static bool make_room(ptx_modules *m)
{
    ptx_module *at = realloc(m->at, (m->count + 1) * sizeof *at);
    if (!at)
        return false;
    m->at = at;
    const wl_ptx **ptx = realloc((void *)m->ptx, (m->count + 1) * sizeof *ptx);
    if (!ptx)
        return false;
    m->ptx = ptx;
    return true;
}

wl_status ptx_modules_add(ptx_modules *m, const char *name, char *text, size_t length, size_t number, wl_error *err)
{
    wl_ptx *ptx = NULL;
    for (size_t i = 0; i < m->count; i++)
        diag_forget_text(m->at[i].text); /* names move; ptx_unit_kernel remembers one */
    if (!make_room(m)) {
        free(text);
        return diag_no_memory(err);
    }
    ptx_module *added = &m->at[m->count];
    *added = (ptx_module){.read = text, .text = text, .length = length, .number = number};
    (void)snprintf(added->name, sizeof added->name, "%s", name);
    m->ptx[m->count++] = NULL;
    diag_remember(added->name, added->text);
    const wl_status status = wl_ptx_parse(added->name, text, length, &ptx, err);
    m->ptx[m->count - 1] = ptx;
    if (status != WL_OK) /* a message shows a line of it */
        return status;
    added->text = wl_ptx_own_text(ptx);
    diag_remember(added->name, added->text);
    free(added->read);
    added->read = NULL;
    return WL_OK;
}

static wl_status add_code(const wl_binary *b, const char *path, size_t code, ptx_modules *m, wl_error *err)
{
    char name[PTX_NAME_LENGTH], *text = NULL;
    size_t length = 0;
    (void)snprintf(name, sizeof name, "%.*s, module %zu", WL_INPUT_NAME_MAX - 24, path, code + 1);
    const wl_status status = wl_binary_unpack(b, code, &text, &length, err);
    if (status != WL_OK && status != WL_E_NOMEM)
        (void)snprintf(err->input, sizeof err->input, "%.*s", (int)sizeof err->input - 1, name);
    return status == WL_OK ? ptx_modules_add(m, name, text, length, code + 1, err) : status;
}

/* Every program has sources without kernels; one module is kept. */
static void drop_without_kernels(ptx_modules *m)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->count; i++) {
        if (wl_ptx_entry_count(m->ptx[i]) == 0 && (kept > 0 || i + 1 < m->count)) {
            free_module(m, i);
            continue;
        }
        m->at[kept] = m->at[i];
        m->ptx[kept++] = m->ptx[i];
    }
    m->count = kept;
}

/* ---- which ---- */

static wl_status fail(wl_error *err, wl_status code, const char *input, const char *format, ...) WL_PRINTF(4, 5);
static wl_status fail(wl_error *err, wl_status code, const char *input, const char *format, ...)
{
    va_list args;
    *err = (wl_error){.code = code};
    (void)snprintf(err->input, sizeof err->input, "%s", input);
    va_start(args, format);
    (void)vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    return code;
}

/* "sm_75, sm_90 and sm_90a", each once. */
static void list_sass(const wl_binary *b, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < wl_binary_code_count(b); i++) {
        const wl_binary_code *c = wl_binary_code_at(b, i);
        bool again = c->kind != WL_BINARY_SASS;
        for (size_t k = 0; k < i && !again; k++) {
            const wl_binary_code *d = wl_binary_code_at(b, k);
            again = d->kind == WL_BINARY_SASS && d->arch == c->arch && d->variant == c->variant;
        }
        if (!again && used + 16 < size)
            used += (size_t)snprintf(text + used, size - used, "%ssm_%d%.1s", used ? ", " : "", c->arch,
                                     c->variant ? &c->variant : "");
    }
}

static wl_status no_ptx(const wl_binary *b, const char *path, wl_error *err)
{
    char listed[100];
    list_sass(b, listed, sizeof listed);
    return fail(err, WL_E_UNSUPPORTED, path,
                "%s%s, no PTX, which predictions need: compile with -gencode arch=compute_90,code=compute_90 to embed "
                "it, or give the .cu or .ptx file",
                listed[0] ? "there is only SASS, for " : "there is only code for link-time optimization", listed);
}

static wl_status add_named(const options *o, const wl_binary *b, const char *path, ptx_modules *m, wl_error *err)
{
    const size_t count = wl_binary_code_count(b), digits = strspn(o->module, "0123456789");
    const size_t number = digits == strlen(o->module) && digits < 10 ? (size_t)strtoul(o->module, NULL, 10) : 0;
    if (number < 1 || number > count)
        return fail(err, WL_E_INPUT, "--module",
                    "'%.40s' is not one of the %zu modules of the file ('warpline ptx "
                    "%.100s' lists them)",
                    o->module, count, path);
    if (wl_binary_code_at(b, number - 1)->kind != WL_BINARY_PTX)
        return fail(err, WL_E_INPUT, "--module", "module %zu is not PTX ('warpline ptx %.100s' lists them)", number,
                    path);
    return add_code(b, path, number - 1, m, err);
}

/* "sm_90a" */
static int read_arch(const char *arch, char *variant)
{
    int number = 0;
    if (sscanf(arch, "sm_%4d", &number) != 1)
        return 0;
    const char *end = arch + strlen("sm_") + strspn(arch + strlen("sm_"), "0123456789");
    *variant = *end;
    return number;
}

static wl_status add_best(const wl_binary *b, const char *path, const char *arch, bool of_device, ptx_modules *m,
                          wl_error *err)
{
    char variant = '\0';
    const int number = read_arch(arch, &variant);
    size_t code = 0, bytes = 0, other = 0;
    bool runs = true, all_run = true;
    wl_status status = WL_OK;
    for (size_t f = 1; f <= wl_binary_fatbin_count(b) && status == WL_OK; f++) {
        if (!wl_binary_best_ptx(b, f, number, of_device ? 'a' : variant, &code, &runs))
            continue;
        const wl_binary_code *c = wl_binary_code_at(b, code);
        if (c->bytes > PTX_MOST - bytes)
            return fail(err, WL_E_LIMIT, path, "it has more than %zu MiB of PTX: --module names one module",
                        PTX_MOST >> 20);
        bytes += c->bytes;
        other = runs ? other : code;
        all_run = all_run && runs;
        status = add_code(b, path, code, m, err);
    }
    if (status == WL_OK && m->count == 0)
        return no_ptx(b, path, err);
    if (status == WL_OK)
        drop_without_kernels(m);
    if (status == WL_OK && !all_run) {
        const wl_binary_code *c = wl_binary_code_at(b, other);
        usage_error("note: %.200s has no PTX that runs on %s; that for compute_%d%.1s is read", path, arch, c->arch,
                    c->variant ? &c->variant : "");
    }
    return status;
}

wl_status ptx_modules_of_binary(const options *o, const char *path, const char *arch, bool of_device, ptx_modules *m,
                                wl_error *err)
{
    binary_file file;
    m->is_binary = true;
    wl_status status = binary_open(path, &file, err);
    if (status == WL_OK && o->module)
        status = add_named(o, file.binary, path, m, err);
    else if (status == WL_OK)
        status = add_best(file.binary, path, arch, of_device, m, err);
    binary_close(&file);
    return status;
}
