// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/board/address_router.h"

#include <fmt/format.h>

namespace tern::mgmt {

void AddressRouter::map(std::uint64_t base, std::uint64_t bytes, RegisterDevice& device) {
  auto socket = std::make_unique<Socket>(fmt::format("port_{:x}", base).c_str());
  socket->bind(device.socket);
  ranges_.push_back({base, bytes, std::move(socket)});
}

AddressRouter::Range* AddressRouter::find(std::uint64_t address) {
  for (Range& range : ranges_) {
    if (address - range.base < range.bytes) return &range;
  }
  return nullptr;
}

bool AddressRouter::access(tlm::tlm_command command, std::uint64_t address, void* data,
                           unsigned bytes, sc_core::sc_time delay) {
  Range* range = find(address);
  if (range == nullptr) return false;
  payload_.set_command(command);
  payload_.set_address(address - range->base);
  payload_.set_data_ptr(static_cast<unsigned char*>(data));
  payload_.set_data_length(bytes);
  payload_.set_streaming_width(bytes);
  payload_.set_byte_enable_ptr(nullptr);
  payload_.set_dmi_allowed(false);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  (*range->socket)->b_transport(payload_, delay);
  return payload_.is_response_ok();
}

bool AddressRouter::peek(std::uint64_t address, void* data, unsigned bytes) {
  Range* range = find(address);
  if (range == nullptr) return false;
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address(address - range->base);
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  return (*range->socket)->transport_dbg(payload) == bytes;
}

}  // namespace tern::mgmt
