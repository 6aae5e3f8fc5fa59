#!/bin/sh
# make.sh BUILD [ROOT]: writes the recordings of the tests from their texts. BUILD has the program text_record.
build=$1
cd "${2:-.}" || exit 2
for text in tests/recording/*.txt; do
    "$build/text_record" "$text" "${text%.txt}.wlrec" . || exit 1
done
