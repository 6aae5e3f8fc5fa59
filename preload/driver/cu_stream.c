/* cu_stream.c - the driver's calls about streams, events and graphs.
 * SPDX-License-Identifier: MIT */
#include "driver.h"

SAME(cuStreamCreate, cudaStreamCreateWithFlags, (cuda_stream_t * stream, unsigned flags), (stream, flags))
SAME(cuStreamCreateWithPriority, cudaStreamCreateWithPriority, (cuda_stream_t * stream, unsigned flags, int priority),
     (stream, flags, priority))
SAME(cuStreamDestroy_v2, cudaStreamDestroy, (cuda_stream_t stream), (stream))
SAME(cuStreamSynchronize, cudaStreamSynchronize, (cuda_stream_t stream), (stream))
SAME(cuStreamQuery, cudaStreamQuery, (cuda_stream_t stream), (stream))
SAME(cuStreamWaitEvent, cudaStreamWaitEvent, (cuda_stream_t stream, cuda_event_t event, unsigned flags),
     (stream, event, flags))
SAME(cuStreamGetPriority, cudaStreamGetPriority, (cuda_stream_t stream, int *priority), (stream, priority))
SAME(cuStreamGetFlags, cudaStreamGetFlags, (cuda_stream_t stream, unsigned *flags), (stream, flags))
SAME(cuLaunchHostFunc, cudaLaunchHostFunc, (cuda_stream_t stream, void (*call)(void *), void *user),
     (stream, call, user))
SAME(cuStreamAddCallback, cudaStreamAddCallback,
     (cuda_stream_t stream, void (*call)(cuda_stream_t, cuda_error, void *), void *user, unsigned flags),
     (stream, call, user, flags))
SAME(cuStreamAttachMemAsync, cudaStreamAttachMemAsync,
     (cuda_stream_t stream, void *pointer, size_t bytes, unsigned flags), (stream, pointer, bytes, flags))

SAME(cuEventCreate, cudaEventCreateWithFlags, (cuda_event_t * event, unsigned flags), (event, flags))
SAME(cuEventDestroy_v2, cudaEventDestroy, (cuda_event_t event), (event))
SAME(cuEventRecord, cudaEventRecord, (cuda_event_t event, cuda_stream_t stream), (event, stream))
SAME(cuEventRecordWithFlags, cudaEventRecordWithFlags, (cuda_event_t event, cuda_stream_t stream, unsigned flags),
     (event, stream, flags))
SAME(cuEventSynchronize, cudaEventSynchronize, (cuda_event_t event), (event))
SAME(cuEventQuery, cudaEventQuery, (cuda_event_t event), (event))
SAME(cuEventElapsedTime, cudaEventElapsedTime, (float *milliseconds, cuda_event_t from, cuda_event_t to),
     (milliseconds, from, to))

SAME(cuStreamBeginCapture_v2, cudaStreamBeginCapture, (cuda_stream_t stream, int mode), (stream, mode))
SAME(cuStreamEndCapture, cudaStreamEndCapture, (cuda_stream_t stream, cuda_graph_t *graph), (stream, graph))
SAME(cuStreamIsCapturing, cudaStreamIsCapturing, (cuda_stream_t stream, int *status), (stream, status))
SAME(cuThreadExchangeStreamCaptureMode, cudaThreadExchangeStreamCaptureMode, (int *mode), (mode))
SAME(cuGraphCreate, cudaGraphCreate, (cuda_graph_t * graph, unsigned flags), (graph, flags))
SAME(cuGraphInstantiateWithFlags, cudaGraphInstantiateWithFlags, (cuda_graph_t * out, cuda_graph_t graph), (out, graph))
SAME(cuGraphLaunch, cudaGraphLaunch, (cuda_graph_t graph, cuda_stream_t stream), (graph, stream))
SAME(cuGraphUpload, cudaGraphUpload, (cuda_graph_t graph, cuda_stream_t stream), (graph, stream))
SAME(cuGraphGetNodes, cudaGraphGetNodes, (cuda_graph_t graph, void **nodes, size_t *count), (graph, nodes, count))
SAME(cuGraphNodeGetType, cudaGraphNodeGetType, (void *node, int *type), (node, type))
SAME(cuGraphMemsetNodeGetParams, cudaGraphMemsetNodeGetParams, (void *node, void *params), (node, params))
ACCEPTED(cuGraphExecDestroy)
ACCEPTED(cuGraphDestroy)

CUDA_CALL cudaGraphKernelNodeGetParams(void *node, void *params);
CUDA_CALL cuGraphKernelNodeGetParams_v2(void *node, cuda_driver_node *params);
CUDA_CALL cuKernelGetFunction(void **function, void *kernel);

/* The runtime's struct is the first part of the driver's, which names the function that it made. */
cuda_error cuGraphKernelNodeGetParams_v2(void *node, cuda_driver_node *params)
{
    *params = (cuda_driver_node){0};
    const cuda_error error = gpu_as_driver(cudaGraphKernelNodeGetParams(node, params));
    return error == CUDA_OK ? cuKernelGetFunction(&params->function, params->function) : error;
}
