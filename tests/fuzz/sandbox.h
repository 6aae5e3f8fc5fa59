/* sandbox.h - the command line's own sources, run inside a fuzz target.
 *
 * They are compiled once more with this header in front and SANDBOXED defined: the files of a
 * run are texts in memory, what is written goes nowhere, no program is started, no signal is
 * caught, and the environment is empty. Work is bounded, so that a run takes milliseconds.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_FUZZ_SANDBOX_H
#define WL_TESTS_FUZZ_SANDBOX_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "warpline/warpline.h"

/* A file of the run; "-" is standard input. */
typedef struct sandbox_file {
    const char *name;
    const uint8_t *data;
    size_t size;
} sandbox_file;

/* What a run printed. */
typedef struct sandbox_result {
    char *out, *err;
    size_t out_size, err_size;
} sandbox_result;

/* Starts a run over these files. */
void sandbox_start(const sandbox_file *files, size_t count);
/* Ends it; the texts are the caller's to free. */
sandbox_result sandbox_end(void);

int warpline_main(int argc, char **argv);

extern FILE *sandbox_stdout, *sandbox_stderr;
FILE *sandbox_stdin(void);
FILE *sandbox_fopen(const char *path, const char *mode);
int sandbox_open(const char *path);
int sandbox_stat(const char *path, struct stat *info);
int sandbox_access(const char *path);
int sandbox_mkstemp(void);
char *sandbox_getenv(const char *name);
/* Does nothing; 0. */
int sandbox_nothing(long with);
/* Starts nothing; it ended well. */
int sandbox_spawn(pid_t *process, const char *program, const void *actions, const void *attributes,
                  char *const arguments[], char *const environment[]);

wl_status sandbox_device_builtin(const char *name, wl_device **out, wl_error *err);
wl_status sandbox_predictor_new(const wl_kernel *kernel, const wl_device *device, wl_predictor **out, wl_error *err);
wl_status sandbox_predict(wl_predictor *predictor, const wl_launch *launch, const wl_predict_options *options,
                          wl_prediction *out, wl_error *err);
wl_status sandbox_ranker_new(const wl_kernel *kernel, const wl_device *device, const wl_space *space,
                             const wl_rank_options *options, wl_ranker **out, wl_error *err);
wl_status sandbox_advise(const wl_kernel *kernel, const wl_device *device, const wl_launch *launch,
                         const wl_advise_options *options, wl_advised **out, wl_error *err);
wl_status sandbox_advise_devices(const wl_kernel *kernel, const wl_device *device, const wl_launch *launch,
                                 const wl_advise_options *options, wl_elsewhere *out, size_t capacity, size_t *count,
                                 wl_model_id *model, wl_error *err);
wl_status sandbox_kernel_from_ptx(const wl_ptx *ptx, const wl_ptx_options *options, wl_kernel **out, wl_error *err);
wl_status sandbox_trace_example(const char *example, const int64_t domain[3], const wl_trace_options *options,
                                wl_trace **out, wl_error *err);
wl_status sandbox_trace_kernel(const wl_kernel *kernel, const wl_device *device, const wl_launch *launch,
                               const wl_trace_options *options, wl_trace **out, wl_error *err);

#ifdef SANDBOXED
#define main warpline_main
#undef stdin
#undef stdout
#undef stderr
#define stdin sandbox_stdin()
#define stdout sandbox_stdout
#define stderr sandbox_stderr
#define printf(...) fprintf(sandbox_stdout, __VA_ARGS__)
#define puts(text) fprintf(sandbox_stdout, "%s\n", text)
#define putchar(c) fputc(c, sandbox_stdout)
#define fopen sandbox_fopen
#define open(path, flags) sandbox_open(path)
#define stat(path, info) sandbox_stat(path, info)
#define lstat(path, info) sandbox_stat(path, info)
#define access(path, mode) sandbox_access(path)
#define mkstemp(name) sandbox_mkstemp()
#define fchmod(file, mode) sandbox_nothing(mode)
#define rename(from, to) sandbox_nothing(!(from) || !(to))
#define unlink(path) sandbox_nothing(!(path))
#define realpath(path, out) ((char *)NULL)
#define getenv sandbox_getenv
#define posix_spawnp sandbox_spawn
#define waitpid(process, state, how) (*(state) = 0, (process))
#define isatty(file) sandbox_nothing(file)
#define sigaction(number, action, old) sandbox_nothing((number) + (action)->sa_flags)
#define wl_recording_is(path) (sandbox_nothing(!(path)) != 0) /* real files: a target of its own */
#define wl_device_builtin sandbox_device_builtin
#define wl_predictor_new sandbox_predictor_new
#define wl_predict sandbox_predict
#define wl_ranker_new sandbox_ranker_new
#define wl_advise sandbox_advise
#define wl_advise_devices sandbox_advise_devices
#define wl_kernel_from_ptx sandbox_kernel_from_ptx
#define wl_trace_example sandbox_trace_example
#define wl_trace_kernel sandbox_trace_kernel
#endif

#endif /* WL_TESTS_FUZZ_SANDBOX_H */
