// SPDX-License-Identifier: Apache-2.0
// The data path of the DMA ring: words from the memory to SBUF or PSUM, or from PSUM to the memory;
// two cycles a word.
module fpga_mover (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  start_i,
  input  fpga_pkg::descriptor_t descriptor_i,
  output logic                  busy_o,
  output fpga_pkg::access_t     mem_o,
  input  logic                  grant_i,
  input  logic           [31:0] mem_i,
  output fpga_pkg::access_t     sbuf_o,
  output fpga_pkg::access_t     psum_o,
  input  logic           [31:0] psum_i
);
  typedef enum logic [1:0] {Rest, Read, Write} state_e;
  state_e      state_q;
  logic [15:0] from_q, to_q, left_q;
  logic        out, to_sbuf;

  assign out     = descriptor_i.op == fpga_pkg::OpFromPsum;
  assign to_sbuf = descriptor_i.op == fpga_pkg::OpToSbuf;
  assign busy_o  = state_q != Rest;

  // A word that waits for the memory stays at the output of PSUM.
  always_comb begin
    mem_o  = {1'b0, out, out ? to_q : from_q, psum_i};
    sbuf_o = {1'b0, 1'b1, to_q, mem_i};
    psum_o = {1'b0, !out, out ? from_q : to_q, mem_i};
    unique case (state_q)
      Read: begin
        mem_o.valid  = !out;
        psum_o.valid = out;
      end
      Write: begin
        mem_o.valid  = out;
        sbuf_o.valid = to_sbuf;
        psum_o.valid = !out && !to_sbuf;
      end
      default: ;
    endcase
  end

  logic go;
  assign go = !mem_o.valid || grant_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Rest;
      from_q  <= '0;
      to_q    <= '0;
      left_q  <= '0;
    end else begin
      unique case (state_q)
        Rest: begin
          from_q <= descriptor_i.word1[15:0];
          to_q   <= descriptor_i.word1[31:16];
          left_q <= descriptor_i.count;
          if (start_i) state_q <= Read;
        end
        Read: begin
          if (go) begin
            from_q  <= from_q + 1'b1;
            state_q <= Write;
          end
        end
        default: begin
          if (go) begin
            to_q    <= to_q + 1'b1;
            left_q  <= left_q - 1'b1;
            state_q <= (left_q == 16'd1) ? Rest : Read;
          end
        end
      endcase
    end
  end
endmodule
