// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <systemc>

namespace tern::mgmt {

// A device as registers on the bus of the management core: little endian, aligned, of 1, 2, 4 or 8
// bytes, as the device allows. Addresses are offsets in the device. An access takes no time; it
// acts at the simulated time plus the annotated delay, without waiting for it. A debug access reads
// without side effects; debug writes are refused.
class RegisterDevice : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<RegisterDevice> socket;

 protected:
  // Sizes of accesses, a sum of 1, 2, 4 and 8; bytes: of the device.
  RegisterDevice(sc_core::sc_module_name name, unsigned sizes, std::uint64_t bytes);

  using Status = tlm::tlm_response_status;
  static constexpr Status kDone = tlm::TLM_OK_RESPONSE;

  // The offset is inside the device and a multiple of the size, which is one of `sizes`.
  virtual Status read(std::uint64_t offset, unsigned size, const sc_core::sc_time& at,
                      std::uint64_t& value) = 0;
  virtual Status write(std::uint64_t offset, unsigned size, const sc_core::sc_time& at,
                       std::uint64_t value) = 0;
  // What read() of the smallest size would return now.
  virtual std::uint64_t peek(std::uint64_t offset) const = 0;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  Status access(tlm::tlm_generic_payload& payload, const sc_core::sc_time& at);

  const unsigned sizes_;
  const std::uint64_t bytes_;
};

}  // namespace tern::mgmt
