#!/usr/bin/env bash
# measure.sh SOURCE.cu OUTDIR - lists the launches of a program of validate/cuda and reads their hardware counters.
# Needs a CUDA GPU, nvcc and ncu. Writes OUTDIR/NAME.list and OUTDIR/NAME.ncu.csv, in the same order.
set -euo pipefail
source=$1 out=$2 name=$(basename "$1" .cu) binary=$(mktemp)
nvcc -O3 -arch=sm_90 -std=c++17 -o "$binary" "$source"
"$binary" list > "$out/$name.list"
m=gpu__time_duration.sum,smsp__inst_executed_op_global_ld.sum,smsp__inst_executed_op_global_st.sum
m+=,l1tex__data_pipe_lsu_wavefronts.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared.sum
m+=,l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum
m+=,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
m+=,lts__t_sectors_srcunit_tex_op_read.sum,lts__t_sectors_srcunit_tex_op_write.sum,dram__bytes_read.sum,dram__bytes_write.sum
ncu --clock-control none -k regex:^k_ --csv --page raw --print-units base --metrics "$m" "$binary" run \
    > "$out/$name.ncu.csv" 2> "$out/$name.ncu.log" || { tail -5 "$out/$name.ncu.log"; exit 1; }
wc -l "$out/$name.list" "$out/$name.ncu.csv"
