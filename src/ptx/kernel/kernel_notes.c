/* kernel_notes.c - notes about what was assumed or not understood while a kernel was made.
 * Layer  ptx/kernel. SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "base/print.h"
#include "ptx/kernel/ptx_source.h"
#include "ptx/module/source_place.h"
#include "ptx/module/tensor.h"

#define NOTES_MAX 16
#define NOTE_LENGTH 240
#define PLACE_LENGTH 200

void wl_ptx_make_line(char *text)
{
    char *to = text;
    for (const char *c = text; *c; c++) {
        const bool blank = *c == ' ' || *c == '\n' || *c == '\t' || *c == '\r';
        const bool odd = (unsigned char)*c < ' ' || (unsigned char)*c >= 0x7f;
        if (!blank || to == text || to[-1] != ' ')
            *to++ = blank ? ' ' : odd ? '?' : *c;
    }
    *to = '\0';
}

typedef struct notes {
    wl_kernel *kernel;
    bool failed;
} notes;

static void note(notes *n, const char *format, ...) WL_PRINTF(2, 3);

static void note(notes *n, const char *format, ...)
{
    char text[NOTE_LENGTH];
    va_list args;
    if (n->kernel->note_count == NOTES_MAX)
        return;
    va_start(args, format);
    (void)wl_print_list(text, sizeof text, format, args);
    va_end(args);
    wl_ptx_make_line(text);
    const char *kept = wl_arena_text(&n->kernel->arena, text, strlen(text));
    n->failed = n->failed || !kept;
    if (kept)
        n->kernel->notes[n->kernel->note_count++] = kept;
}

static const char *assumed_text(wl_ptx_assumed what)
{
    switch (what) {
    case WL_PTX_ASSUMED_BRANCH: return "a condition depends on data that is not given: 0 is assumed";
    case WL_PTX_ASSUMED_ADDRESS: return "the address depends on data that is not given: random elements are assumed";
    case WL_PTX_ASSUMED_LOOP:
        return "the trip count of this loop depends on data that is not given: one trip is assumed";
    case WL_PTX_ASSUMED_RESULT: return "the result of this instruction is not computed";
    case WL_PTX_ASSUMED_BARRIER: return "not all warps reach this barrier: those that do continue";
    case WL_PTX_ASSUMED_TEXTURE: break; /* see note_textures */
    case WL_PTX_ASSUMED_WAIT:
        return "a warp waits here for what no earlier block of the launch does: it continues, as if that had happened";
    case WL_PTX_ASSUMED_START: break; /* see note_order */
    case WL_PTX_ASSUMED_CALL: return "the function that is called is not in this file: its result is unknown";
    }
    return "";
}

/* Does the list of what the prediction leaves out say this already? */
static bool is_said(const wl_kernel *k, wl_ptx_assumed what)
{
    const wl_gap_reason reason = what == WL_PTX_ASSUMED_BRANCH    ? WL_GAP_BRANCH
                                 : what == WL_PTX_ASSUMED_ADDRESS ? WL_GAP_ADDRESS
                                 : what == WL_PTX_ASSUMED_LOOP    ? WL_GAP_TRIPS
                                                                  : WL_GAP_REASON_COUNT;
    for (size_t i = 0; i < k->gap_count; i++)
        if (k->gaps[i].reason == reason)
            return true;
    return false;
}

/* Blocks that tell each other. */
static void note_order(const wl_ptx_source *s, notes *n)
{
    const wl_ptx_ordering o = wl_ptx_ordering_of(s->emulator);
    const int64_t *g = s->launch.grid, blocks = g[0] * g[1] * g[2];
    char place[PLACE_LENGTH];
    for (size_t i = 0, said = 0; i < wl_ptx_assumption_count(s->emulator) && !said; i++) {
        const wl_ptx_assumption a = wl_ptx_assumption_at(s->emulator, i);
        const wl_ptx_instruction *in = &s->launch.module->functions[a.function].instructions[a.instruction];
        if (a.what != WL_PTX_ASSUMED_START)
            continue;
        wl_ptx_place_text(s->launch.module, in, place, sizeof place);
        note(n, "%s: counters and flags whose contents are not given start with 0 (%.*s)", place,
             (int)wl_min(in->text_length, 60), in->text);
        said = 1;
    }
    if (o.in_turns)
        note(n, "blocks draw from a counter until its numbers run out: they are taken to take turns");
    if (o.chained && o.at_once > 0)
        note(n, "each block looks back at what earlier ones tell, %d at a time, until one knows the whole",
             (int)o.at_once);
    else if (o.chained)
        note(n, "each block waits for what the one before it tells it: a chain through all blocks");
    if (o.kept && o.followed < blocks)
        note(n,
             "blocks see what earlier ones have left in memory, in launch order; what the first %lld of %lld blocks "
             "leave is extrapolated",
             (long long)o.followed, (long long)blocks);
    else if (o.kept)
        note(n, "blocks see what earlier ones have left in memory, in launch order");
}

/* Constant memory that the host is likely to fill before the launch. */
static void note_zeros(const wl_ptx_source *s, notes *n)
{
    for (int i = 0; i < s->arguments.zero_count; i++)
        note(n, "__constant__ %.80s is not given (--constant): zeros are assumed",
             s->launch.module->variables[s->arguments.zeros[i]].source_name);
}

/* Is it executed without a description of its texture, as far as emulated warps show? */
static bool is_undescribed(const wl_ptx_source *s, int32_t function, int32_t instruction)
{
    for (size_t i = 0; i < wl_ptx_assumption_count(s->emulator); i++) {
        const wl_ptx_assumption a = wl_ptx_assumption_at(s->emulator, i);
        if (a.what == WL_PTX_ASSUMED_TEXTURE && a.function == function && a.instruction == instruction)
            return true;
    }
    return false;
}

/* Textures and surfaces: one note for all that are not counted, one for what is assumed. */
static void note_textures(const wl_ptx_source *s, notes *n)
{
    const wl_ptx_module *m = s->launch.module;
    int missing = 0, surfaces = 0;
    char place[PLACE_LENGTH] = "";
    for (int32_t f = 0; f < m->function_count; f++)
        for (int32_t i = 0; i < m->functions[f].instruction_count; i++) {
            const wl_ptx_instruction *in = &m->functions[f].instructions[i];
            const bool own = &m->functions[f] == s->launch.entry, surface = in->op != WL_PTX_OP_tex;
            if (in->op != WL_PTX_OP_tex && in->op != WL_PTX_OP_suld && in->op != WL_PTX_OP_sust)
                continue;
            if (!is_undescribed(s, f, i) && (s->arguments.has_textures || !own))
                continue;
            if (missing++ == 0)
                wl_ptx_place_text(m, in, place, sizeof place);
            surfaces += surface;
        }
    if (missing > 0)
        note(n,
             "%s: %d texture and %d surface instructions from here on are not counted: no argument (--arg "
             "tex:WIDTHxHEIGHT:TYPE, surf:..) describes what they access",
             place, missing - surfaces, surfaces);
    if (s->arguments.has_textures)
        note(n, "textures and surfaces are emulated; arrays of two and three dimensions are block-linear (a sector "
                "holds 16 "
                "bytes of two rows), as measured on an H200");
}

static bool is_dependent(const wl_ptx_instruction *in) { return in->op == WL_PTX_OP_griddepcontrol; }

static bool multiplies_4_bits(const wl_ptx_instruction *in)
{
    const bool products = in->op == WL_PTX_OP_mma || in->op == WL_PTX_OP_tcgen05_mma;
    return products && wl_ptx_has_part(in, "::mxf4");
}

static bool multiplies_in_pairs(const wl_ptx_instruction *in)
{
    return in->op == WL_PTX_OP_tcgen05_mma && wl_ptx_block_pair(in) == 2;
}

/* What instructions of the entry mean for the whole prediction: one note for each kind. */
static void note_kinds(const wl_ptx_source *s, notes *n)
{
    static const struct {
        bool (*is)(const wl_ptx_instruction *in);
        const char *text;
    } kinds[] = {{is_dependent, "griddepcontrol: where the launch allows it (programmatic dependent launch), this "
                                "kernel overlaps with its neighbours; the prediction is that of the kernel alone"},
                 {multiplies_4_bits, "products of 4 bits take the time of those of 8 bits here: devices with a higher "
                                     "rate for them are faster"},
                 {multiplies_in_pairs, "pairs of blocks multiply together: blocks are emulated one by one, and what "
                                       "only the first of a pair does counts for both"}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (int32_t i = 0; i < s->launch.entry->instruction_count; i++)
            if (kinds[k].is(&s->launch.entry->instructions[i])) {
                note(n, "%s", kinds[k].text);
                break;
            }
}

static const char *cause_text(wl_ptx_why why)
{
    switch (why) {
    case WL_PTX_WHY_DATA: return "have addresses that depend on data: they are emulated";
    case WL_PTX_WHY_FLOAT: return "are emulated: addresses are computed with floating-point numbers from here on";
    case WL_PTX_WHY_OPERATION: return "are emulated: no expression was found for the result of this instruction";
    case WL_PTX_WHY_LONG: return "are emulated: an address or condition is too long for an expression";
    case WL_PTX_WHY_DEEP: return "are emulated: too many divergent branches are nested here";
    case WL_PTX_WHY_IRREGULAR: return "are emulated: their addresses in a loop follow no pattern";
    case WL_PTX_WHY_MANY: return "are emulated: the kernel has too many different ones";
    case WL_PTX_WHY_SPLIT: return "are emulated: divergent lanes of a warp reach this point before they reconverge";
    case WL_PTX_WHY_RARE: return "are emulated: few warps execute them, by a condition without a closed form";
    case WL_PTX_WHY_SWAPS: return "are emulated: they repeat until no other lane changes the same word";
    case WL_PTX_WHY_COUNT: break;
    }
    return "";
}

static void count_one(void *user, int32_t number)
{
    (void)number;
    ++*(size_t *)user;
}

/* Why accesses are traced, and how many. */
static void note_traced(notes *n, const wl_ptx_source *s)
{
    const wl_ptx_module *m = s->launch.module;
    const wl_ptx_recovery *r = &s->recovery;
    const int32_t entry = (int32_t)(s->launch.entry - m->functions);
    size_t count[WL_PTX_WHY_COUNT] = {0}, in_calls = 0, all = n->kernel->access_count;
    int32_t at[WL_PTX_WHY_COUNT] = {0};
    char place[PLACE_LENGTH];
    for (size_t i = 0; i < s->traced_count; i++) {
        if (s->traced[i].buffer && s->traced[i].buffer->texture) /* see note_textures */
            continue;
        size_t here = 0;
        wl_ptx_visit_joined(s, &s->traced[i], count_one, &here);
        all += here - 1;
        if (s->traced[i].function != entry) {
            in_calls += here;
            continue;
        }
        const wl_ptx_cause *cause = &r->cause[s->traced[i].instruction];
        if (count[cause->why] == 0)
            at[cause->why] = cause->at;
        count[cause->why] += here;
    }
    for (int w = 0; w < WL_PTX_WHY_COUNT; w++) {
        const wl_ptx_instruction *in = &s->launch.entry->instructions[at[w]];
        if (count[w] > 0 && w == WL_PTX_WHY_DATA)
            note(n, "%zu of %zu accesses %s", count[w], all, cause_text((wl_ptx_why)w));
        if (count[w] == 0 || w == WL_PTX_WHY_DATA)
            continue;
        wl_ptx_place_text(m, in, place, sizeof place);
        note(n, "%s: %zu of %zu accesses %s (%.*s)", place, count[w], all, cause_text((wl_ptx_why)w),
             (int)wl_min(in->text_length, 40), in->text);
    }
    if (in_calls > 0)
        note(n, "%zu of %zu accesses are in functions that are called: they are emulated", in_calls, all);
    if (s->joined_with)
        note(n,
             "so many accesses are emulated that neighbours are taken together: their shares are those of the first");
}

wl_status wl_ptx_add_notes(wl_ptx_source *s, int32_t wrong, wl_kernel *k, wl_error *err)
{
    const wl_ptx_module *m = s->launch.module;
    notes n = {k, false};
    char place[PLACE_LENGTH];
    const bool paired = wl_ptx_multiplies_in_pairs(s);
    k->notes = WL_ARENA_NEW(&k->arena, const char *, NOTES_MAX);
    if (!k->notes)
        return wl_fail_memory(err);
    for (size_t i = 0; i < wl_ptx_assumption_count(s->emulator); i++) {
        const wl_ptx_assumption a = wl_ptx_assumption_at(s->emulator, i);
        const wl_ptx_instruction *in = &m->functions[a.function].instructions[a.instruction];
        if (a.what == WL_PTX_ASSUMED_TEXTURE || a.what == WL_PTX_ASSUMED_START ||
            (i < s->false_note_room && s->is_false_note[i]))
            continue;
        if ((a.what == WL_PTX_ASSUMED_BARRIER && paired) || is_said(k, a.what)) /* see note_kinds */
            continue;
        wl_ptx_place_text(m, in, place, sizeof place);
        note(&n, "%s: %s (%.*s)", place, assumed_text(a.what), (int)wl_min(in->text_length, 60), in->text);
    }
    note_textures(s, &n);
    for (int32_t i = 0; i < s->launch.entry->instruction_count; i++) {
        const wl_ptx_instruction *in = &s->launch.entry->instructions[i];
        if (in->op != WL_PTX_OP_unknown)
            continue;
        wl_ptx_place_text(m, in, place, sizeof place);
        note(&n, "%s: not supported, and not modelled: %.*s", place, (int)wl_min(in->text_length, 80), in->text);
    }
    note_zeros(s, &n);
    if (wl_ptx_program_length(s) > WL_PTX_FOLLOWED_MAX)
        note(&n,
             "the program has %lld instructions: above %d, warps are not followed, and the time is that of bounds and "
             "latencies alone, without the order of loads and barriers. It is less certain",
             (long long)wl_ptx_program_length(s), WL_PTX_FOLLOWED_MAX);
    k->urgent_notes = k->note_count;
    if (wrong >= 0) {
        wl_ptx_place_text(m, &s->launch.entry->instructions[wrong], place, sizeof place);
        note(&n, "%s: the recovered addresses are not those of emulated warps; every access is emulated", place);
    }
    if (s->recovery.gave_up_at >= 0) {
        wl_ptx_place_text(m, &s->launch.entry->instructions[s->recovery.gave_up_at], place, sizeof place);
        note(&n, "%s: from here on, a thread does too much for symbolic execution; every access is emulated", place);
    } else if (wrong < 0) {
        note_traced(&n, s);
    }
    note_kinds(s, &n);
    note_order(s, &n);
    if (s->machine_why)
        note(&n, "machine code is not used, because %s: instructions are counted by rules", s->machine_why);
    if (s->spills.words)
        note(&n,
             "up to %d registers of a thread do not fit: they are stored and loaded in local memory, as estimated from "
             "PTX, and matrix products wait for each other",
             s->spills.most);
    if (wl_ptx_has_local(s))
        note(&n,
             "local memory (the stack): L1 and L2 misses are estimated from the local memory of the resident threads");
    return n.failed ? wl_fail_memory(err) : WL_OK;
}
