// SPDX-License-Identifier: Apache-2.0
// Checks one pair of descriptors given the packet to which it belongs (README.md, "Scan").
// Combinational: the first rule that is broken determines fault_o.
module dma_scan_check (
  input  dma_pkg::scan_t state_i,
  input  logic [127:0]   tx_i,
  input  logic [127:0]   rx_i,
  input  logic           phase_check_i,
  input  logic [1:0]     phase_i,
  output dma_pkg::scan_t state_o,
  output logic [4:0]     fault_o,
  output logic           last_o         // The packet ends here, if the pair is good
);
  // Product of bytes or blocks and a count, saturated at LongPair.
  function automatic logic [16:0] times(input logic [16:0] a, input logic [15:0] b);
    logic [32:0] product;
    product = 33'(a) * 33'(b);
    times   = (product > 33'(dma_pkg::LongPair)) ? dma_pkg::LongPair : product[16:0];
  endfunction

  // Bytes of an element minus one.
  function automatic logic [1:0] element_mask(input logic [1:0] dtype);
    element_mask = (4'(dtype) == dma_spec_pkg::DtypeFp32) ? 2'd3 : 2'd1;
  endfunction

  // The descriptors' fields.
  logic [31:0] tx_control, rx_control, tx_meta, rx_meta;
  logic [63:0] tx_address, rx_address;
  logic [16:0] tx_length, rx_length;
  logic [15:0] tx_count0, tx_count1, rx_count0, rx_count1;
  logic [1:0]  ext, write_op;
  logic        tx_first, rx_first, tx_last, rx_last, tx_dmb, rx_dmb;

  assign tx_control = tx_i[31:0];
  assign rx_control = rx_i[31:0];
  assign tx_meta    = tx_i[63:32];
  assign rx_meta    = rx_i[63:32];
  assign tx_address = tx_i[127:64];
  assign rx_address = rx_i[127:64];
  assign tx_length  = {tx_control[15:0] == 16'd0, tx_control[15:0]};
  assign rx_length  = {rx_control[15:0] == 16'd0, rx_control[15:0]};
  assign tx_count0  = tx_i[dma_spec_pkg::DescCount0Lsb+:16];
  assign tx_count1  = tx_i[dma_spec_pkg::DescCount1Lsb+:16];
  assign rx_count0  = rx_i[dma_spec_pkg::DescCount0Lsb+:16];
  assign rx_count1  = rx_i[dma_spec_pkg::DescCount1Lsb+:16];
  assign tx_first   = tx_i[dma_spec_pkg::DescFirstLsb];
  assign rx_first   = rx_i[dma_spec_pkg::DescFirstLsb];
  assign tx_last    = tx_i[dma_spec_pkg::DescLastLsb];
  assign rx_last    = rx_i[dma_spec_pkg::DescLastLsb];
  assign tx_dmb     = tx_i[dma_spec_pkg::DescDmbLsb];
  assign rx_dmb     = rx_i[dma_spec_pkg::DescDmbLsb];
  assign ext        = rx_i[dma_spec_pkg::DescExtLsb+:2];
  assign write_op   = rx_i[dma_spec_pkg::DescWriteOpLsb+:2];

  dma_pkg::scan_t next;
  logic           first, slot, copy, computes, transpose, immediate;

  // The packet including this pair.
  always_comb begin
    first = !state_i.open;
    slot  = state_i.open && (state_i.slots != 2'd0);
    next  = first ? '0 : state_i;
    next.open = !tx_last;
    next.pairs  = next.pairs + 7'd1;
    if (first) begin
      next.op           = rx_i[dma_spec_pkg::DescOpLsb+:4];
      next.src_dtype    = rx_i[dma_spec_pkg::DescSrcDtypeLsb+:2];
      next.dst_dtype    = rx_i[dma_spec_pkg::DescDstDtypeLsb+:2];
      next.crc          = rx_i[dma_spec_pkg::DescCrcLsb+:2];
      next.crc_expected = tx_meta;
      next.first_length = tx_length;
    end
    copy      = next.op == dma_spec_pkg::OpCopy;
    computes  = (next.op >= dma_spec_pkg::OpCast) && (next.op <= dma_spec_pkg::OpFma);
    transpose = next.op == dma_spec_pkg::OpTranspose;
    immediate = next.op == dma_spec_pkg::OpImmediate;
    if (slot) begin
      next.slots      = state_i.slots - 2'd1;
      next.first_slot = 1'b0;
      next.pair_tx    = times(times(state_i.pair_tx, tx_count0), tx_count1);
      next.pair_rx    = times(times(state_i.pair_rx, rx_count0), rx_count1);
      next.blocks_tx  = times(state_i.first_slot ? 17'd1 : times(state_i.blocks_tx, tx_count0),
                              tx_count1);
      next.blocks_rx  = times(state_i.first_slot ? 17'd1 : times(state_i.blocks_rx, rx_count0),
                              rx_count1);
    end else begin
      next.more       = !first;
      next.slots      = ext;
      next.first_slot = 1'b1;
      next.pair_tx    = tx_length;
      next.pair_rx    = (computes && !first) ? 17'd0 : rx_length;
      next.blocks_tx  = 17'd1;
      next.blocks_rx  = 17'd1;
    end
    if (next.slots == 2'd0) begin
      next.tx_bytes = next.tx_bytes + 23'(next.pair_tx);
      next.rx_bytes = next.rx_bytes + 23'(next.pair_rx);
    end
  end

  // One bit for every rule, in the order of the checks.
  logic phase_bad, reserved_bad, int_bad, barrier_bad, shape_bad, first_bad, mismatch_bad;
  logic long_bad, meta_bad, operation_bad, align_bad, sums_bad;
  logic slot_long_bad, slot_count_bad, slot_align_bad, end_slots_bad, end_sums_bad, end_pairs_bad;

  always_comb begin
    phase_bad    = phase_check_i && ((tx_i[dma_spec_pkg::DescRingIdLsb+:2] != phase_i) ||
                                     (rx_i[dma_spec_pkg::DescRingIdLsb+:2] != phase_i));
    reserved_bad = ((tx_control | rx_control) & dma_spec_pkg::DescControlReserved) != 32'd0;
    int_bad      = tx_i[dma_spec_pkg::DescIntEnLsb] || rx_i[dma_spec_pkg::DescIntEnLsb];
    barrier_bad  = rx_dmb || (tx_dmb && !first);
    shape_bad    = slot && ((tx_control[15:0] != 16'd0) || (rx_control[15:0] != 16'd0) ||
                            tx_first || rx_first);
    first_bad    = !slot && ((tx_first != first) || (rx_first != first));
    mismatch_bad = tx_last != rx_last;
    long_bad     = next.pairs > 7'(dma_spec_pkg::MaxPacketPairs);
  end

  // Pattern slots.
  logic [15:0] rows;
  always_comb begin
    rows           = (4'(next.src_dtype) == dma_spec_pkg::DtypeFp32) ? 16'd16 : 16'd32;
    slot_long_bad  = slot && (next.slots == 2'd0) &&
                     ((next.pair_tx > 17'(dma_spec_pkg::PairBytes)) ||
                      (next.pair_rx > 17'(dma_spec_pkg::PairBytes)));
    slot_count_bad = slot && ((tx_count0 == 16'd0) || (tx_count1 == 16'd0) ||
                              (rx_count0 == 16'd0) || (rx_count1 == 16'd0) ||
                              (transpose && state_i.first_slot &&
                               ((tx_count0 != rows) || (rx_count0 != rows))));
    slot_align_bad = slot && transpose &&
                     ((tx_i[dma_spec_pkg::DescStride0Lsb+:6] != 6'd0) ||
                      (tx_i[dma_spec_pkg::DescStride1Lsb+:6] != 6'd0) ||
                      (rx_i[dma_spec_pkg::DescStride0Lsb+:2] != 2'd0) ||
                      (rx_i[dma_spec_pkg::DescStride1Lsb+:2] != 2'd0));
  end

  // Pairs that are no slots: word 1, alignment, bytes.
  logic [1:0] src_mask, dst_mask, word_mask;
  logic       write_fits, scale_taken;
  logic [16:0] converted;  // Bytes of the TX's elements in the destination; 128 KiB: 0, no length

  always_comb begin
    src_mask  = element_mask(next.src_dtype);
    dst_mask  = element_mask(next.dst_dtype);
    word_mask = (write_op == dma_spec_pkg::WriteAddFp32) ? 2'd3 :
                (write_op == dma_spec_pkg::WriteAddBf16) ? 2'd1 : 2'd0;
    write_fits =
        (write_op == dma_spec_pkg::WriteStore) ||
        (first && (write_op == dma_spec_pkg::WriteAddFp32) &&
         (4'(next.dst_dtype) == dma_spec_pkg::DtypeFp32)) ||
        (first && (write_op == dma_spec_pkg::WriteAddBf16) &&
         (4'(next.dst_dtype) == dma_spec_pkg::DtypeBf16));
    scale_taken = (next.op == dma_spec_pkg::OpFma) || (copy && first && (next.crc == 2'd2));
    meta_bad = ((rx_meta & dma_spec_pkg::DescOperationReserved) != 32'd0) ||
               (rx_i[dma_spec_pkg::DescOpLsb+:4] > dma_spec_pkg::OpImmediate) ||
               (rx_i[dma_spec_pkg::DescSrcDtypeLsb+:4] > dma_spec_pkg::DtypeFp16) ||
               (rx_i[dma_spec_pkg::DescDstDtypeLsb+:4] > dma_spec_pkg::DtypeFp16) ||
               (ext > 2'd2) ||
               (rx_i[dma_spec_pkg::DescCrcLsb+:2] == 2'd3) ||
               ((rx_i[dma_spec_pkg::DescCrcLsb+:2] != 2'd0) && !copy) ||
               (!first && (rx_meta[13:0] != 14'd0)) || ((tx_meta != 32'd0) && !scale_taken);
    operation_bad = (computes && ((ext != 2'd0) || !write_fits)) ||
                    (transpose && ((write_op != dma_spec_pkg::WriteStore) ||
                                   (first && ((ext == 2'd0) ||
                                              (next.src_dtype != next.dst_dtype))))) ||
                    (immediate && ((ext != 2'd0) || (write_op != dma_spec_pkg::WriteStore)));
    converted = ((src_mask == 2'd3) == (dst_mask == 2'd3)) ? tx_length :
                (src_mask == 2'd3) ? {1'b0, tx_length[16:1]} : {tx_length[15:0], 1'b0};
    align_bad =
        (copy && (((rx_address[1:0] & word_mask) != 2'd0) ||
                  ((rx_length[1:0] & word_mask) != 2'd0))) ||
        (computes && ((tx_address[5:0] != 6'd0) || ((tx_length[1:0] & src_mask) != 2'd0))) ||
        (computes && first && ((rx_address[5:0] != 6'd0) ||
                               ((rx_length[1:0] & dst_mask) != 2'd0))) ||
        (computes && !first && (rx_address != 64'd0)) ||
        (transpose && ((tx_length != 17'd64) || (rx_length != 17'd64) ||
                       (tx_address[5:0] != 6'd0) || (rx_address[1:0] != 2'd0))) ||
        (immediate && ((tx_length != 17'd4) || (rx_length != 17'd4) ||
                       (rx_address[1:0] != 2'd0)));
    sums_bad = computes && ((tx_length != next.first_length) ||
                            (first ? (rx_length != converted) : (rx_control[15:0] != 16'd0)));
  end

  // The end of the packet.
  always_comb begin
    end_slots_bad = tx_last && (next.slots != 2'd0);
    end_sums_bad  = tx_last && ((copy && (next.tx_bytes != next.rx_bytes)) ||
                                (transpose && (next.blocks_tx != next.blocks_rx)));
    end_pairs_bad = tx_last && ((transpose && next.more) ||
                                ((next.op == dma_spec_pkg::OpCast || immediate) &&
                                 (next.pairs != 7'd1)) ||
                                (computes && (next.pairs > 7'(dma_spec_pkg::Sources))));
  end

  always_comb begin
    fault_o = dma_spec_pkg::FaultNone;
    if (phase_bad)                              fault_o = dma_spec_pkg::FaultPhase;
    else if (reserved_bad)                      fault_o = dma_spec_pkg::FaultReserved;
    else if (int_bad)                           fault_o = dma_spec_pkg::FaultIntEn;
    else if (barrier_bad || shape_bad)          fault_o = dma_spec_pkg::FaultReserved;
    else if (first_bad)                         fault_o = dma_spec_pkg::FaultFirst;
    else if (mismatch_bad)                      fault_o = dma_spec_pkg::FaultMismatch;
    else if (long_bad || slot_long_bad)         fault_o = dma_spec_pkg::FaultTooLong;
    else if (slot_count_bad)                    fault_o = dma_spec_pkg::FaultOperation;
    else if (!slot && (meta_bad || operation_bad)) fault_o = dma_spec_pkg::FaultOperation;
    else if (slot ? slot_align_bad : align_bad) fault_o = dma_spec_pkg::FaultAlignment;
    else if (!slot && sums_bad)                 fault_o = dma_spec_pkg::FaultSums;
    else if (end_slots_bad)                     fault_o = dma_spec_pkg::FaultOperation;
    else if (end_sums_bad)                      fault_o = dma_spec_pkg::FaultSums;
    else if (end_pairs_bad)                     fault_o = dma_spec_pkg::FaultOperation;
  end

  assign state_o = next;
  assign last_o  = tx_last;
endmodule
