// SPDX-License-Identifier: Apache-2.0
// The register socket of a DMA engine.
#include <algorithm>
#include <cstring>
#include <utility>

#include "systemc/dma/engine.h"
#include "systemc/trace/sim_time.h"

namespace tern::dma {

namespace {

constexpr std::uint32_t kStride = TERN_REG_DMA_RING_SIZE_STRIDE;
constexpr std::uint32_t kRingsEnd = Engine::kRings * kStride;

// 4 or 8 bytes, naturally aligned, without byte enables.
tlm::tlm_response_status check_shape(const tlm::tlm_generic_payload& transaction) {
  const unsigned bytes = transaction.get_data_length();
  if (transaction.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if ((bytes != 4 && bytes != 8) || transaction.get_address() % bytes != 0) {
    return tlm::TLM_BURST_ERROR_RESPONSE;
  }
  return tlm::TLM_OK_RESPONSE;
}

enum class Access { kNone, kReadOnly, kWriteOnly, kBoth };

// docs/reference/registers.md, block dma.
Access kind(std::uint64_t offset) {
  if (offset < kRingsEnd) {
    switch (offset % kStride) {
      case TERN_REG_DMA_RING_TAIL:
      case TERN_REG_DMA_RING_ABORT:
        return Access::kWriteOnly;
      case TERN_REG_DMA_RING_HEAD:
      case TERN_REG_DMA_RING_STATUS:
      case TERN_REG_DMA_RING_RELEASED:
      case TERN_REG_DMA_RING_FAULT:
      case TERN_REG_DMA_RING_FAULT_INDEX:
      case TERN_REG_DMA_RING_FAULT_ADDRESS:
      case TERN_REG_DMA_RING_FAULT_ADDRESS + 4:
      case TERN_REG_DMA_RING_CRC:
        return Access::kReadOnly;
      case TERN_REG_DMA_RING_TX_BASE:
      case TERN_REG_DMA_RING_TX_BASE + 4:
      case TERN_REG_DMA_RING_RX_BASE:
      case TERN_REG_DMA_RING_RX_BASE + 4:
      case TERN_REG_DMA_RING_SIZE:
      case TERN_REG_DMA_RING_CLASS:
        return Access::kBoth;
      default:
        return Access::kNone;
    }
  }
  if (offset == TERN_REG_DMA_ENGINE_STATE) return Access::kReadOnly;
  const bool qos = offset == TERN_REG_DMA_QOS_POLICY ||
                   (offset >= TERN_REG_DMA_QOS_RATE && offset < TERN_REG_DMA_QOS_RATE + 16) ||
                   (offset >= TERN_REG_DMA_QOS_DEPTH && offset < TERN_REG_DMA_QOS_DEPTH + 16);
  return qos ? Access::kBoth : Access::kNone;
}

tlm::tlm_response_status check_word(std::uint64_t offset, bool write) {
  const Access access = kind(offset);
  if (access == Access::kNone) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (access == (write ? Access::kReadOnly : Access::kWriteOnly)) {
    return tlm::TLM_COMMAND_ERROR_RESPONSE;
  }
  return tlm::TLM_OK_RESPONSE;
}

}  // namespace

// Writes are posted. Those of ring_tail take the path of a doorbell; later ones for the same ring
// stay in order after them.
void Engine::post(std::uint32_t offset, std::uint32_t value, std::uint64_t at_fs) {
  const bool of_ring = offset < kRingsEnd;
  std::uint64_t due = at_fs;
  if (of_ring && offset % kStride == TERN_REG_DMA_RING_TAIL) due += doorbell_fs_;
  for (const RegisterWrite& earlier : posted_) {
    if (earlier.offset / kStride == offset / kStride) due = std::max(due, earlier.due_fs);
  }
  // Of several queues at the same moment: rings in their order, whoever was simulated first.
  const auto behind =
      std::upper_bound(posted_.begin(), posted_.end(), std::pair(due, offset / kStride),
                       [](const auto& place, const RegisterWrite& write) {
                         return place < std::pair(write.due_fs, write.offset / kStride);
                       });
  posted_.insert(behind, {due, offset, value});
  schedule();
}

void Engine::abort_ring(unsigned ring) {
  post(TERN_REG_DMA_RING_ABORT + ring * kStride, 1, now_fs());
}

void Engine::abort_rings() {
  for (unsigned ring = 0; ring < kRings; ++ring) abort_ring(ring);
}

// At the port in the next cycle.
void Engine::write(const RegisterWrite& write) {
  written_ = clock_.present() + 1;
  if (write.offset < kRingsEnd) {
    const std::uint32_t ring = write.offset / kStride, word = write.offset % kStride;
    if (word == TERN_REG_DMA_RING_CLASS) classes_[ring] = write.value % kTrafficClasses;
    if (word == TERN_REG_DMA_RING_SIZE) {
      stopped_[ring] = false;
      set_up_[ring] = true;
    }
  }
  unit_->write_register(written_, write.offset, write.value);
}

// A write that is due is still at the port, or has not been taken yet.
bool Engine::writes_wait() const {
  return (!posted_.empty() && posted_.front().due_fs <= now_fs()) || written_ > clock_.present();
}

void Engine::registers_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
  tlm::tlm_response_status status = check_shape(transaction);
  if (transaction.get_streaming_width() < transaction.get_data_length()) {
    status = tlm::TLM_BURST_ERROR_RESPONSE;
  }
  if (!transaction.is_write() && !transaction.is_read()) {
    status = tlm::TLM_COMMAND_ERROR_RESPONSE;
  }
  for (unsigned at = 0; status == tlm::TLM_OK_RESPONSE && at < transaction.get_data_length();
       at += 4) {
    std::uint8_t* data = transaction.get_data_ptr() + at;
    const std::uint64_t offset = transaction.get_address() + at;
    status = check_word(offset, transaction.is_write());
    if (status != tlm::TLM_OK_RESPONSE) break;
    std::uint32_t word = 0;
    if (transaction.is_write()) {
      std::memcpy(&word, data, sizeof word);
      post(static_cast<std::uint32_t>(offset), word, now_fs() + to_fs(delay));
    } else {
      if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(delay);
      delay = sc_core::SC_ZERO_TIME;
      while (writes_wait()) clock_.wait_for(clock_.present() + 1);
      unit_->read_register(clock_.present() + 1, static_cast<std::uint32_t>(offset), word);
      std::memcpy(data, &word, sizeof word);
    }
  }
  transaction.set_response_status(status);
}

// Reads without side effects; writes are refused. Posted writes are not visible.
unsigned Engine::registers_dbg(tlm::tlm_generic_payload& transaction) {
  if (!transaction.is_read() || check_shape(transaction) != tlm::TLM_OK_RESPONSE) return 0;
  for (unsigned at = 0; at < transaction.get_data_length(); at += 4) {
    const std::uint64_t offset = transaction.get_address() + at;
    if (check_word(offset, false) != tlm::TLM_OK_RESPONSE) return at;
    std::uint32_t word = 0;
    unit_->read_register(clock_.present() + 1, static_cast<std::uint32_t>(offset), word);
    std::memcpy(transaction.get_data_ptr() + at, &word, sizeof word);
  }
  return transaction.get_data_length();
}

std::uint32_t Engine::ring_head(unsigned ring) {
  std::uint32_t head = 0;
  unit_->read_register(clock_.present() + 1,
                       TERN_REG_DMA_RING_HEAD + ring * TERN_REG_DMA_RING_HEAD_STRIDE, head);
  return head;
}

}  // namespace tern::dma
