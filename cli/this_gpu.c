/* this_gpu.c - see this_gpu.h. nvidia-smi is asked; where it is missing, the driver's files are
 * read. SPDX-License-Identifier: MIT */
#include "this_gpu.h"

#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"
#include "process.h"

#define PRODUCT_LENGTH 96
#define DRIVER_GPUS "/proc/driver/nvidia/gpus"

/* Products under the names that drivers give them; the first that fits counts. */
static const struct {
    const char *pattern, *device;
} products[] = {
    {"*GB200*", "gb200"},
    {"*GH200*", "gh200"},
    {"*B200*", "b200"},
    {"*H200*", "h200"},
    {"*H100 PCIe*", "h100-pcie"},
    {"*H100*", "h100"},
    {"*A100*40GB*", "a100-40gb"},
    {"*A100*80GB*", "a100-80gb"},
    {"*RTX A4000", "a4000"},
    {"*RTX A6000", "a6000"},
    {"* A40", "a40"},
    {"* L40S", "l40s"},
    {"* L40", "l40"},
    {"* T4", "t4"},
    {"*V100-SXM2*", "v100-sxm2"},
    {"*V100*", "v100"},
    {"*RTX 2080 Ti", "rtx2080ti"},
    {"*RTX 2080 SUPER", "rtx2080s"},
    {"*RTX 3090", "rtx3090"},
    {"*RTX 4090", "rtx4090"},
    {"*RTX 5090", "rtx5090"},
    {"*GTX 970", "gtx970"},
};

/* The first line of a text, from `start` on, without blanks at its ends. */
static bool take_line(const char *text, const char *start, char product[PRODUCT_LENGTH])
{
    const char *at = strstr(text, start);
    if (!at)
        return false;
    at += strlen(start);
    at += strspn(at, " \t");
    size_t length = strcspn(at, "\r\n");
    while (length > 0 && at[length - 1] == ' ')
        length--;
    (void)snprintf(product, PRODUCT_LENGTH, "%.*s", (int)length, at);
    return length > 0;
}

static bool ask_driver_tool(char product[PRODUCT_LENGTH])
{
    char program[PATH_LENGTH], log[PATH_LENGTH], *text = NULL;
    size_t length = 0;
    scratch s;
    wl_error ignored = {0};
    if (!process_find("nvidia-smi", program) || !scratch_make(&s))
        return false;
    const char *const words[] = {program, "--query-gpu=name", "--format=csv,noheader", NULL};
    const bool asked = scratch_path(&s, "log", log) && process_run(words, log) == 0 &&
                       load_text(log, &text, &length, &ignored) == WL_OK && take_line(text, "", product);
    free(text);
    scratch_remove(&s);
    return asked;
}

/* "Model:  NVIDIA H200" of the first folder in the order of names. */
static bool ask_driver_files(char product[PRODUCT_LENGTH])
{
    char first[PATH_LENGTH] = "", path[PATH_LENGTH + 16], *text = NULL;
    size_t length = 0;
    wl_error ignored = {0};
    DIR *gpus = opendir(DRIVER_GPUS);
    if (!gpus)
        return false;
    for (const struct dirent *e; (e = readdir(gpus));)
        if (e->d_name[0] != '.' && (!first[0] || strcmp(e->d_name, first) < 0))
            (void)snprintf(first, sizeof first, "%s", e->d_name);
    closedir(gpus);
    const int n = snprintf(path, sizeof path, DRIVER_GPUS "/%.200s/information", first);
    const bool read =
        n > 0 && first[0] && load_text(path, &text, &length, &ignored) == WL_OK && take_line(text, "Model:", product);
    free(text);
    return read;
}

static const char *small_letters(const char *text, char buffer[PRODUCT_LENGTH])
{
    size_t i = 0;
    for (; text[i] && i + 1 < PRODUCT_LENGTH; i++)
        buffer[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] - 'A' + 'a' : text[i]);
    buffer[i] = '\0';
    return buffer;
}

const char *gpu_of_product(const char *product)
{
    char wanted[PRODUCT_LENGTH], pattern[PRODUCT_LENGTH];
    (void)small_letters(product, wanted);
    for (size_t i = 0; i < sizeof products / sizeof products[0]; i++)
        if (fnmatch(small_letters(products[i].pattern, pattern), wanted, 0) == 0)
            return products[i].device;
    return NULL;
}

wl_status this_gpu(const char **device, wl_error *err)
{
    char product[PRODUCT_LENGTH];
    *err = (wl_error){.code = WL_E_INPUT, .input = "--device"};
    if (!ask_driver_tool(product) && !ask_driver_files(product)) {
        (void)snprintf(err->message, sizeof err->message,
                       "auto: this machine has no NVIDIA GPU, or no driver for it; name one, as in --device h200 "
                       "('warpline devices' lists them)");
        return WL_E_INPUT;
    }
    *device = gpu_of_product(product);
    if (*device) {
        *err = (wl_error){0};
        return WL_OK;
    }
    (void)snprintf(err->message, sizeof err->message,
                   "auto: no built-in device is an '%s' ('warpline devices' lists them; 'make calibrate' makes its "
                   "file)",
                   product);
    return WL_E_INPUT;
}
