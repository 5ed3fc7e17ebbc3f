// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

// Reads descriptors as rtl/dma/README.md and docs/reference/registers.md define them,
// independently: the oracle of what generators produce.
namespace tern::tb {

using PairBytes = std::array<std::uint8_t, 32>;  // TX, RX

// A packet with an operation.
struct Computed {
  unsigned op = 0, src_dtype = 0, dst_dtype = 0, write_op = 0;
  std::uint64_t dst = 0, elements = 0;
  std::vector<std::uint64_t> sources;
  std::vector<std::uint32_t> scales;  // bits
};

struct Moved {
  std::map<std::uint64_t, std::uint64_t> source_of;  // destination byte -> source byte
  std::vector<std::uint64_t> immediates;             // addresses, in order
  std::map<unsigned, std::uint64_t> bytes_of_write_op;
  std::vector<Computed> computed;
  unsigned packets = 0;
  std::uint64_t largest_packet = 0;  // bytes
};

// The pairs of one engine from the first slot of a ring on; rules that are broken fail the test.
// ring_size: of a ring in memory, whose phases are checked; 0: pushed pairs.
void interpret(const std::vector<PairBytes>& pairs, unsigned ring_size, Moved* moved);

}  // namespace tern::tb
