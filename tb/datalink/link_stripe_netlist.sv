// SPDX-License-Identifier: Apache-2.0
// In the place of the RTL's module: its gates, made with the parameters that the bench has.
module link_stripe #(
  parameter int unsigned Lanes     = link_pkg::Lanes,
  parameter int unsigned Spares    = link_pkg::Spares,
  localparam int unsigned Physical = Lanes + Spares,
  localparam int unsigned LogBits  = $clog2(Lanes),
  localparam int unsigned LaneBits = link_pkg::FlitBits / Lanes
) (
  input  logic [link_pkg::FlitBits-1:0] flit_i,
  input  logic [Physical-1:0]           used_i,
  input  logic [Physical*LogBits-1:0]   logical_i,
  output logic [Physical*LaneBits-1:0]  lanes_o
);
  link_stripe_gates u_gates (.*);
endmodule
