// SPDX-License-Identifier: Apache-2.0
// Proved properties of cdc_up (README.md): included by formal tools only. What is taken leaves
// once, unchanged and in order, whenever the slow clock rises. Reset is active in the first cycle.
`include "handshake_properties.svh"
logic f_started = 1'b0;
logic f_edge = 1'b0;
always_ff @(posedge clk_i) begin
  f_started <= 1'b1;
  f_edge    <= edge_i;
end
always_comb assume (rst_ni == f_started);
always_comb assume (!valid_i || (count_i != '0 && count_i <= CountW'(Ratio)));

// Any one word of what is taken: how many are ahead of it.
(* anyseq *) logic f_choose;
(* anyseq *) logic [CountW-1:0] f_index;
logic             f_chosen = 1'b0, f_inside = 1'b0, f_takes;
logic [Width-1:0] f_word = '0, f_new, f_held;
logic [FillW-1:0] f_ahead = '0;
assign f_takes = push && f_choose && !f_chosen && f_started && f_index < count_i;
always_comb begin
  f_new  = '0;
  f_held = '0;
  for (int unsigned i = 0; i < Ratio; i++) begin
    if (f_index == CountW'(i)) f_new = data_i[i*Width+:Width];
  end
  for (int unsigned i = 0; i < Slots; i++) begin
    if (f_ahead == FillW'(i)) f_held = words_q[i*Width+:Width];
  end
end
always_ff @(posedge clk_i) begin
  if (f_takes) begin
    f_chosen <= 1'b1;
    f_inside <= 1'b1;
    f_word   <= f_new;
    f_ahead  <= left + FillW'(f_index);
  end else if (f_inside && pop) begin
    f_inside <= f_ahead != '0;
    f_ahead  <= f_ahead - 1'b1;
  end
end

logic f_ready = 1'b1;
always_ff @(posedge clk_i) f_ready <= ready_o;
`TERN_OFFER_STAYS(fast, valid_o, ready_i, data_o)
always_comb begin
  if (f_started) begin
    /* Bounded */ assert (fill_q <= FillW'(Slots));
    /* RoomWhenReady */ assert (!ready_o || fill_q <= FillW'(Ratio));
    /* ReadyOfSlowClock */ assert (f_edge || ready_o == f_ready);
    /* KeepsPlace */ assert (!f_inside || f_ahead < fill_q);
    /* KeepsWord */ assert (!f_inside || f_held == f_word);
  end
end
