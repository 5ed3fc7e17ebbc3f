// SPDX-License-Identifier: Apache-2.0
// Rules of AXI4 on the channels of writes with one ID (README.md): a bit for each that is broken in
// this cycle. Stricter than AXI4 in one: data come with or after their address.
`include "tern_assert.svh"

module axi_write_checker #(
  parameter int unsigned Depth = 64     // Bursts in flight, a power of two
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        aw_valid_i,
  input  logic        aw_ready_i,
  input  logic [63:0] aw_addr_i,
  input  logic  [7:0] aw_len_i,
  input  logic  [2:0] aw_size_i,
  input  logic  [1:0] aw_burst_i,
  input  logic  [3:0] aw_qos_i,
  input  logic  [1:0] aw_user_i,
  input  logic        w_valid_i,
  input  logic        w_ready_i,
  input  logic [511:0] w_data_i,
  input  logic [63:0] w_strb_i,
  input  logic        w_last_i,
  input  logic        b_valid_i,
  input  logic        b_ready_i,
  input  logic  [1:0] b_resp_i,
  output logic  [9:0] broken_o
);
  localparam int unsigned PtrW = $clog2(Depth);

  // Offers that wait.
  logic         aw_waits_q, w_waits_q, b_waits_q;
  logic  [82:0] aw_q;
  logic [576:0] w_q;
  logic   [1:0] b_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      aw_waits_q <= 1'b0;
      w_waits_q  <= 1'b0;
      b_waits_q  <= 1'b0;
    end else begin
      aw_waits_q <= aw_valid_i && !aw_ready_i;
      w_waits_q  <= w_valid_i && !w_ready_i;
      b_waits_q  <= b_valid_i && !b_ready_i;
    end
  end
  always_ff @(posedge clk_i) begin
    aw_q <= {aw_addr_i, aw_len_i, aw_size_i, aw_burst_i, aw_qos_i, aw_user_i};
    w_q  <= {w_data_i, w_strb_i, w_last_i};
    b_q  <= b_resp_i;
  end

  // Bursts by their numbers: named, address taken, data taken, answered.
  logic [7:0]    lens [Depth];
  logic [PtrW:0] named_q, address_q, data_q, answer_q;
  logic [7:0]    beat_q, len;
  logic          fresh, known, w_taken;
  assign fresh   = aw_valid_i && !aw_waits_q;   // Data may come in the cycle of their address
  assign known   = data_q != named_q || fresh;
  assign len     = (data_q != named_q) ? lens[data_q[PtrW-1:0]] : aw_len_i;
  assign w_taken = w_valid_i && w_ready_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      named_q   <= '0;
      address_q <= '0;
      data_q    <= '0;
      answer_q  <= '0;
      beat_q    <= '0;
    end else begin
      if (fresh) named_q <= named_q + 1'b1;
      if (aw_valid_i && aw_ready_i) address_q <= address_q + 1'b1;
      if (w_taken && known) begin
        beat_q <= w_last_i ? 8'd0 : beat_q + 8'd1;
        if (w_last_i) data_q <= data_q + 1'b1;
      end
      if (b_valid_i && b_ready_i && !broken_o[7]) answer_q <= answer_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (fresh) lens[named_q[PtrW-1:0]] <= aw_len_i;
  end

  logic [14:0] reach;   // From the start of its 4 KiB
  assign reach = 15'(aw_addr_i[11:6]) + 15'(aw_len_i);

  assign broken_o[0] = aw_waits_q && (!aw_valid_i || aw_q != {aw_addr_i, aw_len_i, aw_size_i,
                                                              aw_burst_i, aw_qos_i, aw_user_i});
  assign broken_o[1] = w_waits_q && (!w_valid_i || w_q != {w_data_i, w_strb_i, w_last_i});
  assign broken_o[2] = b_waits_q && (!b_valid_i || b_q != b_resp_i);
  assign broken_o[3] = aw_valid_i && (aw_burst_i != axi_pkg::BurstIncr
                                      || aw_size_i != axi_pkg::Size64);
  assign broken_o[4] = aw_valid_i && reach >= 15'd64;
  assign broken_o[5] = w_valid_i && !known;
  assign broken_o[6] = w_valid_i && known && w_last_i != (beat_q == len);
  assign broken_o[7] = b_valid_i && (answer_q == address_q || answer_q == data_q);
  assign broken_o[8] = b_valid_i && b_resp_i == axi_pkg::RespExOkay;
  assign broken_o[9] = fresh && named_q - answer_q == (PtrW + 1)'(Depth);

  `TERN_ASSERT(AwStays, !broken_o[0])
  `TERN_ASSERT(WStays, !broken_o[1])
  `TERN_ASSERT(BStays, !broken_o[2])
  `TERN_ASSERT(AwOfFullWidth, !broken_o[3])
  `TERN_ASSERT(AwInside4KiB, !broken_o[4])
  `TERN_ASSERT(WOfAddress, !broken_o[5])
  `TERN_ASSERT(WLastOnLastBeat, !broken_o[6])
  `TERN_ASSERT(BOfWrite, !broken_o[7])
  `TERN_ASSERT(BNotExclusive, !broken_o[8])
  `TERN_ASSERT(AwWithinDepth, !broken_o[9])
endmodule
