/* emulated_counts.c - what the emulator counts for launches, to be compared with measured tables.
 *
 *   commands.py TABLE .. | counts [--blocks N]
 *
 * Reads commands of commands.py and prints a line of numbers for each: see `columns`. Where a grid has more than N
 * blocks (default 2048), N of them are emulated, evenly spread, and counts are scaled. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count/warp_law.h"
#include "ptx/cost/cost.h"
#include "ptx/emulate/emulate.h"
#include "warpline/warpline.h"

#define WORDS_MAX 64
#define ARGS_MAX 16

enum { LD, ST, RED, KINDS }; /* RED: atomics with and without a result */
static const char columns[] =
    "entry\tinst\tthread_inst\tthread_on\tptx_inst\tglobal_ld\tglobal_st\tglobal_red\tsectors_ld\t"
    "sectors_st\tsectors_red\tshared_ld\tshared_st\tshared_red\twavefronts_ld\twavefronts_st\t"
    "wavefronts_red\tlocal_ld\tlocal_st\tbranches\tparted\tassumed\tblocks\temulated";

typedef struct tally {
    wl_l1_rules rules;
    double global[KINDS], sectors[KINDS], shared[KINDS], wavefronts[KINDS], local[KINDS];
} tally;

static void die(const wl_error *err)
{
    fprintf(stderr, "counts: %s\n", err->message);
    exit(1);
}

static wl_status visit(void *user, const wl_ptx_touch *touch, wl_error *err)
{
    (void)err;
    tally *t = user;
    const int kind = touch->atomic ? RED : touch->store ? ST : LD;
    wl_warp_access a = {.width = touch->bytes};
    for (int lane = 0; lane < WL_PTX_LANES; lane++)
        if (touch->lanes >> lane & 1) {
            a.lane[a.count] = (uint8_t)lane;
            a.address[a.count++] = (int64_t)touch->address[lane];
        }
    if (a.count == 0)
        return WL_OK;
    if (touch->space == WL_PTX_SHARED) {
        t->shared[kind]++;
        t->wavefronts[kind] += wl_warp_hit_wavefronts(&t->rules, &a);
    } else if (touch->space == WL_PTX_LOCAL) {
        t->local[kind]++;
    } else {
        t->global[kind]++;
        t->sectors[kind] += wl_warp_sectors(&t->rules, &a);
    }
    return WL_OK;
}

static uint8_t *read_file(const char *path, size_t *length)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0) {
        fprintf(stderr, "counts: cannot read %s\n", path);
        exit(1);
    }
    *length = (size_t)ftell(f);
    rewind(f);
    uint8_t *bytes = malloc(*length + 1);
    if (fread(bytes, 1, *length, f) != *length)
        exit(1);
    bytes[*length] = 0;
    fclose(f);
    return bytes;
}

typedef struct file {
    char *path;
    uint8_t *bytes;
    size_t length;
    struct file *next;
} file;

static wl_status load(void *user, const char *path, const uint8_t **bytes, size_t *length, wl_error *err)
{
    (void)err;
    file **files = user, *f = *files;
    while (f && strcmp(f->path, path) != 0)
        f = f->next;
    if (!f) {
        f = calloc(1, sizeof *f);
        f->path = strdup(path);
        f->bytes = read_file(path, &f->length);
        f->next = *files;
        *files = f;
    }
    *bytes = f->bytes;
    *length = f->length;
    return WL_OK;
}

static void shape(const char *text, int64_t out[3])
{
    long long x = 1, y = 1, z = 1;
    sscanf(text, "%lldx%lldx%lld", &x, &y, &z);
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

typedef struct job {
    const char *path, *entry;
    const char *args[ARGS_MAX];
    size_t arg_count;
    int64_t block[3], grid[3], dynamic;
} job;

static job parse(char *line)
{
    job j = {0};
    char *words[WORDS_MAX] = {0};
    int n = 0;
    for (char *w = strtok(line, " '\n"); w && n < WORDS_MAX; w = strtok(NULL, " '\n"))
        words[n++] = w;
    j.path = words[2];
    for (int i = 3; i + 1 < n; i += 2) {
        if (strcmp(words[i], "--kernel") == 0)
            j.entry = words[i + 1];
        else if (strcmp(words[i], "--grid") == 0)
            shape(words[i + 1], j.grid);
        else if (strcmp(words[i], "--block") == 0)
            shape(words[i + 1], j.block);
        else if (strcmp(words[i], "--dynamic-shared") == 0)
            j.dynamic = atoll(words[i + 1]);
        else if (strcmp(words[i], "--arg") == 0)
            j.args[j.arg_count++] = words[i + 1];
    }
    return j;
}

static void print_counts(const job *j, const wl_ptx_module *module, const wl_ptx_profile *p, const tally *t,
                         double scale)
{
    double inst = 0, thread = 0, on = 0, raw = 0, branches = 0, parted = 0;
    wl_arena arena = {0};
    wl_error err = {0};
    for (int32_t f = 0; f < module->function_count; f++) {
        const wl_ptx_function *function = &module->functions[f];
        const double *weight = NULL;
        const int32_t *as = NULL;
        if (wl_ptx_weigh(module, function, &arena, &weight, &as, &err) != WL_OK)
            die(&err);
        for (int32_t i = 0; i < function->instruction_count; i++) {
            const int32_t at = p->first[f] + i;
            inst += weight[i] * p->warps[p->first[f] + as[i]];
            thread += weight[i] * p->threads[p->first[f] + as[i]];
            on += weight[i] * p->threads_on[at];
            raw += p->warps[at];
            branches += function->instructions[i].op == WL_PTX_OP_bra && function->instructions[i].guard >= 0
                            ? p->warps[at]
                            : 0;
            parted += p->diverged[at];
        }
    }
    wl_arena_free(&arena);
    printf("%s\t%.0f\t%.0f\t%.0f\t%.0f", j->entry, inst * scale, thread * scale, on * scale, raw * scale);
    const double *groups[] = {t->global, t->sectors, t->shared, t->wavefronts};
    for (int g = 0; g < 4; g++)
        for (int k = 0; k < KINDS; k++)
            printf("\t%.0f", groups[g][k] * scale);
    printf("\t%.0f\t%.0f\t%.0f\t%.0f", t->local[LD] * scale, t->local[ST] * scale, branches * scale, parted * scale);
}

static void run(const job *j, const wl_ptx_module *module, const wl_l1_rules *rules, int64_t limit, file **files)
{
    wl_error err = {0};
    wl_arena arena = {0};
    wl_ptx_options options = {.entry = j->entry,
                              .args = j->args,
                              .arg_count = j->arg_count,
                              .load = load,
                              .user = files,
                              .dynamic_shared = j->dynamic};
    wl_ptx_launch launch = {.module = module, .dynamic_shared = j->dynamic, .budget = (int64_t)1 << 32};
    wl_ptx_arguments arguments;
    wl_ptx_emulator *emulator = NULL;
    wl_ptx_profile profile;
    tally t = {.rules = *rules};
    memcpy(launch.block, j->block, sizeof launch.block);
    memcpy(launch.grid, j->grid, sizeof launch.grid);
    if (wl_ptx_find_entry(module, j->entry, &launch.entry, &err) != WL_OK ||
        wl_ptx_arguments_make(module, launch.entry, &options, &arena, &arguments, &err) != WL_OK)
        die(&err);
    launch.arguments = &arguments;
    if (wl_ptx_emulator_new(&launch, &emulator, &err) != WL_OK ||
        wl_ptx_profile_make(module, &arena, &profile, &err) != WL_OK)
        die(&err);
    const int64_t blocks = j->grid[0] * j->grid[1] * j->grid[2], n = blocks < limit ? blocks : limit;
    for (int64_t k = 0; k < n; k++) {
        const double part = 0.5 + (double)k * 0.6180339887498949; /* golden section: in step with no extent of a grid */
        const int64_t b = n == blocks ? k : (int64_t)((double)blocks * (part - floor(part)));
        const int64_t block[3] = {b % j->grid[0], b / j->grid[0] % j->grid[1], b / j->grid[0] / j->grid[1]};
        if (wl_ptx_emulate_block(emulator, block, -1, &profile, visit, &t, &err) != WL_OK)
            die(&err);
    }
    print_counts(j, module, &profile, &t, (double)blocks / (double)n);
    printf("\t%zu\t%lld\t%lld\n", wl_ptx_assumption_count(emulator), (long long)blocks, (long long)n);
    fflush(stdout);
    wl_ptx_emulator_free(emulator);
    wl_arena_free(&arena);
}

int main(int argc, char **argv)
{
    const int64_t limit = argc > 2 && strcmp(argv[1], "--blocks") == 0 ? atoll(argv[2]) : 2048;
    wl_error err = {0};
    wl_device *device = NULL;
    wl_l1_rules rules;
    wl_ptx_module *module = NULL;
    file *files = NULL;
    char line[16384], loaded[4096] = "";
    if (wl_device_builtin("h200", &device, &err) != WL_OK)
        die(&err);
    wl_l1_rules_make(device, &rules);
    puts(columns);
    while (fgets(line, sizeof line, stdin)) {
        const job j = parse(line);
        if (strcmp(loaded, j.path) != 0) {
            size_t length;
            const char *text = (const char *)read_file(j.path, &length);
            wl_ptx_module_free(module);
            module = NULL;
            if (wl_ptx_module_parse(j.path, text, length, &module, &err) != WL_OK)
                die(&err);
            snprintf(loaded, sizeof loaded, "%s", j.path);
        }
        run(&j, module, &rules, limit, &files);
    }
    return 0;
}
