// SPDX-License-Identifier: Apache-2.0
// Weight-stationary tensor engine: command and status ports, SBUF read ports of every partition,
// PSUM inside. Ports, timing and arithmetic: README.md.
`include "tern_row.svh"
`include "tern_trace.svh"

module tensor_top #(
  parameter int unsigned Rows         = 128,  // Contraction: one row per SBUF partition
  parameter int unsigned Cols         = 128,  // Stationary columns: one per PSUM partition
  parameter int unsigned PsumBanks    = 8,
  parameter int unsigned BankColumns  = 512,  // Binary32 words per partition and bank
  parameter int unsigned MinInterval  = 64,   // Minimum cycles between two MultiplyMoving
  parameter int unsigned MaxMoving    = 4096,
  // Maximum number of commands accepted and not retired; power of two.
  parameter int unsigned CommandDepth = 16,
  // 1, 3 or 5: cycles of a multiply-add, and of one step of a block chain. Waves take as many to
  // reach the next row or block.
  parameter int unsigned Stages       = 1,
  // Paths of their own for frequent cases, or one path in each lane: fma_row.
  parameter bit          SplitPaths   = `TERN_SPLIT_PATHS
) (
  input  logic                                     clk_i,
  input  logic                                     rst_ni,
  // Per partition; constant while commands run.
  input  logic [tensor_pkg::AddrW:0]               sbuf_bytes_i,
  // In which an array at rest comes to its full rate, 0: at once; constant from reset on.
  input  logic [15:0]                              ramp_cycles_i,
  input  logic                                     cmd_valid_i,
  output logic                                     cmd_ready_o,
  input  tensor_pkg::cmd_t                         cmd_i,
  output logic                                     status_valid_o,
  input  logic                                     status_ready_i,
  output tensor_pkg::status_t                      status_o,
  // SBUF: data in the next cycle. Weights: 16 bytes of a partition, and 4 of their second plane.
  output logic [Rows-1:0]                          load_req_o,
  output logic [Rows-1:0][tensor_pkg::AddrW-3:0]   load_addr_o,        // In 4-byte words
  output logic [Rows-1:0]                          load_plane_req_o,
  output logic [Rows-1:0][tensor_pkg::AddrW-3:0]   load_plane_addr_o,  // In 4-byte words
  // Positions of sparse weights: 2 bytes.
  output logic [Rows-1:0]                          tag_req_o,
  output logic [Rows-1:0][tensor_pkg::AddrW-2:0]   tag_addr_o,         // In 2-byte words
  // Moving elements: 4 bytes, and 4 each of three more planes or column tiles. Four partitions
  // are read at the same address.
  output logic [Rows-1:0]                          move_req_o,
  output logic [Rows/4-1:0][tensor_pkg::AddrW-2:0] move_addr_o,        // In 2-byte words
  output logic [Rows-1:0][2:0]                     plane_req_o,
  output logic [Rows/4-1:0][2:0][tensor_pkg::AddrW-2:0] plane_addr_o,  // In 2-byte words
  // Scales of block b, from partition 32*(b/4) + 4*offset + b%4: 4 bytes and 1 byte.
  output logic [Rows/8-1:0]                        scale_load_req_o,
  output logic [Rows/8-1:0][tensor_pkg::AddrW-3:0] scale_load_addr_o,  // In 4-byte words
  output logic [Rows/8-1:0][1:0]                   scale_load_offset_o,
  output logic [Rows/8-1:0]                        scale_move_req_o,
  output logic [Rows/8-1:0][tensor_pkg::AddrW-1:0] scale_move_addr_o,  // In bytes
  output logic [Rows/8-1:0][1:0]                   scale_move_offset_o,
  `TERN_LANES
  input  logic [Rows-1:0][127:0]                   load_data_i,
  input  logic [Rows-1:0][31:0]                    load_plane_data_i,
  input  logic [Rows-1:0][15:0]                    tag_data_i,
  input  logic [Rows-1:0][31:0]                    move_data_i,
  input  logic [Rows-1:0][2:0][31:0]               plane_data_i,
  input  logic [Rows/8-1:0][31:0]                  scale_load_data_i,
  input  logic [Rows/8-1:0][7:0]                   scale_move_data_i,
  `TERN_LANES_END
  input  logic                                     access_valid_i,
  output logic                                     access_ready_o,
  input  tensor_pkg::access_t                      access_i,
  `TERN_LANES
  input  logic [Cols*32-1:0]                       access_wdata_i,
  `TERN_LANES_END
  output logic                                     access_rvalid_o,
  `TERN_LANES
  output logic [Cols*32-1:0]                       access_rdata_o,
  `TERN_LANES_END
  // Observation: [port, 4 = transposes][first column group of the tile].
  output logic [4:0][3:0]                          retire_valid_o,
  output logic [4:0][3:0][tensor_pkg::RetireW-1:0] retire_o,           // retire_t
  `TERN_LANES
  output logic [5*Cols*32-1:0]                     retire_data_o,
  `TERN_LANES_END
  output tensor_pkg::perf_t                        perf_o
);
  // Control.
  tensor_pkg::load_wave_t  load_wave;
  tensor_pkg::tag_wave_t   tag_wave;
  tensor_pkg::drain_wave_t drain_wave;
  tensor_pkg::mx_load_t    mx_load_wave;
  tensor_pkg::status_t     flight_status;
  tensor_pkg::dest_t       dest;
  tensor_ctrl_pkg::issue_t issue;
  logic [3:0][3:0][tensor_pkg::MoveWaveW-1:0] move_waves;
  logic [3:0][tensor_pkg::MxMoveW-1:0] mx_move_waves;
  logic [tensor_pkg::AddrW-2:0] plane;
  logic [tensor_pkg::SlotW-1:0] flight_slot, dest_slot, load_done_slot, mx_load_done_slot;
  logic flight_valid, dest_valid, load_done, load_bad, mx_load_done, retire, busy, weight_stall;

  // Results: port p of PSUM is port p of array A or of array X, never both in a cycle.
  logic [3:0][3:0] a_valid, port_valid;
  logic [3:0][3:0][tensor_pkg::SlotW-1:0] a_slot, port_slot;
  logic [3:0] x_valid, x_sums_q;
  logic [3:0][tensor_pkg::SlotW-1:0] x_slot;
  logic [tensor_pkg::SlotW-1:0] raw_slot;
  logic raw_valid;
  logic [CommandDepth-1:0] psum_done;
  `TERN_LANES
  logic [4*Cols*32-1:0] a_sum, x_sum, sum;
  logic [Cols*32-1:0]   raw;
  `TERN_LANES_END

  // Requests of the two arrays, likewise.
  logic [Rows-1:0] a_load_req, x_load_req, a_move_req, x_move_req, x_plane_req;
  logic [Rows-1:0][tensor_pkg::AddrW-3:0] a_load_addr, x_load_addr;
  logic [Rows-1:0][tensor_pkg::AddrW-2:0] x_move_addr, x_plane_addr;
  logic [Rows/4-1:0][tensor_pkg::AddrW-2:0] a_move_addr;
  logic [Rows-1:0][2:0] a_plane_req;
  logic [Rows/4-1:0][2:0][tensor_pkg::AddrW-2:0] a_plane_addr;
  `TERN_LANES
  logic [Rows-1:0][15:0] x_plane_data;
  `TERN_LANES_END

  tensor_ctrl #(
    .Rows(Rows), .Cols(Cols), .PsumBanks(PsumBanks), .BankColumns(BankColumns),
    .MinInterval(MinInterval), .MaxMoving(MaxMoving), .CommandDepth(CommandDepth), .Stages(Stages)
  ) u_ctrl (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .sbuf_bytes_i   (sbuf_bytes_i),
    .ramp_cycles_i  (ramp_cycles_i),
    .cmd_valid_i    (cmd_valid_i),
    .cmd_ready_o    (cmd_ready_o),
    .cmd_i          (cmd_i),
    .retire_i       (retire),
    .load_o         (load_wave),
    .tag_o          (tag_wave),
    .move_o         (move_waves),
    .plane_o        (plane),
    .drain_o        (drain_wave),
    .mx_load_o      (mx_load_wave),
    .mx_move_o      (mx_move_waves),
    .flight_valid_o (flight_valid),
    .flight_slot_o  (flight_slot),
    .flight_status_o(flight_status),
    .issue_o        (issue),
    .dest_valid_o   (dest_valid),
    .dest_slot_o    (dest_slot),
    .dest_o         (dest),
    .busy_o         (busy),
    .weight_stall_o (weight_stall)
  );

  tensor_array #(
    .Rows(Rows), .Cols(Cols), .Stages(Stages), .SplitPaths(SplitPaths)
  ) u_array (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .load_i          (load_wave),
    .tag_i           (tag_wave),
    .move_i          (move_waves),
    .plane_i         (plane),
    .drain_i         (drain_wave),
    .load_req_o      (a_load_req),
    .load_addr_o     (a_load_addr),
    .tag_req_o       (tag_req_o),
    .tag_addr_o      (tag_addr_o),
    .move_req_o      (a_move_req),
    .move_addr_o     (a_move_addr),
    .plane_req_o     (a_plane_req),
    .plane_addr_o    (a_plane_addr),
    .load_data_i     (load_data_i),
    .tag_data_i      (tag_data_i),
    .move_data_i     (move_data_i),
    .plane_data_i    (plane_data_i),
    .load_done_o     (load_done),
    .load_done_slot_o(load_done_slot),
    .load_bad_o      (load_bad),
    .port_valid_o    (a_valid),
    .port_slot_o     (a_slot),
    .raw_valid_o     (raw_valid),
    .raw_slot_o      (raw_slot),
    .sum_o           (a_sum),
    .raw_o           (raw)
  );

  tensor_mx #(
    .Rows(Rows), .Cols(Cols), .Stages(Stages), .SplitPaths(SplitPaths)
  ) u_mx (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .load_i             (mx_load_wave),
    .move_i             (mx_move_waves),
    .load_req_o         (x_load_req),
    .load_addr_o        (x_load_addr),
    .load_data_i        (load_data_i),
    .load_plane_req_o   (load_plane_req_o),
    .load_plane_addr_o  (load_plane_addr_o),
    .load_plane_data_i  (load_plane_data_i),
    .move_req_o         (x_move_req),
    .move_addr_o        (x_move_addr),
    .move_data_i        (move_data_i),
    .move_plane_req_o   (x_plane_req),
    .move_plane_addr_o  (x_plane_addr),
    .move_plane_data_i  (x_plane_data),
    .scale_load_req_o   (scale_load_req_o),
    .scale_load_addr_o  (scale_load_addr_o),
    .scale_load_offset_o(scale_load_offset_o),
    .scale_load_data_i  (scale_load_data_i),
    .scale_move_req_o   (scale_move_req_o),
    .scale_move_addr_o  (scale_move_addr_o),
    .scale_move_offset_o(scale_move_offset_o),
    .scale_move_data_i  (scale_move_data_i),
    .load_done_o        (mx_load_done),
    .load_done_slot_o   (mx_load_done_slot),
    .port_valid_o       (x_valid),
    .port_slot_o        (x_slot),
    .sum_o              (x_sum)
  );

  // The eight partitions of an array X block are read together, at the same address.
  assign load_req_o = a_load_req | x_load_req;
  assign move_req_o = a_move_req | x_move_req;
  for (genvar r = 0; r < Rows; r++) begin : gen_row
    assign load_addr_o[r]  = x_load_req[r] ? x_load_addr[r] : a_load_addr[r];
    assign plane_req_o[r]  = a_plane_req[r] | {2'b00, x_plane_req[r]};
    assign x_plane_data[r] = plane_data_i[r][0][15:0];
  end
  for (genvar h = 0; h < Rows / 4; h++) begin : gen_quad
    assign move_addr_o[h]     = x_move_req[4*h] ? x_move_addr[4*h] : a_move_addr[h];
    assign plane_addr_o[h][0] = x_plane_req[4*h] ? x_plane_addr[4*h] : a_plane_addr[h][0];
    assign plane_addr_o[h][1] = a_plane_addr[h][1];
    assign plane_addr_o[h][2] = a_plane_addr[h][2];
  end

  for (genvar p = 0; p < 4; p++) begin : gen_port
    assign port_valid[p] = a_valid[p] | {4{x_valid[p]}};
    assign port_slot[p]  = x_valid[p] ? {4{x_slot[p]}} : a_slot[p];
    assign sum[p*Cols*32+:Cols*32] = x_sums_q[p] ? x_sum[p*Cols*32+:Cols*32]
                                                 : a_sum[p*Cols*32+:Cols*32];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) x_sums_q <= '0;
    else x_sums_q <= x_valid;
  end

  tensor_psum #(
    .Cols(Cols), .PsumBanks(PsumBanks), .BankColumns(BankColumns), .CommandDepth(CommandDepth)
  ) u_psum (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .dest_valid_i   (dest_valid),
    .dest_slot_i    (dest_slot),
    .dest_i         (dest),
    .port_valid_i   (port_valid),
    .port_slot_i    (port_slot),
    .sum_i          (sum),
    .raw_valid_i    (raw_valid),
    .raw_slot_i     (raw_slot),
    .raw_i          (raw),
    .done_o         (psum_done),
    .retire_valid_o (retire_valid_o),
    .retire_o       (retire_o),
    .retire_data_o  (retire_data_o),
    .access_valid_i (access_valid_i),
    .access_ready_o (access_ready_o),
    .access_i       (access_i),
    .access_wdata_i (access_wdata_i),
    .access_rvalid_o(access_rvalid_o),
    .access_rdata_o (access_rdata_o)
  );

  tensor_retire #(
    .CommandDepth(CommandDepth)
  ) u_retire (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .flight_valid_i     (flight_valid),
    .flight_slot_i      (flight_slot),
    .flight_status_i    (flight_status),
    .load_done_i        (load_done),
    .load_done_slot_i   (load_done_slot),
    .load_bad_i         (load_bad),
    .mx_load_done_i     (mx_load_done),
    .mx_load_done_slot_i(mx_load_done_slot),
    .psum_done_i        (psum_done),
    .status_valid_o     (status_valid_o),
    .status_ready_i     (status_ready_i),
    .status_o           (status_o),
    .retire_o           (retire)
  );

  tensor_perf u_perf (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .busy_i         (busy),
    .issue_i        (issue),
    .weight_stall_i (weight_stall),
    .psum_conflict_i(access_valid_i && !access_ready_o),
    .perf_o         (perf_o)
  );
endmodule
