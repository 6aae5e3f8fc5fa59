#!/bin/sh
# check-layers.sh [ROOT] - data flows one way: fails when a folder includes a header of a later stage.
# The order is that of docs/design.md; every folder may use itself and what stands before it.
cd "${1:-.}" || exit 2
order="base expr device kernel input ptx launch footprint metrics model search report measure compare fit"
status=0
for file in src/*/*.c src/*/*.h; do
    folder=$(basename "$(dirname "$file")")
    for used in $(sed -n 's/^#include "\([a-z_]*\)\/.*/\1/p' "$file" | sort -u); do
        [ "$used" = warpline ] && continue
        allowed=no
        for stage in $order; do
            [ "$stage" = "$used" ] && allowed=yes
            [ "$stage" = "$folder" ] && break
        done
        case "$folder:$used" in
            kernel:device | device:kernel) allowed=no ;; # neighbours that do not know each other
            launch:input | footprint:input | metrics:input | model:input | search:input) allowed=no ;; # texts end at the kernel
            ptx:input | ptx:device | *:ptx) [ "$folder" = ptx ] && [ "$used" = ptx ] || allowed=no ;; # another way to the kernel
            measure:base | measure:measure | compare:base | compare:measure | compare:compare) ;; # beside the pipeline
            measure:* | compare:* | fit:report | fit:input | fit:kernel) allowed=no ;;
        esac
        if [ $allowed = no ]; then
            echo "$file: $folder/ may not include $used/"
            status=1
        fi
    done
done
for file in cli/*.c cli/*.h examples/*.c; do
    [ -e "$file" ] || continue
    if grep -nE '#include "(base|expr|device|kernel|input|ptx|launch|footprint|metrics|model|search|report|measure|compare|fit|src)/' "$file"; then
        echo "$file: only public headers (warpline/...) may be included here"
        status=1
    fi
done
[ $status = 0 ] && echo "layers: ok"
exit $status
