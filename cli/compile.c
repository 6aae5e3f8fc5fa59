/* compile.c - see compile.h. SPDX-License-Identifier: MIT */
#include "compile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diag.h"
#include "load.h"

#define WORDS_MAX (4 * MANY_MAX + 32)

static wl_status fail(wl_error *err, wl_status code, const char *input, const char *format, const char *text)
{
    *err = (wl_error){.code = code};
    (void)snprintf(err->input, sizeof err->input, "%s", input);
    (void)snprintf(err->message, sizeof err->message, format, text);
    return code;
}

/* The reason is in errno. */
static wl_status fail_system(wl_error *err, const char *input, const char *format)
{
    const int error = errno;
    return fail(err, error == ENOMEM ? WL_E_NOMEM : WL_E_IO, input, format, strerror(error));
}

/* ---- architectures ---- */

bool arch_is_valid(const char *arch)
{
    if (strncmp(arch, "sm_", 3) != 0)
        return false;
    const size_t digits = strspn(arch + 3, "0123456789");
    const char *rest = arch + 3 + digits;
    return digits >= 2 && digits <= 3 && (*rest == '\0' || (strchr("af", *rest) && rest[1] == '\0'));
}

bool arch_of_device(const wl_device *device, char arch[ARCH_LENGTH])
{
    const char *capability = wl_device_compute_capability(device);
    int major = 0, minor = 0;
    if (!capability || sscanf(capability, "%3d.%1d", &major, &minor) != 2)
        return false;
    (void)snprintf(arch, ARCH_LENGTH, "sm_%d%d", major, minor);
    return true;
}

/* ---- programs ---- */

/* A program of the CUDA toolkit: under $CUDA_HOME or $CUDA_PATH, else in the default location. */
static bool find_installed(const char *name, char path[PATH_LENGTH])
{
    char installed[PATH_LENGTH];
    const char *home = getenv("CUDA_HOME");
    if (!home || !*home)
        home = getenv("CUDA_PATH");
    const int n = snprintf(installed, PATH_LENGTH, "%s/bin/%s", home && *home ? home : "/usr/local/cuda", name);
    return n < PATH_LENGTH && process_find(installed, path);
}

static wl_status find_compiler(const options *o, const char *source, char path[PATH_LENGTH], wl_error *err)
{
    const char *named = o->compiler ? o->compiler : getenv("NVCC");
    if (named && *named) {
        if (process_find(named, path))
            return WL_OK;
        return fail(err, WL_E_IO, o->compiler ? "--compiler" : "NVCC", "'%.200s' cannot be run", named);
    }
    if (process_find("nvcc", path) || find_installed("nvcc", path) || process_find("clang++", path) ||
        process_find("clang", path))
        return WL_OK;
    return fail(err, WL_E_UNSUPPORTED, source,
                "there is no nvcc or clang here (--compiler PATH names one); elsewhere, 'nvcc -ptx -lineinfo "
                "-arch=sm_90 %.100s' makes a .ptx file that can be given instead",
                source);
}

static bool is_clang(const char *compiler)
{
    const char *slash = strrchr(compiler, '/');
    return strstr(slash ? slash : compiler, "clang") != NULL;
}

/* ---- the command line ---- */

typedef struct words {
    const char *at[WORDS_MAX];
    size_t count;
} words;

static void add(words *w, const char *word)
{
    if (w->count + 1 < WORDS_MAX)
        w->at[w->count++] = word;
}

/* Two words each, so that no text must be built: "-D" "X=Y". */
static void add_each(words *w, const char *option, const char *const *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        add(w, option);
        add(w, values[i]);
    }
}

/* Adds a default, unless the user gives an option that starts alike: compilers refuse two. */
static void add_default(words *w, const options *o, const char *option, const char *start)
{
    for (size_t i = 0; i < o->compiler_option_count; i++)
        if (strncmp(o->compiler_options[i], start, strlen(start)) == 0)
            return;
    add(w, option);
}

static void compiler_words(const options *o, const char *compiler, const char *arch_option, const char *source,
                           const char *target, words *w)
{
    static const char *const nvcc[] = {"-ptx"};
    static const char *const clang[] = {"-x", "cuda", "--cuda-device-only", "-S"};
    const bool is_nvcc = !is_clang(compiler);
    const char *const *start = is_nvcc ? nvcc : clang;
    add(w, compiler);
    for (size_t i = 0; i < (is_nvcc ? sizeof nvcc / sizeof nvcc[0] : sizeof clang / sizeof clang[0]); i++)
        add(w, start[i]);
    add(w, is_nvcc ? "-lineinfo" : "-gline-directives-only");
    add_default(w, o, "-O3", "-O");
    add_default(w, o, "-std=c++17", "-std");
    add(w, arch_option);
    add_each(w, "-D", o->defines, o->define_count);
    add_each(w, "-I", o->includes, o->include_count);
    for (size_t i = 0; i < o->compiler_option_count; i++)
        add(w, o->compiler_options[i]);
    add(w, "-o");
    add(w, target);
    add(w, source);
}

/* ---- compiling ---- */

/* nvcc: "Unsupported gpu architecture 'sm_70'"; clang: "unsupported CUDA gpu architecture:
 * sm_121". */
static bool lacks_arch(const char *log)
{
    const char *at = log ? strstr(log, "nsupported") : NULL;
    return at && strstr(at, "gpu architecture");
}

/* "x.cu(3): error: .." of the messages, for one of many variants. */
static wl_status variant_failed(const char *source, const char *log, wl_error *err)
{
    const char *at = log ? strstr(log, "error") : NULL;
    while (at && at > log && at[-1] != '\n')
        at--;
    char line[160];
    (void)snprintf(line, sizeof line, "%.*s", at ? (int)strcspn(at, "\r\n") : 0, at ? at : "");
    return fail(err, WL_E_INPUT, source, *line ? "it does not compile: %s" : "it does not compile%s", line);
}

/* Shows the compiler's messages, and puts the most informative line into the error. */
static wl_status compiler_failed(const options *o, const char *source, const char *compiler, const char *arch, int code,
                                 const char *log, wl_error *err)
{
    char *text = NULL;
    size_t length = 0;
    wl_error ignored = {0};
    const bool read = load_text(log, &text, &length, &ignored) == WL_OK;
    const bool no_arch = lacks_arch(text);
    if (o->tune_count && !no_arch) {
        (void)variant_failed(source, text, err);
        free(text);
        return err->code;
    }
    if (read)
        diag_quote(text);
    free(text);
    if (no_arch)
        return fail(err, WL_E_INPUT, source,
                    is_clang(compiler) ? "this clang has no %s: --arch names another, as in --arch sm_80"
                                       : "this nvcc has no %s: --arch names one that it has "
                                         "('nvcc --list-gpu-code' lists them), as in --arch sm_80",
                    arch);
    const wl_status status = fail(err, WL_E_INPUT, source, "%.180s does not compile it", compiler);
    const size_t used = strlen(err->message);
    if (code >= 128)
        (void)snprintf(err->message + used, sizeof err->message - used, " (ended by signal %d)", code - 128);
    else
        (void)snprintf(err->message + used, sizeof err->message - used, " (exit code %d)", code);
    return status;
}

static wl_status compile_in(const scratch *s, const options *o, const char *source, const char *arch,
                            const char *compiler, char **ptx, size_t *length, wl_error *err)
{
    char target[PATH_LENGTH], log[PATH_LENGTH], arch_option[ARCH_LENGTH + 24];
    words w = {0};
    if (!scratch_path(s, "kernel.ptx", target) || !scratch_path(s, "log", log))
        return fail(err, WL_E_IO, source, "%s", "the temporary folder's name is too long");
    (void)snprintf(arch_option, sizeof arch_option, "%s%s", is_clang(compiler) ? "--cuda-gpu-arch=" : "-arch=", arch);
    compiler_words(o, compiler, arch_option, source, target, &w);
    const int code = process_run(w.at, log);
    if (code < 0)
        return fail_system(err, compiler, "cannot be run: %s");
    if (code != 0)
        return compiler_failed(o, source, compiler, arch, code, log, err);
    const wl_status status = load_text(target, ptx, length, err);
    if (status == WL_OK || status == WL_E_NOMEM)
        return status;
    return fail(err, WL_E_INPUT, source, "%.180s made no PTX of it", compiler);
}

/* Rejects files that are not text: a compiler prints megabytes of messages about them, or behaves
 * as if there were no file. */
static wl_status check_text(const char *path, wl_error *err)
{
    char *text = NULL;
    size_t length = 0;
    const wl_status status = load_text(path, &text, &length, err);
    const char *zero = status == WL_OK ? memchr(text, '\0', length) : NULL;
    free(text);
    return zero ? fail(err, WL_E_INPUT, path, "%s", "it has zero bytes: this is no CUDA source") : status;
}

wl_status compile_cuda(const options *o, const char *path, const char *arch, char compiler[PATH_LENGTH], char **ptx,
                       size_t *length, wl_error *err)
{
    scratch s;
    const wl_status readable = check_text(path, err);
    if (readable != WL_OK)
        return readable;
    const wl_status found = find_compiler(o, path, compiler, err);
    if (found != WL_OK)
        return found;
    if (!scratch_make(&s))
        return fail_system(err, path, "cannot make a temporary folder: %s");
    const wl_status status = compile_in(&s, o, path, arch, compiler, ptx, length, err);
    scratch_remove(&s);
    return status;
}

/* ---- resources ---- */

/* "sm_80" of ".target sm_80, debug", the number of it; 0: there is none. */
static int target_of(const char *ptx, char arch[ARCH_LENGTH])
{
    int number = 0;
    const char *at = ptx;
    while ((at = strstr(at, ".target"))) {
        at += strlen(".target");
        at += strspn(at, " \t");
        const size_t length = strcspn(at, ", \t\r\n");
        if (length < ARCH_LENGTH && sscanf(at, "sm_%4d", &number) == 1) {
            (void)snprintf(arch, ARCH_LENGTH, "%.*s", (int)length, at);
            return arch_is_valid(arch) ? number : 0;
        }
    }
    return 0;
}

/* PTX runs on its target and on later architectures; "sm_90a" only on its target. */
static bool choose_arch(const char *ptx, const char *wanted, char arch[ARCH_LENGTH])
{
    int number = 0;
    const int least = target_of(ptx, arch);
    if (least == 0)
        return false;
    const bool plain = strspn(arch + 3, "0123456789") == strlen(arch + 3);
    if (wanted && plain && sscanf(wanted, "sm_%4d", &number) == 1 && number >= least)
        (void)snprintf(arch, ARCH_LENGTH, "%s", wanted);
    return true;
}

static bool write_file(const char *path, const char *text, size_t length)
{
    FILE *f = fopen(path, "wb");
    const bool written = f && fwrite(text, 1, length, f) == length;
    return f && fclose(f) == 0 && written;
}

/* Results that ptxas does not give are optional; only missing memory is an error. */
static wl_status not_asked(bool out_of_memory, wl_error *err)
{
    return out_of_memory ? fail(err, WL_E_NOMEM, "ptxas", "%s", "out of memory") : WL_OK;
}

/* ptxas itself, or nvcc, which knows where it is. */
static wl_status ask(const scratch *s, const char *compiler, const char *arch, const char *ptx, size_t length,
                     ptxas_report *report, char **cubin, size_t *cubin_length, wl_error *err)
{
    char program[PATH_LENGTH], source[PATH_LENGTH], target[PATH_LENGTH], log[PATH_LENGTH], option[ARCH_LENGTH + 8];
    char *text = NULL;
    size_t text_length = 0;
    words w = {0};
    wl_error unread = {0};
    errno = 0;
    (void)snprintf(option, sizeof option, "-arch=%s", arch);
    const bool itself = (*compiler && process_find_beside(compiler, "ptxas", program)) ||
                        process_find("ptxas", program) || find_installed("ptxas", program);
    if ((!itself && (!*compiler || is_clang(compiler))) || !scratch_path(s, "kernel.ptx", source) ||
        !scratch_path(s, "kernel.cubin", target) || !scratch_path(s, "log", log) || !write_file(source, ptx, length))
        return not_asked(errno == ENOMEM, err);
    add(&w, itself ? program : compiler);
    if (!itself) {
        add(&w, "-cubin");
        add(&w, "-Xptxas");
    }
    add(&w, "-v");
    if (cubin)
        add(&w, "-lineinfo");
    add(&w, option);
    add(&w, "-o");
    add(&w, target);
    add(&w, source);
    const int code = process_run(w.at, log);
    if (code != 0)
        return not_asked(code < 0 && errno == ENOMEM, err);
    if (load_text(log, &text, &text_length, &unread) != WL_OK)
        return not_asked(unread.code == WL_E_NOMEM, err);
    const bool read = ptxas_read(text, report);
    free(text);
    const wl_status machine = cubin ? load_text(target, cubin, cubin_length, &unread) : WL_OK;
    if (machine == WL_E_NOMEM) {
        ptxas_free(report);
        return not_asked(true, err);
    }
    if (machine != WL_OK)
        *cubin = NULL;
    if (!read)
        ptxas_free(report);
    return not_asked(!read, err);
}

wl_status compile_resources(const char *ptx, size_t length, const char *compiler, const char *wanted,
                            ptxas_report *report, char **cubin, size_t *cubin_length, wl_error *err)
{
    scratch s;
    char arch[ARCH_LENGTH];
    *report = (ptxas_report){0};
    if (!choose_arch(ptx, wanted, arch))
        return WL_OK;
    if (!scratch_make(&s))
        return not_asked(errno == ENOMEM, err);
    const wl_status status = ask(&s, compiler, arch, ptx, length, report, cubin, cubin_length, err);
    scratch_remove(&s);
    return status;
}
