/* team.h - several processes that share one search: the same command under mpirun.
 *
 * Every process reads the same arguments and files. The first one leads: it distributes parts of
 * the space, works itself in between, collects the records and writes the result. A member without
 * a heartbeat for a while is reported and its parts are distributed again; without a heartbeat of
 * the leader the members exit. The leader handles Ctrl-C: it writes what was found and waits for no
 * member. Built without MPI there is only a team of one.
 *
 *   team_launch.c  variables that a launcher sets       team_watch.c  signs of life
 *   team.c         joining, agreeing, leaving; a member's work   team_lead.c   the leader's work
 *   team_alone.c   all of it without MPI                         team_wire.h   messages
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_TEAM_H
#define WL_CLI_TEAM_H

#include "warpline/rank.h"

/* Finds out whether there are others. The exit code. */
int team_join(void);
bool team_leads(void);
int team_size(void);
/* Threads that each member should use, so that members on one machine share its cores; 0: the
 * default. */
int team_threads(void);

/* All members report whether they are ready (an exit code); all get the first code that is not
 * 0. */
int team_agree(int code);

/* Receives the records that the leader collects. */
typedef struct team_listener {
    bool (*each)(void *user, const wl_ranked *records, size_t count); /* as in wl_rank_options */
    /* Called from another thread if the process is about to be killed in the middle of a
     * prediction: writes the ranking so far and ends the process. */
    void (*cut_short)(void *user);
    void *user;
} team_listener;

/* Like wl_rank, with the records of `each` in the order of the space. Members return when the
 * leader has everything; only the leader has a ranking. */
wl_status team_rank(wl_ranker *ranker, wl_ranked *best, size_t capacity, const team_listener *listener, wl_ranking *out,
                    wl_error *err);

/* To be called from the ranker's progress: draws the bar (leader), or sends a heartbeat (others).
 * False: stop. */
bool team_pulse(int64_t done, int64_t total);

/* Ends the team; `code` is the leader's exit code. Returns it, unless a member was lost: then it
 * does not return. */
int team_leave(int code);

#endif /* WL_CLI_TEAM_H */
