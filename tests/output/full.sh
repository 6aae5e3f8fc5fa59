#!/bin/sh
# full.sh WARPLINE ROOT - output that cannot be written is a failure, whatever printed it: help as well as results.
warpline=$1
cd "$2" || exit 2
[ -c /dev/full ] || { echo "no /dev/full here: skipped"; exit 77; }
failed=0
while read -r arguments; do
    message=$(eval "$warpline $arguments" 2>&1 >/dev/full)
    code=$?
    # Notes may come first. The reason is known if the last write failed, not one before it.
    last=${message##*
}
    [ $code = 5 ] && [ "${last%: No space left on device}" = "warpline: cannot write the output" ] && continue
    echo "warpline $arguments >/dev/full: exit code $code, not 5; \"$message\""
    failed=1
done <<'END'
--help
-h
help
help rank
--tables
--complete predict --device h
--version
predict --help
rank --help
predict star3d_r4 --device h200 --block 64x4
predict star3d_r4 --device h200 --block 64x4 --block 32x8
predict star3d_r4 --device h200 --block 64x4 --format json
predict star3d_r4 --device h200 --device v100 --block 64x4
predict star3d_r4 --device h200 --block 64x4 --format csv
stack star3d_r4 --device h200 --block 64x4
stack star3d_r4 --device h200 --block 64x4 --format json
stack star3d_r4 --device h200 --block 64x4 --format svg
trace --example stencil --lines 24
trace star2d_5pt --lines 64 --line 128 --set nx=64 --set ny=64 --format json
trace --example matmul --lines 24 --format svg
roofline star3d_r4 --device h200 --block 64x4
roofline star3d_r4 --device h200 --block 64x4 --format json
roofline star3d_r4 --device h200 --block 64x4 --format csv
roofline star3d_r4 --device h200 --block 64x4 --format svg
report star3d_7pt --device h200 --block 64x4
check star3d_r4 --device h200 --block 64x4 --budget 'time<=1s'
check star3d_r4 --device h200 --block 64x4 --budget 'time<=1ns'
emit --schedule column:32
emit star3d_7pt --schedule hilbert --precomputed --as c
schedule star2d_5pt --device h200 --orders column --widths 32,64
schedule star2d_5pt --device h200 --orders column --widths 32,64 --format json
advise star3d_7pt --device h200 --block 64x4
rank star3d_7pt --device h200
rank star3d_7pt --device h200 --format json
rank star3d_7pt --device h200 --format csv
compare star3d_7pt validate/data/h200_examples.csv --family star3d_7pt --device h200
diff star3d_r4 --device h200 64x4 32x8
occupancy --device h200 --threads 256 --registers 32
show star3d_r4
init examples/heat.ptx --device h200
ptx tests/ptx/science_sm80.ptx
ptx tests/data/binary/app
ptx tests/data/binary/plain.fatbin --extract
ptx tests/ptx/science_sm80.ptx --coverage
ptx tests/ptx/science_sm80.ptx --coverage --format json
devices
devices show h200
devices check share/devices/h200.yaml
devices derive mine --like h200 --with l2_size=100MiB
devices compare h200 v100
kernels
kernels show star3d_r4
metrics
metrics --model roofline --format json
roofline validate/ncu/full_raw.csv --device h200
explain
explain dram_load_bytes
END
printf '%s\n' '{"kernel": "star3d_r4", "device": "h200", "launch": {"block": [64, 4, 1]}}' |
    "$warpline" predict --batch - >/dev/full 2>/dev/null
code=$?
[ $code = 5 ] || { echo "warpline predict --batch - >/dev/full: exit code $code, not 5"; failed=1; }
[ $failed = 0 ] && echo "output: ok"
exit $failed
