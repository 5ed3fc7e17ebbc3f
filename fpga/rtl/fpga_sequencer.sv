// SPDX-License-Identifier: Apache-2.0
// Executes OpMultiply: N columns of a chain over K rows in groups of Rows, lowest rows first. The
// sums of a group are in PSUM and are the addends of the next one, so that the chain is that of one
// array with K rows. A group is Cols cycles of weights, N of moving columns and some of draining.
module fpga_sequencer #(
  parameter int unsigned Rows = 2,
  parameter int unsigned Cols = 1
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  start_i,
  input  fpga_pkg::descriptor_t descriptor_i,
  output logic                  busy_o,
  // SBUF: whole words.
  output logic                  sbuf_valid_o,
  output logic           [15:0] sbuf_address_o,
  // PSUM: a column of results at once.
  output logic                  psum_read_o,
  output logic           [15:0] psum_from_o,
  output logic                  psum_write_o,
  output logic           [15:0] psum_to_o,
  // Array, one cycle after the addresses.
  output logic       [Cols-1:0] load_o,
  output logic                  zero_o    // The chain starts: addends are +0
);
  localparam int unsigned Latency = 2 * Rows;  // From word to sum
  localparam int unsigned ColW    = (Cols > 1) ? $clog2(Cols) : 1;
  typedef enum logic [1:0] {Rest, Weights, Moving, Drain} state_e;
  state_e      state_q;
  logic [15:0] groups_q, left_q, moving_q, base_q, weights_q, to_q;
  logic        first_q;
  logic [ColW-1:0] col_q;
  logic [Latency+1:0] pipe_q;  // Columns in flight: bit 0 has its word at the array now
  logic [15:0] written_q;

  assign busy_o         = state_q != Rest;
  assign sbuf_valid_o   = state_q == Weights || state_q == Moving;
  assign sbuf_address_o = (state_q == Weights) ? weights_q : moving_q;
  assign psum_read_o    = state_q == Moving && !first_q;
  assign psum_from_o    = to_q;
  assign psum_write_o   = pipe_q[Latency];
  assign psum_to_o      = written_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= Rest;
      groups_q  <= '0;
      left_q    <= '0;
      moving_q  <= '0;
      base_q    <= '0;
      weights_q <= '0;
      to_q      <= '0;
      first_q   <= 1'b0;
      col_q     <= '0;
      pipe_q    <= '0;
      written_q <= '0;
      load_o    <= '0;
      zero_o    <= 1'b0;
    end else begin
      pipe_q <= {pipe_q[Latency:0], state_q == Moving};
      load_o <= '0;
      zero_o <= first_q;
      if (psum_write_o) written_q <= written_q + 1'b1;
      unique case (state_q)
        Rest: begin
          groups_q  <= descriptor_i.word2[15:0];
          base_q    <= descriptor_i.word1[15:0];
          weights_q <= descriptor_i.word1[31:16];
          first_q   <= !descriptor_i.flags[0];
          col_q     <= '0;
          if (start_i) state_q <= Weights;
        end
        Weights: begin
          load_o[col_q] <= 1'b1;
          col_q         <= col_q + 1'b1;
          weights_q     <= weights_q + 1'b1;
          left_q        <= descriptor_i.count;
          moving_q      <= base_q;
          to_q          <= descriptor_i.word2[31:16];
          written_q     <= descriptor_i.word2[31:16];
          if (col_q == ColW'(Cols - 1)) begin
            col_q   <= '0;
            state_q <= Moving;
          end
        end
        Moving: begin
          moving_q <= moving_q + 1'b1;
          to_q     <= to_q + 1'b1;
          left_q   <= left_q - 1'b1;
          if (left_q == 16'd1) state_q <= Drain;
        end
        default: begin  // Drain
          base_q  <= base_q + descriptor_i.word3[15:0];
          first_q <= 1'b0;
          if (pipe_q == '0) begin
            groups_q <= groups_q - 1'b1;
            state_q  <= (groups_q == 16'd1) ? Rest : Weights;
          end else begin
            base_q  <= base_q;
            first_q <= first_q;
          end
        end
      endcase
    end
  end
endmodule
