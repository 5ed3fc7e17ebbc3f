# SPDX-License-Identifier: Apache-2.0
# Hart 0 waits a while, then wakes the last hart, which wakes hart 0. RESULTS: time of the first sending, of its arrival, of
# the answer's arrival.
.include "board.inc"
.globl _start
_start:
  li s0, RESULTS
  li s1, MSIP
  lw s2, 0x100(s0)      # the last hart
  li t0, 8
  csrw mie, t0
  csrr t0, mhartid
  beqz t0, first
  beq t0, s2, last
  rest
first:
  li t0, 3333
1:
  addi t0, t0, -1
  bnez t0, 1b
  slli t1, s2, 2
  add t1, t1, s1
  li t2, 1
  csrr t0, time
  sd t0, 0(s0)
  sw t2, 0(t1)
2:
  wfi
  csrr t0, time
  csrr t1, mip
  andi t1, t1, 8
  beqz t1, 2b
  sd t0, 16(s0)
  pass
last:
  wfi
  csrr t0, time
  csrr t1, mip
  andi t1, t1, 8
  beqz t1, last
  sd t0, 8(s0)
  li t2, 1
  sw t2, 0(s1)
  rest
