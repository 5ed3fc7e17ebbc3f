// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <systemc>
#include <tlm>

namespace tern {

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
  bool good() const { return is_response_ok(); }
  sc_core::sc_time end() const { return end_; }

 private:
  bool under_way_ = false;
  sc_core::sc_time end_;
  sc_core::sc_event answered_;
};

}  // namespace tern
