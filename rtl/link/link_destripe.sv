// SPDX-License-Identifier: Apache-2.0
// The physical lanes to a flit: the inverse of link_stripe.
module link_destripe #(
  parameter int unsigned Lanes     = link_pkg::Lanes,
  parameter int unsigned Spares    = link_pkg::Spares,
  localparam int unsigned Physical = Lanes + Spares,
  localparam int unsigned PhyBits  = $clog2(Physical),
  localparam int unsigned LaneBits = link_pkg::FlitBits / Lanes
) (
  input  logic [Physical*LaneBits-1:0]  lanes_i,
  input  logic [Lanes*PhyBits-1:0]      physical_i,
  output logic [link_pkg::FlitBits-1:0] flit_o
);
  localparam int unsigned Rows = LaneBits / 8;

  logic [LaneBits-1:0] symbols;
  logic [PhyBits-1:0]  lane;
  always_comb begin
    symbols = '0;
    lane    = '0;
    for (int unsigned l = 0; l < Lanes; l++) begin
      lane    = physical_i[l*PhyBits+:PhyBits];
      symbols = lanes_i[lane*LaneBits+:LaneBits];
      for (int unsigned r = 0; r < Rows; r++) begin
        flit_o[(r*Lanes+l)*8+:8] = symbols[r*8+:8];
      end
    end
  end
endmodule
