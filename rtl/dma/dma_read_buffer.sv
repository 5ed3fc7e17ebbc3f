// SPDX-License-Identifier: Apache-2.0
// Lines of 64 bytes for data requested and not yet moved. Pieces take tags and lines in order
// and return them in order, so both are rings; answers come in any order of the pieces. There are
// two banks, because a beat may span two lines.
`include "tern_assert.svh"

module dma_read_buffer #(
  parameter int unsigned Lines = dma_spec_pkg::ReadLines,
  parameter int unsigned Tags  = dma_spec_pkg::Tags,
  localparam int unsigned LineW  = $clog2(Lines),
  localparam int unsigned LinesW = $clog2(Lines + 1),
  localparam int unsigned TagW   = $clog2(Tags),
  localparam int unsigned CountW = $clog2(Tags + 1)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  // From dma_source.
  input  logic                        take_i,
  input  dma_back_pkg::source_piece_t piece_i,
  output logic                  [5:0] tag_o,         // Of the next piece
  output logic           [LinesW-1:0] lines_free_o,
  output logic           [CountW-1:0] pieces_o,
  // Read port.
  input  dma_pkg::answer_t            answer_i,
  input  logic                [511:0] data_i,
  // The oldest piece, for the mover.
  output logic                        valid_o,       // It is complete
  output dma_back_pkg::source_piece_t piece_o,
  output logic                  [1:0] error_o,
  output logic            [LineW-1:0] line_o,        // Its first line
  input  logic                        pop_i,
  // A line and the next one.
  input  logic                        read_i,
  input  logic            [LineW-1:0] read_line_i,
  output logic                [511:0] line0_o,
  output logic                [511:0] line1_o
);
  localparam int unsigned PieceW = $bits(piece_i);

  logic [PieceW-1:0]  pieces [Tags];
  logic [LineW-1:0]   first_line [Tags];
  logic [1:0]         errors [Tags];
  logic [Tags-1:0]    complete_q;
  logic [TagW-1:0]    in_q, out_q;
  logic [CountW-1:0]  count_q;
  logic [LineW-1:0]   in_line_q, out_line_q;
  logic [LinesW-1:0]  free_q;
  logic [3:0]         beat_q;

  logic [4:0]       take_lines, pop_lines;
  logic [TagW-1:0]  tag;
  logic [LineW-1:0] line;
  assign take_lines = 5'((piece_i.bytes + 11'd63) >> 6);
  assign pop_lines  = 5'((piece_o.bytes + 11'd63) >> 6);
  assign tag        = answer_i.tag[TagW-1:0];
  assign line       = first_line[tag] + LineW'(beat_q);

  assign tag_o        = 6'(in_q);
  assign lines_free_o = free_q;
  assign pieces_o     = count_q;
  assign valid_o      = count_q != '0 && complete_q[out_q];
  assign piece_o      = pieces[out_q];
  assign error_o      = errors[out_q];
  assign line_o       = out_line_q;

  logic [LineW-2:0] read_even, read_odd;
  logic [511:0]     from_even, from_odd;
  assign read_odd  = read_line_i[LineW-1:1];
  assign read_even = read_line_i[LineW-1:1] + (LineW - 1)'(read_line_i[0]);
  tern_regfile #(.Width(512), .Depth(Lines / 2)) u_even (
    .clk_i          (clk_i),
    .write_i        (answer_i.valid && !line[0]),
    .write_address_i(line[LineW-1:1]),
    .write_data_i   (data_i),
    .read_i         (read_i),
    .read_address_i (read_even),
    .read_data_o    (from_even)
  );
  tern_regfile #(.Width(512), .Depth(Lines / 2)) u_odd (
    .clk_i          (clk_i),
    .write_i        (answer_i.valid && line[0]),
    .write_address_i(line[LineW-1:1]),
    .write_data_i   (data_i),
    .read_i         (read_i),
    .read_address_i (read_odd),
    .read_data_o    (from_odd)
  );
  assign line0_o = read_line_i[0] ? from_odd : from_even;
  assign line1_o = read_line_i[0] ? from_even : from_odd;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_q       <= '0;
      out_q      <= '0;
      count_q    <= '0;
      in_line_q  <= '0;
      out_line_q <= '0;
      free_q     <= LinesW'(Lines);
      beat_q     <= '0;
    end else begin
      if (take_i) begin
        in_q      <= in_q + 1'b1;
        in_line_q <= in_line_q + LineW'(take_lines);
      end
      if (pop_i) begin
        out_q      <= out_q + 1'b1;
        out_line_q <= out_line_q + LineW'(pop_lines);
      end
      count_q <= count_q + CountW'(take_i) - CountW'(pop_i);
      free_q  <= free_q - (take_i ? LinesW'(take_lines) : '0) + (pop_i ? LinesW'(pop_lines) : '0);
      if (answer_i.valid) beat_q <= answer_i.last ? 4'd0 : beat_q + 4'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_i) begin
      pieces[in_q]     <= piece_i;
      first_line[in_q] <= in_line_q;
      complete_q[in_q] <= 1'b0;
    end
    if (answer_i.valid && answer_i.last) begin
      complete_q[tag] <= 1'b1;
      errors[tag]     <= answer_i.error;
    end
  end

  `TERN_ASSERT_INIT(LinesPowerOfTwo, Lines == (1 << LineW))
  `TERN_ASSERT_INIT(TagsPowerOfTwo, Tags == (1 << TagW) && Tags <= 64)
  `TERN_ASSERT(PopOfComplete, !pop_i || valid_o)
  `TERN_ASSERT(AnswerOfPiece, !answer_i.valid || (TagW'(tag - out_q) < TagW'(count_q))
                                              || count_q == CountW'(Tags))
endmodule
