/* preset.c - see preset.h. SPDX-License-Identifier: MIT */
#include "preset.h"

#include <string.h>

#include "diag.h"

#define PRESET_LETTER "letter-" /* and the name of an interval model */
#define PRESET_WITH_MAX 4
typedef struct preset {
    const char *model;
    const char *with[PRESET_WITH_MAX]; /* numbers of the device */
    const char *device, *fidelity;     /* unless they are given */
} preset;

static bool find_preset(const char *name, preset *out)
{
    /* volumes by curves, cycles of the L1 by banks and distances, limiters */
    static const preset paper = {
        "four-limiters",
        {"l1_reload_curve=none", "l1_tag_hash=none", "l1_warp_extra=none", "l1_thread_index_wavefronts=0"},
        NULL,
        NULL};
    /* which lines an LRU cache holds */
    static const preset thesis = {.fidelity = "simulate"};
    if (strcmp(name, "paper") == 0)
        *out = paper;
    else if (strcmp(name, "thesis") == 0)
        *out = thesis;
    else if (strncmp(name, PRESET_LETTER, strlen(PRESET_LETTER)) == 0)
        *out = (preset){.model = name + strlen(PRESET_LETTER), .device = "pascal-sim", .fidelity = "simulate"};
    else
        return false;
    return true;
}

static int take_numbers(options *o, const preset *p)
{
    size_t count = 0;
    while (count < PRESET_WITH_MAX && p->with[count])
        count++;
    if (o->with_count + count > MANY_MAX) {
        usage_error("too many --with: beside --model paper, which sets %zu numbers, %zu are possible", count,
                    MANY_MAX - count);
        return EXIT_USAGE;
    }
    memmove(o->with + count, o->with, o->with_count * sizeof *o->with);
    memcpy(o->with, p->with, count * sizeof *o->with);
    o->with_count += count;
    o->preset_count = count;
    return EXIT_OK;
}

int preset_take(options *o)
{
    preset p;
    if (!o->model || !find_preset(o->model, &p))
        return EXIT_OK;
    o->model = p.model;
    if (p.fidelity && !o->fidelity)
        o->fidelity = p.fidelity;
    if (p.device && !o->device)
        o->device = p.device;
    if (p.device && o->device_count == 0)
        o->devices[o->device_count++] = p.device;
    return take_numbers(o, &p);
}
