#!/bin/sh
# notices.sh WARPLINE REPORT SOURCE_ROOT: does the accuracy test notice a device that is worse, and a baseline that is not there?
LC_ALL=C && export LC_ALL # numbers and order are the same in every locale
set -u
here=$(dirname "$0")
failed=0

# notices KEY=VALUE FAMILY METRIC
notices() {
  said=$(TABLES=fit sh "$here/accuracy.sh" "$warpline" "$report" "$root" "$1")
  code=$?
  if [ $code != 1 ]; then
    echo "$1: exit code $code, not 1"
    failed=1
  elif ! printf '%s\n' "$said" | grep -q "^$2 (h200_[a-z0-9]*): .*$3 was [0-9.]*, is [0-9.]*$"; then
    printf '%s: no word of %s and %s in\n%s\n' "$1" "$2" "$3" "$said"
    failed=1
  fi
}

warpline=$1
report=$2
root=$3
notices l2_reuse_room=20MiB star3d dram_load_bytes
notices dram_latency=3000 star3d time
"$report" check --baseline "$root/validate/families.yaml" "$root/validate/accuracy.json" >/dev/null 2>&1
code=$?
[ $code = 3 ] || { echo "a file that is no comparison: exit code $code, not 3"; failed=1; }
exit $failed
