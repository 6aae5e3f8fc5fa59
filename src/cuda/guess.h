/* guess.h - the parts of a first guess: extents, arguments, and the launch. Each reads what the
 * ones before it have found.
 *
 * Layer  cuda (uses base). SPDX-License-Identifier: MIT */
#ifndef WL_CUDA_GUESS_H
#define WL_CUDA_GUESS_H

#include "cuda/first_guess.h"
#include "cuda/parameter_roles.h"

#define WL_GUESS_EXTENTS_MAX 8
#define WL_GUESS_NOTES_MAX 8

/* What is handed out, with the memory that it is made of. */
typedef struct wl_made_launch {
    wl_first_launch shown; /* first: it is what the caller frees */
    wl_arena arena;
    const char *notes[WL_GUESS_NOTES_MAX + 1];
    size_t note_count;
} wl_made_launch;

typedef struct wl_guess_extent {
    const char *name;
    wl_role role;
    int64_t value;
    bool from_file;
} wl_guess_extent;

typedef struct wl_guess {
    const wl_first_facts *facts;
    wl_made_launch *out;
    wl_cuda_reader reader;
    wl_cuda_launch launch;
    bool launched;
    int dims;
    bool row_per_block; /* blockIdx.x numbers rows */
    wl_guess_extent extents[WL_GUESS_EXTENTS_MAX];
    int extent_count;
    bool made_up; /* the only extent is none of the parameters */
    int factors;  /* of the size of a buffer: the first so many extents */
    int power;    /* a single extent counts so often */
    int64_t rows; /* of that extent: the launch in the file has a block for each; 0: not known */
    int64_t block[3];
    int block_dims;
    bool grid_of_file;
    bool failed;
} wl_guess;

/* The buffer's text in the arena of the result; the buffer is empty then. */
const char *wl_guess_keep(wl_guess *guess, wl_buffer *text);
void wl_guess_note(wl_guess *guess, wl_buffer *text);

/* ---- guess_extents.c ---- */

wl_cuda_type wl_guess_type(const wl_guess *g, const wl_first_param *p);
wl_cuda_range wl_guess_body(const wl_guess *g);
/* The axes of threadIdx and blockIdx in the code. */
int wl_guess_dims(const wl_guess *g);
/* Is blockIdx.x a row by itself, which is at most multiplied by an extent, never by the number of
 * threads? */
bool wl_guess_numbers_rows(const wl_guess *g);
/* Does the code compare something with the parameter itself: "i < n", "i >= n"? */
bool wl_guess_is_compared(const wl_guess *g, const char *name);
bool wl_guess_is_number(const wl_cuda_type *t);
wl_role wl_guess_role(const wl_guess *g, const wl_first_param *p, int64_t *value);
/* The argument that the launch passes for parameter k; false: there is none. */
bool wl_guess_passed(const wl_guess *g, int k, wl_cuda_range *argument);
bool wl_guess_passed_number(const wl_guess *g, int k, int64_t *value);
/* Names for the numbers of PTX, which has none: the first ones are extents. */
const char *wl_guess_made_name(int dims, int index);
void wl_guess_extents(wl_guess *g);
/* How many extents make the size of a buffer. */
void wl_guess_size(wl_guess *g);
void wl_guess_add_size(const wl_guess *g, const char *name, wl_buffer *out);

/* ---- guess_arguments.c, guess_launch.c: options of the command ---- */

void wl_guess_arguments(wl_guess *g);
void wl_guess_block(wl_guess *g);
void wl_guess_grid(wl_guess *g, bool own_block);
void wl_guess_shared(wl_guess *g);

#endif /* WL_CUDA_GUESS_H */
