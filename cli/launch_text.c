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

/* One of "fold=1x1x2"; messages show the whole text or the value. */
static int read_setting(const char *option, launch_text *l, const char *setting)
{
    char name[48];
    const key k = key_of(setting);
    const char *equals = strchr(setting, '='), *value = equals ? equals + 1 : "";
    if (k == KEY_COUNT || *value == '\0') {
        option_error(option, l->given, (int)(setting - l->parts) + 1,
                     "a launch is BLOCK[:fold=XxYxZ][:grid=XxYxZ][:registers=N][:shared=BYTES][:device=D]"
                     "[:schedule=linear]");
        return EXIT_INPUT;
    }
    (void)snprintf(name, sizeof name, "%s:%s", option, keys[k]);
    bool ok = true;
    switch (k) {
    case FOLD: ok = option_shape(name, value, l->launch.fold); break;
    case GRID: ok = option_shape(name, value, l->launch.grid); break;
    case REGISTERS:
    case REGS: ok = option_integer(name, value, 1, 1024, &l->launch.registers); break;
    case SHARED: ok = option_bytes(name, value, 0, (int64_t)1 << 30, &l->launch.shared_bytes); break;
    case DEVICE: l->device = value; break;
    default: return option_launch_schedule(name, value, &l->launch.schedule);
    }
    return ok ? EXIT_OK : EXIT_INPUT;
}

/* Where the part at `at` ends; the width of a schedule follows a colon of its own. */
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
