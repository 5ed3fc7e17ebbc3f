// SPDX-License-Identifier: Apache-2.0
// One PSUM bank: a memory of packed columns (all lanes in one word), one read and one write port,
// synchronous read. A read of the column written in the same cycle returns the new data.
module tensor_psum_bank #(
  parameter int unsigned Cols        = 128,
  parameter int unsigned BankColumns = 512,
  localparam int unsigned ColumnW    = $clog2(BankColumns)
) (
  input  logic                clk_i,
  input  logic                read_i,
  input  logic  [ColumnW-1:0] read_column_i,
  output logic [Cols*32-1:0]  read_data_o,  // from the next cycle on, until the next read
  input  logic                write_i,
  input  logic  [ColumnW-1:0] write_column_i,
  input  logic [Cols*32-1:0]  write_data_i
);
  logic [Cols*32-1:0] mem [BankColumns];
  logic [Cols*32-1:0] read_data_q;

  always_ff @(posedge clk_i) begin
    if (read_i) begin
      if (write_i && write_column_i == read_column_i) read_data_q <= write_data_i;
      else read_data_q <= mem[read_column_i];
    end
    if (write_i) mem[write_column_i] <= write_data_i;
  end

  assign read_data_o = read_data_q;
endmodule
