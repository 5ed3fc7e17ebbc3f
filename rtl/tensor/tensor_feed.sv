// SPDX-License-Identifier: Apache-2.0
// Moving operands of four rows. When the waves reach the first of them, all four partitions are
// read; the sixteen words (four partitions, four lanes or planes) travel down with the waves. Row i
// of the four uses the words of partition i; a sparse row may choose from all sixteen, which is why
// they are read together.
//
// For the cycle q in which the waves reach the first row: requests in q, data and words of row 0 in
// q + 1, words of row i in q + 1 + i.
`include "tern_trace.svh"

module tensor_feed (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  tensor_pkg::move_wave_t wave0_i,
  input  tensor_pkg::move_wave_t wave1_i,
  input  tensor_pkg::move_wave_t wave2_i,
  input  tensor_pkg::move_wave_t wave3_i,
  input  logic [tensor_pkg::AddrW-2:0] plane_i,  // Sparse: between two planes
  output logic [tensor_pkg::AddrW-2:0] plane_o,  // To the next four rows
  // SBUF: one address for the four partitions; lane 0 or plane 0, then the others.
  output logic             [3:0] move_req_o,
  output logic [tensor_pkg::AddrW-2:0] move_addr_o,
  input  logic       [3:0][31:0] move_data_i,
  output logic        [3:0][2:0] plane_req_o,
  output logic [2:0][tensor_pkg::AddrW-2:0] plane_addr_o,
  input  logic  [3:0][2:0][31:0] plane_data_i,
  `TERN_LANES
  output logic           [511:0] row0_o,         // Word 4 * partition + lane
  output logic           [511:0] row1_o,
  output logic           [511:0] row2_o,
  output logic           [511:0] row3_o
  `TERN_LANES_END
);
  typedef logic [tensor_pkg::AddrW-2:0] address_t;

  logic sparse, sides;
  logic any_q, any_q2, any_q3;
  address_t plane_q, plane_q2, plane_q3, plane_q4;
  `TERN_LANES
  logic [511:0] words, words_q2, words_q3, words_q4;
  `TERN_LANES_END

  assign sparse = wave0_i.valid && wave0_i.sparse;
  assign sides  = wave1_i.valid || wave2_i.valid || wave3_i.valid;

  // A tile starts at a multiple of four rows, so skip counts groups of four here.
  always_comb begin
    for (int unsigned i = 0; i < 4; i++) begin
      move_req_o[i] = wave0_i.valid && wave0_i.skip == 8'd0 && {24'd0, wave0_i.left} > i;
    end
    move_addr_o  = wave0_i.address;
    plane_req_o  = '0;
    plane_addr_o = '0;
    if (sparse) begin
      plane_addr_o[0] = wave0_i.address + plane_i;
      plane_addr_o[1] = wave0_i.address + (plane_i << 1);
      plane_addr_o[2] = wave0_i.address + (plane_i << 1) + plane_i;
      for (int unsigned i = 0; i < 4; i++) begin
        plane_req_o[i][0] = move_req_o[i];
        plane_req_o[i][1] = move_req_o[i]
                         && tensor_pkg::plane_count(wave0_i.sparsity) >= 3'd3;
        plane_req_o[i][2] = move_req_o[i]
                         && tensor_pkg::plane_count(wave0_i.sparsity) == 3'd4;
      end
    end else if (sides) begin
      plane_addr_o[0] = wave1_i.address;
      plane_addr_o[1] = wave2_i.address;
      plane_addr_o[2] = wave3_i.address;
      for (int unsigned i = 0; i < 4; i++) begin
        plane_req_o[i][0] = wave1_i.valid && wave1_i.skip == 8'd0 && {24'd0, wave1_i.left} > i;
        plane_req_o[i][1] = wave2_i.valid && wave2_i.skip == 8'd0 && {24'd0, wave2_i.left} > i;
        plane_req_o[i][2] = wave3_i.valid && wave3_i.skip == 8'd0 && {24'd0, wave3_i.left} > i;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      any_q  <= 1'b0;
      any_q2 <= 1'b0;
      any_q3 <= 1'b0;
    end else begin
      any_q  <= wave0_i.valid || sides;
      any_q2 <= any_q;
      any_q3 <= any_q2;
    end
  end

  assign words = {plane_data_i[3], move_data_i[3], plane_data_i[2], move_data_i[2],
                  plane_data_i[1], move_data_i[1], plane_data_i[0], move_data_i[0]};

  always_ff @(posedge clk_i) begin
    if (any_q) words_q2 <= words;
    if (any_q2) words_q3 <= words_q2;
    if (any_q3) words_q4 <= words_q3;
  end

  always_ff @(posedge clk_i) begin
    plane_q  <= plane_i;
    plane_q2 <= plane_q;
    plane_q3 <= plane_q2;
    plane_q4 <= plane_q3;
  end

  assign plane_o = plane_q4;
  assign row0_o  = words;
  assign row1_o  = words_q2;
  assign row2_o  = words_q3;
  assign row3_o  = words_q4;
endmodule
