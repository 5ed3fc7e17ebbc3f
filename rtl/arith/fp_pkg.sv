// SPDX-License-Identifier: Apache-2.0
// Words in which operands travel to the fused multiply-adds, and constants of binary32.
package fp_pkg;

  localparam logic [31:0] Fp32Inf = 32'h7F80_0000;
  localparam logic [31:0] Fp32Nan = 32'h7FC0_0000;  // Every NaN that leaves the engine

  // Common form of an operand with at most 12 significant bits (BF16, FP16, TF32, one half of an
  // FP32 word), exact for all of them. One 32-bit word, so that a lane of the simulation is a lane
  // of the host's vector unit; the constant bits cost nothing in synthesis.
  //   31    sign
  //   30    NaN
  //   29    infinity
  //   28    zero
  //   27    one
  //   26:23 free (a sparse weight keeps the position of its partner here)
  //   22    free (a sparse weight that contributes nothing)
  //   21:12 exponent + 256; zero 0, infinity and NaN 640
  //   11:0  significand, 1.11 fixed point with the leading one at bit 11; zero 0
  // A zero's exponent is so low that its product never sets the frame of the addition: -256 + 127 +
  // 127 < 1. An infinity's is so high that its product overflows whatever the other factor: 384 -
  // 149 + 127 > 255.
  localparam int unsigned RecNanBit  = 30;
  localparam int unsigned RecInfBit  = 29;
  localparam int unsigned RecZeroBit = 28;
  localparam int unsigned RecSkipBit = 22;
  localparam logic [31:0] RecExpBias = 32'd256;
  localparam logic [31:0] RecExpInf  = 32'd640;

  // The moving factor of a product carries the flags of the weight that make the product NaN, in
  // the bit positions of those flags. A NaN is always one of them. Infinity is one if the factor is
  // zero, zero if it is infinite, any if it is NaN.
  localparam logic [31:0] RecFlags = 32'h7800_0000;

endpackage
