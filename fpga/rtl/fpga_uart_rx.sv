// SPDX-License-Identifier: Apache-2.0
// UART receiver, 8N1: a byte in the middle of its stop bit.
module fpga_uart_rx #(
  parameter int unsigned ClocksPerBit = fpga_pkg::ClocksPerBit  // At least 3
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       rx_i,
  output logic       valid_o,
  output logic [7:0] data_o
);
  localparam int unsigned W = $clog2(ClocksPerBit + ClocksPerBit / 2 + 1);

  logic [1:0]   sync_q;
  logic [W-1:0] wait_q;
  logic [3:0]   bits_q;  // Left, the stop bit included; 0 at rest
  logic         line;
  assign line = sync_q[1];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sync_q  <= '1;
      wait_q  <= '0;
      bits_q  <= '0;
      data_o  <= '0;
      valid_o <= 1'b0;
    end else begin
      sync_q  <= {sync_q[0], rx_i};
      valid_o <= 1'b0;
      if (bits_q == 4'd0) begin
        if (!line) begin
          bits_q <= 4'd9;
          wait_q <= W'(ClocksPerBit + ClocksPerBit / 2 - 1);  // To the middle of bit 0
        end
      end else if (wait_q != '0) begin
        wait_q <= wait_q - 1'b1;
      end else begin
        wait_q <= W'(ClocksPerBit - 1);
        bits_q <= bits_q - 1'b1;
        if (bits_q == 4'd1) valid_o <= line;  // Without a stop bit it was no byte
        else data_o <= {line, data_o[7:1]};
      end
    end
  end
endmodule
