#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: test_example.sh TERN NRT_RUN WORKLOAD
# What `tern compile` writes runs under the C runtime, with the bits of `tern run`.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" compile "$3" -o "$folder/p.tern" --data "$folder/t"
"$2" "$folder/p.tern" "$folder/t"
"$1" run "$3" --quiet --output "$folder/c.npy" > "$folder/run.txt"
tail -c +129 "$folder/c.npy" | cmp - "$folder/t/c.bin"
# Twice as many bytes as the program takes: an error in words.
cat "$folder/t/a.bin" "$folder/t/a.bin" > "$folder/longer" && mv "$folder/longer" "$folder/t/a.bin"
if "$2" "$folder/p.tern" "$folder/t" 2> "$folder/error.txt"; then exit 1; fi
grep -q 'a.bin: has another size' "$folder/error.txt"
