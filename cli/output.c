/* output.c - see output.h. SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700 /* realpath */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diag.h"
#include "look.h"
#include "options.h"

static int cannot_write(const char *path, const char *why)
{
    usage_error("error: %s: cannot write: %s", path, why);
    return EXIT_INTERNAL;
}

/* The target of a symbolic link: the target is written, and /dev/stdout stays a link. NULL: not a
 * link. False: out of memory. */
static bool behind_link(const char *path, char **target)
{
    struct stat info;
    *target = NULL;
    if (lstat(path, &info) != 0 || !S_ISLNK(info.st_mode))
        return true;
    *target = realpath(path, NULL);
    return *target || errno != ENOMEM;
}

/* A temporary name in the same folder; NULL: out of memory. */
static char *name_beside(const char *target)
{
    const size_t size = strlen(target) + sizeof ".XXXXXX";
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%s.XXXXXX", target);
    return name;
}

static void forget_names(output *out)
{
    free(out->beside);
    free(out->target);
    out->beside = out->target = NULL;
}

/* A regular file is written under a temporary name in its folder, so that the rename stays on one
 * file system. Others (a pipe, /dev/null) are written directly. */
int output_open(const char *path, output *out)
{
    *out = (output){.file = stdout};
    if (!path || strcmp(path, "-") == 0)
        return EXIT_OK;
    struct stat info;
    out->path = path;
    const bool exists = stat(path, &info) == 0;
    if (exists && S_ISDIR(info.st_mode))
        return cannot_write(path, strerror(EISDIR));
    if (exists && !S_ISREG(info.st_mode)) {
        out->file = fopen(path, "w");
        return out->file ? EXIT_OK : cannot_write(path, strerror(errno));
    }
    if (exists && access(path, W_OK) != 0)
        return cannot_write(path, strerror(errno));
    if (!behind_link(path, &out->target) || !(out->beside = name_beside(out->target ? out->target : path))) {
        forget_names(out);
        return cannot_write(path, strerror(ENOMEM));
    }
    const int fd = mkstemp(out->beside);
    out->file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (out->file) {
        const mode_t mask = umask(0);
        umask(mask);
        /* mkstemp makes it private */
        (void)fchmod(fd, exists ? info.st_mode & 07777 : 0666 & ~mask);
        return EXIT_OK;
    }
    const int error = errno;
    if (fd >= 0) {
        close(fd);
        unlink(out->beside);
    }
    forget_names(out);
    return cannot_write(path, strerror(error));
}

int output_close(output *out, bool keep)
{
    int code = EXIT_OK;
    if (!out->path)
        return code;
    errno = 0;
    bool failed = out->file && ferror(out->file);
    if (out->file && fclose(out->file) != 0)
        failed = true;
    if (keep && failed)
        code = cannot_write(out->path, errno ? strerror(errno) : "the disk may be full");
    if (out->beside && keep && !failed && rename(out->beside, out->target ? out->target : out->path) != 0)
        code = cannot_write(out->path, strerror(errno));
    if (out->beside && (!keep || code != EXIT_OK))
        unlink(out->beside);
    forget_names(out);
    *out = (output){0};
    return code;
}

void output_print(const char *text, wl_format format, FILE *file)
{
    if (format == WL_FORMAT_MARKED)
        look_print(text, strlen(text), file);
    else
        fputs(text, file);
    if (format == WL_FORMAT_JSON || format == WL_FORMAT_JSON_LINE)
        fputc('\n', file);
}

int output_write(const char *path, const char *text, wl_format format)
{
    output out;
    const int code = output_open(path, &out);
    if (code != EXIT_OK)
        return code;
    output_print(text, format, out.file);
    return output_close(&out, true);
}

#define HELD_MOST ((size_t)4 << 20) /* unless the caller says less */
#define HELD_CHUNK ((size_t)64 << 10)

/* Texts one after the other, in chunks: a single text that grows would be copied each time. */
struct held_chunk {
    held_chunk *next;
    size_t length, capacity;
    char text[];
};

/* False: it could not be written. */
static bool held_write(const held_output *h, const char *text, size_t length)
{
    if (!h->marked)
        return fwrite(text, 1, length, h->file) == length;
    look_print(text, length, h->file);
    return !ferror(h->file);
}

static wl_status held_pass(held_output *h, const char *text, size_t length, wl_error *err)
{
    if (held_write(h, text, length))
        return WL_OK;
    *err = (wl_error){.code = WL_E_IO};
    snprintf(err->message, sizeof err->message, "cannot write: %s", strerror(errno));
    return WL_E_IO;
}

/* Room for a text in one piece. NULL: out of memory. */
static char *held_room(held_output *h, size_t length)
{
    held_chunk *c = h->last;
    if (!c || c->capacity - c->length < length) {
        const size_t capacity = length > HELD_CHUNK ? length : HELD_CHUNK;
        c = malloc(sizeof *c + capacity);
        if (!c)
            return NULL;
        *c = (held_chunk){.capacity = capacity};
        *(h->last ? &h->last->next : &h->first) = c;
        h->last = c;
    }
    c->length += length;
    h->length += length;
    return c->text + c->length - length;
}

/* Writes all chunks and frees them; stops writing at the first failure. */
static wl_status held_empty(held_output *h, bool write, wl_error *err)
{
    wl_status status = WL_OK;
    for (held_chunk *c = h->first, *next; c; c = next) {
        next = c->next;
        if (write && status == WL_OK)
            status = held_pass(h, c->text, c->length, err);
        free(c);
    }
    h->first = h->last = NULL;
    h->length = 0;
    return status;
}

wl_status held_add(void *user, const char *text, size_t length, wl_error *err)
{
    held_output *h = user;
    if (!h->passes && h->length + length > (h->most ? h->most : HELD_MOST)) {
        h->passes = true;
        const wl_status status = held_empty(h, true, err);
        if (status != WL_OK)
            return status;
    }
    if (h->passes)
        return held_pass(h, text, length, err);
    char *to = held_room(h, length);
    if (!to) {
        *err = (wl_error){.code = WL_E_NOMEM, .message = "out of memory"};
        return WL_E_NOMEM;
    }
    memcpy(to, text, length);
    return WL_OK;
}

void held_flush(held_output *h)
{
    wl_error ignored; /* output_close and main check for errors */
    (void)held_empty(h, true, &ignored);
    (void)fflush(h->file);
}

void held_end(held_output *h, bool keep)
{
    wl_error ignored;
    (void)held_empty(h, keep, &ignored);
    *h = (held_output){0};
}
