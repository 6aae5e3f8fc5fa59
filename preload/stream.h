/* stream.h - streams and events as the double has them.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PRELOAD_STREAM_H
#define WL_PRELOAD_STREAM_H

#include "world.h"

struct cuda_stream {
    int64_t number;
    cuda_graph_t graph; /* that its work becomes part of; NULL: none */
};

struct cuda_event {
    int64_t number;
    double time;
    bool recorded;
    cuda_graph_t graph; /* in whose capture it was recorded last */
};

bool gpu_is_own_stream(cuda_stream_t stream);

#endif /* WL_PRELOAD_STREAM_H */
