// SPDX-License-Identifier: Apache-2.0
#include "systemc/dma/model/registers.h"

namespace tern::dma::model {

namespace {

constexpr std::uint32_t kStride = TERN_REG_DMA_RING_SIZE_STRIDE;
constexpr std::uint32_t kRingsEnd = kRings * kStride;
constexpr unsigned kLastClass = TERN_REG_DMA_RING_CLASS_RESET;

void set_half(std::uint64_t& whole, bool high, std::uint32_t value) {
  const unsigned shift = high ? 32 : 0;
  whole = (whole & ~(std::uint64_t{0xffffffff} << shift)) | (std::uint64_t{value} << shift);
}
std::uint32_t half(std::uint64_t whole, bool high) {
  return static_cast<std::uint32_t>(whole >> (high ? 32 : 0));
}

bool in_array(std::uint32_t offset, std::uint32_t begin, std::uint32_t count) {
  return offset >= begin && offset < begin + 4 * count;
}

std::uint32_t status(const Ring& ring) {
  if (ring.stopped) {
    return ring.fault == TERN_DMA_FAULT_ABORT ? TERN_REG_DMA_RING_STATUS_ABORTED
                                              : TERN_REG_DMA_RING_STATUS_STOPPED;
  }
  return ring.head == ring.tail ? TERN_REG_DMA_RING_STATUS_IDLE : TERN_REG_DMA_RING_STATUS_ACTIVE;
}

}  // namespace

Registers::Registers(State& state) : state_(state) {
  state_.classes.fill(kLastClass);
  qos_.policy = static_cast<qos::Policy>(state_.config.policy);
  for (unsigned c = 0; c < qos::kClasses; ++c) {
    qos_.rate_256[c] = state_.config.rate_256[c];
    qos_.depth[c] = state_.config.depth[c];
  }
  state_.arbiter.configure(qos_, 0);
}

bool Registers::writable(std::uint32_t offset, unsigned& restarts) {
  restarts = kRings;
  if (offset % 4 != 0) return false;
  if (offset >= kRingsEnd) {
    return offset == TERN_REG_DMA_QOS_POLICY ||
           in_array(offset, TERN_REG_DMA_QOS_RATE, qos::kClasses) ||
           in_array(offset, TERN_REG_DMA_QOS_DEPTH, qos::kClasses);
  }
  switch (offset % kStride) {
    case TERN_REG_DMA_RING_SIZE:
      restarts = offset / kStride;
      return true;
    case TERN_REG_DMA_RING_TX_BASE:
    case TERN_REG_DMA_RING_TX_BASE + 4:
    case TERN_REG_DMA_RING_RX_BASE:
    case TERN_REG_DMA_RING_RX_BASE + 4:
    case TERN_REG_DMA_RING_TAIL:
    case TERN_REG_DMA_RING_CLASS:
    case TERN_REG_DMA_RING_ABORT:
      return true;
    default:
      return false;
  }
}

void Registers::write(std::uint64_t cycle, std::uint32_t offset, std::uint32_t value) {
  if (offset < kRingsEnd) {
    write_ring(cycle, offset / kStride, offset % kStride, value);
    return;
  }
  if (offset == TERN_REG_DMA_QOS_POLICY) {
    qos_.policy = static_cast<qos::Policy>(value & TERN_REG_DMA_QOS_POLICY_MASK);
  } else if (offset < TERN_REG_DMA_QOS_DEPTH) {
    qos_.rate_256[(offset - TERN_REG_DMA_QOS_RATE) / 4] = value & TERN_REG_DMA_QOS_RATE_MASK;
  } else {
    qos_.depth[(offset - TERN_REG_DMA_QOS_DEPTH) / 4] = value & TERN_REG_DMA_QOS_DEPTH_MASK;
  }
  state_.arbiter.configure(qos_, cycle + 1);
}

void Registers::write_ring(std::uint64_t cycle, unsigned index, std::uint32_t offset,
                           std::uint32_t value) {
  Ring& ring = state_.rings[index];
  switch (offset) {
    case TERN_REG_DMA_RING_TX_BASE:
    case TERN_REG_DMA_RING_TX_BASE + 4:
      set_half(ring.tx_base, offset != TERN_REG_DMA_RING_TX_BASE, value);
      state_.wake_at(kFetchStage, cycle + 1);  // fewer pairs to a boundary may find room now
      break;
    case TERN_REG_DMA_RING_RX_BASE:
    case TERN_REG_DMA_RING_RX_BASE + 4:
      set_half(ring.rx_base, offset != TERN_REG_DMA_RING_RX_BASE, value);
      state_.wake_at(kFetchStage, cycle + 1);  // fewer pairs to a boundary may find room now
      break;
    case TERN_REG_DMA_RING_SIZE:
      restart(cycle, index, value);
      break;
    case TERN_REG_DMA_RING_TAIL:
      doorbell(cycle, index, value);
      break;
    case TERN_REG_DMA_RING_CLASS:
      ring.traffic_class = state_.classes[index] = value & TERN_REG_DMA_RING_CLASS_MASK;
      break;
    default:  // abort
      if ((value & 1) != 0) state_.stop(cycle, index, TERN_DMA_FAULT_ABORT, 0, 0);
      break;
  }
}

void Registers::restart(std::uint64_t cycle, unsigned index, std::uint32_t size) {
  Ring& ring = state_.rings[index];
  const bool legal = size >= TERN_REG_DMA_RING_SIZE_MIN && size <= TERN_REG_DMA_RING_SIZE_MAX &&
                     size % TERN_REG_DMA_RING_SIZE_STEP == 0;
  state_.drop(cycle + 1, index);
  ring.size = legal ? size : 0;
  ring.tail = ring.fetched = ring.head = 0;
  ring.stopped = ring.scan_ended = false;
  ring.fault = TERN_DMA_FAULT_NONE;
  ring.fault_index = 0;
  ring.fault_address = 0;
  state_.restart_cycle = kNever;  // later inputs of this cycle may stop it again
  if (!legal) state_.stop(cycle, index, TERN_DMA_FAULT_SIZE, 0, 0);
}

void Registers::doorbell(std::uint64_t cycle, unsigned index, std::uint32_t pairs) {
  Ring& ring = state_.rings[index];
  if (pairs == 0 || (ring.stopped && ring.stop_cycle != cycle)) return;
  if (ring.size == 0 || ring.tx_base % kBaseAlignment != 0 || ring.rx_base % kBaseAlignment != 0) {
    state_.stop(cycle, index, TERN_DMA_FAULT_BASE, 0, 0);
  } else if (ring.tail + pairs - ring.head > ring.size) {
    state_.stop(cycle, index, TERN_DMA_FAULT_OVERRUN, 0, 0);
  } else {
    ring.tail += pairs;
    if (ring.stopped) return;  // in this very cycle
    if (!ring.scan_ended) state_.hungry |= 1u << index;
    state_.wake_at(kFetchStage, cycle + 1);
  }
}

bool Registers::read(std::uint32_t offset, bool busy, std::uint32_t& value) const {
  if (offset % 4 != 0) return false;
  bool known = true;
  if (offset < kRingsEnd) {
    value = read_ring(state_.rings[offset / kStride], offset % kStride, known);
  } else if (offset == TERN_REG_DMA_ENGINE_STATE) {
    value = busy ? TERN_REG_DMA_ENGINE_STATE_NORMAL : TERN_REG_DMA_ENGINE_STATE_IDLE;
  } else if (offset == TERN_REG_DMA_QOS_POLICY) {
    value = static_cast<std::uint32_t>(qos_.policy);
  } else if (in_array(offset, TERN_REG_DMA_QOS_RATE, qos::kClasses)) {
    value = qos_.rate_256[(offset - TERN_REG_DMA_QOS_RATE) / 4];
  } else if (in_array(offset, TERN_REG_DMA_QOS_DEPTH, qos::kClasses)) {
    value = qos_.depth[(offset - TERN_REG_DMA_QOS_DEPTH) / 4];
  } else {
    known = false;
  }
  return known;
}

std::uint32_t Registers::read_ring(const Ring& ring, std::uint32_t offset, bool& known) const {
  switch (offset) {
    case TERN_REG_DMA_RING_TX_BASE:
    case TERN_REG_DMA_RING_TX_BASE + 4:
      return half(ring.tx_base, offset != TERN_REG_DMA_RING_TX_BASE);
    case TERN_REG_DMA_RING_RX_BASE:
    case TERN_REG_DMA_RING_RX_BASE + 4:
      return half(ring.rx_base, offset != TERN_REG_DMA_RING_RX_BASE);
    case TERN_REG_DMA_RING_SIZE:
      return ring.size;
    case TERN_REG_DMA_RING_HEAD:
      return half(ring.head, false);
    case TERN_REG_DMA_RING_STATUS:
      return status(ring);
    case TERN_REG_DMA_RING_RELEASED:
      return half(ring.tail, false);
    case TERN_REG_DMA_RING_CLASS:
      return ring.traffic_class;
    case TERN_REG_DMA_RING_FAULT:
      return ring.fault;
    case TERN_REG_DMA_RING_FAULT_INDEX:
      return ring.fault_index;
    case TERN_REG_DMA_RING_FAULT_ADDRESS:
    case TERN_REG_DMA_RING_FAULT_ADDRESS + 4:
      return half(ring.fault_address, offset != TERN_REG_DMA_RING_FAULT_ADDRESS);
    case TERN_REG_DMA_RING_CRC:
      return ring.crc;
    default:
      known = false;
      return 0;
  }
}

void Registers::archive_state(base::StateArchive& archive, std::uint64_t cycle) {
  for (unsigned r = 0; r < kRings; ++r) {
    Ring& ring = state_.rings[r];
    archive.numbers(ring.tx_base, ring.rx_base);
    archive.number(ring.size, std::uint32_t{TERN_REG_DMA_RING_SIZE_MAX});
    archive.number(ring.traffic_class, std::uint32_t{TERN_REG_DMA_RING_CLASS_MASK});
    state_.classes[r] = ring.traffic_class;
    archive.numbers(ring.stopped, ring.scan_ended);
    archive.number(ring.tail);
    archive.number(ring.fetched, ring.tail);
    archive.number(ring.head, ring.tail);
    if (!ring.stopped && (ring.scan_ended || ring.head != ring.tail || ring.fetched != ring.tail))
      archive.damaged();
    if (ring.size != 0 && ring.tail - ring.head > ring.size) archive.damaged();
    archive.number(ring.fault, unsigned{TERN_DMA_FAULT_COMPLETION});
    archive.numbers(ring.fault_index, ring.fault_address, ring.crc);
    ring.stop_cycle = kNever;  // long ago: only a doorbell of that cycle looks at it
  }
  state_.arbiter.archive_state(archive, cycle);
  if (archive.restores()) qos_ = state_.arbiter.shaper().settings();
}

}  // namespace tern::dma::model
