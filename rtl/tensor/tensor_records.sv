// SPDX-License-Identifier: Apache-2.0
// Which weights the arrays hold: one record per cell of array A and per row group of array X.
// Records change when a command issues; the head of the queue is compared with them.
//
// Cells need not record which LoadStationary wrote them. If all cells that a MultiplyMoving claims
// hold the record of its tile, it was the same one: each that writes this record writes all these
// cells.
module tensor_records (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  // The head of the queue
  input  logic                     valid_i,
  input  tensor_pkg::cmd_t         cmd_i,
  input  tensor_ctrl_pkg::plan_t   plan_i,
  output logic                     match_o,  // Its weights are loaded or being loaded
  output logic                     swap_o,   // They are still in the shadow
  input  logic                     start_i   // It issues
);
  tensor_ctrl_pkg::record_t record;
  logic [1:0] form;
  logic load_a, load_x, move_a, move_x;
  // Per cell, and per row group of array X: it holds the record of this command; its weights wait
  // in the shadow.
  logic [15:0] agrees, pending;
  logic  [3:0] groups, agrees_x, pending_x;

  always_comb begin
    record = '0;
    form   = '0;
    if (valid_i) begin
      record.row_start = cmd_i.row_start;
      record.rows      = cmd_i.rows;
      record.col_start = cmd_i.col_start;
      record.cols      = cmd_i.cols;
      record.tile_rows = cmd_i.tile_rows;
      record.tile_cols = cmd_i.tile_cols;
      record.mode      = cmd_i.mode;
      record.sparsity  = plan_i.sparse ? cmd_i.sparsity : 3'd0;
      record.wide      = !plan_i.mx && plan_i.size == 2'd2;
      form             = tensor_ctrl_pkg::form_x(cmd_i.dtype);
    end
  end

  assign load_a = start_i && !plan_i.is_move && !plan_i.is_transpose && !plan_i.mx;
  assign load_x = start_i && !plan_i.is_move && !plan_i.is_transpose && plan_i.mx;
  assign move_a = start_i && plan_i.is_move && !plan_i.mx;
  assign move_x = start_i && plan_i.is_move && plan_i.mx;

  for (genvar c = 0; c < 16; c++) begin : gen_cell
    tensor_ctrl_pkg::record_t record_q;
    logic valid_q, pending_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        record_q  <= '0;
        valid_q   <= 1'b0;
        pending_q <= 1'b0;
      end else if (start_i) begin
        if (load_a && plan_i.cells[c]) begin
          record_q  <= record;
          valid_q   <= 1'b1;
          pending_q <= 1'b1;
        end
        if (move_a && plan_i.cells[c]) pending_q <= 1'b0;
        // A Transpose uses the shadow itself.
        if (plan_i.is_transpose && pending_q) begin
          valid_q   <= 1'b0;
          pending_q <= 1'b0;
        end
      end
    end

    assign agrees[c]  = valid_q && record_q == record;
    assign pending[c] = pending_q;
  end

  for (genvar g = 0; g < 4; g++) begin : gen_group
    tensor_ctrl_pkg::record_t record_q;
    logic [1:0] form_q;
    logic valid_q, pending_q;

    assign groups[g] = plan_i.cells[4*g];  // A tile of array X claims all columns

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        record_q  <= '0;
        form_q    <= '0;
        valid_q   <= 1'b0;
        pending_q <= 1'b0;
      end else if (start_i && groups[g]) begin
        if (load_x) begin
          record_q  <= record;
          form_q    <= form;
          valid_q   <= 1'b1;
          pending_q <= 1'b1;
        end
        if (move_x) pending_q <= 1'b0;
      end
    end

    // The two E4M3 formats are never mixed.
    assign agrees_x[g]  = valid_q && record_q == record &&
                          !(form == tensor_pkg::FormE4m3 && form_q == tensor_pkg::FormE4m3Fn) &&
                          !(form == tensor_pkg::FormE4m3Fn && form_q == tensor_pkg::FormE4m3);
    assign pending_x[g] = pending_q;
  end

  assign match_o = plan_i.mx ? (groups & ~agrees_x) == 4'd0 : (plan_i.cells & ~agrees) == 16'd0;
  assign swap_o  = plan_i.mx ? (groups & pending_x) != 4'd0 : (plan_i.cells & pending) != 16'd0;
endmodule
