// SPDX-License-Identifier: Apache-2.0
// Destinations of the columns in flight to PSUM: a table by command slot, and the number of columns
// of each slot that have arrived. Port 4 is the raw one.
`include "tern_assert.svh"

module tensor_psum_table #(
  parameter int unsigned PsumBanks    = 8,
  parameter int unsigned BankColumns  = 512,
  parameter int unsigned CommandDepth = 16,
  localparam int unsigned ColumnW     = $clog2(BankColumns)
) (
  input  logic                                           clk_i,
  input  logic                                           rst_ni,
  input  logic                                           dest_valid_i,
  input  logic                   [tensor_pkg::SlotW-1:0] dest_slot_i,
  input  tensor_pkg::dest_t                              dest_i,
  // Columns in stage 1: [port][column group]
  input  logic                                [4:0][3:0] valid_i,
  input  logic         [4:0][3:0][tensor_pkg::SlotW-1:0] slot_i,
  // Their destination, in the same cycle; half: 16-bit elements, upper: that half of the word
  output logic                                [4:0][3:0] lead_o,  // First column group of a tile
  output logic                                [4:0][3:0] accumulate_o,
  output logic                                [4:0][3:0] stochastic_o,
  output logic                                [4:0][3:0] half_o,
  output logic                                [4:0][3:0] upper_o,
  output logic                           [4:0][3:0][6:0] bank_o,
  output logic                   [4:0][3:0][ColumnW-1:0] word_o,
  output logic                           [4:0][3:0][7:0] end_o,   // First lane after the tile
  output logic       [4:0][3:0][tensor_pkg::RetireW-1:0] column_o,  // retire_t
  output logic                                     [7:0] draw_first_o,  // Lanes that draw
  output logic                                     [7:0] draw_lanes_o,
  output logic                        [CommandDepth-1:0] last_o   // By slot: its last column
);
  localparam int unsigned IndexW = $clog2(CommandDepth);

  // Vectors: of an array of structs Yosys would keep one element only.
  tensor_pkg::dest_t              dest;
  localparam int unsigned         DestW = $bits(dest);
  logic               [DestW-1:0] table_q [CommandDepth];
  logic [CommandDepth-1:0] [15:0] index_d, index_q;
  // For the assertions: slots with columns to come; a column that should not be here (of no
  // command, on a wrong port); commands that draw.
  logic        [CommandDepth-1:0] known_d, known_q, drawing;
  logic                           stray;

  // Banks hold a power of two of elements, so a linear element number is bank and column
  // concatenated.
  logic              [31:0] width, element, place;
  logic        [IndexW-1:0] slot;
  tensor_pkg::retire_t      column;

  always_comb begin
    width        = '0;
    element      = '0;
    place        = '0;
    slot         = '0;
    dest         = '0;
    column       = '0;
    lead_o       = '0;
    accumulate_o = '0;
    stochastic_o = '0;
    half_o       = '0;
    upper_o      = '0;
    bank_o       = '0;
    word_o       = '0;
    end_o        = '0;
    column_o     = '0;
    draw_first_o = '0;
    draw_lanes_o = '0;
    last_o       = '0;
    index_d      = index_q;
    stray        = 1'b0;
    drawing      = '0;
    for (int unsigned p = 0; p < 5; p++) begin
      for (int unsigned j = 0; j < 4; j++) begin
        if (valid_i[p][j]) begin
          slot    = slot_i[p][j][IndexW-1:0];
          dest    = table_q[slot];
          width   = ColumnW + (dest.half ? 32'd1 : 32'd0);
          element = (32'(dest.bank) << width) + 32'(dest.column) + 32'(index_q[slot]);
          if (dest.quad) element = element + ((p * (PsumBanks / 4)) << width);
          stray   = stray || !known_q[slot] || dest.raw != (p == 4) ||
                    (dest.quad && j == 0 && valid_i[3:0] != '1);
          place   = element & ((32'd1 << width) - 32'd1);
          column.tag         = dest.tag;
          column.first       = dest.first;
          column.lanes       = dest.lanes;
          column.half        = dest.half;
          column.bank        = 7'(element >> width);
          column.column      = 16'(place);
          column.index       = index_q[slot];
          column_o[p][j]     = column;
          accumulate_o[p][j] = dest.accumulate;
          stochastic_o[p][j] = dest.half && dest.stochastic;
          half_o[p][j]       = dest.half;
          upper_o[p][j]      = dest.half && place[0];
          bank_o[p][j]       = column.bank;
          word_o[p][j]       = ColumnW'(dest.half ? place >> 1 : place);
          end_o[p][j]        = dest.first + dest.lanes;
          if (dest.half && dest.stochastic) begin
            draw_first_o = dest.first;
            draw_lanes_o = dest.lanes;
            drawing[slot] = 1'b1;
          end
          lead_o[p][j]       = 1'b1;
          if (j != 0) begin
            lead_o[p][j] = !valid_i[p][j-1] || slot_i[p][j-1] != slot_i[p][j];
          end
          // In quad mode four ports deliver the same column and write the same count.
          index_d[slot] = index_q[slot] + 16'd1;
          last_o[slot]  = index_d[slot] == dest.count;
        end
      end
    end
    known_d = known_q & ~last_o;
    if (dest_valid_i) begin
      index_d[dest_slot_i[IndexW-1:0]] = '0;
      known_d[dest_slot_i[IndexW-1:0]] = 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      index_q <= '0;
      known_q <= '0;
    end else begin
      index_q <= index_d;
      known_q <= known_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (dest_valid_i) table_q[dest_slot_i[IndexW-1:0]] <= dest_i;
  end

  `TERN_ASSERT(DestinationKnown, !stray)
  `TERN_ASSERT(OneDraws, $onehot0(drawing))
  `TERN_ASSERT(SlotFree, !dest_valid_i || !known_q[dest_slot_i[IndexW-1:0]])
endmodule
