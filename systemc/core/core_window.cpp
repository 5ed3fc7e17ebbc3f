// SPDX-License-Identifier: Apache-2.0
#include "systemc/core/core_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sw/spec/generated/address_map.h"
#include "systemc/noc/traffic.h"

namespace tern {

namespace {

constexpr unsigned kPsumPartitions = TERN_CORE_PSUM_COUNT;
constexpr std::uint64_t kPsumPartitionBytes = TERN_CORE_PSUM_STRIDE;

}  // namespace

CoreWindow::CoreWindow(Sbuf& sbuf, std::unique_ptr<NearMemory> adders, TensorEngine& tensor,
                       bool psum_debug, CoreRegisters& registers, CoreServices& services)
    : sbuf_(sbuf),
      adders_(std::move(adders)),
      tensor_(tensor),
      psum_debug_(psum_debug),
      registers_(registers),
      services_(services) {
  for (unsigned e = 0; e < CoreServices::kDmaEngines; ++e) {
    dma_ports_.push_back(std::make_unique<DmaPort>(fmt::format("dma{}_registers", e).c_str()));
    dma_ports_[e]->socket.bind(services_.dma(e).registers);
  }
}

void CoreWindow::b_transport(Payload& payload, sc_core::sc_time& delay) {
  payload.set_response_status(access(payload, delay));
}

unsigned CoreWindow::transport_dbg(Payload& payload) {
  const std::uint64_t address = payload.get_address();
  tlm::tlm_response_status status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (address < TERN_CORE_PSUM_BASE) {
    status = access_sbuf(payload);
  } else if (address < TERN_CORE_REGS_BASE) {
    status = access_psum(payload, true);
  } else if (address < TERN_CORE_DMA_BASE) {
    status = access_registers(payload, address - TERN_CORE_REGS_BASE, true);
  } else if (const std::uint64_t offset = address - TERN_CORE_DMA_BASE;
             offset < TERN_CORE_DMA_STRIDE * CoreServices::kDmaEngines) {
    payload.set_address(offset % TERN_CORE_DMA_STRIDE);
    const unsigned bytes =
        dma_ports_[offset / TERN_CORE_DMA_STRIDE]->socket->transport_dbg(payload);
    payload.set_address(address);
    return bytes;
  }
  return status == tlm::TLM_OK_RESPONSE ? payload.get_data_length() : 0;
}

tlm::tlm_response_status CoreWindow::access(Payload& payload, sc_core::sc_time& delay) {
  if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (payload.get_streaming_width() < payload.get_data_length())
    return tlm::TLM_BURST_ERROR_RESPONSE;
  const std::uint64_t address = payload.get_address();
  if (address < TERN_CORE_PSUM_BASE) return access_sbuf(payload);
  if (const auto* traffic = payload.get_extension<Traffic>();
      payload.is_write() && traffic != nullptr && traffic->op != WriteOp::kStore) {
    return tlm::TLM_COMMAND_ERROR_RESPONSE;  // only memories add
  }
  if (address >= TERN_CORE_DMA_BASE)
    return access_dma(payload, address - TERN_CORE_DMA_BASE, delay);
  // Accesses to registers and PSUM have effects at a time: wait for it.
  if (delay > sc_core::SC_ZERO_TIME) {
    sc_core::wait(delay);
    delay = sc_core::SC_ZERO_TIME;
  }
  if (address < TERN_CORE_REGS_BASE) return access_psum(payload, false);
  return access_registers(payload, address - TERN_CORE_REGS_BASE, false);
}

tlm::tlm_response_status CoreWindow::access_sbuf(Payload& payload) {
  const std::uint64_t first = payload.get_address();
  std::uint64_t length = payload.get_data_length();
  // A burst may continue into the next partition only if there is no gap between the two.
  for (std::uint64_t address = first, left = length; left > 0;) {
    const std::uint64_t offset = address % TERN_CORE_SBUF_STRIDE;
    if (address / TERN_CORE_SBUF_STRIDE >= TERN_CORE_SBUF_COUNT ||
        offset >= sbuf_.partition_bytes()) {
      return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    }
    const std::uint64_t piece = std::min(left, sbuf_.partition_bytes() - offset);
    address += piece;
    left -= piece;
  }
  const bool write = payload.is_write();
  if (!write && !payload.is_read()) return tlm::TLM_OK_RESPONSE;
  const auto* traffic = payload.get_extension<Traffic>();
  const WriteOp op = write && traffic != nullptr ? traffic->op : WriteOp::kStore;
  const unsigned word = word_bytes(op);
  if (first % word != 0 || length % word != 0) return tlm::TLM_BURST_ERROR_RESPONSE;
  unsigned char* data = payload.get_data_ptr();
  for (std::uint64_t address = first; length > 0;) {
    const std::uint64_t offset = address % TERN_CORE_SBUF_STRIDE;
    const std::uint64_t piece = std::min(length, sbuf_.partition_bytes() - offset);
    std::uint8_t* bytes =
        sbuf_.partition(static_cast<unsigned>(address / TERN_CORE_SBUF_STRIDE)) + offset;
    if (op != WriteOp::kStore) {
      adders_->add(op, bytes, data, piece);
    } else {
      std::memcpy(write ? bytes : data, write ? data : bytes, piece);
    }
    data += piece;
    address += piece;
    length -= piece;
  }
  return tlm::TLM_OK_RESPONSE;
}

// PSUM is transferred in whole FP32 words, partition by partition.
tlm::tlm_response_status CoreWindow::access_psum(Payload& payload, bool debug) {
  std::uint64_t offset = payload.get_address() - TERN_CORE_PSUM_BASE;
  std::uint64_t length = payload.get_data_length();
  if (offset + length > kPsumPartitions * kPsumPartitionBytes)
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (offset % 4 != 0 || length % 4 != 0) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (payload.is_write() == payload.is_read()) return tlm::TLM_OK_RESPONSE;
  // Only the model transfers PSUM data without simulated time.
  if (debug && !psum_debug_) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  unsigned char* data = payload.get_data_ptr();
  std::vector<float> words;
  while (length > 0) {
    const std::uint64_t byte = offset % kPsumPartitionBytes;
    const std::uint64_t piece = std::min(length, kPsumPartitionBytes - byte);
    words.resize(piece / 4);
    PsumTransfer transfer;
    transfer.write = payload.is_write();
    transfer.partition = static_cast<unsigned>(offset / kPsumPartitionBytes);
    transfer.partitions = 1;
    transfer.column = static_cast<unsigned>(byte / 4);
    transfer.columns = static_cast<unsigned>(words.size());
    transfer.data = words.data();
    transfer.stride = words.size();
    if (transfer.write) std::memcpy(words.data(), data, piece);
    if (!debug) {
      tensor_.transfer(transfer);
    } else if (!tensor_.transfer_now(transfer)) {
      return tlm::TLM_GENERIC_ERROR_RESPONSE;
    }
    if (!transfer.write) std::memcpy(data, words.data(), piece);
    data += piece;
    offset += piece;
    length -= piece;
  }
  return tlm::TLM_OK_RESPONSE;
}

tlm::tlm_response_status CoreWindow::access_registers(Payload& payload, std::uint64_t offset,
                                                      bool debug) {
  const unsigned length = payload.get_data_length();
  if (offset % 4 != 0 || length % 4 != 0) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (debug && payload.is_write())
    return tlm::TLM_COMMAND_ERROR_RESPONSE;  // registers have side effects
  unsigned char* data = payload.get_data_ptr();
  for (unsigned done = 0; done < length; done += 4) {
    std::uint32_t value = 0;
    bool good = false;
    const auto at = static_cast<std::uint32_t>(offset + done);
    if (payload.is_write()) {
      std::memcpy(&value, data + done, 4);
      good = registers_.write(at, value);
    } else {
      good = registers_.read(at, &value);
      std::memcpy(data + done, &value, 4);
    }
    if (!good) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  }
  return tlm::TLM_OK_RESPONSE;
}

tlm::tlm_response_status CoreWindow::access_dma(Payload& payload, std::uint64_t offset,
                                                sc_core::sc_time& delay) {
  if (offset >= TERN_CORE_DMA_STRIDE * CoreServices::kDmaEngines)
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  const std::uint64_t address = payload.get_address();
  payload.set_address(offset % TERN_CORE_DMA_STRIDE);
  dma_ports_[offset / TERN_CORE_DMA_STRIDE]->socket->b_transport(payload, delay);
  payload.set_address(address);
  if (payload.is_write() && payload.is_response_ok()) note_ring_registers(payload, offset);
  return payload.get_response_status();
}

// Where the descriptor generator of GpSimd takes over a ring from the DMA engine.
void CoreWindow::note_ring_registers(const Payload& payload, std::uint64_t offset) {
  for (unsigned done = 0; done + 4 <= payload.get_data_length(); done += 4) {
    std::uint32_t value = 0;
    std::memcpy(&value, payload.get_data_ptr() + done, sizeof value);
    services_.ring_register_written(
        static_cast<unsigned>(offset / TERN_CORE_DMA_STRIDE),
        static_cast<std::uint32_t>(offset % TERN_CORE_DMA_STRIDE + done), value);
  }
}

}  // namespace tern
