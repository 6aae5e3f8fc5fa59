/* device.c - a device in memory: its keys, their values, and what-if changes. device_file.c reads
 * files, device_check.c checks them.
 *
 * Layer  device (uses base).
 * SPDX-License-Identifier: MIT */
#include "device/device_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ckd.h"
#include "base/fail.h"
#include "base/text.h"
#include "device/basis.h"

const wl_device_key_info wl_device_keys[WL_DEVICE_KEY_COUNT] = {
#define ROW(name, role, dimension, need, of, list, meaning)                                                            \
    {#name, WL_ROLE_##role, WL_DIM_##dimension, WL_NEED_##need, WL_OF_##of, list, meaning},
#define WL_DEVICE_KEY(name, role, dimension, need, of, meaning) ROW(name, role, dimension, need, of, false, meaning)
#define WL_DEVICE_LIST(name, role, dimension, need, of, meaning) ROW(name, role, dimension, need, of, true, meaning)
#include "warpline/device_keys.def"
};

bool wl_device_key_find(const char *name, wl_device_key *key)
{
    for (size_t i = 0; i < WL_DEVICE_KEY_COUNT; i++) {
        if (strcmp(wl_device_keys[i].name, name) == 0) {
            *key = (wl_device_key)i;
            return true;
        }
    }
    return false;
}

/* Files that `make calibrate` wrote may have them. */
wl_status wl_device_key_still_is(const char *name, wl_loc loc, wl_error *err)
{
    static const char unused[] = ", as no model needs it: delete its line",
                      limiter[] = ", as errors are those of the default time model: delete its line",
                      every[] = ", as it is the same on every GPU: delete its line",
                      compiler[] = ", as it is the compiler's (share/costs): delete its line",
                      other[] = ", as what other GPUs show is built in: delete its line";
    static const struct {
        const char *name, *advice;
    } removed[] = {
        {"l1_repeat_hits", unused},
        {"texture_latency", unused},
        {"local_word", unused},
        {"local_lanes", unused},
        {"loads_per_phase", unused},
        {"block_overlap", unused},
        {"phase_wait", ", as loads wait for half of l2_latency: delete its line"},
        {"dram_wait_first", ", as loads wait for dram_latency: delete its line"},
        {"lsu_issue", unused},
        {"l2_saturated_bandwidth", unused},
        {"atomic_spread", unused},
        {"barrier_interval", unused},
        {"instruction_cache", unused},
        {"instruction_share", unused},
        {"local_l1_curve", unused},
        {"local_l2_steepness", unused},
        {"l1_block_share", ", as l1_reload_curve serves: delete its line"},
        {"l1_field_share", ", as l1_reload_curve serves: delete its line"},
        {"l1_field_steepness", ", as l1_reload_curve serves: delete its line"},
        {"l1_own_steps", compiler},
        {"unit_norm", ", as bound_norm serves: delete its line"},
        {"overlap_norm", ", as it is 2 for two blocks: delete its line"},
        {"l2_fill_cost", ", as a byte from memory costs the L2 one read: delete its line"},
        {"l1_tag_banks", ", as l1_tag_hash names them: delete its line"},
        {"shuffle_latency", ", as it is shared_latency: delete its line"},
        {"convert_latency", ", as it is sfu_latency: delete its line"},
        {"noc_bandwidth", ", as it is l2_bandwidth: delete its line"},
        {"dram_turnaround", ", as it follows from dram_bandwidth, that of reads and dram_write_cost: delete its line"},
        {"store_combine_lines", ", as it is the third number of store_combine: delete its line"},
        {"narrow_multiply", ", as it follows from int32_rate: delete its line"},
        {"wide_multiply", ", as it follows from int32_rate: delete its line"},
        {"max_threads_per_block", ", as it is the first number of max_block: delete its line"},
        {"l2_sector", ", as l1_sector serves: delete its line"},
        {"warp_start", unused},
        {"piece_streams", unused},
        {"dram_stream_loss", unused},
        {"dram_streams", unused},
        {"shared_carveout_least", unused},
        {"instruction_wait", ", as it follows from fp32_latency and int32_latency: delete its line"},
        {"dram_wait_next", ", as it is half of dram_latency: delete its line"},
        {"convert_rate", ", as compute_capability tells it: delete its line"},
        {"convert64_rate", ", as it is the smaller of fp64_rate and sfu_rate: delete its line"},
        {"shared_banks", every},
        {"l1_bank_width", every},
        {"shared_broadcast", every},
        {"tlb_page", ", as pages of 2 MiB are counted: delete its line"},
        {"dram_size", unused},
        {"shared_bank_width", every},
        {"max_grid", every},
        {"max_block_x", ": use max_block, a list [x, y, z]"},
        {"max_block_y", ": use max_block, a list [x, y, z]"},
        {"max_block_z", ": use max_block, a list [x, y, z]"},
        {"max_grid_x", every},
        {"max_grid_y", every},
        {"max_grid_z", every},
        {"l2_reuse_y_curve", ": use l2_reuse_curve, for rows and layers of blocks"},
        {"l2_reuse_z_curve", ": use l2_reuse_curve, for rows and layers of blocks"},
        {"start_instructions", compiler},
        {"coordinate_instructions", compiler},
        {"address_instructions", compiler},
        {"division_instructions", compiler},
        {"immediate_reach", unused},
        {"cache_remains", ", as fits use l2_size: delete its line"},
        {"rank_ratio_limiter", limiter},
        {"rank_error_limiter", limiter},
        {"time_error_limiter", limiter},
        {"transfer_error", other},
        {"transfer_error_limiter", other},
        {"transfer_volume_error", other},
        {"transfer_rank_error", other},
    };
    for (size_t i = 0; i < sizeof removed / sizeof removed[0]; i++)
        if (strcmp(removed[i].name, name) == 0)
            return wl_fail(err, WL_E_INPUT, loc, "%s is no longer a key%s", name, removed[i].advice);
    return WL_OK;
}

const char *wl_device_name(const wl_device *device) { return device->name; }
const char *wl_device_title(const wl_device *device) { return device->title; }
const char *wl_device_architecture(const wl_device *device) { return device->architecture; }

static const char nvidia_word[] = "SM", amd_word[] = "CU";

const char *wl_device_sm_word(const wl_device *device)
{
    static const char *const amd[] = {"cdna", "rdna", "gcn"};
    for (size_t i = 0; i < sizeof amd / sizeof amd[0]; i++)
        if (strncmp(device->architecture, amd[i], strlen(amd[i])) == 0)
            return amd_word;
    return nvidia_word;
}

const char *wl_sm_word_named(const char *text) { return text && strcmp(text, amd_word) == 0 ? amd_word : nvidia_word; }
const char *wl_sm_word_of_both(const char *a, const char *b) { return strcmp(a, b) == 0 ? a : "SM|CU"; }

const char *wl_device_compute_capability(const wl_device *device) { return device->compute_capability; }

int wl_device_capability(const wl_device *device)
{
    /* asked in every prediction: sscanf takes as long as a law */
    const char *text = device->compute_capability;
    char *point = NULL;
    const long major = text ? strtol(text, &point, 10) : 0;
    const bool minor = major > 0 && point[0] == '.' && point[1] >= '0' && point[1] <= '9';
    return (int)(10 * major) + (minor ? point[1] - '0' : 0);
}

const char *wl_device_key_name(wl_device_key key) { return wl_device_keys[key].name; }
const char *wl_device_key_meaning(wl_device_key key) { return wl_device_keys[key].meaning; }
bool wl_device_key_required(wl_device_key key) { return wl_device_keys[key].need == WL_NEED_REQUIRED; }

bool wl_device_get(const wl_device *device, wl_device_key key, double *value)
{
    if (device->entries[key].count == 0)
        return false;
    *value = device->entries[key].values[0];
    return true;
}

size_t wl_device_list_length(const wl_device *device, wl_device_key key) { return device->entries[key].count; }

double wl_device_list_value(const wl_device *device, wl_device_key key, size_t index)
{
    WL_ASSERT(index < device->entries[key].count);
    return device->entries[key].values[index];
}

const char *wl_device_source(const wl_device *device, wl_device_key key)
{
    return device->entries[key].source ? device->entries[key].source : "";
}

const char *wl_device_inherited_from(const wl_device *device, wl_device_key key) { return device->entries[key].from; }
bool wl_device_key_primary(wl_device_key key) { return wl_device_keys[key].role == WL_ROLE_PRIMARY; }

const char *wl_device_share_of(wl_device_key key)
{
    return wl_device_keys[key].of == WL_OF_NOTHING ? NULL : wl_basis_name(wl_device_keys[key].of);
}

bool wl_device_share(const wl_device *device, wl_device_key key, size_t index, double *share)
{
    const double basis = wl_basis_value(device, wl_device_keys[key].of);
    if (wl_device_keys[key].of == WL_OF_NOTHING || !(basis > 0) || index >= device->entries[key].count)
        return false;
    *share = device->entries[key].values[index] / basis;
    return true;
}

void wl_device_value_text(const wl_device *device, wl_device_key key, char *text, size_t size)
{
    const wl_device_entry *e = &device->entries[key];
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < e->count && used + 1 < size; i++) {
        const int n = snprintf(text + used, size - used, "%s%s", i ? ", " : "",
                               wl_quantity(wl_device_keys[key].dimension, e->values[i]).text);
        used += n > 0 ? (size_t)n : 0;
    }
}

int64_t wl_device_int(const wl_device *device, wl_device_key key)
{
    const wl_device_entry *e = &device->entries[key];
    WL_ASSERT(e->count == 1); /* the check at load guarantees it */
    return (int64_t)e->values[0];
}

void wl_device_extents(const wl_device *device, wl_device_key key, int64_t extents[3])
{
    const wl_device_entry *e = &device->entries[key];
    WL_ASSERT(e->count == 3); /* the check at load guarantees it */
    for (int i = 0; i < 3; i++)
        extents[i] = (int64_t)e->values[i];
}

int64_t wl_most_threads(const wl_device *device)
{
    return (int64_t)wl_device_list_value(device, WL_DEVICE_max_block, 0);
}

wl_status wl_device_copy(const wl_device *device, wl_device **out, wl_error *err)
{
    wl_device *copy = malloc(sizeof *copy);
    if (!copy)
        return wl_fail_memory(err);
    *copy = *device;
    copy->arena = (wl_arena){0};
    *out = copy;
    return WL_OK;
}

void wl_device_free(wl_device *device)
{
    if (!device)
        return;
    wl_arena_free(&device->arena);
    free(device);
}

/* Reads "1, 2.5MiB" into an entry's values. */
static wl_status parse_values(const char *text, wl_device_key key, wl_device_entry *entry, wl_error *err)
{
    const wl_device_key_info *info = &wl_device_keys[key];
    char buffer[512], choices[160];
    const size_t length = strlen(text);
    const bool bracketed = info->list && length >= 2 && text[0] == '[' && text[length - 1] == ']';
    if (length >= sizeof buffer)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "the value of %s is too long", info->name);
    memcpy(buffer, text + bracketed, length - 2 * (size_t)bracketed);
    buffer[length - 2 * (size_t)bracketed] = '\0';
    entry->count = 0;
    for (char *item = buffer; item;) {
        char *comma = info->list ? strchr(item, ',') : NULL;
        if (comma)
            *comma = '\0';
        item += strspn(item, " ");
        for (size_t n = strlen(item); n > 0 && item[n - 1] == ' ';)
            item[--n] = '\0';
        if (entry->count == WL_DEVICE_LIST_MAX)
            return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "%s has too many values", info->name);
        if (!wl_quantity_parse(info->dimension, item, &entry->values[entry->count])) {
            wl_unit_choices(info->dimension, choices, sizeof choices);
            return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "%s needs a number with one of the units %s, not '%.40s'",
                           info->name, choices, item);
        }
        entry->count++;
        item = comma ? comma + 1 : NULL;
    }
    return WL_OK;
}

/* Puts the entry in and moves all that is a share of it; a device that would make no sense stays as
 * it was. */
static wl_status change(wl_device *device, wl_device_key key, const wl_device_entry *entry, wl_error *err)
{
    wl_device_entry *before = malloc(sizeof device->entries);
    if (!before)
        return wl_fail_memory(err);
    memcpy(before, device->entries, sizeof device->entries);
    device->entries[key] = *entry;
    wl_basis_lead(device, key, before);
    wl_basis_follow(device, key, before);
    const wl_status status = wl_device_check(device, err);
    if (status != WL_OK)
        memcpy(device->entries, before, sizeof device->entries);
    free(before);
    return status;
}

static wl_status set_value(wl_device *device, const char *assignment, wl_error *err)
{
    const char *equals = strchr(assignment, '=');
    char name[64];
    if (!equals || equals == assignment || (size_t)(equals - assignment) >= sizeof name)
        return wl_fail(err, WL_E_INPUT, (wl_loc){1, 1, (int32_t)strlen(assignment)},
                       "a what-if is written key=value, for example l2_size=80MiB");
    memcpy(name, assignment, (size_t)(equals - assignment));
    name[equals - assignment] = '\0';
    const wl_loc at_name = {1, 1, (int32_t)strlen(name)};
    wl_device_key key;
    if (!wl_device_key_find(name, &key)) {
        WL_TRY(wl_device_key_still_is(name, at_name, err));
        const char *names[WL_DEVICE_KEY_COUNT];
        for (size_t i = 0; i < WL_DEVICE_KEY_COUNT; i++)
            names[i] = wl_device_keys[i].name;
        return wl_fail_unknown(err, at_name, "unknown device key", name, strlen(name), names, WL_DEVICE_KEY_COUNT);
    }
    wl_device_entry entry = {.source = WL_SET_BY_USER};
    const wl_loc loc = {1, (int32_t)(equals - assignment) + 2, (int32_t)strlen(equals + 1)};
    const bool none = strcmp(equals + 1, "none") == 0 && wl_device_keys[key].need == WL_NEED_OPTIONAL;
    wl_status status = none ? WL_OK : parse_values(equals + 1, key, &entry, err);
    if (none)
        entry = (wl_device_entry){0};
    if (status == WL_OK)
        status = change(device, key, &entry, err);
    if (status != WL_OK && err)
        err->loc = loc;
    return status;
}

wl_status wl_device_set(wl_device *device, const char *assignment, wl_error *err)
{
    const wl_status status = set_value(device, assignment, err);
    if (status != WL_OK)
        (void)wl_fail_in(err, "--with");
    return status;
}
