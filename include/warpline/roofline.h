/* roofline.h - rates of launches under the ceilings of a device: classic, by level of memory, and
 * of instructions.
 * SPDX-License-Identifier: MIT */
#ifndef WL_ROOFLINE_H
#define WL_ROOFLINE_H

#include "warpline/predict.h"
#include "warpline/tallies.h"

typedef enum wl_roofline_kind {
    WL_ROOFLINE_CLASSIC,      /* flops over bytes of device memory */
    WL_ROOFLINE_HIERARCHICAL, /* and of L1 and L2, with ceilings inside the multiprocessors */
    /* warp instructions over transactions of 32 bytes (Ding and Williams 2019) */
    WL_ROOFLINE_INSTRUCTION,
    /* classic, with the ceilings of kernels without fused multiply-adds, and without instruction-
     * and thread-level parallelism */
    WL_ROOFLINE_PARALLELISM,
    WL_ROOFLINE_KIND_COUNT
} wl_roofline_kind;
WL_API const char *wl_roofline_kind_name(wl_roofline_kind kind);
WL_API bool wl_roofline_kind_find(const char *name, wl_roofline_kind *kind);

/* What a prediction counts; instruction counts are most accurate if the options asked for
 * emulation. The name is the kernel's, there is no text of the launch. */
WL_API void wl_tallies_predicted(const wl_prediction *prediction, const wl_kernel *kernel, const wl_device *device,
                                 wl_tallies *out);

/* A picture: the ceilings of a device, and launches under them. It copies what it is given. */
typedef struct wl_roofline wl_roofline;
WL_FALLIBLE wl_roofline_new(wl_roofline_kind kind, const wl_device *device, wl_roofline **out, wl_error *err);
/* WL_E_UNSUPPORTED: this kind cannot show the launch, for example one without flops; the message
 * names a kind that can. */
WL_FALLIBLE wl_roofline_add(wl_roofline *roofline, const wl_tallies *launch, wl_error *err);
WL_API void wl_roofline_free(wl_roofline *roofline);

#endif /* WL_ROOFLINE_H */
