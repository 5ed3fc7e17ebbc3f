// SPDX-License-Identifier: Apache-2.0
// Proved properties of tensor_ctrl's acceptance (README.md, "Ports", "Commands"): included by
// formal tools only. All else is left out (prove.mjs --free): checks, issue rules and sequencers
// do what they like. So is the FIFO, of which only what fifo_properties.svh proves is used.
logic f_started = 1'b0;
always_ff @(posedge clk_i) f_started <= 1'b1;
always_comb assume (rst_ni == f_started);

// Commands in the FIFO; those issued and not retired, by slot. f_oldest: slot of the next status.
logic [CountW-1:0]            f_queued = '0, f_issued = '0;
logic [CommandDepth-1:0]      f_open = '0, f_expected;
logic [tensor_pkg::SlotW-1:0] f_oldest = '0;
logic [5:0]                   f_end;
always_ff @(posedge clk_i) begin
  if (rst_ni) begin
    f_queued <= f_queued + CountW'(accept) - CountW'(issue);
    f_issued <= f_issued + CountW'(flight_valid_o) - CountW'(retire_i);
    f_open   <= (f_open & ~(retire_i ? CommandDepth'(1) << f_oldest : '0)) |
                (flight_valid_o ? CommandDepth'(1) << flight_slot_o : '0);
    if (retire_i) f_oldest <= (32'(f_oldest) == CommandDepth - 1) ? '0 : f_oldest + 1'b1;
  end
end
always_comb begin
  assume (head_valid == (f_queued != '0));   // ValidIsCount of tern_fifo
  assume (!retire_i || f_issued != '0);      // OnlyIssued of tensor_retire
end

always_comb begin
  f_end = 6'(f_oldest) + 6'(f_issued);
  for (int unsigned i = 0; i < CommandDepth; i++) begin
    f_expected[i] = (i >= 32'(f_oldest) && i < 32'(f_end)) ||
                    (i < 32'(f_oldest) && i + CommandDepth < 32'(f_end));
  end
end
always_comb begin
  if (f_started) begin
    // "Fewer than CommandDepth commands are accepted and not retired."
    /* ReadyIsRoom */ assert (cmd_ready_o == (32'(f_queued) + 32'(f_issued) < CommandDepth));
    /* Bounded */ assert (32'(f_queued) + 32'(f_issued) == 32'(count_q) &&
                          32'(count_q) <= CommandDepth);
    // What the FIFO requires of its user.
    /* NoOverflow */ assert (!accept || 32'(f_queued) < CommandDepth);
    /* NoUnderflow */ assert (!issue || f_queued != '0);
    // What tensor_retire and tensor_psum_table require: no slot of a command in flight is reused.
    /* SlotsInRotation */ assert (32'(f_oldest) < CommandDepth && f_open == f_expected);
    /* NextSlot */ assert (32'(slot_q) < CommandDepth && (32'(slot_q) == 32'(f_end) ||
                           32'(slot_q) + CommandDepth == 32'(f_end)));
    /* SlotFree */ assert (!flight_valid_o || !f_open[flight_slot_o]);
    // "A rejected command changes nothing else."
    /* RejectedWritesNothing */ assert (!dest_valid_o ||
        (flight_valid_o && flight_status_o.code == tensor_pkg::CodeOk));
  end
end
