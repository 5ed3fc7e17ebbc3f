#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Usage: check_failing_text.sh BUILD_FOLDER
#
# A mismatch in an RTL bench names seed, cycle, lane or port, expected and got in hex, the input vector, and the commands
# that repeat the test, without and with a waveform; and nothing but that. Each program here has a mismatch on purpose.
set -euo pipefail
build=$1
programs=(
  axi/test_axi_rtl cdc/test_cdc_rtl datalink/test_datalink_rtl dma/back/test_dma_back dma/back/test_dma_rows dma/rtl/test_dma_rtl exp/test_exp_lockstep exp/test_exp_rtl mx/test_mx_rtl
  qos/test_qos_rtl tensor/array/test_tensor_array tensor/ctrl/test_tensor_ctrl tensor/mx/test_tensor_mx
  tensor/psum/test_tensor_psum tensor/top/test_tensor_rtl
)

# has PATTERN...: some line of the text matches one of them
has() {
  local patterns=()
  for pattern in "$@"; do patterns+=(-e "$pattern"); done
  grep -Eq "${patterns[@]}" <<<"$text" || {
    echo "$program: no line matches '$*'"
    return 1
  }
}
code=0
text=$(TERN_SEED=x "$build/tb/qos/test_qos_rtl" 2>&1) || code=$?
[[ $code == 2 && $text == *"TERN_SEED='x': expected a whole number"* ]] || {
  echo "a seed that is none: $text"
  exit 1
}
for program in "${programs[@]}"; do
  code=0
  text=$(TERN_SEED=7 "$build/tb/$program" 'a mismatch on purpose*' 2>&1) || code=$?
  printf '%s\n\n' "$text"
  [[ $code == 1 || $code == 42 ]]  # Catch2 3 ends with 42
  name="${program##*/}:a mismatch on purpose(, in cycle 20)?: .+"
  word='[-a-z ]*0x[0-9A-F]+( 0x[0-9A-F]+)*'
  has "^FAILED $name\$"
  has '^tb/[a-z/_]+\.(cpp|h):[0-9]+(: in cycle [0-9]+)?$'
  # The second form is that of a lockstep, which users of the tern program see, too.
  has "^  cycle [0-9]+, .*(lane|port) .*: expected $word, got $word\$" \
    "^  .* lockstep: .*: partition [0-9]+ .* is $word in the model, $word in the RTL\$"
  has '^ +inputs?: .*[0-9A-F]'
  has '^  seed:  7$'
  has "^  rerun: TERN_SEED=7 scripts/test -R '\^$name\\\$'\$"
  has "^  wave:  TERN_SEED=7 scripts/wave '$name'\$"
  has '^0 passed, 1 failed \([0-9]+ checks?\)$'
  if grep -E '~~~|===|\.\.\.\.|host application|[0-9]+ == [0-9]+$' <<<"$text" || (($(wc -l <<<"$text") > 20)); then
    echo "$program: noise"
    exit 1
  fi
done
