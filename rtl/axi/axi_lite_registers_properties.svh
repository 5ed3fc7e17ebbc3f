// SPDX-License-Identifier: Apache-2.0
// Proved properties of axi_lite_registers (README.md): included by formal tools only. Reset is
// active in the first cycle only.
`include "handshake_properties.svh"
logic f_started = 1'b0;
always_ff @(posedge clk_i) f_started <= 1'b1;
always_comb assume (rst_ni == f_started);

`TERN_OFFER_STAYS(b, b_valid_o, b_ready_i, b_resp_o)
`TERN_OFFER_STAYS(r, r_valid_o, r_ready_i, {r_data_o, r_resp_o})

// Each access has one answer; the other kind precedes one that waits at most once.
logic       f_b = 1'b0, f_r = 1'b0;
logic [1:0] f_passed = '0;
always_ff @(posedge clk_i) begin
  f_b <= rst_ni && (write || (f_b && !b_ready_i));
  f_r <= rst_ni && (read || (f_r && !r_ready_i));
  f_passed <= (rst_ni && may_read && !read) ? f_passed + 2'd1 : 2'd0;
end
always_comb begin
  if (f_started) begin
    /* BOfWrite */ assert (b_valid_o == f_b);
    /* ROfRead */ assert (r_valid_o == f_r);
    /* OneAccess */ assert (!(read && write) && aw_ready_o == w_ready_o);
    /* ReadPassedOnce */ assert (f_passed <= 2'd1 && (f_passed == '0 || last_write_q));
  end
end
