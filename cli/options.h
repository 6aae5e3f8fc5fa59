/* options.h - the command line: one table of options, read the same way by every command.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_OPTIONS_H
#define WL_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "option_values.h"
#include "warpline/warpline.h"

/* Exit codes, as listed in docs/manual.md. */
enum {
    EXIT_OK = 0,
    EXIT_CHECK_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_INPUT = 3,
    EXIT_UNSUPPORTED = 4,
    EXIT_INTERNAL = 5,
    EXIT_NO_PICTURE = 6, /* everything else is in the output */
    EXIT_OUTSIDE = 7,    /* a launch accesses memory out of bounds; it is predicted all the same */
    EXIT_INTERRUPTED = 130
};

#define MANY_MAX 64 /* repeatable options, each */

typedef struct options {
    const char *arguments[MANY_MAX];
    size_t argument_count;
    const char *const *program; /* of a program: all words behind --; NULL: no -- */
    size_t program_count;
    const char *device, *block[MANY_MAX], *fold, *grid, *set[MANY_MAX], *with[MANY_MAX];
    size_t block_count, set_count, with_count;
    const char *tune[MANY_MAX]; /* of rank: names and the values to compile the kernel with */
    size_t tune_count;
    size_t preset_count; /* of --with, the first: those of a --model as published */
    const char *registers, *shared, *threads, *format, *update, *domain, *type, *schedule, *batch, *samples, *model;
    const char *map, *args_file, *variant, *kernel_name, *group, *min_time, *plot, *family[MANY_MAX], *metric[MANY_MAX];
    const char *target[MANY_MAX], *number[MANY_MAX], *output, *date, *other_devices;
    size_t family_count, metric_count, target_count, number_count;
    const char *caches;               /* when a launch starts: warm or cold */
    const char *volumes;              /* that times are made of: predicted or measured ones */
    const char *fidelity, *addresses; /* of simulated caches */
    const char *incomplete;           /* predictions: may they be compared? */
    const char *budget[MANY_MAX], *baseline, *tolerance, *junit;
    size_t budget_count;
    const char *devices[MANY_MAX], *domains[MANY_MAX], *folds[MANY_MAX], *where[MANY_MAX], *exports[MANY_MAX];
    size_t device_count, domain_count, folds_count, where_count, export_count;
    const char *block_axis[3], *registers_file, *space, *top, *top_k, *jobs, *memory;
    /* kernels of PTX and CUDA files */
    const char *entry, *args[MANY_MAX], *constants[MANY_MAX], *dynamic_shared, *cluster, *emulate, *effort, *compiler,
        *arch, *module;
    const char *defines[MANY_MAX], *includes[MANY_MAX], *compiler_options[MANY_MAX];
    size_t arg_count, constant_count, define_count, include_count, compiler_option_count;
    const char *kernels[MANY_MAX], *kind, *measured; /* of rooflines */
    size_t kernel_count;
    const char *schedules, *widths, *orders; /* to try */
    /* of recordings */
    const char *launch, *trace;
    const char *web; /* of reports: the page to put into them */
    const char *example, *lines, *line, *ways, *policy, *seed, *by, *window, *width; /* of traces */
    const char *machine_code;                                                        /* of PTX */
    const char *language;                                                            /* of emit */
    bool precomputed, ascii, interactive;
    bool no_ptxas, entries, coverage, extract;
    bool sources, confidence;                    /* of device numbers, of a prediction */
    const char *gpu;                             /* of published curves */
    const char *like;                            /* of a device to derive */
    const char *launches, *most_bytes, *seconds; /* of programs that run or are recorded */
    bool no_execute, no_compile, times;
    const char *color;
    bool details, verbose; /* of a prediction */
    bool per_access, per_line, rows, cross_validate, from_curves, quiet, help;
} options;

/* Which options a command takes: a set of letters of the table's `commands` column. */
typedef struct command {
    const char *name;
    char letter;
    const char *arguments, *summary;
    const char *formats; /* that --format may name */
    int (*run)(const options *options);
} command;

/* Commands as their letters, as tables of options name them. */
#define EVERY_COMMAND "*"
bool command_is_of(const command *command, const char *letters);

/* Reads argv[2..]; prints what is wrong. The exit code. */
int options_read(const command *command, int argc, char **argv, options *out);

/* The name in --arg n=4096 is known wherever names of --set are: in --grid, --where and other
 * arguments. A value of --set takes precedence. The exit code. */
int options_name_arguments(options *options);
/* The same, and extents of --domain and --block that are expressions of such names. A sweep does it
 * for each of its values; the texts are valid until the next call. */
int options_compute(options *options);

void options_help(const command *command);

/* Option number `index` of a command, in the order of its help; false beyond the last. */
typedef struct option_text {
    const char *name, *value, *help; /* value NULL: it takes none */
    bool repeatable;
} option_text;
bool options_at(const command *command, size_t index, option_text *out);

/* The time model; without --model, the best one for the device. */
wl_model_id option_model(const options *options);
/* --fidelity and --budget of predict and compare; the exit code. */
int option_fidelity(const options *options, int64_t *simulate);
/* The output format, text unless --format says otherwise. */
wl_format option_format(const options *options);
bool option_format_is(const options *options, const char *name);
/* The options for predictions: model, samples. Prints what is wrong; returns the exit code. */
bool option_every_model(const options *options); /* --model all */
int option_predict(const options *options, wl_predict_options *out);
/* May only complete predictions be compared? */
bool option_complete(const options *options);
/* --schedule of a launch to predict: launch_schedule, for batches, fails with a wl_error; the other
 * prints it and returns the exit code. */
wl_status launch_schedule(const char *text, wl_schedule *out, wl_error *err);
int option_launch_schedule(const char *option, const char *text, wl_schedule *out);
/* Any schedule: prints what is wrong and returns false. */
bool option_schedule(const char *option, const char *text, wl_schedule *out);
int cmd_init(const options *options);
int cmd_run(const options *options);
int cmd_record(const options *options);
int cmd_predict(const options *options);
int cmd_roofline(const options *options);
int cmd_report(const options *options);
int cmd_stack(const options *options);
int cmd_trace(const options *options);
int cmd_rank(const options *options);
int cmd_occupancy(const options *options);
int cmd_devices(const options *options);
int cmd_kernels(const options *options);
int cmd_explain(const options *options);
int cmd_metrics(const options *options);
int cmd_advise(const options *options);
int cmd_compare(const options *options);
int cmd_fit(const options *options);
int cmd_check(const options *options);
int cmd_diff(const options *options);
int cmd_show(const options *options);
int cmd_ptx(const options *options);
int cmd_emit(const options *options);
int cmd_schedule(const options *options);
int run_batch(const options *options);

#endif /* WL_CLI_OPTIONS_H */
