/* consumer.c - a program against the installed library: the best launch of a stencil.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <warpline/warpline.h>

int main(void)
{
    wl_error err = {0};
    wl_device *device = NULL;
    wl_kernel *kernel = NULL;
    wl_space *space = NULL;
    wl_ranker *ranker = NULL;
    wl_ranked best;
    wl_ranking ranking;
    wl_launch launch;
    if (wl_device_builtin("h200", &device, &err) != WL_OK ||
        wl_kernel_from_update("dst[0,0] = src[-1,0] + src[1,0]", "4096x4096", "f32", &kernel, &err) != WL_OK ||
        wl_space_new(&space, &err) != WL_OK || wl_space_set(space, "threads", "256", &err) != WL_OK ||
        wl_ranker_new(kernel, device, space, NULL, &ranker, &err) != WL_OK ||
        wl_rank(ranker, &best, 1, &ranking, &err) != WL_OK || ranking.count != 1) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    wl_ranker_launch(ranker, best.index, &launch);
    printf("%s: %lldx%lld\n", wl_version(), (long long)launch.block[0], (long long)launch.block[1]);
    wl_ranker_free(ranker);
    wl_space_free(space);
    wl_kernel_free(kernel);
    wl_device_free(device);
    return 0;
}
