/* cmd_run.c - warpline run, warpline record: a program with our runtime in place of CUDA's, or with
 * CUDA's own and a recorder; then the profile of what it did.
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diag.h"
#include "load.h"
#include "options.h"
#include "process.h"

#ifndef WARPLINE_PRELOAD_DIR
#define WARPLINE_PRELOAD_DIR "../lib/warpline" /* from the folder of the tool */
#endif

#define RUNTIME "libwarpline_gpu.so"
#define RECORDER "libwarpline_record.so"

/* ---- our libraries ---- */

/* Beside the tool where it was built, or where it was installed. */
static bool find_library(const char *name, char folder[PATH_LENGTH], char path[PATH_LENGTH])
{
    static const char *const places[] = {"preload", WARPLINE_PRELOAD_DIR};
    char self[PATH_LENGTH];
    const char *given = getenv("WARPLINE_PRELOAD");
    if (!process_own_folder(self))
        return false;
    for (int i = given ? -1 : 0; i < 2; i++) {
        const int n = i < 0 ? snprintf(folder, PATH_LENGTH, "%s", given)
                            : snprintf(folder, PATH_LENGTH, "%s/%s", self, places[i]);
        if (n > 0 && n < PATH_LENGTH && snprintf(path, PATH_LENGTH, "%s/%s", folder, name) < PATH_LENGTH &&
            access(path, R_OK) == 0)
            return true;
    }
    return false;
}

/* Puts `value` in front of what the variable has. */
static bool prepend(const char *name, const char *value)
{
    const char *old = getenv(name);
    char text[2 * PATH_LENGTH];
    const int n = snprintf(text, sizeof text, "%s%s%s", value, old && *old ? ":" : "", old ? old : "");
    return n > 0 && (size_t)n < sizeof text && setenv(name, text, 1) == 0;
}

/* ---- the program ---- */

/* Does the file contain the text? */
static bool contains(const char *path, const char *text)
{
    FILE *file = fopen(path, "rb");
    const size_t wanted = strlen(text);
    size_t met = 0;
    for (int c; file && met < wanted && (c = getc(file)) != EOF;)
        met = c == (unsigned char)text[met] ? met + 1 : c == (unsigned char)text[0];
    if (file)
        (void)fclose(file);
    return met == wanted;
}

/* nvcc links the runtime into the program unless it is told otherwise: then ours cannot take its
 * place. */
static bool has_own_runtime(const char *path)
{
    return contains(path, ".nv_fatbin") && !contains(path, "libcudart.so.");
}

/* The words of the program: behind --, or all that are no options. */
static const char *const *words_of(const options *o, size_t *count)
{
    *count = o->program ? o->program_count : o->argument_count;
    return o->program ? o->program : o->arguments;
}

static int check_program(const options *o, bool runs, char program[PATH_LENGTH])
{
    size_t count;
    const char *const *words = words_of(o, &count);
    if (count == 0) {
        usage_error("which program? Give it behind --, as in warpline %s --device h200 -- ./app 100",
                    runs ? "run" : "record");
        return EXIT_USAGE;
    }
    if (o->device_count == 0 && (runs || !o->output)) {
        usage_error(runs ? "which device is the program to see? Give --device NAME ('warpline devices' lists them)"
                         : "which device is the profile for? Give --device NAME, or keep the recording alone: -o FILE");
        return EXIT_USAGE;
    }
    if (o->program && o->argument_count > 0) {
        usage_error("what is '%s'? The program and its arguments are behind --", o->arguments[0]);
        return EXIT_USAGE;
    }
    if (!process_find(words[0], program)) {
        usage_error("'%s' is no program that can be run", words[0]);
        return EXIT_INPUT;
    }
    if (runs && has_own_runtime(program)) {
        usage_error(
            "'%s' has the CUDA runtime inside: link it with 'nvcc -cudart shared ..', so that ours can take its "
            "place; on a machine with a GPU, 'warpline record' takes it as it is",
            words[0]);
        return EXIT_UNSUPPORTED;
    }
    return EXIT_OK;
}

static bool set_number(const char *name, const char *value) { return !value || setenv(name, value, 1) == 0; }

/* As a number without a unit, as the library reads it. */
static bool set_bytes(const char *name, const char *value)
{
    char number[32];
    int64_t bytes = 0;
    if (!value)
        return true;
    if (!option_bytes("--bytes", value, 0, INT64_MAX / 2, &bytes))
        return false;
    (void)snprintf(number, sizeof number, "%lld", (long long)bytes);
    return setenv(name, number, 1) == 0;
}

/* `folder`: where our runtime is to be found, under its own name and that of CUDA's; there the
 * loader chooses what suits the processor. NULL: nowhere. */
static bool set_environment(const options *o, const char *recording, const char *folder, const char *library)
{
    return setenv("WARPLINE_RECORDING", recording, 1) == 0 &&
           set_number("WARPLINE_DEVICE", o->device_count > 0 ? o->devices[0] : NULL) &&
           set_number("WARPLINE_LAUNCHES", o->launches) && set_bytes("WARPLINE_BYTES", o->most_bytes) &&
           set_number("WARPLINE_SECONDS", o->seconds) && set_number("WARPLINE_EXECUTE", o->no_execute ? "0" : NULL) &&
           set_number("WARPLINE_COMPILE", o->no_compile ? "0" : NULL) &&
           set_number("WARPLINE_VERBOSE", o->verbose ? "1" : NULL) &&
           set_number("WARPLINE_TIMES", o->times ? "1" : NULL) && (!folder || prepend("LD_LIBRARY_PATH", folder)) &&
           /* threads that carry out blocks leave the processor to the program in between */
           (!folder || setenv("OMP_WAIT_POLICY", "passive", 0) == 0) && prepend("LD_PRELOAD", library);
}

static int check_numbers(const options *o)
{
    const struct {
        const char *name, *text;
    } numbers[] = {{"--launches", o->launches}, {"--seconds", o->seconds}};
    int64_t bytes;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char *end = NULL;
        if (numbers[i].text && (strtod(numbers[i].text, &end) < 0 || *end || end == numbers[i].text)) {
            usage_error("%s: '%s' is not a number", numbers[i].name, numbers[i].text);
            return EXIT_USAGE;
        }
    }
    if (o->most_bytes && !option_bytes("--bytes", o->most_bytes, 0, INT64_MAX / 2, &bytes))
        return EXIT_USAGE;
    return EXIT_OK;
}

/* How many launches the file has, and how many of them in full. */
static int count_launches(const char *path, size_t *launches, size_t *kept)
{
    wl_recording *recording = NULL;
    wl_error err = {0};
    if (wl_recording_open(path, &recording, &err) != WL_OK)
        return diag_report(&err);
    *launches = *kept = 0;
    for (const wl_recorded_launch *l; (l = wl_recording_launch(recording, *launches)); ++*launches)
        *kept += !l->like;
    wl_recording_free(recording);
    return EXIT_OK;
}

/* What the file has, where no device was named. */
static int print_summary(const char *path, size_t launches, size_t kept)
{
    printf("%s: %zu launches, %zu of them with arguments and memory; next: warpline predict %s --device NAME\n", path,
           launches, kept, path);
    return EXIT_OK;
}

/* The profile of the recording, as `predict` prints it. */
static int print_profile(const options *o, const char *recording)
{
    struct stat info;
    if (stat(recording, &info) != 0 || info.st_size == 0) {
        usage_error("the program made no call of the CUDA runtime: there is nothing to profile");
        return EXIT_OK;
    }
    size_t launches = 0, kept = 0;
    const int code = count_launches(recording, &launches, &kept);
    if (code != EXIT_OK)
        return code;
    if (launches == 0) {
        usage_error("the program launched no kernel: there is nothing to predict");
        return EXIT_OK;
    }
    if (o->device_count == 0)
        return print_summary(recording, launches, kept);
    options profile = *o;
    profile.arguments[0] = recording;
    profile.argument_count = 1;
    profile.output = NULL;
    return cmd_predict(&profile);
}

/* One of a former run; a folder keeps its files. */
static void forget_recording(const char *path)
{
    struct stat info;
    if (stat(path, &info) == 0 && S_ISREG(info.st_mode))
        (void)unlink(path);
}

/* Runs it with our library; the exit code of the program in *ended. */
static int pass(const options *o, const char *program, int *ended)
{
    size_t count;
    const char *const *words = words_of(o, &count);
    const char **all = calloc(count + 1, sizeof *all);
    if (!all) {
        usage_error("no memory for the arguments of the program");
        return EXIT_INTERNAL;
    }
    memcpy(all, words, count * sizeof *all);
    all[0] = program;
    *ended = process_pass(all);
    free(all);
    return EXIT_OK;
}

static int run_program(const options *o, bool runs)
{
    char program[PATH_LENGTH], folder[PATH_LENGTH], library[PATH_LENGTH], recording[PATH_LENGTH];
    scratch s;
    int code = check_numbers(o);
    if (code == EXIT_OK)
        code = check_program(o, runs, program);
    if (code != EXIT_OK)
        return code;
    if (!find_library(runs ? RUNTIME : RECORDER, folder, library)) {
        usage_error("%s is not installed beside this tool; WARPLINE_PRELOAD names its folder",
                    runs ? RUNTIME : RECORDER);
        return EXIT_UNSUPPORTED;
    }
    if (!scratch_make(&s)) {
        usage_error("no folder for the recording: %s", strerror(errno));
        return EXIT_INTERNAL;
    }
    (void)snprintf(recording, sizeof recording, "%s", o->output ? o->output : "");
    if (!o->output && !scratch_path(&s, "program.wlrec", recording))
        code = EXIT_INTERNAL;
    int ended = 0;
    if (code == EXIT_OK && !set_environment(o, recording, runs ? folder : NULL, runs ? RUNTIME : library))
        code = EXIT_INTERNAL;
    if (code == EXIT_OK) {
        forget_recording(recording);
        code = pass(o, program, &ended);
    }
    if (code == EXIT_OK) {
        (void)unsetenv("LD_PRELOAD");
        if (ended != 0)
            usage_error("note: the program ended with exit code %d%s", ended,
                        ended < 0 ? ": it cannot be started" : "");
        (void)fflush(stdout);
        code = print_profile(o, recording);
        if (code == EXIT_OK && ended != 0)
            code = ended > 0 && ended < 256 ? ended : EXIT_INPUT;
    }
    scratch_remove(&s);
    return code;
}

int cmd_run(const options *o) { return run_program(o, true); }
int cmd_record(const options *o) { return run_program(o, false); }
