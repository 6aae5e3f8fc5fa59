/* main.c - picks the command. SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "complete.h"
#include "diag.h"
#include "load.h"
#include "look.h"
#include "options.h"
#include "ptx_unit.h"
#include "recorded.h"
#include "words_file.h"
#include "wrap.h"

static const command commands[] = {
    {"predict", 'p', "[KERNEL] --device D --block XxYxZ [options]",
     "Predicts volumes, limiter and time of a kernel. KERNEL is a file (YAML, .ptx, .cu), - (stdin), or a built-in "
     "name.",
     "text json csv", cmd_predict},
    {"run", 'u', "[options] -- PROGRAM [arguments]",
     "Runs a CUDA program without a GPU, carrying its kernels out, and prints the profile that it would have on a "
     "device.",
     "text", cmd_run},
    {"record", 'w', "[options] -- PROGRAM [arguments]",
     "Runs a CUDA program on this machine's GPU, keeps its launches with their arguments and memory, and prints the "
     "profile that it would have on a device.",
     "text", cmd_record},
    {"init", 'i', "FILE.cu|FILE.ptx [--kernel NAME] [--device D] [options]",
     "Prints the command line for a kernel in a CUDA or PTX file: its arguments, block and grid, to copy and edit.",
     "text args", cmd_init},
    {"stack", 't', "[KERNEL] --device D --block XxYxZ [options]",
     "Shows where the cycles of a launch go, by part and by line of PTX: a CPI stack.", "text json svg", cmd_stack},
    {"roofline", 'R', "KERNEL|TABLE.csv... --device D [--block XxYxZ | --measured TABLE] [options]",
     "Shows predicted or measured launches under the ceilings of a device: classic, hierarchical or instruction "
     "roofline.",
     "text json csv svg", cmd_roofline},
    {"report", 'P', "KERNEL... --device D... --block XxYxZ... -o FILE.html [options]",
     "Writes everything about launches into one HTML file: rooflines, volumes, stacks, better launches, assumptions.",
     "html", cmd_report},
    {"trace", 'T', "KERNEL | --example NAME [--device D | --lines N] [options]",
     "Draws which cache lines tasks use, one after the other, and which of them a cache fetches, keeps and evicts.",
     "text json svg", cmd_trace},
    {"check", 'c', "KERNEL [--device D --block XxYxZ] --budget NAME<=LIMIT | --baseline FILE [options]",
     "Fails if a prediction exceeds a budget or is worse than a stored one.", "text json", cmd_check},
    {"advise", 'a', "[KERNEL] --device D --block XxYxZ [options]",
     "Says what slows a launch down and which changes help most: block, folding, schedule, layout, registers.",
     "text json", cmd_advise},
    {"rank", 'r', "[KERNEL] --device D [options]",
     "Predicts all sensible launches of a kernel, or a space of them, and lists the best.", "text json csv", cmd_rank},
    {"compare", 'm', "KERNEL|--map FILE TABLE... --device D [options]",
     "Predicts the launches of measured tables (our CSV or ncu --csv) and reports the errors.", "text json csv",
     cmd_compare},
    {"diff", 'D', "A.json B.json | KERNEL --device D BLOCK[:fold=F][:registers=N] BLOCK[...]",
     "Shows two predictions side by side, and explains why one is slower.", "text json", cmd_diff},
    {"fit", 'f', "--map FILE | --from-curves TABLE... --device D [--output FILE] [options]",
     "Fits the numbers of a device file that need measured kernels, and reports the errors that remain.", "text json",
     cmd_fit},
    {"occupancy", 'o', "--device D --threads N --registers N [--shared BYTES]",
     "Prints blocks and warps per multiprocessor, what limits them, and what one more block would need.", "text json",
     cmd_occupancy},
    {"show", 's', "KERNEL [--block XxYxZ and options of predict]",
     "Prints a kernel as a kernel file: accesses recovered from PTX or CUDA, or the text of a built-in kernel.", "text",
     cmd_show},
    {"schedule", 'S', "[KERNEL] --device D [--block XxYxZ] [--orders LIST] [--widths LIST] [options]",
     "Compares the orders in which threads, or blocks, can visit the domain, and recommends one.", "text json csv",
     cmd_schedule},
    {"emit", 'E', "[KERNEL | --domain XxYxZ] --schedule S [--as cuda|opencl|c] [--precomputed]",
     "Prints the function that maps each thread, or block, to its cell in the order of a schedule.", "text", cmd_emit},
    {"ptx", 'x', "FILE [--entries | --coverage | --extract [-o FILE.ptx]]",
     "Lists the entries of a PTX or CUDA file, or its operations and how far they are supported; or the PTX and SASS "
     "in an executable, object, library, fatbin or cubin.",
     "text json", cmd_ptx},
    {"devices", 'd', "[list | show NAME|FILE | check FILE | compare NAME|FILE NAME|FILE... | derive NAME]",
     "Lists the built-in devices, prints one with the source of every number, validates a file, compares several, or "
     "writes the file of one that does not exist.",
     "text json", cmd_devices},
    {"kernels", 'k', "[list | show NAME]", "Lists the built-in example kernels, or prints one.", "text", cmd_kernels},
    {"explain", 'e', "[WORD..] [KERNEL --device D --block XxYxZ]",
     "Explains a metric (and which hardware counter measures it), bound, model or other word of the output.", "text",
     cmd_explain},
    {"metrics", 'M', "[--model NAME]",
     "Lists hardware counters under our, nvprof's and ncu's names, and the ncu command that collects them for a model.",
     "text json csv", cmd_metrics},
};
static const size_t command_count = sizeof commands / sizeof commands[0];

#define COMMAND_INDENT 13

static void print_help(void)
{
    const int columns = wrap_columns();
    printf("warpline %s: how a GPU kernel performs, without a GPU\n\nusage: warpline [--color WHEN] [--quiet] COMMAND "
           "[arguments]\n\n",
           wl_version());
    for (size_t i = 0; i < command_count; i++)
        wrap_print(commands[i].summary, printf("  %-10s ", commands[i].name), COMMAND_INDENT, columns);
    putchar('\n');
    wrap_print(
        "'warpline COMMAND --help' lists the options of a command; --version (-V) prints the version. --color WHEN "
        "(auto, always, never) and --quiet may also come before the command.",
        0, 0, columns);
    fputs("\n"
          "exit codes:\n"
          "  0    ok\n"
          "  1    check: a budget is exceeded, or a prediction is worse than its baseline\n"
          "  2    usage: unknown command or option, missing arguments\n"
          "  3    bad input: a value, a name, a file\n"
          "  4    not supported, or more work than the budget allows\n"
          "  5    out of memory, or an output cannot be written\n"
          "  6    a picture could not be drawn; everything else is done\n"
          "  130  interrupted; what was found is in the output\n",
          stdout);
}

static const command *find_command(const char *name)
{
    for (size_t i = 0; i < command_count; i++)
        if (strcmp(name, commands[i].name) == 0)
            return &commands[i];
    return NULL;
}

/* Options of a command come after it. */
static int misplaced_option(const char *word)
{
    option_text option;
    const size_t length = strcspn(word, "=");
    for (size_t c = 0; c < command_count; c++)
        for (size_t i = 0; options_at(&commands[c], i, &option); i++)
            if (strlen(option.name) == length && memcmp(option.name, word, length) == 0) {
                usage_error("%s comes after the command, as in 'warpline %s %s%s%s'; before it go --color and --quiet",
                            option.name, commands[c].name, option.name, option.value ? " " : "",
                            option.value ? option.value : "");
                return EXIT_USAGE;
            }
    return EXIT_OK;
}

/* The name of a kernel, or of a file with one? */
static bool is_kernel(const char *word)
{
    size_t length;
    return wl_kernel_builtin_text(word, &length) || ptx_is_source(word) || has_suffix(word, ".yaml");
}

static int unknown_command(const char *word)
{
    const char *names[sizeof commands / sizeof commands[0] + 2] = {"--version", "--help"};
    if (word[0] == '-' && misplaced_option(word) != EXIT_OK)
        return EXIT_USAGE;
    for (size_t i = 0; i < command_count; i++)
        names[i + 2] = commands[i].name;
    if (is_kernel(word)) {
        usage_error("a command comes first, as in 'warpline predict %s' ('warpline --help' lists them)", word);
        return EXIT_USAGE;
    }
    usage_error("unknown command '%s'%s ('warpline --help' lists them)", word,
                did_you_mean(word, names, command_count + 2));
    return EXIT_USAGE;
}

static int help_about(const char *word)
{
    const command *c = find_command(word);
    if (!c)
        return unknown_command(word);
    options_help(c);
    return EXIT_OK;
}

static int run_command(const command *c, int argc, char **argv)
{
    options o;
    look_set_colour("auto");
    const int code = options_read(c, argc, argv, &o);
    if (code != EXIT_OK)
        return code;
    if (o.quiet)
        diag_be_quiet();
    if (o.help) {
        options_help(c);
        return EXIT_OK;
    }
    const int prepared = recorded_prepare(c, &o);
    const int done = prepared == EXIT_OK ? c->run(&o) : prepared;
    recorded_forget();
    return done;
}

/* The number of words in --color and --quiet before the command. */
static int leading_options(int argc, char **argv)
{
    int n = 0;
    for (; n + 1 < argc; n++) {
        const char *word = argv[n + 1];
        if (strcmp(word, "--color") == 0)
            n++;
        else if (strncmp(word, "--color=", strlen("--color=")) != 0 && strcmp(word, "--quiet") != 0)
            break;
    }
    return n;
}

/* "--color never predict ..." becomes "predict --color never ...": every command takes these
 * two. */
static void move_command_first(int leading, char **argv)
{
    char *word = argv[leading + 1];
    memmove(argv + 2, argv + 1, (size_t)leading * sizeof *argv);
    argv[1] = word;
}

static int run(int argc, char **argv)
{
    const int leading = leading_options(argc, argv);
    if (argc < leading + 2) {
        usage_error(
            "no command given, as in 'warpline predict star3d_r4 --device h200 --block 128x2' ('warpline --help' "
            "lists them)");
        return EXIT_USAGE;
    }
    move_command_first(leading, argv);
    const char *word = argv[1];
    if (strcmp(word, "help") == 0 && argc > leading + 2)
        return help_about(argv[leading + 2]);
    if (strcmp(word, "--help") == 0 || strcmp(word, "help") == 0 || strcmp(word, "-h") == 0) {
        print_help();
        return EXIT_OK;
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        printf("warpline %s\n", wl_version());
        return EXIT_OK;
    }
    /* for the completion of shells and the man pages; not for people */
    if (strcmp(word, "--complete") == 0)
        return complete(commands, command_count, (const char *const *)argv + 2, (size_t)argc - 2);
    if (strcmp(word, "--tables") == 0)
        return print_tables(commands, command_count);
    const command *c = find_command(word);
    if (!c)
        return unknown_command(word);
    int code = words_expand(&argc, &argv);
    code = code == EXIT_OK ? run_command(c, argc, argv) : code;
    words_forget();
    return code;
}

/* If any output, help or results, could not be written, that is a failure. */
int main(int argc, char **argv)
{
    const int code = run(argc, argv);
    errno = 0;
    const bool written = fflush(stdout) == 0 && !ferror(stdout);
    if (written)
        return code;
    /* with other codes, a message was printed */
    if (code <= EXIT_CHECK_FAILED || code == EXIT_NO_PICTURE)
        usage_error("cannot write the output%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
    return EXIT_INTERNAL;
}
