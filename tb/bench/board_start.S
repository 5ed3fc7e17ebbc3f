# SPDX-License-Identifier: Apache-2.0
# board_compute(0), (1), ... on the board, without end. At 0x80100000: how many, and the sum of their results.
.globl _start
.section .text.start
_start:
  li sp, 0x80200000
  li s0, 0x80100000
  li s1, 0
  li s2, 0
1:
  mv a0, s1
  call board_compute
  addw s2, s2, a0
  addi s1, s1, 1
  sw s2, 4(s0)
  sw s1, 0(s0)
  j 1b
