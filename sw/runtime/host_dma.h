// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "sw/runtime/executable.h"
#include "sw/runtime/host_port.h"

namespace tern::runtime {

// Copies between the host's memory and the chip's by the DMA engines of a core: descriptors in the
// host's memory, a doorbell, and a word in the host's memory that the last descriptor of an engine
// writes. Calls take simulated time and must run in a SystemC thread; those of a core go one by
// one.
class HostDma {
 public:
  explicit HostDma(HostPort& port) : port_(port) {}

  // Blocks until all bytes are there. StatusError: an error of memory or DMA, with its address; or
  // nothing moves for kLimitMs, for instance because the core is being reset.
  void to_chip(unsigned core, std::uint64_t address, const void* data, std::uint64_t bytes);
  // The same, of what is pinned.
  void to_chip(unsigned core, std::uint64_t address, const HostMemory::Pin& pin,
               std::uint64_t bytes);
  void from_chip(unsigned core, std::uint64_t address, void* data, std::uint64_t bytes);

  static constexpr double kLimitMs = 10;

  // Addresses of the chip.
  void copy(unsigned core, std::uint64_t source, std::uint64_t destination, std::uint64_t bytes);

 private:
  class Transfer;

  HostPort& port_;
  std::array<bool, TERN_CORE_COUNT> busy_{};  // by core
  sc_core::sc_event free_;
};

}  // namespace tern::runtime
