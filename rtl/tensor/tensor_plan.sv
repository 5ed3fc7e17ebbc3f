// SPDX-License-Identifier: Apache-2.0
// Derives from a command what the issue rules and the sequencers need. Combinational.
module tensor_plan #(
  parameter int unsigned Rows        = 128,
  parameter int unsigned Cols        = 128,
  parameter int unsigned BankColumns = 512,
  parameter int unsigned Stages      = 1     // Cycles from a row or block to the next
) (
  input  logic                    valid_i,
  input  tensor_pkg::cmd_t        cmd_i,
  output logic             [31:0] columns_o,  // N, exact
  output logic             [31:0] elements_o, // Of the pattern, likewise
  output tensor_ctrl_pkg::plan_t  plan_o
);
  localparam int unsigned RowGroup = Rows / 4;
  localparam int unsigned ColGroup = Cols / 4;

  // Groups first .. last of four.
  function automatic logic [3:0] span(input logic [1:0] first, input logic [1:0] last);
    span = 4'((4'hf << first) & (4'hf >> (2'd3 - last)));
  endfunction

  // Last group of a tile of that size (0: whole, 1: a half, 2: a quarter).
  function automatic logic [1:0] last_group(input logic [1:0] first, input logic [1:0] tile);
    last_group = (tile == 2'd0) ? 2'd3 : (tile == 2'd1) ? (first | 2'd1) : first;
  endfunction

  logic        transpose, move, mx, single;
  logic  [1:0] row_first, row_last, col_first, col_last;
  logic  [3:0] row_groups, col_groups;
  logic [31:0] columns, elements, groups;

  always_comb begin
    transpose  = cmd_i.op == tensor_pkg::OpTranspose;
    move       = cmd_i.op == tensor_pkg::OpMultiplyMoving;
    mx         = !transpose && cmd_i.mode >= tensor_pkg::ModeDoubleRow;
    single     = 1'b0;
    columns    = '0;
    elements   = '0;
    groups     = '0;
    row_first  = '0;
    row_last   = '0;
    col_first  = '0;
    col_last   = '0;
    row_groups = '0;
    col_groups = '0;
    plan_o     = '0;
    if (valid_i) begin
      // Four columns a cycle need a run of elements that begins on eight bytes.
      single     = !move && !((cmd_i.num0 == 16'd1 || cmd_i.step0 == 16'd1) &&
                              (cmd_i.num1 == 16'd1 || cmd_i.step1 == cmd_i.num0) &&
                              cmd_i.address[2:0] == 3'd0);
      elements   = 32'(cmd_i.num0) * 32'(cmd_i.num1);
      columns    = transpose ? 32'(cmd_i.rows) : elements;
      groups     = single ? 32'(cmd_i.cols) : (32'(cmd_i.cols) + 32'd3) >> 2;
      row_first  = (cmd_i.tile_rows == 2'd0) ? 2'd0 : 2'(32'(cmd_i.row_start) / RowGroup);
      col_first  = (cmd_i.tile_cols == 2'd0) ? 2'd0 : 2'(32'(cmd_i.col_start) / ColGroup);
      row_last   = last_group(row_first, cmd_i.tile_rows);
      col_last   = last_group(col_first, cmd_i.tile_cols);
      row_groups = span(row_first, row_last);
      col_groups = span(col_first, col_last);

      plan_o.is_move         = move;
      plan_o.is_transpose    = transpose;
      plan_o.mx              = mx;
      plan_o.sparse          = cmd_i.mode == tensor_pkg::ModeSparse;
      plan_o.double_row      = cmd_i.mode == tensor_pkg::ModeDoubleRow;
      plan_o.quad            = move && cmd_i.mode == tensor_pkg::ModeQuad;
      plan_o.size            = tensor_ctrl_pkg::element_size(cmd_i.dtype);
      plan_o.half            = transpose ? (plan_o.size != 2'd2) : cmd_i.bf16_result;
      plan_o.columns         = columns[15:0];
      plan_o.single          = single;
      plan_o.groups          = groups[7:0];
      plan_o.latency         = transpose ? 10'(groups + Rows * Stages + 32'd3) :
                               mx ? 10'((32'(row_last) + 32'd1) * (RowGroup / 8 * Stages) + 32'd3) :
                                    10'((32'(row_last) + 32'd1) * (RowGroup * Stages) + 32'd2);
      plan_o.last_bank       = 7'(32'(cmd_i.psum_bank) +
                                  (32'(cmd_i.psum_column) + columns - 32'd1) /
                                  (plan_o.half ? 2 * BankColumns : BankColumns));
      plan_o.first_row_group = row_first;
      plan_o.last_row_group  = row_last;
      plan_o.first_col_group = col_first;
      plan_o.col_groups      = col_groups;
      for (int unsigned g = 0; g < 4; g++) begin
        plan_o.cells[4*g+:4] = row_groups[g] ? col_groups : 4'd0;
      end
    end
  end

  assign columns_o  = columns;
  assign elements_o = elements;
endmodule
