// SPDX-License-Identifier: Apache-2.0
// In the place of the RTL's module: its gates, made with the parameters that the bench has.
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
  link_destripe_gates u_gates (.*);
endmodule
