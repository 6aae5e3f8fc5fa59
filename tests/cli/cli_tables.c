/* cli_tables.c - runs the command-line tests of tables, several at a time, each in its own folder.
 *
 * cli_tables [--update] [--jobs N] [--only PATTERN] [--times N] WARPLINE FLATTEN ROOT TABLE...
 * --times N: also the N cases that take most processor time.
 * SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* wait4 */
#define _XOPEN_SOURCE 700
#include "case_table.h"
#include "line_match.h"
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A case that takes longer hangs. Slow machines, emulators and sanitizers stay far below. */
enum { CASE_SECONDS = 300, JOBS_MAX = 256 };

/* The exit code of a case whose "needs" this machine does not meet. */
enum { NOT_HERE = 77 };

typedef enum verdict { PASSED, FAILED, SKIPPED } verdict;

static struct {
    bool update;
    long jobs, times;
    const char *only, *warpline, *flatten, *root;
    case_table *tables;
    size_t table_count;
} options;

/* A case and how its command ended. */
typedef struct job {
    test_case *test;
    size_t number;
    pid_t process;
    int status;     /* of wait() */
    double seconds; /* of processor time */
} job;

static char work[PATH_MAX]; /* the folder of all cases */
static volatile sig_atomic_t stopped;

static void on_signal(int number)
{
    (void)number;
    stopped = 1;
}

static int remove_one(const char *path, const struct stat *state, int kind, struct FTW *place)
{
    (void)state, (void)kind, (void)place;
    return remove(path);
}

static void remove_work(void) { nftw(work, remove_one, 16, FTW_DEPTH | FTW_PHYS); }

static void die(const char *what)
{
    fprintf(stderr, "cli_tables: %s: %s\n", what, strerror(errno));
    exit(2);
}

__attribute__((format(printf, 1, 2))) static const char *format(const char *form, ...)
{
    char text[PATH_MAX];
    va_list arguments;
    va_start(arguments, form);
    int length = vsnprintf(text, sizeof text, form, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof text) {
        errno = ENAMETOOLONG;
        die(form);
    }
    return keep_text(text, (size_t)length);
}

static const char *absolute(const char *path)
{
    char full[PATH_MAX];
    if (!realpath(path, full))
        die(path);
    return keep_text(full, strlen(full));
}

static const char *path_of(size_t number, const char *what) { return format("%s/%zu.%s", work, number, what); }

/* The files of a case, written where its command starts. */
static void write_files(const test_case *test, const char *folder)
{
    FILE *file = NULL;
    for (size_t i = 0; i < test->files.count; i++) {
        const char *line = test->files.items[i];
        if (line[0] == '@') {
            if (file && fclose(file))
                die(folder);
            file = fopen(format("%s/%s", folder, line + 2), "wb");
            if (!file)
                die(line);
        } else {
            fprintf(file, "%s\n", line[1] ? line + 2 : "");
        }
    }
    if (file && fclose(file))
        die(folder);
}

static const char *script_of(const test_case *test)
{
    size_t length = 1;
    for (size_t i = 0; i < test->script.count; i++)
        length += strlen(test->script.items[i]) + 1;
    const char *first = test->needs ? format("{ %s; } >/dev/null 2>&1 || exit %d\n", test->needs, NOT_HERE) : "";
    char *script = keep(strlen(first) + length), *to = script + sprintf(script, "%s", first);
    for (size_t i = 0; i < test->script.count; i++)
        to += sprintf(to, "%s\n", test->script.items[i]);
    return script;
}

static void redirect(const char *path, int flags, int descriptor)
{
    int file = open(path, flags, 0666);
    if (file < 0 || dup2(file, descriptor) < 0)
        _exit(126);
    close(file);
}

static void run_child(const char *folder, const char *script, const char *out, const char *err)
{
    setpgid(0, 0);
    alarm(CASE_SECONDS);
    redirect("/dev/null", O_RDONLY, 0);
    redirect(out, O_WRONLY | O_CREAT | O_TRUNC, 1);
    redirect(err, O_WRONLY | O_CREAT | O_TRUNC, 2);
    if (chdir(folder) == 0)
        execlp("sh", "sh", "-c", script, (char *)NULL);
    _exit(126);
}

static void start(job *j)
{
    const char *folder = path_of(j->number, "d");
    if (mkdir(folder, 0777))
        die(folder);
    write_files(j->test, folder);
    const char *script = script_of(j->test), *out = path_of(j->number, "out"), *err = path_of(j->number, "err");
    fflush(NULL);
    j->process = fork();
    if (j->process < 0)
        die("fork");
    if (j->process == 0)
        run_child(folder, script, out, err);
}

/* Waits for one of the running jobs and forgets it; what its command left running ends, too. */
static void reap(job **running, size_t *count)
{
    int status;
    struct rusage used;
    pid_t process = wait4(-1, &status, 0, &used);
    for (size_t i = 0; process > 0 && i < *count; i++) {
        if (running[i]->process != process)
            continue;
        kill(-process, SIGKILL);
        running[i]->status = status;
        running[i]->seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                              1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
        running[i] = running[--*count];
        return;
    }
}

static void stop_all(job **running, size_t count)
{
    for (size_t i = 0; i < count; i++)
        kill(-running[i]->process, SIGKILL);
    while (count)
        reap(running, &count);
    exit(130);
}

static void run_all(job *jobs, size_t count)
{
    job *running[JOBS_MAX];
    size_t busy = 0;
    for (size_t next = 0; next < count || busy;) {
        if (stopped)
            stop_all(running, busy);
        if (next < count && busy < (size_t)options.jobs) {
            running[busy++] = &jobs[next];
            start(&jobs[next++]);
        } else {
            reap(running, &busy);
        }
    }
}

/* What was printed, with the path of the source tree written as $ROOT. */
static text_lines printed_lines(const char *path)
{
    size_t length, root_length = strlen(options.root);
    char *text = read_whole(path, &length);
    if (!text)
        die(path);
    static const char short_root[] = "$ROOT";
    char *short_text = keep(length + 1), *to = short_text;
    for (size_t i = 0; i < length;) {
        if (length - i >= root_length && memcmp(text + i, options.root, root_length) == 0) {
            memcpy(to, short_root, sizeof short_root - 1);
            to += sizeof short_root - 1;
            i += root_length;
        } else {
            *to++ = text[i++];
        }
    }
    return split_lines(short_text, (size_t)(to - short_text));
}

/* The exit code as the shell says it. */
static int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

static void report(const job *j, int code, const text_lines *out, const text_lines *err)
{
    const test_case *test = j->test;
    printf("FAILED %s (%s:%zu)\n", test->name, test->table, test->line);
    for (size_t i = 0; i < test->script.count; i++)
        printf("  $ %s\n", test->script.items[i]);
    if (WIFSIGNALED(j->status) && WTERMSIG(j->status) == SIGALRM)
        printf("  did not end within %d seconds\n", CASE_SECONDS);
    else if (code != test->exit_code)
        printf("  exit code %d, not %d\n", code, test->exit_code);
    if (count_differences(&test->out, out))
        print_differences("stdout", &test->out, out);
    if (count_differences(&test->err, err))
        print_differences("stderr", &test->err, err);
}

/* Is it as expected? Otherwise says what is not, or changes what is expected. */
static verdict check(const job *j)
{
    test_case *test = j->test;
    text_lines out = printed_lines(path_of(j->number, "out")), err = printed_lines(path_of(j->number, "err"));
    int code = exit_code(j->status);
    if (test->needs && code == NOT_HERE) {
        printf("skipped %s (%s:%zu): needs %s\n", test->name, test->table, test->line, test->needs);
        return SKIPPED;
    }
    if (code == test->exit_code && !count_differences(&test->out, &out) && !count_differences(&test->err, &err))
        return PASSED;
    if (options.update) {
        printf("updated %s (%s:%zu)\n", test->name, test->table, test->line);
        test->exit_code = code;
        test->out = updated(&test->out, &out);
        test->err = updated(&test->err, &err);
    } else {
        report(j, code, &out, &err);
    }
    return FAILED;
}

static void make_work(void)
{
    const char *place = getenv("TMPDIR");
    const char *form = format("%s/warpline-cli.XXXXXX", place && *place ? place : "/tmp");
    memcpy(work, form, strlen(form) + 1);
    if (!mkdtemp(work))
        die(form);
    atexit(remove_work);
}

/* Both are built into one folder. */
static const char *beside_flatten(void)
{
    const char *slash = strrchr(options.flatten, '/');
    return format("%.*s/terminal", (int)(slash - options.flatten), options.flatten);
}

/* What a command may count on: tools on its path, the source tree, no setting of the user's. */
static void set_environment(void)
{
    const char *bin = format("%s/bin", work), *old = getenv("PATH");
    if (mkdir(bin, 0777) || symlink(options.warpline, format("%s/warpline", bin)) ||
        symlink(options.flatten, format("%s/flatten", bin)) || symlink(beside_flatten(), format("%s/terminal", bin)))
        die(bin);
    setenv("PATH", format("%s:%s", bin, old ? old : "/usr/bin:/bin"), 1);
    setenv("WARPLINE", options.warpline, 1);
    setenv("ROOT", options.root, 1);
    setenv("DATA", format("%s/tests/cli/data", options.root), 1);
    setenv("LC_ALL", "C", 1);
    const char *unwanted[] = {"NO_COLOR", "COLUMNS", "NVCC", "CUDA_HOME", "CUDA_PATH", "ASKED"};
    for (size_t i = 0; i < sizeof unwanted / sizeof *unwanted; i++)
        unsetenv(unwanted[i]);
}

static void usage(void)
{
    fprintf(stderr, "usage: cli_tables [--update] [--jobs N] [--only PATTERN] [--times N] "
                    "WARPLINE FLATTEN ROOT TABLE...\n");
    exit(2);
}

static void read_tables(char **paths, size_t count)
{
    options.tables = keep(count * sizeof *options.tables);
    options.table_count = count;
    for (size_t i = 0; i < count; i++) {
        if (!table_read(paths[i], &options.tables[i]))
            exit(2);
    }
}

static void read_options(int argc, char **argv)
{
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "--update") == 0)
            options.update = true;
        else if (strcmp(argv[i], "--jobs") == 0 && i + 1 < argc)
            options.jobs = strtol(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            options.only = argv[++i];
        else if (strcmp(argv[i], "--times") == 0 && i + 1 < argc)
            options.times = strtol(argv[++i], NULL, 10);
        else
            usage();
    }
    if (argc - i < 4)
        usage();
    options.warpline = absolute(argv[i]);
    options.flatten = absolute(argv[i + 1]);
    options.root = absolute(argv[i + 2]);
    if (options.jobs < 1)
        options.jobs = sysconf(_SC_NPROCESSORS_ONLN);
    options.jobs = options.jobs < 1 ? 1 : options.jobs > JOBS_MAX ? JOBS_MAX : options.jobs;
    read_tables(argv + i + 3, (size_t)(argc - i - 3));
}

/* The cases asked for, in the order of the tables; no two cases have one name. */
static size_t select_jobs(job *jobs, size_t all)
{
    size_t seen = 0, count = 0;
    const test_case **cases = keep((all + 1) * sizeof *cases);
    for (size_t t = 0; t < options.table_count; t++) {
        for (size_t i = 0; i < options.tables[t].count; i++) {
            test_case *now = &options.tables[t].cases[i];
            for (size_t k = 0; k < seen; k++) {
                if (strcmp(cases[k]->name, now->name) == 0) {
                    fprintf(stderr, "%s:%zu: another case is called %s\n", now->table, now->line, now->name);
                    exit(2);
                }
            }
            cases[seen++] = now;
            if (!options.only || fnmatch(options.only, now->name, 0) == 0) {
                jobs[count] = (job){.test = now, .number = count};
                count++;
            }
        }
    }
    return count;
}

/* Checks all, writes what was updated, and says in one line how it went. */
static int check_all(const job *jobs, size_t count)
{
    size_t number[] = {[PASSED] = 0, [FAILED] = 0, [SKIPPED] = 0};
    for (size_t i = 0; i < count; i++)
        number[check(&jobs[i])]++;
    for (size_t t = 0; options.update && number[FAILED] && t < options.table_count; t++) {
        if (!table_write(&options.tables[t]))
            die(options.tables[t].path);
    }
    printf("%zu passed, %zu %s, %zu skipped\n", number[PASSED], number[FAILED], options.update ? "updated" : "failed",
           number[SKIPPED]);
    return number[FAILED] && !options.update ? 1 : 0;
}

static int by_seconds(const void *a, const void *b)
{
    const double x = ((const job *)a)->seconds, y = ((const job *)b)->seconds;
    return (x < y) - (x > y);
}

static void print_times(job *jobs, size_t count)
{
    double all = 0;
    for (size_t i = 0; i < count; i++)
        all += jobs[i].seconds;
    printf("%.1f s of processor time in %zu cases\n", all, count);
    qsort(jobs, count, sizeof *jobs, by_seconds);
    for (size_t i = 0; i < count && i < (size_t)options.times; i++)
        printf("%7.2f s %s (%s)\n", jobs[i].seconds, jobs[i].test->name, jobs[i].test->table);
}

int main(int argc, char **argv)
{
    read_options(argc, argv);
    size_t all = 0;
    for (size_t t = 0; t < options.table_count; t++)
        all += options.tables[t].count;
    job *jobs = keep((all + 1) * sizeof *jobs);
    size_t count = select_jobs(jobs, all);
    if (!count) {
        fprintf(stderr, "cli_tables: no case to run\n");
        return 2;
    }
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    make_work();
    set_environment();
    run_all(jobs, count);
    const int result = check_all(jobs, count);
    if (options.times > 0)
        print_times(jobs, count);
    return result;
}
