// SPDX-License-Identifier: Apache-2.0
// Proved properties of tensor_retire (README.md, "Ports" and "Timing"): included by formal tools
// only. Statuses leave once, unchanged, in program order, whatever the order in which commands are
// complete. Reset is active in the first cycle only.
`include "handshake_properties.svh"

logic f_started = 1'b0;
always_ff @(posedge clk_i) f_started <= 1'b1;
always_comb assume (rst_ni == f_started);

// What the engine guarantees: slots in rotation, at most CommandDepth commands in flight, each
// complete once, after its issue; a rejected one never. f_open: issued and not retired; f_working:
// issued, good and not complete.
logic [CommandDepth-1:0] f_open = '0, f_working = '0, f_issues, f_done_a, f_done_x, f_leaves_at;
logic [tensor_pkg::SlotW-1:0] f_next = '0;  // Slot of the next command
logic                    f_good;
assign f_good      = flight_status_i.code == tensor_pkg::CodeOk;
assign f_issues    = flight_valid_i ? mask_t'(1) << flight_slot_i : '0;
assign f_done_a    = load_done_i ? mask_t'(1) << load_done_slot_i : '0;
assign f_done_x    = mx_load_done_i ? mask_t'(1) << mx_load_done_slot_i : '0;
assign f_leaves_at = retire_o ? mask_t'(1) << head_q : '0;
always_comb begin
  assume (!flight_valid_i || (flight_slot_i == f_next && !f_open[flight_slot_i]));
  assume (((f_done_a | f_done_x | psum_done_i) & ~f_working) == '0);
  assume ((f_done_a & f_done_x) == '0 && ((f_done_a | f_done_x) & psum_done_i) == '0);
  assume (!load_done_i || 32'(load_done_slot_i) < CommandDepth);
  assume (!mx_load_done_i || 32'(mx_load_done_slot_i) < CommandDepth);
end
always_ff @(posedge clk_i) begin
  if (rst_ni) begin
    f_open    <= (f_open & ~f_leaves_at) | f_issues;
    f_working <= (f_working & ~done_now) | (f_good ? f_issues : '0);
    if (flight_valid_i) f_next <= (32'(f_next) == CommandDepth - 1) ? '0 : f_next + 1'b1;
  end
end

// "Valid stays, with its data, until taken."
`TERN_OFFER_STAYS(status, status_valid_o, status_ready_i, status_o)

// Any command, chosen when it issues.
(* anyseq *) logic            f_choose;
logic                         f_inside = 1'b0, f_chosen = 1'b0, f_takes, f_leaves;
logic [tensor_pkg::SlotW-1:0] f_slot = '0;
logic [7:0]                   f_tag = '0;
logic [3:0]                   f_code = '0;
logic [4:0]                   f_ahead = '0, f_count = '0;  // Commands before it; all in flight
assign f_takes  = flight_valid_i && f_choose && !f_chosen && rst_ni;
assign f_leaves = f_inside && retire_o && f_ahead == '0;
always_ff @(posedge clk_i) begin
  if (rst_ni) f_count <= f_count + 5'(flight_valid_i) - 5'(retire_o);
  if (f_takes) begin
    f_chosen <= 1'b1;
    f_inside <= 1'b1;
    f_slot   <= flight_slot_i;
    f_tag    <= flight_status_i.tag;
    f_code   <= flight_status_i.code;
    f_ahead  <= f_count - 5'(retire_o);
  end else if (f_inside) begin
    f_ahead  <= f_ahead - 5'(retire_o);
    f_inside <= !f_leaves;
    if (load_done_i && load_done_slot_i == f_slot && load_bad_i) begin
      f_code <= tensor_pkg::CodeBadTag;
    end
  end
end

// The slots in flight are those from head_q on, as many as f_count.
logic [CommandDepth-1:0] f_expected;
logic [5:0]              f_end;
always_comb begin
  f_end = 6'(head_q) + 6'(f_count);
  for (int unsigned i = 0; i < CommandDepth; i++) begin
    f_expected[i] = (i >= 32'(head_q) && i < 32'(f_end)) ||
                    (i < 32'(head_q) && i + CommandDepth < 32'(f_end));
  end
end
always_comb begin
  if (f_started) begin
    /* SlotsInRotation */ assert (32'(head_q) < CommandDepth && f_open == f_expected &&
                                  32'(f_count) <= CommandDepth);
    /* NextAfterLast */ assert (32'(f_next) < CommandDepth && (32'(f_next) == 32'(f_end) ||
                                32'(f_next) + CommandDepth == 32'(f_end)));
    /* OnlyIssued */ assert (!status_valid_o || f_open[head_q]);
    // A command in flight is either working or complete.
    /* WorkingOrDone */ assert ((f_working & done_q) == '0 && (f_working | done_q) == f_open);
    /* StaysInSlot */ assert (!f_inside || (f_open[f_slot] && (
        32'(f_slot) == 32'(head_q) + 32'(f_ahead) ||
        32'(f_slot) + CommandDepth == 32'(head_q) + 32'(f_ahead))));
    /* AheadCounts */ assert (!f_inside || f_ahead < f_count);
    /* KeepsStatus */ assert (!f_inside || (tag_q[f_slot] == f_tag && code_q[f_slot] == f_code));
    // "Statuses in program order": with its tag and code.
    /* LeavesUnchanged */ assert (!f_leaves || (status_o.tag == f_tag && status_o.code ==
        ((load_done_i && load_done_slot_i == f_slot && load_bad_i) ? tensor_pkg::CodeBadTag
                                                                   : f_code)));
    /* OnceInside */ assert (!f_inside || f_chosen);
  end
end
