// SPDX-License-Identifier: Apache-2.0
// The array: Rows x Cols cells that keep their weights. A word of SBUF has one BF16 element for each
// row; row r takes its element 2 * r cycles later. Weights come through the same path as the moving
// elements, in order with them: a group of rows is loaded while the one before is still at work.
module fpga_array #(
  parameter int unsigned Rows = 2,
  parameter int unsigned Cols = 1
) (
  input  logic               clk_i,
  input  logic    [Cols-1:0] load_i,  // word_i holds the weights of this column
  input  logic [Rows*16-1:0] word_i,
  input  logic [Cols*32-1:0] c_i,     // Addend of the first row, for the moving elements of word_i
  input  logic               add_i,   // The first cell adds b_i to its c_i instead
  input  logic        [31:0] b_i,
  output logic        [31:0] first_o,  // Of the first cell, 2 cycles later
  output logic [Cols*32-1:0] sum_o     // 2 * Rows cycles later
);
  // Addends of row r in slice r, the sums of the last row above them.
  logic [(Rows+1)*Cols*32-1:0] acc;
  assign acc[Cols*32-1:0] = c_i;
  assign sum_o            = acc[Rows*Cols*32+:Cols*32];
  assign first_o          = acc[Cols*32+:32];

  for (genvar r = 0; r < Rows; r++) begin : g_row
    logic     [15:0] word;
    logic [Cols-1:0] load;
    if (r == 0) begin : g_now
      assign word = word_i[15:0];
      assign load = load_i;
    end else begin : g_later
      logic   [2*r*16-1:0] word_q;
      logic [2*r*Cols-1:0] load_q;
      always_ff @(posedge clk_i) begin
        word_q <= {word_q[(2*r-1)*16-1:0], word_i[r*16+:16]};
        load_q <= {load_q[(2*r-1)*Cols-1:0], load_i};
      end
      assign word = word_q[2*r*16-1-:16];
      assign load = load_q[2*r*Cols-1-:Cols];
    end

    logic [31:0] weight, moving;
    assign weight = tensor_operand_pkg::recode({16'd0, word}, tensor_pkg::FormBf16);
    assign moving = tensor_operand_pkg::moving({16'd0, word}, tensor_pkg::FormBf16);
    for (genvar c = 0; c < Cols; c++) begin : g_col
      fpga_pe #(.Adds(r == 0 && c == 0)) u_pe (
        .clk_i  (clk_i),
        .load_i (load[c]),
        .w_i    (weight),
        .a_i    (moving),
        .c_i    (acc[(r*Cols+c)*32+:32]),
        .add_i  (r == 0 && c == 0 && add_i),
        .b_i    (b_i),
        .acc_o  (acc[((r+1)*Cols+c)*32+:32])
      );
    end
  end
endmodule
