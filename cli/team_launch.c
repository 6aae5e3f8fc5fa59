/* team_launch.c - see team_launch.h. SPDX-License-Identifier: MIT */
#include "team_launch.h"

#include <stdlib.h>
#include <string.h>

#include "diag.h"

/* In order of precedence: a launcher inside a Slurm job knows better than Slurm. SLURM_NTASKS is
 * not used: a batch script has it, too, and is one process. */
static const struct {
    const char *processes, *number;
} variables[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}, /* mpirun of Open MPI */
    {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},   /* of MVAPICH2 */
    /* of MPICH and its relatives; srun --mpi=pmi2 */
    {"PMI_SIZE", "PMI_RANK"},
    {"JSM_NAMESPACE_SIZE", "JSM_NAMESPACE_RANK"}, /* jsrun */
    {"FLUX_JOB_SIZE", "FLUX_TASK_RANK"},          /* flux run */
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},     /* srun */
    {NULL, "PMIX_RANK"},                          /* any other that speaks PMIx */
};

/* -1 where there is no such number. */
static int number_in(const char *name)
{
    const char *text = name ? getenv(name) : NULL;
    char *end = NULL;
    const long value = text ? strtol(text, &end, 10) : -1;
    return text && end != text && *end == '\0' && value >= 0 && value <= 1 << 24 ? (int)value : -1;
}

static bool is_told_to_be_alone(void)
{
    const char *alone = getenv("WARPLINE_ALONE");
    return alone && *alone && strcmp(alone, "0") != 0;
}

team_launch team_launch_read(void)
{
    const team_launch alone = {.processes = 1, .number = -1};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0] && !is_told_to_be_alone(); i++) {
        const int processes = number_in(variables[i].processes), number = number_in(variables[i].number);
        if (processes > 0)
            return (team_launch){processes, number, variables[i].processes};
        if (!variables[i].processes && number >= 0)
            return (team_launch){0, number, variables[i].number};
    }
    return alone;
}

bool team_launch_has_others(const team_launch *launch) { return launch->processes > 1 || launch->number > 0; }

void team_launch_refuse(const team_launch *launch, const char *wrong, const char *remedy)
{
    /* if only processes after the first can tell, each of them reports it */
    if (launch->number > 0 && launch->processes > 1)
        return;
    usage_error("error: %s says that several processes were started together, but %s: each would search everything. "
                "%s, or start one process; with WARPLINE_ALONE=1 each works on its own",
                launch->source, wrong, remedy);
}
