/* version.c - the version of the library, which is that of its headers.
 * SPDX-License-Identifier: MIT */
#include "warpline/status.h"

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

const char *wl_version(void) { return TEXT(WL_VERSION_MAJOR) "." TEXT(WL_VERSION_MINOR) "." TEXT(WL_VERSION_PATCH); }
