// SPDX-License-Identifier: Apache-2.0
// A memory with one port, for the large single-port RAM of an FPGA. The output stays until the next
// read.
module fpga_ram #(
  parameter int unsigned Words = 16384,
  parameter int unsigned Width = 32,
  localparam int unsigned W    = $clog2(Words)
) (
  input  logic             clk_i,
  input  logic             en_i,
  input  logic             write_i,
  input  logic     [W-1:0] address_i,
  input  logic [Width-1:0] data_i,
  output logic [Width-1:0] data_o
);
  logic [Width-1:0] memory [Words];
  always_ff @(posedge clk_i) begin
    if (en_i) begin
      if (write_i) memory[address_i] <= data_i;
      else data_o <= memory[address_i];
    end
  end
endmodule
