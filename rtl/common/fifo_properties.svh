// SPDX-License-Identifier: Apache-2.0
// Proved properties of tern_fifo (README.md): included in the module by formal tools only. What is
// pushed leaves once, unchanged and in order, at any times of pushes and pops. Reset is active in
// the first cycle only.
logic f_started = 1'b0;
always_ff @(posedge clk_i) f_started <= 1'b1;
always_comb assume (rst_ni == f_started);

// What users guarantee.
logic [PtrW:0] f_count;
assign f_count = write_q - read_q;
always_comb begin
  assume (!pop_i || f_count != '0);
  assume (!push_i || f_count != (PtrW + 1)'(Depth));
end

// Any one of the words, chosen when it is pushed.
(* anyseq *) logic f_choose;
logic             f_inside = 1'b0, f_chosen = 1'b0;
logic [PtrW:0]    f_place = '0, f_ahead = '0;  // Where it is; words before it
logic [Width-1:0] f_word = '0;
logic             f_takes, f_leaves;
assign f_takes  = push_i && f_choose && !f_chosen && rst_ni;
assign f_leaves = pop_i && f_inside && f_ahead == '0;
always_ff @(posedge clk_i) begin
  if (f_takes) begin
    f_chosen <= 1'b1;
    f_inside <= 1'b1;
    f_place  <= write_q;
    f_word   <= data_i;
    f_ahead  <= f_count - (PtrW + 1)'(pop_i);
  end else if (f_inside && pop_i) begin
    f_inside <= !f_leaves;
    f_ahead  <= f_ahead - 1'b1;
  end
end

always_comb begin
  if (f_started) begin
    /* Bounded */ assert (f_count <= (PtrW + 1)'(Depth));
    /* ValidIsCount */ assert (valid_o == (f_count != '0));
    /* KeepsOrder */ assert (!f_inside || (f_ahead < f_count && f_place == read_q + f_ahead));
    /* KeepsWord */ assert (!f_inside || words[f_place[PtrW-1:0]*Width+:Width] == f_word);
    /* LeavesUnchanged */ assert (!f_leaves || data_o == f_word);
    /* OnceInside */ assert (!f_inside || f_chosen);
  end
end
