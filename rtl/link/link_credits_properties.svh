// SPDX-License-Identifier: Apache-2.0
// Proved of the credits (README.md, "Proofs"): included in link_credits by formal tools only. The
// other end is the contract: it frees what it has, and tells what it has given, as this one does.
// One class, any. Reset is the first cycle.
localparam int unsigned FStages = 2;  // Of the wire back, on which any flit may be lost

logic f_started = 1'b0;
always_ff @(posedge clk_i) f_started <= 1'b1;
always_comb begin
  assume (rst_ni == f_started);
  assume (!pkt_send_i || pkt_allowed_o);
  assume (pkt_dwords_i <= link_pkg::CountBits'(link_pkg::MaxData));
  assume (free_dwords_i <= link_pkg::CountBits'(link_pkg::MaxData));
end

(* anyconst *) logic [1:0] f_class;
logic [HeadBits-1:0] f_head_limit, f_head_used, f_head_here;
logic [DataBits-1:0] f_data_limit, f_data_used, f_data_here;
assign f_head_limit = head_limit_q[f_class*HeadBits+:HeadBits];
assign f_head_used  = head_used_q[f_class*HeadBits+:HeadBits];
assign f_head_here  = head_given_q[f_class*HeadBits+:HeadBits];
assign f_data_limit = data_limit_q[f_class*DataBits+:DataBits];
assign f_data_used  = data_used_q[f_class*DataBits+:DataBits];
assign f_data_here  = data_given_q[f_class*DataBits+:DataBits];

// --- The other end: a buffer as large as this one's. What is in it, or in flight to it:
logic [HeadBits-1:0] f_head_given = HeadBits'(HeadCredits), f_head_held;
logic [DataBits-1:0] f_data_given = DataBits'(DataCredits), f_data_held;
assign f_head_held = f_head_used - (f_head_given - HeadBits'(HeadCredits));
assign f_data_held = f_data_used - (f_data_given - DataBits'(DataCredits));
(* anyseq *) logic                f_frees, f_lost;
(* anyseq *) logic [DataBits-1:0] f_frees_data;
always_comb begin
  assume (!f_frees || (f_head_held != '0 && f_frees_data <= f_data_held));
end
always_ff @(posedge clk_i) begin
  if (rst_ni && f_frees) begin
    f_head_given <= f_head_given + 1'b1;
    f_data_given <= f_data_given + f_frees_data;
  end
end

// --- What it tells, in flight.
logic [HeadBits-1:0] f_head_told [FStages];
logic [DataBits-1:0] f_data_told [FStages];
for (genvar s = 0; s < FStages; s++) begin : gen_f_wire
  always_ff @(posedge clk_i) begin
    f_head_told[s] <= !rst_ni ? HeadBits'(HeadCredits) :
                      (s == 0) ? f_head_given : f_head_told[(s == 0) ? 0 : s-1];
    f_data_told[s] <= !rst_ni ? DataBits'(DataCredits) :
                      (s == 0) ? f_data_given : f_data_told[(s == 0) ? 0 : s-1];
  end
end
logic f_told;
assign f_told = tells && class_i == f_class;
always_comb begin
  assume (!f_told || (head_i == f_head_told[FStages-1] && data_i == f_data_told[FStages-1]));
end

// --- Sent, and freed of this end's buffer, since reset.
logic [HeadBits-1:0] f_head_sent = '0, f_head_freed = '0;
logic [DataBits-1:0] f_data_sent = '0, f_data_freed = '0;
always_ff @(posedge clk_i) begin
  if (rst_ni && pkt_send_i && pkt_class_i == f_class) begin
    f_head_sent <= f_head_sent + 1'b1;
    f_data_sent <= f_data_sent + DataBits'(pkt_dwords_i[link_pkg::CountBits-1:2]) +
                   DataBits'(pkt_dwords_i[1:0] != 2'd0);
  end
  if (rst_ni && free_valid_i && free_class_i == f_class) begin
    f_head_freed <= f_head_freed + 1'b1;
    f_data_freed <= f_data_freed + DataBits'(free_dwords_i[link_pkg::CountBits-1:2]) +
                    DataBits'(free_dwords_i[1:0] != 2'd0);
  end
end

// Of two counters, how far the second one is ahead.
logic [HeadBits-1:0] f_head_left;
logic [DataBits-1:0] f_data_left;
assign f_head_left = f_head_limit - f_head_used;
assign f_data_left = f_data_limit - f_data_used;
logic f_known = 1'b0;  // The class was told
always_ff @(posedge clk_i) f_known <= rst_ni && (f_known || f_told);

always_comb begin
  if (f_started) begin
    // Never negative, and conserved: left here + in flight back + held there = the buffer.
    /* HeadHeld */ assert (f_head_held <= HeadBits'(HeadCredits));
    /* DataHeld */ assert (f_data_held <= DataBits'(DataCredits));
    /* HeadLeft */ assert (f_head_left <= HeadBits'(HeadCredits) - f_head_held);
    /* DataLeft */ assert (f_data_left <= DataBits'(DataCredits) - f_data_held);
    /* HeadUsed */ assert (f_head_used == f_head_sent);
    /* DataUsed */ assert (f_data_used == f_data_sent);
    /* HeadGiven */ assert (f_head_here == HeadBits'(HeadCredits) + f_head_freed);
    /* DataGiven */ assert (f_data_here == DataBits'(DataCredits) + f_data_freed);
    // Nothing is sent before the start is over.
    /* Known */ assert (f_known == seen_q[f_class]);
    /* UpKnown */ assert (state_q == First || f_known);
    /* States */ assert (state_q == First || state_q == Second || state_q == Active);
    /* UnknownUnused */ assert (f_known || (f_head_limit == '0 && f_data_limit == '0 &&
                                            f_head_used == '0 && f_data_used == '0));
    /* UpAll */ assert (state_q == First || seen_q == '1);
    /* UsedWhenUp */ assert (state_q == Active || (f_head_used == '0 && f_data_used == '0));
  end
end
// What is in flight was given since the limit, in order.
for (genvar s = 0; s < FStages; s++) begin : gen_f_told
  logic [HeadBits-1:0] f_head_newer;
  logic [DataBits-1:0] f_data_newer;
  assign f_head_newer = (s == 0) ? f_head_given : f_head_told[(s == 0) ? 0 : s-1];
  assign f_data_newer = (s == 0) ? f_data_given : f_data_told[(s == 0) ? 0 : s-1];
  always_comb begin
    if (f_started) begin
      // Distances to what is given: limit >= told (older) >= told (newer) >= 0.
      /* HeadOrder */ assert (f_head_given - f_head_told[s] >= f_head_given - f_head_newer);
      /* DataOrder */ assert (f_data_given - f_data_told[s] >= f_data_given - f_data_newer);
      /* HeadLimit */ assert (f_head_given - f_head_limit >= f_head_given - f_head_told[s]);
      /* DataLimit */ assert (f_data_given - f_data_limit >= f_data_given - f_data_told[s]);
    end
  end
end
