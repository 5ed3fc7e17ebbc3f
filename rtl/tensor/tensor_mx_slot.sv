// SPDX-License-Identifier: Apache-2.0
// One slot of a block of the MX array: the weights of eight rows by one of the four packed elements
// in the common form, and their sums of eight products.
`include "tern_row.svh"
`include "tern_trace.svh"

module tensor_mx_slot #(
  parameter int unsigned Cols       = 128,
  parameter int unsigned Slot       = 0,
  parameter bit          SplitPaths = `TERN_SPLIT_PATHS
) (
  input  logic                                 clk_i,
  input  logic                                 swap_i,    // Takes the shadow weights
  input  logic [1:0]                           shadow_form_i,
  input  logic                                 en_i,      // Multiplies
  input  logic                                 clear_i,   // Contributes zeros instead
  input  logic [1:0]                           form_i,
  input  logic [mx_pkg::BlockRows*32-1:0]      elem_i,    // Packed, row r at r*32
  `TERN_LANES
  input  logic [mx_pkg::BlockRows*Cols*32-1:0] shadow_i,  // Packed, row r, lane i at r*Cols + i
  output logic [4*Cols*32-1:0]                 sum_o,     // See mx_dot_row; the cycle after en_i
  output logic [Cols*32-1:0]                   flags_o,   // Valid if special_o
  `TERN_LANES_END
  output logic                                 special_o
);
  localparam int unsigned Rows = mx_pkg::BlockRows;
  localparam logic [1:0] SlotIndex = Slot[1:0];
  typedef logic [Rows*Cols*32-1:0] rows_t;

  `TERN_LANES
  rows_t weight_q, weight_next;
  `TERN_LANES_END
  logic weight_special_q, weight_special, weight_wide_q;

  task automatic row_decode(`TERN_ROW_IN rows_t x4, input logic [1:0] form,
                            output rows_t y, output logic special);
    // verilator no_inline_task
    logic [31:0] yi, any;
    any = 32'd0;
    for (int unsigned i = 0; i < Rows * Cols; i++) begin
      yi  = mx_pkg::decode(x4[i*32+:32], SlotIndex, form);
      any = any | yi;
      y[i*32+:32] = yi;
    end
    special = (any & mx_pkg::ElemSpecial) != 32'd0;
  endtask

  // Special values are rare: one bit for all weights of the slot keeps the flags of products idle.
  always_ff @(posedge clk_i) begin
    if (swap_i) begin
      row_decode(shadow_i, shadow_form_i, weight_next, weight_special);
      weight_q         <= weight_next;
      weight_special_q <= weight_special;
      weight_wide_q    <= shadow_form_i == tensor_pkg::FormE5m2;
    end
  end

  mx_dot_row #(
    .Lanes     (Cols),
    .Slot      (Slot),
    .SplitPaths(SplitPaths)
  ) u_dot (
    .clk_i    (clk_i),
    .en_i     (en_i),
    .clear_i  (clear_i),
    .form_i   (form_i),
    .elem_i   (elem_i),
    .wide_i   (weight_wide_q),
    .special_i(weight_special_q),
    .weight_i (weight_q),
    .sum_o    (sum_o),
    .flags_o  (flags_o),
    .special_o(special_o)
  );
endmodule
