/* options.c - see options.h. SPDX-License-Identifier: MIT */
#include "options.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "diag.h"
#include "help_examples.h"
#include "launch_text.h"
#include "look.h"
#include "option_values.h"
#include "parameter_sweep.h"
#include "preset.h"
#include "wrap.h"

typedef enum kind { ONE, MANY, NAMED /* several, each name once */, FLAG } kind;

#define EVERY EVERY_COMMAND
/* except for rooflines and reports, which take any number of kernels, and for devices */
#define ARGUMENTS_MAX 8

/* commands: p predict, m compare, f fit, o occupancy, d devices, k kernels, e explain, c check, D
 * diff, r rank, a advise, s show, x ptx, t stack, R roofline, P report, M metrics, E emit, T trace,
 * S schedule, i init */
static const struct spec {
    const char *name, *value;
    kind kind;
    size_t offset, count_offset;
    const char *commands, *help;
} specs[] = {
    {"--device", "NAME|FILE", ONE, offsetof(options, device), 0, "tomfcDasxRTS",
     "a built-in device ('warpline devices' lists them) or a device file"},
    {"--device", "NAME|FILE", MANY, offsetof(options, devices), offsetof(options, device_count), "puw",
     "a built-in device ('warpline devices' lists them) or a device file; repeatable: the devices are compared"},
    {"--device", "NAME|FILE", MANY, offsetof(options, devices), offsetof(options, device_count), "rP",
     "a built-in device ('warpline devices' lists them) or a device file; repeatable"},
    {"--device", "NAME|FILE", ONE, offsetof(options, device), 0, "i",
     "the device of the command (default: the GPU of this machine, else h200)"},
    {"--with", "KEY=VALUE", NAMED, offsetof(options, with), offsetof(options, with_count), "ptodmfcDrasxRPTSi",
     "change a number of the device, e.g. l2_size=80MiB; repeatable"},
    {"--block", "XxYxZ", MANY, offsetof(options, block), offsetof(options, block_count), "pc",
     "threads per block and, after colons, other properties of the launch: 32x4x2:fold=1x1x2:regs=40:shared=48KiB; "
     "repeatable: the launches are compared"},
    {"--block", "XxYxZ", MANY, offsetof(options, block), offsetof(options, block_count), "tasT",
     "threads per block and, after colons, other properties of the launch: 32x4x2:fold=1x1x2:regs=40:shared=48KiB"},
    {"--block", "XxYxZ", MANY, offsetof(options, block), offsetof(options, block_count), "R",
     "threads per block; repeatable: each is a point"},
    {"--block", "XxYxZ", MANY, offsetof(options, block), offsetof(options, block_count), "P",
     "threads per block; repeatable: each is a section"},
    {"--block", "XxYxZ", MANY, offsetof(options, block), offsetof(options, block_count), "r",
     "rank only these launches instead of a space: 32x4x2, 32x4x2:fold=1x1x2:regs=40; repeatable"},
    {"--block", "XxYxZ", MANY, offsetof(options, block), offsetof(options, block_count), "S",
     "threads per block (default 256)"},
    {"--block", "XxYxZ", MANY, offsetof(options, block), offsetof(options, block_count), "o",
     "threads per block, as 32x8 or 32x8:regs=40:shared=48KiB, instead of --threads"},
    {"--launch", "N", ONE, offsetof(options, launch), 0, "ptcrasRPS",
     "of a recording: this launch alone, as an ordinary kernel (without it, the whole program, or the launch that "
     "takes "
     "longest)"},
    {"--trace", "FILE", ONE, offsetof(options, trace), 0, "p",
     "of a recording: write when launches and copies happen as a Chrome trace, which Perfetto opens"},
    {"--orders", "LIST", ONE, offsetof(options, orders), 0, "S",
     "orders to try, as column,tile,swizzle (default: linear, column, zigzag, tile, hilbert, morton, swizzle)"},
    {"--widths", "LIST", ONE, offsetof(options, widths), 0, "S",
     "widths of columns and tiles and groups of swizzles to try, as 16,32,48 (default: powers of two, 48, 96)"},
    {"--fold", "XxYxZ", ONE, offsetof(options, fold), 0, "ptmcDaRP",
     "neighbouring cells that each thread computes (default 1x1x1)"},
    {"--block-x", "NUMBERS", ONE, offsetof(options, block_axis[0]), 0, "r",
     "extents of blocks to try: 16,32,64 or 1..64 or 32..1024:32 or 1..1024:x2; --block-y, --block-z likewise"},
    {"--block-y", "NUMBERS", ONE, offsetof(options, block_axis[1]), 0, "r", "default: powers of two"},
    {"--block-z", "NUMBERS", ONE, offsetof(options, block_axis[2]), 0, "r", "default: powers of two"},
    {"--threads", "NUMBERS", ONE, offsetof(options, threads), 0, "r",
     "numbers of threads per block to try, as 256..1024 (default: whole warps)"},
    {"--fold", "D:NUMBERS", MANY, offsetof(options, folds), offsetof(options, folds_count), "r",
     "cells per thread in x, y or z to try, as y:1,2,4, or one folding, as 1x2x1; repeatable"},
    {"--tune", "NAME=VALUES", MANY, offsetof(options, tune), offsetof(options, tune_count), "r",
     "compile a .cu file with -DNAME=VALUE for each, as BX=16,32,64, and rank the configurations; --block, --grid, "
     "--domain, --dynamic-shared, --registers may use the name; repeatable"},
    {"--schedules", "LIST|all", ONE, offsetof(options, schedules), 0, "r",
     "orders to try, as linear,column:32,swizzle:8, or all that suit the kernel (default: linear)"},
    {"--registers", "N|LIST", ONE, offsetof(options, registers), 0, "r",
     "registers per thread, or per folding: 1x1x1:32,1x2x1:40"},
    {"--registers-file", "FILE", ONE, offsetof(options, registers_file), 0, "r",
     "registers per folding as a YAML map, 1x2x1: 40"},
    {"--where", "CONDITION", MANY, offsetof(options, where), offsetof(options, where_count), "r",
     "try only launches that meet this condition, as 'block.x * block.y <= 512 && fold.z == 1'; repeatable"},
    {"--space", "FILE", ONE, offsetof(options, space), 0, "r", "the space as a YAML file; options override it"},
    {"--grid", "XxYxZ|RULE", ONE, offsetof(options, grid), 0, "ptcDasrRPT",
     "blocks of the launch, as 20x128x256 or 'cdiv(nx,block.x),ny' (default: as many as the domain needs)"},
    {"--schedule", "S", ONE, offsetof(options, schedule), 0, "ptcDaRP",
     "order of threads, or blocks: linear (default), column:W, zigzag:W, tile:WxH, hilbert, morton; swizzle:G"},
    {"--example", "NAME", ONE, offsetof(options, example), 0, "T",
     "tasks of the paper: stencil (7x7), stencil:WxH, matmul, matmul:DEPTH; elements of 4 bytes"},
    {"--schedule", "ORDER", ONE, offsetof(options, schedule), 0, "T",
     "order of tasks: linear (default), column:W, zigzag:W, tile:WxH, hilbert, morton; of blocks: swizzle:G"},
    {"--lines", "N", ONE, offsetof(options, lines), 0, "T", "lines of the cache (default: the L1 of the device)"},
    {"--line", "BYTES", ONE, offsetof(options, line), 0, "T",
     "bytes of a line (default: that of the device; 16 with --example)"},
    {"--ways", "N", ONE, offsetof(options, ways), 0, "T", "lines per set (default: all, that is fully associative)"},
    {"--policy", "NAME", ONE, offsetof(options, policy), 0, "T",
     "replacement policy: lru (default), random, random4 (four consecutive lines, as on Volta and Turing)"},
    {"--seed", "N", ONE, offsetof(options, seed), 0, "T", "seed of a random policy (default 0)"},
    {"--by", "thread|warp", ONE, offsetof(options, by), 0, "T", "a task is a thread (default) or a warp"},
    {"--window", "FIRST:COUNT", ONE, offsetof(options, window), 0, "T",
     "tasks to draw (default: all, or the first 4096)"},
    {"--ascii", NULL, FLAG, offsetof(options, ascii), 0, "T", "draw with ASCII characters"},
    {"--width", "N", ONE, offsetof(options, width), 0, "T",
     "columns of the text output (default: those of the terminal, else 100)"},
    {"--plot", "FILE", ONE, offsetof(options, plot), 0, "T",
     "draw the diagram as FILE.svg, or without text as FILE.png"},
    {"--schedule", "S", ONE, offsetof(options, schedule), 0, "E",
     "order of threads: linear, column:W, zigzag:W, tile:WxH, hilbert, morton; or of blocks: swizzle:G"},
    {"--as", "LANGUAGE", ONE, offsetof(options, language), 0, "E", "cuda (default; HIP takes it, too), opencl or c"},
    {"--precomputed", NULL, FLAG, offsetof(options, precomputed), 0, "E",
     "use constants that the host computes: multiplications instead of divisions"},
    {"--set", "PARAM=VALUE", NAMED, offsetof(options, set), offsetof(options, set_count), "mfE",
     "value of a kernel parameter; repeatable"},
    {"--set", "NAME=VALUE", NAMED, offsetof(options, set), offsetof(options, set_count), "tcDasRPTS",
     "value of a kernel parameter, or of a name in --grid and --arg; repeatable"},
    {"--set", "NAME=VALUE", NAMED, offsetof(options, set), offsetof(options, set_count), "pr",
     "value of a kernel parameter, or of a name in --grid and --arg; repeatable; one may be a range, as n=64..4096:x2"},
    {"--threads", "N", ONE, offsetof(options, threads), 0, "o", "threads per block"},
    {"--registers", "N", ONE, offsetof(options, registers), 0, "ptomcDasRPTS", "registers per thread"},
    {"--shared", "BYTES", ONE, offsetof(options, shared), 0, "ptocDasRPTS",
     "shared memory per block, static and dynamic together"},
    {"--update", "TEXT", ONE, offsetof(options, update), 0, "ptcDrasRPTS",
     "a stencil assignment instead of a kernel file; needs --domain"},
    {"--domain", "XxYxZ", ONE, offsetof(options, domain), 0, "ptcDasRPS",
     "extents of the domain, of a kernel file or an --update; PTX, CUDA: the number of threads needed; also as n*32,m"},
    {"--domain", "XxYxZ", ONE, offsetof(options, domain), 0, "E",
     "the domain, or the grid of a swizzle; it decides the dimensions and 32 or 64 bits (default: 2-D, 32 bits)"},
    {"--domain", "XxYxZ", MANY, offsetof(options, domains), offsetof(options, domain_count), "r",
     "extents of the domain (PTX, CUDA: the number of threads needed); repeatable: each is ranked"},
    {"--domain", "XxY", ONE, offsetof(options, domain), 0, "T",
     "extents of the domain, also of an --update or --example (default 16x16); PTX, CUDA: the number of threads "
     "needed"},
    {"--type", "TYPE", ONE, offsetof(options, type), 0, "ptcDrasRPTS",
     "with --update: element type, f16 f32 f64 i8 i16 i32 i64 (default f64)"},
    {"--kernel", "NAME", ONE, offsetof(options, entry), 0, "ptmcDrasxTSi",
     "PTX, CUDA: the entry: its name, as 'axpy<float>', a pattern, or a unique part (default: the only entry)"},
    {"--kernel", "NAME", MANY, offsetof(options, kernels), offsetof(options, kernel_count), "RP",
     "PTX, CUDA: an entry: its name, as 'axpy<float>', a pattern, or a unique part; repeatable"},
    {"--arg", "[NAME=]VALUE", MANY, offsetof(options, args), offsetof(options, arg_count), "ptmcDrasRPTS",
     "PTX, CUDA: an argument, see below; repeatable, in order or by name"},
    {"--constant", "NAME=CONTENTS", MANY, offsetof(options, constants), offsetof(options, constant_count),
     "ptmcDrasRPTS", "PTX, CUDA: contents of a __constant__ or __device__ variable, see below; repeatable"},
    {"--dynamic-shared", "BYTES", ONE, offsetof(options, dynamic_shared), 0, "ptmcDrasRPTS",
     "PTX, CUDA: dynamic shared memory of the launch, as 48KiB or 'block.x*4'"},
    {"--cluster", "XxYxZ", ONE, offsetof(options, cluster), 0, "ptmcDrasRPTS",
     "PTX, CUDA: blocks of a cluster, where the kernel does not state them"},
    {"--emulate", "N", ONE, offsetof(options, emulate), 0, "ptmfcDrasRPTS",
     "PTX, CUDA: the most warp instructions to emulate per block"},
    {"--effort", "SECONDS", ONE, offsetof(options, effort), 0, "ptmfcDrasRPTSuw",
     "PTX, CUDA: about how long to emulate a launch (default 1, rank: 0.1); if that is too short, blocks are sampled"},
    {"--launches", "N", ONE, offsetof(options, launches), 0, "uw",
     "launches of each kernel and geometry that are kept with their memory (default 2)"},
    {"--bytes", "N", ONE, offsetof(options, most_bytes), 0, "uw",
     "contents of larger allocations are not kept (default 1 GiB)"},
    {"--seconds", "S", ONE, offsetof(options, seconds), 0, "u",
     "how long a launch may be carried out (default 30; 0: without limit)"},
    {"--no-execute", NULL, FLAG, offsetof(options, no_execute), 0, "u",
     "do not carry kernels out: what they write is not known"},
    {"--no-compile", NULL, FLAG, offsetof(options, no_compile), 0, "u",
     "kernels that take long are emulated, too, and not compiled by cc (or $WARPLINE_CC)"},
    {"--times", NULL, FLAG, offsetof(options, times), 0, "w",
     "measure each launch by two events of the driver; short ones include the time between launches"},
    {"--no-ptxas", NULL, FLAG, offsetof(options, no_ptxas), 0, "ptmfcDrasxRPTS",
     "PTX, CUDA: do not run ptxas to find registers and shared memory"},
    {"--machine-code", "auto|ptxas|rules|FILE", ONE, offsetof(options, machine_code), 0, "ptmcDrasRPTS",
     "PTX, CUDA: count instructions in the machine code of ptxas, by rules, or in a cubin of 'ptxas -lineinfo' "
     "(default: "
     "of ptxas, where it runs to find registers)"},
    {"--compiler", "PATH", ONE, offsetof(options, compiler), 0, "ptmfcDrasxRPTSi",
     "CUDA: nvcc or clang++ (default: $NVCC, nvcc, clang++)"},
    {"--arch", "sm_NN", ONE, offsetof(options, arch), 0, "ptmfcDrasxRPTSi",
     "CUDA: architecture to compile for; executables: to take PTX for (default: the device's)"},
    {"--module", "N", ONE, offsetof(options, module), 0, "ptmcDrasxRPTSi",
     "executables, libraries, fatbins: take the PTX with this number in the list of 'warpline ptx FILE'"},
    {"--define", "X=Y", MANY, offsetof(options, defines), offsetof(options, define_count), "ptmfcDrasxRPTSi",
     "CUDA: a macro; repeatable"},
    {"--include", "DIR", MANY, offsetof(options, includes), offsetof(options, include_count), "ptmfcDrasxRPTSi",
     "CUDA: a folder of headers; repeatable"},
    {"--compiler-option", "OPT", MANY, offsetof(options, compiler_options), offsetof(options, compiler_option_count),
     "ptmfcDrasxRPTSi", "CUDA: another option of the compiler, as --compiler-option=--use_fast_math; repeatable"},
    {"--entries", NULL, FLAG, offsetof(options, entries), 0, "x",
     "list the entries with parameters, registers and shared memory (the default)"},
    {"--coverage", NULL, FLAG, offsetof(options, coverage), 0, "x",
     "list the operations of the file and how far each is supported"},
    {"--extract", NULL, FLAG, offsetof(options, extract), 0, "x",
     "print the PTX: of an executable, that for --device or --arch with --kernel, or that of --module"},
    {"--model", "NAME", ONE, offsetof(options, model), 0, "cDraRPS",
     "time model: turnover (default where the device has its numbers), limiter, gpumech, gpumech+, mdm-queue, "
     "mdm-mshr, mdm, simple, four-limiters, paper (these with the volumes and curves as published)"},
    {"--model", "NAME", ONE, offsetof(options, model), 0, "p",
     "time model: turnover (default where the device has its numbers), limiter, gpumech, gpumech+, mdm-queue, "
     "mdm-mshr, mdm, simple, four-limiters; as published: paper (the last one with its volumes and curves), "
     "thesis (LRU caches), letter-gpumech, letter-gpumech+, letter-mdm-queue, letter-mdm-mshr, letter-mdm (with LRU "
     "caches; without --device the letter's GPU)"},
    {"--model", "NAME|all", ONE, offsetof(options, model), 0, "m",
     "time model: turnover (default where the device has its numbers), limiter, gpumech, gpumech+, mdm-queue, "
     "mdm-mshr, mdm, simple, four-limiters; as published, as predict has them: paper, thesis, letter-gpumech, "
     "letter-gpumech+, letter-mdm-queue, letter-mdm-mshr, letter-mdm; all: the default, and the times of each of the "
     "first nine"},
    {"--model", "NAME", ONE, offsetof(options, model), 0, "M",
     "only counters for this: classic, hierarchical, instruction, roofline (all three) or compare; adds the ncu "
     "command"},
    {"--model", "NAME|all", ONE, offsetof(options, model), 0, "t",
     "time model: turnover, gpumech, gpumech+, mdm-queue, mdm-mshr, mdm, or all side by side (default: turnover)"},
    {"--caches", "WHAT", ONE, offsetof(options, caches), 0, "pmcDraRtPS",
     "what the L2 holds when the launch starts: warm (default), what an equal launch has left, or cold, nothing, as "
     "profilers see to it (compare: default as measured)"},
    {"--volumes", "WHOSE", ONE, offsetof(options, volumes), 0, "m",
     "make times of these volumes: predicted (default), or measured, the counters of the table, so that errors of "
     "volumes and of the time model are told apart"},
    {"--fidelity", "NAME", ONE, offsetof(options, fidelity), 0, "pm",
     "how volumes are computed: model (default), or simulate: the caches, access by access, without fitted curves"},
    {"--budget", "ACCESSES", ONE, offsetof(options, addresses), 0, "pm",
     "with --fidelity simulate: addresses of a launch to evaluate (default 67108864); of longer launches, a part"},
    {"--incomplete", "WHAT", ONE, offsetof(options, incomplete), 0, "mcDraS",
     "PTX, CUDA: refuse (default) or allow to compare predictions that leave something out, or guess it"},
    {"--details", NULL, FLAG, offsetof(options, details), 0, "p",
     "print everything: metrics, caches, shares of fields, bounds, notes"},
    {"--verbose", NULL, FLAG, offsetof(options, verbose), 0, "puw", "add notes on what was assumed and sampled"},
    {"--confidence", NULL, FLAG, offsetof(options, confidence), 0, "p",
     "add the expected error of predictions on this device, and the data behind it"},
    {"--per-access", NULL, FLAG, offsetof(options, per_access), 0, "p", "show which access causes which volume"},
    {"--per-line", NULL, FLAG, offsetof(options, per_line), 0, "p",
     "PTX, CUDA: show the instructions of each source line (needs -lineinfo)"},
    {"--l1-samples", "N|all", ONE, offsetof(options, samples), 0, "ptcDraRPS",
     "warps per instruction to sample for L1 tag conflicts"},
    {"--batch", "FILE|-", ONE, offsetof(options, batch), 0, "p",
     "one JSON object per line in, one result per line out"},
    {"--batch", "FILE|-", ONE, offsetof(options, batch), 0, "R",
     "kernels and launches of one device as lines of JSON, as for predict --batch"},
    {"--batch", "FILE|-", ONE, offsetof(options, batch), 0, "P",
     "kernels, devices and launches as lines of JSON, as for predict --batch"},
    {"--top", "N", ONE, offsetof(options, top), 0, "r", "show the best N (default: 10 as text, all as json and csv)"},
    {"--top-k", "P%|K", ONE, offsetof(options, top_k), 0, "r",
     "only the launches to benchmark: enough to find the true best with this probability, or K of them"},
    {"--export", "FORMAT=FILE", MANY, offsetof(options, exports), offsetof(options, export_count), "r",
     "write a file for autotuners: kernel-tuner, kernel-tuner-cache or triton; repeatable"},
    {"--output", "FILE", ONE, offsetof(options, output), 0, "rtRPTxuw",
     "write the result here instead of standard output"},
    {"--plot", "FILE", ONE, offsetof(options, plot), 0, "p",
     "with a range in --set, as n=64..4096:x2 or n=64..512:64: draw speed and volumes over it as FILE.svg"},
    {"--plot", "FILE", ONE, offsetof(options, plot), 0, "r",
     "draw a map of blocks and the first ten as FILE.svg, or with a range in --set speed and volumes over it; or "
     "performance over DRAM volume as FILE.png or FILE.pdf through gnuplot, with script and data"},
    {"--plot", "FILE", ONE, offsetof(options, plot), 0, "R",
     "draw the picture as FILE.svg, with its numbers as FILE.csv; or as FILE.png or FILE.pdf through gnuplot, with "
     "script "
     "and data"},
    {"--kind", "NAME", ONE, offsetof(options, kind), 0, "R",
     "kind of roofline: classic (DRAM), hierarchical (L1, L2, DRAM; the default), instruction, parallelism (classic, "
     "with the ceilings of kernels without it)"},
    {"--jobs", "N", ONE, offsetof(options, jobs), 0, "r", "threads to use (default: all cores)"},
    {"--memory", "SIZE", ONE, offsetof(options, memory), 0, "r",
     "limit of the memory for sorting (default 32MiB); larger spaces are written unsorted"},
    {"--budget", "NAME<=LIMIT", MANY, offsetof(options, budget), offsetof(options, budget_count), "c",
     "upper limit of a metric, metric/item or the time; lower limit with occupancy>=, items_per_s>=; repeatable"},
    {"--baseline", "FILE|-", ONE, offsetof(options, baseline), 0, "c",
     "predictions written by 'predict --format json' that must not become worse"},
    {"--tolerance", "PERCENT", ONE, offsetof(options, tolerance), 0, "c",
     "how much worse than the baseline a prediction may be (default 1%)"},
    {"--junit", "FILE|-", ONE, offsetof(options, junit), 0, "c",
     "write the findings as JUnit XML for CI systems (-: print it instead of the text)"},
    {"--devices", "N|all", ONE, offsetof(options, other_devices), 0, "a",
     "how many other devices to compare with (default 3; 0: none)"},
    {"--measured", "FILE", ONE, offsetof(options, measured), 0, "R",
     "a measured table (our CSV, ncu --csv): its launches are drawn as measured and as predicted"},
    {"--map", "FILE", ONE, offsetof(options, map), 0, "mfR", "which kernel belongs to which family and variant (YAML)"},
    {"--args", "FILE", ONE, offsetof(options, args_file), 0, "mR",
     "PTX, CUDA: arguments of the launches (YAML), by kernel, block and grid"},
    {"--family", "NAME", MANY, offsetof(options, family), offsetof(options, family_count), "mfR",
     "only launches of this family (wildcards * and ?); repeatable"},
    {"--variant", "PATTERN", ONE, offsetof(options, variant), 0, "mfR",
     "only launches of these variants (wildcards * and ?)"},
    {"--kernel-name", "TEXT", ONE, offsetof(options, kernel_name), 0, "mR",
     "only launches whose kernel's name contains TEXT"},
    {"--metric", "NAME", MANY, offsetof(options, metric), offsetof(options, metric_count), "m",
     "only this metric, or time; repeatable (default: all that both sides know)"},
    {"--group", "BY", ONE, offsetof(options, group), 0, "m",
     "statistics by family, variant (default), params or all together"},
    {"--min-time", "TIME", ONE, offsetof(options, min_time), 0, "mf",
     "leave launches with a shorter measured time, as 20us, out of the statistics of time"},
    {"--rows", NULL, FLAG, offsetof(options, rows), 0, "m", "text: list every launch, not only the worst"},
    {"--plot", "FILE", ONE, offsetof(options, plot), 0, "m",
     "draw predicted over measured values as FILE.svg; or as FILE.png or FILE.pdf through gnuplot, with script and "
     "data"},
    {"--target", "NAME", MANY, offsetof(options, target), offsetof(options, target_count), "f",
     "fit only the numbers behind this: l1_wavefronts, l2_load_bytes, .., time; or ranking, which fits nothing; "
     "repeatable. l1_curve, l2_reuse_curve or l2_store_curve: this curve of the model paper, alone"},
    {"--number", "KEY", MANY, offsetof(options, number), offsetof(options, number_count), "f",
     "fit only these numbers of the device, as bound_norm; the others stay; repeatable"},
    {"--cross-validate", NULL, FLAG, offsetof(options, cross_validate), 0, "f",
     "repeat the fit without each family in turn, and test it on that family"},
    {"--from-curves", NULL, FLAG, offsetof(options, from_curves), 0, "f",
     "TABLE... are published curves; needs no --map"},
    {"--gpu", "NAME", ONE, offsetof(options, gpu), 0, "f",
     "with --from-curves: the name of the device in the tables (default: that of its file)"},
    {"--output", "FILE", ONE, offsetof(options, output), 0, "f",
     "write the device file with the fitted numbers here; without it nothing is written"},
    {"--date", "YYYY-MM-DD", ONE, offsetof(options, date), 0, "f",
     "the date to write into their sources (default: today)"},
    {"--date", "TEXT", ONE, offsetof(options, date), 0, "P", "a date to show at the top of the page (default: none)"},
    {"--interactive", NULL, FLAG, offsetof(options, interactive), 0, "P",
     "put the page of 'make web' into the file: who reads it can try other blocks and devices there"},
    {"--web", "FILE|FOLDER", ONE, offsetof(options, web), 0, "P",
     "with --interactive: where that page is (default: $WARPLINE_WEB, or where it was made or installed)"},
    {"--like", "NAME|FILE", ONE, offsetof(options, like), 0, "d",
     "derive: the device that the new one is like, but for what --with changes"},
    {"--sources", NULL, FLAG, offsetof(options, sources), 0, "d", "compare: add the source of every number"},
    {"--format", "FORMAT", ONE, offsetof(options, format), 0, "podmfcDraxM",
     "output format: text (default), json; predict, rank, compare and metrics also csv"},
    {"--format", "FORMAT", ONE, offsetof(options, format), 0, "S", "output format: text (default), json or csv"},
    {"--format", "FORMAT", ONE, offsetof(options, format), 0, "tT", "output format: text (default), json or svg"},
    {"--format", "FORMAT", ONE, offsetof(options, format), 0, "R", "output format: text (default), json, csv or svg"},
    {"--format", "FORMAT", ONE, offsetof(options, format), 0, "i",
     "text (default): a command to copy; args: a file to edit, for 'warpline predict @FILE'"},
    {"--device", "NAME|FILE", ONE, offsetof(options, device), 0, "e",
     "with a kernel as the last argument: the device of its example numbers"},
    {"--block", "XxYxZ", MANY, offsetof(options, block), offsetof(options, block_count), "e",
     "with a kernel as the last argument: the launch of its example numbers"},
    {"--set", "NAME=VALUE", NAMED, offsetof(options, set), offsetof(options, set_count), "e",
     "value of a kernel parameter; repeatable"},
    {"--quiet", NULL, FLAG, offsetof(options, quiet), 0, "c", "print only failures; no notes, no progress"},
    {"--quiet", NULL, FLAG, offsetof(options, quiet), 0, "puwtRPTarmDfosSExdkeMi",
     "results only: no notes in text or on standard error, no progress"},
    {"--color", "WHEN", ONE, offsetof(options, color), 0, EVERY,
     "colour in text and messages: auto (default: on a terminal, unless $NO_COLOR is set), always or never"},
    {"--help", NULL, FLAG, offsetof(options, help), 0, EVERY, "this text"},
};
#define SPEC_COUNT (sizeof specs / sizeof specs[0])

bool command_is_of(const command *c, const char *letters)
{
    return strcmp(letters, EVERY_COMMAND) == 0 || strchr(letters, c->letter);
}

static bool takes(const command *c, const struct spec *s) { return command_is_of(c, s->commands); }

static const struct spec *find(const command *c, const char *word, size_t length)
{
    for (size_t i = 0; i < SPEC_COUNT; i++)
        if (takes(c, &specs[i]) && strlen(specs[i].name) == length && memcmp(specs[i].name, word, length) == 0)
            return &specs[i];
    return NULL;
}

/* The earlier "NAME=VALUE" for the same name: of two, one would be ignored. NULL: there is none. */
static const char *given_before(const char *const *list, size_t count, const char *value)
{
    const size_t length = strcspn(value, "=");
    for (size_t i = 0; i < count && value[length]; i++)
        if (strncmp(list[i], value, length + 1) == 0)
            return list[i];
    return NULL;
}

static bool store(const struct spec *s, const char *value, options *out)
{
    char *base = (char *)out;
    if (s->kind == FLAG) {
        *(bool *)(void *)(base + s->offset) = true;
    } else if (s->kind == ONE) {
        const char **stored = (const char **)(void *)(base + s->offset);
        if (*stored) {
            usage_error("%s is given twice, as '%s' and '%s'", s->name, *stored, value);
            return false;
        }
        *stored = value;
    } else {
        size_t *count = (size_t *)(void *)(base + s->count_offset);
        if (*count == MANY_MAX) {
            usage_error("%s is given more than %d times", s->name, MANY_MAX);
            return false;
        }
        const char **list = (const char **)(void *)(base + s->offset);
        const char *before = s->kind == NAMED ? given_before(list, *count, value) : NULL;
        if (before) {
            usage_error("%s %.*s is given twice, as '%s' and '%s'", s->name, (int)strcspn(value, "="), value, before,
                        value);
            return false;
        }
        list[(*count)++] = value;
    }
    return true;
}

/* What one letter may stand for. */
static const char *first_with(char letter, const char *const *names, size_t count)
{
    const char *first = NULL;
    for (size_t i = 0; i < count; i++)
        if (names[i][0] == letter && (!first || strcmp(names[i], first) < 0))
            first = names[i];
    return first;
}

static int unknown_option(const command *c, const char *word, size_t length)
{
    const char *names[SPEC_COUNT];
    char name[48];
    size_t n = 0;
    for (size_t i = 0; i < SPEC_COUNT; i++)
        if (takes(c, &specs[i]))
            names[n++] = specs[i].name + strlen("--");
    const size_t dashes = strspn(word, "-");
    (void)snprintf(name, sizeof name, "%.*s", (int)(length - dashes < sizeof name ? length - dashes : 0),
                   word + dashes);
    const char *near = name[0] && !name[1] ? first_with(name[0], names, n) : wl_nearest_name(name, names, n);
    usage_error("unknown option '%s' for 'warpline %s'%s%s%s ('warpline %s --help' lists them)", word, c->name,
                near ? "; did you mean '--" : "", near ? near : "", near ? "'?" : "", c->name);
    return EXIT_USAGE;
}

/* ---- the command line ---- */

/* Options with one letter. */
static const char *long_name(const char *word)
{
    return strcmp(word, "-h") == 0 ? "--help" : strcmp(word, "-o") == 0 ? "--output" : word;
}

static int add_argument(const command *c, const char *word, options *out)
{
    if (out->argument_count == (strchr("RPd", c->letter) ? MANY_MAX : ARGUMENTS_MAX)) {
        usage_error("too many arguments: '%s'", word);
        return EXIT_USAGE;
    }
    out->arguments[out->argument_count++] = word;
    return EXIT_OK;
}

/* The option at argv[*i], and its value, which may be the next word. */
static int read_option(const command *c, int argc, char **argv, int *i, options *out)
{
    const char *word = long_name(argv[*i]), *value = NULL;
    const size_t length = strcspn(word, "=");
    const struct spec *s = find(c, word, length);
    if (!s)
        return unknown_option(c, word, length);
    if (s->kind != FLAG) {
        value = word[length] == '=' ? word + length + 1 : *i + 1 < argc ? argv[++*i] : NULL;
        if (!value) {
            usage_error("%s needs a value: %s %s", s->name, s->name, s->value);
            return EXIT_USAGE;
        }
    } else if (word[length] == '=') {
        usage_error("%s takes no value", s->name);
        return EXIT_USAGE;
    }
    if (value && !value_ok(c, s->name, value))
        return EXIT_INPUT;
    if (value && strcmp(s->name, "--set") == 0 && !strchr(value, '=')) {
        option_error("--set", value, 1, "a name and its value are one word, as in nx=1024");
        return EXIT_INPUT;
    }
    if (!store(s, value, out))
        return EXIT_USAGE;
    if (out->color) /* now, so that it applies to messages about later options */
        look_set_colour(out->color);
    return EXIT_OK;
}

int options_name_arguments(options *o)
{
    wl_error err = {0};
    const char *names[MANY_MAX];
    size_t count = 0;
    if (wl_launch_argument_names(o->args, o->arg_count, o->set, o->set_count, names, &count, &err) != WL_OK)
        return diag_report(&err);
    for (size_t i = 0; i < count && o->set_count < MANY_MAX; i++)
        o->set[o->set_count++] = names[i];
    return EXIT_OK;
}

/* ---- extents that are expressions ---- */

static char computed[2 * MANY_MAX + 1][160];
static size_t computed_count;

/* "n*32" or "nx,ny/2", but not "4096x32": names need an operator or a comma, or are set. */
static bool is_computed(const options *o, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (strchr("*/+%(,", text[i]))
            return true;
    for (size_t i = 0; i < o->set_count; i++)
        if (strcspn(o->set[i], "=") == length && memcmp(o->set[i], text, length) == 0)
            return true;
    return false;
}

/* Replaces the extents that a text begins with, up to a colon, by numbers; the exit code. */
static int compute_extents(const options *o, const char *option, const char **text)
{
    static const int64_t no_domain[3] = {0};
    const size_t length = strcspn(*text, ":");
    if (!is_computed(o, *text, length) || computed_count == sizeof computed / sizeof computed[0])
        return EXIT_OK;
    wl_grid_rule *rule = NULL;
    wl_launch launch = {0};
    wl_error err = {0};
    char extents[160], *out = computed[computed_count];
    (void)snprintf(extents, sizeof extents, "%.*s", (int)length, *text);
    if (rule_follows_block(extents)) {
        option_error(option, *text, 1,
                     "extents follow from names that --set or --arg give, not from the block; --grid may, as in "
                     "'cdiv(n,block.x)'");
        return EXIT_INPUT;
    }
    wl_status status = length < sizeof extents ? WL_OK : WL_E_INPUT;
    if (status == WL_OK)
        status = wl_grid_rule_parse(NULL, extents, o->set, o->set_count, &rule, &err);
    if (status == WL_OK)
        status = wl_grid_rule_apply(rule, NULL, no_domain, &launch, &err);
    wl_grid_rule_free(rule);
    if (status != WL_OK) {
        for (size_t i = 0; i < o->set_count; i++)
            diag_remember(o->set[i], o->set[i]); /* an error inside one names it */
        if (!err.input[0]) {
            diag_say_set(&err);
            (void)snprintf(err.input, sizeof err.input, "%s", option);
            diag_remember(option, *text);
        }
        return diag_report(&err);
    }
    (void)snprintf(out, sizeof computed[0], "%lldx%lldx%lld%s", (long long)launch.grid[0], (long long)launch.grid[1],
                   (long long)launch.grid[2], *text + length);
    computed_count++;
    *text = out;
    return EXIT_OK;
}

static int compute_all(options *o)
{
    int code = EXIT_OK;
    computed_count = 0; /* texts of earlier values of a sweep are no longer read */
    if (o->domain && !o->update)
        code = compute_extents(o, "--domain", &o->domain);
    for (size_t i = 0; i < o->domain_count && code == EXIT_OK && !o->update; i++)
        code = compute_extents(o, "--domain", &o->domains[i]);
    for (size_t i = 0; i < o->block_count && code == EXIT_OK; i++)
        code = compute_extents(o, "--block", &o->block[i]);
    return code;
}

int options_compute(options *o)
{
    const int code = o->arg_count && !o->update ? options_name_arguments(o) : EXIT_OK;
    return code == EXIT_OK ? compute_all(o) : code;
}

int options_read(const command *c, int argc, char **argv, options *out)
{
    bool only_arguments = false;
    int code = EXIT_OK;
    *out = (options){0};
    for (int i = 2; i < argc && code == EXIT_OK; i++) {
        const char *word = argv[i];
        const bool ends = !only_arguments && strcmp(word, "--") == 0;
        if (ends && command_is_of(c, "uw")) {
            out->program = (const char *const *)argv + i + 1;
            out->program_count = (size_t)(argc - i - 1);
            break;
        }
        if (ends)
            only_arguments = true;
        else if (only_arguments || word[0] != '-' || word[1] == '\0')
            code = add_argument(c, word, out);
        else
            code = read_option(c, argc, argv, &i, out);
    }
    if (code == EXIT_OK)
        code = preset_take(out);
    if (code != EXIT_OK)
        return code;
    if (out->tune_count) /* for each configuration */
        return EXIT_OK;
    if (c->letter == 'm') /* compare names arguments for every row: rows have their own names */
        return compute_all(out);
    if (!sweep_is_asked(out))
        return options_compute(out);
    if (command_is_of(c, "pr")) /* for each of its values */
        return EXIT_OK;
    usage_error("a range in --set, as in n=64..4096:x2, is for 'warpline predict' and 'warpline rank'");
    return EXIT_USAGE;
}

/* What --arg and --constant take. */
static const char values_help[] =
    "\nVALUE of an argument:\n"
    "  4096, -1, 0x1f, 2.5, nx*ny      a number, of the parameter's type; nx is --set, another argument's name, or "
    "domain.x\n"
    "  buf:BYTES[:OFFSET][=CONTENTS]   a pointer to a buffer, OFFSET bytes behind its start: 4096, 64K, 2MiB, nx*8\n"
    "  tex:XxYxZ:TYPE[:OPTION..][=CONTENTS], surf:..  a texture or surface, of these extents\n"
    "  {VALUE, VALUE, ..}              a struct by value: 4 is s32, 2.5 is f32, others as 4:u8, 7:u64, 2.5:f64\n"
    "  bytes:0011aaff                  any parameter, byte by byte\n"
    "NAME: the name of the parameter in the .cu file, or its number: n=4096, 2=4096\n"
    "CONTENTS of a buffer or variable (default: unknown; for a variable, its initial value in the file):\n"
    "  FILE, repeat:FILE               the bytes of a file, once or repeated\n"
    "  zero, const:TYPE:VALUE          the same value everywhere\n"
    "  iota[:TYPE[:START[:STEP]]]      START, START+STEP, .. (default 0, 1): iota:u32:0:32\n"
    "  random[:TYPE[:LOW..HIGH]]       uniform; TYPE is u8 u16 u32 u64 s8 s16 s32 s64 f16 bf16 f32 f64\n"
    "  4, {1.5, 2.5}, buf:.., bytes:.. only for a variable\n";

#define USAGE_INDENT 4
#define OPTION_INDENT 27
#define VALUE_INDENT 34

static void print_values_help(int columns)
{
    for (const char *at = values_help; *at;) {
        const size_t length = strcspn(at, "\n");
        char line[160];
        (void)snprintf(line, sizeof line, "%.*s", (int)length, at);
        wrap_print(line, 0, VALUE_INDENT, columns);
        at += length + 1;
    }
}

/* As they are, so that they can be copied. */
static void print_examples(const char *lines)
{
    if (*lines)
        fputs("\nexamples:\n", stdout);
    for (size_t length; *lines; lines += length + 1) {
        length = strcspn(lines, "\n");
        printf("  %.*s\n", (int)length, lines);
    }
}

void options_help(const command *c)
{
    const int columns = wrap_columns(), used = printf("usage: warpline %s ", c->name);
    wrap_print(c->arguments, used, USAGE_INDENT, columns);
    wrap_print(c->summary, 0, 0, columns);
    fputs("\noptions:\n", stdout);
    for (size_t i = 0; i < SPEC_COUNT; i++) {
        char left[40];
        if (!takes(c, &specs[i]))
            continue;
        snprintf(left, sizeof left, "%s%s%s", specs[i].name, specs[i].value ? " " : "",
                 specs[i].value ? specs[i].value : "");
        wrap_print(specs[i].help, printf("  %-24s ", left), OPTION_INDENT, columns);
    }
    if (find(c, "--arg", strlen("--arg")))
        print_values_help(columns);
    print_examples(help_examples_of(c->name));
}

bool options_at(const command *c, size_t index, option_text *out)
{
    for (size_t i = 0; i < SPEC_COUNT; i++) {
        const struct spec *s = &specs[i];
        if (!takes(c, s) || index-- > 0)
            continue;
        *out = (option_text){
            .name = s->name, .value = s->value, .help = s->help, .repeatable = s->kind == MANY || s->kind == NAMED};
        return true;
    }
    return false;
}

/* Says what is wrong with a schedule; the exit code. */
static int schedule_error(const char *option, const char *text, const wl_error *err)
{
    option_error(option, text, err->loc.col > 0 ? err->loc.col : 1, "%s", err->message);
    return err->code == WL_E_UNSUPPORTED ? EXIT_UNSUPPORTED : EXIT_INPUT;
}

bool option_schedule(const char *option, const char *text, wl_schedule *out)
{
    wl_error err = {0};
    return wl_schedule_parse(text, out, &err) == WL_OK || schedule_error(option, text, &err) == EXIT_OK;
}

wl_status launch_schedule(const char *text, wl_schedule *out, wl_error *err)
{
    return wl_schedule_parse(text, out, err);
}

int option_launch_schedule(const char *option, const char *text, wl_schedule *out)
{
    wl_error err = {0};
    return launch_schedule(text, out, &err) == WL_OK ? EXIT_OK : schedule_error(option, text, &err);
}

wl_model_id option_model(const options *o)
{
    wl_model_id model = WL_MODEL_BEST;
    if (o->model)
        (void)wl_model_find(o->model, &model); /* other words were refused already */
    return model;
}

/* The table of commands lists the formats that a command knows. */
wl_format option_format(const options *o)
{
    static const struct {
        const char *name;
        wl_format format;
    } formats[] = {
        {"text", WL_FORMAT_MARKED}, {"json", WL_FORMAT_JSON}, {"csv", WL_FORMAT_CSV}, {"svg", WL_FORMAT_SVG}};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (option_format_is(o, formats[i].name))
            return formats[i].format;
    return WL_FORMAT_MARKED;
}

bool option_format_is(const options *o, const char *name) { return strcmp(o->format ? o->format : "text", name) == 0; }

int option_fidelity(const options *o, int64_t *simulate)
{
    const char *name = o->fidelity ? o->fidelity : "model";
    if (strcmp(name, "simulate") == 0) {
        *simulate = -1;
        return !o->addresses || option_integer("--budget", o->addresses, 1, (int64_t)1 << 40, simulate) ? EXIT_OK
                                                                                                        : EXIT_INPUT;
    }
    if (!o->addresses)
        return EXIT_OK;
    usage_error("--budget needs --fidelity simulate");
    return EXIT_USAGE;
}

bool option_complete(const options *o) { return !o->incomplete || strcmp(o->incomplete, "allow") != 0; }

bool option_every_model(const options *o) { return o->model && strcmp(o->model, "all") == 0; }

int option_predict(const options *o, wl_predict_options *out)
{
    out->model = option_model(o);
    out->caches = wl_caches_of(o->caches);
    const int code = option_fidelity(o, &out->simulate);
    if (code != EXIT_OK)
        return code;
    if (o->samples && strcmp(o->samples, "all") == 0)
        out->l1_samples = -1;
    else if (o->samples && !option_integer("--l1-samples", o->samples, 1, 1000000000, &out->l1_samples))
        return EXIT_INPUT;
    return EXIT_OK;
}
