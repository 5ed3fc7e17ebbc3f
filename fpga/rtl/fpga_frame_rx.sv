// SPDX-License-Identifier: Apache-2.0
// Frames from bytes. A frame is bytes and their CRC-32C between two End bytes; End and Esc in it are
// escaped. So the receiver is in step again with the next End, whatever came before.
module fpga_frame_rx (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       valid_i,
  input  logic [7:0] data_i,
  input  logic       busy_i,    // The last frame is still in use: what comes is dropped
  // Into the buffer.
  output logic       write_o,
  output logic [9:0] address_o,
  output logic [7:0] data_o,
  // A frame has ended.
  output logic       frame_o,
  output logic       good_o,
  output logic [9:0] bytes_o    // Without the CRC
);
  // Remainder of any frame with its CRC.
  localparam logic [31:0] Residue = 32'hB798_B438;

  logic [9:0]  count_q;
  logic        skip_q, bad_q, escaped_q, end_q;
  logic        is_end, is_esc, full;
  logic [31:0] crc;
  logic        crc_busy;

  assign is_end    = data_i == fpga_pkg::End;
  assign is_esc    = data_i == fpga_pkg::Esc;
  assign full      = count_q == 10'(fpga_pkg::MaxBytes);
  assign data_o    = !escaped_q ? data_i
                   : (data_i == fpga_pkg::EscEnd) ? fpga_pkg::End : fpga_pkg::Esc;
  assign write_o   = valid_i && !is_end && !is_esc && !busy_i && !skip_q && !full;
  assign address_o = count_q;
  assign bytes_o   = count_q - 10'd4;
  assign frame_o   = end_q && count_q != 10'd0;
  assign good_o    = !bad_q && count_q >= 10'd6 && crc == Residue;

  fpga_crc u_crc (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .start_i (end_q),
    .valid_i (write_o),
    .data_i  (data_o),
    .busy_o  (crc_busy),
    .crc_o   (crc)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q   <= '0;
      skip_q    <= 1'b0;
      bad_q     <= 1'b0;
      escaped_q <= 1'b0;
      end_q     <= 1'b0;
    end else begin
      end_q <= valid_i && is_end && !skip_q && !busy_i;
      if (end_q) begin
        count_q   <= '0;
        bad_q     <= 1'b0;
        escaped_q <= 1'b0;
      end
      if (valid_i) begin
        if (is_end) begin
          skip_q <= busy_i;
        end else if (busy_i) begin
          skip_q <= 1'b1;
        end else begin
          escaped_q <= is_esc;
          if (write_o) count_q <= count_q + 1'b1;
          // Too long, or an escape of something else.
          if ((full && !is_esc) || crc_busy || (escaped_q && data_i != fpga_pkg::EscEnd
                                                && data_i != fpga_pkg::EscEsc)) begin
            bad_q <= 1'b1;
          end
        end
      end
    end
  end
endmodule
