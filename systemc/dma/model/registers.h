// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systemc/dma/model/state.h"

namespace tern::dma::model {

// The register block of an engine (docs/reference/registers.md, block dma), whole words.
class Registers {
 public:
  explicit Registers(State& state);

  // Whether a write of this word restarts a ring; ring: which one, or kRings.
  static bool writable(std::uint32_t offset, unsigned& restarts);
  // A write that is at the port in `cycle`.
  void write(std::uint64_t cycle, std::uint32_t offset, std::uint32_t value);
  bool read(std::uint32_t offset, bool busy, std::uint32_t& value) const;
  // For a snapshot, while nothing is in flight: those of the rings and of the arbiter, and its
  // balances.
  void archive_state(base::StateArchive& archive, std::uint64_t cycle);

 private:
  void write_ring(std::uint64_t cycle, unsigned ring, std::uint32_t offset, std::uint32_t value);
  std::uint32_t read_ring(const Ring& ring, std::uint32_t offset, bool& known) const;
  void restart(std::uint64_t cycle, unsigned ring, std::uint32_t size);
  void doorbell(std::uint64_t cycle, unsigned ring, std::uint32_t pairs);

  State& state_;
  qos::Settings qos_;
};

}  // namespace tern::dma::model
