// SPDX-License-Identifier: Apache-2.0
// Checks a command as it is accepted: everything that does not depend on the loaded weights. If
// several rules are violated, the smallest code is reported. Combinational.
module tensor_check #(
  parameter int unsigned Rows        = 128,
  parameter int unsigned Cols        = 128,
  parameter int unsigned PsumBanks   = 8,
  parameter int unsigned BankColumns = 512,
  parameter int unsigned MaxMoving   = 4096
) (
  input  logic                          valid_i,
  input  logic [tensor_pkg::AddrW:0]    sbuf_bytes_i,
  input  tensor_pkg::cmd_t              cmd_i,
  input  tensor_ctrl_pkg::plan_t        plan_i,
  input  logic                   [31:0] columns_i,  // N, exact
  input  logic                   [31:0] elements_i, // Of the pattern, likewise
  output tensor_pkg::code_e             code_o
);
  localparam int unsigned RowGroup = Rows / 4;
  localparam int unsigned ColGroup = Cols / 4;

  // Start and length of a tile along one side of the array; `group` is a quarter of the side.
  function automatic logic bad_side(input logic [7:0] start, input logic [7:0] count,
                                    input logic [1:0] tile, input logic [31:0] group);
    logic [31:0] part;
    part     = group << (2'd2 - tile);
    bad_side = count == 8'd0 || 32'(start) % group != 0 ||
               32'(start) + 32'(count) > group * 32'd4 ||
               (tile != 2'd0 && (32'(start) % part != 0 || 32'(count) > part));
  endfunction

  // The four corners of a pattern, `size` bytes each, leave the partition. Exact: 34-bit spans,
  // 35-bit planes and a 32-bit base in 40 bits.
  function automatic logic outside(input logic signed [39:0] base, input logic signed [39:0] span0,
                                   input logic signed [39:0] span1, input logic signed [39:0] size,
                                   input logic signed [39:0] bytes);
    logic signed [39:0] low, high;
    low     = base + ((span0 < 0) ? span0 : 40'sd0) + ((span1 < 0) ? span1 : 40'sd0);
    high    = base + ((span0 > 0) ? span0 : 40'sd0) + ((span1 > 0) ? span1 : 40'sd0);
    outside = low < 0 || high + size > bytes;
  endfunction

  logic transpose, move, dense, sparse, double_row, scaled, bad_part;
  logic ok_type, bad_op, bad_tile, bad_moving, bad_psum, bad_align, bad_address, bad_scale;
  logic [31:0] bank_columns, psum_end, psum_columns;
  logic [39:0] address_mask;
  logic signed [39:0] bytes, base, aux, span0, span1, size, planes;

  always_comb begin
    transpose    = plan_i.is_transpose;
    move         = plan_i.is_move;
    dense        = cmd_i.mode == tensor_pkg::ModeDense;
    sparse       = cmd_i.mode == tensor_pkg::ModeSparse;
    double_row   = cmd_i.mode == tensor_pkg::ModeDoubleRow;
    scaled       = cmd_i.mode == tensor_pkg::ModeMx || cmd_i.mode == tensor_pkg::ModeQuad;
    // Array X has parts of the rows, in quad mode none.
    bad_part     = (cmd_i.tile_cols != 2'd0 && !dense) ||
                   (cmd_i.tile_rows != 2'd0 && (sparse || cmd_i.mode == tensor_pkg::ModeQuad)) ||
                   (transpose && (cmd_i.tile_rows != 2'd0 || cmd_i.tile_cols != 2'd0));
    ok_type      = 1'b0;
    bad_op       = 1'b0;
    bad_tile     = 1'b0;
    bad_moving   = 1'b0;
    bad_psum     = 1'b0;
    bad_align    = 1'b0;
    bad_address  = 1'b0;
    bad_scale    = 1'b0;
    bank_columns = '0;
    psum_end     = '0;
    psum_columns = '0;
    address_mask = '0;
    bytes        = '0;
    base         = '0;
    aux          = '0;
    span0        = '0;
    span1        = '0;
    size         = '0;
    planes       = '0;
    code_o       = tensor_pkg::CodeOk;
    if (valid_i) begin
      // Operation, format, mode.
      case (cmd_i.dtype)
        tern_spec_pkg::DtypeBf16, tern_spec_pkg::DtypeFp16:
          ok_type = dense || (sparse && !transpose);
        tern_spec_pkg::DtypeTf32, tern_spec_pkg::DtypeFp32:
          ok_type = dense;
        tern_spec_pkg::DtypeE4m3, tern_spec_pkg::DtypeE5m2, tern_spec_pkg::DtypeE4m3fn:
          ok_type = transpose ? dense : double_row;
        tern_spec_pkg::DtypeE4m3fn_x4, tern_spec_pkg::DtypeE5m2_x4, tern_spec_pkg::DtypeE2m1_x4:
          ok_type = scaled && !transpose;
        default:
          ok_type = 1'b0;
      endcase
      bad_op = (!move && !transpose && cmd_i.op != tensor_pkg::OpLoadStationary) || !ok_type ||
               cmd_i.tile_rows == 2'd3 || cmd_i.tile_cols == 2'd3 ||
               bad_part ||
               (sparse && cmd_i.sparsity >= tensor_pkg::SparsityPatterns) ||
               (transpose && (cmd_i.accumulate || cmd_i.stochastic)) ||
               (move && cmd_i.stochastic && !cmd_i.bf16_result);

      // Tile. One that claims all columns starts at the first one.
      bad_tile = bad_side(cmd_i.row_start, cmd_i.rows, cmd_i.tile_rows, RowGroup) ||
                 bad_side(cmd_i.col_start, cmd_i.cols, cmd_i.tile_cols, ColGroup) ||
                 (cmd_i.tile_cols == 2'd0 && cmd_i.col_start != 8'd0) ||
                 (scaled && (cmd_i.row_start[4:0] != 5'd0 || cmd_i.rows[4:0] != 5'd0)) ||
                 (double_row && (cmd_i.row_start[2:0] != 3'd0 || cmd_i.rows[2:0] != 3'd0)) ||
                 (sparse && (cmd_i.rows[1:0] &
                             2'(tensor_pkg::kept(cmd_i.sparsity) - 3'd1)) != 2'd0);

      // Moving columns, those of a load, and destination.
      bad_moving   = move ? (columns_i == 32'd0 ||
                             columns_i > (cmd_i.bf16_result ? 2 * MaxMoving : MaxMoving))
                          : elements_i != 32'(cmd_i.cols);
      bank_columns = plan_i.half ? 2 * BankColumns : BankColumns;
      psum_columns = (plan_i.quad ? PsumBanks / 4 : PsumBanks) * bank_columns;
      psum_end     = 32'(cmd_i.psum_bank) * bank_columns + 32'(cmd_i.psum_column) + columns_i;
      bad_psum     = (move || transpose) &&
                     (32'(cmd_i.psum_bank) >= PsumBanks ||
                      32'(cmd_i.psum_column) >= bank_columns || psum_end > psum_columns);

      // Alignment. Only dense loads may take one column a cycle.
      address_mask = (40'd1 << plan_i.size) - 40'd1;
      bad_align    = (40'(cmd_i.address) & address_mask) != 0 || (!dense && plan_i.single) ||
                     (move ? ((sparse || double_row) && cmd_i.plane[0])
                           : (double_row && cmd_i.plane[1:0] != 2'd0));

      // Addresses: the corners of the pattern, in the first plane and in the last.
      bytes  = $signed(40'(sbuf_bytes_i));
      base   = $signed(40'(cmd_i.address));
      aux    = $signed(40'(cmd_i.aux_address));
      size   = 40'sd1 <<< plan_i.size;
      span0  = $signed(40'(cmd_i.num0) - 40'd1) * 40'(cmd_i.step0);
      span1  = $signed(40'(cmd_i.num1) - 40'd1) * 40'(cmd_i.step1);
      planes = double_row       ? 40'(cmd_i.plane) :
               (sparse && move) ? 40'(cmd_i.plane) * $signed(
                                    40'(tensor_pkg::plane_count(cmd_i.sparsity)) - 40'd1) :
                                  40'sd0;
      bad_address =
          outside(base, span0 <<< plan_i.size, span1 <<< plan_i.size, size, bytes) ||
          outside(base + planes, span0 <<< plan_i.size, span1 <<< plan_i.size, size, bytes);

      // Scales: one byte per column. Tags: two bytes per four columns.
      bad_scale =
          scaled ? (cmd_i.scale_offset[1:0] != 2'd0 ||
                    (!move && cmd_i.aux_address[1:0] != 2'd0) ||
                    outside(aux, span0, span1, 40'sd1, bytes)) :
          (sparse && !move) && (cmd_i.aux_address[0] ||
                                aux + $signed(40'({plan_i.groups, 1'b0})) > bytes);

      code_o = bad_op      ? tensor_pkg::CodeBadOperation :
               bad_tile    ? tensor_pkg::CodeBadTile :
               bad_moving  ? tensor_pkg::CodeBadMoving :
               bad_psum    ? tensor_pkg::CodeBadPsum :
               bad_align   ? tensor_pkg::CodeBadAlignment :
               bad_address ? tensor_pkg::CodeBadAddress :
               bad_scale   ? tensor_pkg::CodeBadScale : tensor_pkg::CodeOk;
    end
  end
endmodule
