/* warp_law.c - see warp_law.h. SPDX-License-Identifier: MIT */
#include "count/warp_law.h"

#include <string.h>

#include "base/ckd.h"
#include "device/device_internal.h"

/* Local memory has 32-bit words on every GPU known: consecutive lanes have consecutive ones. */
#define LOCAL_WORD_SHIFT 2

static wl_banks banks_of(int64_t count) { return (wl_banks){(int)count, wl_log2(WL_BANK_WORD), count * WL_BANK_WORD}; }

/* Numbers the banks of the lines in order of first occurrence: 0 0 1 2 .., the digits of a
 * number. */
static uint8_t sharing_of(unsigned differences)
{
    uint8_t number_of[4] = {0}; /* of a bank; that of the first line is 0 */
    bool seen[4] = {true};
    int numbers = 1, sharing = 0, unit = 1;
    for (int i = 1; i < WL_FEW_LINES; i++, differences >>= 2) {
        const unsigned bank = differences & 3;
        if (!seen[bank])
            number_of[bank] = (uint8_t)numbers++;
        seen[bank] = true;
        sharing += unit * number_of[bank];
        unit *= i + 1 < 4 ? i + 1 : 4; /* the number is at most i */
    }
    return (uint8_t)sharing;
}

void wl_l1_rules_make(const wl_device *d, wl_l1_rules *r)
{
    double distance = 0, slice_lines = 0;
    memset(r, 0, sizeof *r);
    r->warp_size = (int)wl_device_int(d, WL_DEVICE_warp_size);
    r->sector = wl_device_int(d, WL_DEVICE_l1_sector);
    r->line = wl_device_int(d, WL_DEVICE_l1_line);
    r->sector_shift = wl_log2(r->sector);
    r->line_shift = wl_log2(r->line);
    r->data = banks_of(wl_device_int(d, WL_DEVICE_l1_banks));
    r->shared = banks_of(WL_SHARED_BANKS);
    double unit = 0;
    r->unit_shift = wl_device_get(d, WL_DEVICE_l2_unit, &unit) ? wl_log2((int64_t)unit) : r->sector_shift;
    const size_t columns = wl_device_list_length(d, WL_DEVICE_l1_tag_hash);
    r->has_hash = columns > 0;
    r->tag_banks = r->has_hash;
    for (size_t k = 0; k < WL_HASH_BITS * sizeof r->hash / sizeof r->hash[0]; k++) {
        const uint8_t bank = k < columns ? (uint8_t)wl_device_list_value(d, WL_DEVICE_l1_tag_hash, k) : 0;
        uint8_t *hash = r->hash[k / WL_HASH_BITS];
        while (bank >= r->tag_banks && bank > 0) /* a power of two */
            r->tag_banks *= 2;
        const unsigned bit = 1u << k % WL_HASH_BITS;
        for (unsigned lower = 0; lower < bit; lower++)
            hash[bit + lower] = hash[lower] ^ bank;
    }
    for (unsigned k = 0; k < sizeof r->sharing; k++)
        r->sharing[k] = sharing_of(k);
    r->broadcast = 2; /* pairs of lanes */
    r->slice_lines = 1;
    if (wl_device_get(d, WL_DEVICE_l2_slice_lines, &slice_lines))
        r->slice_lines = (int)slice_lines;
    r->local_lanes = (int)wl_device_int(d, WL_DEVICE_warp_size);
    r->local_word_shift = LOCAL_WORD_SHIFT;
    if (wl_device_get(d, WL_DEVICE_l1_pair_distance, &distance))
        r->pair_distance = (int64_t)distance;
}

/* A short list of distinct numbers. Lanes mostly ascend, so a new maximum needs no search. */
typedef struct distinct {
    int count;
    int64_t highest, list[2 * WL_LANES_MAX];
} distinct;

static void add_distinct(distinct *d, int64_t number)
{
    if (number <= d->highest)
        for (int i = d->count; i-- > 0;)
            if (d->list[i] == number)
                return;
    if (number > d->highest)
        d->highest = number;
    d->list[d->count++] = number;
}

int wl_warp_sectors(const wl_l1_rules *r, const wl_warp_access *a)
{
    distinct seen;
    seen.count = 0;
    seen.highest = INT64_MIN;
    /* a lane is at most 16 bytes wide, so it touches at most two sectors */
    for (int i = 0; i < a->count; i++) {
        add_distinct(&seen, a->address[i] >> r->sector_shift);
        add_distinct(&seen, (a->address[i] + a->width - 1) >> r->sector_shift);
    }
    return seen.count;
}

/* Granules first .. last, except one that the previous run counted already. */
static int new_granules(int64_t first, int64_t last, int shift, int64_t *counted)
{
    const int64_t from = wl_max(first >> shift, *counted + 1), to = last >> shift;
    *counted = to;
    return (int)(to - from + 1);
}

/* Runs in lane order: lanes mostly continue the run of the lane before them, up or down. */
static void collect_runs(const wl_warp_access *a, wl_runs *out)
{
    int64_t first = a->address[0], last = first + a->width - 1;
    out->count = 0;
    for (int i = 1; i < a->count; i++) {
        const int64_t begin = a->address[i], end = begin + a->width - 1;
        if (begin == last + 1) {
            last = end;
        } else if (end == first - 1) {
            first = begin;
        } else if (begin < first || end > last) {
            out->first[out->count] = first;
            out->last[out->count++] = last;
            first = begin;
            last = end;
        }
    }
    out->first[out->count] = first;
    out->last[out->count++] = last;
}

/* By insertion, as they mostly ascend. */
static void sort_runs(wl_runs *r)
{
    for (int i = 1; i < r->count; i++) {
        const int64_t first = r->first[i], last = r->last[i];
        int at = i;
        for (; at > 0 && r->first[at - 1] > first; at--) {
            r->first[at] = r->first[at - 1];
            r->last[at] = r->last[at - 1];
        }
        r->first[at] = first;
        r->last[at] = last;
    }
}

void wl_runs_make(const wl_warp_access *a, wl_runs *out)
{
    int joined = 0;
    out->count = 0;
    if (a->count == 0)
        return;
    collect_runs(a, out);
    sort_runs(out);
    for (int i = 1; i < out->count; i++) {
        if (out->first[i] <= out->last[joined] + 1) {
            out->last[joined] = wl_max(out->last[joined], out->last[i]);
            continue;
        }
        out->first[++joined] = out->first[i];
        out->last[joined] = out->last[i];
    }
    out->count = joined + 1;
}

int wl_runs_sectors(const wl_l1_rules *r, const wl_runs *runs, int64_t moved)
{
    int64_t counted = INT64_MIN;
    int sectors = 0;
    for (int i = 0; i < runs->count; i++)
        sectors += new_granules(runs->first[i] + moved, runs->last[i] + moved, r->sector_shift, &counted);
    return sectors;
}

wl_warp_written wl_runs_write(const wl_l1_rules *r, const wl_runs *runs, int64_t moved)
{
    int64_t sector = INT64_MIN, line = INT64_MIN, unit = INT64_MIN;
    int sectors = 0, lines = 0, units = 0, full = 0;
    for (int i = 0; i < runs->count; i++) {
        const int64_t first = runs->first[i] + moved, last = runs->last[i] + moved;
        sectors += new_granules(first, last, r->sector_shift, &sector);
        lines += new_granules(first, last, r->line_shift, &line);
        units += new_granules(first, last, r->unit_shift, &unit);
        full += (int)wl_max(0, ((last + 1) >> r->sector_shift) - ((first + r->sector - 1) >> r->sector_shift));
    }
    return (wl_warp_written){(int16_t)sectors, (int16_t)lines, (int16_t)units, (int16_t)full};
}

void wl_run_kinds_make(const wl_l1_rules *r, const wl_runs *runs, wl_run_kinds *out)
{
    const int64_t largest = wl_max(r->line, (int64_t)1 << r->unit_shift);
    wl_runs *k = &out->kinds;
    out->count = k->count = 0;
    for (int i = 0; i < runs->count; i++) {
        const int64_t first = runs->first[i] & (largest - 1), last = first + runs->last[i] - runs->first[i];
        int at = 0;
        if (i > 0 && runs->first[i] - runs->last[i - 1] < largest)
            return;
        while (at < k->count && (k->first[at] != first || k->last[at] != last))
            at++;
        if (at == k->count) {
            k->first[at] = first;
            k->last[at] = last;
            out->runs[at] = 0;
            k->count++;
        }
        out->runs[at]++;
    }
    out->count = k->count;
}

wl_warp_written wl_run_kinds_write(const wl_l1_rules *r, const wl_run_kinds *kinds, int64_t moved)
{
    int sectors = 0, lines = 0, units = 0, full = 0;
    for (int i = 0; i < kinds->count; i++) {
        const int64_t first = kinds->kinds.first[i] + moved, last = kinds->kinds.last[i] + moved;
        const int n = kinds->runs[i];
        sectors += n * (int)((last >> r->sector_shift) - (first >> r->sector_shift) + 1);
        lines += n * (int)((last >> r->line_shift) - (first >> r->line_shift) + 1);
        units += n * (int)((last >> r->unit_shift) - (first >> r->unit_shift) + 1);
        full += n * (int)wl_max(0, ((last + 1) >> r->sector_shift) - ((first + r->sector - 1) >> r->sector_shift));
    }
    return (wl_warp_written){(int16_t)sectors, (int16_t)lines, (int16_t)units, (int16_t)full};
}

wl_warp_written wl_warp_write(const wl_l1_rules *r, const wl_warp_access *a)
{
    wl_runs runs;
    wl_runs_make(a, &runs);
    return wl_runs_write(r, &runs, 0);
}

int wl_lanes_per_group(const wl_banks *banks, int warp_size, int32_t width)
{
    return (int)wl_max(1, wl_min(banks->group_bytes / width, warp_size));
}

#define WORDS_KEPT 16 /* of a bank; more are compared with those of earlier lanes */

/* The most distinct words of 2^bank_shift bytes that the lanes `members` touch in one bank. */
static int conflicts(const wl_banks *r, const wl_warp_access *a, const uint8_t *members, int count)
{
    int64_t words[64][WORDS_KEPT]; /* per bank */
    uint8_t filled[64] = {0};
    int most = 0;
    for (int i = 0; i < count; i++) {
        const int64_t address = a->address[members[i]];
        const int64_t first = address >> r->bank_shift, last = (address + a->width - 1) >> r->bank_shift;
        for (int64_t w = first; w <= last; w++) {
            const int bank = (int)(w & (r->banks - 1));
            int n = filled[bank];
            bool known = false;
            for (int j = 0; j < n && j < WORDS_KEPT && !known; j++)
                known = words[bank][j] == w;
            if (known)
                continue;
            if (n < WORDS_KEPT)
                words[bank][n] = w;
            else
                for (int j = 0; j < i && !known; j++) /* a crowded bank: compare with earlier lanes
                                                       * instead */
                    known = a->address[members[j]] >> r->bank_shift <= w &&
                            w <= (a->address[members[j]] + a->width - 1) >> r->bank_shift;
            if (known)
                continue;
            filled[bank] = (uint8_t)(n + 1);
            if (n + 1 > most)
                most = n + 1;
        }
    }
    return most;
}

/* The chosen lanes (NULL: all), from *at on, that are served together with the first; moves *at
 * past them. */
static int take_group(int per_group, const wl_warp_access *a, const bool *chosen, int *at, uint8_t *members)
{
    const int group = a->lane[*at] / per_group;
    int count = 0;
    for (; *at < a->count && a->lane[*at] / per_group == group; ++*at)
        if (!chosen || chosen[*at])
            members[count++] = (uint8_t)*at;
    return count;
}

/* Data wavefronts of the `chosen` lanes (NULL: all), group by group. */
static int grouped_wavefronts(const wl_banks *banks, int warp_size, const wl_warp_access *a, const bool *chosen)
{
    const int per_group = wl_lanes_per_group(banks, warp_size, a->width);
    int wavefronts = 0;
    for (int i = 0; i < a->count;) {
        uint8_t members[WL_LANES_MAX];
        const int count = take_group(per_group, a, chosen, &i, members);
        if (count)
            wavefronts += conflicts(banks, a, members, count);
    }
    return wavefronts;
}

/* The paper's rule for one group: take the lowest address left and every near one that needs other
 * banks. */
static int paired_wavefronts(const wl_l1_rules *r, const wl_warp_access *a, const uint8_t *members, int count)
{
    struct {
        int64_t address;
        uint64_t banks;
    } left[WL_LANES_MAX];
    distinct addresses;
    addresses.count = 0;
    addresses.highest = INT64_MIN;
    for (int i = 0; i < count; i++)
        add_distinct(&addresses, a->address[members[i]]);
    int n = addresses.count, wavefronts = 0;
    for (int i = 0; i < n; i++) {
        const int64_t address = addresses.list[i];
        int at = i;
        for (; at > 0 && left[at - 1].address > address; at--)
            left[at] = left[at - 1];
        left[at].address = address;
        left[at].banks = 0;
        for (int64_t w = address >> r->data.bank_shift; w <= (address + a->width - 1) >> r->data.bank_shift; w++)
            left[at].banks |= (uint64_t)1 << (w & (r->data.banks - 1));
    }
    for (; n > 0; wavefronts++) {
        const int64_t reach = left[0].address + r->pair_distance;
        uint64_t used = 0;
        int rest = 0;
        for (int i = 0; i < n; i++) {
            if (left[i].address < reach && (used & left[i].banks) == 0)
                used |= left[i].banks;
            else
                left[rest++] = left[i];
        }
        n = rest;
    }
    return wavefronts;
}

static int paper_wavefronts(const wl_l1_rules *r, const wl_warp_access *a)
{
    const int64_t word = (int64_t)1 << r->data.bank_shift;
    const int per_group = wl_lanes_per_group(&r->data, r->warp_size, a->width);
    wl_warp_access words = *a;
    if (a->width < word) { /* lanes on one bank word are served together */
        words.width = (int32_t)word;
        for (int i = 0; i < a->count; i++)
            words.address[i] = a->address[i] & ~(word - 1);
    }
    int wavefronts = 0;
    for (int i = 0; i < a->count;) {
        uint8_t members[WL_LANES_MAX];
        const int count = take_group(per_group, a, NULL, &i, members);
        wavefronts += paired_wavefronts(r, &words, members, count);
    }
    return wavefronts;
}

/* Do pairs of lanes that are `distance` apart read the same address? A lane whose partner is
 * inactive is a pair by itself. */
static bool in_pairs(const wl_warp_access *a, int distance)
{
    int64_t address[WL_LANES_MAX];
    uint64_t active = 0;
    for (int i = 0; i < a->count; i++) {
        address[a->lane[i]] = a->address[i];
        active |= (uint64_t)1 << a->lane[i];
    }
    for (int i = 0; i < a->count; i++) {
        const int partner = a->lane[i] ^ distance;
        if ((active >> partner & 1) && address[partner] != a->address[i])
            return false;
    }
    return true;
}

int wl_warp_shared_wavefronts(const wl_l1_rules *r, const wl_warp_access *a, bool load)
{
    wl_banks banks = r->shared;
    if (load && r->has_hash && a->width > 1 << banks.bank_shift && (in_pairs(a, 1) || in_pairs(a, 2)))
        banks.group_bytes *= r->broadcast;
    return grouped_wavefronts(&banks, r->warp_size, a, NULL);
}

wl_constant_cost wl_warp_constant_cost(const wl_warp_access *access)
{
    wl_constant_cost c = {0, 0};
    for (int i = 0; i < access->count; i++) {
        bool passed = false, found = false;
        for (int k = 0; k < i; k++) {
            passed = passed || access->address[k] == access->address[i];
            found = found || wl_floor_div(access->address[k], WL_CONSTANT_LINE) ==
                                 wl_floor_div(access->address[i], WL_CONSTANT_LINE);
        }
        c.passes += !passed;
        c.lines += !found;
    }
    return c;
}

int wl_warp_atomic_packets(const wl_l1_rules *r, const wl_warp_access *a)
{
    int packets = 0;
    for (int i = 0; i < a->count; i++) {
        const int64_t sector = a->address[i] >> r->sector_shift;
        int most = 0;
        bool first = true;
        for (int k = 0; k < i; k++)
            first = first && a->address[k] >> r->sector_shift != sector;
        for (int k = i; k < a->count && first; k++) {
            int lanes = 0;
            for (int l = i; l < a->count && a->address[k] >> r->sector_shift == sector; l++)
                lanes += a->address[l] == a->address[k];
            most = lanes > most ? lanes : most;
        }
        packets += most;
    }
    return packets;
}

int wl_warp_hit_wavefronts(const wl_l1_rules *r, const wl_warp_access *a)
{
    if (!r->has_hash && r->pair_distance > 0)
        return paper_wavefronts(r, a);
    return grouped_wavefronts(&r->data, r->warp_size, a, NULL);
}

wl_tag_cost wl_warp_tag_cost(const wl_l1_rules *r, const wl_warp_access *a)
{
    int64_t lines[2 * WL_LANES_MAX];
    uint8_t rank_of_line[2 * WL_LANES_MAX], rank[WL_LANES_MAX];
    uint8_t in_bank[16] = {0};
    int line_count = 0, tags = 0, previous = -1;
    for (int i = 0; i < a->count; i++) {
        const int64_t line = a->address[i] >> r->line_shift;
        int at = previous;
        if (previous < 0 || lines[previous] != line)
            for (at = line_count; at-- > 0 && lines[at] != line;)
                ;
        if (at < 0) {
            at = line_count++;
            lines[at] = line;
            rank_of_line[at] = in_bank[wl_l1_tag_bank(r, line)]++;
            tags = rank_of_line[at] + 1 > tags ? rank_of_line[at] + 1 : tags;
        }
        rank[i] = rank_of_line[at];
        previous = at;
    }
    wl_tag_cost cost = {.tag = tags};
    if (tags <= 1) {
        cost.cold = grouped_wavefronts(&r->data, r->warp_size, a, NULL);
        return cost;
    }
    for (int pass = 0; pass < tags; pass++) {
        bool chosen[WL_LANES_MAX];
        for (int i = 0; i < a->count; i++)
            chosen[i] = rank[i] == pass;
        cost.cold += grouped_wavefronts(&r->data, r->warp_size, a, chosen);
    }
    return cost;
}

wl_texture_cost wl_warp_texture_cost(const wl_l1_rules *rules, const wl_warp_access *access, int lanes)
{
    wl_texture_cost cost = {0, 0};
    for (int i = 0, next; i < access->count; i = next) {
        wl_warp_access request = {.width = access->width};
        for (next = i; next < access->count && access->lane[next] / lanes == access->lane[i] / lanes; next++) {
            request.lane[request.count] = access->lane[next];
            request.address[request.count++] = access->address[next];
        }
        cost.sectors += wl_warp_sectors(rules, &request);
        cost.wavefronts += (int)wl_ceil_div((int64_t)request.count * access->width, rules->sector);
    }
    return cost;
}
