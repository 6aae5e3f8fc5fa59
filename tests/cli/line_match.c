/* line_match.c - aligns printed lines with expected ones so that as few as possible differ.
 * SPDX-License-Identifier: MIT */
#include "line_match.h"
#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Beyond these, output is cut: the table of an alignment is their product. */
enum { LINES_MAX = 4000 };

/* A number with this many digits is a computed one: its last digits are those of the machine's
 * mathematics library. */
enum { COMPUTED_DIGITS = 10 };
#define COMPUTED_CLOSE 1e-9

static bool in_number(char c) { return isdigit((unsigned char)c) || (c && strchr(".eE+-", c)); }

/* Where the number around text[at] starts. */
static size_t number_start(const char *text, size_t at)
{
    while (at > 0 && in_number(text[at - 1]))
        at--;
    while (isalpha((unsigned char)text[at]) || text[at] == '+')
        at++;
    return at;
}

/* Is the text from..to a computed number: with a point or an exponent, and many digits? */
static bool computed(const char *from, const char *to)
{
    int digits = 0;
    bool real = false;
    for (; from < to; from++) {
        digits += isdigit((unsigned char)*from) && (digits || *from != '0');
        real |= !isdigit((unsigned char)*from) && *from != '-';
    }
    return real && digits >= COMPUTED_DIGITS;
}

/* Two numbers with the same first characters: as good as equal? *i and *j move behind them. */
static bool same_number(const char *expected, const char *printed, size_t same, size_t *i, size_t *j)
{
    char *end, *printed_end;
    double a = strtod(expected, &end), b = strtod(printed, &printed_end);
    size_t length = (size_t)(end - expected), printed_length = (size_t)(printed_end - printed);
    if (length < same || printed_length < same || length + printed_length == 2 * same)
        return false;
    if (!computed(expected, end) && !computed(printed, printed_end))
        return false;
    *i += length - same;
    *j += printed_length - same;
    return fabs(a - b) <= COMPUTED_CLOSE * fabs(a);
}

/* The same but for the last digits of computed numbers? */
static bool same_line(const char *expected, const char *printed)
{
    size_t i = 0, j = 0;
    for (;;) {
        for (; expected[i] && expected[i] == printed[j]; i++, j++)
            ;
        if (!expected[i] && !printed[j])
            return true;
        size_t from = number_start(expected, i);
        if (from > i || i - from > j || !same_number(expected + from, printed + j - (i - from), i - from, &i, &j))
            return false;
    }
}

static bool accepts(const expectation *e, const char *line)
{
    return e->kind == EXPECT_PATTERN ? fnmatch(e->text, line, 0) == 0 : same_line(e->text, line);
}

/* The least number of differences from expected line i and printed line j on, for all i and j. */
typedef struct alignment {
    const expectations *expected;
    const text_lines *printed;
    size_t rows, columns; /* lines of each side */
    uint16_t *least;
    bool *same; /* [i][j]: is j what i expects? */
} alignment;

static uint16_t *least_at(const alignment *a, size_t i, size_t j) { return &a->least[i * (a->columns + 1) + j]; }

static uint16_t smaller(uint16_t a, uint16_t b) { return a < b ? a : b; }

static bool is_run(const alignment *a, size_t i) { return a->expected->items[i].kind == EXPECT_RUN; }

static uint16_t fewest(const alignment *a, size_t i, size_t j)
{
    if (i == a->rows)
        return (uint16_t)(a->columns - j);
    uint16_t without = *least_at(a, i + 1, j), best = is_run(a, i) ? without : (uint16_t)(without + 1);
    if (j == a->columns)
        return best;
    uint16_t beyond = *least_at(a, i, j + 1);
    best = smaller(best, is_run(a, i) ? beyond : (uint16_t)(beyond + 1));
    return a->same[i * a->columns + j] ? smaller(best, *least_at(a, i + 1, j + 1)) : best;
}

static alignment align(const expectations *expected, const text_lines *printed)
{
    alignment a = {.expected = expected, .printed = printed};
    a.rows = expected->count < LINES_MAX ? expected->count : LINES_MAX;
    a.columns = printed->count < LINES_MAX ? printed->count : LINES_MAX;
    a.least = keep((a.rows + 1) * (a.columns + 1) * sizeof *a.least);
    a.same = keep((a.rows * a.columns + 1) * sizeof *a.same);
    for (size_t i = 0; i < a.rows; i++) {
        for (size_t j = 0; j < a.columns; j++)
            a.same[i * a.columns + j] = !is_run(&a, i) && accepts(&expected->items[i], printed->items[j]);
    }
    for (size_t i = a.rows + 1; i-- > 0;) {
        for (size_t j = a.columns + 1; j-- > 0;)
            *least_at(&a, i, j) = fewest(&a, i, j);
    }
    return a;
}

typedef enum step { STEP_END, STEP_SAME, STEP_RUN_ENDS, STEP_IN_RUN, STEP_MISSING, STEP_EXTRA } step;

/* The next step of an alignment with the fewest differences, from i and j on; moves them. */
static step next_step(const alignment *a, size_t *i, size_t *j)
{
    uint16_t here = *least_at(a, *i, *j);
    if (*i == a->rows)
        return *j == a->columns ? STEP_END : ((*j)++, STEP_EXTRA);
    bool run = is_run(a, *i);
    if (*j < a->columns && a->same[*i * a->columns + *j] && *least_at(a, *i + 1, *j + 1) == here)
        return (*i)++, (*j)++, STEP_SAME;
    if (*least_at(a, *i + 1, *j) + !run == here)
        return (*i)++, run ? STEP_RUN_ENDS : STEP_MISSING;
    (*j)++;
    return run ? STEP_IN_RUN : STEP_EXTRA;
}

size_t count_differences(const expectations *expected, const text_lines *printed)
{
    if (printed->count > LINES_MAX || expected->count > LINES_MAX)
        return printed->count;
    alignment a = align(expected, printed);
    return *least_at(&a, 0, 0);
}

void print_differences(const char *stream, const expectations *expected, const text_lines *printed)
{
    printf("  %s: - expected, + printed\n", stream);
    alignment a = align(expected, printed);
    size_t i = 0, j = 0;
    for (step s; (s = next_step(&a, &i, &j)) != STEP_END;) {
        if (s == STEP_EXTRA)
            printf("    + %s\n", printed->items[j - 1]);
        else if (s == STEP_MISSING)
            printf("    -%s %s\n", expected->items[i - 1].kind == EXPECT_PATTERN ? "~" : "",
                   expected->items[i - 1].text);
        else if (s == STEP_SAME)
            printf("      %s\n", printed->items[j - 1]);
        else if (s == STEP_RUN_ENDS)
            printf("      ...\n");
    }
    if (printed->count > LINES_MAX)
        printf("    + (%zu lines more)\n", printed->count - LINES_MAX);
}

static void expect_printed(expectations *list, const char *line)
{
    bool dots = strcmp(line, "...") == 0;
    add_expectation(list, dots ? EXPECT_PATTERN : EXPECT_LINE, dots ? "[.].." : line);
}

expectations updated(const expectations *expected, const text_lines *printed)
{
    expectations new = {0};
    alignment a = align(expected, printed);
    /* Lines gone since the last that is the same: others, of a run, take their place. */
    size_t i = 0, j = 0, missing = 0;
    for (step s; (s = next_step(&a, &i, &j)) != STEP_END;) {
        if (s == STEP_EXTRA || (s == STEP_IN_RUN && missing))
            expect_printed(&new, printed->items[j - 1]);
        else if (s == STEP_SAME || s == STEP_RUN_ENDS)
            add_expectation(&new, expected->items[i - 1].kind, expected->items[i - 1].text);
        if (s == STEP_MISSING)
            missing++;
        else if (s == STEP_SAME)
            missing = 0;
        else if (missing)
            missing--;
    }
    return new;
}
