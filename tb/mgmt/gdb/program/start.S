# SPDX-License-Identifier: Apache-2.0
# Hart 0 runs main(), the others sleep.
  .section .init
  .globl _start
_start:
  la sp, stack_end
  csrr t0, mhartid
  bnez t0, park
  call main
park:
  wfi
  j park
