// SPDX-License-Identifier: Apache-2.0
// The pieces of a packet's sources or destinations. For each pair, for each run of its pattern (of
// an operation: for each block, for each source): one cycle of set-up, then a piece per cycle. A
// piece stays inside one 1 KiB window.
`include "tern_assert.svh"

module dma_pieces #(
  parameter bit IsTarget = 1'b0
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               packet_valid_i,  // The same packet until done_o
  input  dma_pkg::packet_t   packet_i,
  input  logic               hold_i,          // Earlier packets are not complete: a barrier waits
  // Prefetch buffer: the pairs at slot_o and the two after it.
  output logic               read_o,
  output logic         [6:0] slot_o,
  input  logic       [767:0] pairs_i,
  // The next piece, and whether it is taken.
  output logic               piece_valid_o,
  input  logic               go_i,
  output logic        [63:0] address_o,
  output logic        [10:0] bytes_o,
  output logic               run_first_o,
  output logic               row_first_o,
  output logic               row_last_o,
  output logic               pass_first_o,
  output logic               pass_last_o,
  output logic               packet_last_o,
  output logic         [6:0] pair_o,
  output logic        [31:0] word_o,          // Source: its scale; target: the immediate's value
  output logic         [1:0] write_op_o,
  output logic               done_o           // With the packet's last piece
);
  localparam int unsigned Window = dma_spec_pkg::BurstBytes;

  logic        pieces_q;    // The run is set up
  logic        inside_q;    // The pair is set up
  logic        started_q;     // The packet's first run is set up
  logic        fresh_q;     // The run's first piece is still to come
  logic        first_q;     // The packet's first run
  logic [6:0]  pair_q;      // The pair; operations: the source
  logic [6:0]  block_q;
  logic        last_block_q;
  logic [1:0]  ext_q;
  logic [63:0] address_q;
  logic [16:0] left_q, length_q;
  logic [31:0] word_q;
  logic [1:0]  write_op_q;

  logic is_op, is_transpose, is_immediate;
  assign is_op        = dma_back_pkg::is_operation(packet_i.op);
  assign is_transpose = packet_i.op == dma_spec_pkg::OpTranspose;
  assign is_immediate = packet_i.op == dma_spec_pkg::OpImmediate;

  // The pair and the pattern slots after it.
  logic [127:0] own, own1, own2;
  logic [1:0]   ext;
  logic [16:0]  length, offset, block_bytes, rest;
  logic         long_words, barrier;
  logic [127:0] tx, rx;
  assign {rx, tx} = pairs_i[255:0];
  assign own    = IsTarget ? rx : tx;
  assign own1   = IsTarget ? pairs_i[511:384] : pairs_i[383:256];
  assign own2   = IsTarget ? pairs_i[767:640] : pairs_i[639:512];
  assign ext    = rx[dma_spec_pkg::DescExtLsb+:2];
  assign length = {own[15:0] == 16'd0, own[15:0]};
  assign barrier = !IsTarget && !started_q && tx[dma_spec_pkg::DescDmbLsb] && hold_i;

  // Operations: a block of 256 elements.
  assign long_words  = (IsTarget ? packet_i.dst_dtype : packet_i.src_dtype)
                     == dma_spec_pkg::DtypeFp32;
  assign block_bytes = long_words ? 17'd1024 : 17'd512;
  assign offset      = long_words ? {block_q, 10'd0} : {1'b0, block_q, 9'd0};
  assign rest        = length - offset;

  logic set_up;
  assign read_o = packet_valid_i && !pieces_q;
  assign slot_o = packet_i.slot + pair_q;
  assign set_up = read_o && !barrier;

  // The run's next piece.
  logic [10:0] room;
  logic        run_last, pair_last, step, run_done;
  logic [63:0] next;
  logic        walk_last;
  assign room          = 11'(Window) - {1'b0, address_q[9:0]};
  assign bytes_o       = (left_q > {6'd0, room}) ? room : left_q[10:0];
  assign piece_valid_o = pieces_q;
  assign address_o     = address_q;
  assign run_last      = left_q == {6'd0, bytes_o};
  assign pair_last     = is_op || walk_last;
  assign run_done      = pieces_q && go_i && run_last;
  assign step          = run_done && !pair_last;
  assign run_first_o   = fresh_q && (!is_transpose || (first_q && !IsTarget));
  assign row_first_o   = fresh_q;
  assign row_last_o    = run_last;
  assign pass_first_o  = pair_q == 7'd0;
  assign pass_last_o   = IsTarget || pair_q + 7'd1 == packet_i.pairs;
  assign pair_o        = pair_q;
  assign word_o        = word_q;
  assign write_op_o    = write_op_q;
  assign packet_last_o = run_last && pair_last
                      && (is_op ? pass_last_o && last_block_q
                                : pair_q + 7'd1 + {5'd0, ext_q} == packet_i.pairs);
  assign done_o        = (pieces_q && go_i && packet_last_o)
                      || (set_up && is_immediate && !IsTarget);

  dma_walk u_walk (
    .clk_i     (clk_i),
    .load_i    (set_up && !inside_q),
    .address_i (own[127:64]),
    .counts_i  ({ext > 2'd1 ? own2[63:32] : 32'h0001_0001,
                 ext > 2'd0 ? own1[63:32] : 32'h0001_0001}),
    .strides_i ({own2[127:64], own1[127:64]}),
    .step_i    (step),
    .next_o    (next),
    .last_o    (walk_last)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pieces_q <= 1'b0;
      inside_q <= 1'b0;
      started_q  <= 1'b0;
      pair_q   <= '0;
      block_q  <= '0;
    end else if (done_o) begin
      pieces_q <= 1'b0;
      inside_q <= 1'b0;
      started_q  <= 1'b0;
      pair_q   <= '0;
      block_q  <= '0;
    end else if (set_up) begin
      pieces_q <= 1'b1;
      inside_q <= !is_op;
      started_q  <= 1'b1;
    end else if (run_done) begin
      pieces_q <= step && is_transpose;
      if (is_op) begin
        pair_q <= pass_last_o ? 7'd0 : pair_q + 7'd1;
        if (pass_last_o) block_q <= block_q + 7'd1;
      end else if (pair_last) begin
        inside_q <= 1'b0;
        pair_q   <= pair_q + 7'd1 + {5'd0, ext_q};
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (set_up) begin
      fresh_q <= 1'b1;
      first_q <= !started_q;
      if (is_op) begin
        address_q    <= own[127:64] + {47'd0, offset};
        left_q       <= (rest > block_bytes) ? block_bytes : rest;
        last_block_q <= rest <= block_bytes;
        word_q       <= own[dma_spec_pkg::DescScaleLsb+:32];
        write_op_q   <= rx[dma_spec_pkg::DescWriteOpLsb+:2];
      end else if (!inside_q) begin
        address_q  <= own[127:64];
        left_q     <= length;
        length_q   <= length;
        ext_q      <= ext;
        word_q     <= tx[dma_spec_pkg::DescAddressLsb+:32];
        write_op_q <= rx[dma_spec_pkg::DescWriteOpLsb+:2];
      end else begin
        left_q <= length_q;
      end
    end else if (pieces_q && go_i) begin
      fresh_q   <= step;
      address_q <= step ? next : address_q + {53'd0, bytes_o};
      left_q    <= step ? length_q : left_q - {6'd0, bytes_o};
      if (step) first_q <= 1'b0;
    end
  end

  `TERN_ASSERT(GoWithPiece, !go_i || piece_valid_o)

`ifdef FORMAL
`include "dma_pieces_properties.svh"
`endif
endmodule
