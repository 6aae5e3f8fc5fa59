/* make_data.c - writes the inputs that the programs of validate/cuda were measured with, for
 * emulation:
 *
 *   make_data DIRECTORY [NAME ..]   all files, or those whose name contains one of the names
 *
 * Numbers are 32 bits, little-endian; see validate/cuda/inputs.h. SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "../cuda/inputs.h"

static const char *directory;
static char **wanted;
static int wanted_count, failures;

static bool is_wanted(const char *name)
{
    for (int i = 0; i < wanted_count; i++)
        if (strstr(name, wanted[i]))
            return true;
    return wanted_count == 0;
}

static void write_file(const char *name, const void *data, size_t bytes)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.bin", directory, name);
    FILE *f = is_wanted(name) ? fopen(path, "wb") : NULL;
    if (!is_wanted(name))
        return;
    if (!f || fwrite(data, 1, bytes, f) != bytes || fclose(f) != 0) {
        fprintf(stderr, "make_data: cannot write %s\n", path);
        failures++;
    }
}

static void write_list(const char *name, uint32_t count, uint32_t (*at)(uint32_t))
{
    uint32_t *list = malloc(count * sizeof *list);
    for (uint32_t i = 0; is_wanted(name) && i < count; i++)
        list[i] = at(i);
    write_file(name, list, count * sizeof *list);
    free(list);
}

static void write_rows(const char *name, rows r)
{
    char file[64];
    snprintf(file, sizeof file, "%s_first", name);
    write_file(file, r.first, (r.count + 1) * sizeof *r.first);
    snprintf(file, sizeof file, "%s_column", name);
    write_file(file, r.column, r.entries * sizeof *r.column);
    free(r.first);
    free(r.column);
}

static void write_search(int32_t depth)
{
    rows graph = graph_make();
    char name[64];
    int32_t *level = levels_make(&graph, depth);
    uint32_t *frontier = bits_make(level, graph.count, depth), *visited = bits_make(level, graph.count, -1);
    snprintf(name, sizeof name, "graph_level%d", depth);
    write_file(name, level, graph.count * sizeof *level);
    snprintf(name, sizeof name, "graph_frontier%d", depth);
    write_file(name, frontier, graph.count / 32 * sizeof *frontier);
    snprintf(name, sizeof name, "graph_visited%d", depth);
    write_file(name, visited, graph.count / 32 * sizeof *visited);
    free(level);
    free(frontier);
    free(visited);
    free(graph.first);
    free(graph.column);
}

static void write_levels(int32_t depth)
{
    rows graph = graph_make();
    char name[64];
    int32_t *level = levels_make(&graph, depth);
    snprintf(name, sizeof name, "graph_level%d", depth);
    write_file(name, level, graph.count * sizeof *level);
    free(level);
    free(graph.first);
    free(graph.column);
}

static void write_floats(const char *name, uint32_t count, float (*at)(uint32_t))
{
    float *list = malloc(count * sizeof *list);
    for (uint32_t i = 0; is_wanted(name) && i < count; i++)
        list[i] = at(i);
    write_file(name, list, count * sizeof *list);
    free(list);
}

static void write_distribution(uint32_t count)
{
    char name[64];
    float *list = distribution_make(count);
    snprintf(name, sizeof name, "distribution_%u", count);
    write_file(name, list, count * sizeof *list);
    free(list);
}

static void write_cells(void)
{
    const uint32_t cells = FORCE_CELLS * FORCE_CELLS * FORCE_CELLS;
    int32_t *first = cells_make();
    write_file("cells_first", first, (cells + 1) * sizeof *first);
    write_floats("cells_particles", 4 * (uint32_t)first[cells], particle_place);
    free(first);
}

static void write_tree(void)
{
    int32_t *nodes = tree_make();
    write_file("tree_nodes", nodes, TREE_NODES * 32 * sizeof *nodes);
    free(nodes);
}

static void write_uneven(void)
{
    write_list("uneven_count", UNEVEN_BLOCKS, uneven_count);
    write_levels(2);
    write_levels(4);
    write_rows("matrix_tail", rows_make(MATRIX_ROWS, length_tail, 27));
    write_distribution(1000);
    write_distribution(10000);
    write_floats("particle_draw", 10000, particle_draw);
    write_cells();
    write_tree();
    write_list("tree_wanted", 1u << 20, tree_wanted);
    write_list("search_sorted", 1u << 20, search_sorted);
    write_list("search_wanted", 1u << 18, search_wanted);
}

static void write_waiting_matrix(const char *kind, uint32_t count, uint32_t (*length)(uint32_t))
{
    char name[64];
    snprintf(name, sizeof name, "waiting_matrix_%s_%u", kind, count);
    write_rows(name, rows_make(count, length, 40));
}

static void write_waiting_graph(const char *kind, uint32_t count, uint32_t (*length)(uint32_t), int32_t depth)
{
    char name[64], file[96];
    rows graph = rows_make(count, length, 41);
    snprintf(name, sizeof name, "waiting_graph_%s_%u", kind, count);
    for (int32_t d = depth; d < depth + 2; d++) {
        int32_t *level = levels_make(&graph, d);
        snprintf(file, sizeof file, "%s_level%d", name, d);
        write_file(file, level, graph.count * sizeof *level);
        free(level);
    }
    write_rows(name, graph);
}

static void write_mesh(uint32_t cells)
{
    char name[64];
    int32_t *list = malloc(4 * (size_t)cells * sizeof *list);
    for (uint32_t k = 0; k < 4; k++)
        for (uint32_t i = 0; i < cells; i++)
            list[(size_t)k * cells + i] = mesh_neighbour(i, k, cells);
    snprintf(name, sizeof name, "mesh_%u", cells);
    write_file(name, list, 4 * (size_t)cells * sizeof *list);
    free(list);
}

static void write_links(uint32_t count)
{
    char name[64];
    uint32_t *list = malloc(count * sizeof *list);
    for (uint32_t i = 0; i < count; i++)
        list[i] = link_random(i, count);
    snprintf(name, sizeof name, "links_%u", count);
    write_file(name, list, count * sizeof *list);
    free(list);
}

static void write_waiting(void)
{
    write_waiting_matrix("equal16", 1u << 19, length_constant);
    write_waiting_matrix("equal16", 1u << 13, length_constant);
    write_waiting_matrix("equal64", 1u << 17, length_long);
    write_waiting_matrix("power", 1u << 18, length_power);
    write_waiting_matrix("power", 1u << 13, length_power);
    write_waiting_graph("even", 1u << 20, length_graph, 7);
    write_waiting_graph("power", 1u << 18, length_power, 3);
    write_waiting_graph("even", 1u << 14, length_graph, 5);
    write_mesh(1u << 15);
    write_mesh(1u << 20);
    write_links(1u << 14);
    write_links(1u << 20);
    write_links(1u << 24);
    write_list("words_even", 1u << 24, word_even);
    write_list("words_skewed", 1u << 24, word_skewed);
    write_list("waiting_wanted", 1u << 22, tree_wanted);
}

static void write_turn(uint32_t table)
{
    const struct {
        const char *name;
        uint32_t (*length)(uint32_t);
    } works[] = {{"equal", length_turn_equal}, {"few", length_turn_few}, {"power", length_turn_power}};
    char name[48];
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "turn_%s_%u", works[i].name, table);
        write_rows(name, rows_make_from(1u << 15, works[i].length, table, 60));
    }
    const uint32_t count = 8u << 20;
    uint32_t *list = malloc(count * sizeof *list);
    for (uint32_t i = 0; i < count; i++)
        list[i] = hash(i, 61) % table;
    snprintf(name, sizeof name, "turn_lane_%u", table);
    write_file(name, list, count * sizeof *list);
    free(list);
}

/* What harness.h fills arrays with. */
static void write_patterns(void)
{
    float single[1024];
    double wide[1024];
    for (uint32_t i = 0; i < 1024; i++) {
        single[i] = 0.5f + (float)((i * 2654435761u) & 1023) / 2048.0f;
        wide[i] = 0.5 + (double)((i * 2654435761u) & 1023) / 2048.0;
    }
    write_file("pattern1024", single, sizeof single);
    write_file("pattern1024_f64", wide, sizeof wide);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: make_data DIRECTORY [NAME ..]\n");
        return 2;
    }
    directory = argv[1];
    wanted = argv + 2;
    wanted_count = argc - 2;
    write_patterns();
    write_list("index_uniform", GATHER_COUNT, index_uniform);
    write_list("index_clustered", GATHER_COUNT, index_clustered);
    write_list("index_sorted", GATHER_COUNT, index_sorted);
    write_list("index_iota", GATHER_COUNT, index_iota);
    write_list("binned_random", 2 * BINNED_COUNT, binned_random);
    write_list("binned_skewed", BINNED_COUNT, binned_skewed);
    write_list("collatz", COLLATZ_COUNT, collatz_start);
    write_list("switch", COLLATZ_COUNT, switch_case);
    write_rows("matrix_constant", rows_make(MATRIX_ROWS, length_constant, 15));
    write_rows("matrix_uniform", rows_make(MATRIX_ROWS, length_uniform, 16));
    write_rows("matrix_power", rows_make(MATRIX_ROWS, length_power, 17));
    write_rows("graph", graph_make());
    write_search(6);
    write_search(7);
    write_uneven();
    write_waiting();
    write_turn(1u << 18);
    write_turn(1u << 25);
    write_list("letters", 1u << 21, letters_draw);
    write_list("roofline_binned", 1u << 24, binned_random);
    return failures ? 1 : 0;
}
