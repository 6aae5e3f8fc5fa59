/* fuzz_batch.c - any bytes as the lines of predict --batch.
 *
 * The command's own sources are compiled into this target with fopen replaced, so that the input is the only file there
 * is: lines can name built-in kernels and devices, and nothing of the machine is opened. SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "options.h"

#define BATCH_NAME "batch.jsonl"

FILE *fuzz_fopen(const char *path, const char *mode);

static const uint8_t *input;
static size_t input_size;

FILE *fuzz_fopen(const char *path, const char *mode)
{
    (void)mode;
    return strcmp(path, BATCH_NAME) == 0 ? fmemopen((void *)(uintptr_t)input, input_size, "rb") : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool silent;
    if (!silent) {
        REQUIRE(freopen("/dev/null", "w", stdout) && freopen("/dev/null", "r", stdin));
        silent = true;
    }
    if (size == 0)
        return 0; /* fmemopen takes no empty buffer everywhere */
    input = data;
    input_size = size;
    const options o = {.batch = BATCH_NAME, .device = "a100-40gb"};
    REQUIRE(run_batch(&o) == EXIT_OK);
    return 0;
}
