# SPDX-License-Identifier: Apache-2.0
# All harts wait for what never comes.
.include "board.inc"
.globl _start
_start:
  rest
