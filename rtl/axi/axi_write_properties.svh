// SPDX-License-Identifier: Apache-2.0
// Proved properties of axi_write (README.md): included by formal tools only. Reset is active in the
// first cycle only. The engine has no more requests in flight than tags.
`include "handshake_properties.svh"
logic f_started = 1'b0;
always_ff @(posedge clk_i) f_started <= 1'b1;
always_comb assume (rst_ni == f_started);

localparam int unsigned CountW = $clog2(Tags) + 1;
logic              f_ends;
logic [CountW-1:0] f_waiting = '0;
assign f_ends = write_valid_i && write_last_i;
always_ff @(posedge clk_i) begin
  f_waiting <= rst_ni ? f_waiting + CountW'(f_ends) - CountW'(next) : '0;
end
always_comb begin
  assume (!f_ends || f_waiting < CountW'(Tags));
end

// What the FIFOs guarantee (rtl/common/README.md): they are free here.
logic         f_kept = 1'b0, f_line_kept = 1'b0;
logic [111:0] f_head = '0;
logic [511:0] f_line = '0;
always_ff @(posedge clk_i) begin
  f_kept      <= rst_ni && open && !next;
  f_line_kept <= rst_ni && line_valid && !line_pop;
  f_head      <= {immediate, value, address, bytes, class_now, aw_user_o};
  f_line      <= line;
end
always_comb begin
  if (f_started) begin
    assume (open == (f_waiting != '0));
    assume (!f_kept || f_head == {immediate, value, address, bytes, class_now, aw_user_o});
    assume (!f_line_kept || (line_valid && line == f_line));
    assume (!open || (bytes != '0 && 12'(address[9:0]) + 12'(bytes) <= 12'd1024));
  end
end

`TERN_OFFER_STAYS(aw, aw_valid_o, aw_ready_i, {aw_addr_o, aw_len_o, aw_qos_o, aw_user_o})
// What w_data_o is shifted from: without the shifter the proof is quick.
`TERN_OFFER_STAYS(w, w_valid_o, w_ready_i, {current, before_q, beat_q})
always_comb begin
  if (f_started) begin
    /* NotBothDone */ assert (!(address_done_q && data_done_q));
    /* DoneOpen */ assert (!(address_done_q || data_done_q) || open);
    /* WithinBurst */ assert (beat_q == '0 || (open && beat_q <= last_beat + 5'(data_done_q)));
    /* Inside4KiB */
    assert (!aw_valid_o || 13'(aw_addr_o[11:0]) + 13'({aw_len_o, 6'd0}) < 13'd4096);
    /* LinesOfRequest */ assert (!line_pop || (line_valid && beat_q <= last_line));
  end
end
