// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/host_port.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "sw/base/user_error.h"

namespace tern::runtime {

HostPort::HostPort(sc_core::sc_module_name name) : sc_module(name), socket("socket"), irq("irq") {}

void HostPort::write(std::uint64_t address, const void* data, std::uint64_t bytes) {
  // TLM payloads are not const-correct; a write command does not change the data.
  auto* source = const_cast<unsigned char*>(static_cast<const unsigned char*>(data));
  transfer(tlm::TLM_WRITE_COMMAND, address, source, bytes);
}

void HostPort::read(std::uint64_t address, void* data, std::uint64_t bytes) {
  transfer(tlm::TLM_READ_COMMAND, address, static_cast<unsigned char*>(data), bytes);
}

std::uint32_t HostPort::read32(std::uint64_t address) {
  std::uint32_t value = 0;
  read(address, &value, sizeof value);
  return value;
}

void HostPort::write64(std::uint64_t address, std::uint64_t value) {
  write32(address, static_cast<std::uint32_t>(value));
  write32(address + 4, static_cast<std::uint32_t>(value >> 32));
}

bool HostPort::peek32(std::uint64_t address, std::uint32_t* value) {
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address(address);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(value));
  payload.set_data_length(sizeof *value);
  payload.set_streaming_width(sizeof *value);
  return socket->transport_dbg(payload) == sizeof *value;
}

bool HostPort::wait_irq(const sc_core::sc_time& deadline) {
  while (!irq.read()) {
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    if (now >= deadline) return false;
    sc_core::wait(deadline - now, irq.value_changed_event());
  }
  return true;
}

void HostPort::message(unsigned vector) {
  ++messages_.at(vector);
  message_arrived_.notify(sc_core::SC_ZERO_TIME);
}

bool HostPort::wait_message(unsigned vector, const sc_core::sc_time& deadline) {
  while (messages_.at(vector) == 0) {
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    if (now >= deadline) return false;
    sc_core::wait(deadline - now, message_arrived_);
  }
  --messages_[vector];
  return true;
}

void HostPort::transfer(tlm::tlm_command command, std::uint64_t address, unsigned char* data,
                        std::uint64_t bytes) {
  while (bytes > 0) {
    const std::uint64_t length = std::min(bytes, kChunk);
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data);
    payload.set_data_length(static_cast<unsigned>(length));
    payload.set_streaming_width(static_cast<unsigned>(length));
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    if (delay > sc_core::SC_ZERO_TIME) sc_core::wait(delay);
    if (!payload.is_response_ok()) {
      char text[128];
      std::snprintf(text, sizeof text, "host port: %s of %llu bytes at 0x%llx: %s",
                    command == tlm::TLM_READ_COMMAND ? "read" : "write",
                    static_cast<unsigned long long>(length),
                    static_cast<unsigned long long>(address),
                    payload.get_response_string().c_str());
      throw RunError(text);
    }
    address += length;
    data += length;
    bytes -= length;
  }
}

}  // namespace tern::runtime
