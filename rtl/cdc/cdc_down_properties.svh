// SPDX-License-Identifier: Apache-2.0
// Proved properties of cdc_down (README.md): included by formal tools only. What is taken leaves
// once, unchanged and in order, whenever the slow clock rises. Reset is active in the first cycle.
logic f_started = 1'b0;
logic f_edge = 1'b0, f_ready_i = 1'b0;
always_ff @(posedge clk_i) begin
  f_started <= 1'b1;
  f_edge    <= edge_i;
  f_ready_i <= ready_i;
end
always_comb assume (rst_ni == f_started);
// The slow side's answer changes only with its clock.
always_comb assume (!f_started || f_edge || ready_i == f_ready_i);

// Any one word: how many are ahead of it.
(* anyseq *) logic f_choose;
logic                f_chosen = 1'b0, f_inside = 1'b0;
logic [Width-1:0]    f_word = '0, f_held;
logic [CountW:0]     f_ahead = '0, f_total, f_leaving, f_place;
assign f_total   = (CountW + 1)'(count_q) + (CountW + 1)'(count_o);
assign f_leaving = (edge_i && valid_o && ready_i) ? (CountW + 1)'(count_o) : '0;
always_ff @(posedge clk_i) begin
  if (take && f_choose && !f_chosen && f_started) begin
    f_chosen <= 1'b1;
    f_inside <= 1'b1;
    f_word   <= data_i;
    f_ahead  <= f_total - f_leaving;
  end else if (f_inside) begin
    f_inside <= f_ahead >= f_leaving;
    f_ahead  <= f_ahead - f_leaving;
  end
end
always_comb begin
  f_held  = '0;
  f_place = f_ahead - (CountW + 1)'(count_o);
  for (int unsigned i = 0; i < Ratio; i++) begin
    if (f_ahead < (CountW + 1)'(count_o)) begin
      if (f_ahead == (CountW + 1)'(i)) f_held = data_o[i*Width+:Width];
    end else if (f_place == (CountW + 1)'(i)) begin
      f_held = words_q[i*Width+:Width];
    end
  end
end

// To the slow side: nothing changes but with its clock, and an offer waits for its answer.
logic [Ratio*Width+CountW-1:0] f_offer = '0;
logic f_waits = 1'b0;
always_ff @(posedge clk_i) begin
  f_offer <= {count_o, data_o};
  f_waits <= f_started && (!edge_i || (valid_o && !ready_i));
end
always_comb begin
  if (f_started) begin
    /* Bounded */ assert (count_q <= CountW'(Ratio) && count_o <= CountW'(Ratio));
    /* SlowStays */ assert (!f_waits || {count_o, data_o} == f_offer);
    /* KeepsPlace */ assert (!f_inside || f_ahead < f_total);
    /* KeepsWord */ assert (!f_inside || f_held == f_word);
  end
end
