/* load_domain.c - kernel files with a given domain: sets the params that determine it.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "diag.h"
#include "load.h"
#include "option_values.h"

#define SETS_MAX 96

static wl_status wrong_domain(const char *text, int column, const char *message, wl_error *err)
{
    const int length = (int)strlen(text) - column + 1;
    *err = (wl_error){.code = WL_E_INPUT, .input = "--domain", .loc = {1, column, length > 0 ? length : 1}};
    (void)snprintf(err->message, sizeof err->message, "%s", message);
    diag_remember("--domain", text);
    return WL_E_INPUT;
}

static wl_status wrong_extent(const char *text, int d, const char *format, wl_error *err)
{
    char message[WL_MESSAGE_MAX];
    (void)snprintf(message, sizeof message, format, "xyz"[d]);
    return wrong_domain(text, 1, message, err);
}

/* "100" for a domain of two dimensions does not give its height. */
static wl_status read_domain(const wl_kernel *kernel, const char *text, int64_t domain[3], wl_error *err)
{
    int column = 1;
    int64_t before[3];
    char message[WL_MESSAGE_MAX];
    const int given = value_shape(text, domain, &column), dims = wl_kernel_domain(kernel, before);
    if (given == 0)
        return wrong_domain(text, column, SHAPE_NEEDED, err);
    if (given >= dims)
        return WL_OK;
    (void)snprintf(message, sizeof message, "the kernel's domain has %d extents, as in %lldx%lld%s", dims,
                   (long long)domain[0], (long long)(given > 1 ? domain[1] : before[1]), dims > 2 ? "x.." : "");
    return wrong_domain(text, 1, message, err);
}

/* One param may be the extent in two dimensions. */
static wl_status check_domain(const wl_kernel *kernel, const char *text, const int64_t wanted[3], wl_error *err)
{
    int64_t got[3];
    const int dims = wl_kernel_domain(kernel, got);
    for (int d = 0; d < dims; d++)
        if (got[d] != wanted[d])
            return wrong_extent(text, d, "the kernel's extent in %c depends on another: one param sets both", err);
    return WL_OK;
}

typedef struct settings {
    const char *list[SETS_MAX];
    char own[3][96];
    size_t count, given; /* given: by --set */
} settings;

/* Of --set and --domain, one would be ignored. */
static wl_status check_not_set(const settings *s, const char *param, int64_t before, const char *text, int64_t extent,
                               wl_error *err)
{
    const size_t length = strlen(param);
    char message[WL_MESSAGE_MAX];
    for (size_t i = 0; i < s->given && before != extent; i++) {
        if (strncmp(s->list[i], param, length) != 0 || s->list[i][length] != '=')
            continue;
        (void)snprintf(message, sizeof message, "--set %.60s says otherwise: give one of them", s->list[i]);
        return wrong_domain(text, 1, message, err);
    }
    return WL_OK;
}

/* The settings, in addition to the given ones, that produce the wanted domain. */
static wl_status set_domain(const wl_kernel *plain, const char *text, const int64_t domain[3], settings *s,
                            wl_error *err)
{
    int64_t before[3];
    const int dims = wl_kernel_domain(plain, before);
    for (int d = 0; d < 3; d++) {
        const char *param = wl_kernel_domain_param(plain, d);
        if (param) {
            const wl_status status = check_not_set(s, param, before[d], text, domain[d], err);
            if (status != WL_OK)
                return status;
            (void)snprintf(s->own[d], sizeof s->own[d], "%.60s=%lld", param, (long long)domain[d]);
            s->list[s->count++] = s->own[d];
        } else if (d < dims ? domain[d] != before[d] : domain[d] != 1) {
            return wrong_extent(text, d,
                                d < dims ? "the kernel's extent in %c is not a single param: set what it is made of "
                                           "with --set"
                                         : "the kernel's domain has no %c",
                                err);
        }
    }
    return WL_OK;
}

wl_status load_kernel_with_domain(const char *name, const wl_kernel_options *given, const char *text, wl_kernel **out,
                                  wl_error *err)
{
    settings s = {.count = 0};
    wl_kernel *plain = NULL;
    int64_t domain[3];
    if (!text)
        return load_kernel(name, given, out, err);
    wl_status status = load_kernel(name, given, &plain, err);
    if (status != WL_OK)
        return status;
    for (; s.count < given->set_count && s.count + 3 < SETS_MAX; s.count++)
        s.list[s.count] = given->sets[s.count];
    s.given = s.count;
    status = read_domain(plain, text, domain, err);
    if (status == WL_OK)
        status = set_domain(plain, text, domain, &s, err);
    wl_kernel_free(plain);
    if (status != WL_OK)
        return status;
    status = load_kernel(name, &(wl_kernel_options){s.list, s.count}, out, err);
    if (status != WL_OK)
        return status;
    status = check_domain(*out, text, domain, err);
    if (status != WL_OK) {
        wl_kernel_free(*out);
        *out = NULL;
    }
    return status;
}
