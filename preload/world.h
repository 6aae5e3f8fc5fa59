/* world.h - the state of the double: the GPU that a program sees, its memory, modules and kernels.
 *
 * One program, one world. Work is done when it is issued, in the order of the calls, which is one
 * of the orders that streams allow. A lock makes calls from several threads one after the other.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PRELOAD_WORLD_H
#define WL_PRELOAD_WORLD_H

#include "cuda_abi.h"
#include "ptx/kernel/execute.h"
#include "recording/record_format.h"
#include "warpline/warpline.h"

/* ---- settings, from the environment that `warpline run` makes ---- */

typedef struct gpu_settings {
    const char *recording; /* file to write; NULL: none */
    int launches;          /* to keep of each kernel and geometry */
    int64_t bytes;         /* of an allocation whose contents are kept, at most */
    bool execute;
    double seconds;    /* to carry out one launch; 0: no limit */
    bool compile;      /* kernels that take long; */
    bool compiles_now; /* all kernels, and waits for it: for tests */
    bool verbose;
    bool times; /* of launches on a GPU */
} gpu_settings;

/* ---- memory ---- */

/* Device files do not say how much memory a GPU has: that of an A100 or H100. */
#define GPU_MEMORY_BYTES ((size_t)80 << 30)

typedef enum gpu_kind { GPU_DEVICE, GPU_HOST, GPU_MANAGED, GPU_VARIABLE } gpu_kind;
typedef struct gpu_allocation {
    gpu_kind kind;
    bool unknown;    /* a kernel that was not carried out may have written to it */
    bool registered; /* memory of the program, which only it frees */
    bool digested;   /* the digest is that of its contents */
    wl_digest digest;
} gpu_allocation;

/* ---- modules ---- */

typedef struct gpu_variable {
    const void *host; /* its shadow in the program; NULL: none */
    char *name;
    size_t bytes;
    uint64_t address; /* 0: not placed yet */
    void **managed;   /* where the program keeps its address; NULL: no managed variable */
} gpu_variable;

typedef struct gpu_module {
    int number;
    const void *fatbin; /* NULL: PTX as text */
    char *text;         /* PTX */
    size_t length;
    wl_ptx *ptx;
    bool opened, failed, placed; /* placed: all of its variables are in memory */
    bool recorded;
    gpu_variable *variables;
    size_t variable_count, variable_room;
    wl_ptx_symbol *symbols; /* of them */
    char why[WL_MESSAGE_MAX + 64];
    char sass[128]; /* architectures of machine code, where there is no PTX: "sm_80 sm_90" */
} gpu_module;

typedef struct gpu_geometry {
    int64_t grid[3], block[3], cluster[3], shared;
    int seen;
    int64_t kept; /* the number of the last launch that was kept */
    /* the event of a launch like that one, up to its number; NULL: not made yet */
    char *again;
    size_t again_length;
    cuda_stream_t again_on;
    int64_t again_like, again_graph;
} gpu_geometry;

typedef struct gpu_memo gpu_memo;     /* a launch that was carried out: memo.h */
typedef struct gpu_native gpu_native; /* a compiler at work: native.c */

typedef struct gpu_function {
    gpu_module *module;
    char *name;
    const void *host;
    wl_ptx_runner *runner;
    gpu_geometry *geometries;
    size_t geometry_count, geometry_room;
    int64_t dynamic_shared; /* that it may have, as the program has set it */
    gpu_memo *memos;
    int memo_count, memo_next;
    int misses, pause;  /* launches in a row that were new; launches until one is looked up again */
    double seconds;     /* that its last launch took here */
    double emulated;    /* seconds, before it was compiled */
    bool compiled;      /* or tried */
    gpu_native *native; /* NULL: no compiler is at work */
    int64_t given_up;   /* threads of the smallest launch that took too long; 0: none did */
    char made;          /* its address is the handle of the function of a kernel */
} gpu_function;

/* ---- the world ---- */

typedef struct gpu_world {
    gpu_settings settings;
    wl_device *device;
    bool foreign;          /* a GPU has the memory: its driver places variables */
    int architecture;      /* of that GPU; 0: not known */
    wl_ptx_memory *memory; /* sorted by address */
    gpu_allocation *about; /* of the same number */
    size_t memory_count, memory_room, about_room;
    int64_t allocated;              /* bytes of device memory */
    wl_ptx_texture_object *objects; /* textures and surfaces */
    size_t object_count, object_room;
    gpu_module **modules;
    size_t module_count, module_room;
    gpu_function **functions;
    size_t function_count, function_room;
    int64_t launches;
    double started;
} gpu_world;

/* The one world, with its lock held; made at the first call. */
gpu_world *gpu_enter(void);
void gpu_leave(void);
/* Leaves, and returns the error, which stays the thread's last one unless it is CUDA_OK. */
cuda_error gpu_end(cuda_error error);
cuda_error gpu_last_error(bool clear);
/* The name of a kernel as in the source, until the next call. */
const char *gpu_title(const char *symbol);
/* One line on standard error: "warpline: ..". Each text is written once. */
void gpu_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
double gpu_now(void);
/* Is this library the recorder, which passes calls on, or the double, which answers them? What it
 * does before the recording ends. */
bool gpu_is_recorder(void);
void gpu_before_end(gpu_world *w);

/* allocations.c. NULL: out of memory. */
void *gpu_allocate(gpu_world *w, size_t bytes, gpu_kind kind);
cuda_error gpu_release(gpu_world *w, void *pointer);
cuda_error gpu_register(gpu_world *w, void *pointer, size_t bytes); /* memory of the program */
/* The allocation that contains an address; -1: none. */
int64_t gpu_find(const gpu_world *w, uint64_t address);

/* modules.c */
gpu_module *gpu_module_add(gpu_world *w, const void *fatbin, const char *text, size_t length);
int gpu_architecture(const gpu_world *w);               /* that PTX is chosen for: 90 of sm_90 */
bool gpu_module_open(gpu_world *w, gpu_module *module); /* false: module->why says why */
gpu_function *gpu_function_add(gpu_world *w, gpu_module *module, const void *host, const char *name);
gpu_function *gpu_function_of(gpu_world *w, const void *host_or_handle);
bool gpu_variable_add(gpu_module *module, const void *host, const char *name, size_t bytes, void **managed);
/* The variable of a shadow, in memory; NULL: there is none. */
gpu_variable *gpu_variable_of(gpu_world *w, const void *host);
/* The number of a variable; -1: there is none. */
int64_t gpu_module_variable(gpu_world *w, gpu_module *module, const char *name);

bool gpu_function_ready(gpu_world *w, gpu_function *function);
/* The bytes of parameters that a program passes one by one. NULL: no memory, or no such kernel. */
uint8_t *gpu_params(gpu_world *w, gpu_function *function, void **arguments, size_t *bytes);
/* The same as the driver takes them: one by one, or all bytes in `extra`. */
uint8_t *gpu_driver_params(gpu_world *w, gpu_function *function, void **arguments, void **extra, size_t *bytes);

/* A launch */
typedef struct gpu_launch {
    gpu_function *function;
    cuda_dim3 grid, block;
    unsigned cluster[3];
    size_t shared;
    cuda_stream_t stream;
    bool cooperative;
    int64_t graph; /* -1: none */
    const uint8_t *params;
} gpu_launch;
void gpu_take_attribute(gpu_launch *launch, const cuda_launch_attribute *attribute);
/* launch.c: now; or now, unless a graph is captured. */
cuda_error gpu_do_launch(gpu_world *w, const gpu_launch *launch);
cuda_error gpu_issue(gpu_world *w, const gpu_launch *launch, size_t param_bytes);

/* recorder.c: each writes one event; nothing without a recording. */
bool gpu_keeps(gpu_world *w, const gpu_launch *launch, int64_t *like);
bool gpu_uses_object(const gpu_world *w, const gpu_launch *launch, size_t param_bytes, uint64_t handle);
/* The number of the launch. Unreadable: of a module without PTX. */
int64_t gpu_record_launch(gpu_world *w, const gpu_launch *launch, int64_t like);
int64_t gpu_record_unreadable(gpu_world *w, const gpu_launch *launch);
void gpu_record_time(gpu_world *w, int64_t launch, double seconds);
void gpu_record_copy(gpu_world *w, const char *direction, size_t bytes, cuda_stream_t stream);
void gpu_record_memset(gpu_world *w, size_t bytes, cuda_stream_t stream);
void gpu_record_mark(gpu_world *w, int64_t mark, cuda_stream_t stream);
/* stream NULL and host true: the host waits; mark -1: for all work before. */
void gpu_record_wait(gpu_world *w, bool host, cuda_stream_t stream, int64_t mark);
void gpu_record_note(gpu_world *w, const char *text);
void gpu_record_end(gpu_world *w);

/* rt_stream.c */
int64_t gpu_stream_number(cuda_stream_t stream);
/* rt_graph.c: the graph that work of the stream becomes part of; NULL: it is done at once. */
cuda_graph_t gpu_captures(cuda_stream_t stream);
cuda_error gpu_graph_add_launch(cuda_graph_t graph, const gpu_launch *launch, size_t param_bytes);
typedef struct gpu_copy {
    void *to;
    const void *from;
    size_t to_pitch, from_pitch, width, height; /* height 1: bytes in a row */
    int direction;
} gpu_copy;
cuda_error gpu_graph_add_copy(cuda_graph_t graph, const gpu_copy *copy);
typedef struct gpu_fill {
    void *to;
    size_t pitch, width, height;
    int value, element; /* bytes of an element: 1, 2, 4 */
} gpu_fill;
cuda_error gpu_graph_add_fill(cuda_graph_t graph, const gpu_fill *fill);
cuda_error gpu_graph_add_call(cuda_graph_t graph, void (*call)(void *), void *user);

/* rt_memory.c */
cuda_error gpu_do_copy(gpu_world *w, const gpu_copy *copy, cuda_stream_t stream);
cuda_error gpu_do_fill(gpu_world *w, const gpu_fill *fill, cuda_stream_t stream);
/* rt_texture.c: one side is an array. */
cuda_error gpu_copy_array_3d(const cuda_copy_3d *copy, cuda_stream_t stream);

/* missing.c: a call that the double does not have: says so once. */
cuda_error gpu_missing(const char *name);

#endif /* WL_PRELOAD_WORLD_H */
