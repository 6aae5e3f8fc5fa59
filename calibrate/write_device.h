/* write_device.h - what the benchmarks found, and the device file that is written from it.
 *
 * Plain C without CUDA, so that it is tested where there is no GPU. The keys are those of
 * warpline/device_keys.def: a key added there is written here without further ado. Values are in
 * base units (bytes, Hz, bytes/s, cycles, seconds).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CALIBRATE_DEVICE_FILE_H
#define CALIBRATE_DEVICE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CAL_LIST_MAX = 40, CAL_TEXT_MAX = 256 };

typedef enum cal_key {
#define WL_DEVICE_KEY(name, role, dimension, need, of, meaning) CAL_##name,
#include "warpline/device_keys.def"
    CAL_KEY_COUNT
} cal_key;

typedef struct cal_entry {
    size_t count; /* 0: not known */
    double values[CAL_LIST_MAX];
    bool none; /* the device has no such number; the source says why */
    char source[CAL_TEXT_MAX];
    char why_not[CAL_TEXT_MAX]; /* why the key is left out, or "" */
    char note[CAL_TEXT_MAX];    /* a comment above the key, or "" */
} cal_entry;

typedef struct cal_device {
    char name[64], title[128], architecture[32];
    int major, minor; /* compute capability */
    cal_entry entries[CAL_KEY_COUNT];
} cal_device;

const char *cal_key_name(cal_key key);

/* Sets a key; a later call replaces an earlier one. A value that is not finite or below 0 is
 * refused. */
bool cal_set(cal_device *device, cal_key key, double value, const char *source);
bool cal_set_list(cal_device *device, cal_key key, const double *values, size_t count, const char *source);
/* Notes in the file why a key is left out: the device then inherits the number of its
 * architecture. */
void cal_leave_out(cal_device *device, cal_key key, const char *why);
/* States that the device has no such number, whatever its architecture says. */
void cal_set_none(cal_device *device, cal_key key, const char *why);
/* A comment above the key, say why a measurement is not used; the value, if any, comes from
 * elsewhere. */
void cal_note(cal_device *device, cal_key key, const char *text);

/* Where a curve of costs over growing sizes leaves its plateau: the index of the last cost before
 * the first rise that stays, that is, from which on every cost is above `factor` times the least
 * one before it. count - 1 without one. */
size_t cal_knee(const double *costs, size_t count, double factor);

/* "NVIDIA A100-SXM4-40GB" -> title as it is, name "a100-sxm4-40gb"; the architecture from the
 * compute capability. */
void cal_identify(cal_device *device, const char *title, int major, int minor);

/* What cannot be asked or measured, by compute capability: carve-outs, the size of the unified L1,
 * sub-partitions. Sets only keys that are not known yet. */
void cal_fill_facts(cal_device *device);
/* Writes the file. False, with the reason in `message`, when a required key is missing or the
 * stream fails. */
bool cal_write(const cal_device *device, FILE *stream, char *message, size_t size);

#ifdef __cplusplus
}
#endif
#endif /* CALIBRATE_DEVICE_FILE_H */
