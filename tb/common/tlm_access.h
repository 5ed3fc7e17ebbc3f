// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <systemc>
#include <vector>

namespace tern::tb {

// A test's own initiator: blocking accesses, optionally waiting out the annotated delay.
class TlmAccess : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<TlmAccess> socket;

  explicit TlmAccess(sc_core::sc_module_name name) : sc_module(name), socket("socket") {}

  struct Result {
    tlm::tlm_response_status status;
    sc_core::sc_time delay;
  };

  Result access(tlm::tlm_command command, std::uint64_t address, void* data, unsigned bytes,
                sc_core::sc_time delay = sc_core::SC_ZERO_TIME) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    socket->b_transport(payload, delay);
    return {payload.get_response_status(), delay};
  }
  Result read(std::uint64_t address, void* data, unsigned bytes) {
    return access(tlm::TLM_READ_COMMAND, address, data, bytes);
  }
  Result write(std::uint64_t address, const void* data, unsigned bytes) {
    return access(tlm::TLM_WRITE_COMMAND, address, const_cast<void*>(data), bytes);
  }
  template <typename T>
  tlm::tlm_response_status poke(std::uint64_t address, T value) {
    const Result result = write(address, &value, sizeof value);
    if (result.delay != sc_core::SC_ZERO_TIME) sc_core::wait(result.delay);
    return result.status;
  }
  template <typename T>
  T peek(std::uint64_t address) {
    T value{};
    const Result result = read(address, &value, sizeof value);
    if (result.delay != sc_core::SC_ZERO_TIME) sc_core::wait(result.delay);
    return value;
  }

  unsigned debug(tlm::tlm_command command, std::uint64_t address, void* data, unsigned bytes) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(bytes);
    return socket->transport_dbg(payload);
  }
  void load(std::uint64_t address, const std::vector<std::uint8_t>& bytes) {
    if (debug(tlm::TLM_WRITE_COMMAND, address, const_cast<std::uint8_t*>(bytes.data()),
              static_cast<unsigned>(bytes.size())) != bytes.size()) {
      throw std::runtime_error("TlmAccess::load: address outside memory");
    }
  }
  std::vector<std::uint8_t> fetch(std::uint64_t address, unsigned count) {
    std::vector<std::uint8_t> bytes(count);
    if (debug(tlm::TLM_READ_COMMAND, address, bytes.data(), count) != count) {
      throw std::runtime_error("TlmAccess::fetch: address outside memory");
    }
    return bytes;
  }
};

}  // namespace tern::tb
