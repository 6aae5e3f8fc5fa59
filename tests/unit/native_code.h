/* native_code.h - compiles the kernel of a runner with the C compiler of the machine, as
 * `warpline run` does. SPDX-License-Identifier: MIT */
#ifndef WL_TESTS_UNIT_NATIVE_CODE_H
#define WL_TESTS_UNIT_NATIVE_CODE_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ptx/kernel/execute.h"

#define NATIVE_MAX 64

static void *native_find(void *library, const char *name) { return dlsym(library, name); }

/* The library of a text; it is made once. NULL: there is no compiler. */
static void *native_library(const char *text, const char *flags)
{
    static struct {
        char *text;
        void *library;
    } made[NATIVE_MAX];
    static int count;
    char folder[] = "/tmp/warpline-test-XXXXXX", command[400], path[80];
    for (int k = 0; k < count; k++)
        if (strcmp(made[k].text, text) == 0)
            return made[k].library;
    if (count == NATIVE_MAX || !mkdtemp(folder))
        return NULL;
    (void)snprintf(path, sizeof path, "%s/k.c", folder);
    FILE *file = fopen(path, "wb");
    if (file) {
        (void)fputs(text, file);
        (void)fclose(file);
    }
    (void)snprintf(command, sizeof command,
                   "cc -O1 %s -w -fPIC -shared -ffp-contract=off -fno-math-errno -fno-trapping-math "
                   "-fno-strict-aliasing -o %s/k.so %s -lm",
                   flags, folder, path);
    const bool compiled = system(command) == 0;
    (void)snprintf(path, sizeof path, "%s/k.so", folder);
    void *library = compiled ? dlopen(path, RTLD_NOW) : NULL;
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    (void)system(command);
    made[count].text = strdup(text);
    made[count++].library = library;
    return library;
}

typedef enum native_made { NATIVE_NONE, NATIVE_REFUSED, NATIVE_FAILED, NATIVE_TAKEN } native_made;

/* After a launch: later ones are carried out by machine code. */
static native_made native_compile(wl_ptx_runner *runner, const char *flags)
{
    char *text = wl_ptx_runner_text(runner);
    if (!text)
        return NATIVE_REFUSED;
    if (system("cc --version >/dev/null 2>&1") != 0) {
        free(text);
        return NATIVE_NONE;
    }
    void *library = native_library(text, flags);
    const bool taken = library && wl_ptx_runner_take_code(runner, native_find, library);
    free(text);
    return taken ? NATIVE_TAKEN : NATIVE_FAILED;
}

#endif /* WL_TESTS_UNIT_NATIVE_CODE_H */
