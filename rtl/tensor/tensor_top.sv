// SPDX-License-Identifier: Apache-2.0
// Weight-stationary tensor engine: command and status ports, SBUF read ports of every partition,
// PSUM inside. Ports, timing and arithmetic: README.md.
`include "tern_trace.svh"

module tensor_top #(
  parameter int unsigned Rows         = 128,  // contraction: one row per SBUF partition
  parameter int unsigned Cols         = 128,  // stationary columns: one per PSUM partition
  parameter int unsigned PsumBanks    = 8,
  parameter int unsigned BankColumns  = 512,  // binary32 words per partition and bank
  parameter int unsigned MinInterval  = 64,   // cycles between two MultiplyMoving at least
  parameter int unsigned MaxMoving    = BankColumns,
  // Commands accepted and not retired at most; power of two.
  parameter int unsigned CommandDepth = 16
) (
  input  logic                                   clk_i,
  input  logic                                   rst_ni,
  // Per partition; constant while commands run.
  input  logic [tensor_pkg::AddrW:0]             sbuf_bytes_i,
  input  logic                                   cmd_valid_i,
  output logic                                   cmd_ready_o,
  input  tensor_pkg::cmd_t                       cmd_i,
  output logic                                   status_valid_o,
  input  logic                                   status_ready_i,
  output tensor_pkg::status_t                    status_o,
  // 8 bytes of a partition, data in the next cycle.
  output logic [Rows-1:0]                        load_req_o,
  output logic [Rows-1:0][tensor_pkg::AddrW-4:0] load_addr_o,  // in 8-byte words
  `TERN_LANES
  input  logic [Rows-1:0][63:0]                  load_data_i,
  `TERN_LANES_END
  // 2 bytes of a partition, data in the next cycle.
  output logic [Rows-1:0]                        move_req_o,
  output logic [Rows-1:0][tensor_pkg::AddrW-2:0] move_addr_o,  // in 2-byte elements
  `TERN_LANES
  input  logic [Rows-1:0][15:0]                  move_data_i,
  `TERN_LANES_END
  input  logic                                   access_valid_i,
  output logic                                   access_ready_o,
  input  tensor_pkg::access_t                    access_i,
  `TERN_LANES
  input  logic [Cols-1:0][31:0]                  access_wdata_i,
  `TERN_LANES_END
  output logic                                   access_rvalid_o,
  `TERN_LANES
  output logic [Cols-1:0][31:0]                  access_rdata_o,
  `TERN_LANES_END
  output logic                                   retire_valid_o,
  output tensor_pkg::retire_t                    retire_o,
  `TERN_LANES
  output logic [Cols-1:0][31:0]                  retire_data_o,
  `TERN_LANES_END
  output tensor_pkg::perf_t                      perf_o
);
  tensor_pkg::load_wave_t load_top, load_bottom;
  tensor_pkg::move_wave_t move_top, move_bottom;
  tensor_pkg::flight_t    flight;
  tensor_pkg::dest_t      dest;
  logic flight_valid, dest_valid, move_done, retire, busy, weight_stall;
  logic [15:0] tile_macs;
  `TERN_LANES
  logic [Cols*32-1:0] sum;
  `TERN_LANES_END

  tensor_ctrl #(
    .Rows(Rows), .Cols(Cols), .PsumBanks(PsumBanks), .BankColumns(BankColumns),
    .MinInterval(MinInterval), .MaxMoving(MaxMoving), .CommandDepth(CommandDepth)
  ) u_ctrl (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .sbuf_bytes_i  (sbuf_bytes_i),
    .cmd_valid_i   (cmd_valid_i),
    .cmd_ready_o   (cmd_ready_o),
    .cmd_i         (cmd_i),
    .retire_i      (retire),
    .load_o        (load_top),
    .move_o        (move_top),
    .flight_valid_o(flight_valid),
    .flight_o      (flight),
    .dest_valid_o  (dest_valid),
    .dest_o        (dest),
    .tile_macs_o   (tile_macs),
    .busy_o        (busy),
    .weight_stall_o(weight_stall)
  );

  tensor_array #(
    .Rows(Rows), .Cols(Cols)
  ) u_array (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .load_i     (load_top),
    .load_o     (load_bottom),
    .move_i     (move_top),
    .move_o     (move_bottom),
    .load_req_o (load_req_o),
    .load_addr_o(load_addr_o),
    .load_data_i(load_data_i),
    .move_req_o (move_req_o),
    .move_addr_o(move_addr_o),
    .move_data_i(move_data_i),
    .acc_o      (sum)
  );

  tensor_psum #(
    .Cols(Cols), .PsumBanks(PsumBanks), .BankColumns(BankColumns), .CommandDepth(CommandDepth)
  ) u_psum (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .dest_valid_i   (dest_valid),
    .dest_i         (dest),
    .column_valid_i (move_bottom.valid),
    .sum_i          (sum),
    .retire_valid_o (retire_valid_o),
    .retire_o       (retire_o),
    .retire_data_o  (retire_data_o),
    .move_done_o    (move_done),
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
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .flight_valid_i(flight_valid),
    .flight_i      (flight),
    .load_done_i   (load_bottom.valid && load_bottom.last),
    .move_done_i   (move_done),
    .status_valid_o(status_valid_o),
    .status_ready_i(status_ready_i),
    .status_o      (status_o),
    .retire_o      (retire)
  );

  tensor_perf u_perf (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .busy_i         (busy),
    .load_i         (flight_valid && flight.status.code == tensor_pkg::CodeOk && !flight.is_move),
    .move_i         (dest_valid),
    .error_i        (flight_valid && flight.status.code != tensor_pkg::CodeOk),
    .macs_i         (move_top.valid ? tile_macs : 16'd0),
    .column_i       (move_top.valid),
    .weight_stall_i (weight_stall),
    .psum_conflict_i(access_valid_i && !access_ready_o),
    .perf_o         (perf_o)
  );
endmodule
