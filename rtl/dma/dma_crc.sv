// SPDX-License-Identifier: Apache-2.0
// CRC-32C over beats of 1 to 64 bytes. The bytes are moved to the end of the beat with zeros before
// them, which do not affect the sum, so that it is one fixed network.
module dma_crc (
  input  logic         clk_i,
  input  logic         add_i,
  input  logic         first_i,  // Of the packet
  input  logic   [6:0] bytes_i,
  input  logic [511:0] data_i,
  output logic  [31:0] crc_o     // Of all bytes since the first
);
  localparam logic [31:0] Polynomial = 32'h82F6_3B78;  // 0x1EDC6F41, reflected

  logic [31:0] crc_q, crc_d;
  assign crc_o = ~crc_q;

  // Remainder of 64 bytes, from 0.
  task automatic line_crc(input logic [511:0] data, output logic [31:0] crc);
    // verilator no_inline_task
    logic [31:0] r;
    r = '0;
    for (int unsigned i = 0; i < 16; i++) begin
      r = r ^ data[i*32+:32];
      for (int unsigned b = 0; b < 32; b++) begin
        r = (r >> 1) ^ (r[0] ? Polynomial : 32'd0);
      end
    end
    crc = r;
  endtask

  // What the sum so far contributes: to the first four bytes; to the result, if there are fewer.
  logic [31:0]  state, inner, beyond;
  logic [511:0] bytes, moved;
  always_comb begin
    state = first_i ? '1 : crc_q;
    inner = state;
    beyond = '0;
    bytes  = '0;
    moved  = '0;
    if (add_i) begin
      case (bytes_i)
        7'd1: begin
          inner = state & 32'h0000_00FF;
          beyond = state >> 8;
        end
        7'd2: begin
          inner = state & 32'h0000_FFFF;
          beyond = state >> 16;
        end
        7'd3: begin
          inner = state & 32'h00FF_FFFF;
          beyond = state >> 24;
        end
        default: beyond = '0;
      endcase
      bytes        = data_i;
      bytes[31:0]  = bytes[31:0] ^ inner;
      moved        = bytes_i == 7'd64 ? bytes : bytes << {7'd64 - bytes_i, 3'd0};
    end
  end

  always_ff @(posedge clk_i) begin
    if (add_i) begin
      line_crc(moved, crc_d);
      crc_q <= crc_d ^ beyond;
    end
  end
endmodule
