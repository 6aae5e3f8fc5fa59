/* cudart.c - a library that has only a name and a version; the double, which it refers to, has the
 * functions.
 * SPDX-License-Identifier: MIT */
__attribute__((visibility("default"))) const int warpline_cudart = 1;
