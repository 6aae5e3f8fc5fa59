/* team_wire.h - the messages between the processes of a team, and what the files of team.h share.
 * SPDX-License-Identifier: MIT */
#ifndef WL_CLI_TEAM_WIRE_H
#define WL_CLI_TEAM_WIRE_H

#include <mpi.h>

#include "team.h"

#define TEAM_PART_MOST 1024 /* launches of a part */
/* parts that a member has at once, so that it never waits for the next */
#define TEAM_AHEAD 2
/* After Ctrl-C, mpirun kills all processes a second after its first signal: the result is written
 * before that, and no process waits for another much longer. */
#define TEAM_HURRY_SECONDS 0.2

enum { TEAM_TAG_WORK, TEAM_TAG_END, TEAM_TAG_RESULT, TEAM_TAG_READY, TEAM_TAG_VERDICT };

/* A part of the space, sent to a member, or sent back followed by its records. */
typedef struct team_parcel {
    int32_t round, status;
    int64_t first, last;
    wl_error err;
} team_parcel;

/* What the leader knows about a member. */
typedef struct team_member {
    bool lost;
    /* ready messages from it that the leader did not wait for */
    int unheard;
    int parts;                    /* handed out and not yet returned */
    team_parcel work[TEAM_AHEAD]; /* these */
} team_member;

typedef struct team {
    int me, size;
    int32_t round;        /* number of the search */
    int64_t done, total;  /* launches of this search */
    team_member *members; /* by process number; the leader's own is not used */
    bool someone_lost;
} team;
extern team the_team;

/* Sends without waiting: a stopped process receives nothing, and a blocking send would stop the
 * leader. */
void team_send(int process, int tag, const team_parcel *content);
/* Is there a message of this kind to receive? MPI_ANY_SOURCE: from anybody. `from` may be
 * MPI_STATUS_IGNORE. */
bool team_message_waits(int process, int tag, MPI_Status *from);
void team_lose(int process);

/* Did the launcher send this signal to end all processes? Then it does not wait, and kills those
 * that are left. */
bool team_is_in_a_hurry(void);

double team_now(void); /* seconds of a clock that only goes forward */
void team_sleep(double seconds);
void team_wait_a_moment(void);

wl_status team_no_memory(wl_error *err);

/* The leader's part of team_rank. */
wl_status team_lead(wl_ranker *ranker, wl_ranked *best, size_t capacity, const team_listener *listener, wl_ranking *out,
                    wl_error *err);

#endif /* WL_CLI_TEAM_WIRE_H */
