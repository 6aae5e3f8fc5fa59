/* grammar_cli.c - command lines with their files. Commands and options are those that --help lists.
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <string.h>

#include "fuzz.h"
#include "mutate.h"
#include "sandbox.h"

#define NAMES_MAX 256
#define NAME_LENGTH 64

static const char *commands[NAMES_MAX + 1] = {"predict"}, *option_texts[NAMES_MAX + 1] = {"--help"};

static const mutate_rule rules[] = {
    {'N', MUTATE_TEXTS("1", "0", "2", "4", "8", "16", "31", "32", "33", "64", "128", "256", "1024", "-1", "1.5", "50%",
                       "20us", "1MiB", "1e3", "all", "65536", "2147483648", "9223372036854775808", "")},
    {'B', MUTATE_TEXTS("32x4x2", "32", "64x2", "256", "$N", "$Nx$N", "$Nx$Nx$N", "32x4:fold=1x2", "64:registers=$N",
                       "32:device=$D", "cdiv(nx,block.x),ny", "$N..$N:x2", "$N,$N", "y:1,2")},
    {'D',
     MUTATE_TEXTS("h200", "a100-40gb", "h100", "v100", "mi210", "rx6900xt", "pascal-sim", "t4", "d.yaml", "-", "k")},
    {'K', MUTATE_TEXTS("triad", "star2d_5pt", "star3d_7pt", "vec3", "transpose", "k.yaml", "k.ptx", "k.cu", "-", "none",
                       "t.csv", "a.json", "b.json", "list", "show", "check", "h200", "diff", "dram_load_bytes")},
    {'F', MUTATE_TEXTS("k.yaml", "k.ptx", "t.csv", "m.yaml", "a.json", "b.json", "s.yaml", "r.yaml", "d.yaml", "-",
                       "lines.jsonl", "out.json", "out.svg", "out.png", "/", "", "none")},
    {'A', MUTATE_TEXTS("nx", "ny", "n", "l2_size", "sm_count", "clock", "a")},
    {'M', MUTATE_TEXTS("$N,", "$A: $N, ", "\"$A\":$N,")},
    {'T', MUTATE_TEXTS("text", "json", "csv", "f32", "f64", "i16", "linear", "limiter", "turnover", "family", "variant",
                       "time", "ranking", "l1_wavefronts", "2026-11-15", "sm_90", "k", "*", "star*",
                       "kernel-tuner=out.json", "kernel-tuner-cache=out.json", "triton=out.json", "time<=$N",
                       "dram_load_bytes/item<=$NB", "occupancy>=0.5", "block.x * block.y <= $N", "fold.z == 1",
                       "buf:64K", "buf:$N=iota:u32", "buf:nx*4", "a[0,0] = b[1,0] + b[0,-1]", "a[0] = b[0]")},
    {'W', MUTATE_TEXTS("json", "$T", "$A", "$B", "$D", "$K", "$F", "predict", "rank", "check", "compare")},
    {'U', MUTATE_TEXTS("\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac", "aaaaaaaaaaaaaaaaaaaaaaaa", "\u00e9")},
    /* names that are cut somewhere */
    {'H', MUTATE_TEXTS("$U", "$U$U$U$U$U$U", "a$H$H", "$H$H$H$H")},
    {'C', commands},
    {'O', option_texts},
    {'L', MUTATE_TEXTS("$O", "$O", "$O", "$O", "$K", "$C", "--format=json", "--device=$D", "--block=$B", "$W")},
    {'Y', MUTATE_TEXTS("name: k", "name: $H", "\"kernel\": \"$H\",", "domain: [64, 8]", "block.x: 32,64",
                       "fields: {A: {type: f32}}", "loads: [\"A[x]\"]", "- {family: star7, kernel: k.yaml}",
                       "{\"kernel\":\"triad\",\"block\":[32]}", "=== $F", "1x2x1: 40",
                       "device,family,variant,params,block_x,time_s", "h200,a,b,n=1,64,1e-5", "\"$A\": $N,")},
};

/* What goes with an option, by what --help calls it. */
static char symbol_of(const char *value, size_t length)
{
    static const struct {
        const char *part;
        char symbol;
    } kinds[] = {{"NAME|FILE", 'D'}, {"FILE", 'F'}, {"PATH", 'F'}, {"DIR", 'F'}, {"XxYxZ", 'B'}, {"NUMBERS", 'B'}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (length >= strlen(kinds[i].part) && memcmp(value, kinds[i].part, strlen(kinds[i].part)) == 0)
            return kinds[i].symbol;
    return value[0] == 'N' || value[0] == 'B' ? 'N' : 'T';
}

static void add(const char **list, const char *text)
{
    size_t i = 0;
    while (list[i] && strcmp(list[i], text) != 0)
        i++;
    if (list[i] || i >= NAMES_MAX)
        return;
    char *copy = malloc(strlen(text) + 1);
    REQUIRE(copy);
    memcpy(copy, text, strlen(text) + 1);
    list[i] = copy;
}

/* "  --block XxYxZ   threads per block": as "--block=$B", and for commands the first word alone. */
static void add_line(const char *line, bool is_option)
{
    char text[NAME_LENGTH];
    const size_t name = strcspn(line, " \n"), blanks = strspn(line + name, " ");
    const char *value = line + name + blanks;
    if (name == 0 || name > sizeof text - 8)
        return;
    if (is_option && blanks == 1 && value[0] >= 'A')
        snprintf(text, sizeof text, "%.*s=$%c", (int)name, line, symbol_of(value, strcspn(value, " \n")));
    else
        snprintf(text, sizeof text, "%.*s", (int)name, line);
    add(is_option ? option_texts : commands, text);
}

static void learn_from(const char *command)
{
    char name[] = "warpline", help[] = "--help", word[NAME_LENGTH];
    snprintf(word, sizeof word, "%s", command ? command : help);
    char *argv[] = {name, word, help, NULL};
    sandbox_start(NULL, 0);
    (void)warpline_main(command ? 3 : 2, argv);
    const sandbox_result r = sandbox_end();
    for (const char *line = r.out; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (strncmp(line, "  ", 2) == 0)
            add_line(line + 2, command != NULL);
    free(r.out);
    free(r.err);
}

static char line_symbol(const uint8_t *data, size_t size, size_t at)
{
    static bool learnt;
    (void)size;
    if (!learnt) {
        learn_from(NULL);
        for (size_t i = 0; commands[i]; i++)
            learn_from(commands[i]);
        learnt = true;
    }
    for (size_t i = 0; i + 4 <= at; i++)
        if ((i == 0 || data[i - 1] == '\n') && memcmp(data + i, "=== ", 4) == 0)
            return 'Y';
    return 'L';
}

const mutate_grammar fuzz_grammar = {rules, sizeof rules / sizeof rules[0], "{[,", 'W', false, line_symbol};
