// SPDX-License-Identifier: Apache-2.0
// The multiplies of array A: each enters at the first cell of its tile; row group g begins
// Rows/4 * g * Stages cycles after the issue. Sixteen sequencers, one per entry; busy cells
// guarantee that a sequencer has ended when its next start comes.
module tensor_moves #(
  parameter int unsigned Rows         = 128,
  parameter int unsigned Stages       = 1,   // Cycles from a row or block to the next
  parameter int unsigned CommandDepth = 16
) (
  input  logic                                      clk_i,
  input  logic                                      rst_ni,
  input  logic                                      start_i,
  input  tensor_pkg::cmd_t                          cmd_i,
  input  tensor_ctrl_pkg::plan_t                    plan_i,
  input  logic              [tensor_pkg::SlotW-1:0] slot_i,
  input  logic                                      swap_i,
  output logic [3:0][3:0][tensor_pkg::MoveWaveW-1:0] move_o,  // tensor_pkg::move_wave_t
  output logic signed       [tensor_pkg::AddrW-2:0] plane_o
);
  typedef struct packed {
    logic                [1:0] lane;
    tensor_pkg::move_wave_t    wave;     // First column
    tensor_ctrl_pkg::pattern_t pattern;
  } start_t;

  tensor_pkg::move_wave_t    first;
  tensor_ctrl_pkg::pattern_t pattern;
  start_t                    entering;
  logic signed [tensor_pkg::AddrW-2:0] plane_q;

  always_comb begin
    first   = '0;
    pattern = '0;
    if (start_i) begin
      first.valid      = 1'b1;
      first.swap       = swap_i;
      first.slot       = slot_i;
      first.form       = tensor_ctrl_pkg::form_a(cmd_i.dtype, cmd_i.high_half);
      first.sparse     = plan_i.sparse;
      first.sparsity   = cmd_i.sparsity;
      first.mask       = plan_i.col_groups;
      first.last_group = plan_i.last_row_group;
      first.address    = cmd_i.address[tensor_pkg::AddrW-1:1];
      // Counted from the row at which the wave enters: a part of the rows begins with its tile.
      first.skip       = (cmd_i.tile_rows == 2'd0) ? cmd_i.row_start : 8'd0;
      first.left       = cmd_i.rows;
      pattern.columns  = plan_i.columns;
      pattern.num0     = cmd_i.num0;
      pattern.step0    = tensor_pkg::AddrW'(cmd_i.step0) << (plan_i.size - 2'd1);
      pattern.step1    = tensor_pkg::AddrW'(cmd_i.step1) << (plan_i.size - 2'd1);
    end
  end

  assign entering = {plan_i.first_col_group, first, pattern};

  for (genvar g = 0; g < 4; g++) begin : gen_row_group
    logic   push, start;
    start_t entry;

    assign push = start_i && 32'(plan_i.first_row_group) == g;

    if (g == 0) begin : gen_now
      assign start = push;
      assign entry = entering;
    end else begin : gen_later
      tensor_tile_delay #(
        .Width($bits(entry)), .Delay(Rows / 4 * g * Stages), .Depth(CommandDepth)
      ) u_delay (
        .clk_i  (clk_i),
        .rst_ni (rst_ni),
        .push_i (push),
        .data_i (entering),
        .start_o(start),
        .data_o (entry)
      );
    end

    for (genvar j = 0; j < 4; j++) begin : gen_column_group
      tensor_move_seq u_seq (
        .clk_i    (clk_i),
        .rst_ni   (rst_ni),
        .start_i  (start && 32'(entry.lane) == j),
        .wave_i   (entry.wave),
        .pattern_i(entry.pattern),
        .wave_o   (move_o[g][j])
      );
    end
  end

  // Sparse multiplies claim the whole array: only one at a time.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) plane_q <= '0;
    else if (start_i && plan_i.sparse) plane_q <= cmd_i.plane[tensor_pkg::AddrW-1:1];
  end

  assign plane_o = plane_q;
endmodule
