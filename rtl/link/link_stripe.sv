// SPDX-License-Identifier: Apache-2.0
// A flit to the physical lanes: byte i to logical lane i modulo Lanes, in order.
module link_stripe #(
  parameter int unsigned Lanes     = link_pkg::Lanes,
  parameter int unsigned Spares    = link_pkg::Spares,
  localparam int unsigned Physical = Lanes + Spares,
  localparam int unsigned LogBits  = $clog2(Lanes),
  localparam int unsigned LaneBits = link_pkg::FlitBits / Lanes  // Of a flit, on one lane
) (
  input  logic [link_pkg::FlitBits-1:0] flit_i,
  input  logic [Physical-1:0]           used_i,
  input  logic [Physical*LogBits-1:0]   logical_i,
  output logic [Physical*LaneBits-1:0]  lanes_o  // Those not in use: 0
);
  localparam int unsigned Rows = LaneBits / 8;

  logic [link_pkg::FlitBits-1:0] sorted;  // By logical lanes
  logic [LogBits-1:0]            lane;
  always_comb begin
    for (int unsigned l = 0; l < Lanes; l++) begin
      for (int unsigned r = 0; r < Rows; r++) begin
        sorted[l*LaneBits+r*8+:8] = flit_i[(r*Lanes+l)*8+:8];
      end
    end
    lane = '0;
    for (int unsigned p = 0; p < Physical; p++) begin
      lane = logical_i[p*LogBits+:LogBits];
      lanes_o[p*LaneBits+:LaneBits] = used_i[p] ? sorted[lane*LaneBits+:LaneBits] : '0;
    end
  end
endmodule
