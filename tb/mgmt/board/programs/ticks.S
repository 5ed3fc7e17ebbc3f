# SPDX-License-Identifier: Apache-2.0
# A timer interrupt every 97 ticks prints a letter; the loop in between counts. Ends after 200 of them.
.include "board.inc"
.globl _start
_start:
  csrr t0, mhartid
  slli t1, t0, 3
  li s1, MTIMECMP
  add s1, s1, t1
  li s0, UART
  li s3, 'a'
  add s3, s3, t0
  li s4, 97
  li s5, 200
  la t0, handler
  csrw mtvec, t0
  sd s4, 0(s1)
  li t0, 0x80
  csrw mie, t0
  csrsi mstatus, 8
  li s6, RESULTS
loop:
  addi s2, s2, 1
  mul s7, s2, s2
  sd s7, 0(s6)
  j loop
.align 2
handler:
  sb s3, 0(s0)
  addi s4, s4, 97
  sd s4, 0(s1)
  addi s5, s5, -1
  beqz s5, end
  mret
end:
  pass
