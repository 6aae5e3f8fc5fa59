/* thread_number.h - the number of this thread among those that share a loop.
 * Layer  base. SPDX-License-Identifier: MIT */
#ifndef WL_BASE_THREAD_NUMBER_H
#define WL_BASE_THREAD_NUMBER_H

#ifdef _OPENMP
#include <omp.h>
#endif

/* 0 without OpenMP. */
static inline int wl_thread_number(void)
{
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

#endif /* WL_BASE_THREAD_NUMBER_H */
