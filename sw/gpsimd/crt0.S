# SPDX-License-Identifier: Apache-2.0
# Where a program of a GpSimd processor begins. The loader has set up memory, and the arguments in
# a0..a7, which stay there for tern_start().
#define FS_INITIAL 0x2000

  .section .text.start, "ax"
  .globl _start
  .type _start, @function
_start:
  li t0, FS_INITIAL             # switches the floating-point unit on
  csrs mstatus, t0
  .option push
  .option norelax
  la gp, __global_pointer$
  .option pop
  la tp, __tls_base             # errno of the C library
  la sp, __stack
  j tern_start
  .size _start, . - _start
