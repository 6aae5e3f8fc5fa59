/* team.c - joining, agreeing and leaving, and what a member does in between; team.h.
 * SPDX-License-Identifier: MIT */
#ifdef WARPLINE_MPI

#include "team.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "diag.h"
#include "options.h"
#include "progress.h"
#include "team_launch.h"
#include "team_watch.h"
#include "team_wire.h"

team the_team = {.size = 1};

/* A message to a member in flight. */
typedef struct letter {
    struct letter *next;
    MPI_Request request;
    team_parcel content;
} letter;
static letter *letters;

double team_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void team_sleep(double seconds)
{
    const struct timespec moment = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&moment, NULL);
}

void team_wait_a_moment(void)
{
    team_sleep(0.0002);
    team_watch_tick();
}

wl_status team_no_memory(wl_error *err)
{
    *err = (wl_error){.code = WL_E_NOMEM, .message = "out of memory"};
    return WL_E_NOMEM;
}

bool team_leads(void) { return the_team.me == 0; }
int team_size(void) { return the_team.size; }

/* ---- joining ---- */

/* MPI knows only this process. If there are others, each would do the same work. */
static int be_alone(const team_launch *launch)
{
    MPI_Finalize();
    if (!team_launch_has_others(launch))
        return EXIT_OK;
    team_launch_refuse(launch, "MPI does not connect them",
                       "Start them with the mpirun of the MPI that warpline was built with, or with srun and a kind of "
                       "PMI that this MPI speaks (srun --mpi=list; often --mpi=pmix)");
    return EXIT_UNSUPPORTED;
}

/* If Open MPI cannot start, it ends the process, with a message for administrators. */
static void warn_of_start(const team_launch *launch)
{
#ifdef OPEN_MPI
    const bool slurm = !getenv("OMPI_COMM_WORLD_SIZE") && getenv("SLURM_STEP_NUM_TASKS") && !getenv("PMIX_RANK");
    if (slurm && launch->number <= 0)
        usage_error("note: srun started several processes without PMIx; where MPI cannot start like that, use mpirun "
                    "or srun --mpi=pmix, or start one process");
#else
    (void)launch;
#endif
}

int team_join(void)
{
    const team_launch launch = team_launch_read();
    int threads = 0;
    if (launch.processes == 1)
        return EXIT_OK;
    warn_of_start(&launch);
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &threads) != MPI_SUCCESS) {
        usage_error("error: MPI does not start");
        return EXIT_INTERNAL;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &the_team.me);
    MPI_Comm_size(MPI_COMM_WORLD, &the_team.size);
    if (the_team.size == 1)
        return be_alone(&launch);
    the_team.members = calloc((size_t)the_team.size, sizeof *the_team.members);
    if (!the_team.members || !team_watch_start(threads == MPI_THREAD_MULTIPLE))
        MPI_Abort(MPI_COMM_WORLD, EXIT_INTERNAL);
    if (the_team.me > 0) /* the leader reads the same arguments and says what is wrong with them */
        (void)!freopen("/dev/null", "w", stderr);
    return EXIT_OK;
}

int team_threads(void)
{
    if (the_team.size == 1 || getenv("OMP_NUM_THREADS"))
        return 0;
    const char *local = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    const int neighbours = local && atoi(local) > 0 ? atoi(local) : the_team.size;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > neighbours ? (int)(cores / neighbours) : 1;
}

/* ---- sending without waiting ---- */

/* Frees the letters that have arrived. */
static void clear_letters(void)
{
    for (letter **at = &letters; *at;) {
        letter *l = *at;
        int arrived = 0;
        MPI_Test(&l->request, &arrived, MPI_STATUS_IGNORE);
        if (arrived) {
            *at = l->next;
            free(l);
        } else {
            at = &l->next;
        }
    }
}

void team_send(int process, int tag, const team_parcel *content)
{
    letter *l = malloc(sizeof *l);
    if (!l) {
        MPI_Abort(MPI_COMM_WORLD, EXIT_INTERNAL);
        return;
    }
    clear_letters();
    *l = (letter){.next = letters, .content = *content};
    letters = l;
    MPI_Isend(&l->content, sizeof l->content, MPI_BYTE, process, tag, MPI_COMM_WORLD, &l->request);
}

bool team_message_waits(int process, int tag, MPI_Status *from)
{
    int flag = 0;
    MPI_Iprobe(process, tag, MPI_COMM_WORLD, &flag, from);
    return flag != 0;
}

/* ---- agreeing ---- */

void team_lose(int process)
{
    the_team.members[process].lost = the_team.someone_lost = true;
    usage_error("warning: process %d of %d is lost (no sign of life for %.0f s); the others take over its work",
                process, the_team.size, team_watch_patience());
}

bool team_is_in_a_hurry(void) { return progress_interrupted() == SIGTERM; }

/* Until when the leader waits for its members: for ever while they are alive, but not after
 * Ctrl-C. */
static double hearing_ends(void)
{
    if (!progress_interrupted())
        return INFINITY;
    return team_now() + (team_is_in_a_hurry() ? TEAM_HURRY_SECONDS : 10 * TEAM_HURRY_SECONDS);
}

/* A member's last exit code; false: it did not arrive. */
static bool hear_from(int process, double until, int *code)
{
    team_member *m = &the_team.members[process];
    for (; m->unheard >= 0; m->unheard--) {
        while (!team_message_waits(process, TEAM_TAG_READY, MPI_STATUS_IGNORE)) {
            if (team_now() > until)
                return false;
            if (team_watch_silence(process) > team_watch_patience()) {
                team_lose(process);
                return false;
            }
            team_wait_a_moment();
        }
        MPI_Recv(code, 1, MPI_INT, process, TEAM_TAG_READY, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    m->unheard = 0;
    return true;
}

/* The first code that is not 0, beginning with the leader's own; false: some member did not
 * answer. */
static bool hear_all(int code, double until, int *verdict)
{
    bool all = true;
    *verdict = code;
    for (int i = 1, theirs = EXIT_OK; i < the_team.size; i++) {
        if (the_team.members[i].lost || !hear_from(i, until, &theirs)) {
            all = false;
            continue;
        }
        if (theirs != EXIT_OK && code == EXIT_OK)
            usage_error("error: process %d of %d cannot take part (exit code %d)", i, the_team.size, theirs);
        *verdict = *verdict == EXIT_OK ? theirs : *verdict;
    }
    return all;
}

static void give_verdict(int verdict)
{
    for (int i = 1; i < the_team.size; i++)
        if (!the_team.members[i].lost)
            team_send(i, TEAM_TAG_VERDICT, &(team_parcel){.status = verdict});
}

static int await_verdict(int code)
{
    team_parcel verdict;
    MPI_Send(&code, 1, MPI_INT, 0, TEAM_TAG_READY, MPI_COMM_WORLD);
    while (!team_message_waits(0, TEAM_TAG_VERDICT, MPI_STATUS_IGNORE))
        team_wait_a_moment();
    MPI_Recv(&verdict, sizeof verdict, MPI_BYTE, 0, TEAM_TAG_VERDICT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return code == EXIT_OK ? verdict.status : code;
}

/* Without the collective calls of MPI, which would wait for a lost member. After Ctrl-C the leader
 * does not ask. */
int team_agree(int code)
{
    int verdict = code;
    if (the_team.size == 1)
        return code;
    if (!team_leads())
        return await_verdict(code);
    if (progress_interrupted())
        for (int i = 1; i < the_team.size; i++)
            the_team.members[i].unheard++;
    else
        (void)hear_all(code, hearing_ends(), &verdict);
    give_verdict(verdict);
    return verdict;
}

/* ---- leaving ---- */

/* Are all members still alive? The output is complete; only the shutdown remains. */
static bool take_leave(int code, int *verdict)
{
    if (!team_leads()) {
        *verdict = await_verdict(code);
        return true;
    }
    const bool all = hear_all(code, hearing_ends(), verdict);
    give_verdict(*verdict);
    return all;
}

/* From here on a forced exit is better than hanging. After an interrupt, members wait for the
 * leader: mpirun kills the rest as soon as one process ends. */
static int leave_in_time(bool hurry, int code)
{
    const double hurried = team_leads() ? TEAM_HURRY_SECONDS : 20 * TEAM_HURRY_SECONDS;
    const int forced = code || hurry ? code : EXIT_INTERNAL;
    team_watch_leave(hurry ? hurried : team_watch_patience(), forced, hurry);
    return forced;
}

int team_leave(int code)
{
    int verdict = code;
    if (the_team.size == 1)
        return code;
    fflush(stdout);
    const bool everybody = take_leave(code, &verdict);
    const int mine = team_leads() ? code : EXIT_OK;
    const int forced = leave_in_time(verdict == EXIT_INTERRUPTED && team_is_in_a_hurry(), mine);
    if (!everybody) /* an orderly end would wait for them */
        MPI_Abort(MPI_COMM_WORLD, forced);
    while (letters) {
        clear_letters();
        team_wait_a_moment();
    }
    MPI_Finalize();
    team_watch_end();
    free(the_team.members);
    return mine;
}

/* ---- members ---- */

bool team_pulse(int64_t done, int64_t total)
{
    if (the_team.size == 1)
        return progress_show(done, total);
    team_watch_tick();
    if (team_leads())
        return progress_show(the_team.done, the_team.total);
    return !team_message_waits(0, TEAM_TAG_END, MPI_STATUS_IGNORE);
}

/* Marks a part as left out that arrived before the end and was not begun. */
static void leave_out(const team_parcel *p, wl_ranked *records)
{
    for (int64_t i = p->first; i < p->last; i++)
        records[i - p->first] = (wl_ranked){.index = i, .outcome = WL_OUTCOME_LEFT};
}

/* Predicts the parts it is given until the leader has everything. The leader handles Ctrl-C. */
static wl_status serve(wl_ranker *ranker, wl_error *err)
{
    team_parcel *p = malloc(sizeof *p + TEAM_PART_MOST * sizeof(wl_ranked));
    wl_ranked *records = p ? (wl_ranked *)(void *)(p + 1) : NULL;
    if (!p)
        return team_no_memory(err);
    for (;;) {
        MPI_Status from;
        while (!team_message_waits(0, MPI_ANY_TAG, &from))
            team_wait_a_moment();
        MPI_Recv(p, sizeof *p, MPI_BYTE, 0, from.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (from.MPI_TAG == TEAM_TAG_END)
            break;
        const size_t count = (size_t)(p->last - p->first);
        if (team_message_waits(0, TEAM_TAG_END, MPI_STATUS_IGNORE))
            leave_out(p, records);
        else
            p->status = (int32_t)wl_ranker_evaluate(ranker, p->first, p->last, records, &p->err);
        MPI_Send(p, (int)(sizeof *p + count * sizeof *records), MPI_BYTE, 0, TEAM_TAG_RESULT, MPI_COMM_WORLD);
    }
    free(p);
    return WL_OK;
}

wl_status team_rank(wl_ranker *ranker, wl_ranked *best, size_t capacity, const team_listener *listener, wl_ranking *out,
                    wl_error *err)
{
    if (the_team.size == 1)
        return wl_rank(ranker, best, capacity, out, err);
    the_team.round++;
    return team_leads() ? team_lead(ranker, best, capacity, listener, out, err) : serve(ranker, err);
}

#else
typedef int team_needs_mpi; /* an empty file is no C */
#endif
