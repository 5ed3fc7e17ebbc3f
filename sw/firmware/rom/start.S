# SPDX-License-Identifier: Apache-2.0
# Where hart 0 begins after reset; other harts sleep.
#define STACK 0x80020000        // the end of the ROM's part of memory (TERN_MGMT_ROM_SCRATCH)

  .section .text.start, "ax"
  .globl _start
_start:
  csrr t0, mhartid
  bnez t0, sleep
  la t0, rom_fault
  csrw mtvec, t0
  li sp, STACK
  call rom_main
sleep:
  wfi
  j sleep

# The verified image: a0 is its entry. Nothing of the ROM is needed any more.
  .globl rom_enter
rom_enter:
  la t0, image_fault
  csrw mtvec, t0
  fence.i
  jr a0

# An exception of the image before it has a handler: the start counts as one without an end.
  .balign 4
image_fault:
  li sp, STACK
  call finisher_reset

# An exception in the ROM: its code cannot be told from an attack.
  .balign 4
rom_fault:
  li sp, STACK
  call rom_shutdown
  j sleep
