/* rank_launches.c - how a code generator chooses a launch: describe the kernel, search, take the
 * best.
 *
 * Nothing here touches the file system. The generator knows how many registers each folding of its
 * kernel needs, and that its tiles must fit a buffer of 4096 cells.
 *   cc rank_launches.c $(pkg-config --cflags --libs warpline) */
#include <stdio.h>
#include <stdlib.h>

#include "warpline/warpline.h"

static void must(wl_status status, const wl_error *err)
{
    if (status == WL_OK)
        return;
    fprintf(stderr, "%s: %s\n", wl_status_name(status), err->message);
    exit(1);
}

int main(void)
{
    wl_error err = {0};
    wl_kernel *kernel = NULL;
    wl_device *device = NULL;
    wl_space *space = NULL;
    wl_ranker *ranker = NULL;
    must(wl_kernel_from_update(
             "dst[0,0,0] = 0.4*src[0,0,0] + 0.1*(src[-1,0,0] + src[1,0,0] + src[0,-1,0] + src[0,1,0] + "
             "src[0,0,-1] + src[0,0,1])",
             "512x512x512", "f32", &kernel, &err),
         &err);
    must(wl_device_builtin("h200", &device, &err), &err);

    /* which launches the generator can emit */
    must(wl_space_new(&space, &err), &err);
    must(wl_space_set(space, "threads", "128..512", &err), &err);
    must(wl_space_set(space, "fold", "1x1x1,1x2x1,1x1x2,1x1x4", &err), &err);
    must(wl_space_set(space, "registers", "1x1x1:24,1x2x1:30,1x1x2:30,1x1x4:40", &err), &err);
    must(wl_space_set(space, "where", "tile.x * tile.y * tile.z <= 4096", &err), &err);
    must(wl_ranker_new(kernel, device, space, NULL, &ranker, &err), &err);

    /* the best five, into an array of ours */
    wl_ranked best[5];
    wl_ranking ranking;
    must(wl_rank(ranker, best, 5, &ranking, &err), &err);
    printf("%lld launches predicted, %lld left out by the condition\n",
           (long long)ranking.outcomes[WL_OUTCOME_PREDICTED], (long long)ranking.outcomes[WL_OUTCOME_WHERE]);
    for (size_t i = 0; i < ranking.count; i++) {
        wl_launch launch;
        wl_ranker_launch(ranker, best[i].index, &launch);
        printf(
            "%zu. block %lldx%lldx%lld fold %lldx%lldx%lld: %.1f us, limited by %s, %.1f bytes per cell from memory\n",
            i + 1, (long long)launch.block[0], (long long)launch.block[1], (long long)launch.block[2],
            (long long)launch.fold[0], (long long)launch.fold[1], (long long)launch.fold[2], 1e6 * best[i].time_s,
            wl_bound_name((wl_bound_id)best[i].limiter),
            best[i].values[WL_RANK_dram_load_bytes] / (double)wl_ranker_items(ranker));
    }

    /* how far to trust the order */
    wl_trust trust;
    must(wl_trust_of(device, WL_MODEL_BEST, &trust, &err), &err);
    printf("the true best is among these %zu with a probability of %.0f %% (%s)\n", ranking.count,
           100 * wl_trust_probability(&trust, best[ranking.count - 1].time_s / best[0].time_s), trust.basis);

    wl_ranker_free(ranker);
    wl_space_free(space);
    wl_device_free(device);
    wl_kernel_free(kernel);
    return ranking.count == 5 ? 0 : 1;
}
