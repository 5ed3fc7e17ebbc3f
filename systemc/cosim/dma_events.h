// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "systemc/dma/model/unit.h"

namespace tern::dma {

// An output of an engine: equal in two engines that do the same.
struct UnitEvent {
  enum Kind { kDescriptors, kRead, kWrite, kStop, kDone, kKinds };
  Kind kind = kRead;
  Request request;
  std::vector<std::uint8_t> data;
  std::uint64_t begin = 0, cycle = 0, address = 0;
  unsigned ring = 0, fault = 0, pairs = 0;
  std::uint32_t index = 0, bytes = 0;

  bool operator==(const UnitEvent& o) const;
  std::string text() const;
};

// Keeps what an engine tells its environment.
class UnitEvents : public Environment {
 public:
  void request(const Request& request) override;
  void ring_stopped(std::uint64_t cycle, unsigned ring, unsigned fault, std::uint32_t index,
                    std::uint64_t address) override;
  void packet_done(std::uint64_t begin, std::uint64_t cycle, unsigned ring, std::uint32_t bytes,
                   unsigned pairs) override;

  // Tells the environment everything, in order, and forgets it.
  void repeat(Environment& environment);

  std::deque<UnitEvent> events;

 private:
  UnitEvent& add(UnitEvent::Kind kind, std::uint64_t cycle);
};

}  // namespace tern::dma
