// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "sw/runtime/executable.h"

namespace tern::runtime {

// Locations of the parts of a loaded program, relative to its block of device memory.
struct ProgramLayout {
  struct Ring {
    std::uint64_t tx = 0, rx = 0;  // 256-byte aligned
    std::uint32_t size = 0;        // descriptors in each of the two
  };
  std::array<std::uint64_t, TERN_QUEUE_COUNT> queues{};
  std::map<unsigned, std::array<Ring, Executable::kEngines>> rings;
  std::vector<std::uint64_t> blobs;
  std::uint64_t bytes = 0;

  explicit ProgramLayout(const Executable& program);
};

// The core that runs a program, and those that run its parts: the chip's own from `first` on, or
// any of the system, by the addresses of their windows.
struct CorePlace {
  unsigned core = 0, first = 0;
  std::vector<std::uint64_t> peers = {};
};

// The bytes of that block: instruction streams, descriptor rings and constants, for a core and
// tensor addresses.
std::vector<std::uint8_t> program_image(const Executable& program, const ProgramLayout& layout,
                                        std::uint64_t base, const CorePlace& core,
                                        const std::vector<std::uint64_t>& tensors);

}  // namespace tern::runtime
