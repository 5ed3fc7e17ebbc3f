// SPDX-License-Identifier: Apache-2.0
#include "systemc/dma/model/packet_scan.h"

#include <algorithm>

namespace tern::dma::model {

namespace {

constexpr std::uint32_t kReservedControl = TERN_DESC_CONTROL_RESERVED;
constexpr std::uint32_t kReservedMeta = TERN_DESC_OPERATION_RESERVED;
constexpr std::uint64_t kHuge = std::uint64_t{1} << 40;  // longer than any legal length

bool computes(unsigned op) {
  return op >= TERN_DMA_OP_CAST && op <= TERN_DMA_OP_FMA;
}

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  return std::min(a * b, kHuge);  // a <= 2^40, b < 2^16
}

bool aligned(std::uint64_t value, unsigned to) {
  return value % to == 0;
}

unsigned word_of(unsigned write_op) {
  return write_op == TERN_DMA_WRITE_OP_ADD_FP32   ? 4
         : write_op == TERN_DMA_WRITE_OP_ADD_BF16 ? 2
                                                  : 1;
}

bool takes_write_op(unsigned write_op, unsigned dtype) {
  return write_op == TERN_DMA_WRITE_OP_STORE ||
         (write_op == TERN_DMA_WRITE_OP_ADD_FP32 && dtype == TERN_DMA_DTYPE_FP32) ||
         (write_op == TERN_DMA_WRITE_OP_ADD_BF16 && dtype == TERN_DMA_DTYPE_BF16);
}

}  // namespace

unsigned element_bytes(unsigned dtype) {
  return dtype == TERN_DMA_DTYPE_FP32 ? 4 : 2;
}

void PacketScan::reset() {
  *this = PacketScan();
}

PacketScan::Verdict PacketScan::check(const Pair& pair, unsigned phase) {
  const bool slot = slots_ != 0;
  if (!inside_) {
    packet_ = PacketInfo();
    tx_bytes_ = rx_bytes_ = 0;
  }
  packet_.fault = fault_of(pair, phase, slot);
  if (packet_.fault != TERN_DMA_FAULT_NONE) return Verdict::kFault;
  inside_ = !pair.tx.last();
  return inside_ ? Verdict::kMore : Verdict::kReady;
}

unsigned PacketScan::fault_of(const Pair& pair, unsigned phase, bool slot) {
  if (const unsigned fault = check_flags(pair, phase, slot)) return fault;
  if (++packet_.pairs > kMaxPacketPairs) return TERN_DMA_FAULT_TOO_LONG;
  if (slot) {
    if (const unsigned fault = take_slot(pair)) return fault;
  } else {
    if (!inside_) {
      packet_.op = pair.rx.op();
      packet_.src_dtype = pair.rx.src_dtype();
      packet_.dst_dtype = pair.rx.dst_dtype();
      packet_.crc = pair.rx.crc();
      packet_.expected_crc = pair.tx.scale();
      first_length_ = pair.tx.length();
      first_ext_ = pair.rx.ext();
    }
    if (const unsigned fault = check_operation(pair)) return fault;
    if (const unsigned fault = check_alignment(pair)) return fault;
    if (const unsigned fault = check_sums(pair)) return fault;
  }
  return pair.tx.last() ? check_end() : unsigned{TERN_DMA_FAULT_NONE};
}

unsigned PacketScan::check_flags(const Pair& pair, unsigned phase, bool slot) const {
  const Descriptor& tx = pair.tx;
  const Descriptor& rx = pair.rx;
  if (phase != kPushed && (tx.ring_id() != phase || rx.ring_id() != phase)) {
    return TERN_DMA_FAULT_PHASE;
  }
  if (((tx.word[0] | rx.word[0]) & kReservedControl) != 0) return TERN_DMA_FAULT_RESERVED;
  if (tx.int_en() || rx.int_en()) return TERN_DMA_FAULT_INT_EN;
  if (rx.dmb() || (tx.dmb() && inside_)) return TERN_DMA_FAULT_RESERVED;
  if (slot) {
    const bool plain =
        tx.raw_length() == 0 && rx.raw_length() == 0 && !tx.first() && !rx.first() && !tx.dmb();
    if (!plain) return TERN_DMA_FAULT_RESERVED;
  } else if (tx.first() == inside_ || rx.first() == inside_) {
    return TERN_DMA_FAULT_FIRST;
  }
  return tx.last() == rx.last() ? TERN_DMA_FAULT_NONE : TERN_DMA_FAULT_MISMATCH;
}

// Word 1 of a pair that is no slot.
unsigned PacketScan::check_operation(const Pair& pair) const {
  const Descriptor& rx = pair.rx;
  const unsigned op = packet_.op;
  bool good = (rx.word[1] & kReservedMeta) == 0 && rx.op() <= TERN_DMA_OP_IMMEDIATE &&
              rx.src_dtype() <= TERN_DMA_DTYPE_FP16 && rx.dst_dtype() <= TERN_DMA_DTYPE_FP16 &&
              rx.ext() <= 2 && rx.crc() <= 2 && (rx.crc() == 0 || op == TERN_DMA_OP_COPY);
  if (inside_) good = good && (rx.word[1] & 0x3fff) == 0;
  const bool expects_crc = !inside_ && rx.crc() == 2;
  if (op == TERN_DMA_OP_COPY) {
    good = good && (pair.tx.scale() == 0 || expects_crc);
  } else if (computes(op)) {
    good = good && rx.ext() == 0 &&
           (inside_ ? rx.write_op() == TERN_DMA_WRITE_OP_STORE
                    : takes_write_op(rx.write_op(), packet_.dst_dtype)) &&
           (op == TERN_DMA_OP_FMA || pair.tx.scale() == 0);
  } else if (op == TERN_DMA_OP_TRANSPOSE) {
    good = good && (inside_ || (rx.ext() >= 1 && rx.src_dtype() == rx.dst_dtype())) &&
           rx.write_op() == TERN_DMA_WRITE_OP_STORE && pair.tx.scale() == 0;
  } else {
    good =
        good && rx.ext() == 0 && rx.write_op() == TERN_DMA_WRITE_OP_STORE && pair.tx.scale() == 0;
  }
  return good ? TERN_DMA_FAULT_NONE : TERN_DMA_FAULT_OPERATION;
}

unsigned PacketScan::check_alignment(const Pair& pair) const {
  const Descriptor& tx = pair.tx;
  const Descriptor& rx = pair.rx;
  bool good = true;
  if (packet_.op == TERN_DMA_OP_COPY) {
    const unsigned word = word_of(rx.write_op());
    good = aligned(rx.address(), word) && aligned(rx.length(), word);
  } else if (computes(packet_.op)) {
    good =
        aligned(tx.address(), kBeatBytes) && aligned(tx.length(), element_bytes(packet_.src_dtype));
    if (inside_) {
      good = good && rx.address() == 0;
    } else {
      good = good && aligned(rx.address(), kBeatBytes) &&
             aligned(rx.length(), element_bytes(packet_.dst_dtype));
    }
  } else if (packet_.op == TERN_DMA_OP_TRANSPOSE) {
    good = tx.length() == kBeatBytes && rx.length() == kBeatBytes &&
           aligned(tx.address(), kBeatBytes) && aligned(rx.address(), 4);
  } else {
    good = tx.length() == 4 && rx.length() == 4 && aligned(rx.address(), 4);
  }
  return good ? TERN_DMA_FAULT_NONE : TERN_DMA_FAULT_ALIGNMENT;
}

// Counts the pair's bytes; a pattern multiplies them later.
unsigned PacketScan::check_sums(const Pair& pair) {
  slots_ = pair.rx.ext();
  first_slot_ = true;
  pair_tx_ = pair.tx.length();
  pair_rx_ = pair.rx.length();
  blocks_tx_ = blocks_rx_ = 1;
  if (slots_ == 0) {
    tx_bytes_ += pair_tx_;
    rx_bytes_ += pair_rx_;
  }
  if (!computes(packet_.op)) return TERN_DMA_FAULT_NONE;
  if (pair.tx.length() != first_length_) return TERN_DMA_FAULT_SUMS;
  if (inside_) return pair.rx.raw_length() == 0 ? TERN_DMA_FAULT_NONE : TERN_DMA_FAULT_SUMS;
  packet_.bytes = pair.rx.length();
  const std::uint32_t elements = pair.tx.length() / element_bytes(packet_.src_dtype);
  return pair.rx.length() == elements * element_bytes(packet_.dst_dtype) ? TERN_DMA_FAULT_NONE
                                                                         : TERN_DMA_FAULT_SUMS;
}

unsigned PacketScan::take_slot(const Pair& pair) {
  --slots_;
  const bool transpose = packet_.op == TERN_DMA_OP_TRANSPOSE;
  bool aligned_strides = true, counts = true;
  for (unsigned d = 0; d < 2; ++d) {
    counts = counts && pair.tx.count(d) != 0 && pair.rx.count(d) != 0;
    pair_tx_ = times(pair_tx_, pair.tx.count(d));
    pair_rx_ = times(pair_rx_, pair.rx.count(d));
    if (!transpose) continue;
    aligned_strides = aligned_strides &&
                      aligned(static_cast<std::uint32_t>(pair.tx.stride(d)), kBeatBytes) &&
                      aligned(static_cast<std::uint32_t>(pair.rx.stride(d)), 4);
    if (first_slot_ && d == 0) {
      const std::uint32_t rows = kBeatBytes / element_bytes(packet_.src_dtype);
      counts = counts && pair.tx.count(0) == rows && pair.rx.count(0) == rows;
    } else {
      blocks_tx_ = times(blocks_tx_, pair.tx.count(d));
      blocks_rx_ = times(blocks_rx_, pair.rx.count(d));
    }
  }
  first_slot_ = false;
  if (slots_ == 0 && (pair_tx_ > kPairBytes || pair_rx_ > kPairBytes)) {
    return TERN_DMA_FAULT_TOO_LONG;
  }
  if (!counts) return TERN_DMA_FAULT_OPERATION;
  if (!aligned_strides) return TERN_DMA_FAULT_ALIGNMENT;
  if (slots_ == 0) {
    tx_bytes_ += pair_tx_;
    rx_bytes_ += pair_rx_;
  }
  return TERN_DMA_FAULT_NONE;
}

// The pair with `last`.
unsigned PacketScan::check_end() {
  if (slots_ != 0) return TERN_DMA_FAULT_OPERATION;
  switch (packet_.op) {
    case TERN_DMA_OP_COPY:
      packet_.bytes = static_cast<std::uint32_t>(rx_bytes_);
      return tx_bytes_ == rx_bytes_ ? TERN_DMA_FAULT_NONE : TERN_DMA_FAULT_SUMS;
    case TERN_DMA_OP_TRANSPOSE:
      packet_.bytes = static_cast<std::uint32_t>(rx_bytes_);
      if (blocks_tx_ != blocks_rx_) return TERN_DMA_FAULT_SUMS;
      return packet_.pairs == 1 + first_ext_ ? TERN_DMA_FAULT_NONE : TERN_DMA_FAULT_OPERATION;
    case TERN_DMA_OP_CAST:
    case TERN_DMA_OP_IMMEDIATE:
      if (packet_.op == TERN_DMA_OP_IMMEDIATE) packet_.bytes = 4;
      return packet_.pairs == 1 ? TERN_DMA_FAULT_NONE : TERN_DMA_FAULT_OPERATION;
    default:
      return packet_.pairs <= kSources ? TERN_DMA_FAULT_NONE : TERN_DMA_FAULT_OPERATION;
  }
}

}  // namespace tern::dma::model
