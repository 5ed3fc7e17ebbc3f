#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Usage: check_failing_wave.sh BUILD_FOLDER
#
# scripts/wave keeps the waveform of a test that fails, also where an older file is: up to the failure and 16 cycles
# more. It prints the cycle, and the GTKWave session has its marker there: for a mismatch that is found later, too.
set -euo pipefail
wave=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/scripts/wave
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# failing_test NAME CYCLES: fails in cycle 20, its waveform has so many cycles
failing_test() {
  echo old >"$folder/w.fst"
  code=0
  text=$(TERN_BUILD_DIR=$build "$wave" "$1" -o "$folder/w.fst" 2>&1) || code=$?
  echo "$text"
  [[ $code == 1 ]]
  grep -Fxq "waveform: the first failed check is in cycle 20" <<<"$text"
  if grep -F '.partial' <<<"$text"; then return 1; fi  # a name that the file has lost when somebody reads it
  grep -Fq "view:     gtkwave '$folder/w.gtkw'" <<<"$text"
  grep -Eq '^\*-[0-9.]+ 20000$' "$folder/w.gtkw"
  [[ $(find "$folder" -name '*.partial*') == '' ]]
  [[ $(fst2vcd "$folder/w.fst" | sed -n '/^#/h;${x;p}') == "#$2"500 ]]
}
build=$1
failing_test 'a failure on purpose, in cycle 20' 36
failing_test 'a failed check on purpose, in cycle 20 of 30' 29
failing_test 'a mismatch on purpose, in cycle 20: exp' 23
failing_test 'a failed assertion of the RTL on purpose, in cycle 20' 37
grep -Fq 'KnownSource failed' <<<"$text"

# A pipe or device is not a place for a waveform, and stays (root could delete it).
mkfifo "$folder/pipe.fst" "$folder/session.gtkw"
for out in pipe session; do
  code=0
  text=$(TERN_BUILD_DIR=$build "$wave" 'a failure on purpose, in cycle 20' -o "$folder/$out.fst" 2>&1) || code=$?
  echo "$text"
  [[ $code == 1 && $text == *'is not a regular file' && -p $folder/pipe.fst && -p $folder/session.gtkw && ! -e $folder/session.fst ]]
done
