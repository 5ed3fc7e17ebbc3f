// SPDX-License-Identifier: Apache-2.0
// Executes OpAdd and OpExp on words of PSUM, one after the other. The first cell of the array makes
// the sums, and the differences of the exponential.
module fpga_vector (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  start_i,
  input  fpga_pkg::descriptor_t descriptor_i,
  output logic                  busy_o,
  output fpga_pkg::access_t     psum_o,
  input  logic           [31:0] psum_i,
  // The adder: the second operand is psum_i, the sum is there two cycles later.
  output logic                  add_o,
  output logic           [31:0] b_o,
  input  logic           [31:0] sum_i
);
  typedef enum logic [2:0] {Rest, First, Second, Sum, Wait, Summed, Exp} state_e;
  state_e      state_q;
  logic [15:0] from_q, other_q, to_q, left_q;
  logic [31:0] b_q;
  logic        is_add, exp_done;
  logic [31:0] exp_y;

  assign is_add = descriptor_i.op == fpga_pkg::OpAdd;
  assign busy_o = state_q != Rest;
  assign b_o    = is_add ? b_q : {~descriptor_i.word3[31], descriptor_i.word3[30:0]};
  assign add_o  = state_q == Sum;

  fpga_exp u_exp (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .start_i (state_q == Summed && !is_add),
    .x_i     (sum_i),
    .done_o  (exp_done),
    .y_o     (exp_y)
  );

  always_comb begin
    psum_o = {1'b0, 1'b0, from_q, is_add ? sum_i : exp_y};
    unique case (state_q)
      First: psum_o.valid = 1'b1;
      Second: begin
        psum_o.valid   = 1'b1;
        psum_o.address = other_q;
      end
      Summed, Exp: begin
        psum_o.valid   = is_add || exp_done;
        psum_o.write   = 1'b1;
        psum_o.address = to_q;
      end
      default: ;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Rest;
      from_q  <= '0;
      other_q <= '0;
      to_q    <= '0;
      left_q  <= '0;
      b_q     <= '0;
    end else begin
      unique case (state_q)
        Rest: begin
          from_q  <= descriptor_i.word1[15:0];
          other_q <= descriptor_i.word1[31:16];
          to_q    <= descriptor_i.word2[15:0];
          left_q  <= descriptor_i.count;
          if (start_i) state_q <= First;
        end
        First: state_q <= is_add ? Second : Sum;
        Second: begin
          b_q     <= psum_i;
          state_q <= Sum;
        end
        Sum: state_q <= Wait;
        Wait: state_q <= Summed;
        default: begin  // Summed, Exp
          state_q <= Exp;
          if (psum_o.valid) begin
            from_q  <= from_q + 16'(descriptor_i.word2[19:16]);
            other_q <= other_q + 16'(descriptor_i.word2[23:20]);
            to_q    <= to_q + 16'(descriptor_i.word2[27:24]);
            left_q  <= left_q - 1'b1;
            state_q <= (left_q == 16'd1) ? Rest : First;
          end
        end
      endcase
    end
  end
endmodule
