/* data_files.c - see data_files.h. SPDX-License-Identifier: MIT */
#include "data_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define BYTES_MOST ((int64_t)4 << 30)

struct data_file {
    data_file *next;
    void *bytes; /* NULL: the file is empty */
    size_t length;
    char path[];
};

static wl_status cannot_read(const char *path, const char *why, wl_error *err)
{
    *err = (wl_error){.code = WL_E_IO};
    (void)snprintf(err->input, sizeof err->input, "%s", path);
    (void)snprintf(err->message, sizeof err->message, "%s", why);
    return WL_E_IO;
}

static wl_status map(int file, const char *path, data_file *f, wl_error *err)
{
    struct stat info;
    if (fstat(file, &info) != 0)
        return cannot_read(path, strerror(errno), err);
    if (!S_ISREG(info.st_mode))
        return cannot_read(path, "data must be a plain file", err);
    if (info.st_size > BYTES_MOST)
        return cannot_read(path, "data files may have 4 GiB at most", err);
    f->length = (size_t)info.st_size;
    if (f->length == 0)
        return WL_OK;
    void *bytes = mmap(NULL, f->length, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED)
        return cannot_read(path, strerror(errno), err);
    f->bytes = bytes;
    return WL_OK;
}

static wl_status open_file(const char *path, data_file *f, wl_error *err)
{
    const int file = open(path, O_RDONLY);
    if (file < 0)
        return cannot_read(path, strerror(errno), err);
    const wl_status status = map(file, path, f, err);
    close(file);
    return status;
}

wl_status data_files_load(void *user, const char *path, const uint8_t **bytes, size_t *length, wl_error *err)
{
    static const uint8_t nothing[1];
    data_files *files = user;
    data_file *f = files->first;
    while (f && strcmp(f->path, path) != 0)
        f = f->next;
    if (!f) {
        const size_t name = strlen(path) + 1;
        f = calloc(1, sizeof *f + name);
        if (!f) {
            (void)cannot_read(path, "out of memory", err);
            return err->code = WL_E_NOMEM;
        }
        memcpy(f->path, path, name);
        const wl_status status = open_file(path, f, err);
        if (status != WL_OK) {
            free(f);
            return status;
        }
        f->next = files->first;
        files->first = f;
    }
    *bytes = f->bytes ? f->bytes : nothing;
    *length = f->length;
    return WL_OK;
}

void data_files_close(data_files *files)
{
    while (files->first) {
        data_file *f = files->first;
        files->first = f->next;
        if (f->bytes)
            (void)munmap(f->bytes, f->length);
        free(f);
    }
}
