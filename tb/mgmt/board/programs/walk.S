# SPDX-License-Identifier: Apache-2.0
# Harts that meet in many ways, without end: a counter, messages, timers, sleep, stores to many pages. Hart 0 returns what comes
# in on the serial line. RESULTS: the counter; a word each of ticks; the sum of what came in at 0x80.
.include "board.inc"
.globl _start
_start:
  csrr s0, mhartid
  li s1, MTIMECMP
  slli t0, s0, 3
  add s1, s1, t0
  li s2, MSIP
  li s3, RESULTS
  add s4, s3, t0        # its own word is 8 bytes after this one
  la t0, handler
  csrw mtvec, t0
  addi s5, s0, 1
  slli s5, s5, 4
  addi s5, s5, 37       # ticks between two timer interrupts
  li t0, MTIME
  ld t1, 0(t0)
  add t1, t1, s5
  sd t1, 0(s1)
  li t0, 0x88
  csrw mie, t0
  csrsi mstatus, 8
  li s6, UART
  li t0, 1
  sb t0, 2(s6)          # with FIFO
  li s8, 0x80020000
  addi s9, s0, 99       # random
loop:
  addi s7, s7, 1
  li t0, 1
  amoadd.d t1, t0, (s3)
  li t0, 1103515245
  mul s9, s9, t0
  addi s9, s9, 1234
  srli t0, s9, 12
  li t1, 0x1fff8
  and t0, t0, t1
  add t0, t0, s8
  sd s9, 0(t0)
  bnez s0, 1f
  lbu t0, 5(s6)
  andi t0, t0, 1
  beqz t0, 1f
  lbu t0, 0(s6)
  sb t0, 0(s6)
  ld t1, 0x80(s3)
  add t1, t1, t0
  sd t1, 0x80(s3)
1:
  andi t0, s7, 127
  bnez t0, 2f
  wfi
2:
  li t1, 300
  remu t0, s7, t1
  bnez t0, loop
  xori t0, s0, 1        # the neighbour, if there is one
  slli t0, t0, 2
  add t0, t0, s2
  li t1, 1
  sw t1, 0(t0)
  j loop
.align 2
handler:
  csrw mscratch, t0
  csrr t0, mcause
  andi t0, t0, 15
  addi t0, t0, -3
  beqz t0, message
  ld t0, 0(s1)
  add t0, t0, s5
  sd t0, 0(s1)
  ld t0, 8(s4)
  addi t0, t0, 1
  sd t0, 8(s4)
  csrr t0, mscratch
  mret
message:
  slli t0, s0, 2
  add t0, t0, s2
  sw zero, 0(t0)
  csrr t0, mscratch
  mret
