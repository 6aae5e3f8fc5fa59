/* estimates.h - instructions of a thread that neither the accesses nor the results of a kernel file
 * show. The compiler adds them, so they are the same on all devices: section `estimates` of
 * share/costs/sm_90.yaml.
 *
 * Layer  laws (uses base). Oracle: tests/unit/test_thread.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_LAWS_ESTIMATES_H
#define WL_LAWS_ESTIMATES_H

#include "warpline/status.h"

typedef struct wl_estimates {
    double start_instructions;      /* that every thread executes in addition */
    double coordinate_instructions; /* per coordinate of a thread's cell */
    double address_instructions;    /* per 64-bit address */
    /* of an integer division or remainder, except by powers of two */
    double division_instructions;
    double registers_in_flight; /* of 32 bits, for loads that a warp waits for together */
} wl_estimates;

/* WL_E_INPUT: a number without unit and source, or none at all. */
wl_status wl_estimates_parse(const char *input, const char *text, size_t length, wl_estimates *out, wl_error *err);
/* The built-in ones. */
wl_status wl_estimates_read(wl_estimates *out, wl_error *err);

#endif /* WL_LAWS_ESTIMATES_H */
