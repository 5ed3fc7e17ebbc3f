# SPDX-License-Identifier: Apache-2.0
# RESULTS: time and mip after a wfi that tick 5,000 ends; then time and mepc of a timer interrupt at tick 7,000 in a loop.
.include "board.inc"
.globl _start
_start:
  csrr t0, mhartid
  beqz t0, first
  rest
first:
  li s0, RESULTS
  li s1, MTIMECMP
  li t0, 5000
  sd t0, 0(s1)
  li t0, 0x80
  csrw mie, t0
  wfi
  csrr t0, time
  csrr t1, mip
  sd t0, 0(s0)
  sd t1, 8(s0)
  la t0, handler
  csrw mtvec, t0
  li t0, 7000
  sd t0, 0(s1)
  csrsi mstatus, 8
loop:
  addi s2, s2, 1
  j loop
.align 2
handler:
  csrr t0, time
  csrr t1, mcause
  sd t0, 16(s0)
  sd t1, 24(s0)
  csrr t0, mcycle
  sd t0, 32(s0)
  pass
