// SPDX-License-Identifier: Apache-2.0
// Proved properties of dma_scan (README.md, "Scan"): included by formal tools only. The rules are
// written from the page, field by field, as what every pair of an accepted packet satisfies: they
// say nothing about the order of the checks. Products of a pattern's counts are not proved:
// lengths of pairs with slots, sums of packets with them.
// Reset is active in the first cycle only.
logic f_started = 1'b0;
always_ff @(posedge clk_i) f_started <= 1'b1;
always_comb assume (rst_ni == f_started);

// The packet that any one ring is in, kept from the pairs alone. A ring is open from a good pair
// without `last` until a good one with it; broken from a fault until clear_i.
(* anyconst *) logic [RingW-1:0] f_ring;
logic        f_open = 1'b0, f_broken = 1'b0;
logic [6:0]  f_pairs = '0;        // Of the packet so far, slots included
logic [1:0]  f_slots = '0;        // Slots still to come
logic [3:0]  f_op = '0, f_src = '0, f_dst = '0;
logic [1:0]  f_crc = '0;
logic [23:0] f_index = '0;        // Of the first pair
logic [16:0] f_length = '0;       // Of the first TX
logic        f_slot_first = 1'b0; // The next slot is the first of its pair
logic        f_more = 1'b0;       // A pair that is no slot follows the first
logic        f_pattern = 1'b0;    // Some pair has slots
logic [22:0] f_tx_sum = '0, f_rx_sum = '0;  // Bytes of all pairs, if none has slots

// The pair, by the bits of docs/reference/registers.md.
logic        f_valid, f_good, f_bad, f_is_slot, f_first, f_last;
logic [31:0] f_tx0, f_rx0, f_tx1, f_rx1;
logic [16:0] f_tx_length, f_rx_length;
logic [3:0]  f_now_op, f_now_src, f_now_dst;
logic [1:0]  f_ext, f_write;
logic        f_computes;
assign f_valid     = valid_i && ring_i == f_ring && rst_ni;
assign f_tx0       = tx_i[31:0];
assign f_rx0       = rx_i[31:0];
assign f_tx1       = tx_i[63:32];
assign f_rx1       = rx_i[63:32];
assign f_tx_length = (f_tx0[15:0] == '0) ? 17'd65536 : 17'(f_tx0[15:0]);
assign f_rx_length = (f_rx0[15:0] == '0) ? 17'd65536 : 17'(f_rx0[15:0]);
assign f_first     = !f_open;
assign f_last      = f_tx0[27];
assign f_is_slot   = f_open && f_slots != '0;
assign f_now_op    = f_first ? f_rx1[3:0] : f_op;
assign f_now_src   = f_first ? f_rx1[7:4] : f_src;
assign f_now_dst   = f_first ? f_rx1[11:8] : f_dst;
assign f_ext       = f_rx1[17:16];
assign f_write     = f_rx1[21:20];
assign f_computes  = f_now_op >= 4'd1 && f_now_op <= 4'd5;
logic        f_pattern_now, f_more_now;
logic [22:0] f_tx_now, f_rx_now;
assign f_pattern_now = (!f_first && f_pattern) || f_is_slot || f_ext != '0;
assign f_more_now    = !f_first && (f_more || !f_is_slot);
assign f_tx_now      = (f_first ? '0 : f_tx_sum) + 23'(f_tx_length);
assign f_rx_now      = (f_first ? '0 : f_rx_sum) +
                       ((f_computes && !f_first) ? '0 : 23'(f_rx_length));
// Accepted or refused.
assign f_bad  = f_valid && !f_broken && fault != '0;
assign f_good = f_valid && !f_broken && fault == '0;

always_ff @(posedge clk_i) begin
  if (f_good) begin
    f_open  <= !f_last;
    f_pairs <= f_first ? 7'd1 : f_pairs + 7'd1;
    f_slots <= f_is_slot ? f_slots - 2'd1 : f_ext;
    f_slot_first <= !f_is_slot;
    f_more       <= f_more_now;
    f_pattern    <= f_pattern_now;
    f_tx_sum     <= f_tx_now;
    f_rx_sum     <= f_rx_now;
    if (f_first) begin
      f_op     <= f_rx1[3:0];
      f_src    <= f_rx1[7:4];
      f_dst    <= f_rx1[11:8];
      f_crc    <= f_rx1[13:12];
      f_index  <= index_i;
      f_length <= f_tx_length;
    end
  end
  if (f_bad) begin
    f_open   <= 1'b0;
    f_broken <= 1'b1;
  end
  if (clear_i[f_ring]) begin
    f_open   <= 1'b0;
    f_broken <= 1'b0;
  end
end

dma_pkg::scan_t f_state;
assign f_state = state_q[f_ring];
always_comb begin
  if (f_started) begin
    // Every pair advances the scan, and a packet leaves with its last or its first bad one.
    /* PacketLeaves */ assert (!f_valid || packet_valid_o == (!f_broken && (f_last || f_bad)));
    /* NothingElse */ assert (valid_i || !packet_valid_o);
    // "The ring is not scanned any further" after a fault, until it is set up again.
    /* Broken */ assert (broken_o[f_ring] == f_broken);
    /* FaultIsReported */ assert (!f_bad || (packet_valid_o && packet_o.fault == fault &&
                                             packet_o.index == index_i && packet_o.bytes == '0));
    /* GoodIsReported */ assert (!(f_good && f_last) ||
        (packet_o.fault == '0 && packet_o.index == (f_first ? index_i : f_index) &&
         packet_o.pairs == (f_first ? 7'd1 : f_pairs + 7'd1) && packet_o.op == f_now_op));
    /* BytesAreReported */ assert (!(f_good && f_last) || f_pattern_now ||
                                   packet_o.bytes == f_rx_now);
    // Invariants.
    /* Open */ assert (open_q[f_ring] == f_open && !(f_open && f_broken));
    /* State */ assert (!f_open || (f_state.pairs == f_pairs && f_state.slots == f_slots &&
        f_state.op == f_op && 4'(f_state.src_dtype) == f_src && 4'(f_state.dst_dtype) == f_dst &&
        f_state.crc == f_crc && f_state.first_length == f_length && index_q[f_ring] == f_index));
    /* Parts */ assert (!f_open || (f_state.first_slot == f_slot_first && f_state.more == f_more));
    /* Sums */ assert (!f_open || f_pattern || (f_slots == '0 && f_state.tx_bytes == f_tx_sum &&
                                                f_state.rx_bytes == f_rx_sum));
    /* Size */ assert (!f_open || (f_pairs >= 7'd1 && f_pairs <= 7'd64));
    /* Codes */ assert (!f_open || (f_op <= 4'd7 && f_src <= 4'd2 && f_dst <= 4'd2));
  end
end

always_comb begin
  if (f_good) begin
    // 1 to 5: words 0.
    /* Phase */ assert (!phase_check_i || (f_tx0[25:24] == phase_i && f_rx0[25:24] == phase_i));
    /* Reserved */ assert (((f_tx0 | f_rx0) & 32'hA0FF_0000) == '0);
    /* IntEn */ assert (!f_tx0[28] && !f_rx0[28]);
    /* DmbOfFirst */ assert (!f_rx0[30] && (!f_tx0[30] || f_first));
    /* FirstOfPacket */ assert (f_is_slot || (f_tx0[26] == f_first && f_rx0[26] == f_first));
    /* LastOfBoth */ assert (f_tx0[27] == f_rx0[27]);
    // 6.
    /* TooLong */ assert (f_first || f_pairs < 7'd64);
    // Pattern slots.
    /* SlotWord0 */ assert (!f_is_slot || (f_tx0[15:0] == '0 && f_rx0[15:0] == '0 &&
        !f_tx0[26] && !f_rx0[26] && !f_tx0[30]));
    /* SlotCounts */ assert (!f_is_slot || (f_tx1[15:0] != '0 && f_tx1[31:16] != '0 &&
                                            f_rx1[15:0] != '0 && f_rx1[31:16] != '0));
    /* TransposeStrides */ assert (!f_is_slot || f_op != 4'd6 || (tx_i[69:64] == '0 &&
        tx_i[101:96] == '0 && rx_i[65:64] == '0 && rx_i[97:96] == '0));
    /* TransposeRows */ assert (!f_is_slot || f_op != 4'd6 || !f_slot_first ||
        (f_tx1[15:0] == ((f_src == '0) ? 16'd16 : 16'd32) && f_rx1[15:0] == f_tx1[15:0]));
    /* TransposeAlone */ assert (f_now_op != 4'd6 || !f_last || f_first || !f_more_now);
    /* CopySums */ assert (f_now_op != 4'd0 || !f_last || f_pattern_now || f_tx_now == f_rx_now);
    /* EndsOutsidePattern */ assert (!f_last || (f_is_slot ? f_slots == 2'd1 : f_ext == 2'd0));
  end
  if (f_good && !f_is_slot) begin
    // 7: word 1 of RX, then of TX.
    /* Word1Zero */ assert (f_rx1[31:22] == '0 && f_rx1[19:18] == '0 && f_rx1[15:14] == '0);
    /* Word1Codes */ assert (f_rx1[3:0] <= 4'd7 && f_rx1[7:4] <= 4'd2 && f_rx1[11:8] <= 4'd2 &&
                             f_ext <= 2'd2 && f_rx1[13:12] != 2'd3);
    /* CrcOfCopy */ assert (f_rx1[13:12] == 2'd0 || f_now_op == 4'd0);
    /* LaterZero */ assert (f_first || f_rx1[13:0] == '0);
    /* TxWord1 */ assert (f_tx1 == '0 || f_now_op == 4'd5 ||
                          (f_now_op == 4'd0 && f_first && f_rx1[13:12] == 2'd2));
    // 8 and the table of operations.
    /* CopyAddFp32 */ assert (f_now_op != 4'd0 || f_write != 2'd1 ||
                              (f_rx0[1:0] == '0 && rx_i[65:64] == '0));
    /* CopyAddBf16 */ assert (f_now_op != 4'd0 || f_write != 2'd2 || (!f_rx0[0] && !rx_i[64]));
    /* ComputePlain */ assert (!f_computes || f_ext == 2'd0);
    /* ComputeSource */ assert (!f_computes || (tx_i[69:64] == '0 &&
        (f_first || f_tx_length == f_length)));
    /* ComputeTarget */ assert (!f_computes || (f_first ? rx_i[69:64] == '0
        : (rx_i[127:64] == '0 && f_rx0[15:0] == '0 && f_rx1 == '0)));
    /* ComputeElements */ assert (!f_computes || (!f_tx0[0] && (f_now_src != '0 || !f_tx0[1])));
    /* ComputeLength */ assert (!f_computes || !f_first ||
        (18'(f_rx_length) << (f_now_src == '0)) == (18'(f_tx_length) << (f_now_dst == '0)));
    /* ComputeWrite */ assert (!f_computes || f_write == 2'd0 ||
        (f_write == 2'd1 ? f_now_dst == 4'd0 : f_now_dst == 4'd1));
    /* ComputeSources */ assert (!f_computes || !f_last || f_first || f_pairs < 7'd16);
    /* CastAlone */ assert (f_now_op != 4'd1 || !f_last || f_first);
    /* TransposeShape */ assert (f_now_op != 4'd6 || (f_tx_length == 17'd64 &&
        f_rx_length == 17'd64 && tx_i[69:64] == '0 && rx_i[65:64] == '0 && f_write == 2'd0 &&
        (!f_first || (f_ext != 2'd0 && f_now_src == f_now_dst))));
    /* ImmediateAlone */ assert (f_now_op != 4'd7 || (f_tx_length == 17'd4 &&
        f_rx_length == 17'd4 && rx_i[65:64] == '0 && f_ext == 2'd0 && f_write == 2'd0 &&
        (!f_last || f_first)));
  end
end
