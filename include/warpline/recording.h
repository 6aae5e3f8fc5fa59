/* recording.h - what a CUDA program did: its launches with arguments and memory, copies, waits
 * (docs/recording.md has the file). Equal launches are found by digests.
 * SPDX-License-Identifier: MIT */
#ifndef WL_RECORDING_H
#define WL_RECORDING_H

#include "warpline/kernel.h"
#include "warpline/ptx.h"

typedef struct wl_recording wl_recording;
/* Is it a file that begins as a recording does, or a folder with files that are called .wlrec? */
WL_API bool wl_recording_is(const char *path);
/* Reads what happened; modules and memory stay in the file. WL_E_IO; WL_E_INPUT: no recording,
 * damaged, or no version that this library knows. A file that ends early is read up to there. */
WL_FALLIBLE wl_recording_open(const char *path, wl_recording **out, wl_error *err);
WL_API void wl_recording_free(wl_recording *recording);
/* The command line of the program, and the GPU it ran on or was told to see; NULL: not said. */
WL_API const char *wl_recording_command(const wl_recording *recording);
WL_API const char *wl_recording_device(const wl_recording *recording);
/* What was not recorded, or cannot be read; NULL beyond the last. */
WL_API const char *wl_recording_note(const wl_recording *recording, size_t index);

typedef struct wl_recorded_launch {
    const char *kernel, *symbol; /* as in the source, and as in the file */
    size_t module;
    int64_t grid[3], block[3], cluster[3]; /* cluster 0: none was given */
    int64_t dynamic_shared, stream, graph; /* graph -1: of none */
    int64_t registers;                     /* of a thread of the code that ran; 0: not known */
    size_t kind;                           /* the first launch that is predicted alike */
    bool like;                             /* arguments were not kept: as of that one */
    double start_s, time_s;                /* measured; negative: not known */
} wl_recorded_launch;
/* NULL: there are fewer */
WL_API const wl_recorded_launch *wl_recording_launch(const wl_recording *recording, size_t launch);

typedef enum wl_recorded_kind {
    WL_RECORDED_LAUNCH,
    WL_RECORDED_COPY,
    WL_RECORDED_MEMSET,
    WL_RECORDED_MARK,
    WL_RECORDED_WAIT
} wl_recorded_kind;
typedef enum wl_copy_direction {
    WL_COPY_HTOD,
    WL_COPY_DTOH,
    WL_COPY_DTOD,
    WL_COPY_HTOH,
    WL_COPY_COUNT
} wl_copy_direction;
/* What happened, in order. */
typedef struct wl_recorded_event {
    wl_recorded_kind kind;
    wl_copy_direction direction;
    size_t launch;
    int64_t stream, mark, bytes; /* of a wait: -1, the host waits, and -1, for everything before */
    double start_s, time_s;      /* measured; negative: not known */
} wl_recorded_event;
/* NULL: there are fewer */
WL_API const wl_recorded_event *wl_recording_event(const wl_recording *recording, size_t index);

/* The PTX of a module, read once: not while other threads use the recording. WL_E_UNSUPPORTED: the
 * program has machine code alone; the message says for which GPUs. */
WL_FALLIBLE wl_recording_module(wl_recording *recording, size_t module, const wl_ptx **ptx, wl_error *err);
WL_API const char *wl_recording_module_text(const wl_recording *recording, size_t module, size_t *length);

/* The kernel of a launch, with the memory as it was. `options`: without entry and arguments; block,
 * grid, cluster, registers and dynamic shared memory are as recorded unless it has a block, or they
 * are not 0. *launch is set to what wl_predict takes. The recording must outlive the kernel.
 * Threads may call it at once, if the module was read. WL_E_UNSUPPORTED: what it needs was not
 * recorded. */
WL_FALLIBLE wl_recording_kernel(wl_recording *recording, size_t number, const wl_ptx_options *options,
                                wl_launch *launch, wl_kernel **out, wl_error *err);

/* Why the block of a launch must stay as it is, a clause; NULL: the kernel computes the same with
 * other blocks of as many threads in all. */
WL_API const char *wl_recording_fixed_block(const wl_recording *recording, size_t number, const wl_kernel *kernel);

#endif /* WL_RECORDING_H */
