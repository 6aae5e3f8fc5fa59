/* replay.c - a main for the fuzz targets where there is no fuzzer: every file of the folders named
 * is one input.
 * SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PATH_LENGTH 4096
#define SLOW_S 5.0

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    const long length = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    rewind(f);
    *size = length > 0 ? (size_t)length : 0;
    /* exactly the input: a sanitizer sees a read beyond it */
    uint8_t *data = length < 0 ? NULL : malloc(*size ? *size : 1);
    if (data && fread(data, 1, *size, f) != *size) {
        free(data);
        data = NULL;
    }
    fclose(f);
    return data;
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The number of inputs that ran; -1 when a file cannot be read. */
static int run_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    int count = 0;
    if (!dir)
        return -1;
    for (struct dirent *e; (e = readdir(dir));) {
        char path[PATH_LENGTH];
        size_t size = 0;
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        uint8_t *data = read_file(path, &size);
        if (!data)
            return -1;
        fprintf(stderr, "%s\n", path); /* the last one named is the one that crashed */
        const double start = now_s();
        (void)LLVMFuzzerTestOneInput(data, size);
        if (now_s() - start > SLOW_S)
            fprintf(stderr, "slow: %s took %.1f s\n", path, now_s() - start);
        free(data);
        count++;
    }
    closedir(dir);
    return count;
}

int main(int argc, char **argv)
{
    int total = 0;
    for (int i = 1; i < argc; i++) {
        const int count = run_folder(argv[i]);
        if (count < 0) {
            perror(argv[i]);
            return 1;
        }
        total += count;
    }
    fprintf(stderr, "%d inputs\n", total);
    return total > 0 ? 0 : 1;
}
