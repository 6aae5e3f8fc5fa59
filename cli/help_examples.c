/* help_examples.c - see help_examples.h. tests/cli/help_examples.sh runs all of them; what fits no
 * line of 78 characters is broken as a shell reads it. SPDX-License-Identifier: MIT */
#include "help_examples.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *command, *lines;
} examples[] = {
    {"predict", "warpline predict star3d_r4 --device h200 --block 32x4x2\n"
                "warpline predict heat.cu --device h200 --block 32x8 --domain 4096x4096 \\\n"
                "  --arg buf:128M --arg buf:128M --arg 4096 --arg 4096 --arg 0.1\n"},
    {"stack", "warpline stack star3d_r4 --device h200 --block 64x4\n"
              "warpline stack heat.cu --device h200 --block 64x4 --domain 4096x4096 \\\n"
              "  --arg buf:128M --arg buf:128M --arg 4096 --arg 4096 --arg 0.1 -o heat.txt\n"},
    {"roofline", "warpline roofline star3d_7pt --device h200 --block 32x8 --plot star.svg\n"
                 "warpline roofline counters.csv --device h200 --kind instruction\n"},
    {"report", "warpline report star3d_r4 --device h200 --block 64x4 -o star.html\n"
               "warpline report program.wlrec --device h200 --device a100-80gb -o program.html\n"},
    {"trace", "warpline trace --example stencil --lines 24 --schedule column:4\n"
              "warpline trace star2d_5pt --lines 64 --line 128B --plot rows.svg\n"},
    {"check", "warpline check star3d_r4 --device h200 --block 64x4 --budget 'time<=1.7ms'\n"
              "warpline check star3d_r4 --baseline before.json --tolerance 2%\n"},
    {"advise", "warpline advise star3d_r4 --device h200 --block 128x2\n"
               "warpline advise transpose --device a100-40gb --block 32x8 --devices 0\n"},
    {"rank", "warpline rank star3d_r4 --device h200 --where 'block.x >= 32' --top-k 90%\n"
             "warpline rank heat.cu --device h200 --tune BX=32,64 --block BX,8 \\\n"
             "  --domain 4096x4096 --arg buf:128M --arg buf:128M --arg 4096 --arg 4096 \\\n"
             "  --arg 0.1\n"},
    {"compare", "warpline compare star3d_7pt measured.csv --device h200\n"
                "warpline compare star3d_7pt measured.csv --device h200 --metric time --rows\n"},
    {"diff", "warpline diff star3d_r4 --device h200 128x2 32x8x1:fold=1x1x2\n"
             "warpline diff before.json after.json\n"},
    {"fit", "warpline fit --map families.yaml tables.csv --device h200 --target time\n"
            "warpline fit --from-curves latency.csv streams.csv --device v100\n"},
    {"occupancy", "warpline occupancy --device h200 --threads 1024 --registers 54\n"
                  "warpline occupancy --device h200 --block 32x8:regs=40:shared=48KiB\n"},
    {"show", "warpline show star3d_7pt\n"
             "warpline show heat.cu --block 32x8 --domain 4096x4096 --arg buf:128M \\\n"
             "  --arg buf:128M --arg 4096 --arg 4096 --arg 0.1 >heat.yaml\n"},
    {"schedule", "warpline schedule matmul --device v100\n"
                 "warpline schedule star3d_7pt --device h200 --block 32x8 --orders swizzle\n"},
    {"emit", "warpline emit --schedule column:32\n"
             "warpline emit --schedule swizzle:8 --as c --precomputed\n"},
    {"ptx", "warpline ptx heat.cu --coverage\n"
            "warpline ptx ./app\n"},
    {"run", "warpline run --device h200 -- ./app 100\n"
            "warpline run --device a100-40gb -o app.wlrec -- ./app 100\n"},
    {"record", "warpline record --device h200 -- ./app 100\n"
               "warpline record -o app.wlrec --launches 4 -- ./app 100\n"},
    {"devices", "warpline devices show h200\n"
                "warpline devices derive h300 --like h200 --with l2_size=100MiB >h300.yaml\n"},
    {"kernels", "warpline kernels\n"
                "warpline kernels show star3d_r4\n"},
    {"init", "warpline init heat.cu --device h200\n"
             "warpline init heat.cu --format args\n"},
    {"explain", "warpline explain wave dram_load_bytes\n"
                "warpline explain limiter star3d_r4 --device h200 --block 32x4x2\n"},
    {"metrics", "warpline metrics\n"
                "warpline metrics --model roofline\n"},
};

const char *help_examples_of(const char *command)
{
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++)
        if (strcmp(examples[i].command, command) == 0)
            return examples[i].lines;
    return "";
}
