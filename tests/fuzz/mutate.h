/* mutate.h - changes texts by a grammar, for libFuzzer: what comes out is understood more often
 * than bytes changed at random. Every target that has a grammar defines fuzz_grammar.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_FUZZ_MUTATE_H
#define WL_TESTS_FUZZ_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A symbol and what may stand for it, up to a NULL: texts in which $X is the symbol X. The first
 * one stands for it where symbols are nested too deep, so it has none of them that leads back. */
typedef struct mutate_rule {
    char symbol;
    const char *const *texts;
} mutate_rule;
#define MUTATE_TEXTS(...)                                                                                              \
    (const char *const[]) { __VA_ARGS__, NULL }

/* Symbols every grammar has: N a number, W a word, M a member of a list with the comma behind
 * it, L a line. Z, where there is one, is a whole text. */
typedef struct mutate_grammar {
    const mutate_rule *rules;
    size_t rule_count;
    const char *joints; /* characters behind which a member may stand */
    char quoted;        /* the symbol of what stands in double quotes; 0: leave it alone */
    /* "KEY: .." stands once: a new line takes the place of the one of its key */
    bool keyed;
    /* The symbol of the lines around a place; NULL: L everywhere. */
    char (*line_symbol)(const uint8_t *data, size_t size, size_t at);
} mutate_grammar;

extern const mutate_grammar fuzz_grammar;

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

#endif /* WL_TESTS_FUZZ_MUTATE_H */
