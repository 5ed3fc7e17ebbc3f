# SPDX-License-Identifier: Apache-2.0
# RV32: prints, takes a load access fault of a hole, leaves mcause and mtval at RESULTS.
.include "board.inc"
.globl _start
_start:
  li s0, UART
  la s1, text
1:
  lbu t0, 0(s1)
  beqz t0, 2f
  sb t0, 0(s0)
  addi s1, s1, 1
  j 1b
2:
  li s0, RESULTS
  la t0, handler
  csrw mtvec, t0
  li t1, 0x40000004
  lw t1, 0(t1)
.align 2
handler:
  csrr t0, mcause
  csrr t1, mtval
  sw t0, 0(s0)
  sw t1, 4(s0)
  csrr t0, misa
  sw t0, 8(s0)
  pass
text:
  .string "hello, 32 bits\n"
