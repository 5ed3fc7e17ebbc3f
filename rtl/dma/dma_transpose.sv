// SPDX-License-Identifier: Apache-2.0
// Square blocks of rows of 64 bytes: one half of the buffer fills with rows while the rows of the
// other leave as columns. Row r that leaves is column r: its words of all the rows that entered.
module dma_transpose (
  input  logic         clk_i,
  input  logic         fill_i,
  input  logic         leave_i,
  input  logic         half_i,    // Half that fills
  input  logic   [4:0] row_i,
  input  logic         words_i,   // Elements of 4 bytes, 16 rows; otherwise of 2 bytes, 32 rows
  input  logic [511:0] line_i,
  output logic [511:0] row_o      // 0 unless leave_i
);
  logic [511:0] rows [64];  // The second half begins at 32

  logic [511:0] line;
  logic [5:0]   base;
  assign base = {!half_i, 5'd0};
  always_comb begin
    row_o = '0;
    line  = '0;
    if (leave_i) begin
      if (words_i) begin
        for (int unsigned i = 0; i < 16; i++) begin
          line            = rows[base + 6'(i)];
          row_o[i*32+:32] = line[row_i[3:0]*32+:32];
        end
      end else begin
        for (int unsigned i = 0; i < 32; i++) begin
          line            = rows[base + 6'(i)];
          row_o[i*16+:16] = line[row_i*16+:16];
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (fill_i) rows[{half_i, row_i}] <= line_i;
  end
endmodule
