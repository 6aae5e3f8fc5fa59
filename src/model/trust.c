/* trust.c - see warpline/trust.h.
 *
 * Layer  model (uses device). Oracle: tests/unit/test_trust.c.
 * SPDX-License-Identifier: MIT */
#include "warpline/trust.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "device/device_internal.h"
#include "model/turnover.h"
#include "model/trust_level.h"

#define ROUNDING 1e-9 /* of probabilities */

/* Probabilities that belong to the values of rank_ratio, as listed in device_keys.def. */
static const double levels[WL_TRUST_LEVELS] = {0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95};

double wl_trust_level(size_t index) { return index < WL_TRUST_LEVELS ? levels[index] : 1; }

static bool starts_with(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

/* False if the device lacks a number of the model. */
static bool read_numbers(const wl_device *device, bool limiter, wl_trust *out)
{
    const wl_device_key ratios = limiter ? WL_DEVICE_rank_ratio_limiter : WL_DEVICE_rank_ratio;
    const wl_device_key tie = limiter ? WL_DEVICE_rank_error_limiter : WL_DEVICE_rank_error;
    double factor;
    out->level_count = wl_device_list_length(device, ratios);
    if (out->level_count == 0 || !wl_device_get(device, tie, &factor))
        return false;
    out->error = log(factor);
    wl_device_read_list(device, ratios, out->ratio, out->level_count);
    out->assumed = starts_with(wl_device_source(device, ratios), "assumed");
    return true;
}

/* The source up to its first ';': tables and date follow it. */
static void write_basis(const wl_device *device, bool limiter, const char *before, const char *between, wl_trust *out)
{
    static const char measured[] = "measured: ";
    const char *source = wl_device_source(device, limiter ? WL_DEVICE_rank_ratio_limiter : WL_DEVICE_rank_ratio);
    if (starts_with(source, measured))
        source += strlen(measured);
    (void)snprintf(out->basis, sizeof out->basis, "%s%s%s%.*s", before, wl_device_name(device), between,
                   (int)strcspn(source, ";"), source);
    wl_text_mend_end(out->basis);
}

/* Predictions on a GPU without measured searches have a larger error than those of the coarser
 * model on the measured GPU: the error known for this device, else that of published launches on
 * other GPUs. */
static wl_status widen(const wl_device *device, wl_model_id model, const wl_device *other, wl_trust *out, wl_error *err)
{
    wl_confidence known;
    double factor = 1;
    WL_TRY(wl_confidence_of(device, model, WL_CONFIDENCE_TIME, &known, err));
    if (known.measured)
        factor = 1 + known.high;
    else
        (void)wl_device_get(other, WL_DEVICE_transfer_rank_error, &factor);
    const double wider = log(factor) / out->error;
    const size_t length = strlen(out->basis);
    if (!(wider > 1))
        return WL_OK;
    (void)snprintf(out->basis + length, sizeof out->basis - length, ", wider on %s",
                   known.measured ? "this GPU" : "other GPUs");
    wl_text_mend_end(out->basis);
    out->error *= wider;
    for (size_t i = 0; i < out->level_count; i++)
        out->ratio[i] = pow(out->ratio[i], wider);
    return WL_OK;
}

static bool is_limiter(const wl_device *device, wl_model_id model)
{
    wl_turnover numbers;
    const char *missing;
    return model == WL_MODEL_LIMITER || model == WL_MODEL_FOUR_LIMITERS ||
           (model == WL_MODEL_BEST && !wl_turnover_read(device, &numbers, &missing));
}

wl_status wl_trust_of(const wl_device *device, wl_model_id model, wl_trust *out, wl_error *err)
{
    const bool limiter = is_limiter(device, model);
    wl_device *other = NULL;
    *out = (wl_trust){0};
    /* the interval models have no measured searches */
    const bool measured = model <= WL_MODEL_TURNOVER;
    if (measured && read_numbers(device, limiter, out)) {
        write_basis(device, limiter, "", ": ", out);
        return WL_OK;
    }
    *out = (wl_trust){0};
    WL_TRY(wl_device_builtin(WL_STAND_IN, &other, err));
    const bool known = read_numbers(other, true, out);
    write_basis(other, true, "assumed: ", ", limiter model, ", out);
    out->assumed = true;
    const wl_status status =
        known ? widen(device, limiter ? WL_MODEL_LIMITER : WL_MODEL_TURNOVER, other, out, err) : WL_OK;
    wl_device_free(other);
    return known ? status : wl_fail(err, WL_E_UNSUPPORTED, WL_NOWHERE, "no device has rank_ratio_limiter");
}

bool wl_trust_ratio(const wl_trust *trust, double probability, double *ratio)
{
    for (size_t i = 0; i < trust->level_count; i++) {
        if (levels[i] >= probability - ROUNDING) {
            *ratio = trust->ratio[i];
            return true;
        }
    }
    return false;
}

double wl_trust_probability(const wl_trust *trust, double ratio)
{
    double probability = 0;
    for (size_t i = 0; i < trust->level_count; i++)
        if (trust->ratio[i] <= ratio)
            probability = levels[i];
    return probability;
}
