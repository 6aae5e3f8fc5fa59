/* explain_text.c - the meaning of any word of the output, looked up in all tables.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "base/units.h"
#include "metrics/prediction.h"
#include "model/stack.h"
#include "report/text/explain_text.h"
#include "report/common/marks.h"
#include "report/common/words.h"
#include "warpline/mix.h"
#include "warpline/report.h"
#include "warpline/tallies.h"

#define WIDTH 78

static const struct {
    const char *word, *meaning;
} terms[] = {
#define WL_TERM(word, meaning) {word, meaning},
#include "report/text/terms.def"
};
#define TERM_COUNT (sizeof terms / sizeof terms[0])

static const char *const model_meanings[] = {
#define WL_MODEL(id, name, meaning) meaning,
#include "warpline/models.def"
};

/* Why a bound limits, and what helps. */
static const struct {
    wl_bound_id bound;
    const char *why, *what;
} remedies[] = {
#define WL_REMEDY(bound, why, what) {WL_BOUND_##bound, why, what},
#include "report/text/remedies.def"
};

/* ---- the tables, one after another ---- */

typedef struct table {
    const char *what; /* of an entry: "a bound of the time" */
    size_t count;
    const char *(*name)(size_t index);
    const char *(*meaning)(size_t index);
} table;

static const char *term_word(size_t i) { return terms[i].word; }
static const char *term_meaning(size_t i) { return terms[i].meaning; }
static const char *bound_name(size_t i) { return wl_bound_name((wl_bound_id)i); }
static const char *bound_meaning(size_t i) { return wl_bound_meaning((wl_bound_id)i); }
static const char *model_name(size_t i) { return wl_model_name((wl_model_id)i); }
static const char *model_meaning(size_t i) { return model_meanings[i]; }
static const char *class_name(size_t i) { return wl_inst_class_name((wl_inst_class)i); }
static const char *class_meaning(size_t i) { return wl_inst_class_meaning((wl_inst_class)i); }
static const char *kind_name(size_t i) { return wl_tensor_kind_name((wl_tensor_kind)i); }
static const char *kind_meaning(size_t i) { return wl_tensor_kind_meaning((wl_tensor_kind)i); }
static const char *part_name(size_t i) { return wl_stack_part_name((wl_stack_part)i); }
static const char *part_meaning(size_t i) { return wl_stack_part_meaning((wl_stack_part)i); }
static const char *tally_name(size_t i) { return wl_tally_name((wl_tally)i); }
static const char *tally_meaning(size_t i) { return wl_tally_meaning((wl_tally)i); }
static const char *key_name(size_t i) { return wl_device_key_name((wl_device_key)i); }
static const char *key_meaning(size_t i) { return wl_device_key_meaning((wl_device_key)i); }

static const table tables[] = {
    {"a word of the output", TERM_COUNT, term_word, term_meaning},
    {"a bound of the time", WL_BOUND_COUNT, bound_name, bound_meaning},
    {"a time model", WL_MODEL_COUNT, model_name, model_meaning},
    {"a class of instructions", WL_INST_CLASS_COUNT, class_name, class_meaning},
    {"a kind of tensor products", WL_TENSOR_KIND_COUNT, kind_name, kind_meaning},
    {"a part of a stack, or what a block waits for", WL_STACK_PART_COUNT, part_name, part_meaning},
    {"a count behind rooflines", WL_TALLY_COUNT, tally_name, tally_meaning},
    {"a key of device files", WL_DEVICE_KEY_COUNT, key_name, key_meaning},
};
#define TABLE_COUNT (sizeof tables / sizeof tables[0])

const char *wl_explained_word(size_t index)
{
    if (index < WL_METRIC_COUNT)
        return wl_metric_name((wl_metric)index);
    index -= WL_METRIC_COUNT;
    for (size_t t = 0; t < TABLE_COUNT; index -= tables[t++].count)
        if (index < tables[t].count)
            return tables[t].name(index);
    return NULL;
}

/* Words, bounds and models; numbers of devices and counts behind rooflines are listed elsewhere. */
void wl_explain_list(wl_buffer *out)
{
    enum { LISTED = 3 };
    for (size_t t = 0; t < LISTED; t++) {
        wl_buffer words = {0};
        for (size_t i = 0; i < tables[t].count; i++)
            wl_buffer_add(&words, "%s%s", i ? ", " : "", tables[t].name(i));
        wl_buffer_add(out, "%s", t == 0 ? "\nother words:\n" : t == 1 ? "bounds of the time:\n" : "time models:\n");
        out->failed = out->failed || words.failed;
        if (!out->failed)
            wl_wrapped_text(words.text, WIDTH, out);
        wl_buffer_drop(&words);
    }
}

/* ---- words ---- */

static char plain(char c)
{
    if (c == '-' || c == ' ')
        return '_';
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* "Layer condition" is layer_condition. */
static bool is_same(const char *a, const char *b)
{
    while (*a && plain(*a) == plain(*b))
        a++, b++;
    return plain(*a) == plain(*b);
}

#define NEAR_MAX 4

static bool mentions(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = text; *at; at++) {
        size_t i = 0;
        while (i < length && plain(at[i]) == plain(word[i]))
            i++;
        if (i == length)
            return true;
    }
    return false;
}

/* Topics whose names, or else meanings, contain the word: "occupancy, warps_per_sm". */
static void list_near(const char *word, char *out, size_t size)
{
    size_t used = 0;
    int count = 0;
    out[0] = '\0';
    for (int by_meaning = 0; by_meaning < 2 && strlen(word) > 2; by_meaning++)
        for (size_t t = 0; t < TABLE_COUNT; t++)
            for (size_t i = 0; i < tables[t].count && count < NEAR_MAX; i++) {
                const char *name = tables[t].name(i);
                const bool in_name = mentions(name, word);
                if ((by_meaning ? in_name || !mentions(tables[t].meaning(i), word) : !in_name) ||
                    used + strlen(name) + 4 > size)
                    continue;
                used += (size_t)snprintf(out + used, size - used, "%s%s", count++ ? ", " : "", name);
            }
}

static wl_status unknown(const char *word, wl_error *err)
{
    const char *names[2 * WL_METRIC_COUNT + WL_DEVICE_KEY_COUNT + TERM_COUNT + 256];
    size_t count = 0;
    while (count < sizeof names / sizeof names[0] && (names[count] = wl_explained_word(count)))
        count++;
    char near[120];
    list_near(word, near, sizeof near);
    if (near[0] && !wl_nearest_name(word, names, count))
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "nothing is called '%.60s'; near it are: %s", word, near);
    return wl_fail_unknown(err, WL_NOWHERE, "nothing is called", word, strlen(word), names, count);
}

static void add_remedy(const char *word, wl_buffer *out)
{
    for (size_t i = 0; i < sizeof remedies / sizeof remedies[0]; i++) {
        if (!is_same(word, wl_bound_name(remedies[i].bound)))
            continue;
        wl_buffer text = {0};
        wl_buffer_add(&text, "why: %s", remedies[i].why);
        wl_wrapped_text(wl_buffer_string(&text), WIDTH, out);
        wl_buffer_drop_part(&text, out);
        wl_buffer_add(&text, "what helps: %s", remedies[i].what);
        wl_wrapped_text(wl_buffer_string(&text), WIDTH, out);
        wl_buffer_drop_part(&text, out);
    }
}

/* ---- examples ---- */

static void add_metric_example(const wl_prediction *p, wl_metric m, wl_buffer *out)
{
    const wl_value *v = &p->metrics[m];
    if (!v->known) {
        wl_buffer_text(out, "  here: not known\n");
        return;
    }
    wl_line(out, 4, "  here: %.6g %s", v->value, wl_metric_unit(m));
    for (int i = 0; i < v->part_count; i++)
        wl_buffer_add(out, "%s%s %.6g", i ? ", " : " = ", v->parts[i].name, v->parts[i].value);
    wl_buffer_text(out, "\n");
}

static void add_bound_example(const wl_prediction *p, const char *word, wl_buffer *out)
{
    for (int i = 0; i < WL_BOUND_COUNT; i++) {
        if (!is_same(word, wl_bound_name((wl_bound_id)i)) || !p->model.bound_known[i])
            continue;
        wl_buffer_add(out, "  here: the bound is %s, %.1f %% of the time\n",
                      wl_quantity(WL_DIM_TIME, p->model.bound_s[i]).text, 100 * p->model.bound_s[i] / p->model.time_s);
    }
}

static void add_wait_example(const wl_prediction *p, const char *word, wl_buffer *out)
{
    wl_named_wait list[WL_NAMED_WAITS];
    const int count = p->model.own_cycles > 0 ? wl_named_waits(&p->model.waits, list) : 0;
    for (int i = 0; i < count; i++)
        if (is_same(word, list[i].name))
            wl_buffer_add(out, "  here: a block waits %.6g cycles for it\n", list[i].cycles);
}

/* Examples for words that are not keys of a table of numbers. */
static void add_word_example(const wl_prediction *p, const char *word, wl_buffer *out)
{
    const wl_launch *l = &p->launch;
    if (is_same(word, "wave") || is_same(word, "waves"))
        wl_buffer_add(out, "  here: %lld of %lld blocks at once, %.4g waves\n", (long long)p->wave_blocks,
                      (long long)p->blocks, p->waves);
    else if (is_same(word, "occupancy") || is_same(word, "warps_per_sm") || is_same(word, "blocks_per_sm"))
        wl_buffer_add(out, "  here: %lld warps in %lld blocks per multiprocessor, limited by %s\n",
                      (long long)p->occupancy.warps_per_sm, (long long)p->occupancy.blocks_per_sm,
                      wl_occupancy_limit_name(p->occupancy.limiter));
    else if (is_same(word, "LUP") || is_same(word, "cell") || is_same(word, "items") || is_same(word, "items_per_s"))
        wl_buffer_add(out, "  here: %lld %s, %.6g per second\n", (long long)p->items,
                      wl_work_unit_explained(p->work_unit, p->items), p->model.items_per_s);
    else if (is_same(word, "fold"))
        wl_buffer_add(out, "  here: %lldx%lldx%lld\n", (long long)l->fold[0], (long long)l->fold[1],
                      (long long)l->fold[2]);
}

static void add_limiter(const wl_prediction *p, wl_buffer *out)
{
    wl_buffer_add(out, "  here: %s, %s; then %s\n", wl_bound_name(p->model.limiter),
                  wl_quantity(WL_DIM_TIME, p->model.bound_s[p->model.limiter]).text, wl_bound_name(p->model.next));
}

static void add_example(const wl_prediction *p, const char *word, wl_buffer *out)
{
    add_bound_example(p, word, out);
    add_wait_example(p, word, out);
    if (is_same(word, "limiter") || is_same(word, "next_limiter"))
        add_limiter(p, out);
    else
        add_word_example(p, word, out);
}

/* ---- the text ---- */

wl_status wl_explain(const char *word, const wl_prediction *example, wl_format format, char **out, wl_error *err)
{
    wl_buffer text = wl_text_buffer(format);
    wl_metric metric;
    bool found = wl_metric_find(word, &metric);
    if (found) {
        wl_metric_explain(metric, &text);
        if (example)
            add_metric_example(example, metric, &text);
    }
    for (size_t t = 0; t < TABLE_COUNT; t++)
        for (size_t i = 0; i < tables[t].count; i++) {
            if (!is_same(word, tables[t].name(i)))
                continue;
            wl_mark_text(&text, WL_MARK_HEADLINE, tables[t].name(i));
            wl_buffer_add(&text, ", %s\n", tables[t].what);
            wl_wrapped_text(tables[t].meaning(i), WIDTH, &text);
            found = true;
        }
    if (found)
        add_remedy(word, &text);
    if (found && example)
        add_example(example, word, &text);
    if (found)
        return wl_buffer_take(&text, out, err);
    wl_buffer_drop(&text);
    return unknown(word, err);
}
