/* report.h - results as text, and stored results read back. Predictions and differences have their
 * own: predict.h, diff.h. Where TEXT can be rendered, MARKED can, too. Where *out is given, it is
 * allocated with malloc; JSON has no line end. SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_H
#define WL_REPORT_H

#include "warpline/advise.h"
#include "warpline/binary.h"
#include "warpline/check.h"
#include "warpline/compare.h"
#include "warpline/fit.h"
#include "warpline/program_profile.h"
#include "warpline/ptx.h"
#include "warpline/rank.h"
#include "warpline/roofline.h"
#include "warpline/trace.h"

/* A prediction in a few lines, TEXT only. */
typedef struct wl_answer {
    const wl_prediction *prediction; /* made with stacks: shares of the time are known */
    const wl_kernel *kernel;
    const wl_device *device;
    const wl_advised *advised; /* NULL: changes were not tried */
    bool verbose, quiet;       /* all notes, or no mention of them; else what a user can act on */
} wl_answer;
WL_FALLIBLE wl_answer_render(const wl_answer *answer, wl_format format, char **out, wl_error *err);

/* Launches over ascending values of a parameter: TEXT, CSV, JSON of warpline.sweep/1, SVG. */
typedef struct wl_sweep wl_sweep;
WL_FALLIBLE wl_sweep_new(const char *parameter, wl_sweep **out, wl_error *err);
WL_API void wl_sweep_free(wl_sweep *sweep);
typedef struct wl_sweep_launch {
    double value;
    const wl_prediction *prediction;
    const wl_kernel *kernel;
    const wl_device *device;
    const char *line; /* launches of one name are one line; NULL: device, block, folding */
    int64_t best_of;  /* the best of so many; 0: the only one */
} wl_sweep_launch;
WL_FALLIBLE wl_sweep_add(wl_sweep *sweep, const wl_sweep_launch *launch, wl_error *err);
WL_API size_t wl_sweep_launches(const wl_sweep *sweep); /* launches so far */
WL_FALLIBLE wl_sweep_render(const wl_sweep *sweep, wl_format format, char **out, wl_error *err);

/* Configurations of a kernel, one compiled variant each: best first, then those that cannot run.
 * TEXT, CSV, JSON of warpline.tuning/1. Borrows the names. */
typedef struct wl_tuning wl_tuning;
WL_FALLIBLE wl_tuning_new(const char *const *names, size_t count, const wl_trust *trust, wl_tuning **out,
                          wl_error *err);
WL_API void wl_tuning_free(wl_tuning *tuning);
/* One configuration: a value for each name; as predicted, or (NULL) the reason why it is not. */
WL_FALLIBLE wl_tuning_add(wl_tuning *tuning, const char *const *values, const wl_prediction *prediction,
                          const wl_kernel *kernel, const wl_device *device, const char *reason, wl_error *err);
WL_API size_t wl_tuning_predicted(const wl_tuning *tuning);
/* Only the best `top`; 0: all. `variants`: how many were compiled; 0: not said. */
WL_FALLIBLE wl_tuning_render(wl_tuning *tuning, size_t top, size_t variants, wl_format format, char **out,
                             wl_error *err);

/* ---- stored predictions ---- */

/* Reads predictions of the schemas warpline.predict/1 and /2 and warpline.prediction/2 (lines), one
 * object or several in a row. WL_E_INPUT: not JSON, or no prediction. */
typedef struct wl_stored_list wl_stored_list;
WL_FALLIBLE wl_stored_read(const char *input, const char *text, size_t length, wl_stored_list **out, wl_error *err);
WL_API void wl_stored_free(wl_stored_list *list);
WL_API size_t wl_stored_count(const wl_stored_list *list);
WL_API const wl_stored *wl_stored_at(const wl_stored_list *list, size_t index);

/* Takes a text piece by piece. A failure ends the writing. */
typedef wl_status (*wl_sink)(void *user, const char *text, size_t length, wl_error *err);

/* Predictions of any kernels and devices, each as it is made, in one object: warpline.predict/2. */
typedef struct wl_prediction_writer {
    wl_sink sink;
    void *user;
    size_t count; /* written so far; 0 to begin with */
} wl_prediction_writer;
WL_FALLIBLE wl_prediction_write(wl_prediction_writer *writer, const wl_prediction *prediction, const wl_kernel *kernel,
                                const wl_device *device, wl_error *err);
WL_FALLIBLE wl_prediction_write_end(wl_prediction_writer *writer, wl_error *err);

/* ---- TEXT, or JSON of warpline.stack/1, warpline.check/1 and warpline.advise/1 ---- */

/* Where the cycles of a launch go; the options of its prediction asked for stacks. Of the model
 * they name, else of turnover and mdm, or of all models. SVG, too. WL_E_UNSUPPORTED: none. */
WL_FALLIBLE wl_stack_render(const wl_prediction *prediction, const wl_kernel *kernel, const wl_device *device, bool all,
                            wl_format format, char **out, wl_error *err);

WL_FALLIBLE wl_check_render(const wl_check *check, const char *kernel, wl_format format, char **out, wl_error *err);
/* Only what fails, TEXT or MARKED, "" for nothing; all findings as JUnit XML, a suite for each
 * launch. */
WL_FALLIBLE wl_check_failures(const wl_check *check, const char *kernel, wl_format format, char **out, wl_error *err);
WL_FALLIBLE wl_check_junit(const wl_check *check, const char *kernel, char **out, wl_error *err);

typedef struct wl_advise_report {
    const wl_kernel *kernel;
    const wl_device *device;
    const wl_advised *result;
    const wl_elsewhere *devices; /* the one asked about first */
    size_t device_count;
    wl_model_id device_model;
    bool devices_left; /* other devices were not tried: it would take too long */
} wl_advise_report;
WL_FALLIBLE wl_advise_render(const wl_advise_report *report, wl_format format, char **out, wl_error *err);

/* JSON of warpline.schedule/1; CSV, too. */
WL_FALLIBLE wl_choice_render(const wl_choice *choice, const wl_kernel *kernel, const wl_device *device,
                             wl_format format, char **out, wl_error *err);

/* ---- rankings ---- */

/* One kernel (and domain) on one device, searched. */
typedef struct wl_ranked_space {
    wl_ranker *ranker;
    const wl_ranked *launches; /* predicted ones, best first: all, or as many as were kept */
    size_t count;
    int64_t domain[3];
    int dims;
    double tie; /* predictions within this ratio of each other are a tie */
    wl_trust trust;
    wl_ranking ranking;
    double best_s; /* 0: none was predicted */
    bool chosen;   /* `launches` is a set to benchmark, all predicted within ... */
    double within; /* ... this ratio of the best, and with the true best among them ... */
    double chance; /* ... with this probability; 0: not known */
} wl_ranked_space;

/* How many of all that were kept are within this ratio of the first. */
WL_API size_t wl_rank_within(const wl_ranked_space *space, double ratio);
/* Tables of the best `top`, and what to make of them: TEXT or MARKED. */
WL_FALLIBLE wl_rank_text(const wl_ranked_space *spaces, size_t count, size_t top, wl_format format, char **out,
                         wl_error *err);
/* What became of launches that were not predicted. */
WL_FALLIBLE wl_rank_left_out(const wl_ranked_space *space, char **out, wl_error *err);

/* JSON of the schema warpline.rank/1, or CSV, piece by piece: spaces of one kernel, each whole and
 * sorted, or launch by launch in any order. A piece that fails is not passed to the sink. */
typedef struct wl_rank_writer {
    wl_format format;
    wl_sink sink;
    void *user;
    size_t spaces, launches; /* written so far; launches of this space. 0 to begin with */
} wl_rank_writer;
WL_FALLIBLE wl_rank_write_sorted(wl_rank_writer *writer, const wl_ranked_space *space, size_t top, wl_error *err);
WL_FALLIBLE wl_rank_write_space(wl_rank_writer *writer, const wl_ranked_space *space, wl_error *err);
WL_FALLIBLE wl_rank_write_launch(wl_rank_writer *writer, const wl_ranked_space *space, const wl_ranked *launch,
                                 wl_error *err);
WL_FALLIBLE wl_rank_write_space_end(wl_rank_writer *writer, const wl_ranked_space *space, wl_error *err);
WL_FALLIBLE wl_rank_write_end(wl_rank_writer *writer, wl_error *err);

/* Texts for autotuners: docs/export.md. WL_E_UNSUPPORTED: the format cannot hold these spaces. */
typedef enum wl_export { WL_EXPORT_KERNEL_TUNER, WL_EXPORT_KERNEL_TUNER_CACHE, WL_EXPORT_TRITON } wl_export;
/* "kernel-tuner", "kernel-tuner-cache", "triton" */
WL_API bool wl_export_find(const char *name, wl_export *out);
WL_FALLIBLE wl_rank_export(wl_export format, const wl_ranked_space *spaces, size_t count, char **out, wl_error *err);

/* SVG: a map of blocks. A script for gnuplot and its data: performance over memory volume.
 * WL_E_UNSUPPORTED: there is no launch, or none has a predicted memory volume. */
WL_FALLIBLE wl_rank_svg(const wl_ranked_space *spaces, size_t count, char **out, wl_error *err);
typedef struct wl_plot_files {
    const char *picture, *data; /* what the script writes (PNG or, by its suffix, PDF) and reads */
} wl_plot_files;
WL_FALLIBLE wl_rank_plot(const wl_ranked_space *spaces, size_t count, const wl_plot_files *files, char **script,
                         char **data, wl_error *err);

/* ---- rooflines ---- */

/* TEXT, JSON of the schema warpline.roofline/1, CSV, or SVG: at least one launch was added. */
WL_FALLIBLE wl_roofline_render(const wl_roofline *roofline, wl_format format, char **out, wl_error *err);
/* A script for gnuplot that draws a PNG or, by the suffix of the picture, a PDF. */
WL_FALLIBLE wl_roofline_plot(const wl_roofline *roofline, const wl_plot_files *files, char **script, char **data,
                             wl_error *err);

/* ---- traces: TEXT, JSON of the schema warpline.trace/1, or SVG ---- */

typedef struct wl_trace_look { /* of TEXT */
    bool ascii, colour;
    int width; /* characters of a line */
} wl_trace_look;
WL_FALLIBLE wl_trace_render(const wl_trace *trace, wl_format format, const wl_trace_look *look, char **out,
                            wl_error *err);
/* The diagram alone, as a PNG, allocated with malloc. */
WL_FALLIBLE wl_trace_png(const wl_trace *trace, unsigned char **out, size_t *length, wl_error *err);

/* ---- pages: launches of any kernels and devices in one HTML file that loads nothing ---- */

typedef struct wl_page_launch {
    const wl_prediction *prediction; /* with what its options asked for: accesses, lines, stacks */
    const wl_kernel *kernel;
    const wl_device *device;
    const wl_ranked_space *ranked;           /* launches around it, or NULL ... */
    const char *searched;                    /* ... and which, or why there are none: a sentence */
    const wl_advised *advised;               /* or NULL ... */
    const char *no_advice;                   /* ... and why */
    const char *const *files, *const *texts; /* of its lines: names and contents ... */
    size_t file_count;                       /* ... (NULL: not known) */
    double program_s;                        /* of a program: all calls of this kernel; else 0 */
    const char *address, *address_note;      /* on the page of wl_page_new, or NULL; what is said */
} wl_page_launch;
typedef struct wl_page wl_page; /* borrows nothing */
/* web: the page of `make web`, to put into the file; NULL: none. WL_E_INPUT: it is another file. */
WL_FALLIBLE wl_page_new(const char *web, wl_page **out, wl_error *err);
WL_API void wl_page_free(wl_page *page);
WL_FALLIBLE wl_page_add(wl_page *page, const wl_page_launch *launch, wl_error *err);
/* Opens the page with the profile of a program, and which changes so far save most of its time. */
WL_FALLIBLE wl_page_profile(wl_page *page, const wl_profile *const *profiles, size_t count, wl_error *err);
/* The text of the file, with the date if one is given. WL_E_UNSUPPORTED: there is no launch. */
WL_FALLIBLE wl_page_render(const wl_page *page, const char *date, char **out, wl_error *err);

/* ---- profiles of programs ---- */

/* One device: kernels by time; several: devices by time. TEXT, JSON of warpline.profile/1, CSV: a
 * row for each launch, with ncu's names. */
WL_FALLIBLE wl_profile_render(const wl_profile *const *profiles, size_t count, wl_format format, char **out,
                              wl_error *err);
/* A Chrome trace, which Perfetto opens: streams are rows. */
WL_FALLIBLE wl_profile_trace(const wl_profile *profile, char **out, wl_error *err);

/* ---- comparisons ---- */

/* TEXT (all rows, or those farthest off), JSON of the schema warpline.compare/1, CSV, SVG. */
WL_FALLIBLE wl_comparison_render(const wl_comparison *comparison, wl_format format, bool all_rows, char **out,
                                 wl_error *err);
/* What was left out and why, a line each. */
WL_FALLIBLE wl_comparison_skipped(const wl_comparison *comparison, char **out, wl_error *err);
/* PNG or PDF by gnuplot. As of SVG, WL_E_INPUT: no value above 0 is known on both sides. */
WL_FALLIBLE wl_comparison_plot(const wl_comparison *comparison, const wl_plot_files *files, char **script, char **data,
                               wl_error *err);

/* ---- fits: TEXT, or JSON of the schema warpline.fit/1 ---- */

WL_FALLIBLE wl_fit_render(const wl_fit *fit, const char *origin, wl_format format, char **out, wl_error *err);
WL_FALLIBLE wl_miss_fit_render(const wl_miss_fit *fit, const char *origin, wl_format format, char **out, wl_error *err);

/* ---- devices (TEXT or JSON; the built-in ones as a list), occupancy, metrics, PTX files ---- */

WL_FALLIBLE wl_device_render(const wl_device *device, wl_format format, char **out, wl_error *err);
WL_FALLIBLE wl_device_list_render(wl_format format, char **out, wl_error *err);
/* Devices side by side, ratios to the first; JSON of warpline.devices/1. Sources are for TEXT. */
WL_FALLIBLE wl_device_compare_render(const wl_device *const *devices, size_t count, bool sources, wl_format format,
                                     char **out, wl_error *err);
/* What fits on a multiprocessor, and what one more block would take; JSON warpline.occupancy/1. */
WL_FALLIBLE wl_occupancy_render(const wl_device *device, int64_t threads, int64_t registers, int64_t shared_bytes,
                                wl_format format, char **out, wl_error *err);

WL_FALLIBLE wl_metrics_text(char **out, wl_error *err);
WL_FALLIBLE wl_metric_text(wl_metric metric, char **out, wl_error *err);
/* Any word of the output: metric, bound, model, part, number of a device, or term; with its value
 * in a prediction, if given. WL_E_INPUT: no such word, perhaps a similar one. TEXT or MARKED. */
WL_FALLIBLE wl_explain(const char *word, const wl_prediction *example, wl_format format, char **out, wl_error *err);
WL_API const char *wl_explained_word(size_t index); /* NULL beyond the last */
/* Counters as tables, ncu and nvprof name them: TEXT, CSV, JSON of warpline.metrics/1. With a model
 * ("classic", .., "roofline", "compare") those it needs, and the ncu command that collects them. */
WL_FALLIBLE wl_counters_render(const char *model, wl_format format, char **out, wl_error *err);
/* A measured kernel's readable name: "axpy<float>" of _Z4axpyIfEvPT_; else family and variant. */
WL_FALLIBLE wl_kernel_title(const char *kernel, const char *family, const char *variant, char **out, wl_error *err);
/* What a roofline needs and is not known: names, or lines with counters and that command; or "". */
WL_FALLIBLE wl_counters_missing(wl_roofline_kind kind, const bool known[WL_TALLY_COUNT], bool brief, char **out,
                                wl_error *err);

/* What ptxas says of an entry. */
typedef struct wl_ptx_needs {
    bool known;
    int64_t registers, shared_bytes, stack_bytes, spill_store_bytes, spill_load_bytes;
} wl_ptx_needs;
typedef struct wl_ptx_report {
    const wl_ptx *const *modules; /* one, or those of an executable */
    size_t module_count;
    const char *file, *part;   /* part: of the names of the entries shown; NULL: all */
    const wl_ptx_needs *needs; /* one for each entry of each module */
} wl_ptx_report;
/* The entries: TEXT, or JSON of the schema warpline.ptx/1. */
WL_FALLIBLE wl_ptx_render(const wl_ptx_report *report, wl_format format, char **out, wl_error *err);
/* The device code of an executable, object, library, fatbin or cubin: TEXT, or JSON of the schema
 * warpline.binary/1. */
WL_FALLIBLE wl_binary_render(const wl_binary *binary, const char *file, wl_format format, char **out, wl_error *err);
/* How much of a file is understood, TEXT or JSON: operations with count, class and support. */
WL_FALLIBLE wl_ptx_coverage(const wl_ptx *ptx, wl_format format, char **out, wl_error *err);

/* ---- schedules as code ---- */

/* CUDA is HIP, too. */
typedef enum wl_code_language { WL_CODE_CUDA, WL_CODE_C, WL_CODE_OPENCL, WL_CODE_LANGUAGES } wl_code_language;
typedef struct wl_code_options {
    wl_code_language language;
    bool precomputed; /* with constants that the host prepares */
    int dims;         /* 3: the function gives z, too */
    /* of the domain, or of the grid if blocks are ordered: how wide integers are; 0: 2^31 cells */
    int64_t extent[3];
} wl_code_options;
/* A function that gives the cell of a thread, or block; extents are its arguments. */
WL_FALLIBLE wl_schedule_code(const wl_schedule *schedule, const wl_code_options *options, char **out, wl_error *err);

/* An error as one line of JSON: {"error": .., "status": .., "line": ..}. */
WL_FALLIBLE wl_error_json(const wl_error *error, size_t line, char **out, wl_error *err);

#endif /* WL_REPORT_H */
