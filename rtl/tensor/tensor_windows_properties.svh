// SPDX-License-Identifier: Apache-2.0
// Proved properties of tensor_windows (README.md, "Timing"): included by formal tools only. The
// writes of all issued commands are kept as a schedule, one bit per future cycle, of any one bank
// and column group. No command that issues meets a write of another. Reset is active in the first
// cycle only.
localparam int unsigned FCycles = 32;  // Longest D + N of the proof

logic f_started = 1'b0;
always_ff @(posedge clk_i) f_started <= 1'b1;
always_comb assume (rst_ni == f_started);

// Any bank and column group.
(* anyconst *) logic [$clog2(PsumBanks)-1:0] f_bank;
(* anyconst *) logic [1:0]                   f_group;
always_comb assume (32'(f_bank) < PsumBanks);

// What the issue rules and the plan guarantee.
always_comb begin
  assume (!start_i || (valid_i && free_o));
  assume (plan_i.latency >= 10'd1 && plan_i.columns >= 16'd1);
  assume (32'(plan_i.latency) + 32'(plan_i.columns) <= FCycles);
end

// Does the command write there? A quad command writes each quarter of PSUM likewise.
logic [31:0] f_in_quarter;
logic        f_claims, f_draws;
assign f_in_quarter = plan_i.quad ? 32'(f_bank) % (PsumBanks / 4) : 32'(f_bank);
assign f_claims = f_in_quarter >= 32'(cmd_i.psum_bank) && f_in_quarter <= 32'(plan_i.last_bank) &&
                  plan_i.col_groups[f_group];
assign f_draws  = plan_i.is_move && cmd_i.stochastic;

// "PSUM write of column n: issue + n + D", n < N. Bit k: a write in k cycles from now.
logic [FCycles:0] f_writes = '0, f_random = '0, f_new;
always_comb begin
  for (int unsigned k = 0; k <= FCycles; k++) begin
    f_new[k] = k >= 32'(plan_i.latency) && k < 32'(plan_i.latency) + 32'(plan_i.columns);
  end
end
always_ff @(posedge clk_i) begin
  if (rst_ni) begin
    f_writes <= (f_writes | ((start_i && f_claims) ? f_new : '0)) >> 1;
    f_random <= (f_random | ((start_i && f_draws) ? f_new : '0)) >> 1;
  end
end

// Invariants: no write is scheduled after the end of the window that the counter holds.
logic [15:0] f_left [PsumBanks*4];
logic [15:0] f_counter;
for (genvar w = 0; w < PsumBanks * 4; w++) begin : gen_left
  assign f_left[w] = gen_window[w].left_q;
end
assign f_counter = f_left[{f_bank, f_group}];
always_comb begin
  if (f_started) begin
    for (int unsigned k = 0; k <= FCycles; k++) begin
      /* Covered */ assert (!f_writes[k] || k < 32'(f_counter));
      /* RandomCovered */ assert (!f_random[k] || k < 32'(random_q));
    end
    /* Running */ assert (f_counter <= running_q && random_q <= running_q);
    // "Issue + D not before the end of the windows of earlier commands on the same PSUM banks and
    // column groups": so one write a cycle in each.
    /* OneWrite */ assert (!start_i || !f_claims || (f_writes & f_new) == '0);
    /* InOrder */ assert (!start_i || !f_claims ||
                          (f_writes >> plan_i.latency) == '0);
    // "Stochastic: of earlier stochastic ones".
    /* OneDraws */ assert (!start_i || !f_draws || (f_random & f_new) == '0);
  end
end
