/* launch_text.c - see launch_text.h. SPDX-License-Identifier: MIT */
#include "launch_text.h"

#include <stdio.h>
#include <string.h>

#include "diag.h"

typedef enum key { FOLD, GRID, REGISTERS, REGS, SHARED, DEVICE, SCHEDULE, KEY_COUNT } key;
static const char *const keys[KEY_COUNT] = {"fold", "grid", "registers", "regs", "shared", "device", "schedule"};

static key key_of(const char *setting)
{
    const size_t length = strcspn(setting, "=");
    int k = 0;
    while (k < KEY_COUNT && (strlen(keys[k]) != length || memcmp(keys[k], setting, length) != 0))
        k++;
    return (key)k;
}

bool grid_is_rule(const char *grid) { return strspn(grid, "0123456789x") != strlen(grid); }

bool rule_follows_block(const char *rule)
{
    static const char *const names[] = {"block.", "tile.", "threads", "warps"};
    bool follows = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        follows = follows || strstr(rule, names[i]);
    return follows;
}

/* A rule may use params of the kernel, which is not loaded yet. */
static bool read_grid(const char *option, const char *name, const char *value, launch_text *l)
{
    if (!grid_is_rule(value))
        return option_shape(name, value, l->launch.grid);
    l->rule = (launch_rule){option, l->given, (int)(value - l->parts), (int)strlen(value)};
    return true;
}

wl_status launch_rule_apply(const launch_rule *rule, const options *o, const wl_kernel *kernel, const wl_device *device,
                            const int64_t domain[3], wl_launch *launch, wl_error *err)
{
    char text[LAUNCH_TEXT_MAX];
    wl_grid_rule *parsed = NULL;
    (void)snprintf(text, sizeof text, "%.*s", rule->length, rule->given + rule->at);
    wl_status status = wl_grid_rule_parse(kernel, text, o->set, o->set_count, &parsed, err);
    if (status == WL_OK)
        status = wl_grid_rule_apply(parsed, device, domain, launch, err);
    wl_grid_rule_free(parsed);
    if (status == WL_OK)
        return WL_OK;
    for (size_t i = 0; i < o->set_count; i++)
        diag_remember(o->set[i], o->set[i]); /* an error inside one names it */
    if (!err->input[0]) {
        if (!kernel)
            diag_say_set(err);
        (void)snprintf(err->input, sizeof err->input, "%s", rule->option);
        err->loc.col += err->loc.line > 0 ? rule->at : 0;
        diag_remember(rule->option, rule->given);
    }
    return status;
}

/* One of "fold=1x1x2"; messages show the whole text or the value. */
static int read_setting(const char *option, launch_text *l, const char *setting)
{
    char name[48];
    const key k = key_of(setting);
    const char *equals = strchr(setting, '='), *value = equals ? equals + 1 : "";
    if (k == KEY_COUNT || *value == '\0') {
        option_error(option, l->given, (int)(setting - l->parts) + 1,
                     "a launch is BLOCK[:fold=XxYxZ][:grid=XxYxZ|RULE][:registers=N][:shared=BYTES][:device=D]"
                     "[:schedule=linear]");
        return EXIT_INPUT;
    }
    (void)snprintf(name, sizeof name, "%s:%s", option, keys[k]);
    bool ok = true;
    switch (k) {
    case FOLD: ok = option_shape(name, value, l->launch.fold); break;
    case GRID: ok = read_grid(option, name, value, l); break;
    case REGISTERS:
    case REGS: ok = option_integer(name, value, 1, 1024, &l->launch.registers); break;
    case SHARED: ok = option_bytes(name, value, 0, (int64_t)1 << 30, &l->launch.shared_bytes); break;
    case DEVICE: l->device = value; break;
    default: return option_launch_schedule(name, value, &l->launch.schedule);
    }
    return ok ? EXIT_OK : EXIT_INPUT;
}

/* The end of the part at `at`; a schedule contains a colon before its width. */
static char *end_of_part(char *at)
{
    char *end = strchr(at, ':');
    if (end && strncmp(at, "schedule=", strlen("schedule=")) == 0 && end[1] >= '0' && end[1] <= '9')
        end = strchr(end + 1, ':');
    return end;
}

int launch_text_read(const char *option, const char *text, launch_text *l)
{
    l->given = text;
    l->device = NULL;
    l->rule = (launch_rule){0};
    if (strlen(text) >= sizeof l->parts) {
        usage_error("error: no launch is that long: '%.40s...'", text);
        return EXIT_INPUT;
    }
    (void)snprintf(l->parts, sizeof l->parts, "%s", text);
    int code = EXIT_OK;
    for (char *at = l->parts, *next; at && code == EXIT_OK; at = next) {
        next = end_of_part(at);
        if (next)
            *next++ = '\0';
        if (at == l->parts)
            code = option_shape(option, at, l->launch.block) ? EXIT_OK : EXIT_INPUT;
        else
            code = read_setting(option, l, at);
    }
    return code;
}
