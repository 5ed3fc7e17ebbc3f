// SPDX-License-Identifier: Apache-2.0
// The prefetch buffers of all rings: four banks of source and four of destination descriptors,
// slot p of a ring in bank p mod 4. Written by a beat of either list and by one hardware-made pair
// per cycle; read combinationally by the scan, by dma_source and by dma_target.
module dma_prefetch #(
  parameter int unsigned Rings = dma_spec_pkg::Rings,
  parameter int unsigned PrefetchPairs = dma_spec_pkg::PrefetchPairs,
  localparam int unsigned RingW = $clog2(Rings),
  localparam int unsigned SlotW = $clog2(PrefetchPairs)
) (
  input  logic                         clk_i,
  // A beat: up to four descriptors of one list, starting at the slot.
  input  logic                         beat_i,
  input  logic                         beat_rx_i,
  input  logic [RingW-1:0]             beat_ring_i,
  input  logic [SlotW-1:0]             beat_slot_i,
  input  logic [2:0]                   beat_count_i,
  input  logic [8*dma_spec_pkg::BeatBytes-1:0] beat_data_i,
  // A pair, RX in the upper half.
  input  logic                         push_i,
  input  logic [RingW-1:0]             push_ring_i,
  input  logic [SlotW-1:0]             push_slot_i,
  input  logic [255:0]                 push_pair_i,
  input  logic [RingW-1:0]             scan_ring_i,
  input  logic [SlotW-1:0]             scan_slot_i,
  output logic [255:0]                 scan_pair_o,
  // A slot and the two after it (a pair and its pattern slots); zeros while not read.
  input  logic                         source_read_i,
  input  logic [RingW-1:0]             source_ring_i,
  input  logic [SlotW-1:0]             source_slot_i,
  output logic [767:0]                 source_pairs_o,
  input  logic                         target_read_i,
  input  logic [RingW-1:0]             target_ring_i,
  input  logic [SlotW-1:0]             target_slot_i,
  output logic [767:0]                 target_pairs_o
);
  localparam int unsigned Rows = Rings * PrefetchPairs / 4;

  logic [4*256-1:0] scan_row, source_row, target_row;  // One pair out of every bank

  for (genvar b = 0; b < 4; b++) begin : gen_bank
    // The beat's descriptor and the slots that fall into this bank.
    logic [1:0]       element, source_ahead, target_ahead;
    logic [SlotW-1:0] beat_place, source_place, target_place;
    logic             beat_here, push_here;

    assign element      = 2'(b) - beat_slot_i[1:0];
    assign beat_place   = beat_slot_i + SlotW'(element);
    assign beat_here    = beat_i && (3'(element) < beat_count_i);
    assign push_here    = push_i && (push_slot_i[1:0] == 2'(b));
    assign source_ahead = 2'(b) - source_slot_i[1:0];
    assign target_ahead = 2'(b) - target_slot_i[1:0];
    assign source_place = source_slot_i + SlotW'(source_ahead);
    assign target_place = target_slot_i + SlotW'(target_ahead);

    // A memory of the source descriptors and one of the destinations'.
    for (genvar m = 0; m < 2; m++) begin : gen_list
      tern_regfile #(.Width(128), .Depth(Rows), .Reads(3), .Writes(2)) u_words (
        .clk_i          (clk_i),
        .write_i        ({push_here, beat_here && beat_rx_i == (m == 1)}),
        .write_address_i({push_ring_i, push_slot_i[SlotW-1:2],
                          beat_ring_i, beat_place[SlotW-1:2]}),
        .write_data_i   ({push_pair_i[128*m+:128], beat_data_i[128*element+:128]}),
        .read_i         ({target_read_i, source_read_i, 1'b1}),
        .read_address_i ({target_ring_i, target_place[SlotW-1:2],
                          source_ring_i, source_place[SlotW-1:2],
                          scan_ring_i, scan_slot_i[SlotW-1:2]}),
        .read_data_o    ({target_row[256*b+128*m+:128], source_row[256*b+128*m+:128],
                          scan_row[256*b+128*m+:128]})
      );
    end
  end

  assign scan_pair_o = scan_row[256*scan_slot_i[1:0]+:256];
  for (genvar i = 0; i < 3; i++) begin : gen_pair
    logic [1:0] source_bank, target_bank;
    assign source_bank = source_slot_i[1:0] + 2'(i);
    assign target_bank = target_slot_i[1:0] + 2'(i);
    assign source_pairs_o[256*i+:256] = source_row[256*source_bank+:256];
    assign target_pairs_o[256*i+:256] = target_row[256*target_bank+:256];
  end
endmodule
