# SPDX-License-Identifier: Apache-2.0
# Loops until another master has replaced the instruction at `patched` by a nop (it jumps back to the start). RV32 and RV64.
.include "board.inc"
.globl _start
_start:
  addi s2, s2, 1
patched:
  j _start
  pass
