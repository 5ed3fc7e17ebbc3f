// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <systemc>
#include <tlm>

#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/isa.h"

namespace tern {

// The error of a core whose read was answered so. HBM alone answers "generic": uncorrectable bits.
inline unsigned memory_error(tlm::tlm_response_status status, std::uint64_t address) {
  if (status == tlm::TLM_OK_RESPONSE) return TERN_ERROR_NONE;
  const bool ecc = status == tlm::TLM_GENERIC_ERROR_RESPONSE && address < TERN_CORE_BASE;
  return ecc ? TERN_ERROR_ECC : TERN_ERROR_BUS;
}

// A read of memory that its caller does not wait for. The object must not move while it is in
// flight.
class MemoryRead : private tlm::tlm_generic_payload {
 public:
  MemoryRead() = default;
  MemoryRead(const MemoryRead&) = delete;
  MemoryRead& operator=(const MemoryRead&) = delete;

  // Sends a payload; its answer comes through `answer`.
  using Send = std::function<void(tlm::tlm_generic_payload&)>;

  void start(const Send& send, std::uint64_t address, void* data, unsigned bytes) {
    set_read();
    set_address(address);
    set_data_ptr(static_cast<unsigned char*>(data));
    set_data_length(bytes);
    set_streaming_width(bytes);
    set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    under_way_ = true;
    send(*this);
  }
  static void answer(tlm::tlm_generic_payload& payload) {
    auto& read = static_cast<MemoryRead&>(payload);
    read.under_way_ = false;
    read.end_ = sc_core::sc_time_stamp();
    read.answered_.notify();  // immediate: readers continue in the order of answers
  }

  // Blocks the calling SC_THREAD until no read is in flight.
  void wait_for_it() {
    while (under_way_) sc_core::wait(answered_);
  }
  // Why it failed, or none.
  unsigned error() const { return memory_error(get_response_status(), get_address()); }
  sc_core::sc_time end() const { return end_; }

 private:
  bool under_way_ = false;
  sc_core::sc_time end_;
  sc_core::sc_event answered_;
};

}  // namespace tern
