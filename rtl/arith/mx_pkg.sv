// SPDX-License-Identifier: Apache-2.0
// Eight-bit operands of the MX array and their common internal form.
package mx_pkg;

  // Rows of a block; a block is eight rows by four slots.
  localparam int unsigned BlockRows = 8;

  // Common form of an element: value = significand * 2^(exponent - 16), exact for every format. One
  // 32-bit word, so that a lane of the simulation is a lane of the host's vector unit; the constant
  // bits cost nothing in synthesis.
  //   31:27 significand + 16; the significand is -15 .. 15, and 0 if the element is not finite
  //   11    zero
  //   10    sign
  //   9     infinity
  //   8     NaN
  //   4:0   exponent, 0 .. 29
  localparam int unsigned ElemZeroBit = 11;
  localparam int unsigned ElemSignBit = 10;
  localparam int unsigned ElemInfBit  = 9;
  localparam int unsigned ElemNanBit  = 8;
  localparam logic [31:0] ElemSpecial = 32'h0000_0300;  // Infinity or NaN

  // Products that are not finite, by lane.
  localparam logic [31:0] FlagNan = 32'd1;
  localparam logic [31:0] FlagPos = 32'd2;  // +infinity
  localparam logic [31:0] FlagNeg = 32'd4;  // -infinity

  // A scale byte is exponent + 127.
  localparam logic [7:0] ScaleOne = 8'd127;
  localparam logic [7:0] ScaleNan = 8'hFF;

  // Element `slot` of a packed word in the common form. E2M1 has four-bit elements, the others
  // eight-bit ones.
  function automatic logic [31:0] decode(input logic [31:0] x4, input logic [1:0] slot,
                                         input logic [1:0] form);
    logic [31:0] x, narrow, field, frac, sig, exp, sign, special, nan, inf;
    logic        is_e5m2, is_e2m1, is_e4m3fn;
    is_e5m2   = form == tensor_pkg::FormE5m2;
    is_e2m1   = form == tensor_pkg::FormE2m1;
    is_e4m3fn = form == tensor_pkg::FormE4m3Fn;
    // E2M1 becomes E4M3: exponent field + 6; 0.5, its only subnormal, is 2^-1 there.
    x      = x4 >> (is_e2m1 ? {1'b0, slot, 2'b00} : {slot, 3'b000});
    narrow = ((x & 32'h6) != 32'd0) ? ((x & 32'h6) << 2) + ((x & 32'h1) << 2) + 32'h30
                                    : ((x & 32'h1) * 32'h30);
    x       = is_e2m1 ? (((x & 32'h8) << 4) | narrow) : (x & 32'hFF);
    sign    = x >> 7;
    field   = is_e5m2 ? ((x >> 2) & 32'h1F) : ((x >> 3) & 32'hF);
    frac    = is_e5m2 ? (x & 32'h3) : (x & 32'h7);
    // A subnormal has the exponent of the smallest normal number.
    sig     = frac | ((field != 32'd0) ? (is_e5m2 ? 32'h4 : 32'h8) : 32'd0);
    exp     = field + ((field == 32'd0) ? 32'd1 : 32'd0) + (is_e5m2 ? 32'hFFFF_FFFF : 32'd6);
    special = is_e4m3fn ? (((x & 32'h7F) == 32'h7F) ? 32'd1 : 32'd0)
            : is_e5m2   ? ((field == 32'h1F) ? 32'd1 : 32'd0)
            : is_e2m1   ? 32'd0
                        : ((field == 32'hF) ? 32'd1 : 32'd0);
    nan     = (frac != 32'd0) ? special : 32'd0;
    inf     = (frac == 32'd0) ? special : 32'd0;
    sig     = (special != 32'd0) ? 32'd0 : sig;
    decode  = (((sign != 32'd0) ? 32'd16 - sig : 32'd16 + sig) << 27)
            | (((sig | special) == 32'd0) ? 32'd1 << ElemZeroBit : 32'd0)
            | (sign << ElemSignBit) | (inf << ElemInfBit) | (nan << ElemNanBit)
            | (exp & 32'h1F);
  endfunction

endpackage
