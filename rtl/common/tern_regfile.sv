// SPDX-License-Identifier: Apache-2.0
// Boundary of a register file: reads in the same cycle. A flow puts its macro in the place of this
// module, or lets synthesis make registers of it (README.md, "Memories"). A written word is there
// from the next cycle on; of two writes to one word the higher port's stays.
`include "tern_assert.svh"

module tern_regfile #(
  parameter int unsigned Width  = 8,
  parameter int unsigned Depth  = 16,  // Power of two
  parameter int unsigned Reads  = 1,   // Ports
  parameter int unsigned Writes = 1,
  localparam int unsigned AddressW = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic                       clk_i,
  input  logic          [Writes-1:0] write_i,
  input  logic [Writes*AddressW-1:0] write_address_i,
  input  logic    [Writes*Width-1:0] write_data_i,
  input  logic           [Reads-1:0] read_i,
  input  logic  [Reads*AddressW-1:0] read_address_i,
  output logic     [Reads*Width-1:0] read_data_o  // Zeros of a port that does not read
`ifdef FORMAL
  , output logic [Depth*Width-1:0]   words_o      // For the properties of its users
`endif
);
  logic [Width-1:0] words [Depth];

  always_ff @(posedge clk_i) begin
    for (int unsigned w = 0; w < Writes; w++) begin
      if (write_i[w]) words[write_address_i[w*AddressW+:AddressW]] <= write_data_i[w*Width+:Width];
    end
  end

  for (genvar r = 0; r < Reads; r++) begin : gen_read
    assign read_data_o[r*Width+:Width] =
        read_i[r] ? words[read_address_i[r*AddressW+:AddressW]] : '0;
  end

`ifdef FORMAL
  for (genvar i = 0; i < Depth; i++) begin : gen_f_word
    assign words_o[i*Width+:Width] = words[i];
  end
`include "regfile_properties.svh"
`endif

  `TERN_ASSERT_INIT(DepthPowerOfTwo, Depth == (1 << AddressW) && Depth > 1)
endmodule
