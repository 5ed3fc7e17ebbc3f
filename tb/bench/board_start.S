# SPDX-License-Identifier: Apache-2.0
# board_compute(0), (1), ... on the board, without end. At 0x80100000: how many, and the sum of their results.
# With TERN_SV39 in S mode, 2 MiB from 0x80000000 in pages of 4 KiB.
.equ ROOT, 0x80180000
.equ PTE_TABLE, 0x01
.equ PTE_PAGE, 0xcf      # valid, read, write, execute, accessed, dirty
.globl _start
.section .text.start
_start:
  li sp, 0x80180000
#ifdef TERN_SV39
  li t0, ROOT
  li t1, ((ROOT + 0x1000) >> 12) << 10 | PTE_TABLE
  sd t1, 2 * 8(t0)       # gigabyte 2
  li t0, ROOT + 0x1000
  li t1, ((ROOT + 0x2000) >> 12) << 10 | PTE_TABLE
  sd t1, 0(t0)
  li t0, ROOT + 0x2000
  li t1, (0x80000000 >> 12) << 10 | PTE_PAGE
  li t2, 512
1:
  sd t1, 0(t0)
  addi t0, t0, 8
  addi t1, t1, 1 << 10
  addi t2, t2, -1
  bnez t2, 1b
  li t0, -1
  csrw pmpaddr0, t0
  li t0, 0x1f            # all of memory for S mode
  csrw pmpcfg0, t0
  li t0, 8 << 60 | ROOT >> 12
  csrw satp, t0
  sfence.vma
  li t0, 1 << 11         # mret goes to S mode
  csrs mstatus, t0
  la t0, 2f
  csrw mepc, t0
  mret
2:
#endif
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
