/* memo.h - launches that a program repeats.
 * SPDX-License-Identifier: MIT */
#ifndef WL_PRELOAD_MEMO_H
#define WL_PRELOAD_MEMO_H

#include "world.h"

/* Would looking for an equal launch cost less than carrying it out? */
bool gpu_memo_pays(gpu_world *w, const gpu_launch *launch, size_t param_bytes);
/* Does what an equal launch before has done; false: there was none. */
bool gpu_memo_again(gpu_world *w, const gpu_launch *launch, size_t param_bytes);
/* Before a launch is carried out, and after it: `uses` by allocation. */
gpu_memo *gpu_memo_begin(gpu_world *w, const gpu_launch *launch, size_t param_bytes);
void gpu_memo_end(gpu_world *w, const gpu_launch *launch, gpu_memo *memo, const uint8_t *uses);

#endif /* WL_PRELOAD_MEMO_H */
