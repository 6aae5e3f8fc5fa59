/* execute.c - see execute.h.
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#include "ptx/kernel/execute.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/buffer.h"
#include "base/ckd.h"
#include "base/embedded.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/thread_number.h"
#include "ptx/emulate/emulate.h"
#include "ptx/kernel/ptx_file.h"
#include "ptx/module/def_use.h"
#include "ptx/module/source_place.h"

#define THREADS_MAX 16
#define SHARED_WARPS 64 /* a launch of fewer warps is not worth a second thread */
#define TURNS 16        /* that each thread takes blocks in, about: blocks may be unequal */

struct wl_ptx_runner {
    const wl_ptx_module *module;
    const wl_ptx_function *entry;
    bool ordered;   /* some instruction may tell blocks of each other */
    wl_arena arena; /* of the arguments of a launch */
    wl_ptx_arguments arguments;
    /* what emulators were decoded for */
    int64_t block[3], dynamic_shared;
    uint64_t symbols;
    wl_ptx_emulator *emulators[THREADS_MAX];
    wl_native_run *code; /* by function; NULL: none */
    /* of the last launch */
    int threads;
    const wl_ptx_memory *pieces;
};

/* ---- what tells blocks of each other ---- */

static bool is_global(const wl_ptx_instruction *in)
{
    return in->space != WL_PTX_SHARED && in->space != WL_PTX_LOCAL && in->space != WL_PTX_PARAM;
}

/* Counts of instructions that read a register of the function. */
typedef struct readers {
    int32_t reg, count;
} readers;

static void count_reader(void *user, int32_t reg, bool written)
{
    readers *r = user;
    r->count += reg == r->reg && !written;
}

/* Does any instruction read what the atomic returns? Compilers write `atom` where `red` would
 * do. */
static bool is_read(const wl_ptx_function *f, const wl_ptx_instruction *atomic)
{
    const wl_ptx_operand *to = &atomic->operands[0];
    readers r = {to->reg, 0};
    if (to->kind != WL_PTX_OPERAND_REG)
        return to->kind == WL_PTX_OPERAND_VECTOR;
    for (int32_t i = 0; i < f->instruction_count && r.count == 0; i++)
        wl_ptx_registers_of(f, &f->instructions[i], count_reader, &r);
    return r.count > 0;
}

/* Sums of whole numbers, and the like, are the same in any order. */
static bool commutes(const wl_ptx_instruction *in)
{
    switch (in->variant) {
    case WL_PTX_ADD:
    case WL_PTX_MIN:
    case WL_PTX_MAX:
    case WL_PTX_AND:
    case WL_PTX_OR:
    case WL_PTX_XOR: return !wl_ptx_type_is_float(in->type);
    default: return false;
    }
}

static bool tells_blocks(const wl_ptx_function *f, const wl_ptx_instruction *in)
{
    switch (in->op) {
    case WL_PTX_OP_atom: return is_global(in) && (!commutes(in) || is_read(f, in));
    case WL_PTX_OP_red: return is_global(in) && !commutes(in);
    case WL_PTX_OP_membar: return true;
    default: return false;
    }
}

static bool is_ordered(const wl_ptx_module *module, const wl_ptx_function *entry)
{
    for (int32_t k = 0; k < module->function_count; k++) {
        const wl_ptx_function *f = &module->functions[k];
        for (int32_t i = 0; i < f->instruction_count && (!f->is_entry || f == entry); i++)
            if (tells_blocks(f, &f->instructions[i]))
                return true;
    }
    return false;
}

/* ---- creation ---- */

wl_status wl_ptx_runner_new(const wl_ptx *ptx, const char *symbol, wl_ptx_runner **out, wl_error *err)
{
    const wl_ptx_module *module = ptx->module;
    const wl_ptx_function *entry = NULL;
    for (int32_t f = 0; f < module->function_count && !entry; f++)
        if (module->functions[f].is_entry && strcmp(module->functions[f].name, symbol) == 0)
            entry = &module->functions[f];
    if (!entry)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "the module has no kernel '%.100s'", symbol);
    wl_ptx_runner *r = calloc(1, sizeof *r);
    if (!r)
        return wl_fail_memory(err);
    *r = (wl_ptx_runner){.module = module, .entry = entry, .ordered = is_ordered(module, entry)};
    *out = r;
    return WL_OK;
}

static void drop_emulators(wl_ptx_runner *r)
{
    for (int t = 0; t < THREADS_MAX; t++) {
        wl_ptx_emulator_free(r->emulators[t]);
        r->emulators[t] = NULL;
    }
}

void wl_ptx_runner_free(wl_ptx_runner *r)
{
    if (!r)
        return;
    drop_emulators(r);
    free(r->code);
    wl_arena_free(&r->arena);
    free(r);
}

int64_t wl_ptx_runner_params(const wl_ptx_runner *r, wl_ptx_take_param take, void *user)
{
    int64_t bytes = 0;
    for (int k = 0; k < r->entry->param_count; k++) {
        const wl_ptx_variable *p = &r->module->variables[r->entry->params[k]];
        bytes = wl_round_up(bytes, wl_max(1, p->align));
        if (take)
            take(user, k, bytes, p->bytes);
        bytes += p->bytes;
    }
    return bytes;
}

/* ---- a launch ---- */

static uint64_t symbols_hash(const wl_ptx_image *image)
{
    uint64_t hash = image->symbol_count;
    for (size_t i = 0; i < image->symbol_count; i++)
        hash = wl_hash_add(wl_hash_add(hash, wl_hash_text(image->symbols[i].name, strlen(image->symbols[i].name))),
                           image->symbols[i].address);
    return wl_hash_end(hash);
}

/* Prepares an emulator per thread: that of the launch before, if it fits. */
static wl_status prepare(wl_ptx_runner *r, const wl_ptx_work *work, int threads, wl_error *err)
{
    wl_ptx_launch launch = {.module = r->module,
                            .entry = r->entry,
                            .arguments = &r->arguments,
                            .dynamic_shared = work->dynamic_shared,
                            .budget = INT64_MAX,
                            .in_place = true,
                            .one_thread = threads == 1};
    for (int d = 0; d < 3; d++) {
        launch.block[d] = work->block[d];
        launch.grid[d] = work->grid[d];
        launch.cluster[d] = work->cluster[d];
    }
    const uint64_t symbols = symbols_hash(&work->image);
    if (r->dynamic_shared != work->dynamic_shared || r->symbols != symbols) { /* addresses in it */
        free(r->code);
        r->code = NULL;
    }
    launch.native = r->code;
    if (memcmp(r->block, work->block, sizeof r->block) != 0 || r->dynamic_shared != work->dynamic_shared ||
        r->symbols != symbols)
        drop_emulators(r);
    memcpy(r->block, work->block, sizeof r->block);
    r->dynamic_shared = work->dynamic_shared;
    r->symbols = symbols;
    for (int t = 0; t < threads; t++)
        WL_TRY(r->emulators[t] ? wl_ptx_emulator_renew(r->emulators[t], &launch, err)
                               : wl_ptx_emulator_new(&launch, &r->emulators[t], err));
    return WL_OK;
}

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- machine code ---- */

#define TEXT_LARGE 20000 /* bytes of functions that take a compiler seconds */

char *wl_ptx_runner_text(const wl_ptx_runner *r)
{
    wl_buffer text = {0}, functions = {0};
    char *out = NULL;
    static const char *const parts[] = {"native_types", "native_lanes"};
    if (!r->emulators[0] || !wl_ptx_emulator_text(r->emulators[0], &functions)) {
        wl_buffer_drop(&functions);
        return NULL;
    }
    if (functions.length > TEXT_LARGE)
        wl_buffer_text(&text, "#define COMPACT\n");
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        size_t length = 0;
        const char *part = wl_embedded_text(wl_embedded_templates, wl_embedded_template_count, parts[k], &length);
        wl_buffer_put(&text, part, part ? length : 0);
    }
    wl_buffer_put(&text, wl_buffer_string(&functions), functions.length);
    wl_buffer_drop(&functions);
    return wl_buffer_take(&text, &out, NULL) == WL_OK ? out : NULL;
}

bool wl_ptx_runner_take_code(wl_ptx_runner *r, wl_ptx_find_code find, void *user)
{
    wl_native_run *code = calloc((size_t)r->module->function_count + 1, sizeof *code);
    const int32_t entry = (int32_t)(r->entry - r->module->functions);
    for (int32_t f = 0; code && f < r->module->function_count; f++) {
        char name[32];
        (void)snprintf(name, sizeof name, "wl_native_%d", f);
        void *found = find(user, name);
        memcpy(&code[f], &found, sizeof found); /* a function */
    }
    if (!code || !code[entry]) {
        free(code);
        return false;
    }
#ifdef _OPENMP
#pragma omp atomic write
#endif
    r->code = code; /* there was none: threads that look now may take it */
    return true;
}

bool wl_ptx_runner_has_code(const wl_ptx_runner *r) { return r->code != NULL; }

/* Blocks first .. last - 1 in launch order. */
typedef struct turn {
    int64_t first, last;
    double until;
} turn;
#define LOOKS_EACH 0.01 /* seconds between calls of `idle` */

static wl_status run_blocks(wl_ptx_runner *r, const wl_ptx_work *work, const turn *t, int64_t *instructions,
                            bool *whole, wl_error *err)
{
    const int64_t *g = work->grid;
    const int thread = wl_thread_number();
    const bool looks = work->idle && thread == 0;
    double looked = looks ? now() : 0;
    for (int64_t k = t->first; k < t->last; k++) {
        const double time = looks || t->until > 0 ? now() : 0;
        const wl_native_run *code;
        if (t->until > 0 && time > t->until) {
            *whole = false;
            break;
        }
        if (looks && time - looked > LOOKS_EACH) {
            work->idle(work->user);
            looked = time;
        }
#ifdef _OPENMP
#pragma omp atomic read
#endif
        code = r->code;
        wl_ptx_emulator *emulator = r->emulators[thread];
        wl_ptx_emulator_take_code(emulator, code);
        const int64_t block[3] = {k % g[0], k / g[0] % g[1], k / g[0] / g[1]};
        WL_TRY(wl_ptx_emulate_block(emulator, block, -1, NULL, NULL, NULL, err));
        *instructions += wl_ptx_steps_done(emulator);
    }
    return WL_OK;
}

/* The first result that was not computed. */
static void name_unknown(const wl_ptx_runner *r, const wl_ptx_emulator *emulator, char *text, size_t size)
{
    for (size_t i = 0; i < wl_ptx_assumption_count(emulator) && !text[0]; i++) {
        const wl_ptx_assumption a = wl_ptx_assumption_at(emulator, i);
        if (a.what != WL_PTX_ASSUMED_RESULT && a.what != WL_PTX_ASSUMED_CALL && a.what != WL_PTX_ASSUMED_TEXTURE &&
            a.what != WL_PTX_ASSUMED_WAIT)
            continue;
        const wl_ptx_instruction *in = &r->module->functions[a.function].instructions[a.instruction];
        char place[64] = "";
        wl_ptx_place_text(r->module, in, place, sizeof place);
        int length = 0; /* of the operation: up to the first blank */
        while (length < in->text_length && length < 40 && in->text[length] != ' ' && in->text[length] != '\t')
            length++;
        (void)snprintf(text, size, "%.*s at %s", length, in->text, place);
    }
}

static int thread_count(const wl_ptx_runner *r, const wl_ptx_work *work)
{
#ifdef _OPENMP
    const int64_t blocks = work->grid[0] * work->grid[1] * work->grid[2];
    const int64_t warps = blocks * wl_ceil_div(work->block[0] * work->block[1] * work->block[2], WL_PTX_LANES);
    if (!r->ordered && blocks > 1 && warps >= SHARED_WARPS)
        return (int)wl_min(wl_min(THREADS_MAX, omp_get_max_threads()), blocks);
#else
    (void)r;
    (void)work;
#endif
    return 1;
}

/* Pieces without bytes are no buffers. */
void wl_ptx_runner_uses(const wl_ptx_runner *r, size_t count, uint8_t *uses)
{
    int buffer = 0;
    memset(uses, 0, count);
    for (size_t i = 0; i < count && buffer < r->arguments.buffer_count; i++) {
        if (r->pieces[i].bytes == 0)
            continue;
        for (int t = 0; t < r->threads; t++)
            uses[i] |= (uint8_t)wl_ptx_buffer_use(r->emulators[t], buffer);
        buffer++;
    }
}

wl_status wl_ptx_runner_run(wl_ptx_runner *r, const wl_ptx_work *work, wl_ptx_worked *out, wl_error *err)
{
    const wl_ptx_given given = {.image = &work->image, .dynamic_shared = work->dynamic_shared};
    const int64_t blocks = work->grid[0] * work->grid[1] * work->grid[2];
    const int threads = thread_count(r, work);
    const double until = work->seconds > 0 ? now() + work->seconds : 0;
    *out = (wl_ptx_worked){.whole = true};
    r->threads = threads;
    r->pieces = work->image.memory;
    wl_arena_free(&r->arena);
    WL_TRY(wl_ptx_arguments_make(r->module, r->entry, &given, &r->arena, &r->arguments, err));
    WL_TRY(prepare(r, work, threads, err));
    wl_status status = WL_OK;
    int64_t instructions = 0;
    bool whole = true;
    int64_t failed = INT64_MAX; /* the first turn that did */
    const int64_t each = threads > 1 ? wl_max(1, blocks / (threads * TURNS)) : wl_max(1, blocks);
    const int64_t turns = wl_ceil_div(blocks, each);
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1) reduction(+ : instructions) reduction(&& : whole)
#endif
    for (int64_t number = 0; number < turns; number++) {
        wl_error of_turn = {0};
        bool mine = true;
        int64_t before;
#ifdef _OPENMP
#pragma omp atomic read
#endif
        before = failed;
        if (before < number)
            continue;
        const turn blocks_of = {number * each, wl_min(blocks, (number + 1) * each), until};
        const wl_status done = run_blocks(r, work, &blocks_of, &instructions, &mine, &of_turn);
        whole = whole && mine;
        if (done == WL_OK)
            continue;
#ifdef _OPENMP
#pragma omp critical(executed)
#endif
        if (number < failed) { /* the message does not depend on which thread is faster */
#ifdef _OPENMP
#pragma omp atomic write
#endif
            failed = number;
            status = done;
            if (err)
                *err = of_turn;
        }
    }
    out->instructions = instructions;
    out->whole = whole;
    for (int t = 0; t < threads; t++)
        name_unknown(r, r->emulators[t], out->unknown, sizeof out->unknown);
    return status;
}
