/* placement.c - see placement.h. SPDX-License-Identifier: MIT */
#include "count/placement.h"

#include <limits.h>
#include <string.h>

#define WORD_BITS 64 /* of a set of lanes */
#define FOUR 4       /* tag banks of all devices measured so far, for code without branches */

/* Aligned lanes do not cross lines. */
static bool is_aligned(const wl_l1_rules *rules, const wl_arrangement *a)
{
    const int64_t mask = a->width - 1;
    int64_t low = 0;
    for (int i = 0; i < a->lanes; i++)
        low |= a->relative[i] & mask;
    return (a->width & mask) == 0 && a->width <= rules->line && low == 0;
}

/* So many words from here on. */
static wl_segment segment_of(const wl_l1_rules *rules, int64_t relative, int64_t words, int group, bool down)
{
    const int per_word = WORD_BITS / rules->data.banks;
    return (wl_segment){.line = relative >> rules->line_shift,
                        .place = (uint32_t)(relative & (rules->line - 1)),
                        .word = (uint32_t)(group / per_word),
                        .bits = ((uint64_t)1 << words) - 1,
                        .shift = group % per_word * rules->data.banks,
                        .down = down};
}

void wl_segments_make(const wl_l1_rules *rules, const wl_arrangement *a, wl_segments *out)
{
    const int per_group = wl_lanes_per_group(&rules->data, rules->warp_size, a->width),
              per_word = WORD_BITS / rules->data.banks;
    const int groups = (rules->warp_size + per_group - 1) / per_group;
    const int64_t lane_words = a->width >> rules->data.bank_shift;
    int group = -1, end = 0; /* of the current lane, and the first lane after it */
    int64_t words = 0;       /* of the segment */
    out->words = (groups + per_word - 1) / per_word;
    out->count = 0;
    if (!is_aligned(rules, a) || rules->line != rules->data.group_bytes || out->words > WL_BANK_WORDS_MAX ||
        rules->data.banks == WORD_BITS || lane_words == 0)
        return;
    for (int i = 0; i < a->lanes; i++) {
        const bool joins = a->lane[i] < end && words + lane_words <= rules->data.banks;
        for (; a->lane[i] >= end; end += per_group)
            group++;
        const int64_t step = joins ? a->relative[i] - a->relative[i - 1] : 0;
        wl_segment *last = out->list + out->count - (joins ? 1 : 0);
        if (joins && step == a->width && !last->down) {
            words += lane_words;
            last->bits = ((uint64_t)1 << words) - 1;
            continue;
        }
        if (joins && step == -a->width && (last->down || words == lane_words)) {
            words += lane_words;
            *last = segment_of(rules, a->relative[i], words, group, true);
            continue;
        }
        words = lane_words;
        out->list[out->count++] = segment_of(rules, a->relative[i], words, group, false);
    }
}

/* ---- lines and banks ---- */

/* Adds banks of a line. Lines mostly ascend: a new highest one needs no search. The bits behind
 * the last line are those of no line. */
static void add_banks(wl_placement *p, int words, int64_t *highest, int64_t line, uint32_t word, uint64_t bits)
{
    static const uint64_t none[WL_BANK_WORDS_MAX];
    int at = p->lines - 1;
    if (line <= *highest)
        while (at >= 0 && p->line[at] != line)
            at--;
    else
        at = -1;
    if (at < 0) {
        at = p->lines++;
        p->line[at] = line;
        *highest = line > *highest ? line : *highest;
        memcpy(&p->banks[p->lines * words], none, sizeof none);
    }
    p->banks[at * words + (int)word] |= bits;
}

/* Is some bank needed by three lines? For one word of bits. */
static bool is_crowded(const wl_placement *p)
{
    uint64_t once = 0, twice = 0, more = 0;
    for (int i = 0; i < p->lines; i++) {
        more |= twice & p->banks[i];
        twice |= once & p->banks[i];
        once |= p->banks[i];
    }
    return more != 0;
}

bool wl_placement_make(const wl_l1_rules *rules, const wl_arrangement *a, const wl_segments *segments,
                       int64_t alignment, wl_placement *p)
{
    const int words = segments->words, line_shift = rules->line_shift, bank_shift = rules->data.bank_shift;
    const uint32_t place_mask = (uint32_t)rules->line - 1, moved = (uint32_t)alignment;
    const uint64_t in_line = ((uint64_t)1 << rules->data.banks) - 1;
    int64_t highest = INT64_MIN;
    p->lines = 0;
    p->alignment = alignment;
    if (segments->count == 0 || alignment & (a->width - 1))
        return false;
    memset(p->banks, 0, sizeof *p->banks * WL_BANK_WORDS_MAX);
    for (int i = 0; i < segments->count; i++) {
        const wl_segment *s = &segments->list[i];
        const uint32_t at = s->place + moved;
        const uint64_t bits = s->bits << ((at & place_mask) >> bank_shift);
        const int64_t line = s->line + (at >> line_shift);
        if (s->down && bits > in_line)
            add_banks(p, words, &highest, line + 1, s->word, bits >> rules->data.banks << s->shift);
        add_banks(p, words, &highest, line, s->word, (bits & in_line) << s->shift);
        if (!s->down && bits > in_line)
            add_banks(p, words, &highest, line + 1, s->word, bits >> rules->data.banks << s->shift);
    }
    p->crowded = words > 1 || is_crowded(p);
    p->has_list = false;
    return true;
}

/* ---- costs ---- */

/* In how many groups is there any bank? */
static int groups_in(uint64_t bits, int banks)
{
    int n = 0;
    if (banks == WORD_BITS / 2)
        return ((uint32_t)bits != 0) + (bits >> (WORD_BITS / 2) != 0);
    for (int shift = 0; shift < WORD_BITS; shift += banks)
        n += (bits >> shift & (((uint64_t)1 << banks) - 1)) != 0;
    return n;
}

/* The most of these lines that share a bank, summed over groups: level k holds the banks that more
 * than k of them need. */
static int wavefronts_of(const uint64_t *bits, const uint8_t *lines, int n, int words, int banks)
{
    uint64_t level[WL_LANES_MAX];
    int levels = 0, wavefronts = 0;
    for (int i = 0; i < n; i++) {
        uint64_t need = bits[lines[i] * words];
        for (int k = 0; k < levels && need; k++) {
            const uint64_t again = level[k] & need;
            level[k] |= need;
            need = again;
        }
        if (need)
            level[levels++] = need;
    }
    for (int k = 0; k < levels; k++)
        wavefronts += groups_in(level[k], banks);
    return wavefronts;
}

/* The same for four lines. */
static int wavefronts_of_four(const uint64_t lines[FOUR], int banks)
{
    const uint64_t a = lines[0], b = lines[1], c = lines[2], d = lines[3];
    const uint64_t any_ab = a | b, any_cd = c | d, both_ab = a & b, both_cd = c & d;
    const uint64_t two = both_ab | both_cd | (any_ab & any_cd), three = (both_ab & any_cd) | (any_ab & both_cd);
    return groups_in(any_ab | any_cd, banks) + groups_in(two, banks) + groups_in(three, banks) +
           groups_in(both_ab & both_cd, banks);
}

int wl_placement_hit(const wl_l1_rules *rules, const wl_segments *segments, const wl_placement *p)
{
    uint8_t all[WL_LANES_MAX];
    int wavefronts = 0;
    for (int i = 0; i < p->lines; i++)
        all[i] = (uint8_t)i;
    for (int w = 0; w < segments->words; w++)
        wavefronts += wavefronts_of(p->banks + w, all, p->lines, segments->words, rules->data.banks);
    return wavefronts;
}

/* Which line each tag wavefront takes from each tag bank, a row per tag wavefront. Returns their
 * number. */
static int rank_lines(const wl_l1_rules *rules, const wl_placement *p, int64_t base, int banks, uint8_t *taken)
{
    uint8_t in_bank[16] = {0};
    int most = 0;
    memset(taken, p->lines, (size_t)(p->lines * banks)); /* none */
    for (int i = 0; i < p->lines; i++) {
        const int bank = wl_l1_tag_bank(rules, base + p->line[i]), rank = in_bank[bank]++;
        taken[rank * banks + bank] = (uint8_t)i;
        most = rank > most ? rank : most;
    }
    return most + 1;
}

/* With one word of bits and four tag banks: what each tag wavefront takes from each bank. Which
 * bank a line falls into is practically random, so nothing branches on it. */
static wl_tag_cost cost_of_four(const wl_l1_rules *rules, const wl_placement *p, int64_t base)
{
    const int64_t first = base + p->line[0]; /* which banks these are does not matter */
    uint64_t taken[WL_LANES_MAX][FOUR];
    uint32_t filled = 0; /* lines of each bank, a byte each */
    wl_tag_cost cost = {0, 0};
    memset(taken, 0, (size_t)p->lines * sizeof taken[0]);
    for (int i = 0; i < p->lines; i++) {
        const int bank = wl_l1_tag_difference(rules, base + p->line[i], first), shift = CHAR_BIT * bank;
        taken[filled >> shift & UCHAR_MAX][bank] = p->banks[i];
        filled += 1u << shift;
    }
    for (int bank = 0; bank < FOUR; bank++) {
        const int lines = (int)(filled >> CHAR_BIT * bank & UCHAR_MAX);
        cost.tag = lines > cost.tag ? lines : cost.tag;
    }
    for (int rank = 0; rank < cost.tag; rank++)
        cost.cold += wavefronts_of_four(taken[rank], rules->data.banks);
    return cost;
}

static wl_tag_cost cost_of_any(const wl_l1_rules *rules, const wl_segments *segments, const wl_placement *p,
                               int64_t base)
{
    const int tag_banks = rules->tag_banks, words = segments->words;
    uint8_t taken[WL_LANES_MAX * 16];
    wl_tag_cost cost = {.tag = rank_lines(rules, p, base, tag_banks, taken)};
    for (int rank = 0; rank < cost.tag; rank++)
        for (int w = 0; w < words; w++)
            cost.cold += wavefronts_of(p->banks + w, taken + tag_banks * rank, tag_banks, words, rules->data.banks);
    return cost;
}

/* The same where no bank is needed by more than two lines: what each tag wavefront needs once, and
 * what it needs twice. */
static wl_tag_cost cost_of_pairs(const wl_l1_rules *rules, const wl_placement *p, int64_t base)
{
    const int64_t first = base + p->line[0]; /* which banks these are does not matter */
    uint64_t once[WL_LANES_MAX], twice[WL_LANES_MAX];
    uint32_t filled = 0; /* lines of each tag bank, a byte each */
    wl_tag_cost cost = {0, 0};
    for (int i = 0; i < p->lines; i++) {
        const int shift = CHAR_BIT * wl_l1_tag_difference(rules, base + p->line[i], first);
        const int rank = (int)(filled >> shift & UCHAR_MAX); /* at most i */
        filled += 1u << shift;
        once[i] = twice[i] = 0;
        twice[rank] |= once[rank] & p->banks[i];
        once[rank] |= p->banks[i];
        cost.tag = rank >= cost.tag ? rank + 1 : cost.tag;
    }
    for (int rank = 0; rank < cost.tag; rank++)
        cost.cold += groups_in(once[rank], rules->data.banks) + groups_in(twice[rank], rules->data.banks);
    return cost;
}

/* The cost of a few lines depends on which of them share a tag bank, and that is the same at many
 * addresses. */
static wl_tag_cost cost_of_few(const wl_l1_rules *rules, wl_placement *p, int64_t base)
{
    const int64_t first = base + p->line[0];
    unsigned differences = 0;
    for (int i = p->lines; --i > 0;)
        differences = differences << 2 | (unsigned)wl_l1_tag_difference(rules, base + p->line[i], first);
    const uint8_t sharing = rules->sharing[differences];
    if (!p->has_list)
        memset(p->shared, 0, sizeof p->shared);
    p->has_list = true;
    if (p->shared[sharing].tag == 0) {
        const wl_tag_cost cost = (p->crowded ? cost_of_four : cost_of_pairs)(rules, p, base);
        p->shared[sharing].tag = (uint8_t)cost.tag;
        p->shared[sharing].cold = (uint8_t)cost.cold;
    }
    return (wl_tag_cost){p->shared[sharing].tag, p->shared[sharing].cold};
}

#define OFTEN 8 /* addresses from which on it pays to cache what they have in common */

/* With the line of address 0 at line `base`; `often`: at many such lines. */
static inline wl_tag_cost cost_at(const wl_l1_rules *rules, const wl_segments *segments, wl_placement *p, int64_t base,
                                  bool often)
{
    if (rules->tag_banks != FOUR || segments->words != 1)
        return cost_of_any(rules, segments, p, base);
    if (often && p->lines <= WL_FEW_LINES)
        return cost_of_few(rules, p, base);
    return p->crowded ? cost_of_four(rules, p, base) : cost_of_pairs(rules, p, base);
}

void wl_placement_costs(const wl_l1_rules *rules, const wl_segments *segments, wl_placement *p, const int64_t *address,
                        int n, bool often, wl_tag_cost *out)
{
    for (int i = 0; i < n; i++)
        out[i] = cost_at(rules, segments, p, (address[i] - p->alignment) >> rules->line_shift, often);
}

void wl_placement_add_costs(const wl_l1_rules *rules, const wl_segments *segments, wl_placement *p,
                            const int64_t *address, int64_t n, int64_t offset, wl_tag_sum *sum)
{
    for (int64_t i = 0; i < n; i++) {
        const int64_t base = (address[i] + offset - p->alignment) >> rules->line_shift;
        wl_tag_sum_add(sum, cost_at(rules, segments, p, base, n >= OFTEN));
    }
}
