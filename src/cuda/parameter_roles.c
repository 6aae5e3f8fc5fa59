/* parameter_roles.c - see parameter_roles.h. Names as they are common in kernels; a wrong guess
 * costs an edit of the printed command.
 * Layer  cuda. SPDX-License-Identifier: MIT */
#include "cuda/parameter_roles.h"

#include <stddef.h>
#include <string.h>

#include "base/ascii.h"

#define COUNT(list) (sizeof(list) / sizeof(list)[0])
#define NAME_LENGTH 64

/* '*' at an end stands for anything. */
typedef struct row {
    const char *pattern;
    wl_role role;
    int64_t value;
} row;

static const row numbers[] = {
    {"nx", WL_ROLE_EXTENT_X, 0},      {"width", WL_ROLE_EXTENT_X, 0},    {"w", WL_ROLE_EXTENT_X, 0},
    {"*cols", WL_ROLE_EXTENT_X, 0},   {"*columns", WL_ROLE_EXTENT_X, 0}, {"*_x", WL_ROLE_EXTENT_X, 0},
    {"dimx", WL_ROLE_EXTENT_X, 0},    {"sizex", WL_ROLE_EXTENT_X, 0},    {"*width", WL_ROLE_EXTENT_X, 0},
    {"ny", WL_ROLE_EXTENT_Y, 0},      {"height", WL_ROLE_EXTENT_Y, 0},   {"h", WL_ROLE_EXTENT_Y, 0},
    {"*rows", WL_ROLE_EXTENT_Y, 0},   {"*_y", WL_ROLE_EXTENT_Y, 0},      {"dimy", WL_ROLE_EXTENT_Y, 0},
    {"sizey", WL_ROLE_EXTENT_Y, 0},   {"*height", WL_ROLE_EXTENT_Y, 0},  {"nz", WL_ROLE_EXTENT_Z, 0},
    {"depth", WL_ROLE_EXTENT_Z, 0},   {"*_z", WL_ROLE_EXTENT_Z, 0},      {"dimz", WL_ROLE_EXTENT_Z, 0},
    {"sizez", WL_ROLE_EXTENT_Z, 0},   {"planes", WL_ROLE_EXTENT_Z, 0},   {"lda", WL_ROLE_PITCH, 0},
    {"ldb", WL_ROLE_PITCH, 0},        {"ldc", WL_ROLE_PITCH, 0},         {"ld", WL_ROLE_PITCH, 0},
    {"*pitch", WL_ROLE_PITCH, 0},     {"*stride", WL_ROLE_PITCH, 0},     {"*bins", WL_ROLE_SMALL, 256},
    {"*buckets", WL_ROLE_SMALL, 256}, {"*radius", WL_ROLE_SMALL, 1},     {"r", WL_ROLE_SMALL, 1},
    {"halo", WL_ROLE_SMALL, 1},       {"*steps", WL_ROLE_SMALL, 4},      {"*iter", WL_ROLE_SMALL, 4},
    {"*iters", WL_ROLE_SMALL, 4},     {"*iterations", WL_ROLE_SMALL, 4}, {"repeat*", WL_ROLE_SMALL, 4},
    {"times", WL_ROLE_SMALL, 4},      {"*offset", WL_ROLE_SMALL, 0},     {"start", WL_ROLE_SMALL, 0},
    {"begin", WL_ROLE_SMALL, 0},      {"first", WL_ROLE_SMALL, 0},       {"seed", WL_ROLE_SMALL, 1},
    {"mode", WL_ROLE_SMALL, 0},       {"flag*", WL_ROLE_SMALL, 0},       {"inc*", WL_ROLE_SMALL, 1},
    {"axis", WL_ROLE_SMALL, 0},       {"bit", WL_ROLE_SMALL, 0},         {"shift", WL_ROLE_SMALL, 0},
    {"*channels", WL_ROLE_SMALL, 16}, {"*batch", WL_ROLE_SMALL, 16},     {"*classes", WL_ROLE_SMALL, 16},
    {"*heads", WL_ROLE_SMALL, 16},    {"degree", WL_ROLE_SMALL, 16},     {"level", WL_ROLE_SMALL, 1},
    {"step", WL_ROLE_SMALL, 1},       {"tile*", WL_ROLE_SMALL, 16},      {"n", WL_ROLE_EXTENT, 0},
    {"m", WL_ROLE_EXTENT, 0},         {"k", WL_ROLE_EXTENT, 0},          {"l", WL_ROLE_EXTENT, 0},
    {"n_*", WL_ROLE_EXTENT, 0},       {"num*", WL_ROLE_EXTENT, 0},       {"*count", WL_ROLE_EXTENT, 0},
    {"*size", WL_ROLE_EXTENT, 0},     {"*len", WL_ROLE_EXTENT, 0},       {"*length", WL_ROLE_EXTENT, 0},
    {"total*", WL_ROLE_EXTENT, 0},    {"*elements", WL_ROLE_EXTENT, 0},  {"*elems", WL_ROLE_EXTENT, 0},
    {"nnz", WL_ROLE_EXTENT, 0},       {"*nodes", WL_ROLE_EXTENT, 0},     {"*edges", WL_ROLE_EXTENT, 0},
    {"*points", WL_ROLE_EXTENT, 0},   {"*items", WL_ROLE_EXTENT, 0},     {"*particles", WL_ROLE_EXTENT, 0},
    {"*bodies", WL_ROLE_EXTENT, 0},   {"*samples", WL_ROLE_EXTENT, 0},   {"*pixels", WL_ROLE_EXTENT, 0},
    {"*cells", WL_ROLE_EXTENT, 0},    {"*dim", WL_ROLE_EXTENT, 0},       {"end", WL_ROLE_EXTENT, 0},
    {"last", WL_ROLE_EXTENT, 0},
};

static const row arrays[] = {
    {"*ptr", WL_ROLE_OFFSETS, 0},     {"*ptrs", WL_ROLE_OFFSETS, 0},   {"*offset", WL_ROLE_OFFSETS, 0},
    {"*offsets", WL_ROLE_OFFSETS, 0}, {"*starts", WL_ROLE_OFFSETS, 0}, {"rows", WL_ROLE_OFFSETS, 0},
    {"xadj", WL_ROLE_OFFSETS, 0},     {"indptr", WL_ROLE_OFFSETS, 0},
};

static bool matches(const char *pattern, const char *name)
{
    const size_t length = strlen(pattern), n = strlen(name);
    if (pattern[0] == '*')
        return n >= length - 1 && strcmp(name + n - (length - 1), pattern + 1) == 0;
    if (pattern[length - 1] == '*')
        return strncmp(name, pattern, length - 1) == 0;
    return strcmp(name, pattern) == 0;
}

static wl_role_found find(const row *rows, size_t count, const char *name)
{
    char lower[NAME_LENGTH];
    size_t n = 0;
    for (; name[n] && n + 1 < sizeof lower; n++)
        lower[n] = wl_lower(name[n]);
    lower[n] = '\0';
    for (size_t i = 0; i < count; i++)
        if (matches(rows[i].pattern, lower))
            return (wl_role_found){rows[i].role, rows[i].value};
    return (wl_role_found){WL_ROLE_UNKNOWN, 0};
}

wl_role_found wl_role_of_number(const char *name) { return find(numbers, COUNT(numbers), name); }

wl_role_found wl_role_of_array(const char *name) { return find(arrays, COUNT(arrays), name); }
