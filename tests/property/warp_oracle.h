/* warp_oracle.h - what one instruction of one warp costs in the L1, plainly: the laws of
 * docs/model.md written down a second time, lane by lane, to test the library against.
 * SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_PROPERTY_WARP_ORACLE_H
#define WL_TESTS_PROPERTY_WARP_ORACLE_H

#define LANES_MAX 64

/* ---- sets ---- */

typedef struct numbers {
    int count;
    int64_t at[LANES_MAX * 16];
} numbers;

/* True when n was not there. */
static bool put(numbers *set, int64_t n)
{
    for (int i = 0; i < set->count; i++)
        if (set->at[i] == n)
            return false;
    set->at[set->count++] = n;
    return true;
}

static int64_t modulo(int64_t a, int64_t b) { return a - b * floor_quotient(a, b); }

/* ---- one instruction of one warp ---- */

typedef struct law {
    int64_t warp, sector, line, banks, word, distance; /* distance 0: none */
    size_t columns;                                    /* of the tag hash; 0: not known */
    int column[WL_DEVICE_LIST_MAX];
} law;

typedef struct request {
    int64_t width;
    bool active[LANES_MAX];
    int64_t address[LANES_MAX];
} request;

typedef struct tally {
    int64_t inst, sectors, hit, tag, cold;
} tally;

static int64_t number_of(const wl_device *device, wl_device_key key)
{
    double value = 0;
    return wl_device_get(device, key, &value) ? (int64_t)value : 0;
}

static law law_of(const wl_device *d)
{
    law l = {number_of(d, WL_DEVICE_warp_size),
             number_of(d, WL_DEVICE_l1_sector),
             number_of(d, WL_DEVICE_l1_line),
             number_of(d, WL_DEVICE_l1_banks),
             4,
             0,
             0,
             {0}};
    l.columns = wl_device_list_length(d, WL_DEVICE_l1_tag_hash);
    for (size_t k = 0; k < l.columns; k++)
        l.column[k] = (int)wl_device_list_value(d, WL_DEVICE_l1_tag_hash, k);
    if (l.columns == 0)
        l.distance = number_of(d, WL_DEVICE_l1_pair_distance);
    return l;
}

static int64_t sectors_of(const law *l, const request *r)
{
    numbers sectors = {0};
    for (int64_t lane = 0; lane < l->warp; lane++)
        for (int64_t byte = 0; byte < r->width && r->active[lane]; byte++)
            (void)put(&sectors, floor_quotient(r->address[lane] + byte, l->sector));
    return sectors.count;
}

static int64_t lanes_per_group(const law *l, int64_t width)
{
    const int64_t lanes = l->banks * l->word / width;
    return lanes > l->warp ? l->warp : lanes;
}

/* Fixed groups of lanes; a group needs the most distinct words of one bank. */
static int64_t bank_wavefronts(const law *l, const request *r, const bool *chosen)
{
    const int64_t per_group = lanes_per_group(l, r->width);
    int64_t wavefronts = 0;
    for (int64_t start = 0; start < l->warp; start += per_group) {
        numbers words = {0};
        int64_t in_bank[64] = {0}, most = 0;
        for (int64_t lane = start; lane < start + per_group; lane++)
            for (int64_t byte = 0; byte < r->width && chosen[lane]; byte++) {
                const int64_t word = floor_quotient(r->address[lane] + byte, l->word), bank = modulo(word, l->banks);
                if (put(&words, word) && ++in_bank[bank] > most)
                    most = in_bank[bank];
            }
        wavefronts += most;
    }
    return wavefronts;
}

static int compare_addresses(const void *p, const void *q)
{
    const int64_t a = *(const int64_t *)p, b = *(const int64_t *)q;
    return (a > b) - (a < b);
}

/* The lowest address left, and in ascending order all near it that need banks still free. */
static int64_t greedy_wavefronts(const law *l, int64_t *left, size_t count, int64_t width)
{
    int64_t wavefronts = 0;
    qsort(left, count, sizeof *left, compare_addresses);
    while (count > 0) {
        bool used[64] = {false};
        const int64_t lowest = left[0];
        size_t kept = 0;
        for (size_t i = 0; i < count; i++) {
            bool fits = left[i] - lowest <= l->distance;
            for (int64_t at = left[i]; at < left[i] + width; at += l->word)
                fits = fits && !used[modulo(floor_quotient(at, l->word), l->banks)];
            for (int64_t at = left[i]; at < left[i] + width && fits; at += l->word)
                used[modulo(floor_quotient(at, l->word), l->banks)] = true;
            if (!fits)
                left[kept++] = left[i];
        }
        count = kept;
        wavefronts++;
    }
    return wavefronts;
}

/* Lanes of one address, or narrower than a word and of one word, are one. */
static int64_t paper_wavefronts(const law *l, const request *r)
{
    const int64_t per_group = lanes_per_group(l, r->width), unit = r->width < l->word ? l->word : 1;
    int64_t wavefronts = 0;
    for (int64_t start = 0; start < l->warp; start += per_group) {
        numbers different = {0};
        for (int64_t lane = start; lane < start + per_group; lane++)
            if (r->active[lane])
                (void)put(&different, floor_quotient(r->address[lane], unit) * unit);
        wavefronts +=
            greedy_wavefronts(l, different.at, (size_t)different.count, r->width < l->word ? l->word : r->width);
    }
    return wavefronts;
}

static int tag_bank(const law *l, int64_t line)
{
    int bank = 0;
    for (size_t k = 0; k < l->columns; k++)
        if (modulo(floor_quotient(line, (int64_t)1 << k), 2) == 1)
            bank ^= l->column[k];
    return bank;
}

/* Lines take ranks in their tag bank in lane order; a rank is a tag wavefront, and its lanes are
 * served on their own.
 */
static void add_tags(const law *l, const request *r, tally *sum)
{
    numbers lines = {0};
    int64_t in_bank[16] = {0}, rank_of[LANES_MAX] = {0}, rank[LANES_MAX] = {0}, tags = 0;
    for (int64_t lane = 0; lane < l->warp; lane++) {
        const int64_t line = floor_quotient(r->address[lane], l->line);
        if (!r->active[lane])
            continue;
        if (put(&lines, line))
            rank_of[lines.count - 1] = in_bank[tag_bank(l, line)]++;
        for (int i = 0; i < lines.count; i++)
            if (lines.at[i] == line)
                rank[lane] = rank_of[i];
        tags = rank[lane] + 1 > tags ? rank[lane] + 1 : tags;
    }
    sum->tag += tags;
    for (int64_t tag = 0; tag < tags; tag++) {
        bool chosen[LANES_MAX] = {false};
        for (int64_t lane = 0; lane < l->warp; lane++)
            chosen[lane] = r->active[lane] && rank[lane] == tag;
        sum->cold += bank_wavefronts(l, r, chosen);
    }
}

static void add_request(const law *l, const request *r, bool store, tally *sum)
{
    sum->inst++;
    sum->sectors += sectors_of(l, r);
    sum->hit += l->distance > 0 ? paper_wavefronts(l, r) : bank_wavefronts(l, r, r->active);
    if (l->columns > 0 && !store)
        add_tags(l, r, sum);
}

#endif /* WL_TESTS_PROPERTY_WARP_ORACLE_H */
