/* device_internal.h - the fields of a device, for the library only. Values are in base units
 * (base/units.h).
 *
 * Layer  device (uses base). Oracle: tests/unit/test_device.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_DEVICE_INTERNAL_H
#define WL_DEVICE_INTERNAL_H

#include <string.h>

#include "base/arena.h"
#include "base/units.h"
#include "warpline/device.h"

/* What it means when a file lacks the key: see device_keys.def. */
typedef enum wl_device_need { WL_NEED_OPTIONAL, WL_NEED_REQUIRED, WL_NEED_ASSUMED } wl_device_need;

typedef enum wl_device_role { WL_ROLE_PRIMARY, WL_ROLE_LAW, WL_ROLE_TRUST } wl_device_role;

/* What a number can be a share of: see basis.c. */
typedef enum wl_basis {
    WL_OF_NOTHING,
    WL_OF_CLOCK,
    WL_OF_ALL_CYCLES,
    WL_OF_L2_SIZE,
    WL_OF_L2_PART,
    WL_OF_L2_BANDWIDTH,
    WL_OF_L2_READS,
    WL_OF_L2_LATENCY,
    WL_OF_DRAM_PEAK,
    WL_OF_DRAM_BANDWIDTH,
    WL_OF_DRAM_LATENCY,
    WL_OF_FP32_LATENCY,
    WL_OF_SFU_LATENCY,
    WL_OF_INT32_RATE,
    WL_OF_SFU_RATE,
    WL_OF_LAUNCH_OVERHEAD,
    WL_BASES
} wl_basis;

typedef struct wl_device_key_info {
    const char *name;
    wl_device_role role;
    wl_dimension dimension;
    wl_device_need need;
    wl_basis of;
    bool list;
    const char *meaning;
} wl_device_key_info;
extern const wl_device_key_info wl_device_keys[WL_DEVICE_KEY_COUNT];

/* Whose number it is. */
typedef enum wl_owner { WL_OWNER_DEVICE, WL_OWNER_ARCHITECTURE, WL_OWNER_OTHER } wl_owner;

typedef struct wl_device_entry {
    size_t count; /* 0: the device lacks this number */
    double values[WL_DEVICE_LIST_MAX];
    const char *source;
    wl_loc loc;
    wl_owner owner;
    const char *from; /* inherited: the device or architecture whose file states it; else NULL */
    bool moved;       /* by a what-if that changed what it is a share of */
} wl_device_entry;

#define WL_SET_BY_USER "set by the user" /* the source of a what-if */
static inline bool wl_entry_is_set(const wl_device_entry *e)
{
    return e->source && strcmp(e->source, WL_SET_BY_USER) == 0;
}

struct wl_device {
    wl_arena arena;
    const char *name, *title, *vendor, *architecture, *compute_capability;
    const char *like; /* the built-in device whose numbers it has where it states none; "" */
    wl_device_entry entries[WL_DEVICE_KEY_COUNT];
};

/* The architecture with the most measurements: a device of an unknown one is assumed to have its
 * numbers. */
#define WL_STAND_IN_ARCHITECTURE "hopper"

/* What all architectures have in common, and what is believed of a device that was not measured:
 * an incomplete device, without a name. Free it with wl_device_free. */
wl_status wl_device_common(wl_device **out, wl_error *err);

bool wl_device_key_find(const char *name, wl_device_key *key);

/* Fails with advice if the name is that of a key of an earlier version. */
wl_status wl_device_key_still_is(const char *name, wl_loc loc, wl_error *err);

/* Checks the numbers, alone and together; the message points at the offending entry. */
wl_status wl_device_check(const wl_device *device, wl_error *err);

/* The range of plausible values of a key, in base units; false: any value is plausible. A device
 * with a value outside its range is refused. */
bool wl_device_range(wl_device_key key, double *least, double *most);
wl_status wl_device_plausible(const wl_device *device, wl_error *err);

/* What kind of source a number has; false: the device has none. */
typedef enum wl_source_kind {
    WL_SOURCE_MEASURED,   /* on such a GPU, by this project                        */
    WL_SOURCE_FITTED,     /* so that predictions match measured launches           */
    WL_SOURCE_PUBLISHED,  /* measured or stated by others                          */
    WL_SOURCE_DATA_SHEET, /* of the vendor: data sheets, guides, white papers      */
    WL_SOURCE_ASSUMED,    /* that of another GPU, scaled or not                    */
    WL_SOURCE_USER,       /* a what-if                                             */
    WL_SOURCE_KINDS
} wl_source_kind;
const char *wl_source_kind_name(wl_source_kind kind);
bool wl_source_kind_of(const wl_device *device, wl_device_key key, wl_source_kind *kind);

/* A copy whose numbers can be changed; its texts are those of the original, which must outlive
 * it. */
wl_status wl_device_copy(const wl_device *device, wl_device **out, wl_error *err);

/* What the vendor calls a multiprocessor: "SM", or "CU" (compute unit) on AMD's chips. */
const char *wl_device_sm_word(const wl_device *device);
/* The word in a stored prediction. Older ones have none: "SM" for NULL and any other text. */
const char *wl_sm_word_named(const char *text);
/* The word for two devices together: "SM|CU" where their vendors differ. */
const char *wl_sm_word_of_both(const char *a, const char *b);

/* 90 of "9.0"; 0: the device has none. */
int wl_device_capability(const wl_device *device);

/* A number, or another where the device has none. */
static inline double wl_device_or(const wl_device *device, wl_device_key key, double otherwise)
{
    double value = otherwise;
    (void)wl_device_get(device, key, &value);
    return value;
}

/* An integer that every device has. */
int64_t wl_device_int(const wl_device *device, wl_device_key key);

/* On every GPU known, banks of the L1 and of shared memory are words of 32 bits wide, and shared
 * memory has 32 of them. */
#define WL_BANK_WORD 4
#define WL_SHARED_BANKS 32

/* The numbers of a list [x, y, z] that every device has. */
void wl_device_extents(const wl_device *device, wl_device_key key, int64_t extents[3]);
int64_t wl_most_threads(const wl_device *device); /* of a block */

/* The first n numbers of a list, as far as it has them; the others stay as they are. */
static inline void wl_device_read_list(const wl_device *device, wl_device_key key, double *values, size_t n)
{
    for (size_t i = 0; i < n && i < wl_device_list_length(device, key); i++)
        values[i] = wl_device_list_value(device, key, i);
}

#endif /* WL_DEVICE_INTERNAL_H */
