// SPDX-License-Identifier: Apache-2.0
// UART transmitter, 8N1.
module fpga_uart_tx #(
  parameter int unsigned ClocksPerBit = fpga_pkg::ClocksPerBit
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       valid_i,
  output logic       ready_o,
  input  logic [7:0] data_i,
  output logic       tx_o
);
  localparam int unsigned W = $clog2(ClocksPerBit);

  logic [W-1:0] wait_q;
  logic [3:0]   bits_q;   // Left; 0 at rest
  logic [8:0]   shift_q;  // Bit 0 is on the line

  assign ready_o = bits_q == 4'd0;
  assign tx_o    = shift_q[0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wait_q  <= '0;
      bits_q  <= '0;
      shift_q <= '1;
    end else if (bits_q == 4'd0) begin
      if (valid_i) begin
        shift_q <= {data_i, 1'b0};
        bits_q  <= 4'd10;
        wait_q  <= W'(ClocksPerBit - 1);
      end
    end else if (wait_q != '0) begin
      wait_q <= wait_q - 1'b1;
    end else begin
      wait_q  <= W'(ClocksPerBit - 1);
      bits_q  <= bits_q - 1'b1;
      shift_q <= {1'b1, shift_q[8:1]};
    end
  end
endmodule
