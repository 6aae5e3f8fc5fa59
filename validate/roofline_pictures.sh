#!/bin/sh
# roofline_pictures.sh WARPLINE [OUTDIR]: the pictures of docs/roofline_examples.md, predicted from PTX and measured on an H200,
# into OUTDIR (default: docs/plots).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
warpline=$1
out=${2:-$root/docs/plots}

# picture NAME PATTERN: the launches whose row has the pattern
picture() {
  grep -e '^row,' -e "$2" "$root/validate/data/h200_roofline.csv" |
    "$warpline" roofline --map "$root/validate/roofline.yaml" --measured - --device h200 --kind instruction \
      --plot "$out/roofline_$1.svg" >/dev/null
  rm -f "$out/roofline_$1.csv" # the numbers stand under the picture
}
picture pairs_transpose '^[0-9]*,transpose,[a-z]*_f32,n=4096'
picture pairs_smoother '^[0-9]*,smoother,.*nx=256.*,32,4,1,[0-9]*,64,32'
picture pairs_align '^[0-9]*,align,.*pairs=2112'
picture pairs_product '^[0-9]*,product,.*n=2048'
