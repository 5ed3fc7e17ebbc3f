# SPDX-License-Identifier: Apache-2.0
# Entry of the firmware, from the boot ROM, on hart 0.
  .section .text.start, "ax"
  .globl _start
_start:
  csrw mie, zero
  csrci mstatus, 8
  .option push
  .option norelax
  la gp, __global_pointer$
  .option pop
  la sp, __stack
  la tp, __tls_base             # of the C library
  la t0, __bss_start
  la t1, __bss_end
clear:
  bgeu t0, t1, cleared
  sd zero, 0(t0)
  addi t0, t0, 8
  j clear
cleared:
  call runtime_main
stop:
  wfi
  j stop
