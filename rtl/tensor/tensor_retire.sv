// SPDX-License-Identifier: Apache-2.0
// Statuses in program order, at most one a cycle. A command keeps its slot from issue to status;
// slots are reused in rotation, so the oldest command has the slot after the last one to leave. A
// rejected command is done at once.
`include "tern_assert.svh"

module tensor_retire #(
  parameter int unsigned CommandDepth = 16
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         flight_valid_i,  // A command issues
  input  logic [tensor_pkg::SlotW-1:0] flight_slot_i,
  input  tensor_pkg::status_t          flight_status_i,
  input  logic                         load_done_i,     // Of array A
  input  logic [tensor_pkg::SlotW-1:0] load_done_slot_i,
  input  logic                         load_bad_i,      // It encountered a bad tag
  input  logic                         mx_load_done_i,
  input  logic [tensor_pkg::SlotW-1:0] mx_load_done_slot_i,
  input  logic      [CommandDepth-1:0] psum_done_i,     // By slot
  output logic                         status_valid_o,
  input  logic                         status_ready_i,
  output tensor_pkg::status_t          status_o,
  output logic                         retire_o         // A status leaves
);
  typedef logic [CommandDepth-1:0] mask_t;

  logic  [7:0] tag_q [CommandDepth];
  logic  [3:0] code_q [CommandDepth];
  mask_t done_q, done_now, done;
  logic  load_bad;
  logic [tensor_pkg::SlotW-1:0] head_q;

  always_comb begin
    done_now = psum_done_i;
    if (load_done_i) done_now = done_now | (mask_t'(1) << load_done_slot_i);
    if (mx_load_done_i) done_now = done_now | (mask_t'(1) << mx_load_done_slot_i);
    done = done_q | done_now;
  end

  // Reported already in the cycle of completion.
  assign load_bad       = load_done_i && load_bad_i && load_done_slot_i == head_q;
  assign status_valid_o = done[head_q];
  assign status_o.tag   = tag_q[head_q];
  assign status_o.code  = tensor_pkg::code_e'(load_bad ? tensor_pkg::CodeBadTag : code_q[head_q]);
  assign retire_o       = status_valid_o && status_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q <= '0;
      done_q <= '0;
    end else begin
      done_q <= (done & ~(retire_o ? mask_t'(1) << head_q : mask_t'(0))) |
                ((flight_valid_i && flight_status_i.code != tensor_pkg::CodeOk)
                 ? mask_t'(1) << flight_slot_i : mask_t'(0));
      if (retire_o) begin
        head_q <= (32'(head_q) == CommandDepth - 1) ? '0 : head_q + 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (flight_valid_i) begin
      tag_q[flight_slot_i]  <= flight_status_i.tag;
      code_q[flight_slot_i] <= flight_status_i.code;
    end
    if (load_done_i && load_bad_i) code_q[load_done_slot_i] <= tensor_pkg::CodeBadTag;
  end

  `TERN_ASSERT(DoneOnce, (done_q & done_now) == '0)

`ifdef FORMAL
`include "tensor_retire_properties.svh"
`endif
endmodule
