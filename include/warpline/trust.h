/* trust.h - how far the order of predicted times can be trusted: ties, and how many launches to
 * measure so that the fastest is among them. The numbers come from measured searches (compare.h)
 * and are in the device file; docs/model.md, "How far a ranking can be trusted".
 * SPDX-License-Identifier: MIT */
#ifndef WL_TRUST_H
#define WL_TRUST_H

#include "warpline/predict.h"

typedef struct wl_trust {
    /* a tie: predicted times within a factor of exp(error) of each other */
    double error;
    /* levels whose ratio is known: 1 .. WL_TRUST_LEVELS */
    size_t level_count;
    /* the fastest launch is predicted within this factor of the best, per level */
    double ratio[WL_TRUST_LEVELS];
    /* of another device, or of another model */
    bool assumed;
    /* what it rests on: "h200: 122 searches over 22 kernel families" */
    char basis[160];
} wl_trust;

/* For rankings by the model that made the times (WL_MODEL_BEST: turnover where the device has its
 * numbers). Other models than turnover, and devices without measured searches, get what is believed
 * of every GPU, marked as assumed; wider if the error of times on this device is known to be
 * larger. WL_E_NOMEM only. */
WL_FALLIBLE wl_trust_of(const wl_device *device, wl_model_id model, wl_trust *out, wl_error *err);

/* The factor R such that the fastest launch is among those predicted within R of the best with at
 * least this probability; between two levels, that of the higher one. False when no level known is
 * that high. */
WL_API bool wl_trust_ratio(const wl_trust *trust, double probability, double *ratio);

/* The probability that the fastest launch is among those predicted within this factor of the best:
 * that of the highest level it reaches, 0 when it reaches none. */
WL_API double wl_trust_probability(const wl_trust *trust, double ratio);

/* ---- confidence: how far off predictions on a device are known or believed to be ---- */

typedef enum wl_confidence_in { WL_CONFIDENCE_TIME, WL_CONFIDENCE_VOLUMES, WL_CONFIDENCE_COUNT } wl_confidence_in;

typedef struct wl_confidence {
    /* else low and high say nothing, and the basis why */
    bool known;
    /* on this very device; else believed, from what other GPUs show */
    bool measured;
    /* mean relative error, from one kind of kernels to another */
    double low, high;
    /* from which data */
    char basis[512];
} wl_confidence;

/* Of predictions made by this model, never WL_MODEL_BEST. WL_E_NOMEM only. */
WL_FALLIBLE wl_confidence_of(const wl_device *device, wl_model_id model, wl_confidence_in in, wl_confidence *out,
                             wl_error *err);

#endif /* WL_TRUST_H */
