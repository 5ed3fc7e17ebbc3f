// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <systemc>
#include <utility>

#include "systemc/mgmt/devices/register_device.h"
#include "tb/common/test_body.h"
#include "tb/common/tlm_access.h"

namespace tern::tb {

// Stands in for a hart: one device on its bus, and a thread that accesses it. Make it first: it
// sets the resolution of time.
struct DeviceBench : sc_core::sc_module {
  explicit DeviceBench(sc_core::sc_module_name name) : sc_module(name), bus("bus") {
    SC_HAS_PROCESS(DeviceBench);
    SC_THREAD(hart);
  }
  static const char* bench_name() {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    return "bench";
  }

  void run(mgmt::RegisterDevice& device, std::function<void()> body) {
    bus.socket.bind(device.socket);
    body_.run(std::move(body));
  }

  struct Read {
    tlm::tlm_response_status status;
    std::uint64_t value;
  };
  // An access of a hart that is `ahead` of the simulation; it must not wait.
  Read read(std::uint64_t offset, unsigned size, sc_core::sc_time ahead = sc_core::SC_ZERO_TIME) {
    std::uint64_t value = 0;
    const auto result = bus.access(tlm::TLM_READ_COMMAND, offset, &value, size, ahead);
    if (result.delay != ahead) throw std::logic_error("the access took time");
    return {result.status, value};
  }
  tlm::tlm_response_status write(std::uint64_t offset, unsigned size, std::uint64_t value,
                                 sc_core::sc_time ahead = sc_core::SC_ZERO_TIME) {
    return bus.access(tlm::TLM_WRITE_COMMAND, offset, &value, size, ahead).status;
  }
  // Those that must succeed.
  std::uint64_t get(std::uint64_t offset, unsigned size,
                    sc_core::sc_time ahead = sc_core::SC_ZERO_TIME) {
    const Read result = read(offset, size, ahead);
    if (result.status != tlm::TLM_OK_RESPONSE) throw std::logic_error("read refused");
    return result.value;
  }
  void put(std::uint64_t offset, unsigned size, std::uint64_t value,
           sc_core::sc_time ahead = sc_core::SC_ZERO_TIME) {
    if (write(offset, size, value, ahead) != tlm::TLM_OK_RESPONSE)
      throw std::logic_error("write refused");
  }
  // A debugger's.
  std::uint64_t look(std::uint64_t offset, unsigned size) {
    std::uint64_t value = 0;
    if (bus.debug(tlm::TLM_READ_COMMAND, offset, &value, size) != size)
      throw std::logic_error("debug read refused");
    return value;
  }

  TlmAccess bus;

 private:
  void hart() { body_.thread(); }

  TestBody body_;
};

}  // namespace tern::tb
