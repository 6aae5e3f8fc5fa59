/* fuzz_space.c - spaces: keys, conditions, space files and register files, and the launches they
 * make.
 *
 * The input's lines are keys and their texts ("block.x 1..64:x2"), up to a line "=="; then
 * comes what a register file holds, up to the next such line; the rest is a space file.
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "launch/geometry.h"
#include "search/space.h"

/* Predictions have targets of their own and take most of the time. */
#define PREDICTED_MAX 1  /* launches of each space that are predicted */
#define SEARCHED_MAX 8   /* launches of a space that is searched as a whole */
#define KEYS_MAX 16      /* lines of keys */
#define LOOKED_AT_MAX 64 /* launches the conditions are applied to */

static const wl_kernel *kernel_2d(void)
{
    static wl_kernel *kernel;
    wl_error err = {0};
    if (!kernel)
        REQUIRE(wl_kernel_from_update("a[0,0] = b[1,0] + b[0,-1]", "96x33", "f32", &kernel, &err) == WL_OK);
    return kernel;
}

/* Cuts the text at the first line that says "=="; the rest, or "". */
static char *cut_part(char *text)
{
    for (char *line = text; *line;) {
        char *end = strchr(line, '\n');
        if (strncmp(line, "==\n", 3) == 0) {
            *line = '\0';
            return line + 3;
        }
        line = end ? end + 1 : line + strlen(line);
    }
    return text + strlen(text);
}

/* An error in a key's text lies inside it. */
static void check_place(const char *text, wl_status status, const wl_error *err)
{
    fuzz_check_outcome(status, status == WL_OK ? text : NULL, err);
    if (status != WL_OK && err->loc.line > 0)
        REQUIRE(err->loc.line == 1 && (size_t)err->loc.col <= strlen(text) + 1);
}

static void check_values(const wl_values *v)
{
    for (size_t i = 0; i < v->count; i++) {
        REQUIRE(v->at[i] >= 1 && v->at[i] <= WL_VALUES_MAX);
        REQUIRE(i == 0 || v->at[i - 1] < v->at[i]);
        REQUIRE(i > 100 || wl_values_contain(v, v->at[i]));
    }
}

static void check_space(const wl_space *s)
{
    for (int d = 0; d < 3; d++) {
        check_values(&s->block[d]);
        check_values(&s->fold[d]);
    }
    check_values(&s->threads);
    for (size_t i = 0; i < s->register_count; i++)
        REQUIRE(s->registers[i].registers >= 1 && s->registers[i].registers <= 1024);
    REQUIRE(s->condition_count <= WL_CONDITIONS_MAX);
}

/* A record fits its launch: predicted ones have a time, the others say why not. */
static void check_records(const wl_ranker *ranker, const wl_ranked *records, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        wl_launch launch;
        REQUIRE(records[i].index == i && records[i].outcome < WL_OUTCOME_COUNT);
        wl_ranker_launch(ranker, i, &launch);
        REQUIRE(launch.block[0] * launch.block[1] * launch.block[2] <= 1024);
        REQUIRE(launch.fold[0] * launch.fold[1] * launch.fold[2] <= 64);
        if (records[i].outcome == WL_OUTCOME_PREDICTED)
            REQUIRE(isfinite(records[i].time_s) && records[i].time_s > 0 && records[i].blocks_per_sm >= 1);
    }
}

/* Conditions give an answer or say what is wrong with them, with a place inside. */
static void apply_conditions(const wl_space *space, const wl_ranker *ranker)
{
    for (int64_t i = 0; i < wl_ranker_size(ranker) && i < LOOKED_AT_MAX; i++) {
        int64_t values[WL_WHERE_NAMES];
        wl_launch launch;
        wl_ranker_launch(ranker, i, &launch);
        wl_launch_values(wl_ranker_kernel(ranker), 32, &launch, values);
        for (size_t k = 0; k < space->condition_count; k++) {
            bool holds = false;
            wl_error err = {0};
            check_place(wl_where_text(space->conditions[k]), wl_where_holds(space->conditions[k], values, &holds, &err),
                        &err);
        }
    }
}

static void search(wl_ranker *ranker)
{
    const int64_t size = wl_ranker_size(ranker);
    wl_ranking ranking;
    wl_error err = {0};
    wl_ranked *best = malloc((size_t)(size + 1) * sizeof *best);
    REQUIRE(best);
    const wl_status status = wl_rank(ranker, best, (size_t)size, &ranking, &err);
    fuzz_check_outcome(status, status == WL_OK ? best : NULL, &err);
    for (int o = 0; o < WL_OUTCOME_COUNT; o++)
        REQUIRE(ranking.outcomes[o] >= 0);
    for (size_t i = 1; i < ranking.count; i++)
        REQUIRE(best[i - 1].time_s <= best[i].time_s);
    if (status == WL_OK)
        REQUIRE(ranking.outcomes[WL_OUTCOME_PREDICTED] == (int64_t)ranking.count && !ranking.stopped);
    free(best);
}

static void try_ranker(const wl_space *space)
{
    static wl_device *h200;
    wl_ranker *ranker = NULL;
    wl_error err = {0};
    const wl_rank_options options = {.threads = 1, .predict = {.l1_samples = SAMPLES_MAX}};
    const wl_status status = wl_ranker_new(kernel_2d(), fuzz_device("h200", &h200), space, &options, &ranker, &err);
    fuzz_check_outcome(status, ranker, &err);
    if (status != WL_OK)
        return;
    const int64_t size = wl_ranker_size(ranker), count = size < PREDICTED_MAX ? size : PREDICTED_MAX;
    wl_ranked records[PREDICTED_MAX];
    err = (wl_error){0};
    const wl_status evaluated = wl_ranker_evaluate(ranker, 0, count, records, &err);
    fuzz_check_outcome(evaluated, evaluated == WL_OK ? records : NULL, &err);
    if (evaluated == WL_OK)
        check_records(ranker, records, count);
    apply_conditions(space, ranker);
    if (size <= SEARCHED_MAX)
        search(ranker);
    wl_ranker_free(ranker);
}

/* "block.x 1..64:x2" */
static void set_keys(wl_space *space, char *lines)
{
    for (int i = 0; i < KEYS_MAX && *lines; i++) {
        char *end = lines + strcspn(lines, "\n"), *next = *end ? end + 1 : end;
        *end = '\0';
        char *blank = lines + strcspn(lines, " "), *text = *blank ? blank + 1 : blank;
        *blank = '\0';
        wl_error err = {0};
        const wl_status status = wl_space_set(space, lines, text, &err);
        check_place(text, status, &err);
        lines = next;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"nx=96", "ny=33"};
    char *keys = fuzz_text(data, size);
    char *registers = cut_part(keys), *file = cut_part(registers);
    wl_space *space = NULL;
    wl_error err[3] = {{0}};
    REQUIRE(wl_space_new(&space, &err[0]) == WL_OK && wl_space_names(space, NULL, names, 2, &err[0]) == WL_OK);
    set_keys(space, keys);
    const wl_status listed = wl_space_read_registers(space, "r.yaml", registers, strlen(registers), &err[1]);
    fuzz_check_outcome(listed, listed == WL_OK ? registers : NULL, &err[1]);
    const wl_status read = wl_space_read(space, "s.yaml", file, size - (size_t)(file - keys), &err[2]);
    fuzz_check_outcome(read, read == WL_OK ? file : NULL, &err[2]);
    check_space(space);
    try_ranker(space);
    wl_space_free(space);
    free(keys);
    return 0;
}
