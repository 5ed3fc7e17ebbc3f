// SPDX-License-Identifier: Apache-2.0
// Boundary of an SRAM macro: one read and one write port, synchronous read. A flow puts its macro
// in the place of this module (README.md, "Memories"). A read of the word written in the same cycle
// returns the new data.
`include "tern_assert.svh"
`include "tern_trace.svh"

module tern_sram #(
  parameter int unsigned Width = 32,
  parameter int unsigned Depth = 512,  // Power of two
  localparam int unsigned AddressW = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic                clk_i,
  input  logic                read_i,
  input  logic [AddressW-1:0] read_address_i,
  `TERN_LANES
  output logic [Width-1:0]    read_data_o,  // From the next cycle on, until the next read
  `TERN_LANES_END
  input  logic                write_i,
  input  logic [AddressW-1:0] write_address_i,
  `TERN_LANES
  input  logic [Width-1:0]    write_data_i
  `TERN_LANES_END
);
  `TERN_LANES
  logic [Width-1:0] words [Depth];
  logic [Width-1:0] read_data_q;
  `TERN_LANES_END

  always_ff @(posedge clk_i) begin
    if (read_i) begin
      if (write_i && write_address_i == read_address_i) read_data_q <= write_data_i;
      else read_data_q <= words[read_address_i];
    end
    if (write_i) words[write_address_i] <= write_data_i;
  end

  assign read_data_o = read_data_q;

  `TERN_ASSERT_INIT(DepthPowerOfTwo, Depth == (1 << AddressW) && Depth > 1)

`ifdef FORMAL
`include "sram_properties.svh"
`endif
endmodule
