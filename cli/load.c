/* load.c - see load.h. SPDX-License-Identifier: MIT */
#include "load.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diag.h"
#include "this_gpu.h"

#define FILE_MAX ((size_t)64 << 20)
#define TEXTS_MAX 256

static char *texts[TEXTS_MAX];
static size_t text_count;
static const char *standard_input; /* can be read only once; NULL: not yet */
static size_t standard_input_length;

bool has_suffix(const char *name, const char *suffix)
{
    const size_t length = strlen(name), n = strlen(suffix);
    return length > n && strcmp(name + length - n, suffix) == 0;
}

static wl_status read_error(wl_status code, const char *path, const char *what, wl_error *err)
{
    if (err && err->code == WL_OK) {
        err->code = code;
        snprintf(err->input, sizeof err->input, "%s", path);
        snprintf(err->message, sizeof err->message, "%s", what);
    }
    return code;
}

static wl_status no_memory(const char *path, wl_error *err)
{
    return read_error(WL_E_NOMEM, path, "out of memory", err);
}

#define FILES_MAX 256

/* Appends "; did you mean 'heat.cu'?" to the message about a file that does not exist. */
static void say_similar_file(const char *path, wl_error *err)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char folder[512], names[FILES_MAX][64];
    const char *list[FILES_MAX];
    size_t count = 0;
    const int n = snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    DIR *files = n > 0 && (size_t)n < sizeof folder ? opendir(folder) : NULL;
    for (const struct dirent *e; files && count < FILES_MAX && (e = readdir(files));) {
        if (e->d_name[0] == '.' || strlen(e->d_name) >= sizeof names[0])
            continue;
        (void)snprintf(names[count], sizeof names[0], "%.63s", e->d_name);
        list[count] = names[count];
        count++;
    }
    if (files)
        closedir(files);
    const size_t used = strlen(err->message);
    (void)snprintf(err->message + used, sizeof err->message - used, "%s", did_you_mean(name, list, count));
}

/* The reason is in errno. */
static wl_status io_error(const char *path, wl_error *err)
{
    return errno == ENOMEM ? no_memory(path, err) : read_error(WL_E_IO, path, strerror(errno), err);
}

static wl_status read_stream(FILE *f, const char *path, char **text, size_t *length, wl_error *err)
{
    size_t capacity = 65536, used = 0;
    char *buffer = malloc(capacity);
    while (buffer) {
        used += fread(buffer + used, 1, capacity - used - 1, f);
        if (used < capacity - 1)
            break;
        if (capacity >= FILE_MAX) {
            free(buffer);
            return read_error(WL_E_IO, path, "the file is too large", err);
        }
        char *larger = realloc(buffer, capacity *= 2);
        if (!larger)
            free(buffer);
        buffer = larger;
    }
    if (!buffer)
        return no_memory(path, err);
    if (ferror(f)) {
        const wl_status status = io_error(path, err);
        free(buffer);
        return status;
    }
    buffer[used] = '\0';
    *text = buffer;
    *length = used;
    return WL_OK;
}

wl_status load_text(const char *path, char **text, size_t *length, wl_error *err)
{
    if (strcmp(path, "-") == 0)
        return read_stream(stdin, "standard input", text, length, err);
    errno = 0;
    FILE *f = fopen(path, "rb");
    if (!f) {
        const bool missing = errno == ENOENT;
        const wl_status failed = io_error(path, err);
        if (missing && err && err->code == WL_E_IO)
            say_similar_file(path, err);
        return failed;
    }
    const wl_status status = read_stream(f, path, text, length, err);
    fclose(f);
    return status;
}

void load_forget(void)
{
    diag_forget();
    standard_input = NULL;
    while (text_count > 0)
        free(texts[--text_count]);
}

static void keep(char *text)
{
    if (text_count < TEXTS_MAX)
        texts[text_count++] = text;
}

static bool exists(const char *path) { return access(path, R_OK) == 0; }

/* "share/kernels/star3d_r4.yaml" names the built-in kernel even if there is no such folder. */
static const char *builtin_name(const char *name, const char *folder, char *buffer, size_t size)
{
    const size_t n = strlen(folder), length = strlen(name);
    if (strncmp(name, folder, n) != 0 || length < n + 6 || strcmp(name + length - 5, ".yaml") != 0)
        return name;
    snprintf(buffer, size, "%.*s", (int)(length - n - 5), name + n);
    return buffer;
}

/* A folder or file with the name of a built-in device does not hide the device: a path has a slash
 * or a suffix, and no built-in name does. */
static bool is_device_file(const char *name)
{
    size_t length;
    return exists(name) && !wl_device_builtin_text(name, &length);
}

static void say_devices(wl_error *err)
{
    const size_t used = strlen(err->message);
    (void)snprintf(err->message + used, sizeof err->message - used, " ('warpline devices' lists them)");
}

/* The built-in devices whose names go on behind this word, as a100-40gb does behind a100: they are
 * meant, but which? */
static bool say_longer_names(const char *word, wl_error *err)
{
    char names[160] = "";
    size_t used = 0, count = 0;
    for (size_t i = 0; i < wl_device_builtin_count(); i++) {
        const char *name = wl_device_builtin_name(i);
        if (strncmp(name, word, strlen(word)) != 0 || used + strlen(name) + 8 > sizeof names)
            continue;
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", count++ ? " or " : "", name);
    }
    const bool several = count > 1 && *word;
    if (several)
        (void)snprintf(err->message, sizeof err->message, "no device is called '%.40s': is it %s?", word, names);
    return several;
}

/* Device names are in small letters; those of users need not be. */
static const char *small_letters(const char *name, char *buffer, size_t size)
{
    size_t i = 0;
    for (; name[i] && i + 1 < size; i++)
        buffer[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] - 'A' + 'a' : name[i]);
    buffer[i] = '\0';
    return buffer;
}

static wl_status load_builtin_device(const char *name, wl_device **out, wl_error *err)
{
    char small[128];
    const wl_status status = wl_device_builtin(small_letters(name, small, sizeof small), out, err);
    if (status == WL_E_INPUT && !say_longer_names(small, err)) /* no built-in one has that name */
        say_devices(err);
    return status;
}

static wl_status load_device_file(const char *name, wl_device **out, wl_error *err)
{
    char *file = NULL;
    size_t length = 0;
    const wl_status status = load_text(name, &file, &length, err);
    if (status != WL_OK)
        return status;
    keep(file);
    diag_remember(name, file);
    return wl_device_parse(name, file, length, out, err);
}

wl_status load_device(const char *name, const char *const *with, size_t with_count, wl_device **out, wl_error *err)
{
    char buffer[128];
    size_t length = 0;
    if (strcmp(name, "auto") == 0) {
        const wl_status found = this_gpu(&name, err);
        if (found != WL_OK)
            return found;
    }
    if (strchr(name, ' ') && !exists(name) && gpu_of_product(name))
        name = gpu_of_product(name);
    const char *builtin = is_device_file(name) ? NULL : builtin_name(name, "share/devices/", buffer, sizeof buffer);
    const char *text = builtin ? wl_device_builtin_text(builtin, &length) : NULL;
    const bool is_name = text || (builtin && !strchr(name, '/') && !strchr(name, '.'));
    wl_status status = is_name ? load_builtin_device(builtin, out, err) : load_device_file(name, out, err);
    for (size_t i = 0; i < with_count && status == WL_OK; i++) {
        diag_remember("--with", with[i]);
        status = wl_device_set(*out, with[i], err);
        if (status != WL_OK) {
            wl_device_free(*out);
            *out = NULL;
        }
    }
    return status;
}

/* An error in a --set shows the assignment it is in. */
static void remember_set(const wl_kernel_options *options, const wl_error *err)
{
    for (size_t i = 0; options && i < options->set_count && strcmp(err->input, "--set") == 0; i++)
        diag_remember("--set", options->sets[i]);
}

wl_status load_kept_text(const char *path, const char **text, size_t *length, wl_error *err)
{
    char *file = NULL;
    const wl_status status = load_text(path, &file, length, err);
    if (status != WL_OK)
        return status;
    keep(file);
    diag_remember(path, file);
    *text = file;
    return WL_OK;
}

#define NAMES_MAX 256

const char *similar_kernel(const char *name)
{
    const char *names[NAMES_MAX];
    size_t n = 0;
    for (; n < wl_kernel_builtin_count() && n < NAMES_MAX; n++)
        names[n] = wl_kernel_builtin_name(n);
    return did_you_mean(name, names, n);
}

wl_status load_kernel_text(const char *name, const char **input, const char **text, size_t *length, wl_error *err)
{
    char buffer[128];
    const bool is_input = strcmp(name, "-") == 0;
    const char *builtin = is_input || exists(name) ? NULL : builtin_name(name, "share/kernels/", buffer, sizeof buffer);
    *input = is_input ? "standard input" : name;
    *text = builtin ? wl_kernel_builtin_text(builtin, length) : is_input ? standard_input : NULL;
    if (is_input && *text)
        *length = standard_input_length;
    if (!*text) {
        char *file = NULL;
        const wl_status status = load_text(name, &file, length, err);
        if (status != WL_OK) {
            if (status == WL_E_IO && builtin && !strchr(name, '/') && !strchr(name, '.'))
                snprintf(err->message, sizeof err->message,
                         "no such file, and no built-in kernel of that name%s ('warpline kernels' lists them)",
                         similar_kernel(name));
            return status;
        }
        keep(file);
        *text = file;
        if (is_input) {
            standard_input = file;
            standard_input_length = *length;
        }
    }
    diag_remember(*input, *text);
    return WL_OK;
}

wl_status load_kernel(const char *name, const wl_kernel_options *options, wl_kernel **out, wl_error *err)
{
    const char *input = NULL, *text = NULL;
    size_t length = 0;
    wl_status status = load_kernel_text(name, &input, &text, &length, err);
    if (status != WL_OK)
        return status;
    status = wl_kernel_parse(input, text, length, options, out, err);
    if (status != WL_OK)
        remember_set(options, err);
    return status;
}

wl_status load_update(const char *update, const char *domain, const char *type, wl_kernel **out, wl_error *err)
{
    const char *element = type ? type : "f64";
    diag_remember("--update", update);
    diag_remember("--domain", domain);
    diag_remember("--type", element);
    return wl_kernel_from_update(update, domain, element, out, err);
}
