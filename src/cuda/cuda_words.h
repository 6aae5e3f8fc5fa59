/* cuda_words.h - the words of CUDA source, read without a preprocessor.
 *
 * Layer  cuda (uses base). Oracle: tests/unit/test_ptx_given.c, tests/unit/test_first_launch.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CUDA_WORDS_H
#define WL_CUDA_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* A name, a number or one character of punctuation; not 0-terminated. */
typedef struct wl_cuda_word {
    const char *at;
    size_t length; /* 0: the end */
} wl_cuda_word;

/* A part of the source. */
typedef struct wl_cuda_range {
    const char *at, *end;
} wl_cuda_range;

/* The next word from *at on, which is moved behind it. Comments, texts in quotes and directives of
 * the preprocessor are skipped. */
wl_cuda_word wl_cuda_next(const char **at, const char *end);
/* The same, without moving. */
wl_cuda_word wl_cuda_peek(const char *at, const char *end);

bool wl_cuda_word_is(wl_cuda_word word, const char *text);
bool wl_cuda_word_is_one_of(wl_cuda_word word, const char *const *texts, size_t count);
bool wl_cuda_same_word(wl_cuda_word a, wl_cuda_word b);
/* A letter or an underscore first. */
bool wl_cuda_is_name(wl_cuda_word word);
bool wl_cuda_is_number(wl_cuda_word word);

/* Moves *at, which follows an opening bracket, behind the one that closes it; round, square and
 * curly ones count. The part between them. */
wl_cuda_range wl_cuda_inside(const char **at, const char *end);
/* The next part up to a comma outside of brackets; *at is moved behind the comma. False: there is
 * none left. */
bool wl_cuda_part(const char **at, const char *end, wl_cuda_range *part);
/* Nothing but blanks and comments? */
bool wl_cuda_is_empty(wl_cuda_range range);

#endif /* WL_CUDA_WORDS_H */
