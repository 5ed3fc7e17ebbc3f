// SPDX-License-Identifier: Apache-2.0
// The multiplies of array X: each enters at the first row group of its tile; row group g begins
// Rows/32 * g * Stages cycles after the issue. Four sequencers, one per entry; busy cells guarantee
// that a sequencer has ended when its next start comes.
module tensor_mx_moves #(
  parameter int unsigned Rows         = 128,
  parameter int unsigned Stages       = 1,   // Cycles from a row or block to the next
  parameter int unsigned CommandDepth = 16
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  input  logic                                start_i,
  input  tensor_pkg::cmd_t                    cmd_i,
  input  tensor_ctrl_pkg::plan_t              plan_i,
  input  logic        [tensor_pkg::SlotW-1:0] slot_i,
  input  logic                                swap_i,
  output logic [3:0][tensor_pkg::MxMoveW-1:0] move_o  // tensor_pkg::mx_move_t
);
  typedef struct packed {
    logic                [1:0] size;
    tensor_pkg::mx_move_t      wave;     // First column
    tensor_ctrl_pkg::pattern_t pattern;
  } start_t;

  tensor_pkg::mx_move_t      first;
  tensor_ctrl_pkg::pattern_t pattern;
  start_t                    entering;

  always_comb begin
    first   = '0;
    pattern = '0;
    if (start_i) begin
      first.valid         = 1'b1;
      first.swap          = swap_i;
      first.slot          = slot_i;
      first.form          = tensor_ctrl_pkg::form_x(cmd_i.dtype);
      first.double_row    = plan_i.double_row;
      first.quad          = plan_i.quad;
      first.last_group    = plan_i.last_row_group;
      first.address       = cmd_i.address[tensor_pkg::AddrW-1:1];
      first.plane_address = cmd_i.address[tensor_pkg::AddrW-1:1] +
                            cmd_i.plane[tensor_pkg::AddrW-1:1];
      first.odd           = cmd_i.address[0];
      first.scale_address = cmd_i.aux_address[tensor_pkg::AddrW-1:0];
      first.scale_offset  = cmd_i.scale_offset[3:2];
      // Counted from the block at which the wave enters: a part of the rows begins with its tile.
      first.skip          = (cmd_i.tile_rows == 2'd0) ? cmd_i.row_start[7:3] : 5'd0;
      first.left          = cmd_i.rows[7:3];
      pattern.columns     = plan_i.columns;
      pattern.num0        = cmd_i.num0;
      pattern.step0       = tensor_pkg::AddrW'(cmd_i.step0);
      pattern.step1       = tensor_pkg::AddrW'(cmd_i.step1);
    end
  end

  assign entering = {plan_i.size, first, pattern};

  for (genvar g = 0; g < 4; g++) begin : gen_row_group
    logic   push, start;
    start_t entry;

    assign push = start_i && 32'(plan_i.first_row_group) == g;

    if (g == 0) begin : gen_now
      assign start = push;
      assign entry = entering;
    end else begin : gen_later
      tensor_tile_delay #(
        .Width($bits(entry)), .Delay(Rows / 32 * g * Stages), .Depth(CommandDepth)
      ) u_delay (
        .clk_i  (clk_i),
        .rst_ni (rst_ni),
        .push_i (push),
        .data_i (entering),
        .start_o(start),
        .data_o (entry)
      );
    end

    tensor_mx_move_seq u_seq (
      .clk_i    (clk_i),
      .rst_ni   (rst_ni),
      .start_i  (start),
      .wave_i   (entry.wave),
      .pattern_i(entry.pattern),
      .size_i   (entry.size),
      .move_o   (move_o[g])
    );
  end
endmodule
