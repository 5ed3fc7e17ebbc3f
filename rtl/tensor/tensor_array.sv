// SPDX-License-Identifier: Apache-2.0
// Array A: Rows identical rows. Control and partial sums travel down one row per cycle, so that
// whatever happens in row r happens r cycles after it happened in row 0. Four row groups, each with
// an entry for waves at its top and a port for results at its bottom.
`include "tern_trace.svh"

module tensor_array #(
  parameter int unsigned Rows = 128,
  parameter int unsigned Cols = 128
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
  localparam int unsigned GroupRows = Rows / 4;
  localparam int unsigned GroupW    = Cols * 8;  // Bits of a column group

  if (Rows % 16 != 0 || Cols % 16 != 0) begin : gen_bad_size
    $error("Rows and Cols must be multiples of 16");
  end

  for (genvar r = 0; r < Rows; r++) begin : gen_row
    tensor_pkg::load_wave_t load_in, load_out;
    tensor_pkg::tag_wave_t tag_in, tag_out;
    tensor_pkg::drain_wave_t drain_in, drain_out;
    tensor_pkg::move_wave_t wave0_in, wave1_in, wave2_in, wave3_in;
    tensor_pkg::move_wave_t wave0_out, wave1_out, wave2_out, wave3_out;
    `TERN_LANES
    logic [511:0] window;
    logic [Cols*32-1:0] acc_in, acc_out, raw_in, raw_out;
    `TERN_LANES_END

    if (r == 0) begin : gen_first
      assign load_in  = load_i;
      assign tag_in   = tag_i;
      assign drain_in = drain_i;
      assign wave0_in = move_i[0][0];
      assign wave1_in = move_i[0][1];
      assign wave2_in = move_i[0][2];
      assign wave3_in = move_i[0][3];
      assign acc_in   = '0;  // Every chain starts from +0
      assign raw_in   = '0;
    end else begin : gen_next
      assign load_in  = gen_row[r-1].load_out;
      assign tag_in   = gen_row[r-1].tag_out;
      assign drain_in = gen_row[r-1].drain_out;
      assign raw_in   = gen_row[r-1].raw_out;
      if (r % GroupRows == 0) begin : gen_entrance
        assign wave0_in = gen_group[r/GroupRows-1].gen_lane[0].wave;
        assign wave1_in = gen_group[r/GroupRows-1].gen_lane[1].wave;
        assign wave2_in = gen_group[r/GroupRows-1].gen_lane[2].wave;
        assign wave3_in = gen_group[r/GroupRows-1].gen_lane[3].wave;
        assign acc_in   = gen_group[r/GroupRows-1].acc;
      end else begin : gen_inside
        assign wave0_in = gen_row[r-1].wave0_out;
        assign wave1_in = gen_row[r-1].wave1_out;
        assign wave2_in = gen_row[r-1].wave2_out;
        assign wave3_in = gen_row[r-1].wave3_out;
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
      .Cols(Cols)
    ) u_row (
      .clk_i      (clk_i),
      .rst_ni     (rst_ni),
      .row_i      (2'(r)),
      .load_i     (load_in),
      .load_o     (load_out),
      .tag_i      (tag_in),
      .tag_o      (tag_out),
      .drain_i    (drain_in),
      .drain_o    (drain_out),
      .wave0_i    (wave0_in),
      .wave1_i    (wave1_in),
      .wave2_i    (wave2_in),
      .wave3_i    (wave3_in),
      .wave0_o    (wave0_out),
      .wave1_o    (wave1_out),
      .wave2_o    (wave2_out),
      .wave3_o    (wave3_out),
      .load_req_o (load_req_o[r]),
      .load_addr_o(load_addr_o[r]),
      .load_data_i(load_data_i[r]),
      .tag_req_o  (tag_req_o[r]),
      .tag_addr_o (tag_addr_o[r]),
      .tag_data_i (tag_data_i[r]),
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

    if (h == 0) begin : gen_first
      assign plane_in = plane_i;
    end else begin : gen_next
      assign plane_in = gen_quad[h-1].plane_out;
    end

    tensor_feed u_feed (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .wave0_i     (gen_row[4*h].wave0_in),
      .wave1_i     (gen_row[4*h].wave1_in),
      .wave2_i     (gen_row[4*h].wave2_in),
      .wave3_i     (gen_row[4*h].wave3_in),
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

      if (j == 0) begin : gen_above0
        assign above = gen_row[Last].wave0_out;
      end else if (j == 1) begin : gen_above1
        assign above = gen_row[Last].wave1_out;
      end else if (j == 2) begin : gen_above2
        assign above = gen_row[Last].wave2_out;
      end else begin : gen_above3
        assign above = gen_row[Last].wave3_out;
      end
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

  // The end of a load: groups of four columns leave the last row; a bad position in any of them is
  // reported with the last.
  logic bad, bad_q;

  assign bad              = bad_q || gen_row[Rows-1].tag_out.bad;
  assign load_done_o      = gen_row[Rows-1].load_out.valid && gen_row[Rows-1].load_out.last;
  assign load_done_slot_o = gen_row[Rows-1].load_out.slot;
  assign load_bad_o       = gen_row[Rows-1].tag_out.valid && bad;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) bad_q <= 1'b0;
    else if (gen_row[Rows-1].load_out.valid) bad_q <= load_bad_o && !load_done_o;
  end

  assign raw_valid_o = gen_row[Rows-1].drain_out.valid;
  assign raw_slot_o  = gen_row[Rows-1].drain_out.slot;
  assign raw_o       = gen_row[Rows-1].raw_out;
endmodule
