/* device.h - everything the models need to know about a GPU, as data.
 *
 * Each number carries its unit and its source. One that is not known is absent: a model that wants
 * it either has a documented fallback, named in a warning, or refuses.
 * SPDX-License-Identifier: MIT */
#ifndef WL_DEVICE_H
#define WL_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "warpline/status.h"

typedef struct wl_device wl_device;

typedef enum wl_device_key {
#define WL_DEVICE_KEY(name, role, dimension, need, of, meaning) WL_DEVICE_##name,
#include "warpline/device_keys.def"
    WL_DEVICE_KEY_COUNT
} wl_device_key;

#define WL_DEVICE_LIST_MAX 40 /* values in one list-valued key */
#define WL_TRUST_LEVELS 8     /* probabilities that rank_ratio has values for: trust.h */

/* The built-in devices, in alphabetical order. */
WL_API size_t wl_device_builtin_count(void);
WL_API const char *wl_device_builtin_name(size_t index);
/* The YAML text of a built-in device, or NULL; *length is set when not NULL. */
WL_API const char *wl_device_builtin_text(const char *name, size_t *length);

/* Gives the built-in device of that name. WL_E_INPUT when there is none, with the nearest name. */
WL_FALLIBLE wl_device_builtin(const char *name, wl_device **out, wl_error *err);

/* Gives the device described by a YAML text. `input` names the text in messages.
 * WL_E_INPUT: malformed text, unknown key, wrong unit, missing source, a required number
 * missing. */
WL_FALLIBLE wl_device_parse(const char *input, const char *text, size_t length, wl_device **out, wl_error *err);
WL_API void wl_device_free(wl_device *device);

/* A what-if: "l2_size=80MiB", "l1_miss_curve=[0.5,6,1.2]"; a bare number is in the base unit. */
WL_FALLIBLE wl_device_set(wl_device *device, const char *assignment, wl_error *err);

/* The file of a GPU that does not exist, say one changed by what-ifs: `like` names the built-in
 * device that the rest is inherited from; NULL: the file states everything. */
WL_FALLIBLE wl_device_derive(const wl_device *device, const char *name, const char *like, char **out, wl_error *err);

WL_API const char *wl_device_name(const wl_device *device);
WL_API const char *wl_device_title(const wl_device *device);
WL_API const char *wl_device_architecture(const wl_device *device);
/* "9.0"; NULL: the file does not say. */
WL_API const char *wl_device_compute_capability(const wl_device *device);

/* The value in base units (bytes, Hz, bytes/s, cycles, seconds). False when the device has none. */
WL_API bool wl_device_get(const wl_device *device, wl_device_key key, double *value);
/* How many values a list-valued key holds (0 when absent), and one of them. */
WL_API size_t wl_device_list_length(const wl_device *device, wl_device_key key);
WL_API double wl_device_list_value(const wl_device *device, wl_device_key key, size_t index);

/* About a key: its name in files, what it means, whether every device must have it. */
WL_API const char *wl_device_key_name(wl_device_key key);
WL_API const char *wl_device_key_meaning(wl_device_key key);
WL_API bool wl_device_key_required(wl_device_key key);
/* The value as text with a unit ("40 MiB"), "" when absent, and where it comes from: of a number
 * that a file says the device does not have, why; else "" when absent. */
WL_API void wl_device_value_text(const wl_device *device, wl_device_key key, char *text, size_t size);
WL_API const char *wl_device_source(const wl_device *device, wl_device_key key);
/* Whose number it is: NULL for the device's own, else the architecture or built-in device that it
 * is inherited from. */
WL_API const char *wl_device_inherited_from(const wl_device *device, wl_device_key key);
/* Is the number one of the hardware, which data sheets and simple benchmarks give, not of a law? */
WL_API bool wl_device_key_primary(wl_device_key key);
/* What the number is a share of, as files write it ("dram_bandwidth"), or NULL; and the share. */
WL_API const char *wl_device_share_of(wl_device_key key);
WL_API bool wl_device_share(const wl_device *device, wl_device_key key, size_t index, double *share);

#endif /* WL_DEVICE_H */
