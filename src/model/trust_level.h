/* trust_level.h - the probabilities that the values of rank_ratio belong to. SPDX-License-Identifier: MIT */
#ifndef WL_MODEL_TRUST_LEVEL_H
#define WL_MODEL_TRUST_LEVEL_H

#include <stddef.h>

/* Ascending: 30, 40, .. 90 and 95 %; 1 beyond the last. */
double wl_trust_level(size_t index);

#endif /* WL_MODEL_TRUST_LEVEL_H */
