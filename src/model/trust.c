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

static void read_numbers(const wl_device *device, wl_trust *out)
{
    out->level_count = wl_device_list_length(device, WL_DEVICE_rank_ratio);
    out->error = log(wl_device_or(device, WL_DEVICE_rank_error, 1));
    wl_device_read_list(device, WL_DEVICE_rank_ratio, out->ratio, out->level_count);
    out->assumed = starts_with(wl_device_source(device, WL_DEVICE_rank_ratio), "assumed");
}

/* The source up to its first ';': tables and date follow it. */
static void write_basis(const wl_device *device, const char *name, const char *between, wl_trust *out)
{
    static const char measured[] = "measured: ";
    const char *source = wl_device_source(device, WL_DEVICE_rank_ratio);
    if (starts_with(source, measured))
        source += strlen(measured);
    (void)snprintf(out->basis, sizeof out->basis, "%s%s%.*s", name, between, (int)strcspn(source, ";"), source);
    wl_text_mend_end(out->basis);
}

/* A device whose times are known to be worse than those behind the numbers believed of every
 * GPU. */
static wl_status widen(const wl_device *device, wl_trust *out, wl_error *err)
{
    wl_confidence known;
    WL_TRY(wl_confidence_of(device, WL_MODEL_TURNOVER, WL_CONFIDENCE_TIME, &known, err));
    const double wider = known.measured ? log(1 + known.high) / out->error : 1;
    const size_t length = strlen(out->basis);
    if (!(wider > 1))
        return WL_OK;
    (void)snprintf(out->basis + length, sizeof out->basis - length, ", wider on this GPU");
    wl_text_mend_end(out->basis);
    out->error *= wider;
    for (size_t i = 0; i < out->level_count; i++)
        out->ratio[i] = pow(out->ratio[i], wider);
    return WL_OK;
}

/* Searches are judged by the times of the model turnover, the default where a device has its
 * numbers. */
static bool is_judged(const wl_device *device, wl_model_id model)
{
    wl_turnover numbers;
    const char *missing;
    return model == WL_MODEL_TURNOVER || (model == WL_MODEL_BEST && wl_turnover_read(device, &numbers, &missing));
}

/* Does the device itself have this number? */
static bool is_own(const wl_device *device, wl_device_key key)
{
    return wl_device_list_length(device, key) > 0 && !wl_device_inherited_from(device, key);
}

wl_status wl_trust_of(const wl_device *device, wl_model_id model, wl_trust *out, wl_error *err)
{
    wl_device *common = NULL;
    *out = (wl_trust){0};
    if (is_judged(device, model) && is_own(device, WL_DEVICE_rank_ratio) && is_own(device, WL_DEVICE_rank_error)) {
        read_numbers(device, out);
        write_basis(device, wl_device_name(device), ": ", out);
        return WL_OK;
    }
    WL_TRY(wl_device_common(&common, err));
    read_numbers(common, out);
    write_basis(common, "", "", out);
    out->assumed = true;
    wl_device_free(common);
    return widen(device, out, err);
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
