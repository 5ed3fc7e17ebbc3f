// SPDX-License-Identifier: Apache-2.0
// Proved properties of exp_unit's handshakes (README.md, "Ports"): included by formal tools only.
// Its arithmetic is left out (prove.mjs --free), except with EXP_WITH_DATA. Reset is active in the
// first cycle only.
`include "handshake_properties.svh"

logic f_started = 1'b0;
always_ff @(posedge clk_i) f_started <= 1'b1;
always_comb begin
  assume (rst_ni == f_started);
  // What users guarantee (KnownSource and the others in exp_unit.sv).
  assume (!(valid_i && load_i) || (first_i && sum_i));
end

// "Until then they stay": no stage takes anything, so no register of a result changes.
`ifdef EXP_WITH_DATA
`TERN_OFFER_STAYS(result, valid_o, ready_i, {last_o, data_o, acc_o})
`else
`TERN_OFFER_STAYS(result, valid_o, ready_i, last_o)
`endif
logic f_enter, f_leave;
assign f_enter = valid_i && ready_o;
assign f_leave = valid_o && ready_i;
always_comb begin
  /* HoldsAllStages */ assert (!(valid_o && !ready_i) || (take == '0 && !ready_o));
  /* NoValidInReady */ assert (ready_o == ((!valid_o || ready_i) && !(loading_q && load_i)));
end

// Any one of the groups, chosen when it is taken: it leaves once, in order, with its last_i.
(* anyseq *) logic   f_choose;
logic                f_inside = 1'b0, f_chosen = 1'b0, f_last = 1'b0, f_load = 1'b0;
logic [Stages:1]     f_stage = '0, f_before;      // Where it is; the stages before it in order
logic [3:0]          f_ahead = '0, f_count, f_filled;  // Groups taken and not left: all, before it
logic                f_takes, f_leaves;
assign f_takes  = f_enter && f_choose && !f_chosen && rst_ni;
assign f_leaves = f_inside && f_leave && f_ahead == '0;
logic [3:0] f_groups = '0;                        // Taken and not left, counted at the ports
always_ff @(posedge clk_i) begin
  if (rst_ni) f_groups <= f_groups + 4'(f_enter) - 4'(f_leave);
  if (f_takes) begin
    f_chosen <= 1'b1;
    f_inside <= 1'b1;
    f_last   <= last_i;
    f_load   <= load_i;
    f_stage  <= Stages'(1);
    f_ahead  <= f_groups - 4'(f_leave);
  end else if (f_inside) begin
    if (move) f_stage <= f_stage << 1;
    f_ahead  <= f_ahead - 4'(f_leave);
    f_inside <= !f_leaves;
  end
end

assign f_before = ~(f_stage | (f_stage - 1'b1)) & valid_q;
always_comb begin
  f_count  = '0;
  f_filled = '0;
  for (int unsigned s = 1; s <= Stages; s++) begin
    f_count  = f_count + 4'(f_before[s]);
    f_filled = f_filled + 4'(valid_q[s]);
  end
end
always_comb begin
  if (f_started) begin
    /* NoneLost */ assert (f_groups == f_filled);
    /* OneStage */ assert (!f_inside || (f_stage != '0 && (f_stage & (f_stage - 1'b1)) == '0));
    /* ItIsThere */ assert (!f_inside || (f_stage & valid_q) != '0);
    /* KeepsOrder */ assert (!f_inside || f_ahead == f_count);
    /* KeepsLast */ assert (!f_inside || ((f_stage & last_q) != '0) == f_last);
    /* LeavesUnchanged */ assert (!f_leaves || last_o == f_last);
    /* OnceInside */ assert (!f_inside || f_chosen);
  end
end

// "At most one instruction that loads is in flight": loading_q is set as long as its group has not
// reached stage 8, where acc_i is used.
logic [7:1] f_loads;
assign f_loads = valid_q[7:1] & load_q;
always_comb begin
  if (f_started) begin
    /* OneLoads */ assert ((f_loads & (f_loads - 1'b1)) == '0);
    /* LoadingIsKnown */ assert (loading_q == (f_loads != '0));
  end
end
