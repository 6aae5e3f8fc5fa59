/* sandbox.c - see sandbox.h. SPDX-License-Identifier: MIT */
#include "sandbox.h"

#include <string.h>

#include "fuzz.h"
#include "process.h"

#define PREDICTIONS_MAX 6      /* of a run */
#define LAUNCHES_MAX 12        /* of a space that is searched */
#define BUDGET 5000            /* warp instructions of a block */
#define PTX_THREADS_MAX 262144 /* of a launch of PTX */

FILE *sandbox_stdout, *sandbox_stderr;

static const sandbox_file *run_files;
static size_t run_file_count;
static FILE *run_stdin;
static sandbox_result run_result;
static int predictions_left;

void sandbox_start(const sandbox_file *files, size_t count)
{
    run_files = files;
    run_file_count = count;
    run_result = (sandbox_result){0};
    predictions_left = PREDICTIONS_MAX;
    sandbox_stdout = open_memstream(&run_result.out, &run_result.out_size);
    sandbox_stderr = open_memstream(&run_result.err, &run_result.err_size);
    REQUIRE(sandbox_stdout && sandbox_stderr);
}

sandbox_result sandbox_end(void)
{
    if (run_stdin)
        fclose(run_stdin);
    run_stdin = NULL;
    REQUIRE(fclose(sandbox_stdout) == 0 && fclose(sandbox_stderr) == 0);
    return run_result;
}

/* ---- files ---- */

static const sandbox_file *find(const char *path)
{
    for (size_t i = 0; i < run_file_count; i++)
        if (strcmp(run_files[i].name, path) == 0)
            return &run_files[i];
    errno = ENOENT;
    return NULL;
}

static FILE *open_file(const sandbox_file *f)
{
    if (!f || f->size == 0) /* fmemopen takes no empty buffer everywhere */
        return fopen("/dev/null", "rb");
    return fmemopen((void *)(uintptr_t)f->data, f->size, "rb");
}

FILE *sandbox_stdin(void)
{
    if (!run_stdin)
        run_stdin = open_file(find("-"));
    REQUIRE(run_stdin);
    return run_stdin;
}

FILE *sandbox_fopen(const char *path, const char *mode)
{
    if (mode[0] != 'r' && path[0])
        return fopen("/dev/null", mode);
    const sandbox_file *f = find(path);
    return f ? open_file(f) : NULL;
}

/* For files that are mapped: a nameless file with the same bytes. */
int sandbox_open(const char *path)
{
    const sandbox_file *f = find(path);
    FILE *copy = f ? tmpfile() : NULL;
    if (!copy)
        return -1;
    const bool written = fwrite(f->data, 1, f->size, copy) == f->size && fflush(copy) == 0;
    const int file = written ? dup(fileno(copy)) : -1;
    fclose(copy);
    return file;
}

int sandbox_stat(const char *path, struct stat *info)
{
    const sandbox_file *f = find(path);
    if (!f)
        return -1;
    *info = (struct stat){.st_mode = S_IFREG | 0644, .st_size = (off_t)f->size};
    return 0;
}

int sandbox_access(const char *path) { return find(path) ? 0 : -1; }

int sandbox_mkstemp(void) { return open("/dev/null", O_WRONLY); }

/* ---- the machine ---- */

char *sandbox_getenv(const char *name)
{
    (void)name;
    return NULL;
}

int sandbox_nothing(long with)
{
    (void)with;
    return 0;
}

int sandbox_spawn(pid_t *process, const char *program, const void *actions, const void *attributes,
                  char *const arguments[], char *const environment[])
{
    (void)program, (void)actions, (void)attributes, (void)arguments, (void)environment;
    *process = 1;
    return 0;
}

bool process_find(const char *name, char path[PATH_LENGTH])
{
    (void)name, (void)path;
    return false;
}

bool process_find_beside(const char *program, const char *name, char path[PATH_LENGTH])
{
    (void)program, (void)name, (void)path;
    return false;
}

bool process_own_folder(char folder[PATH_LENGTH])
{
    folder[0] = '\0';
    return false;
}

int process_run(const char *const *argv, const char *log)
{
    (void)argv, (void)log;
    errno = ENOENT;
    return -1;
}

int process_pass(const char *const *argv) { return process_run(argv, NULL); }

bool scratch_make(scratch *s)
{
    (void)s;
    errno = EACCES;
    return false;
}

bool scratch_path(const scratch *s, const char *name, char path[PATH_LENGTH])
{
    (void)s, (void)name, (void)path;
    return false;
}

void scratch_remove(scratch *s) { (void)s; }

/* ---- bounded work ---- */

static wl_status too_much(wl_error *err)
{
    *err = (wl_error){.code = WL_E_LIMIT, .message = "too much work for one run of the fuzzer"};
    return WL_E_LIMIT;
}

wl_status sandbox_device_builtin(const char *name, wl_device **out, wl_error *err)
{
    return fuzz_device_copy(name, out, err);
}

wl_status sandbox_predictor_new(const wl_kernel *kernel, const wl_device *device, wl_predictor **out, wl_error *err)
{
    return is_bounded(kernel) ? wl_predictor_new(kernel, device, out, err) : too_much(err);
}

static wl_predict_options bounded_options(const wl_predict_options *options)
{
    wl_predict_options o = options ? *options : (wl_predict_options){0};
    if (o.l1_samples <= 0 || o.l1_samples > SAMPLES_MAX)
        o.l1_samples = SAMPLES_MAX;
    return o;
}

wl_status sandbox_predict(wl_predictor *predictor, const wl_launch *launch, const wl_predict_options *options,
                          wl_prediction *out, wl_error *err)
{
    const wl_predict_options o = bounded_options(options);
    return predictions_left-- > 0 ? wl_predict(predictor, launch, &o, out, err) : too_much(err);
}

wl_status sandbox_ranker_new(const wl_kernel *kernel, const wl_device *device, const wl_space *space,
                             const wl_rank_options *options, wl_ranker **out, wl_error *err)
{
    wl_rank_options o = options ? *options : (wl_rank_options){0};
    o.threads = 1;
    o.predict = bounded_options(&o.predict);
    if (!is_bounded(kernel))
        return too_much(err);
    const wl_status status = wl_ranker_new(kernel, device, space, &o, out, err);
    if (status != WL_OK || wl_ranker_size(*out) <= LAUNCHES_MAX)
        return status;
    wl_ranker_free(*out);
    *out = NULL;
    return too_much(err);
}

/* The search behind a piece of advice cannot be made smaller: blocks of one warp only, of
 * kernels of a few accesses. */
static bool is_small(const wl_kernel *kernel)
{
    return is_bounded(kernel) && kernel->access_count <= 4 && kernel->domain[0] <= 128 && kernel->domain[1] <= 4 &&
           kernel->domain[2] <= 1;
}

wl_status sandbox_advise(const wl_kernel *kernel, const wl_device *device, const wl_launch *launch,
                         const wl_advise_options *options, wl_advised **out, wl_error *err)
{
    const wl_advise_options o = {.predict = bounded_options(&options->predict), .threads = 1};
    return is_small(kernel) ? wl_advise(kernel, device, launch, &o, out, err) : too_much(err);
}

wl_status sandbox_advise_devices(const wl_kernel *kernel, const wl_device *device, const wl_launch *launch,
                                 const wl_advise_options *options, wl_elsewhere *out, size_t capacity, size_t *count,
                                 wl_model_id *model, wl_error *err)
{
    const wl_advise_options o = {.predict = bounded_options(&options->predict), .threads = 1};
    return wl_advise_devices(kernel, device, launch, &o, out, capacity, count, model, err);
}

/* A trace visits every task, and its cache may be as large as it likes. */
static bool is_short(const int64_t extent[3], const wl_trace_options *options)
{
    return extent[0] <= 32 && extent[1] <= 32 && extent[2] <= 4 && options->lines <= 4096;
}

wl_status sandbox_trace_example(const char *example, const int64_t domain[3], const wl_trace_options *options,
                                wl_trace **out, wl_error *err)
{
    const char *colon = strchr(example, ':');
    if (!is_short(domain, options) || (colon && strlen(colon) > 4))
        return too_much(err);
    return wl_trace_example(example, domain, options, out, err);
}

wl_status sandbox_trace_kernel(const wl_kernel *kernel, const wl_device *device, const wl_launch *launch,
                               const wl_trace_options *options, wl_trace **out, wl_error *err)
{
    if (!is_bounded(kernel) || !is_short(kernel->domain, options) || (launch && launch->grid[0] > 0))
        return too_much(err);
    return wl_trace_kernel(kernel, device, launch, options, out, err);
}

wl_status sandbox_kernel_from_ptx(const wl_ptx *ptx, const wl_ptx_options *options, wl_kernel **out, wl_error *err)
{
    wl_ptx_options o = *options;
    double threads = 1;
    for (int d = 0; d < 3; d++)
        threads *= o.launch.grid[0] > 0 ? (double)o.launch.grid[d] * (double)o.launch.block[d] : (double)o.domain[d];
    o.budget = o.budget > 0 && o.budget < BUDGET ? o.budget : BUDGET;
    return threads <= PTX_THREADS_MAX ? wl_kernel_from_ptx(ptx, &o, out, err) : too_much(err);
}
