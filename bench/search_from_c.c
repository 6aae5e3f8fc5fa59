/* search_from_c.c - the searches of rank_from_python.py in C: kernel, device and space made anew,
 * every launch kept, with its block and volumes, and how far to trust the order. A module that
 * the script loads, so that both run in one process, in turn. */
#include "bench.h"

/* Keys and texts in turn, ended by NULL. The number of launches. */
__attribute__((visibility("default"))) size_t search_from_c(const char *device_name, const char *const *settings);

size_t search_from_c(const char *device_name, const char *const *settings)
{
    wl_error err = {0};
    wl_device *device = NULL;
    wl_kernel *kernel = NULL;
    wl_space *space = NULL;
    wl_ranker *ranker = NULL;
    wl_ranking ranking;
    wl_trust trust;
    size_t length = 0;
    const char *text = wl_kernel_builtin_text("star3d_r4", &length);
    const wl_rank_options options = {.threads = 1};
    must(wl_kernel_parse("star3d_r4", text, length, NULL, &kernel, &err), &err);
    must(wl_device_builtin(device_name, &device, &err), &err);
    must(wl_space_new(&space, &err), &err);
    for (; *settings; settings += 2)
        must(wl_space_set(space, settings[0], settings[1], &err), &err);
    must(wl_ranker_new(kernel, device, space, &options, &ranker, &err), &err);
    const size_t size = (size_t)wl_ranker_size(ranker);
    wl_ranked *best = malloc(size * sizeof *best);
    wl_launch *launches = malloc(size * sizeof *launches);
    int64_t *items = malloc(size * sizeof *items);
    if (!best || !launches || !items)
        exit(1);
    must(wl_rank(ranker, best, size, &ranking, &err), &err);
    wl_ranker_launches(ranker, best, ranking.count, launches, items);
    must(wl_trust_of(device, WL_MODEL_BEST, &trust, &err), &err);
    free(items);
    free(launches);
    free(best);
    wl_ranker_free(ranker);
    wl_space_free(space);
    wl_kernel_free(kernel);
    wl_device_free(device);
    return ranking.count;
}
