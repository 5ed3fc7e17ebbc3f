// SPDX-License-Identifier: Apache-2.0
// Sequencer of loads of array A (LoadStationary, Transpose) into the first row: four columns a
// cycle of a run of elements, with them the tags of a sparse stationary; one column a cycle of any
// other pattern. Registered: start in cycle s gives groups 0 .. L-1 in cycles s+1 .. s+L.
module tensor_load_seq (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         start_i,
  input  tensor_pkg::cmd_t             cmd_i,
  input  tensor_ctrl_pkg::plan_t       plan_i,
  input  logic [tensor_pkg::SlotW-1:0] slot_i,
  output tensor_pkg::load_wave_t       load_o,
  output tensor_pkg::tag_wave_t        tag_o
);
  logic [7:0] cols_q;        // Columns still to send, including this cycle's
  logic       transpose_q;
  logic [tensor_pkg::AddrW-1:0] outer_q, next, step;  // Start of the inner run; of the next group
  logic [6:0] next_column;
  logic       run, last, outer;
  tensor_ctrl_pkg::pattern_t pattern;
  tensor_pkg::load_wave_t wave_q;
  tensor_pkg::tag_wave_t  tag_q;

  // Those of the next four columns that belong to the tile.
  function automatic logic [3:0] columns_of(input logic [7:0] cols);
    columns_of = (cols >= 8'd4) ? 4'hf : 4'((4'd1 << cols[1:0]) - 4'd1);
  endfunction

  // In bytes. A run is one inner dimension of four elements a step.
  always_comb begin
    pattern = '0;
    if (start_i) begin
      pattern.columns = 16'(plan_i.groups);
      pattern.num0    = plan_i.single ? cmd_i.num0 : 16'(plan_i.groups);
      pattern.step0   = plan_i.single ? tensor_pkg::AddrW'(cmd_i.step0) << plan_i.size
                                      : tensor_pkg::AddrW'(4) << plan_i.size;
      pattern.step1   = tensor_pkg::AddrW'(cmd_i.step1) << plan_i.size;
    end
  end

  tensor_pattern u_pattern (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .start_i  (start_i),
    .pattern_i(pattern),
    .run_o    (run),
    .last_o   (last),
    .outer_o  (outer),
    .step_o   (step)
  );

  assign next        = (outer ? outer_q : wave_q.address) + step;
  assign next_column = {wave_q.group, wave_q.column} + (wave_q.single ? 7'd1 : 7'd4);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cols_q      <= '0;
      transpose_q <= 1'b0;
      outer_q     <= '0;
      wave_q      <= '0;
      tag_q       <= '0;
    end else if (start_i) begin
      cols_q         <= cmd_i.cols;
      transpose_q    <= plan_i.is_transpose;
      outer_q        <= cmd_i.address[tensor_pkg::AddrW-1:0];
      wave_q.valid   <= 1'b1;
      wave_q.slot    <= slot_i;
      wave_q.form    <= plan_i.is_transpose ? tensor_ctrl_pkg::form_raw(plan_i.size) :
                        tensor_ctrl_pkg::form_a(cmd_i.dtype, cmd_i.high_half);
      wave_q.single  <= plan_i.single;
      wave_q.group   <= cmd_i.col_start[6:2];
      wave_q.column  <= 2'd0;
      wave_q.address <= cmd_i.address[tensor_pkg::AddrW-1:0];
      wave_q.skip    <= cmd_i.row_start;
      wave_q.left    <= cmd_i.rows;
      tag_q.valid    <= plan_i.sparse;
      tag_q.sparsity <= cmd_i.sparsity;
      tag_q.columns  <= columns_of(cmd_i.cols);
      tag_q.address  <= cmd_i.aux_address[tensor_pkg::AddrW-1:1];
    end else if (run) begin
      cols_q         <= cols_q - 8'd4;
      wave_q.valid   <= !last;
      wave_q.group   <= next_column[6:2];
      wave_q.column  <= next_column[1:0];
      wave_q.address <= next;
      if (outer) outer_q <= next;
      tag_q.valid    <= tag_q.valid && !last;
      tag_q.columns  <= columns_of(cols_q - 8'd4);
      tag_q.address  <= tag_q.address + 17'd1;
    end
  end

  always_comb begin
    load_o      = wave_q;
    load_o.last = last && !transpose_q;
  end

  assign tag_o = tag_q;
endmodule
