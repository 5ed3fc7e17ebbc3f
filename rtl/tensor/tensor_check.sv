// SPDX-License-Identifier: Apache-2.0
// Checks a command as it is accepted: everything that does not depend on the loaded weights.
// Combinational.
module tensor_check #(
  parameter int unsigned Rows        = 128,
  parameter int unsigned Cols        = 128,
  parameter int unsigned PsumBanks   = 8,
  parameter int unsigned BankColumns = 512,
  parameter int unsigned MaxMoving   = 512
) (
  input  logic [tensor_pkg::AddrW:0] sbuf_bytes_i,
  input  tensor_pkg::cmd_t           cmd_i,
  output tensor_pkg::checked_t       checked_o
);
  // A tile starts at a quarter of the array.
  localparam int unsigned StartStep = (Rows >= 4) ? Rows / 4 : 1;

  // Addresses are computed exactly: 32-bit products, doubled, summed and added to a 32-bit base fit
  // in 40 bits.
  function automatic logic outside(input logic signed [39:0] address,
                                   input logic signed [39:0] partition_end);
    outside = (address < 0) || (address > partition_end - 40'sd2);
  endfunction

  logic               is_move;
  logic        [31:0] moving;
  logic signed [39:0] partition_end, base, span0, span1, load_end;
  logic               bad_op, bad_tile, bad_moving, bad_psum, bad_align, bad_address;
  tensor_pkg::code_e  code;

  assign is_move = cmd_i.op == tensor_pkg::OpMultiplyMoving;
  assign moving  = {16'd0, cmd_i.num0} * {16'd0, cmd_i.num1};

  assign partition_end = $signed(40'(sbuf_bytes_i));
  assign base     = $signed({8'd0, cmd_i.address});
  assign span0    = $signed({24'd0, cmd_i.num0} - 40'd1) * 40'(cmd_i.step0) * 40'sd2;
  assign span1    = $signed({24'd0, cmd_i.num1} - 40'd1) * 40'(cmd_i.step1) * 40'sd2;
  assign load_end = base + $signed({31'd0, cmd_i.cols, 1'b0});

  assign bad_op = (cmd_i.op != tensor_pkg::OpLoadStationary && !is_move) ||
                  (cmd_i.dtype != tern_spec_pkg::DtypeBf16 &&
                   cmd_i.dtype != tern_spec_pkg::DtypeFp16);
  assign bad_tile = (cmd_i.rows == 8'd0) || (32'(cmd_i.rows) > Rows) ||
                    (cmd_i.cols == 8'd0) || (32'(cmd_i.cols) > Cols) ||
                    (32'(cmd_i.row_start) + 32'(cmd_i.rows) > Rows) ||
                    (32'(cmd_i.row_start) % StartStep != 0);
  assign bad_moving = is_move && (moving == 32'd0 || moving > MaxMoving);
  assign bad_psum   = is_move && (32'(cmd_i.psum_bank) >= PsumBanks ||
                                32'(cmd_i.psum_column) + moving > BankColumns);
  assign bad_align  = is_move ? cmd_i.address[0] : (cmd_i.address[2:0] != 3'd0);
  assign bad_address = is_move ? (outside(base, partition_end) ||
                                  outside(base + span0, partition_end) ||
                                  outside(base + span1, partition_end) ||
                                  outside(base + span0 + span1, partition_end))
                               : (load_end > partition_end);

  assign code = bad_op      ? tensor_pkg::CodeBadOperation :
                bad_tile    ? tensor_pkg::CodeBadTile :
                bad_moving  ? tensor_pkg::CodeBadMoving :
                bad_psum    ? tensor_pkg::CodeBadPsum :
                bad_align   ? tensor_pkg::CodeBadAlignment :
                bad_address ? tensor_pkg::CodeBadAddress : tensor_pkg::CodeOk;

  assign checked_o.cmd    = cmd_i;
  assign checked_o.moving = moving[15:0];
  assign checked_o.code   = code;
endmodule
