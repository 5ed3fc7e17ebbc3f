// SPDX-License-Identifier: Apache-2.0
// The register block of a DMA engine.
#include <cstring>

#include "sw/spec/generated/isa.h"
#include "systemc/dma/dma_engine.h"
#include "systemc/trace/sim_time.h"

namespace tern {

namespace {

constexpr std::uint32_t kStride = TERN_REG_DMA_RING_SIZE_STRIDE;
constexpr std::uint32_t kEnd = DmaEngine::kRings * kStride;

void set_half(std::uint64_t& whole, bool high, std::uint32_t value) {
  const unsigned shift = high ? 32 : 0;
  whole = (whole & ~(std::uint64_t{0xffffffff} << shift)) | (std::uint64_t{value} << shift);
}

// 4 or 8 bytes, naturally aligned, without byte enables.
tlm::tlm_response_status check_shape(const tlm::tlm_generic_payload& transaction) {
  const unsigned bytes = transaction.get_data_length();
  if (transaction.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if ((bytes != 4 && bytes != 8) || transaction.get_address() % bytes != 0) {
    return tlm::TLM_BURST_ERROR_RESPONSE;
  }
  return tlm::TLM_OK_RESPONSE;
}

}  // namespace

tlm::tlm_response_status DmaEngine::read_word(std::uint64_t offset, std::uint32_t& value) const {
  if (offset >= kEnd) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  const dma::Ring& ring = rings_[offset / kStride];
  switch (offset % kStride) {
    case TERN_REG_DMA_RING_TX_BASE:
      value = static_cast<std::uint32_t>(ring.tx_base);
      break;
    case TERN_REG_DMA_RING_TX_BASE + 4:
      value = static_cast<std::uint32_t>(ring.tx_base >> 32);
      break;
    case TERN_REG_DMA_RING_RX_BASE:
      value = static_cast<std::uint32_t>(ring.rx_base);
      break;
    case TERN_REG_DMA_RING_RX_BASE + 4:
      value = static_cast<std::uint32_t>(ring.rx_base >> 32);
      break;
    case TERN_REG_DMA_RING_SIZE:
      value = ring.size();
      break;
    case TERN_REG_DMA_RING_HEAD:
      value = static_cast<std::uint32_t>(ring.head());
      break;
    case TERN_REG_DMA_RING_RELEASED:
      value = static_cast<std::uint32_t>(ring.released());
      break;
    case TERN_REG_DMA_RING_STATUS:
      value = ring.status();
      break;
    case TERN_REG_DMA_RING_TAIL:
      return tlm::TLM_COMMAND_ERROR_RESPONSE;
    default:
      return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
  return tlm::TLM_OK_RESPONSE;
}

tlm::tlm_response_status DmaEngine::write_word(std::uint64_t offset, std::uint32_t value,
                                               std::uint64_t delay_fs) {
  if (offset >= kEnd) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  const auto index = static_cast<unsigned>(offset / kStride);
  dma::Ring& ring = rings_[index];
  switch (offset % kStride) {
    case TERN_REG_DMA_RING_TX_BASE:
      set_half(ring.tx_base, false, value);
      break;
    case TERN_REG_DMA_RING_TX_BASE + 4:
      set_half(ring.tx_base, true, value);
      break;
    case TERN_REG_DMA_RING_RX_BASE:
      set_half(ring.rx_base, false, value);
      break;
    case TERN_REG_DMA_RING_RX_BASE + 4:
      set_half(ring.rx_base, true, value);
      break;
    case TERN_REG_DMA_RING_SIZE:
      if (!ring.reset(value)) {
        stop_ring(index, dma::error_code(dma::Fault::kSize),
                  dma::error_detail(dma::Fault::kSize, 0));
      }
      break;
    case TERN_REG_DMA_RING_TAIL:
      doorbell_at(index, value, delay_fs);
      break;
    case TERN_REG_DMA_RING_HEAD:
    case TERN_REG_DMA_RING_STATUS:
      return tlm::TLM_COMMAND_ERROR_RESPONSE;
    default:
      return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
  return tlm::TLM_OK_RESPONSE;
}

void DmaEngine::registers_transport(tlm::tlm_generic_payload& transaction,
                                    sc_core::sc_time& delay) {
  tlm::tlm_response_status status = check_shape(transaction);
  if (transaction.get_streaming_width() < transaction.get_data_length()) {
    status = tlm::TLM_BURST_ERROR_RESPONSE;
  }
  for (unsigned at = 0; status == tlm::TLM_OK_RESPONSE && at < transaction.get_data_length();
       at += 4) {
    std::uint8_t* data = transaction.get_data_ptr() + at;
    std::uint32_t word = 0;
    if (transaction.is_write()) {
      std::memcpy(&word, data, sizeof word);
      status = write_word(transaction.get_address() + at, word, to_fs(delay));
    } else if (transaction.is_read()) {
      status = read_word(transaction.get_address() + at, word);
      std::memcpy(data, &word, sizeof word);
    } else {
      status = tlm::TLM_COMMAND_ERROR_RESPONSE;
    }
  }
  transaction.set_response_status(status);
}

// Looks without touching: writes are refused.
unsigned DmaEngine::registers_dbg(tlm::tlm_generic_payload& transaction) {
  if (!transaction.is_read() || check_shape(transaction) != tlm::TLM_OK_RESPONSE) return 0;
  for (unsigned at = 0; at < transaction.get_data_length(); at += 4) {
    std::uint32_t word = 0;
    if (read_word(transaction.get_address() + at, word) != tlm::TLM_OK_RESPONSE) return at;
    std::memcpy(transaction.get_data_ptr() + at, &word, sizeof word);
  }
  return transaction.get_data_length();
}

}  // namespace tern
