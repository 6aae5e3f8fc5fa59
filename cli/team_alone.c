/* team_alone.c - the team of one, where there is no MPI; team.h. SPDX-License-Identifier: MIT */
#ifndef WARPLINE_MPI

#include "options.h"
#include "progress.h"
#include "team.h"
#include "team_launch.h"

int team_join(void)
{
    const team_launch launch = team_launch_read();
    if (!team_launch_has_others(&launch))
        return EXIT_OK;
    team_launch_refuse(&launch, "warpline was built without MPI", "Install libopenmpi-dev and build again");
    return EXIT_UNSUPPORTED;
}

bool team_leads(void) { return true; }
int team_threads(void) { return 0; }
int team_size(void) { return 1; }
int team_agree(int code) { return code; }
int team_leave(int code) { return code; }
bool team_pulse(int64_t done, int64_t total) { return progress_show(done, total); }

wl_status team_rank(wl_ranker *ranker, wl_ranked *best, size_t capacity, const team_listener *listener, wl_ranking *out,
                    wl_error *err)
{
    (void)listener; /* the ranker has `each` in its options, and nobody kills it */
    return wl_rank(ranker, best, capacity, out, err);
}

#else
typedef int team_alone_is_not_needed; /* an empty file is no C */
#endif
