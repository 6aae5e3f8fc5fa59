/* basis.h - the quantities that numbers of a device are shares of.
 *
 * Files state such a number as a share ("1.08 of dram_bandwidth"), so that it has a meaning for
 * other devices, and follows when a what-if changes the quantity.
 *
 * Layer  device (uses base). Oracle: tests/unit/test_basis.c.
 * SPDX-License-Identifier: MIT */
#ifndef WL_DEVICE_BASIS_H
#define WL_DEVICE_BASIS_H

#include "device/device_internal.h"

/* As files write it: "l2_size / l2_partitions"; "" for NOTHING. */
const char *wl_basis_name(wl_basis basis);

/* In base units; 0: the device lacks a number it needs. */
double wl_basis_value(const wl_device *device, wl_basis basis);

/* Scales everything that is a share of the changed key, except what the user set. `before`: the
 * entries as they were. */
void wl_basis_follow(wl_device *device, wl_device_key changed, const wl_device_entry *before);

/* The other way round, for a what-if: what kernels reach of a bandwidth stays the same share of the
 * data sheet's. */
void wl_basis_lead(wl_device *device, wl_device_key changed, const wl_device_entry *before);

/* Turns the entries that hold shares into values. False: *missing lacks what it is a share of. */
bool wl_basis_resolve(wl_device *device, const bool shares[WL_DEVICE_KEY_COUNT], wl_device_key *missing);

#endif /* WL_DEVICE_BASIS_H */
