// SPDX-License-Identifier: Apache-2.0
// One row of exact sums of eight products, one lane per column: the moving elements are the same
// for all lanes, the weights differ. Every product is an integer multiple of 2^-32 below 2^33.
//
// A product is a 4-bit by 4-bit multiplication, shifted by at most 15 bits into one of four
// words; word k counts units of 2^(16k - 32). Each word is summed separately, without carries
// from one to the next: 32 products fit a signed word. Without E5M2, operands are integers of 18
// bits, and two words are enough until the sum is complete.
//
// SplitPaths as in fma_row: 1, a path of its own without E5M2, for simulation; 0, one path for all
// formats, for synthesis. Words may differ between the two, their sum does not.
`include "tern_row.svh"
`include "tern_trace.svh"

module mx_dot_row #(
  parameter int unsigned Lanes      = 128,
  parameter int unsigned Slot       = 0,  // Index among the packed moving elements
  parameter bit          SplitPaths = `TERN_SPLIT_PATHS
) (
  input  logic                                  clk_i,
  input  logic                                  en_i,       // Sums follow in the next cycle
  input  logic                                  clear_i,    // The sums become zero
  input  logic [1:0]                            form_i,
  input  logic [mx_pkg::BlockRows*32-1:0]       elem_i,     // Packed, row r at r*32
  input  logic                                  wide_i,     // E5M2 among the weights
  input  logic                                  special_i,  // An infinity or NaN among the weights
  `TERN_LANES
  input  logic [mx_pkg::BlockRows*Lanes*32-1:0] weight_i,   // Row r, lane i at r*Lanes + i
  output logic [4*Lanes*32-1:0]                 sum_o,      // Word k, lane i at k*Lanes + i
  output logic [Lanes*32-1:0]                   flags_o,    // Counts only if special_o
  `TERN_LANES_END
  output logic                                  special_o
);
  localparam int unsigned Rows = mx_pkg::BlockRows;
  typedef logic [Lanes*32-1:0] row_t;
  localparam logic [1:0] SlotIndex = Slot[1:0];
  typedef logic [Rows*Lanes*32-1:0] rows_t;
  typedef logic [4*Lanes*32-1:0] sums_t;
  typedef logic [Rows*32-1:0] elems_t;

  task automatic elem_decode(`TERN_ROW_IN elems_t x4, input logic [1:0] form,
                             output elems_t y, output logic special);
    // verilator no_inline_task
    logic [31:0] yi, any;
    any = 32'd0;
    for (int unsigned r = 0; r < Rows; r++) begin
      yi  = mx_pkg::decode(x4[r*32+:32], SlotIndex, form);
      any = any | yi;
      y[r*32+:32] = yi;
    end
    special = (any & mx_pkg::ElemSpecial) != 32'd0;
  endtask

  task automatic row_dot(`TERN_ROW_IN elems_t a, `TERN_ROW_IN rows_t w,
                         output sums_t y);
    // verilator no_inline_task
    logic [31:0] ai, wi, product, place, word, sum0, sum1, sum2, sum3;
    for (int unsigned i = 0; i < Lanes; i++) begin
      sum0 = 32'd0;
      sum1 = 32'd0;
      sum2 = 32'd0;
      sum3 = 32'd0;
      for (int unsigned r = 0; r < Rows; r++) begin
        ai      = a[r*32+:32];
        wi      = w[(r*Lanes+i)*32+:32];
        product = ((ai >> 27) - 32'd16) * ((wi >> 27) - 32'd16);
        place   = (ai & 32'h1F) + (wi & 32'h1F);
        product = product << place[3:0];
        word    = place >> 4;
        sum0    = sum0 + ((word == 32'd0) ? product : 32'd0);
        sum1    = sum1 + ((word == 32'd1) ? product : 32'd0);
        sum2    = sum2 + ((word == 32'd2) ? product : 32'd0);
        sum3    = sum3 + ((word == 32'd3) ? product : 32'd0);
      end
      y[i*32+:32] = sum0;
      y[(1*Lanes+i)*32+:32] = sum1;
      y[(2*Lanes+i)*32+:32] = sum2;
      y[(3*Lanes+i)*32+:32] = sum3;
    end
  endtask

  // The same if no operand is E5M2: exponents are 7 to 21. The moving integer is cut in two, units
  // are 2^-18 and 2^-10.
  task automatic row_dot_narrow(`TERN_ROW_IN elems_t a, `TERN_ROW_IN rows_t w,
                                output sums_t y);
    // verilator no_inline_task
    logic [31:0] ai, wi, low, high, sum0, sum1;
    for (int unsigned i = 0; i < Lanes; i++) begin
      sum0 = 32'd0;
      sum1 = 32'd0;
      for (int unsigned r = 0; r < Rows; r++) begin
        ai   = a[r*32+:32];
        ai   = ((ai >> 27) - 32'd16) << ((ai - 32'd7) & 32'hF);
        low  = ai & 32'hFF;
        high = ((ai + 32'h8000_0000) >> 8) - 32'h0080_0000;
        wi   = w[(r*Lanes+i)*32+:32];
        wi   = ((wi >> 27) - 32'd16) << ((wi - 32'd7) & 32'hF);
        sum0 = sum0 + low * wi;
        sum1 = sum1 + high * wi;
      end
      // In words of row_dot. An arithmetic shift is a logical one of a number made positive.
      y[i*32+:32]           = (sum0 & 32'h3) << 14;
      y[(1*Lanes+i)*32+:32] = ((sum0 + 32'h8000_0000) >> 2) - 32'h2000_0000
                            + ((sum1 & 32'h3FF) << 6);
      y[(2*Lanes+i)*32+:32] = ((sum1 + 32'h8000_0000) >> 10) - 32'h0020_0000;
      y[(3*Lanes+i)*32+:32] = 32'd0;
    end
  endtask

  // Infinity * 0 is NaN, any other product with an infinity is infinite.
  task automatic row_flags(`TERN_ROW_IN elems_t a, `TERN_ROW_IN rows_t w,
                           output row_t y);
    // verilator no_inline_task
    logic [31:0] ai, wi, both, flags, nan, inf;
    for (int unsigned i = 0; i < Lanes; i++) begin
      flags = 32'd0;
      for (int unsigned r = 0; r < Rows; r++) begin
        ai    = a[r*32+:32];
        wi    = w[(r*Lanes+i)*32+:32];
        both  = ai | wi;
        inf   = (both >> mx_pkg::ElemInfBit) & 32'd1;
        nan   = ((both >> mx_pkg::ElemNanBit) | (inf & (both >> mx_pkg::ElemZeroBit))) & 32'd1;
        inf   = ((((ai ^ wi) >> mx_pkg::ElemSignBit) & 32'd1) != 32'd0) ? inf << 2 : inf << 1;
        flags = flags | ((nan != 32'd0) ? mx_pkg::FlagNan : inf);
      end
      y[i*32+:32] = flags;
    end
  endtask

  elems_t elem;
  logic   special;
  `TERN_LANES
  sums_t sum, sum_q;
  row_t flags, flags_q;
  `TERN_LANES_END

  // Flags are evaluated only if there is something to flag, which is rare.
  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      sum_q     <= '0;
      special_o <= 1'b0;
    end else if (en_i) begin
      elem_decode(elem_i, form_i, elem, special);
      if (!SplitPaths || wide_i || form_i == tensor_pkg::FormE5m2) row_dot(elem, weight_i, sum);
      else row_dot_narrow(elem, weight_i, sum);
      sum_q     <= sum;
      special_o <= special || special_i;
      if (special || special_i) begin
        row_flags(elem, weight_i, flags);
        flags_q <= flags;
      end
    end
  end

  assign sum_o   = sum_q;
  assign flags_o = flags_q;
endmodule
