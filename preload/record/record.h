/* record.h - the recorder: passes calls of the CUDA driver on to the driver, and writes modules,
 * launches with their memory, copies and fills into a recording.
 *
 * Programs reach the driver through the runtime, which asks for each function by name
 * (cuGetProcAddress), or by linking it: both find ours first. Everything else is the driver's own.
 * Nothing of ours is called while the driver is asked for something: its functions are taken from
 * its library, not by their names.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PRELOAD_RECORD_H
#define WL_PRELOAD_RECORD_H

#include "tensor.h"
#include "world.h"

typedef uint64_t device_pointer;

/* ---- real.c: the driver ---- */

typedef void *(*dlsym_call)(void *, const char *);
dlsym_call real_dlsym(void);
void *real_function(const char *name); /* NULL: the driver has none */

/* The driver's own function of this name, once; `otherwise` where there is none. */
#define REAL(name, parameters, otherwise)                                                                              \
    static cuda_error(*real) parameters;                                                                               \
    if (!real) {                                                                                                       \
        void *at = real_function(name);                                                                                \
        memcpy(&real, &at, sizeof real);                                                                               \
    }                                                                                                                  \
    if (!real)                                                                                                         \
    return otherwise
#define DRIVER(name, parameters) REAL(name, parameters, CUDA_NOT_FOUND)

/* ---- handles.c: handles of the driver, and what they stand for; with the lock ---- */

void handle_new_module(const void *handle, const void *image, bool is_library);
void handle_new_file(const void *handle, const char *path, bool is_library);
void handle_new_function(const void *handle, const void *module, const char *name);
void handle_is_module_of(const void *module, const void *library);
void handle_is_function_of(const void *function, const void *kernel);
/* And its functions: the driver may give the same handles again. */
void handle_forget_module(const void *module);
gpu_function *handle_function(const void *handle); /* NULL: not seen */
bool handle_is_kernel(const void *handle);         /* of a library, or in no context */
/* The function that the driver makes of a kernel, which is loaded then. */
bool handle_made(const void *kernel, const void **function);
/* Where the driver has the variables of a module. */
void handle_find_variables(gpu_module *module);

/* ---- reach.c: the memory that a launch can reach ---- */

/* Reads allocations that the words lead to, and those that these lead to. */
void reach_words(gpu_world *w, const uint8_t *bytes, size_t count);
void reach_address(gpu_world *w, uint64_t address);
void reach_end(gpu_world *w);
/* With contents that are from malloc and become ours; NULL: not known. */
void reach_insert(gpu_world *w, uint64_t base, size_t bytes, uint8_t *contents);
/* objects.c: textures and surfaces that the launch has. */
void reach_objects(gpu_world *w, const gpu_launch *launch, size_t param_bytes);
/* Tensor maps: what the driver has made of which description; then in our layout, in place. */
void reach_learn_map(const void *of_driver, const gpu_tensor *tensor);
void reach_translate_maps(uint8_t *bytes, size_t count);

/* ---- keep.c: launches ---- */

typedef struct kept_launch {
    gpu_launch launch; /* of `handle`, without parameters */
    const void *handle;
    void **params, **extra;
    int64_t number; /* in the recording */
    void *started;  /* an event; NULL: it takes no time */
} kept_launch;
/* Before the launch and after it. */
void keep_before(kept_launch *launch);
void keep_after(kept_launch *launch);
/* Streams in capture: while there are any, the device must not be waited for. */
void keep_capture(int more);
/* With the lock: parameters are known as bytes. */
void keep_node(gpu_world *w, gpu_launch *launch);

/* ---- times.c: times of launches by events of the driver; with the lock ---- */

/* The event before a launch; NULL: there can be none. */
void *times_start(gpu_world *w, void *stream);
void times_stop(gpu_world *w, int64_t launch, void *started, void *stream);
/* Writes the times that are known by now; all: waits for the others. */
void times_harvest(gpu_world *w, bool all);

#endif /* WL_PRELOAD_RECORD_H */
