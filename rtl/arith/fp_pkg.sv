// SPDX-License-Identifier: Apache-2.0
// Operand formats of the tensor engine and their common internal form.
package fp_pkg;

  localparam logic [31:0] Fp32Inf = 32'h7F80_0000;
  localparam logic [31:0] Fp32Nan = 32'h7FC0_0000;  // every NaN that leaves the engine

  // Common form of a BF16 or FP16 operand, exact for both. One 32-bit word, so that a lane of the
  // simulation is a lane of the host's vector unit; the constant bits cost nothing in synthesis.
  //   31    sign
  //   30    NaN
  //   29    infinity
  //   28    zero
  //   20:11 exponent + 256; zero 0, infinity and NaN 528
  //   10:0  significand, 1.10 fixed point with the leading one at bit 10; zero 0
  // A zero's exponent is so low that its product never sets the frame of the addition (-256 + 127 +
  // 127 < 1), an infinity's so high that its product overflows whatever the other factor (272 - 133
  // + 127 > 255).
  localparam int unsigned RecNanBit  = 30;
  localparam int unsigned RecInfBit  = 29;
  localparam int unsigned RecZeroBit = 28;
  localparam logic [31:0] RecExpBias = 32'd256;
  localparam logic [31:0] RecExpInf  = 32'd528;

  // Recodes one operand; subnormals are normalised by compare-and-shift.
  function automatic logic [31:0] recode(input logic [15:0] x, input logic is_fp16);
    logic        sign, zero, special, nan;
    logic [4:0]  field16;
    logic [7:0]  field;
    logic [9:0]  frac;
    logic [10:0] sig;
    logic [31:0] exp;
    sign    = x[15];
    field16 = x[14:10];
    field   = is_fp16 ? {3'b000, field16} : x[14:7];
    frac    = is_fp16 ? x[9:0] : {x[6:0], 3'b000};
    special = is_fp16 ? (field16 == 5'h1F) : (field == 8'hFF);
    nan     = special && (frac != 10'd0);
    zero    = (field == 8'd0) && (frac == 10'd0);
    // Exponent of the field (a subnormal has the smallest normal one), biased.
    exp = {24'd0, field} + (is_fp16 ? RecExpBias - 32'd15 : RecExpBias - 32'd127)
        + {31'd0, field == 8'd0};
    sig = {field != 8'd0, frac};
    if (sig[10:3] == 8'd0) begin
      sig = sig << 8;
      exp = exp - 32'd8;
    end
    if (sig[10:7] == 4'd0) begin
      sig = sig << 4;
      exp = exp - 32'd4;
    end
    if (sig[10:9] == 2'd0) begin
      sig = sig << 2;
      exp = exp - 32'd2;
    end
    if (!sig[10]) begin
      sig = sig << 1;
      exp = exp - 32'd1;
    end
    exp = special ? RecExpInf : zero ? 32'd0 : exp;
    sig = special ? 11'h400 : sig;
    recode = {sign, nan, special && !nan, zero, 7'd0, exp[9:0], sig};
  endfunction

endpackage
