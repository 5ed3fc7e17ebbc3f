// SPDX-License-Identifier: Apache-2.0
// Bytes to a frame: End, the bytes and their CRC-32C with escapes, End.
module fpga_frame_tx (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       valid_i,
  output logic       ready_o,
  input  logic       last_i,
  input  logic [7:0] data_i,
  output logic       idle_o,
  // To the UART.
  output logic       valid_o,
  input  logic       ready_i,
  output logic [7:0] data_o
);
  typedef enum logic [1:0] {Rest, Body, Sum, Close} state_e;
  state_e      state_q;
  logic        escaped_q;  // The Esc of this byte has been sent
  logic  [1:0] index_q;    // Of the byte of the CRC
  logic [31:0] crc, inverted;
  logic        crc_busy, special, sent, take;
  logic  [7:0] plain;

  assign inverted = ~crc;
  assign plain    = (state_q == Sum) ? inverted[{index_q, 3'd0}+:8] : data_i;
  assign special  = plain == fpga_pkg::End || plain == fpga_pkg::Esc;
  assign idle_o   = state_q == Rest;

  always_comb begin
    valid_o = 1'b0;
    data_o  = fpga_pkg::End;
    unique case (state_q)
      Rest:  valid_o = valid_i;
      Body, Sum: begin
        valid_o = !crc_busy && (state_q == Sum || valid_i);
        data_o  = !special ? plain : !escaped_q ? fpga_pkg::Esc
                : (plain == fpga_pkg::End) ? fpga_pkg::EscEnd : fpga_pkg::EscEsc;
      end
      Close: valid_o = 1'b1;
    endcase
  end

  assign sent    = valid_o && ready_i;
  assign take    = sent && (!special || escaped_q);  // The byte, not its Esc
  assign ready_o = take && state_q == Body;

  fpga_crc u_crc (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .start_i (state_q == Rest),
    .valid_i (ready_o),
    .data_i  (data_i),
    .busy_o  (crc_busy),
    .crc_o   (crc)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= Rest;
      escaped_q <= 1'b0;
      index_q   <= '0;
    end else if (sent) begin
      unique case (state_q)
        Rest: state_q <= Body;
        Body: begin
          escaped_q <= special && !escaped_q;
          if (take && last_i) state_q <= Sum;
        end
        Sum: begin
          escaped_q <= special && !escaped_q;
          if (take) begin
            index_q <= index_q + 1'b1;
            if (index_q == 2'd3) state_q <= Close;
          end
        end
        Close: state_q <= Rest;
      endcase
    end
  end
endmodule
