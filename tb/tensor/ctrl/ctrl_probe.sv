// SPDX-License-Identifier: Apache-2.0
// Control, retire unit and counters of the tensor engine without arrays and PSUM: the bench reports
// when commands are complete.
module ctrl_probe #(
  parameter int unsigned Rows         = 128,
  parameter int unsigned Cols         = 128,
  parameter int unsigned PsumBanks    = 8,
  parameter int unsigned BankColumns  = 512,
  parameter int unsigned MinInterval  = 64,
  parameter int unsigned MaxMoving    = 4096,
  parameter int unsigned CommandDepth = 16,
  parameter int unsigned Stages       = 1
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  input  logic [tensor_pkg::AddrW:0]          sbuf_bytes_i,
  input  logic [15:0]                         ramp_cycles_i,
  input  logic                                cmd_valid_i,
  output logic                                cmd_ready_o,
  input  tensor_pkg::cmd_t                    cmd_i,
  input  logic                                load_done_i,
  input  logic [tensor_pkg::SlotW-1:0]        load_done_slot_i,
  input  logic                                load_bad_i,
  input  logic                                mx_load_done_i,
  input  logic [tensor_pkg::SlotW-1:0]        mx_load_done_slot_i,
  input  logic [CommandDepth-1:0]             psum_done_i,
  output logic                                status_valid_o,
  input  logic                                status_ready_i,
  output tensor_pkg::status_t                 status_o,
  output tensor_pkg::load_wave_t              load_o,
  output tensor_pkg::tag_wave_t               tag_o,
  output logic [3:0][3:0][tensor_pkg::MoveWaveW-1:0] move_o,
  output logic signed [tensor_pkg::AddrW-2:0] plane_o,
  output tensor_pkg::drain_wave_t             drain_o,
  output tensor_pkg::mx_load_t                mx_load_o,
  output logic [3:0][tensor_pkg::MxMoveW-1:0] mx_move_o,
  output logic                                flight_valid_o,
  output logic [tensor_pkg::SlotW-1:0]        flight_slot_o,
  output tensor_pkg::status_t                 flight_status_o,
  output logic                                dest_valid_o,
  output logic [tensor_pkg::SlotW-1:0]        dest_slot_o,
  output tensor_pkg::dest_t                   dest_o,
  output logic                                busy_o,
  output logic                                weight_stall_o,
  output tensor_pkg::perf_t                   perf_o
);
  logic retire;
  tensor_ctrl_pkg::issue_t issue;

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
    .load_o         (load_o),
    .tag_o          (tag_o),
    .move_o         (move_o),
    .plane_o        (plane_o),
    .drain_o        (drain_o),
    .mx_load_o      (mx_load_o),
    .mx_move_o      (mx_move_o),
    .flight_valid_o (flight_valid_o),
    .flight_slot_o  (flight_slot_o),
    .flight_status_o(flight_status_o),
    .issue_o        (issue),
    .dest_valid_o   (dest_valid_o),
    .dest_slot_o    (dest_slot_o),
    .dest_o         (dest_o),
    .busy_o         (busy_o),
    .weight_stall_o (weight_stall_o)
  );

  tensor_retire #(
    .CommandDepth(CommandDepth)
  ) u_retire (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .flight_valid_i     (flight_valid_o),
    .flight_slot_i      (flight_slot_o),
    .flight_status_i    (flight_status_o),
    .load_done_i        (load_done_i),
    .load_done_slot_i   (load_done_slot_i),
    .load_bad_i         (load_bad_i),
    .mx_load_done_i     (mx_load_done_i),
    .mx_load_done_slot_i(mx_load_done_slot_i),
    .psum_done_i        (psum_done_i),
    .status_valid_o     (status_valid_o),
    .status_ready_i     (status_ready_i),
    .status_o           (status_o),
    .retire_o           (retire)
  );

  tensor_perf u_perf (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .busy_i         (busy_o),
    .issue_i        (issue),
    .weight_stall_i (weight_stall_o),
    .psum_conflict_i(1'b0),
    .perf_o         (perf_o)
  );
endmodule
