// SPDX-License-Identifier: Apache-2.0
// Which physical lanes carry the link's logical ones: the good ones in order, the last of which are
// the spare lanes. Found anew after reset and after load_i, a physical lane a cycle.
`include "tern_assert.svh"

module link_lane_map #(
  parameter int unsigned Lanes     = link_pkg::Lanes,
  parameter int unsigned Spares    = link_pkg::Spares,
  localparam int unsigned Physical = Lanes + Spares,
  localparam int unsigned LogBits  = $clog2(Lanes),
  localparam int unsigned PhyBits  = $clog2(Physical)
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                              load_i,
  input  logic [Physical-1:0]               dead_i,      // Stable until ready_o
  output logic                              ready_o,
  output logic                              short_o,     // Too few lanes are good
  output logic [Physical-1:0]               used_o,      // Carries a logical lane
  output logic [Physical*LogBits-1:0]       logical_o,   // Of each physical lane in use
  output logic [Lanes*PhyBits-1:0]          physical_o   // Of each logical lane
);
  logic [PhyBits-1:0]           at_q;     // The physical lane to look at
  logic [LogBits:0]             found_q;  // Logical lanes that have one
  logic                         busy_q;
  logic [Physical-1:0]          used_q;
  logic [Physical*LogBits-1:0]  logical_q;
  logic [Lanes*PhyBits-1:0]     physical_q;

  logic full, use_it, last;
  assign full   = found_q == (LogBits + 1)'(Lanes);
  assign use_it = busy_q && !full && !dead_i[at_q];
  assign last   = at_q == PhyBits'(Physical - 1);

  assign ready_o    = !busy_q && full;
  assign short_o    = !busy_q && !full;
  assign used_o     = used_q;
  assign logical_o  = logical_q;
  assign physical_o = physical_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      at_q    <= '0;
      found_q <= '0;
      busy_q  <= 1'b1;
      used_q  <= '0;
    end else if (load_i) begin
      at_q    <= '0;
      found_q <= '0;
      busy_q  <= 1'b1;
      used_q  <= '0;
    end else if (busy_q) begin
      busy_q <= !last;
      at_q   <= at_q + 1'b1;
      if (use_it) begin
        found_q      <= found_q + 1'b1;
        used_q[at_q] <= 1'b1;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (use_it) begin
      logical_q[at_q*LogBits+:LogBits]                  <= found_q[LogBits-1:0];
      physical_q[found_q[LogBits-1:0]*PhyBits+:PhyBits] <= at_q;
    end
  end

  `TERN_ASSERT_INIT(LanesRange, Lanes == (1 << LogBits) && Lanes >= 2 && Lanes <= 256 &&
                    Spares >= 1)
endmodule
