/* native.h - kernels that take long are compiled by the C compiler of the machine, if it has one,
 * while the emulator carries on. SPDX-License-Identifier: MIT */
#ifndef WL_PRELOAD_NATIVE_H
#define WL_PRELOAD_NATIVE_H

#include "world.h"

/* The kernel has taken so many more seconds of emulation: looks whether its code is ready, or is
 * worth compiling. */
void gpu_native_look(gpu_world *w, gpu_function *f, double seconds);
/* At the end of the program: leaves no compiler and no file behind. */
void gpu_native_end(gpu_world *w);

#endif /* WL_PRELOAD_NATIVE_H */
