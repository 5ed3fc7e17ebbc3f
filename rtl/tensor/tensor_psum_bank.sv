// SPDX-License-Identifier: Apache-2.0
// The memory of one PSUM bank and column group: a word per column (all lanes of the group packed),
// one read and one write port, synchronous read. A read of the column written in the same cycle
// returns the new data.
`include "tern_trace.svh"

module tensor_psum_bank #(
  parameter int unsigned Cols        = 128,
  parameter int unsigned BankColumns = 512,
  localparam int unsigned ColumnW    = $clog2(BankColumns),
  localparam int unsigned GroupW     = Cols / 4 * 32
) (
  input  logic               clk_i,
  input  logic               read_i,
  input  logic [ColumnW-1:0] read_column_i,
  `TERN_LANES
  output logic  [GroupW-1:0] read_data_o,  // From the next cycle on, until the next read
  `TERN_LANES_END
  input  logic               write_i,
  input  logic [ColumnW-1:0] write_column_i,
  `TERN_LANES
  input  logic  [GroupW-1:0] write_data_i
  `TERN_LANES_END
);
  `TERN_LANES
  logic [GroupW-1:0] mem [BankColumns];
  logic [GroupW-1:0] read_data_q;
  `TERN_LANES_END

  always_ff @(posedge clk_i) begin
    if (read_i) begin
      if (write_i && write_column_i == read_column_i) read_data_q <= write_data_i;
      else read_data_q <= mem[read_column_i];
    end
    if (write_i) mem[write_column_i] <= write_data_i;
  end

  assign read_data_o = read_data_q;

`ifdef FORMAL
`include "tensor_psum_bank_properties.svh"
`endif
endmodule
