/* load_many_avx2.c - load_many.c for machines with vectors of 32 bytes (AVX2): CMakeLists.txt tells
 * the compiler, if it knows them; cache.c asks the machine. SPDX-License-Identifier: MIT */
#if defined(WARPLINE_AVX2)
#define WL_LOAD_MANY wl_load_many_avx2
#include "cache/load_many.c" /* NOLINT(bugprone-suspicious-include) */
#else
typedef int wl_load_many_no_avx2; /* a file is not empty */
#endif
