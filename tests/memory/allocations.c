/* allocations.c [--only TEXT] [--fail N] [--every yes] TABLE ROOT - the commands of the table, each
 * once for each of its allocations, which fails.
 *
 * A command that cannot have what it asks for ends with exit code 5, a message, nothing on
 * standard output and no file but whole ones. Where it can do without (a buffer of stdio, a table
 * of counts that are kept), it answers as if nothing had happened.
 *
 * A loop allocates thousands of times from one place. So allocations are told apart by the calls
 * that lead to them: of each kind in a command the first, one in the middle and the last fail. With
 * --every all of them do, which takes an hour; with WARPLINE_TEST_EFFORT=quick every 192nd of the
 * kinds that no command above had, once. --fail N shows the calls that lead to one allocation.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* MAP_ANONYMOUS, memmem */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command_table.h"
#include "effort.h"
#include "failing.h"

#define QUICK_STEP 192
#define SHOWN 5 /* wrong ones of each command */
#define SECONDS 60
#define EXIT_MEMORY 5

int warpline_main(int argc, char **argv);

/* What a run left: standard output, standard error, the files of out/ one behind the other. */
enum { OUT, ERR, FILES, TEXTS };
typedef struct outcome {
    int status; /* of waitpid */
    char *text[TEXTS];
    size_t length[TEXTS];
} outcome;

typedef struct harness {
    const char *only;
    long fail;  /* 0: all in turn */
    bool every; /* not only one of a kind */
    int calls;  /* with fail: where the calls that led there are shown */
    int fd[2];  /* where OUT and ERR go */
    failing_paths *paths;
    uint64_t *seen; /* kinds of the commands above, in order */
    size_t seen_count;
    long injected, memory, unchanged, wrong;
} harness;

static void die(const char *what)
{
    fprintf(stderr, "allocations: %s: %s\n", what, strerror(errno));
    exit(2);
}

/* ---- one run ---- */

static void forget(outcome *o)
{
    for (int i = 0; i < TEXTS; i++)
        free(o->text[i]);
    *o = (outcome){0};
}

/* Appends what an open file holds. */
static void take(int fd, char **text, size_t *length)
{
    struct stat info;
    if (fstat(fd, &info) != 0 || lseek(fd, 0, SEEK_SET) != 0)
        die("cannot read what was printed");
    char *more = realloc(*text, *length + (size_t)info.st_size + 1);
    if (!more || read(fd, more + *length, (size_t)info.st_size) != info.st_size)
        die("cannot read what was printed");
    *text = more;
    *length += (size_t)info.st_size;
    more[*length] = '\0';
}

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }
static int is_file(const struct dirent *e) { return e->d_name[0] != '.'; }

static void add_text(outcome *o, const char *text)
{
    const size_t length = strlen(text) + 1;
    char *more = realloc(o->text[FILES], o->length[FILES] + length);
    if (!more)
        die("out of memory");
    memcpy(more + o->length[FILES], text, length);
    o->text[FILES] = more;
    o->length[FILES] += length;
}

/* The files below a folder, with their names; it is empty then. */
static void take_files(const char *folder, outcome *o)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, is_file, by_name);
    for (int i = 0; i < count; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        free(entries[i]);
        add_text(o, path);
        if (rmdir(path) == 0)
            continue;
        if (errno == ENOTEMPTY) {
            take_files(path, o);
            rmdir(path);
            continue;
        }
        const int fd = open(path, O_RDONLY);
        if (fd < 0)
            die(path);
        take(fd, &o->text[FILES], &o->length[FILES]);
        add_text(o, "");
        close(fd);
        unlink(path);
    }
    free(entries);
}

static void redirect(const harness *h, const table_command *c)
{
    const int in = open(c->in ? c->in : "/dev/null", O_RDONLY);
    if (in < 0 || dup2(in, STDIN_FILENO) < 0 || dup2(h->fd[OUT], STDOUT_FILENO) < 0 ||
        dup2(h->fd[ERR], STDERR_FILENO) < 0)
        _exit(2);
}

static void run(const harness *h, const table_command *c, long fail, outcome *o)
{
    *o = (outcome){0};
    for (int i = OUT; i <= ERR; i++)
        if (ftruncate(h->fd[i], 0) != 0 || lseek(h->fd[i], 0, SEEK_SET) != 0)
            die("cannot begin a run");
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0)
        die("fork");
    if (child == 0) {
        redirect(h, c);
        alarm(SECONDS);
        if (h->fail)
            failing_show(h->calls);
        failing_start(fail, fail == 0 ? h->paths : NULL);
        const int code = warpline_main(c->argc, (char **)(uintptr_t)c->argv);
        failing_stop();
        exit(code);
    }
    while (waitpid(child, &o->status, 0) < 0)
        if (errno != EINTR)
            die("waitpid");
    for (int i = OUT; i <= ERR; i++)
        take(h->fd[i], &o->text[i], &o->length[i]);
    take_files("out", o);
}

/* ---- judging it ---- */

static bool same_text(const outcome *a, const outcome *b, int i)
{
    return a->length[i] == b->length[i] && (a->length[i] == 0 || memcmp(a->text[i], b->text[i], a->length[i]) == 0);
}

static bool is_same(const outcome *a, const outcome *b)
{
    return a->status == b->status && same_text(a, b, OUT) && same_text(a, b, ERR) && same_text(a, b, FILES);
}

/* No file but whole ones. */
static bool files_are_whole(const outcome *o, const outcome *usual)
{
    return o->length[FILES] == 0 ||
           (o->length[FILES] <= usual->length[FILES] &&
            memmem(usual->text[FILES], usual->length[FILES], o->text[FILES], o->length[FILES]));
}

static bool says_memory(const outcome *o, const outcome *usual)
{
    return WIFEXITED(o->status) && WEXITSTATUS(o->status) == EXIT_MEMORY && o->length[OUT] == 0 &&
           files_are_whole(o, usual) && strstr(o->text[ERR], "memory");
}

static void show(const table_command *c, long fail, const outcome *o, const outcome *usual)
{
    printf("wrong: %s\n  allocation %ld: ", c->line, fail);
    if (WIFSIGNALED(o->status))
        printf("signal %d", WTERMSIG(o->status));
    else
        printf("exit code %d", WEXITSTATUS(o->status));
    printf(", %zu bytes on standard output%s, %zu of files%s, on standard error: %.*s\n", o->length[OUT],
           same_text(o, usual, OUT) ? " (as usual)" : "", o->length[FILES],
           same_text(o, usual, FILES) ? " (as usual)" : "", (int)strcspn(o->text[ERR], "\n"), o->text[ERR]);
}

static bool judge(harness *h, const table_command *c, long fail, const outcome *usual, bool shown)
{
    outcome o;
    run(h, c, fail, &o);
    const bool memory = says_memory(&o, usual), same = is_same(&o, usual);
    h->injected++;
    h->memory += memory;
    h->unchanged += same;
    h->wrong += !memory && !same;
    if (!memory && !same && shown)
        show(c, fail, &o, usual);
    forget(&o);
    return memory || same;
}

/* ---- commands ---- */

static void make_file(const harness *h, const table_command *c)
{
    outcome o;
    run(h, c, 0, &o);
    FILE *f = fopen(c->make, "w");
    if (!WIFEXITED(o.status) || WEXITSTATUS(o.status) != 0 || !f || fwrite(o.text[OUT], 1, o.length[OUT], f) == 0 ||
        fclose(f) != 0) {
        fprintf(stderr, "allocations: cannot make %s: %s\n", c->make, o.text[ERR]);
        exit(2);
    }
    forget(&o);
}

/* An allocation of the usual run. */
typedef struct asked {
    uint64_t path;
    long number; /* from 1 */
} asked;

static int by_path(const void *a, const void *b)
{
    const asked *x = a, *y = b;
    if (x->path != y->path)
        return x->path < y->path ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int by_number(const void *a, const void *b)
{
    const asked *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int by_word(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static bool is_seen(const harness *h, uint64_t path)
{
    return h->seen_count > 0 && bsearch(&path, h->seen, h->seen_count, sizeof path, by_word) != NULL;
}

static void remember(harness *h, const uint64_t *paths, size_t count)
{
    uint64_t *more = realloc(h->seen, (h->seen_count + count + 1) * sizeof *more);
    if (!more)
        die("out of memory");
    memcpy(more + h->seen_count, paths, count * sizeof *more);
    h->seen = more;
    h->seen_count += count;
    qsort(more, h->seen_count, sizeof *more, by_word);
}

/* Which of a kind fail: `index` of `count` that one path led to. */
static bool is_chosen(const harness *h, uint64_t path, size_t index, size_t count)
{
    if (h->every)
        return true;
    if (!effort_is_full())
        return index == count / 2 && !is_seen(h, path);
    return index == 0 || index == count / 2 || index == count - 1;
}

/* The allocations to fail, in the place of those there are; how many. */
static size_t choose(harness *h, asked *all, size_t count)
{
    uint64_t *paths = malloc((count + 1) * sizeof *paths);
    size_t chosen = 0, kinds = 0;
    if (!paths)
        die("out of memory");
    qsort(all, count, sizeof *all, by_path);
    for (size_t first = 0, end; first < count; first = end) {
        const uint64_t path = all[first].path;
        for (end = first; end < count && all[end].path == path;)
            end++;
        for (size_t i = first; i < end; i++)
            if (is_chosen(h, path, i - first, end - first))
                all[chosen++] = all[i];
        paths[kinds++] = path;
    }
    remember(h, paths, kinds);
    free(paths);
    qsort(all, chosen, sizeof *all, by_number);
    return chosen;
}

static void fail_each(harness *h, const table_command *c, const outcome *usual)
{
    const size_t room = sizeof h->paths->path / sizeof h->paths->path[0];
    const size_t count = h->paths->count < room ? h->paths->count : room;
    asked *all = calloc(count + 1, sizeof *all);
    long wrong = 0;
    if (!all)
        die("out of memory");
    for (size_t i = 0; i < count; i++)
        all[i] = (asked){h->paths->path[i], (long)i + 1};
    const size_t chosen = choose(h, all, count), step = effort_is_full() || h->every ? 1 : QUICK_STEP;
    for (size_t i = 0; i < chosen; i += step)
        wrong += !judge(h, c, all[i].number, usual, wrong < SHOWN);
    if (wrong > SHOWN)
        printf("  ... %ld of %zu wrong\n", wrong, chosen);
    free(all);
}

static void test_command(harness *h, const table_command *c)
{
    outcome usual;
    h->paths->count = 0;
    run(h, c, 0, &usual);
    if (!WIFEXITED(usual.status) || WEXITSTATUS(usual.status) > 1 || usual.length[OUT] + usual.length[FILES] == 0) {
        fprintf(stderr, "allocations: %s does not work: %s\n", c->line, usual.text[ERR]);
        exit(2);
    }
    if (h->fail)
        (void)judge(h, c, h->fail, &usual, true);
    else
        fail_each(h, c, &usual);
    forget(&usual);
}

static void prepare(harness *h, const char *root, char *folder)
{
    char path[4096];
    char out_name[] = "/tmp/allocations-out-XXXXXX", err_name[] = "/tmp/allocations-err-XXXXXX";
    h->fd[OUT] = mkstemp(out_name);
    h->fd[ERR] = mkstemp(err_name);
    h->paths = mmap(NULL, sizeof *h->paths, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (h->fd[OUT] < 0 || h->fd[ERR] < 0 || h->paths == MAP_FAILED || unlink(out_name) || unlink(err_name))
        die("cannot begin");
    if (!mkdtemp(folder) || chdir(folder) != 0 || mkdir("out", 0700) != 0 || mkdir("bin", 0700) != 0)
        die(folder);
    /* a gnuplot that draws nothing */
    FILE *gnuplot = fopen("bin/gnuplot", "w");
    if (!gnuplot || fputs("#!/bin/sh\nexit 0\n", gnuplot) < 0 || fclose(gnuplot) != 0 ||
        chmod("bin/gnuplot", 0700) != 0)
        die("bin/gnuplot");
    snprintf(path, sizeof path, "%s/bin:/usr/bin:/bin", folder);
    if (setenv("PATH", path, 1) || setenv("TMPDIR", "out", 1) || setenv("ROOT", root, 1))
        die("setenv");
}

static void clean(const char *folder)
{
    struct dirent **entries = NULL;
    (void)unlink("bin/gnuplot");
    (void)rmdir("bin");
    (void)rmdir("out");
    const int count = scandir(".", &entries, is_file, by_name);
    for (int i = 0; i < count; i++) {
        (void)unlink(entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    if (chdir("/") == 0)
        (void)rmdir(folder);
}

/* Of several threads it is not known which one allocates first. OpenMP reads its settings before
 * main does. */
static void use_one_thread(char **argv)
{
    const char *threads = getenv("OMP_NUM_THREADS");
    if (threads && strcmp(threads, "1") == 0)
        return;
    if (setenv("OMP_NUM_THREADS", "1", 1) == 0)
        execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
    use_one_thread(argv);
    harness h = {0};
    command_table table = {0};
    char folder[] = "/tmp/allocations-XXXXXX";
    for (; argc > 4; argc -= 2, argv += 2) {
        if (strcmp(argv[1], "--only") == 0)
            h.only = argv[2];
        else if (strcmp(argv[1], "--every") == 0)
            h.every = true;
        else
            h.fail = strtol(argv[2], NULL, 10);
    }
    if (argc != 3) {
        fprintf(stderr, "usage: allocations [--only TEXT] [--fail N] [--every yes] TABLE ROOT\n");
        return 2;
    }
    if (h.fail)
        h.calls = dup(STDOUT_FILENO);
    prepare(&h, argv[2], folder);
    if (!command_table_read(argv[1], argv[2], &table))
        return 2;
    size_t tested = 0;
    for (size_t i = 0; i < table.count; i++) {
        const table_command *c = &table.commands[i];
        if (c->make)
            make_file(&h, c);
        else if (!h.only || strstr(c->line, h.only)) {
            test_command(&h, c);
            tested++;
        }
    }
    printf("%zu commands, %ld failed allocations: %ld ended with exit code 5, %ld changed nothing, %ld wrong\n", tested,
           h.injected, h.memory, h.unchanged, h.wrong);
    command_table_free(&table);
    free(h.seen);
    clean(folder);
    return h.wrong == 0 && tested > 0 ? 0 : 1;
}
