// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "sw/platform/chips/rendezvous.h"
#include "sw/platform/chips/system_rest.h"
#include "systemc/chip/windows.h"
#include "systemc/system/chip_network.h"
#include "systemc/system/ranks.h"

namespace tern {

// One simulation of several processes. Each simulates its chips up to the end of a window, which is
// as long as the least latency of a link; then all exchange what has left their chips, and each
// carries it through its own copy of the network. So all know what arrives where, and when.
class Distribution : public Windows {
 public:
  Distribution(system::Ranks& ranks, system::ChipNetwork& network, Rendezvous& hosts,
               SystemRest& rest);

  std::optional<std::uint64_t> next(std::uint64_t next_fs, bool ended) override;

 private:
  system::Ranks& ranks_;
  system::ChipNetwork& network_;
  Rendezvous& hosts_;
  SystemRest& rest_;
  std::uint64_t until_ = 0;  // the end of the last window
};

}  // namespace tern
