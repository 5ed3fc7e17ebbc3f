// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sw/system/fabric.h"
#include "systemc/fabric/transport.h"

namespace tern::fabric::packet {

// A channel of a path, and the virtual channels that a train may use in its receiver.
struct Hop {
  std::uint32_t channel = 0;
  std::uint8_t first_vc = 0, vcs = 1;
};

class Routes {
 public:
  virtual ~Routes() = default;
  virtual unsigned vcs() const = 0;
  // The way of a transfer's source, target, class and stream, from chip to chip. False: there is
  // none.
  virtual bool path(const Transfer& transfer, std::vector<Hop>* hops) = 0;
  // Equal ways that a transfer may be sent, at most 2^32 - 1; 0: not known.
  virtual std::uint32_t ways(std::uint32_t source, std::uint32_t target) {
    (void)source, (void)target;
    return 0;
  }
};

// Shortest ways, free of deadlock (README.md): in a torus by dimension with datelines, elsewhere
// with virtual channels in rising order.
std::unique_ptr<Routes> routes_of(const system::Fabric& fabric);

}  // namespace tern::fabric::packet
