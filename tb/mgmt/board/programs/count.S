# SPDX-License-Identifier: Apache-2.0
# Every hart adds 1 to RESULTS 5,000 times with lr and sc, and to RESULTS + 8 with amoadd. Those whose sc failed count that in
# RESULTS + 16. The last one to finish ends the program.
.include "board.inc"
.globl _start
_start:
  li s0, RESULTS
  li s1, 5000
  addi s2, s0, 8
  addi s3, s0, 16
  addi s4, s0, 24
  lw s5, 0x100(s0)      # number of the last hart
again:
  lr.d t0, (s0)
  addi t0, t0, 1
  sc.d t1, t0, (s0)
  beqz t1, stored
  li t2, 1
  amoadd.d x0, t2, (s3)
  j again
stored:
  li t2, 1
  amoadd.d x0, t2, (s2)
  addi s1, s1, -1
  bnez s1, again
  li t2, 1
  amoadd.d t0, t2, (s4)
  beq t0, s5, end
  rest
end:
  pass
