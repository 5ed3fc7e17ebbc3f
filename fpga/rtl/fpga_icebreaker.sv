// SPDX-License-Identifier: Apache-2.0
// Pins of the iCEBreaker (iCE40 UP5K): its 12 MHz oscillator, halved, and the UART of its USB chip.
module fpga_icebreaker #(
  parameter int unsigned Rows = 2,
  parameter int unsigned Cols = 1
) (
  input  logic clk_12mhz_i,
  input  logic rx_i,
  output logic tx_o,
  output logic led_no  // Lit while a descriptor is in work
);
  // All flip-flops of this family are 0 after configuration.
  logic       clk_q;
  logic [3:0] up_q;
  logic       busy;

  always_ff @(posedge clk_12mhz_i) clk_q <= !clk_q;
  always_ff @(posedge clk_q) if (up_q != '1) up_q <= up_q + 1'b1;
  assign led_no = !busy;

  fpga_top #(.Rows(Rows), .Cols(Cols)) u_top (
    .clk_i  (clk_q),
    .rst_ni (up_q[3]),
    .rx_i   (rx_i),
    .tx_o   (tx_o),
    .busy_o (busy)
  );
endmodule
