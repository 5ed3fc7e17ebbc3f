// SPDX-License-Identifier: Apache-2.0
// Functional coverage of the tensor engine, within tensor_ctrl: what issues, in every mode and
// format, at the edges of its sizes; tiles; what waits for what; status codes.
logic [2:0] cover_mode;
logic [4:0] cover_dtype;
logic       cover_move, cover_load, cover_first, cover_last;

assign cover_mode  = head.cmd.mode;
assign cover_dtype = head.cmd.dtype;
assign cover_move  = start && head.plan.is_move;
assign cover_load  = start && !head.plan.is_move && !head.plan.is_transpose;
assign cover_first = head.cmd.psum_bank == 7'd0 && head.cmd.psum_column == 16'd0;
assign cover_last  = head.plan.last_bank == 7'((head.plan.quad ? PsumBanks / 4 : PsumBanks) - 1);

function automatic logic cover_legal(input logic [2:0] mode, input logic [4:0] dtype);
  case (mode)
    tensor_pkg::ModeDense:
      cover_legal = dtype == tern_spec_pkg::DtypeBf16 || dtype == tern_spec_pkg::DtypeFp16
                 || dtype == tern_spec_pkg::DtypeTf32
                 || dtype == tern_spec_pkg::DtypeFp32;
    tensor_pkg::ModeSparse:
      cover_legal = dtype == tern_spec_pkg::DtypeBf16
                 || dtype == tern_spec_pkg::DtypeFp16;
    tensor_pkg::ModeDoubleRow:
      cover_legal = dtype == tern_spec_pkg::DtypeE4m3 || dtype == tern_spec_pkg::DtypeE5m2
                 || dtype == tern_spec_pkg::DtypeE4m3fn;
    tensor_pkg::ModeMx, tensor_pkg::ModeQuad:
      cover_legal = dtype == tern_spec_pkg::DtypeE4m3fn_x4
                 || dtype == tern_spec_pkg::DtypeE5m2_x4
                 || dtype == tern_spec_pkg::DtypeE2m1_x4;
    default:
      cover_legal = 1'b0;
  endcase
endfunction

for (genvar m = 0; m < 5; m++) begin : gen_cover_mode
  for (genvar d = 0; d < 32; d++) begin : gen_cover_dtype
    if (cover_legal(3'(m), 5'(d))) begin : gen_cover
      logic here;
      assign here = cover_mode == 3'(m) && cover_dtype == 5'(d);
      `TERN_COVER(LoadWhole, cover_load && here && 32'(head.cmd.rows) == Rows
                             && 32'(head.cmd.cols) == Cols)
      `TERN_COVER(LoadPart, cover_load && here && 32'(head.cmd.rows) < Rows
                            && 32'(head.cmd.cols) < Cols)
      `TERN_COVER(Overwrite, cover_move && here && !head.cmd.accumulate)
      `TERN_COVER(Accumulate, cover_move && here && head.cmd.accumulate)
      `TERN_COVER(OneColumn, cover_move && here && head.plan.columns == 16'd1)
      `TERN_COVER(ShorterThanInterval, cover_move && here && head.plan.columns > 16'd1
                                       && 32'(head.plan.columns) < MinInterval)
      `TERN_COVER(LongerThanInterval, cover_move && here && 32'(head.plan.columns) > MinInterval)
      `TERN_COVER(FewRows, cover_move && here && 32'(head.cmd.rows) < Rows)
      `TERN_COVER(OneLane, cover_move && here && head.cmd.cols == 8'd1)
      `TERN_COVER(AllLanes, cover_move && here && 32'(head.cmd.cols) == Cols)
      `TERN_COVER(NearestBf16, cover_move && here && head.cmd.bf16_result && !head.cmd.stochastic)
      `TERN_COVER(StochasticBf16, cover_move && here && head.cmd.stochastic)
      `TERN_COVER(FirstWordOfPsum, cover_move && here && cover_first)
      `TERN_COVER(LastBankOfPsum, cover_move && here && cover_last)
      `TERN_COVER(TwoDimensions, cover_move && here && head.cmd.num0 > 16'd1
                                 && head.cmd.num1 > 16'd1)
      `TERN_COVER(Backwards, cover_move && here && head.cmd.step0[15])
      `TERN_COVER(LoadRunOfTwoDimensions, cover_load && here && head.cmd.num0 > 16'd1
                                          && head.cmd.num1 > 16'd1 && !head.plan.single)
      if (3'(m) == tensor_pkg::ModeDense) begin : gen_single
        `TERN_COVER(OffEightBytes, cover_load && here && head.plan.single
                                   && head.cmd.address[2:0] != 3'd0)
        `TERN_COVER(TwoDimensions, cover_load && here && head.plan.single
                                   && head.cmd.num0 > 16'd1 && head.cmd.num1 > 16'd1)
        `TERN_COVER(Backwards, cover_load && here && head.plan.single && head.cmd.step0[15])
        `TERN_COVER(Broadcast, cover_load && here && head.plan.single && head.cmd.step0 == 16'd0)
      end
    end
  end
  `TERN_COVER(WaitsForWeights, weight_stall_o && cover_mode == 3'(m))
  `TERN_COVER(WaitsForCells, head_valid && !rejected && head.plan.is_move && !cells_free
                             && cover_mode == 3'(m))
  `TERN_COVER(WaitsForWindow, head_valid && !rejected && head.plan.is_move && cells_free
                              && !window_free && cover_mode == 3'(m))
end

for (genvar d = 0; d < 32; d++) begin : gen_cover_transpose
  if (cover_legal(tensor_pkg::ModeDense, 5'(d))
      || cover_legal(tensor_pkg::ModeDoubleRow, 5'(d))) begin : gen_cover
    `TERN_COVER(Transpose, start_transpose && cover_dtype == 5'(d))
    `TERN_COVER(TransposeSingle, start_transpose && cover_dtype == 5'(d) && head.plan.single)
  end
end

for (genvar p = 0; p < 32'(tensor_pkg::SparsityPatterns); p++) begin : gen_cover_sparsity
  `TERN_COVER(Bf16, cover_move && head.plan.sparse && head.cmd.sparsity == 3'(p)
                    && cover_dtype == tern_spec_pkg::DtypeBf16)
  `TERN_COVER(Fp16, cover_move && head.plan.sparse && head.cmd.sparsity == 3'(p)
                    && cover_dtype == tern_spec_pkg::DtypeFp16)
end

// Row tiles of array X by size and place.
for (genvar rs = 0; rs < 3; rs++) begin : gen_cover_x_rows
  for (genvar r = 0; r < (1 << rs); r++) begin : gen_cover_x_row
    `TERN_COVER(TileOfX, cover_move && head.plan.mx && head.cmd.tile_rows == 2'(rs)
                         && head.plan.first_row_group == 2'(r << (2 - rs)))
  end
end

// Tiles by size and place in both directions: whole, halves, quarters.
for (genvar rs = 0; rs < 3; rs++) begin : gen_cover_rows
  for (genvar r = 0; r < (1 << rs); r++) begin : gen_cover_row
    for (genvar cs = 0; cs < 3; cs++) begin : gen_cover_cols
      for (genvar c = 0; c < (1 << cs); c++) begin : gen_cover_col
        `TERN_COVER(Tile, cover_move && cover_mode == tensor_pkg::ModeDense
                          && head.cmd.tile_rows == 2'(rs) && head.cmd.tile_cols == 2'(cs)
                          && head.plan.first_row_group == 2'(r << (2 - rs))
                          && head.plan.first_col_group == 2'(c << (2 - cs)))
      end
    end
  end
end

for (genvar k = 1; k < 9; k++) begin : gen_cover_code
  if (k != 3 && k != 4 && k != 6) begin : gen_cover_load  // Codes of multiplies
    `TERN_COVER(RefusedLoad, issue && code == tensor_pkg::code_e'(k)
                             && !head.plan.is_move && !head.plan.is_transpose)
  end
  `TERN_COVER(RefusedMove, issue && code == tensor_pkg::code_e'(k) && head.plan.is_move)
end

`TERN_COVER(QueueFull, cmd_valid_i && !cmd_ready_o)
`TERN_COVER(TransposeNextToMultiply, start_transpose && !cells_free)
`TERN_COVER(MxAfterA, head_valid && !rejected && head.plan.mx && head.plan.is_move && cells_free
                      && !move_free)
`TERN_COVER(LoadOverwritten, start_load_a && !swap && weights_ready)
`TERN_COVER(RampStretches, cover_move && interval > head.plan.columns)
`TERN_COVER(NoRamp, cover_move && ramp_cycles_i != 16'd0 && interval == head.plan.columns)
