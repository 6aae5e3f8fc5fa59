/* inputs.h - the inputs of data.cu, uneven.cu, waiting.cu and roofline.cu, from whole-number
 * arithmetic alone: the same on every machine, in C and in CUDA.
 *
 * Everything comes from hash(i, stream). Lists are arrays of 32-bit numbers; a graph or matrix is
 * stored by rows (row r has the entries first[r] .. first[r + 1] - 1).
 * SPDX-License-Identifier: MIT */
#ifndef INPUTS_H
#define INPUTS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define GATHER_COUNT (1u << 21) /* elements gathered */
#define GATHER_TABLE (1u << 24) /* elements of the table they come from */
#define MATRIX_ROWS (1u << 17)
#define GRAPH_VERTICES (1u << 18)
#define BINNED_COUNT (1u << 21)
#define COLLATZ_COUNT (1u << 20)

static inline uint32_t hash(uint32_t i, uint32_t stream)
{
    uint32_t h = i * 0x9e3779b1u ^ stream * 0x85ebca77u;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

/* Places to gather from. */
static inline uint32_t index_uniform(uint32_t i) { return hash(i, 1) % GATHER_TABLE; }
static inline uint32_t index_clustered(uint32_t i) /* 16 neighbours choose from one run of 64 */
{
    return (hash(i / 16, 2) % (GATHER_TABLE / 64)) * 64 + hash(i, 3) % 64;
}
static inline uint32_t index_sorted(uint32_t i)
{
    const uint32_t step = GATHER_TABLE / GATHER_COUNT;
    return i * step + hash(i, 4) % step;
}
static inline uint32_t index_iota(uint32_t i) { return i; }

/* Numbers to bin: all bins alike, or a few that are frequent. */
static inline uint32_t binned_random(uint32_t i) { return hash(i, 5); }
static inline uint32_t binned_skewed(uint32_t i) { return hash(i, 6) & hash(i, 7) & hash(i, 8); }

/* Starts of Collatz sequences; their low three bits choose a case of the switch. */
static inline uint32_t collatz_start(uint32_t i) { return 1 + hash(i, 9) % 65535; }
static inline uint32_t switch_case(uint32_t i) { return hash(i, 10); }

/* Entries of row r. */
static inline uint32_t length_constant(uint32_t r) { return (void)r, 16; }
static inline uint32_t length_uniform(uint32_t r) { return hash(r, 11) % 33; }
/* 2, 4, 8, .. 1024, each half as frequent as the one before */
static inline uint32_t length_power(uint32_t r)
{
    uint32_t h = hash(r, 12), n = 2;
    for (; (h & 1) && n < 1024; h >>= 1)
        n *= 2;
    return n;
}
static inline uint32_t length_graph(uint32_t r) { return hash(r, 13) % 13; }

typedef struct rows {
    uint32_t count, entries;
    uint32_t *first, *column;
} rows;
/* Rows with entries in any of `columns` columns. */
static inline rows rows_make_from(uint32_t count, uint32_t (*length)(uint32_t), uint32_t columns, uint32_t stream)
{
    rows out = {count, 0, NULL, NULL};
    out.first = (uint32_t *)malloc((count + 1) * sizeof *out.first);
    for (uint32_t r = 0; r < count; r++) {
        out.first[r] = out.entries;
        out.entries += length(r);
    }
    out.first[count] = out.entries;
    out.column = (uint32_t *)malloc(out.entries * sizeof *out.column);
    for (uint32_t e = 0; e < out.entries; e++)
        out.column[e] = hash(e, stream) % columns;
    return out;
}
static inline rows rows_make(uint32_t count, uint32_t (*length)(uint32_t), uint32_t stream)
{
    return rows_make_from(count, length, count, stream);
}
static inline rows graph_make(void) { return rows_make(GRAPH_VERTICES, length_graph, 14); }

/* Distances from vertex 1 up to `depth` steps; -1: not reached by then. */
static inline int32_t *levels_make(const rows *graph, int32_t depth)
{
    int32_t *level = (int32_t *)malloc(graph->count * sizeof *level);
    memset(level, 0xff, graph->count * sizeof *level);
    level[1] = 0;
    for (int32_t d = 0; d < depth; d++)
        for (uint32_t v = 0; v < graph->count; v++)
            if (level[v] == d)
                for (uint32_t e = graph->first[v]; e < graph->first[v + 1]; e++)
                    if (level[graph->column[e]] < 0)
                        level[graph->column[e]] = d + 1;
    return level;
}
/* One bit per vertex: at distance d, or reached at all (d < 0). */
static inline uint32_t *bits_make(const int32_t *level, uint32_t count, int32_t d)
{
    uint32_t *bits = (uint32_t *)calloc(count / 32, sizeof *bits);
    for (uint32_t v = 0; v < count; v++)
        if (d < 0 ? level[v] >= 0 : level[v] == d)
            bits[v / 32] |= 1u << v % 32;
    return bits;
}

/* ---- uneven.cu ---- */

#define UNEVEN_BLOCKS 4096u /* one in 113 has work */
#define FORCE_CELLS 16      /* in each of three dimensions */
#define TREE_HEIGHT 4       /* levels of nodes with 16 children */
#define TREE_NODES (1u + 16u + 256u + 4096u)
#define TREE_KEYS (1 << 20)

static inline uint32_t uneven_count(uint32_t block) { return hash(block, 20) % 113 ? 0 : 1 + hash(block, 21) % 800; }

/* 1, 2, 4, .. 16384 entries, each length half as frequent as the one before. */
static inline uint32_t length_tail(uint32_t r)
{
    uint32_t h = hash(r, 22), n = 1;
    for (; (h & 1) && n < 16384; h >>= 1)
        n *= 2;
    return n;
}

/* Sums of positive whole numbers below 2^24, divided by the last: exact but for that division. */
static inline float *distribution_make(uint32_t n)
{
    float *out = (float *)malloc(n * sizeof *out);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        out[i] = (float)(sum += 1 + hash(i, 23) % 1000);
    for (uint32_t i = 0; i < n; i++)
        out[i] /= (float)sum;
    return out;
}
static inline float unit(uint32_t h) { return (float)(h >> 8) / 16777216.0f; }
static inline float particle_draw(uint32_t i) { return unit(hash(i, 24)); }
static inline float particle_place(uint32_t i) { return unit(hash(i, 25)); }

/* The first particle of each cell, 90 to 110 in a cell; the last entry is their number. */
static inline int32_t *cells_make(void)
{
    const uint32_t cells = FORCE_CELLS * FORCE_CELLS * FORCE_CELLS;
    int32_t *first = (int32_t *)malloc((cells + 1) * sizeof *first);
    first[0] = 0;
    for (uint32_t c = 0; c < cells; c++)
        first[c + 1] = first[c] + 90 + (int32_t)(hash(c, 26) % 21);
    return first;
}

/* Nodes of 15 keys, 16 children and a word of padding; level by level, keys 0 .. TREE_KEYS - 1. A
 * leaf's children are the numbers that are looked up. */
static inline int32_t *tree_make(void)
{
    int32_t *nodes = (int32_t *)calloc(TREE_NODES * 32, sizeof *nodes);
    int32_t first = 0, count = 1, span = TREE_KEYS;
    for (int h = 0; h < TREE_HEIGHT; h++) {
        span /= 16;
        for (int32_t i = 0; i < count; i++) {
            int32_t *node = nodes + 32 * (first + i);
            for (int32_t k = 0; k < 15; k++)
                node[k] = (16 * i + k + 1) * span;
            for (int32_t k = 0; k < 16; k++)
                node[15 + k] = (h + 1 < TREE_HEIGHT ? first + count : 0) + 16 * i + k;
        }
        first += count;
        count *= 16;
    }
    return nodes;
}
static inline uint32_t tree_wanted(uint32_t i) { return hash(i, 28) % TREE_KEYS; }

/* Binary search among 2^20 numbers. */
static inline uint32_t search_sorted(uint32_t i) { return i * 1024 + hash(i, 29) % 1024; }
static inline uint32_t search_wanted(uint32_t i) { return hash(i, 30) % (1u << 30); }

/* ---- waiting.cu ---- */

#define WORDS 4096 /* different ones in a text */

static inline uint32_t length_long(uint32_t r) { return (void)r, 64; }
static inline uint32_t word_even(uint32_t i) { return hash(i, 42) % WORDS; }
static inline uint32_t word_skewed(uint32_t i) { return hash(i, 43) & hash(i, 44) & hash(i, 45) & (WORDS - 1); }

/* Neighbour k of a cell: near it in a numbering that follows the mesh; one face in 64 lies at a
 * wall (-1) or in the far field (-2). */
static inline int32_t mesh_neighbour(uint32_t cell, uint32_t k, uint32_t cells)
{
    const uint32_t h = hash(cell * 4 + k, 46), reach[4] = {1, 3, 200, 1500};
    if (h % 64 == 0)
        return h & 64 ? -1 : -2;
    const uint32_t near = cell + cells + (h >> 8) % (2 * reach[k] + 1) - reach[k];
    return (int32_t)(near % cells);
}

/* A link to any other place. */
static inline uint32_t link_random(uint32_t i, uint32_t n) { return hash(i, 47) % n; }

/* ---- staggered.cu ---- */

/* Entries of a warp's row, 12 for a lane in the mean or about that. */
static inline uint32_t length_turn_equal(uint32_t r) { return (void)r, 12 * 32; }
static inline uint32_t length_turn_few(uint32_t r) { return hash(r, 62) % 8 ? 6 * 32 : 54 * 32; }
static inline uint32_t length_turn_power(uint32_t r) { return 32 * length_power(r); }

/* ---- roofline.cu ---- */

/* Four letters of an alphabet of four, a byte each. */
static inline uint32_t letters_draw(uint32_t i) { return hash(i, 50) & 0x03030303u; }

#endif /* INPUTS_H */
