/* find_entry.c - finds the entry a user names, mangled or plain.
 * Layer  ptx/module. SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/fail.h"
#include "ptx/module/module.h"

#define LISTED_MAX 8

typedef bool (*wl_ptx_fits)(const char *entry, const char *name);

static bool is_same(const char *entry, const char *name) { return strcmp(entry, name) == 0; }

/* Itanium mangling puts the length before a name: "8k_star3d" in "_Z8k_star3dIdEvPd". */
static bool has_plain_name(const char *entry, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = entry; length > 0 && (at = strstr(at, name)); at++) {
        const char *digits = at;
        size_t number = 0, weight = 1;
        while (digits > entry && wl_is_digit(digits[-1]) && weight < 1000000) {
            number += weight * (size_t)(*--digits - '0');
            weight *= 10;
        }
        if (number == length)
            return true;
    }
    return false;
}

static bool has_part(const char *entry, const char *name) { return name[0] != '\0' && strstr(entry, name) != NULL; }

static const wl_ptx_function *next_entry(const wl_ptx_module *module, const wl_ptx_function *after, const char *name,
                                         wl_ptx_fits fits)
{
    for (int32_t i = after ? (int32_t)(after - module->functions) + 1 : 0; i < module->function_count; i++) {
        const wl_ptx_function *f = &module->functions[i];
        if (f->is_entry && !f->is_declared_only && (!fits || fits(f->name, name)))
            return f;
    }
    return NULL;
}

/* "a, b, c and 4 more" */
static void list_entries(const wl_ptx_module *module, const char *name, wl_ptx_fits fits, char *text, size_t size)
{
    size_t used = 0;
    int count = 0;
    text[0] = '\0';
    for (const wl_ptx_function *f = NULL; (f = next_entry(module, f, name, fits)); count++)
        if (count < LISTED_MAX && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", count ? ", " : "", f->name);
    if (count > LISTED_MAX && used < size)
        (void)snprintf(text + used, size - used, " and %d more", count - LISTED_MAX);
}

static wl_status several(const wl_ptx_module *module, const char *name, wl_ptx_fits fits, wl_error *err)
{
    char listed[WL_MESSAGE_MAX];
    list_entries(module, name, fits, listed, sizeof listed);
    if (!name)
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "there are several kernels; name one of: %s", listed);
    return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "'%.60s' fits several kernels; give more of the name: %s", name,
                   listed);
}

static wl_status none(const wl_ptx_module *module, const char *name, wl_error *err)
{
    char listed[WL_MESSAGE_MAX];
    list_entries(module, NULL, NULL, listed, sizeof listed);
    if (listed[0] == '\0')
        return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "there is no kernel (.entry) in this file");
    return wl_fail(err, WL_E_INPUT, WL_NOWHERE, "there is no kernel '%.60s'; there are: %s", name, listed);
}

wl_status wl_ptx_find_entry(const wl_ptx_module *module, const char *name, const wl_ptx_function **out, wl_error *err)
{
    static const wl_ptx_fits ways[] = {is_same, has_plain_name, has_part};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        const wl_ptx_fits fits = name ? ways[i] : NULL;
        const wl_ptx_function *first = next_entry(module, NULL, name, fits);
        if (!first)
            continue;
        if (next_entry(module, first, name, fits)) {
            (void)several(module, name, fits, err);
            return wl_fail_in(err, module->input);
        }
        *out = first;
        return WL_OK;
    }
    (void)none(module, name, err);
    return wl_fail_in(err, module->input);
}
