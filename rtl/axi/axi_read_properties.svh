// SPDX-License-Identifier: Apache-2.0
// Proved properties of axi_read (README.md): included by formal tools only. Reset is active in the
// first cycle only.
`include "handshake_properties.svh"
logic f_started = 1'b0;
always_ff @(posedge clk_i) f_started <= 1'b1;
always_comb assume (rst_ni == f_started);

// What the FIFOs guarantee (rtl/common/README.md): they are free here.
logic        f_kept = 1'b0, f_asks = 1'b0;
logic [12:0] f_head = '0;
logic [64:0] f_request = '0;
always_ff @(posedge clk_i) begin
  f_kept    <= rst_ni && open && !done;
  f_asks    <= rst_ni && ar_valid_o && !ar_ready_i;
  f_head    <= {offset, fits, tag};
  f_request <= {line, ar_len_o[4:0], class_now};
end
always_comb begin
  if (f_started) begin
    assume (!f_kept || (open && f_head == {offset, fits, tag}));
    assume (!f_asks || (ar_valid_o && f_request == {line, ar_len_o[4:0], class_now}));
    assume (offset != '0 || fits);
  end
end

// The bus ends a burst with its last beat. f_beats: of the oldest request, any number that fits.
(* anyseq *) logic [4:0] f_any;
logic [4:0] f_beats = '0, f_taken = '0, f_answers = '0, f_packed;
always_ff @(posedge clk_i) begin
  if (!f_kept) f_beats <= f_any;
  f_taken   <= (rst_ni && !done) ? f_taken + 5'(take) : '0;
  f_answers <= (rst_ni && !done) ? f_answers + 5'(answer_o.valid) : '0;
end
logic [4:0] f_now;  // f_beats, from the first cycle of the request on
assign f_now    = f_kept ? f_beats : f_any;
assign f_packed = fits ? f_now : f_now - 5'd1;
always_comb begin
  if (f_started) begin
    assume (!open || (f_now >= (fits ? 5'd1 : 5'd2) && f_now <= 5'd17));
    assume (!take || r_last_i == (f_taken + 5'd1 == f_now));
  end
end

`TERN_OFFER_STAYS(ar, ar_valid_o, ar_ready_i, {ar_addr_o, ar_len_o, ar_qos_o})
always_comb begin
  if (f_started) begin
    /* BeginsAnew */
    assert (f_kept || (f_taken == '0 && f_answers == '0 && first_q && !flush_q &&
                       error_q == dma_pkg::AnswerGood));
    /* AnswerOfRequest */ assert (!answer_o.valid || open);
    /* LastOfPacked */ assert (!answer_o.valid || answer_o.last == (f_answers + 5'd1 == f_packed));
    /* TakesItsBeats */ assert (!open || f_taken <= f_now);
    /* AnswersFollow */
    assert (!open || f_answers == ((offset == '0 || f_taken == '0) ? f_taken : f_taken - 5'd1));
    /* FlushAtTheEnd */ assert (!flush_q || (open && fits && offset != '0 && f_taken == f_now));
    /* EndsInTime */ assert (!open || f_taken != f_now || flush_q);
    /* FirstBeat */ assert (flush_q || first_q == (f_taken == '0));
    /* ErrorStays */ assert (error_q == dma_pkg::AnswerGood || answer_o.error == error_q);
  end
end
