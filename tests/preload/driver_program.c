/* driver_program.c - a program with the driver's interface, for `warpline record` and `run` on a
 * machine without CUDA, whose driver is then the double. It checks its results itself.
 *
 * driver_program [N]: each kernel adds to N numbers, in all the ways in which it can be launched.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int probe_next(void);

/* ---- the driver ---- */

typedef uint64_t device_pointer;
typedef struct launch_attribute {
    int id;
    char pad[4];
    unsigned value[16];
} launch_attribute;
typedef struct launch_config {
    unsigned grid[3], block[3], shared;
    void *stream;
    launch_attribute *attributes;
    unsigned count;
} launch_config;
struct array_description {
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
};
struct copy_side {
    size_t x, y;
    int kind; /* 1: host, 3: array */
    void *host;
    uint64_t device;
    void *array;
    size_t pitch;
};
struct copy_2d {
    struct copy_side from, to;
    size_t width, height;
};
struct resource {
    int kind; /* 0: array */
    union {
        void *array;
        int reserved[32];
    } of;
    unsigned flags;
};
struct texture {
    int modes[3], filter;
    unsigned flags, rest[21];
};
typedef int (*launch_call)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                           void **, void **);

int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxSetCurrent(void *context);
int cuCtxSynchronize(void);
int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuModuleGetGlobal_v2(device_pointer *address, size_t *bytes, void *module, const char *name);
int cuModuleUnload(void *module);
int cuLibraryLoadData(void **library, const void *image, int *options, void **values, unsigned count,
                      int *library_options, void **library_values, unsigned library_count);
int cuLibraryGetKernel(void **kernel, void *library, const char *name);
int cuKernelGetFunction(void **function, void *kernel);
int cuMemAlloc_v2(device_pointer *pointer, size_t bytes);
int cuMemAllocAsync(device_pointer *pointer, size_t bytes, void *stream);
int cuMemFree_v2(device_pointer pointer);
int cuMemcpyHtoD_v2(device_pointer to, const void *from, size_t bytes);
int cuMemcpyDtoH_v2(void *to, device_pointer from, size_t bytes);
int cuMemsetD32Async(device_pointer to, unsigned value, size_t count, void *stream);
int cuStreamCreate(void **stream, unsigned flags);
int cuStreamSynchronize(void *stream);
int cuStreamWaitEvent(void *stream, void *event, unsigned flags);
int cuEventCreate(void **event, unsigned flags);
int cuEventRecord(void *event, void *stream);
int cuStreamBeginCapture_v2(void *stream, int mode);
int cuStreamEndCapture(void *stream, void **graph);
int cuGraphInstantiateWithFlags(void **exec, void *graph, uint64_t flags);
int cuGraphLaunch(void *exec, void *stream);
int cuGraphExecDestroy(void *exec);
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **params, void **extra);
int cuLaunchKernelEx(const launch_config *config, void *function, void **params, void **extra);
int cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *status);
int cuArray3DCreate_v2(void **array, const struct array_description *description);
int cuArrayDestroy(void *array);
int cuMemcpy2D_v2(const struct copy_2d *copy);
int cuTexObjectCreate(uint64_t *object, const struct resource *resource, const struct texture *texture,
                      const void *view);
int cuTexObjectDestroy(uint64_t object);
int cuIpcGetMemHandle(void *handle, device_pointer pointer);

#define MUST(call)                                                                                                     \
    do {                                                                                                               \
        const int error = call;                                                                                        \
        if (error) {                                                                                                   \
            printf("%s: error %d\n", #call, error);                                                                    \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* ---- device code ---- */

/* y[i] += x[i] * the variable */
#define CODE(name)                                                                                                     \
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .global .align 4 .u32 factor = 1;\n"                      \
    ".visible .entry " name "(.param .u64 p_x, .param .u64 p_y, .param .u32 p_n)\n{\n"                                 \
    "  .reg .pred %p<2>; .reg .b32 %r<10>; .reg .b64 %d<8>;\n"                                                         \
    "  ld.param.u64 %d1, [p_x]; ld.param.u64 %d2, [p_y]; ld.param.u32 %r1, [p_n];\n"                                   \
    "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"                                            \
    "  mad.lo.s32 %r5, %r2, %r3, %r4; setp.ge.u32 %p1, %r5, %r1;\n"                                                    \
    "  @%p1 bra done;\n"                                                                                               \
    "  mul.wide.u32 %d3, %r5, 4; add.s64 %d4, %d1, %d3; add.s64 %d5, %d2, %d3;\n"                                      \
    "  ld.global.u32 %r6, [%d4]; ld.global.u32 %r7, [%d5]; ld.global.u32 %r8, [factor];\n"                             \
    "  mad.lo.u32 %r7, %r6, %r8, %r7; st.global.u32 [%d5], %r7;\n"                                                     \
    "done:\n  ret;\n}\n"
static const char of_library[] = CODE("add_library");

/* y[i] += the texel of a row of 64 */
static const char of_texture[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                                 ".visible .entry add_texture(.param .u64 p_t, .param .u64 p_y, .param .u32 p_n)\n{\n"
                                 "  .reg .pred %p<2>; .reg .b32 %r<16>; .reg .b64 %d<8>;\n"
                                 "  ld.param.u64 %d1, [p_t]; ld.param.u64 %d2, [p_y]; ld.param.u32 %r1, [p_n];\n"
                                 "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
                                 "  mad.lo.s32 %r5, %r2, %r3, %r4; setp.ge.u32 %p1, %r5, %r1;\n"
                                 "  @%p1 bra done;\n"
                                 "  and.b32 %r6, %r5, 63; shr.u32 %r7, %r5, 6;\n"
                                 "  tex.2d.v4.u32.s32 {%r8, %r9, %r10, %r11}, [%d1, {%r6, %r7}];\n"
                                 "  mul.wide.u32 %d3, %r5, 4; add.s64 %d5, %d2, %d3;\n"
                                 "  ld.global.u32 %r12, [%d5]; add.u32 %r12, %r12, %r8; st.global.u32 [%d5], %r12;\n"
                                 "done:\n  ret;\n}\n";

typedef struct fatbin {
    uint32_t magic;
    uint16_t version, header;
    uint64_t bytes;
    struct {
        uint16_t kind, version;
        uint32_t header;
        uint64_t bytes;
        uint32_t compressed, options;
        uint16_t minor, major;
        uint32_t arch, name, name_bytes;
        uint64_t flags, zero, unpacked;
    } entry;
    char text[sizeof of_library];
} fatbin;
static fatbin code = {.magic = 0xba55ed50u, .version = 1, .header = 16};
static struct {
    uint32_t magic, version;
    const void *fatbin;
    void *file;
} wrapper = {0x466243b1u, 1, &code, NULL};

static void fill_fatbin(void)
{
    code.entry.kind = 1;
    code.entry.version = 0x101;
    code.entry.header = sizeof code.entry;
    code.entry.bytes = (sizeof of_library + 7) / 8 * 8;
    code.entry.arch = 70;
    code.bytes = sizeof code.entry + code.entry.bytes;
    memcpy(code.text, of_library, sizeof of_library);
}

/* ---- the program ---- */

static unsigned n = 1000;
static device_pointer x, y;
static void *context;

static void *load_text(const char *text, const char *name, void **module)
{
    void *function = NULL;
    char *image = strdup(text); /* the driver copies it */
    MUST(cuModuleLoadDataEx(module, image, 0, NULL, NULL));
    memset(image, '?', strlen(image));
    free(image);
    MUST(cuModuleGetFunction(&function, *module, name));
    return function;
}

static void launch(launch_call call, void *function, unsigned threads, void *stream)
{
    void *params[] = {&x, &y, &n};
    MUST(call(function, (n + threads - 1) / threads, 1, 1, threads, 1, 1, 0, stream, params, NULL));
}

static void *two_launches(void *function)
{
    MUST(cuCtxSetCurrent(context));
    for (int k = 0; k < 2; k++)
        launch(cuLaunchKernel, function, 32, NULL);
    return NULL;
}

#define ROW 64

/* An array of the numbers 0 .., and a texture over it. */
static void add_texture(void *stream)
{
    const unsigned rows = (n + ROW - 1) / ROW;
    unsigned *numbers = malloc(sizeof *numbers * ROW * rows);
    void *array, *module, *function;
    uint64_t object;
    const struct array_description description = {ROW, rows, 0, 3, 1, 0};
    if (!numbers)
        exit(2);
    for (unsigned i = 0; i < ROW * rows; i++)
        numbers[i] = i;
    MUST(cuArray3DCreate_v2(&array, &description));
    const size_t row = ROW * sizeof *numbers;
    const struct copy_2d copy = {.from = {.kind = 1, .host = numbers, .pitch = row},
                                 .to = {.kind = 3, .array = array},
                                 .width = row,
                                 .height = rows};
    MUST(cuMemcpy2D_v2(&copy));
    memset(numbers, 0, row);
    free(numbers);
    const struct resource resource = {.of.array = array};
    const struct texture texture = {.modes = {1, 1, 1}, .flags = 1};
    MUST(cuTexObjectCreate(&object, &resource, &texture, NULL));
    function = load_text(of_texture, "add_texture", &module);
    void *params[] = {&object, &y, &n};
    MUST(cuLaunchKernel(function, (n + 127) / 128, 1, 1, 128, 1, 1, 0, stream, params, NULL));
    MUST(cuStreamSynchronize(stream));
    MUST(cuTexObjectDestroy(object));
    MUST(cuArrayDestroy(array));
}

int main(int argc, char **argv)
{
    void *module, *other, *library, *kernel, *function, *stream, *side, *event, *graph, *exec, *found = NULL;
    unsigned expected = 0, wrong = 0;
    n = argc > 1 ? (unsigned)atoi(argv[1]) : n;
    unsigned *host = malloc(n * sizeof *host);
    if (!host)
        return 2;
    for (unsigned i = 0; i < n; i++)
        host[i] = i;
    fill_fatbin();
    MUST(cuInit(0));
    MUST(cuDevicePrimaryCtxRetain(&context, 0));
    MUST(cuCtxSetCurrent(context));
    MUST(cuStreamCreate(&stream, 1));
    MUST(cuStreamCreate(&side, 1));
    MUST(cuEventCreate(&event, 2));
    MUST(cuMemAlloc_v2(&x, n * sizeof *host));
    MUST(cuMemAllocAsync(&y, n * sizeof *host, stream));
    MUST(cuMemcpyHtoD_v2(x, host, n * sizeof *host));
    MUST(cuMemsetD32Async(y, 0, n, stream));

    /* a module from a text, all forms of a launch */
    function = load_text(CODE("add_text"), "add_text", &module);
    launch(cuLaunchKernel, function, 128, stream), expected++;
    MUST(cuGetProcAddress_v2("cuLaunchKernel", &found, 12000, 0, NULL));
    launch((launch_call)(uintptr_t)found, function, 128, stream), expected++;
    /* the form for default streams of threads */
    MUST(cuGetProcAddress_v2("cuLaunchKernel", &found, 12000, 2, NULL));
    launch((launch_call)(uintptr_t)found, function, 128, NULL), expected++;
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    launch((launch_call)(uintptr_t)dlsym(driver, "cuLaunchKernel"), function, 128, stream), expected++;
    unsigned char block[20];
    size_t size = sizeof block;
    void *extra[] = {(void *)1, block, (void *)2, &size, NULL}, *params[] = {&x, &y, &n};
    memcpy(block, &x, 8), memcpy(block + 8, &y, 8), memcpy(block + 16, &n, 4);
    MUST(cuLaunchKernel(function, (n + 63) / 64, 1, 1, 64, 1, 1, 0, stream, NULL, extra));
    expected++;
    launch_attribute cluster = {.id = 4, .value = {2, 1, 1}};
    const launch_config config = {{(n + 127) / 128 / 2 * 2 + 2, 1, 1}, {128, 1, 1}, 0, stream, &cluster, 1};
    MUST(cuLaunchKernelEx(&config, function, params, NULL));
    expected++;

    /* its variable; the module goes, and another one may get its handles */
    device_pointer factor;
    size_t bytes;
    const unsigned three = 3;
    MUST(cuModuleGetGlobal_v2(&factor, &bytes, module, "factor"));
    MUST(cuMemcpyHtoD_v2(factor, &three, sizeof three));
    launch(cuLaunchKernel, function, 256, stream), expected += 3;
    MUST(cuStreamSynchronize(stream));
    MUST(cuModuleUnload(module));
    function = load_text(CODE("add_again"), "add_again", &other);
    launch(cuLaunchKernel, function, 128, stream), expected++;

    /* a library from a fatbin, as the runtime loads it */
    MUST(cuLibraryLoadData(&library, &wrapper, NULL, NULL, 0, NULL, NULL, 0));
    MUST(cuLibraryGetKernel(&kernel, library, "add_library"));
    MUST(cuKernelGetFunction(&function, kernel));
    launch(cuLaunchKernel, kernel, 128, stream), expected++;
    launch(cuLaunchKernel, function, 128, stream), expected++;

    add_texture(stream);
    expected++;

    /* a graph, and a launch elsewhere while it is captured */
    MUST(cuStreamBeginCapture_v2(stream, 2));
    launch(cuLaunchKernel, kernel, 64, stream);
    MUST(cuEventRecord(event, stream));
    MUST(cuStreamWaitEvent(side, event, 0));
    MUST(cuStreamEndCapture(stream, &graph));
    MUST(cuGraphInstantiateWithFlags(&exec, graph, 0));
    for (int k = 0; k < 3; k++, expected++)
        MUST(cuGraphLaunch(exec, stream));
    MUST(cuGraphExecDestroy(exec));

    /* threads; a child that ends in the usual way */
    pthread_t threads[2];
    for (int k = 0; k < 2; k++, expected += 2)
        MUST(pthread_create(&threads[k], NULL, two_launches, kernel));
    for (int k = 0; k < 2; k++)
        MUST(pthread_join(threads[k], NULL));
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
        exit(0);
    (void)waitpid(child, NULL, 0);

    MUST(cuCtxSynchronize());
    MUST(cuMemcpyDtoH_v2(host, y, n * sizeof *host));
    for (unsigned i = 0; i < n; i++)
        wrong += host[i] != i * expected;
    printf("%u wrong, %u times, next %s, not known: %d\n", wrong, expected, probe_next() ? "right" : "WRONG",
           cuIpcGetMemHandle(block, y));
    MUST(cuMemFree_v2(x));
    MUST(cuMemFree_v2(y));
    free(host);
    return wrong > 0;
}
