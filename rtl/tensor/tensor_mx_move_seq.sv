// SPDX-License-Identifier: Apache-2.0
// Sequencer of MultiplyMoving for one entry of array X: one moving column a cycle, with its second
// plane and the scales, which follow the same pattern. Registered: start in cycle t gives columns
// 0 .. N-1 in cycles t+1 .. t+N.
module tensor_mx_move_seq (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic                      start_i,
  input  tensor_pkg::mx_move_t      wave_i,     // First column
  input  tensor_ctrl_pkg::pattern_t pattern_i,  // In elements
  input  logic [1:0]                size_i,     // Log2 of an element's bytes
  output tensor_pkg::mx_move_t      move_o
);
  typedef logic [tensor_pkg::AddrW-1:0] address_t;
  tensor_pkg::mx_move_t wave_q;
  logic       run, last, outer;
  logic [1:0] size_q;
  // In bytes; outer: where the current inner run begins.
  address_t address_q, scale_q, outer_q, outer_scale_q;
  logic [tensor_pkg::AddrW-2:0] plane_q;  // From the first plane to the second, 2-byte words
  address_t address_d, scale_d, base, base_scale, step;

  tensor_pattern u_pattern (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .start_i  (start_i),
    .pattern_i(pattern_i),
    .run_o    (run),
    .last_o   (last),
    .outer_o  (outer),
    .step_o   (step)
  );

  always_comb begin
    base       = outer ? outer_q : address_q;
    base_scale = outer ? outer_scale_q : scale_q;
    address_d  = base + (step << size_q);
    scale_d    = base_scale + step;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wave_q        <= '0;
      size_q        <= '0;
      address_q     <= '0;
      plane_q       <= '0;
      scale_q       <= '0;
      outer_q       <= '0;
      outer_scale_q <= '0;
    end else if (start_i) begin
      wave_q        <= wave_i;
      size_q        <= size_i;
      address_q     <= {wave_i.address, wave_i.odd};
      plane_q       <= wave_i.plane_address - wave_i.address;
      scale_q       <= wave_i.scale_address;
      outer_q       <= {wave_i.address, wave_i.odd};
      outer_scale_q <= wave_i.scale_address;
    end else if (run) begin
      wave_q.valid <= !last;
      wave_q.swap  <= 1'b0;
      address_q    <= address_d;
      scale_q      <= scale_d;
      if (outer) begin
        outer_q       <= address_d;
        outer_scale_q <= scale_d;
      end
    end
  end

  always_comb begin
    move_o = wave_q;
    if (wave_q.valid) begin
      move_o.address       = address_q[tensor_pkg::AddrW-1:1];
      move_o.plane_address = address_q[tensor_pkg::AddrW-1:1] + plane_q;
      move_o.odd           = address_q[0];
      move_o.scale_address = scale_q;
    end
  end
endmodule
