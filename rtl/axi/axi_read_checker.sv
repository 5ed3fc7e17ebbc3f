// SPDX-License-Identifier: Apache-2.0
// Rules of AXI4 on the channels of reads with one ID (README.md): a bit for each that is broken in
// this cycle. Next to a manager, a subordinate or anything between.
`include "tern_assert.svh"

module axi_read_checker #(
  parameter int unsigned Depth = 64     // Bursts in flight, a power of two
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        ar_valid_i,
  input  logic        ar_ready_i,
  input  logic [63:0] ar_addr_i,
  input  logic  [7:0] ar_len_i,
  input  logic  [2:0] ar_size_i,
  input  logic  [1:0] ar_burst_i,
  input  logic  [3:0] ar_qos_i,
  input  logic        r_valid_i,
  input  logic        r_ready_i,
  input  logic [511:0] r_data_i,
  input  logic  [1:0] r_resp_i,
  input  logic        r_last_i,
  output logic  [7:0] broken_o
);
  localparam int unsigned PtrW = $clog2(Depth);

  // Offers that wait.
  logic         ar_waits_q, r_waits_q, last_q;
  logic  [80:0] ar_q;
  logic [513:0] r_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ar_waits_q <= 1'b0;
      r_waits_q  <= 1'b0;
    end else begin
      ar_waits_q <= ar_valid_i && !ar_ready_i;
      r_waits_q  <= r_valid_i && !r_ready_i;
    end
  end
  always_ff @(posedge clk_i) begin
    ar_q   <= {ar_addr_i, ar_len_i, ar_size_i, ar_burst_i, ar_qos_i};
    r_q    <= {r_data_i, r_resp_i};
    last_q <= r_last_i;
  end

  // Lengths of the bursts in flight, and the beat of the oldest one.
  logic [7:0]    lens [Depth];
  logic [PtrW:0] in_q, out_q;
  logic [7:0]    beat_q;
  logic          open, ar_taken, r_taken;
  assign open     = in_q != out_q;
  assign ar_taken = ar_valid_i && ar_ready_i;
  assign r_taken  = r_valid_i && r_ready_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_q   <= '0;
      out_q  <= '0;
      beat_q <= '0;
    end else begin
      if (ar_taken) in_q <= in_q + 1'b1;
      if (r_taken && open) begin
        beat_q <= r_last_i ? 8'd0 : beat_q + 8'd1;
        if (r_last_i) out_q <= out_q + 1'b1;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (ar_taken) lens[in_q[PtrW-1:0]] <= ar_len_i;
  end

  logic [14:0] reach;   // From the start of its 4 KiB
  assign reach = 15'(ar_addr_i[11:6]) + 15'(ar_len_i);

  assign broken_o[0] = ar_waits_q && (!ar_valid_i || ar_q != {ar_addr_i, ar_len_i, ar_size_i,
                                                              ar_burst_i, ar_qos_i});
  assign broken_o[1] = r_waits_q && (!r_valid_i || r_q != {r_data_i, r_resp_i}
                                     || last_q != r_last_i);
  assign broken_o[2] = ar_valid_i && (ar_burst_i != axi_pkg::BurstIncr
                                      || ar_size_i != axi_pkg::Size64);
  assign broken_o[3] = ar_valid_i && reach >= 15'd64;
  assign broken_o[4] = r_valid_i && !open;
  assign broken_o[5] = r_valid_i && open && r_last_i != (beat_q == lens[out_q[PtrW-1:0]]);
  assign broken_o[6] = r_valid_i && r_resp_i == axi_pkg::RespExOkay;
  assign broken_o[7] = ar_taken && in_q - out_q == (PtrW + 1)'(Depth);

  `TERN_ASSERT(ArStays, !broken_o[0])
  `TERN_ASSERT(RStays, !broken_o[1])
  `TERN_ASSERT(ArOfFullWidth, !broken_o[2])
  `TERN_ASSERT(ArInside4KiB, !broken_o[3])
  `TERN_ASSERT(ROfRequest, !broken_o[4])
  `TERN_ASSERT(RLastOnLastBeat, !broken_o[5])
  `TERN_ASSERT(RNotExclusive, !broken_o[6])
  `TERN_ASSERT(ArWithinDepth, !broken_o[7])
endmodule
