// SPDX-License-Identifier: Apache-2.0
// Array A: Rows identical rows. Control and partial sums travel down one row every Stages cycles,
// so that whatever happens in row r happens r * Stages cycles after it happened in row 0. Four row
// groups, each with an entry for waves at its top and a port for results at its bottom.
`include "tern_row.svh"
`include "tern_trace.svh"

module tensor_array #(
  parameter int unsigned Rows       = 128,
  parameter int unsigned Cols       = 128,
  parameter int unsigned Stages     = 1,                 // fma_row
  parameter bit          SplitPaths = `TERN_SPLIT_PATHS  // fma_row
) (
  input  logic                                        clk_i,
  input  logic                                        rst_ni,
  input  tensor_pkg::load_wave_t                      load_i,
  input  tensor_pkg::tag_wave_t                       tag_i,
  input  logic [3:0][3:0][tensor_pkg::MoveWaveW-1:0]  move_i,  // [row group][lane] move_wave_t
  input  logic [tensor_pkg::AddrW-2:0]                plane_i,
  input  tensor_pkg::drain_wave_t                     drain_i,
  // SBUF. The four partitions of a quad are read at the same address.
  output logic [Rows-1:0]                             load_req_o,
  output logic [Rows-1:0][tensor_pkg::AddrW-3:0]      load_addr_o,   // In 4-byte words
  output logic [Rows-1:0]                             tag_req_o,
  output logic [Rows-1:0][tensor_pkg::AddrW-2:0]      tag_addr_o,    // In 2-byte words
  output logic [Rows-1:0]                             move_req_o,
  output logic [Rows/4-1:0][tensor_pkg::AddrW-2:0]    move_addr_o,   // In 2-byte words
  output logic [Rows-1:0][2:0]                        plane_req_o,
  output logic [Rows/4-1:0][2:0][tensor_pkg::AddrW-2:0] plane_addr_o,
  `TERN_LANES
  input  logic [Rows-1:0][127:0]                      load_data_i,
  input  logic [Rows-1:0][15:0]                       tag_data_i,
  input  logic [Rows-1:0][31:0]                       move_data_i,
  input  logic [Rows-1:0][2:0][31:0]                  plane_data_i,
  `TERN_LANES_END
  output logic                                        load_done_o,
  output logic [tensor_pkg::SlotW-1:0]                load_done_slot_o,
  output logic                                        load_bad_o,
  // Results, one cycle after their valid. Port g is the output of row group g.
  output logic [3:0][3:0]                             port_valid_o,  // [port][column group]
  output logic [3:0][3:0][tensor_pkg::SlotW-1:0]      port_slot_o,
  output logic                                        raw_valid_o,
  output logic [tensor_pkg::SlotW-1:0]                raw_slot_o,
  `TERN_LANES
  output logic [4*Cols*32-1:0]                        sum_o,         // Port p at [p*Cols*32 +: ]
  output logic [Cols*32-1:0]                          raw_o
  `TERN_LANES_END
);
  localparam int unsigned WaveW     = tensor_pkg::MoveWaveW;
  localparam int unsigned GroupRows = Rows / 4;
  localparam int unsigned GroupW    = Cols * 8;  // Bits of a column group

  if (Rows % 16 != 0 || Cols % 16 != 0) begin : gen_bad_size
    $error("Rows and Cols must be multiples of 16");
  end

  // The waves in all rows. Bit and word r: of row r, one cycle after the wave reached it; those of
  // a lane (gen_wave) but its control: in the cycle in which the wave reaches the next row.
  logic [Rows*32-1:0] loads, places, tags;
  logic [Rows-1:0]    drains, drain_hits;

  tensor_load_rows #(
    .Rows  (Rows),
    .Stages(Stages)
  ) u_load (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .load_i     (load_i),
    .tag_i      (tag_i),
    .load_req_o (load_req_o),
    .load_addr_o(load_addr_o),
    .tag_req_o  (tag_req_o),
    .tag_addr_o (tag_addr_o),
    .tag_data_i (tag_data_i),
    .load_o     (loads),
    .where_o    (places),
    .tag_o      (tags),
    .done_o     (load_done_o),
    .done_slot_o(load_done_slot_o),
    .bad_o      (load_bad_o)
  );

  tensor_drain_rows #(
    .Rows  (Rows),
    .Stages(Stages)
  ) u_drain (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .drain_i     (drain_i),
    .valid_o     (drains),
    .hit_o       (drain_hits),
    .last_valid_o(raw_valid_o),
    .last_slot_o (raw_slot_o)
  );

  for (genvar j = 0; j < 4; j++) begin : gen_wave
    logic [Rows*32-1:0] what, where, control, swap;
    logic [4*WaveW-1:0] enter;
    logic [15:0] enter_swap;  // Four bits of each wave that enters

    assign enter[0+:WaveW] = move_i[0][j];
    for (genvar g = 1; g < 4; g++) begin : gen_enter
      assign enter[g*WaveW+:WaveW] = gen_group[g-1].gen_lane[j].wave;
    end
    for (genvar g = 0; g < 4; g++) begin : gen_enter_swap
      assign enter_swap[g*4+:4] = tensor_wave_pkg::enter_swap(enter[g*WaveW+:WaveW]);
    end

    tensor_wave_lane #(
      .Rows  (Rows),
      .Lane  (j),
      .Stages(Stages)
    ) u_lane (
      .clk_i    (clk_i),
      .rst_ni   (rst_ni),
      .enter_i  (enter),
      .what_o   (what),
      .where_o  (where),
      .control_o(control),
      .swap_o   (swap)
    );
  end

  for (genvar r = 0; r < Rows; r++) begin : gen_row
    logic [3:0]  swap;
    logic [31:0] control;
    `TERN_LANES
    logic [511:0] window;
    logic [Cols*32-1:0] acc_in, acc_out, raw_in, raw_out;
    `TERN_LANES_END

    // No two waves drive the same column group.
    assign control = gen_wave[0].control[r*32+:32] | gen_wave[1].control[r*32+:32]
                   | gen_wave[2].control[r*32+:32] | gen_wave[3].control[r*32+:32];

    if (r % GroupRows == 0) begin : gen_swap
      assign swap = gen_wave[0].enter_swap[r/GroupRows*4+:4]
                  | gen_wave[1].enter_swap[r/GroupRows*4+:4]
                  | gen_wave[2].enter_swap[r/GroupRows*4+:4]
                  | gen_wave[3].enter_swap[r/GroupRows*4+:4];
    end else begin : gen_swap_above
      assign swap = gen_wave[0].swap[(r-1)*32+:4] | gen_wave[1].swap[(r-1)*32+:4]
                  | gen_wave[2].swap[(r-1)*32+:4] | gen_wave[3].swap[(r-1)*32+:4];
    end

    if (r == 0) begin : gen_first
      assign acc_in   = '0;  // Every chain starts from +0
      assign raw_in   = '0;
    end else begin : gen_next
      assign raw_in   = gen_row[r-1].raw_out;
      if (r % GroupRows == 0) begin : gen_entrance
        assign acc_in   = gen_group[r/GroupRows-1].acc;
      end else begin : gen_inside
        assign acc_in   = gen_row[r-1].acc_out;
      end
    end

    if (r % 4 == 0) begin : gen_window0
      assign window = gen_quad[r/4].row0;
    end else if (r % 4 == 1) begin : gen_window1
      assign window = gen_quad[r/4].row1;
    end else if (r % 4 == 2) begin : gen_window2
      assign window = gen_quad[r/4].row2;
    end else begin : gen_window3
      assign window = gen_quad[r/4].row3;
    end

    tensor_row #(
      .Cols      (Cols),
      .Stages    (Stages),
      .SplitPaths(SplitPaths)
    ) u_row (
      .clk_i      (clk_i),
      .row_i      (2'(r)),
      .load_i     (loads[r*32+:32]),
      .where_i    (places[r*32+:32]),
      .tag_i      (tags[r*32+:32]),
      .load_data_i(load_data_i[r]),
      .tag_data_i (tag_data_i[r]),
      .drain_i    (drains[r]),
      .drain_hit_i(drain_hits[r]),
      .swap_i     (swap),
      .control_i  (control),
      .operand_i  (window[(r%4)*128+:128]),
      .window_i   (window),
      .acc_i      (acc_in),
      .acc_o      (acc_out),
      .raw_i      (raw_in),
      .raw_o      (raw_out)
    );
  end

  for (genvar h = 0; h < Rows / 4; h++) begin : gen_quad
    logic [tensor_pkg::AddrW-2:0] plane_in, plane_out;
    `TERN_LANES
    logic [511:0] row0, row1, row2, row3;
    `TERN_LANES_END

    // The waves that reach the first of the four rows.
    tensor_pkg::move_wave_t wave0, wave1, wave2, wave3;
    if (4 * h % GroupRows == 0) begin : gen_enter
      assign wave0 = gen_wave[0].enter[4*h/GroupRows*WaveW+:WaveW];
      assign wave1 = gen_wave[1].enter[4*h/GroupRows*WaveW+:WaveW];
      assign wave2 = gen_wave[2].enter[4*h/GroupRows*WaveW+:WaveW];
      assign wave3 = gen_wave[3].enter[4*h/GroupRows*WaveW+:WaveW];
    end else begin : gen_above
      assign wave0 = tensor_wave_pkg::to_wave(gen_wave[0].what[(4*h-1)*32+:32],
                                              gen_wave[0].where[(4*h-1)*32+:32]);
      assign wave1 = tensor_wave_pkg::to_wave(gen_wave[1].what[(4*h-1)*32+:32],
                                              gen_wave[1].where[(4*h-1)*32+:32]);
      assign wave2 = tensor_wave_pkg::to_wave(gen_wave[2].what[(4*h-1)*32+:32],
                                              gen_wave[2].where[(4*h-1)*32+:32]);
      assign wave3 = tensor_wave_pkg::to_wave(gen_wave[3].what[(4*h-1)*32+:32],
                                              gen_wave[3].where[(4*h-1)*32+:32]);
    end

    if (h == 0) begin : gen_first
      assign plane_in = plane_i;
    end else begin : gen_next
      assign plane_in = gen_quad[h-1].plane_out;
    end

    tensor_feed #(
      .Stages(Stages)
    ) u_feed (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .wave0_i     (wave0),
      .wave1_i     (wave1),
      .wave2_i     (wave2),
      .wave3_i     (wave3),
      .plane_i     (plane_in),
      .plane_o     (plane_out),
      .move_req_o  (move_req_o[4*h+:4]),
      .move_addr_o (move_addr_o[h]),
      .move_data_i (move_data_i[4*h+:4]),
      .plane_req_o (plane_req_o[4*h+:4]),
      .plane_addr_o(plane_addr_o[h]),
      .plane_data_i(plane_data_i[4*h+:4]),
      .row0_o      (row0),
      .row1_o      (row1),
      .row2_o      (row2),
      .row3_o      (row3)
    );
  end

  // The lower ends of the row groups: group g's results leave, and waves enter group g + 1.
  for (genvar g = 0; g < 4; g++) begin : gen_group
    localparam int unsigned Last = GroupRows * (g + 1) - 1;
    logic [3:0] fresh, fresh_q;
    `TERN_LANES
    logic [Cols*32-1:0] acc;
    `TERN_LANES_END

    for (genvar j = 0; j < 4; j++) begin : gen_lane
      tensor_pkg::move_wave_t above, enter, wave;
      logic [3:0] leave, begins;

      assign above = tensor_wave_pkg::to_wave(gen_wave[j].what[Last*32+:32],
                                              gen_wave[j].where[Last*32+:32]);
      if (g < 3) begin : gen_enter
        assign enter = move_i[g+1][j];
      end else begin : gen_no_enter
        assign enter = '0;
      end

      tensor_join #(
        .Group(g + 1)
      ) u_join (
        .above_i(above),
        .enter_i(enter),
        .wave_o (wave),
        .leave_o(leave),
        .fresh_o(begins)
      );
    end

    assign port_valid_o[g] = gen_lane[0].leave | gen_lane[1].leave | gen_lane[2].leave
                           | gen_lane[3].leave;
    for (genvar j = 0; j < 4; j++) begin : gen_slot
      assign port_slot_o[g][j] = gen_lane[3].leave[j] ? gen_lane[3].above.slot
                               : gen_lane[2].leave[j] ? gen_lane[2].above.slot
                               : gen_lane[1].leave[j] ? gen_lane[1].above.slot
                               : gen_lane[0].above.slot;
    end

    assign fresh = gen_lane[0].begins | gen_lane[1].begins | gen_lane[2].begins
                 | gen_lane[3].begins;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) fresh_q <= 4'd0;
      else fresh_q <= fresh;
    end
    assign acc = gen_row[Last].acc_out & ~{{GroupW{fresh_q[3]}}, {GroupW{fresh_q[2]}},
                                           {GroupW{fresh_q[1]}}, {GroupW{fresh_q[0]}}};
  end

  assign sum_o = {gen_row[Rows-1].acc_out, gen_row[3*GroupRows-1].acc_out,
                  gen_row[2*GroupRows-1].acc_out, gen_row[GroupRows-1].acc_out};

  assign raw_o = gen_row[Rows-1].raw_out;
endmodule
