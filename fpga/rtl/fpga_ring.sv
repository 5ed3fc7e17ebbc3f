// SPDX-License-Identifier: Apache-2.0
// The descriptor ring: fetches what the doorbell has released, hands each descriptor to its unit and
// waits for it, then writes the number of completed ones into the memory. A descriptor that no unit
// can execute stops the ring until its reset.
module fpga_ring #(
  parameter int unsigned MemWords  = 16384,
  parameter int unsigned SbufWords = 16384,
  parameter int unsigned PsumWords = 512,
  parameter int unsigned Cols      = 1
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  doorbell_i,
  input  logic           [15:0] tail_i,     // Descriptors released since the reset, modulo 2^16
  input  logic                  reset_i,
  // Memory.
  output fpga_pkg::access_t     mem_o,
  input  logic                  grant_i,
  input  logic           [31:0] mem_i,
  // To the units: one start, then busy until it is done.
  output fpga_pkg::descriptor_t descriptor_o,
  output logic                  move_o,
  output logic                  multiply_o,
  output logic                  vector_o,
  input  logic                  busy_i
);
  typedef enum logic [2:0] {Rest, Ask, Take, Start, Wait, Report} state_e;
  state_e      state_q;
  logic [15:0] tail_q, done_q;
  logic  [7:0] stop_q;
  logic  [1:0] word_q;
  fpga_pkg::descriptor_t d_q;
  logic        is_move, is_multiply, is_vector;
  logic        legal, resetting_q;

  assign descriptor_o = d_q;
  assign is_move      = d_q.op == fpga_pkg::OpToSbuf || d_q.op == fpga_pkg::OpToPsum
                     || d_q.op == fpga_pkg::OpFromPsum;
  assign is_multiply  = d_q.op == fpga_pkg::OpMultiply;
  assign is_vector    = d_q.op == fpga_pkg::OpAdd || d_q.op == fpga_pkg::OpExp;
  assign move_o       = state_q == Start && legal && is_move;
  assign multiply_o   = state_q == Start && legal && is_multiply;
  assign vector_o     = state_q == Start && legal && is_vector;

  // Sizes that no unit checks: a first address and a count, an end that fits in the memory.
  logic [16:0] end1, end2;
  logic [17:0] limit1, limit2;
  always_comb begin
    end1   = 17'(d_q.word1[15:0]) + 17'(d_q.count);
    end2   = 17'(d_q.word1[31:16]) + 17'(d_q.count);
    limit1 = '1;
    limit2 = '1;
    unique case (d_q.op)
      fpga_pkg::OpToSbuf:   begin limit1 = 18'(MemWords); limit2 = 18'(SbufWords); end
      fpga_pkg::OpToPsum:   begin limit1 = 18'(MemWords); limit2 = 18'(PsumWords * Cols); end
      fpga_pkg::OpFromPsum: begin limit1 = 18'(PsumWords * Cols); limit2 = 18'(MemWords); end
      fpga_pkg::OpMultiply: begin
        end2   = 17'(d_q.word2[31:16]) + 17'(d_q.count);
        limit2 = 18'(PsumWords);
      end
      default: ;
    endcase
    legal = d_q.count != 16'd0 && 18'(end1) <= limit1 && 18'(end2) <= limit2
         && !(is_multiply && d_q.word2[15:0] == 16'd0);
  end

  always_comb begin
    mem_o = '0;
    mem_o.valid   = state_q == Ask || state_q == Report;
    mem_o.write   = state_q == Report;
    mem_o.address = (state_q == Report) ? fpga_pkg::RingStatus
                  : {8'd0, done_q[5:0], word_q};
    mem_o.data    = {stop_q, 8'd0, done_q};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Rest;
      tail_q  <= '0;
      done_q  <= '0;
      stop_q  <= '0;
      word_q  <= '0;
      d_q     <= '0;
      resetting_q <= 1'b0;
    end else begin
      if (doorbell_i) tail_q <= tail_i;
      if (reset_i) resetting_q <= 1'b1;  // Once the descriptor in work is done
      unique case (state_q)
        Rest: begin
          word_q <= '0;
          if (resetting_q) begin
            resetting_q <= 1'b0;
            tail_q  <= '0;
            done_q  <= '0;
            stop_q  <= '0;
            state_q <= Report;
          end else if (done_q != tail_q && stop_q == 8'd0) begin
            state_q <= Ask;
          end
        end
        Ask: if (grant_i) state_q <= Take;
        Take: begin
          d_q     <= {mem_i, d_q[127:32]};
          word_q  <= word_q + 1'b1;
          state_q <= (word_q == 2'd3) ? Start : Ask;
        end
        Start: begin
          if (!legal || !(is_move || is_multiply || is_vector)) begin
            stop_q  <= (is_move || is_multiply || is_vector) ? fpga_pkg::StopRange
                                                             : fpga_pkg::StopOp;
            state_q <= Report;
          end else begin
            state_q <= Wait;
          end
        end
        Wait: begin
          if (!busy_i) begin
            done_q  <= done_q + 1'b1;
            state_q <= Report;
          end
        end
        default: if (grant_i) state_q <= Rest;  // Report
      endcase
    end
  end
endmodule
