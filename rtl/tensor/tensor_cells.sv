// SPDX-License-Identifier: Apache-2.0
// When the arrays are free. Tiles claim cells of a 4 x 4 grid (those of array X all columns), and a
// MultiplyMoving keeps its cells busy. Counters hold the remaining cycles.
module tensor_cells #(
  parameter int unsigned MinInterval = 64
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  // The head of the queue
  input  tensor_ctrl_pkg::plan_t plan_i,
  input  logic [15:0]            interval_i,  // Of a multiply: as tensor_ramp allows
  output logic                   free_o,   // No claimed cell is busy
  output logic                   ready_o,  // Their weights arrive before the first column
  input  logic                   start_i   // It issues
);
  logic start_move, start_load;
  logic [15:0] hold, busy, waiting;
  logic  [3:0] groups, waiting_x;  // Row groups of array X
  logic        running_q;

  assign start_move = start_i && plan_i.is_move;
  assign start_load = start_i && !plan_i.is_move && !plan_i.is_transpose;
  assign hold       = (32'(interval_i) > MinInterval) ? interval_i : 16'(MinInterval);

  for (genvar c = 0; c < 16; c++) begin : gen_cell
    logic [15:0] busy_q;
    logic  [7:0] ready_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        busy_q  <= '0;
        ready_q <= '0;
      end else if (start_i || running_q) begin
        if (start_move && plan_i.cells[c]) busy_q <= hold - 16'd1;
        else if (busy_q != 16'd0) busy_q <= busy_q - 16'd1;
        if (start_load && !plan_i.mx && plan_i.cells[c]) ready_q <= plan_i.groups;
        else if (ready_q != 8'd0) ready_q <= ready_q - 8'd1;
      end
    end

    assign busy[c]    = busy_q != 16'd0;
    assign waiting[c] = ready_q != 8'd0;
  end

  for (genvar g = 0; g < 4; g++) begin : gen_group
    logic [7:0] ready_q;

    assign groups[g]    = plan_i.cells[4*g];
    assign waiting_x[g] = ready_q != 8'd0;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) ready_q <= '0;
      else if (start_load && plan_i.mx && groups[g]) ready_q <= plan_i.groups;
      else if (ready_q != 8'd0) ready_q <= ready_q - 8'd1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q <= 1'b0;
    end else begin
      // One cycle longer than the longest counter.
      running_q <= start_i || busy != 16'd0 || waiting != 16'd0;
    end
  end

  assign free_o  = (busy & plan_i.cells) == 16'd0;
  assign ready_o = plan_i.mx ? (waiting_x & groups) == 4'd0 : (waiting & plan_i.cells) == 16'd0;
endmodule
