// SPDX-License-Identifier: Apache-2.0
// CRC-32C, one bit a cycle: a byte takes eight, a UART at least thirty.
module fpga_crc (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,  // Before the first byte
  input  logic        valid_i,
  input  logic  [7:0] data_i,
  output logic        busy_o,
  output logic [31:0] crc_o     // Remainder, not yet inverted
);
  localparam logic [31:0] Polynomial = 32'h82F6_3B78;  // 0x1EDC6F41, reflected

  logic [31:0] crc_q;
  logic  [3:0] left_q;
  assign crc_o  = crc_q;
  assign busy_o = left_q != 4'd0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      crc_q  <= '1;
      left_q <= '0;
    end else if (start_i) begin
      crc_q  <= '1;
      left_q <= '0;
    end else if (valid_i) begin
      crc_q  <= {crc_q[31:8], crc_q[7:0] ^ data_i};
      left_q <= 4'd8;
    end else if (busy_o) begin
      crc_q  <= {1'b0, crc_q[31:1]} ^ (crc_q[0] ? Polynomial : 32'd0);
      left_q <= left_q - 1'b1;
    end
  end
endmodule
