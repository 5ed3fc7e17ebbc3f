// SPDX-License-Identifier: Apache-2.0
// The array: Rows identical rows, control and partial sums travel down one row per cycle, so that
// partition r is read r cycles after partition 0.
`include "tern_trace.svh"

module tensor_array #(
  parameter int unsigned Rows = 128,
  parameter int unsigned Cols = 128
) (
  input  logic                                        clk_i,
  input  logic                                        rst_ni,
  input  tensor_pkg::load_wave_t                      load_i,
  output tensor_pkg::load_wave_t                      load_o,  // leaves the last row
  input  tensor_pkg::move_wave_t                      move_i,
  output tensor_pkg::move_wave_t                      move_o,
  output logic [Rows-1:0]                             load_req_o,
  output logic [Rows-1:0][tensor_pkg::AddrW-4:0]      load_addr_o,
  input  logic [Rows-1:0][63:0]                       load_data_i,
  output logic [Rows-1:0]                             move_req_o,
  output logic [Rows-1:0][tensor_pkg::AddrW-2:0]      move_addr_o,
  input  logic [Rows-1:0][15:0]                       move_data_i,
  `TERN_LANES
  output logic [Cols*32-1:0]                          acc_o
  `TERN_LANES_END
);
  for (genvar r = 0; r < Rows; r++) begin : gen_row
    tensor_pkg::load_wave_t load_in, load_out;
    tensor_pkg::move_wave_t move_in, move_out;
    `TERN_LANES
    logic [Cols*32-1:0] acc_in, acc_out;
    `TERN_LANES_END

    if (r == 0) begin : gen_first
      assign load_in = load_i;
      assign move_in = move_i;
      assign acc_in  = '0;  // every chain starts from +0
    end else begin : gen_next
      assign load_in = gen_row[r-1].load_out;
      assign move_in = gen_row[r-1].move_out;
      assign acc_in  = gen_row[r-1].acc_out;
    end

    tensor_row #(
      .Cols(Cols)
    ) u_row (
      .clk_i      (clk_i),
      .rst_ni     (rst_ni),
      .load_i     (load_in),
      .load_o     (load_out),
      .move_i     (move_in),
      .move_o     (move_out),
      .load_req_o (load_req_o[r]),
      .load_addr_o(load_addr_o[r]),
      .load_data_i(load_data_i[r]),
      .move_req_o (move_req_o[r]),
      .move_addr_o(move_addr_o[r]),
      .move_data_i(move_data_i[r]),
      .acc_i      (acc_in),
      .acc_o      (acc_out)
    );
  end

  assign load_o = gen_row[Rows-1].load_out;
  assign move_o = gen_row[Rows-1].move_out;
  assign acc_o  = gen_row[Rows-1].acc_out;
endmodule
