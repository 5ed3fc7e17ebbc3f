// SPDX-License-Identifier: Apache-2.0
// Sequencer of loads of array A (LoadStationary, Transpose): four columns a cycle into the first
// row, with them the tags of a sparse stationary. Registered: start in cycle s gives groups 0 ..
// L-1 in cycles s+1 .. s+L.
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
  logic [5:0] left_q;        // Groups still to send, including this cycle's
  logic [7:0] cols_q;        // Columns likewise
  logic [2:0] stride_q;      // 4-byte words of a group
  logic       transpose_q;
  tensor_pkg::load_wave_t wave_d, wave_q;
  tensor_pkg::tag_wave_t  tag_d, tag_q;

  // Those of the next four columns that belong to the tile.
  function automatic logic [3:0] columns_of(input logic [7:0] cols);
    columns_of = (cols >= 8'd4) ? 4'hf : 4'((4'd1 << cols[1:0]) - 4'd1);
  endfunction

  always_comb begin
    wave_d = wave_q;
    tag_d  = tag_q;
    if (start_i) begin
      wave_d.valid   = 1'b1;
      wave_d.last    = !plan_i.is_transpose && plan_i.groups == 6'd1;
      wave_d.slot    = slot_i;
      wave_d.form    = plan_i.is_transpose ? tensor_ctrl_pkg::form_raw(plan_i.size) :
                       tensor_ctrl_pkg::form_a(cmd_i.dtype, cmd_i.high_half);
      wave_d.group   = cmd_i.col_start[6:2];
      wave_d.address = cmd_i.address[tensor_pkg::AddrW-1:2];
      wave_d.skip    = cmd_i.row_start;
      wave_d.left    = cmd_i.rows;
      tag_d.valid    = plan_i.sparse;
      tag_d.sparsity = cmd_i.sparsity;
      tag_d.columns  = columns_of(cmd_i.cols);
      tag_d.bad      = 1'b0;
      tag_d.address  = cmd_i.aux_address[tensor_pkg::AddrW-1:1];
    end else if (left_q != 6'd0) begin
      wave_d.valid   = left_q != 6'd1;
      wave_d.last    = !transpose_q && left_q == 6'd2;
      wave_d.group   = wave_q.group + 5'd1;
      wave_d.address = wave_q.address + 16'(stride_q);
      tag_d.valid    = tag_q.valid && left_q != 6'd1;
      tag_d.columns  = columns_of(cols_q - 8'd4);
      tag_d.address  = tag_q.address + 17'd1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q      <= '0;
      cols_q      <= '0;
      stride_q    <= '0;
      transpose_q <= 1'b0;
      wave_q      <= '0;
      tag_q       <= '0;
    end else if (start_i) begin
      left_q      <= plan_i.groups;
      cols_q      <= cmd_i.cols;
      stride_q    <= 3'd1 << plan_i.size;
      transpose_q <= plan_i.is_transpose;
      wave_q      <= wave_d;
      tag_q       <= tag_d;
    end else if (left_q != 6'd0) begin
      left_q <= left_q - 6'd1;
      cols_q <= cols_q - 8'd4;
      wave_q <= wave_d;
      tag_q  <= tag_d;
    end
  end

  assign load_o = wave_q;
  assign tag_o  = tag_q;
endmodule
