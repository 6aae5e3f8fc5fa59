/* cmd_devices.c - warpline devices: list, show, check. SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "load.h"
#include "options.h"

static bool wants_json(const options *o) { return o->format && strcmp(o->format, "json") == 0; }

static int list(const options *o)
{
    json_t *all = json_array();
    for (size_t i = 0; i < wl_device_builtin_count(); i++) {
        wl_error err = {0};
        wl_device *d = NULL;
        if (wl_device_builtin(wl_device_builtin_name(i), &d, &err) != WL_OK) {
            json_decref(all);
            return diag_report(&err);
        }
        if (wants_json(o)) {
            json_array_append_new(all, json_pack("{s:s, s:s, s:s}", "name", wl_device_name(d), "title",
                                                 wl_device_title(d), "architecture", wl_device_architecture(d)));
        } else {
            char l2[64], bandwidth[64];
            double sms = 0;
            (void)wl_device_get(d, WL_DEVICE_sm_count, &sms);
            wl_device_value_text(d, WL_DEVICE_l2_size, l2, sizeof l2);
            wl_device_value_text(d, WL_DEVICE_dram_bandwidth, bandwidth, sizeof bandwidth);
            printf("%-12s %-40s %4.0f SMs, L2 %8s, memory %s\n", wl_device_name(d), wl_device_title(d), sms, l2,
                   bandwidth);
        }
        wl_device_free(d);
    }
    if (wants_json(o)) {
        char *text = json_dumps(all, JSON_INDENT(1));
        puts(text ? text : "[]");
        free(text);
    }
    json_decref(all);
    return EXIT_OK;
}

static void show_json(const wl_device *d)
{
    json_t *root = json_pack("{s:s, s:s, s:s}", "name", wl_device_name(d), "title", wl_device_title(d), "architecture",
                             wl_device_architecture(d));
    for (int k = 0; k < WL_DEVICE_KEY_COUNT; k++) {
        const wl_device_key key = (wl_device_key)k;
        const size_t n = wl_device_list_length(d, key);
        if (n == 0)
            continue;
        json_t *values = json_array();
        for (size_t i = 0; i < n; i++)
            json_array_append_new(values, json_real(wl_device_list_value(d, key, i)));
        json_object_set_new(root, wl_device_key_name(key),
                            json_pack("{s:o, s:s}", "value", values, "source", wl_device_source(d, key)));
    }
    char *text = json_dumps(root, JSON_INDENT(1));
    puts(text ? text : "{}");
    free(text);
    json_decref(root);
}

static void show_text(const wl_device *d)
{
    printf("%s (%s, %s)\n", wl_device_title(d), wl_device_name(d), wl_device_architecture(d));
    for (int k = 0; k < WL_DEVICE_KEY_COUNT; k++) {
        const wl_device_key key = (wl_device_key)k;
        char value[512];
        wl_device_value_text(d, key, value, sizeof value);
        if (value[0] == '\0')
            printf("  %-26s unknown\n      %s\n", wl_device_key_name(key), wl_device_key_meaning(key));
        else
            printf("  %-26s %s\n      %s\n      [%s]\n", wl_device_key_name(key), value, wl_device_key_meaning(key),
                   wl_device_source(d, key));
    }
}

static int show(const options *o, bool check_only)
{
    wl_error err = {0};
    wl_device *d = NULL;
    const char *name = o->arguments[1];
    int code = EXIT_OK;
    if (load_device(name, o->with, o->with_count, &d, &err) != WL_OK)
        code = diag_report(&err);
    else if (check_only)
        printf("%s: ok (%s)\n", name, wl_device_title(d));
    else if (wants_json(o))
        show_json(d);
    else
        show_text(d);
    wl_device_free(d);
    load_forget();
    return code;
}

int cmd_devices(const options *o)
{
    if (o->argument_count == 0 || (o->argument_count == 1 && strcmp(o->arguments[0], "list") == 0))
        return list(o);
    if (o->argument_count == 2 && strcmp(o->arguments[0], "show") == 0)
        return show(o, false);
    if (o->argument_count == 2 && strcmp(o->arguments[0], "check") == 0)
        return show(o, true);
    usage_error("devices [list | show NAME|FILE | check FILE]");
    return EXIT_USAGE;
}
