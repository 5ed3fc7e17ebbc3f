// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "systemc/mgmt/devices/register_device.h"

namespace tern::mgmt {

// The bus of the board: brings an access of a hart to the device whose range holds the address, as
// an offset in it. It takes no time; a device adds its own to the delay.
class AddressRouter : public sc_core::sc_module {
 public:
  explicit AddressRouter(sc_core::sc_module_name name) : sc_module(name) {}

  // Before the simulation starts. Ranges must not overlap.
  void map(std::uint64_t base, std::uint64_t bytes, RegisterDevice& device);

  // false: no device has this address, or it refused the access.
  bool access(tlm::tlm_command command, std::uint64_t address, void* data, unsigned bytes,
              sc_core::sc_time delay);
  // Without side effects; false: no device has all of it.
  bool peek(std::uint64_t address, void* data, unsigned bytes);

 private:
  using Socket = tlm_utils::simple_initiator_socket<AddressRouter>;
  struct Range {
    std::uint64_t base, bytes;
    std::unique_ptr<Socket> socket;
  };
  Range* find(std::uint64_t address);

  std::vector<Range> ranges_;
  tlm::tlm_generic_payload payload_;  // of access(): harts access alternately and no device waits
};

}  // namespace tern::mgmt
