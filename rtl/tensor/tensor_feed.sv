// SPDX-License-Identifier: Apache-2.0
// Moving operands of four rows. When the waves reach the first of them, all four partitions are
// read; the sixteen words (four partitions, four lanes or planes) travel down with the waves. Row i
// of the four uses the words of partition i; a sparse row may choose from all sixteen, which is why
// they are read together.
//
// For the cycle q in which the waves reach the first row: requests in q, data and words of row 0 in
// q + 1, words of row i in q + 1 + i * Stages.
`include "tern_trace.svh"

module tensor_feed #(
  parameter int unsigned Stages = 1
) (
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
  logic any;
  logic [3*Stages-1:0] any_q;
  `TERN_LANES
  logic [511:0] words;
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

  assign any = wave0_i.valid || sides;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) any_q <= '0;
    else any_q <= (3*Stages)'({any_q, any});
  end

  assign words = {plane_data_i[3], move_data_i[3], plane_data_i[2], move_data_i[2],
                  plane_data_i[1], move_data_i[1], plane_data_i[0], move_data_i[0]};

  assign row0_o = words;

  // any_q[k]: they come into register k.
  for (genvar k = 0; k < 3 * Stages; k++) begin : gen_word
    `TERN_LANES
    logic [511:0] word, word_q;
    `TERN_LANES_END

    if (k == 0) begin : gen_first
      assign word = words;
    end else begin : gen_next
      assign word = gen_word[k-1].word_q;
    end

    always_ff @(posedge clk_i) if (any_q[k]) word_q <= word;
  end

  assign row1_o = gen_word[Stages-1].word_q;
  assign row2_o = gen_word[2*Stages-1].word_q;
  assign row3_o = gen_word[3*Stages-1].word_q;

  for (genvar k = 0; k < 4 * Stages; k++) begin : gen_plane
    address_t plane, plane_q;

    if (k == 0) begin : gen_first
      assign plane = plane_i;
    end else begin : gen_next
      assign plane = gen_plane[k-1].plane_q;
    end

    always_ff @(posedge clk_i) plane_q <= plane;
  end

  assign plane_o = gen_plane[4*Stages-1].plane_q;
endmodule
