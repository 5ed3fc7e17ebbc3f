// SPDX-License-Identifier: Apache-2.0
// A memory with a port to write and one to read, for block RAM. The output stays until the next
// read. A read of the word that is written in the same cycle is not defined.
module fpga_ram2 #(
  parameter int unsigned Words = 512,
  parameter int unsigned Width = 32,
  localparam int unsigned W    = $clog2(Words)
) (
  input  logic             clk_i,
  input  logic             write_i,
  input  logic     [W-1:0] to_i,
  input  logic [Width-1:0] data_i,
  input  logic             read_i,
  input  logic     [W-1:0] from_i,
  output logic [Width-1:0] data_o
);
  (* no_rw_check *) logic [Width-1:0] memory [Words];
  always_ff @(posedge clk_i) begin
    if (write_i) memory[to_i] <= data_i;
    if (read_i) data_o <= memory[from_i];
  end
endmodule
