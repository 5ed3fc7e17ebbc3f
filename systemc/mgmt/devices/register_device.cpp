// SPDX-License-Identifier: Apache-2.0
#include "systemc/mgmt/devices/register_device.h"

namespace tern::mgmt {

RegisterDevice::RegisterDevice(sc_core::sc_module_name name, unsigned sizes, std::uint64_t bytes)
    : sc_module(name), socket("socket"), sizes_(sizes), bytes_(bytes) {
  socket.register_b_transport(this, &RegisterDevice::b_transport);
  socket.register_transport_dbg(this, &RegisterDevice::transport_dbg);
}

void RegisterDevice::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  payload.set_response_status(access(payload, sc_core::sc_time_stamp() + delay));
}

RegisterDevice::Status RegisterDevice::access(tlm::tlm_generic_payload& payload,
                                              const sc_core::sc_time& at) {
  if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  const unsigned size = payload.get_data_length();
  const bool known_size = size == 1 || size == 2 || size == 4 || size == 8;
  if (!known_size || (size & sizes_) == 0 || payload.get_streaming_width() < size) {
    return tlm::TLM_BURST_ERROR_RESPONSE;
  }
  const std::uint64_t offset = payload.get_address();
  if (offset % size != 0) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (offset >= bytes_) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  unsigned char* data = payload.get_data_ptr();
  std::uint64_t value = 0;
  if (payload.is_write()) {
    for (unsigned i = 0; i < size; ++i) value |= std::uint64_t{data[i]} << (8 * i);
    return write(offset, size, at, value);
  }
  if (!payload.is_read()) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  const Status status = read(offset, size, at, value);
  if (status != kDone) return status;
  for (unsigned i = 0; i < size; ++i) data[i] = static_cast<unsigned char>(value >> (8 * i));
  return kDone;
}

// Any bytes, as a debugger dumps them.
unsigned RegisterDevice::transport_dbg(tlm::tlm_generic_payload& payload) {
  if (!payload.is_read()) return 0;
  const unsigned unit = sizes_ & -sizes_;
  unsigned done = 0;
  for (; done < payload.get_data_length(); ++done) {
    const std::uint64_t at = payload.get_address() + done;
    if (at >= bytes_) break;
    payload.get_data_ptr()[done] =
        static_cast<unsigned char>(peek(at - at % unit) >> (8 * (at % unit)));
  }
  return done;
}

}  // namespace tern::mgmt
