/* rt_graph.c - graphs: captured from streams or built node by node; launched in an order that their
 * edges allow.
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "stream.h"

typedef enum node_kind { NODE_LAUNCH, NODE_COPY, NODE_FILL, NODE_CALL, NODE_EMPTY, NODE_CHILD } node_kind;

typedef struct node node;
struct node {
    node_kind kind;
    union {
        gpu_launch launch; /* with parameters of its own */
        gpu_copy copy;
        gpu_fill fill;
        cuda_graph_t child;
        struct {
            void (*call)(void *);
            void *user;
        } call;
    } of;
    size_t param_bytes;
    void **pointers; /* to each parameter; NULL: nobody has asked */
    node **before;   /* that must have run */
    size_t before_count, before_room;
    int64_t run; /* the launch of the graph in which it ran last */
};

struct cuda_graph {
    int64_t number;
    node **nodes; /* owned; an executable graph refers to those of its graph */
    size_t count, room;
    int64_t runs;
};

static int64_t graphs;

static cuda_graph_t graph_new(void)
{
    cuda_graph_t g = calloc(1, sizeof *g);
    if (g)
        g->number = graphs++;
    return g;
}

static node *add(cuda_graph_t g, node_kind kind, node *const *before, size_t count)
{
    node *n = calloc(1, sizeof *n);
    if (!n || !WL_ROOM(g->nodes, g->count + 1, g->room) || !WL_ROOM(n->before, count, n->before_room)) {
        free(n);
        return NULL;
    }
    n->kind = kind;
    n->before_count = count;
    if (count > 0)
        memcpy(n->before, before, count * sizeof *before);
    return g->nodes[g->count++] = n;
}

/* ---- capture: in the order of the calls ---- */

static node *add_last(cuda_graph_t g, node_kind kind)
{
    node *const last = g->count > 0 ? g->nodes[g->count - 1] : NULL;
    return add(g, kind, &last, last ? 1 : 0);
}

static bool take_params(node *n, const gpu_launch *l, size_t bytes)
{
    uint8_t *own = malloc(bytes + 1);
    if (!own)
        return false;
    if (bytes > 0)
        memcpy(own, l->params, bytes);
    n->of.launch = *l;
    n->of.launch.params = own;
    n->param_bytes = bytes;
    return true;
}

cuda_error gpu_graph_add_launch(cuda_graph_t g, const gpu_launch *l, size_t bytes)
{
    node *n = add_last(g, NODE_LAUNCH);
    return n && take_params(n, l, bytes) ? CUDA_OK : CUDA_OUT_OF_MEMORY;
}

cuda_error gpu_graph_add_copy(cuda_graph_t g, const gpu_copy *copy)
{
    node *n = add_last(g, NODE_COPY);
    if (n)
        n->of.copy = *copy;
    return n ? CUDA_OK : CUDA_OUT_OF_MEMORY;
}

cuda_error gpu_graph_add_fill(cuda_graph_t g, const gpu_fill *fill)
{
    node *n = add_last(g, NODE_FILL);
    if (n)
        n->of.fill = *fill;
    return n ? CUDA_OK : CUDA_OUT_OF_MEMORY;
}

cuda_error gpu_graph_add_call(cuda_graph_t g, void (*call)(void *), void *user)
{
    node *n = add_last(g, NODE_CALL);
    if (n) {
        n->of.call.call = call;
        n->of.call.user = user;
    }
    return n ? CUDA_OK : CUDA_OUT_OF_MEMORY;
}

CUDA_CALL cudaStreamBeginCapture(cuda_stream_t stream, int mode);
CUDA_CALL cudaStreamEndCapture(cuda_stream_t stream, cuda_graph_t *graph);
CUDA_CALL cudaStreamIsCapturing(cuda_stream_t stream, int *status);
CUDA_CALL cudaThreadExchangeStreamCaptureMode(int *mode);

cuda_error cudaStreamBeginCapture(cuda_stream_t stream, int mode)
{
    (void)mode;
    (void)gpu_enter();
    if (!gpu_is_own_stream(stream) || stream->graph)
        return gpu_end(CUDA_CAPTURE_UNSUPPORTED);
    stream->graph = graph_new();
    return gpu_end(stream->graph ? CUDA_OK : CUDA_OUT_OF_MEMORY);
}

cuda_error cudaStreamEndCapture(cuda_stream_t stream, cuda_graph_t *graph)
{
    (void)gpu_enter();
    *graph = gpu_captures(stream);
    if (*graph)
        stream->graph = NULL;
    return gpu_end(*graph ? CUDA_OK : CUDA_INVALID_HANDLE);
}

cuda_error cudaStreamIsCapturing(cuda_stream_t stream, int *status)
{
    *status = gpu_captures(stream) != NULL;
    return CUDA_OK;
}

cuda_error cudaThreadExchangeStreamCaptureMode(int *mode)
{
    (void)mode;
    return CUDA_OK;
}

/* ---- node by node ---- */

typedef struct kernel_params {
    void *function;
    cuda_dim3 grid, block;
    unsigned shared;
    void **params, **extra;
} kernel_params;
typedef struct fill_params {
    void *to;
    size_t pitch;
    unsigned value, element;
    size_t width, height;
} fill_params;
typedef struct call_params {
    void (*call)(void *);
    void *user;
} call_params;

CUDA_CALL cudaGraphCreate(cuda_graph_t *graph, unsigned flags);
CUDA_CALL cudaGraphAddKernelNode(node **out, cuda_graph_t g, node *const *before, size_t count, const kernel_params *p);
CUDA_CALL cudaGraphAddMemcpyNode(node **out, cuda_graph_t g, node *const *before, size_t count, const cuda_copy_3d *c);
CUDA_CALL cudaGraphAddMemcpyNode1D(node **out, cuda_graph_t g, node *const *before, size_t count, void *to,
                                   const void *from, size_t bytes, int direction);
CUDA_CALL cudaGraphAddMemsetNode(node **out, cuda_graph_t g, node *const *before, size_t count, const fill_params *p);
CUDA_CALL cudaGraphAddHostNode(node **out, cuda_graph_t g, node *const *before, size_t count, const call_params *p);
CUDA_CALL cudaGraphAddEmptyNode(node **out, cuda_graph_t g, node *const *before, size_t count);
CUDA_CALL cudaGraphAddChildGraphNode(node **out, cuda_graph_t g, node *const *before, size_t count, cuda_graph_t child);
CUDA_CALL cudaGraphAddDependencies(cuda_graph_t g, node *const *from, node *const *to, size_t count);
CUDA_CALL cudaGraphGetNodes(cuda_graph_t g, node **nodes, size_t *count);
CUDA_CALL cudaGraphExecKernelNodeSetParams(cuda_graph_t g, node *n, const kernel_params *p);
CUDA_CALL cudaGraphKernelNodeSetParams(node *n, const kernel_params *p);
CUDA_CALL cudaGraphInstantiate(cuda_graph_t *out, cuda_graph_t g);
CUDA_CALL cudaGraphInstantiateWithFlags(cuda_graph_t *out, cuda_graph_t g);
CUDA_CALL cudaGraphClone(cuda_graph_t *out, cuda_graph_t g);
CUDA_CALL cudaGraphUpload(cuda_graph_t g, cuda_stream_t stream);
CUDA_CALL cudaGraphLaunch(cuda_graph_t g, cuda_stream_t stream);
CUDA_CALL cudaGraphExecDestroy(cuda_graph_t g);
CUDA_CALL cudaGraphDestroy(cuda_graph_t g);

cuda_error cudaGraphCreate(cuda_graph_t *graph, unsigned flags)
{
    (void)flags;
    (void)gpu_enter();
    *graph = graph_new();
    return gpu_end(*graph ? CUDA_OK : CUDA_OUT_OF_MEMORY);
}

static cuda_error set_kernel(gpu_world *w, node *n, const kernel_params *p)
{
    size_t bytes = 0;
    gpu_launch l = {.function = gpu_function_of(w, p->function),
                    .grid = p->grid,
                    .block = p->block,
                    .shared = p->shared,
                    .graph = -1};
    uint8_t *params = l.function && p->params ? gpu_params(w, l.function, p->params, &bytes) : NULL;
    if (!params)
        return CUDA_INVALID_FUNCTION;
    l.params = params;
    const bool taken = take_params(n, &l, bytes);
    free(params);
    return taken ? CUDA_OK : CUDA_OUT_OF_MEMORY;
}

cuda_error cudaGraphAddKernelNode(node **out, cuda_graph_t g, node *const *before, size_t count, const kernel_params *p)
{
    gpu_world *w = gpu_enter();
    *out = add(g, NODE_LAUNCH, before, count);
    return gpu_end(*out ? set_kernel(w, *out, p) : CUDA_OUT_OF_MEMORY);
}

cuda_error cudaGraphExecKernelNodeSetParams(cuda_graph_t g, node *n, const kernel_params *p)
{
    (void)g;
    return cudaGraphKernelNodeSetParams(n, p);
}

cuda_error cudaGraphKernelNodeSetParams(node *n, const kernel_params *p)
{
    gpu_world *w = gpu_enter();
    return gpu_end(n->kind == NODE_LAUNCH ? set_kernel(w, n, p) : CUDA_INVALID_VALUE);
}

static cuda_error add_copy(node **out, cuda_graph_t g, node *const *before, size_t count, gpu_copy copy)
{
    (void)gpu_enter();
    *out = add(g, NODE_COPY, before, count);
    if (*out)
        (*out)->of.copy = copy;
    return gpu_end(*out ? CUDA_OK : CUDA_OUT_OF_MEMORY);
}

cuda_error cudaGraphAddMemcpyNode1D(node **out, cuda_graph_t g, node *const *before, size_t count, void *to,
                                    const void *from, size_t bytes, int direction)
{
    return add_copy(out, g, before, count, (gpu_copy){to, from, bytes, bytes, bytes, 1, direction});
}

cuda_error cudaGraphAddMemcpyNode(node **out, cuda_graph_t g, node *const *before, size_t count, const cuda_copy_3d *c)
{
    if (c->from_array || c->to_array || c->extent.depth > 1)
        return gpu_missing("cudaGraphAddMemcpyNode with an array or several slices");
    uint8_t *to = (uint8_t *)c->to.pointer + c->to_at.x + c->to.pitch * c->to_at.y;
    const uint8_t *from = (const uint8_t *)c->from.pointer + c->from_at.x + c->from.pitch * c->from_at.y;
    return add_copy(out, g, before, count,
                    (gpu_copy){to, from, c->to.pitch, c->from.pitch, c->extent.width, c->extent.height, c->direction});
}

cuda_error cudaGraphAddMemsetNode(node **out, cuda_graph_t g, node *const *before, size_t count, const fill_params *p)
{
    (void)gpu_enter();
    *out = add(g, NODE_FILL, before, count);
    if (*out)
        (*out)->of.fill = (gpu_fill){p->to, p->pitch, p->width * p->element, p->height, (int)p->value, (int)p->element};
    return gpu_end(*out ? CUDA_OK : CUDA_OUT_OF_MEMORY);
}

cuda_error cudaGraphAddHostNode(node **out, cuda_graph_t g, node *const *before, size_t count, const call_params *p)
{
    (void)gpu_enter();
    *out = add(g, NODE_CALL, before, count);
    if (*out) {
        (*out)->of.call.call = p->call;
        (*out)->of.call.user = p->user;
    }
    return gpu_end(*out ? CUDA_OK : CUDA_OUT_OF_MEMORY);
}

cuda_error cudaGraphAddEmptyNode(node **out, cuda_graph_t g, node *const *before, size_t count)
{
    (void)gpu_enter();
    *out = add(g, NODE_EMPTY, before, count);
    return gpu_end(*out ? CUDA_OK : CUDA_OUT_OF_MEMORY);
}

cuda_error cudaGraphAddChildGraphNode(node **out, cuda_graph_t g, node *const *before, size_t count, cuda_graph_t child)
{
    (void)gpu_enter();
    *out = add(g, NODE_CHILD, before, count);
    if (*out)
        (*out)->of.child = child;
    return gpu_end(*out ? CUDA_OK : CUDA_OUT_OF_MEMORY);
}

cuda_error cudaGraphAddDependencies(cuda_graph_t g, node *const *from, node *const *to, size_t count)
{
    (void)g;
    (void)gpu_enter();
    for (size_t i = 0; i < count; i++) {
        if (!WL_ROOM(to[i]->before, to[i]->before_count + 1, to[i]->before_room))
            return gpu_end(CUDA_OUT_OF_MEMORY);
        to[i]->before[to[i]->before_count++] = from[i];
    }
    return gpu_end(CUDA_OK);
}

cuda_error cudaGraphGetNodes(cuda_graph_t g, node **nodes, size_t *count)
{
    for (size_t i = 0; nodes && i < *count && i < g->count; i++)
        nodes[i] = g->nodes[i];
    *count = g->count;
    return CUDA_OK;
}

/* ---- what a node is ---- */

CUDA_CALL cudaGraphNodeGetType(node *n, int *type);
CUDA_CALL cudaGraphKernelNodeGetParams(node *n, kernel_params *p);
CUDA_CALL cudaGraphMemsetNodeGetParams(node *n, fill_params *p);

cuda_error cudaGraphNodeGetType(node *n, int *type)
{
    static const int types[] = {
        [NODE_LAUNCH] = 0, [NODE_COPY] = 1, [NODE_FILL] = 2, [NODE_CALL] = 3, [NODE_CHILD] = 4, [NODE_EMPTY] = 5};
    *type = types[n->kind];
    return CUDA_OK;
}

static void point(void *user, int number, int64_t offset, int64_t bytes)
{
    node *n = user;
    (void)bytes;
    n->pointers[number] = (uint8_t *)(uintptr_t)n->of.launch.params + offset;
}

cuda_error cudaGraphKernelNodeGetParams(node *n, kernel_params *p)
{
    (void)gpu_enter();
    if (n->kind != NODE_LAUNCH)
        return gpu_end(CUDA_INVALID_VALUE);
    const gpu_launch *l = &n->of.launch;
    if (!n->pointers)
        n->pointers = calloc(n->param_bytes + 1, sizeof *n->pointers); /* each has a byte */
    if (!n->pointers)
        return gpu_end(CUDA_OUT_OF_MEMORY);
    (void)wl_ptx_runner_params(l->function->runner, point, n);
    *p = (kernel_params){l->function, l->grid, l->block, (unsigned)l->shared, n->pointers, NULL};
    return gpu_end(CUDA_OK);
}

cuda_error cudaGraphMemsetNodeGetParams(node *n, fill_params *p)
{
    (void)gpu_enter();
    const gpu_fill *f = &n->of.fill;
    if (n->kind != NODE_FILL)
        return gpu_end(CUDA_INVALID_VALUE);
    *p = (fill_params){f->to,    f->pitch, (unsigned)f->value, (unsigned)f->element, f->width / (size_t)f->element,
                       f->height};
    return gpu_end(CUDA_OK);
}

/* ---- launches ---- */

static cuda_error run_node(node *n, cuda_graph_t g, cuda_stream_t stream);

/* Nodes whose predecessors have run, until none is left: a graph has no cycle. */
static cuda_error run_graph(cuda_graph_t g, cuda_stream_t stream)
{
    cuda_error error = CUDA_OK;
    const int64_t now = ++g->runs;
    for (bool again = true; again && error == CUDA_OK;) {
        again = false;
        for (size_t i = 0; i < g->count && error == CUDA_OK; i++) {
            node *n = g->nodes[i];
            bool ready = n->run != now;
            for (size_t k = 0; k < n->before_count && ready; k++)
                ready = n->before[k]->run == now;
            if (!ready)
                continue;
            n->run = now;
            again = true;
            error = run_node(n, g, stream);
        }
    }
    return error;
}

static cuda_error run_node(node *n, cuda_graph_t g, cuda_stream_t stream)
{
    if (n->kind == NODE_CHILD)
        return run_graph(n->of.child, stream);
    if (n->kind == NODE_CALL) { /* outside of the lock */
        n->of.call.call(n->of.call.user);
        return CUDA_OK;
    }
    gpu_world *w = gpu_enter();
    if (n->kind == NODE_COPY)
        return gpu_end(gpu_do_copy(w, &n->of.copy, stream));
    if (n->kind == NODE_FILL)
        return gpu_end(gpu_do_fill(w, &n->of.fill, stream));
    if (n->kind == NODE_EMPTY)
        return gpu_end(CUDA_OK);
    gpu_launch l = n->of.launch;
    l.stream = stream;
    l.graph = g->number;
    return gpu_end(gpu_do_launch(w, &l));
}

cuda_error cudaGraphLaunch(cuda_graph_t g, cuda_stream_t stream) { return run_graph(g, stream); }

/* An executable graph is the graph itself: nothing is optimized. Other parameters of the call
 * differ from version to version. */
cuda_error cudaGraphInstantiate(cuda_graph_t *out, cuda_graph_t g)
{
    *out = g;
    return g ? CUDA_OK : CUDA_INVALID_VALUE;
}

cuda_error cudaGraphInstantiateWithFlags(cuda_graph_t *out, cuda_graph_t g) { return cudaGraphInstantiate(out, g); }
cuda_error cudaGraphClone(cuda_graph_t *out, cuda_graph_t g) { return cudaGraphInstantiate(out, g); }

cuda_error cudaGraphUpload(cuda_graph_t g, cuda_stream_t stream)
{
    (void)g, (void)stream;
    return CUDA_OK;
}

/* Executable graphs may outlive their graph, so that neither frees the nodes. */
cuda_error cudaGraphExecDestroy(cuda_graph_t g)
{
    (void)g;
    return CUDA_OK;
}

cuda_error cudaGraphDestroy(cuda_graph_t g)
{
    (void)g;
    return CUDA_OK;
}
