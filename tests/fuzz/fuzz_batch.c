/* fuzz_batch.c - any bytes as the lines of predict --batch.
 *
 * The command's own sources are compiled into this target with fopen replaced, so that the input is the only file there
 * is: lines can name built-in kernels and devices, and nothing of the machine is opened. SPDX-License-Identifier: MIT
 */
#include "fuzz.h"
#include "options.h"
#include "ptx_unit.h"

#define BATCH_NAME "batch.jsonl"

FILE *fuzz_fopen(const char *path, const char *mode);

static const uint8_t *input;
static size_t input_size;

FILE *fuzz_fopen(const char *path, const char *mode)
{
    (void)mode;
    return strcmp(path, BATCH_NAME) == 0 ? fmemopen((void *)(uintptr_t)input, input_size, "rb") : NULL;
}

/* Kernels in PTX and CUDA files are files, too: there are none. */
bool ptx_is_source(const char *kernel)
{
    (void)kernel;
    return false;
}

int ptx_request_read(const options *o, ptx_request *request)
{
    (void)o;
    *request = (ptx_request){0};
    return EXIT_OK;
}

wl_status ptx_unit_open(const options *o, const char *path, const wl_device *device, ptx_unit **out, wl_error *err)
{
    (void)o, (void)path, (void)device, (void)out, (void)err;
    return WL_E_IO;
}

void ptx_unit_free(ptx_unit *unit) { (void)unit; }

wl_status ptx_unit_kernel(ptx_unit *unit, const ptx_request *request, wl_kernel **out, wl_error *err)
{
    (void)unit, (void)request, (void)out, (void)err;
    return WL_E_IO;
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
