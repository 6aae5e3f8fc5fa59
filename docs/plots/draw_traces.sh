#!/bin/sh
# draw_traces.sh WARPLINE FOLDER - the diagrams of docs/schedule.md: figures 3.1 to 3.3, 4.4 and 4.6 of the paper.
warpline=$1 folder=$2
draw() { # NAME ARGUMENT..
    name=$1 && shift
    "$warpline" trace "$@" --format svg --output "$folder/trace_$name.svg" || exit 1
}
draw 3_1_stencil --example stencil --lines 24
draw 3_2a_enough --example stencil --lines 27
draw 3_2b_too_small --example stencil --lines 26
draw 3_3_matmul --example matmul --lines 32
draw 4_4_column --example stencil --lines 24 --schedule column:4
draw 4_6_matmul_column --example matmul --lines 32 --schedule column:4
