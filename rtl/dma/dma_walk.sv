// SPDX-License-Identifier: Apache-2.0
// Runs of a pair along its pattern: up to four dimensions, the innermost first. Besides the address
// of the present run it keeps, for dimensions 1 to 3, that of the first run at the present index.
module dma_walk (
  input  logic         clk_i,
  input  logic         load_i,     // Begins a pair
  input  logic  [63:0] address_i,
  input  logic  [63:0] counts_i,   // 16 bits each, at least 1
  input  logic [127:0] strides_i,  // 32 bits each, signed
  input  logic         step_i,     // Advances to the next run
  output logic  [63:0] next_o,     // Its address
  output logic         last_o      // There is no next run
);
  logic [63:0]  here_q, row1_q, row2_q, row3_q, counts_q;
  logic [63:0]  index_q;
  logic [127:0] strides_q;
  logic [3:0]   end_of;  // The dimension is at its last index

  function automatic logic [63:0] extend(input logic [31:0] stride);
    extend = {{32{stride[31]}}, stride};
  endfunction

  always_comb begin
    for (int unsigned d = 0; d < 4; d++) begin
      end_of[d] = index_q[d*16+:16] + 16'd1 == counts_q[d*16+:16];
    end
  end

  assign last_o = &end_of;
  assign next_o = !end_of[0] ? here_q + extend(strides_q[31:0])
                : !end_of[1] ? row1_q + extend(strides_q[63:32])
                : !end_of[2] ? row2_q + extend(strides_q[95:64])
                             : row3_q + extend(strides_q[127:96]);

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      here_q    <= address_i;
      row1_q    <= address_i;
      row2_q    <= address_i;
      row3_q    <= address_i;
      counts_q  <= counts_i;
      strides_q <= strides_i;
      index_q   <= '0;
    end else if (step_i) begin
      here_q <= next_o;
      if (!end_of[0]) begin
        index_q[15:0] <= index_q[15:0] + 16'd1;
      end else begin
        index_q[15:0] <= '0;
        row1_q        <= next_o;
        if (!end_of[1]) begin
          index_q[31:16] <= index_q[31:16] + 16'd1;
        end else begin
          index_q[31:16] <= '0;
          row2_q         <= next_o;
          if (!end_of[2]) begin
            index_q[47:32] <= index_q[47:32] + 16'd1;
          end else begin
            index_q[47:32] <= '0;
            row3_q         <= next_o;
            index_q[63:48] <= index_q[63:48] + 16'd1;
          end
        end
      end
    end
  end
endmodule
