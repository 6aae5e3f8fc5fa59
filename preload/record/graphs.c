/* graphs.c - graphs: what an executable one consists of is asked of the driver when it is made, and
 * recorded each time that it is launched.
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "record.h"

typedef enum node_kind { NODE_KERNEL, NODE_COPY, NODE_FILL } node_kind; /* CUgraphNodeType */

typedef struct graph_node {
    node_kind kind;
    gpu_launch launch; /* with parameters of its own */
    const char *direction;
    size_t bytes;
} graph_node;

typedef struct known_graph {
    const void *exec;
    int64_t number;
    graph_node *nodes;
    size_t count, room;
} known_graph;
static known_graph *graphs;
static size_t graph_count, graph_room;
static int64_t graph_number;

/* ---- nodes ---- */

static cuda_error nodes_of(void *graph, void **nodes, size_t *count)
{
    DRIVER("cuGraphGetNodes", (void *, void **, size_t *));
    return real(graph, nodes, count);
}

static int kind_of(void *node)
{
    int kind = -1;
    REAL("cuGraphNodeGetType", (void *, int *), -1);
    return real(node, &kind) == CUDA_OK ? kind : -1;
}

static cuda_error kernel_of(void *node, cuda_driver_node *out)
{
    DRIVER("cuGraphKernelNodeGetParams_v2", (void *, cuda_driver_node *));
    return real(node, out);
}

static cuda_error copy_of(void *node, cuda_driver_copy_3d *out)
{
    DRIVER("cuGraphMemcpyNodeGetParams", (void *, cuda_driver_copy_3d *));
    return real(node, out);
}

/* CUDA_MEMSET_NODE_PARAMS_v1 */
typedef struct fill_params {
    uint64_t to;
    size_t pitch;
    unsigned value, element;
    size_t width, height;
} fill_params;

static cuda_error fill_of(void *node, fill_params *out)
{
    DRIVER("cuGraphMemsetNodeGetParams", (void *, fill_params *));
    return real(node, out);
}

static bool take_kernel(gpu_world *w, void *node, graph_node *out)
{
    cuda_driver_node p = {0};
    size_t bytes = 0;
    if (kernel_of(node, &p) != CUDA_OK)
        return false;
    gpu_function *f = handle_function(p.function ? p.function : p.kernel);
    if (!f) {
        gpu_say("a kernel of a graph that was not seen when it was loaded is left out");
        return false;
    }
    uint8_t *params = gpu_function_ready(w, f) ? gpu_driver_params(w, f, p.params, p.extra, &bytes) : NULL;
    if (params)
        reach_translate_maps(params, bytes);
    out->launch = (gpu_launch){.function = f,
                               .grid = {p.grid[0], p.grid[1], p.grid[2]},
                               .block = {p.block[0], p.block[1], p.block[2]},
                               .shared = p.shared,
                               .params = params};
    return true;
}

static bool take_node(gpu_world *w, void *node, graph_node *out)
{
    static const char *const names[] = {"htoh", "htod", "dtoh", "dtod"};
    cuda_driver_copy_3d c;
    fill_params f;
    const int kind = kind_of(node);
    *out = (graph_node){.kind = (node_kind)kind};
    switch (kind) {
    case NODE_KERNEL: return take_kernel(w, node, out);
    case NODE_COPY:
        if (copy_of(node, &c) != CUDA_OK)
            return false;
        out->direction = names[(c.from.kind != 1) << 1 | (c.to.kind != 1)];
        out->bytes = c.width * c.height * c.depth;
        return true;
    case NODE_FILL:
        if (fill_of(node, &f) != CUDA_OK)
            return false;
        out->bytes = f.element * f.width * f.height;
        return true;
    default: return false;
    }
}

/* ---- graphs ---- */

static void drop(known_graph *g)
{
    for (size_t i = 0; i < g->count; i++)
        free((uint8_t *)(uintptr_t)g->nodes[i].launch.params);
    free(g->nodes);
}

static void forget(const void *exec)
{
    for (size_t i = 0; i < graph_count; i++)
        if (graphs[i].exec == exec) {
            drop(&graphs[i]);
            graphs[i] = graphs[--graph_count];
            return;
        }
}

/* Nodes are in the order in which they were made, which is one of those that their edges allow
 * unless a program makes them backwards. */
static void learn(const void *exec, void *graph)
{
    gpu_world *w = gpu_enter();
    size_t count = 0;
    known_graph g = {.exec = exec, .number = graph_number++};
    void **nodes = nodes_of(graph, NULL, &count) == CUDA_OK ? calloc(count + 1, sizeof *nodes) : NULL;
    if (nodes && nodes_of(graph, nodes, &count) == CUDA_OK)
        for (size_t i = 0; i < count; i++)
            if (WL_ROOM(g.nodes, g.count + 1, g.room) && take_node(w, nodes[i], &g.nodes[g.count]))
                g.count++;
    free(nodes);
    forget(exec);
    if (WL_ROOM(graphs, graph_count + 1, graph_room))
        graphs[graph_count++] = g;
    else
        drop(&g);
    gpu_leave();
}

static void keep_graph(const void *exec, void *stream)
{
    gpu_world *w = gpu_enter();
    for (size_t i = 0; i < graph_count; i++) {
        const known_graph *g = &graphs[i];
        if (g->exec != exec)
            continue;
        for (size_t k = 0; k < g->count; k++) {
            graph_node *n = &g->nodes[k];
            if (n->kind == NODE_COPY)
                gpu_record_copy(w, n->direction, n->bytes, (cuda_stream_t)stream);
            if (n->kind == NODE_FILL)
                gpu_record_memset(w, n->bytes, (cuda_stream_t)stream);
            if (n->kind != NODE_KERNEL)
                continue;
            n->launch.stream = (cuda_stream_t)stream;
            n->launch.graph = g->number;
            keep_node(w, &n->launch);
        }
    }
    gpu_leave();
}

/* ---- calls ---- */

CUDA_CALL cuStreamBeginCapture_v2(void *stream, int mode);
CUDA_CALL cuStreamBeginCapture_v2_ptsz(void *stream, int mode);
CUDA_CALL cuStreamEndCapture(void *stream, void **graph);
CUDA_CALL cuStreamEndCapture_ptsz(void *stream, void **graph);
CUDA_CALL cuGraphInstantiateWithFlags(void **exec, void *graph, uint64_t flags);
CUDA_CALL cuGraphInstantiateWithParams(void **exec, void *graph, void *params);
CUDA_CALL cuGraphInstantiateWithParams_ptsz(void **exec, void *graph, void *params);
CUDA_CALL cuGraphInstantiate_v2(void **exec, void *graph, void **node, char *log, size_t bytes);
CUDA_CALL cuGraphLaunch(void *exec, void *stream);
CUDA_CALL cuGraphLaunch_ptsz(void *exec, void *stream);
CUDA_CALL cuGraphExecDestroy(void *exec);

#define CALL(name, parameters, types, arguments, after)                                                                \
    cuda_error name parameters                                                                                         \
    {                                                                                                                  \
        DRIVER(#name, types);                                                                                          \
        const cuda_error error = real arguments;                                                                       \
        if (error == CUDA_OK)                                                                                          \
            after;                                                                                                     \
        return error;                                                                                                  \
    }
CALL(cuStreamBeginCapture_v2, (void *stream, int mode), (void *, int), (stream, mode), keep_capture(1))
CALL(cuStreamBeginCapture_v2_ptsz, (void *stream, int mode), (void *, int), (stream, mode), keep_capture(1))
CALL(cuGraphInstantiateWithFlags, (void **exec, void *graph, uint64_t flags), (void **, void *, uint64_t),
     (exec, graph, flags), learn(*exec, graph))
CALL(cuGraphInstantiateWithParams, (void **exec, void *graph, void *params), (void **, void *, void *),
     (exec, graph, params), learn(*exec, graph))
CALL(cuGraphInstantiateWithParams_ptsz, (void **exec, void *graph, void *params), (void **, void *, void *),
     (exec, graph, params), learn(*exec, graph))
CALL(cuGraphInstantiate_v2, (void **exec, void *graph, void **node, char *log, size_t bytes),
     (void **, void *, void **, char *, size_t), (exec, graph, node, log, bytes), learn(*exec, graph))

/* A capture that went wrong has ended, too. */
#define END(name)                                                                                                      \
    cuda_error name(void *stream, void **graph)                                                                        \
    {                                                                                                                  \
        DRIVER(#name, (void *, void **));                                                                              \
        const cuda_error error = real(stream, graph);                                                                  \
        keep_capture(-1);                                                                                              \
        return error;                                                                                                  \
    }
END(cuStreamEndCapture)
END(cuStreamEndCapture_ptsz)

/* Its memory is read before it runs: a node that follows others may find something else. */
#define LAUNCH_GRAPH(name)                                                                                             \
    cuda_error name(void *exec, void *stream)                                                                          \
    {                                                                                                                  \
        DRIVER(#name, (void *, void *));                                                                               \
        keep_graph(exec, stream);                                                                                      \
        return real(exec, stream);                                                                                     \
    }
LAUNCH_GRAPH(cuGraphLaunch)
LAUNCH_GRAPH(cuGraphLaunch_ptsz)

cuda_error cuGraphExecDestroy(void *exec)
{
    DRIVER("cuGraphExecDestroy", (void *));
    (void)gpu_enter();
    forget(exec);
    gpu_leave();
    return real(exec);
}
