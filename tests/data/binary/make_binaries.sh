#!/bin/sh
# make_binaries.sh - makes the files of this folder again; needs nvcc 13 and GNU binutils. Host code is left out, so that they stay small:
# an object has only its fatbin, and the program only a fatbin and a name for its loader.
set -eu
cd "$(dirname "$0")"
folder=$(mktemp -d)
# object NAME FATBIN SECTION: an object with nothing else
object() {
    printf '.section %s,"a"\n.balign 8\n.incbin "%s"\n' "$3" "$2" >"$folder/fatbin.s"
    as "$folder/fatbin.s" -o "$1"
    strip -g "$1"
}
nvcc -fatbin -gencode arch=compute_80,code=compute_80 --compress-mode=speed vec.cu -o lz4.fatbin
nvcc -fatbin -gencode arch=compute_80,code=compute_80 --compress-mode=none vec.cu -o plain.fatbin
nvcc -cubin -arch=sm_90 more.cu -o sass.cubin
nvcc -fatbin -gencode arch=compute_75,code=compute_75 -gencode arch=compute_75,code=sm_75 --compress-mode=size vec.cu -o "$folder/vec.fatbin"
nvcc -fatbin -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90,code=compute_90 -gencode arch=compute_90a,code=compute_90a -gencode arch=compute_90,code=sm_90 --compress-mode=size -G more.cu -o "$folder/more.fatbin"
object "$folder/vec.o" "$folder/vec.fatbin" .nv_fatbin
object "$folder/more_with_a_long_name.o" "$folder/more.fatbin" __nv_relfatbin
cp "$folder/vec.o" vec.obj
rm -f libboth.a
(cd "$folder" && ar rcD libboth.a vec.o more_with_a_long_name.o)
cp "$folder/libboth.a" .
printf '.section .interp,"a"\n.string "/lib/ld.so"\n.text\n.globl _start\n_start:\n' >"$folder/start.s"
as "$folder/start.s" -o "$folder/start.o"
ld -o app "$folder/start.o" "$folder/vec.o" "$folder/more_with_a_long_name.o"
strip app
rm -r "$folder"
