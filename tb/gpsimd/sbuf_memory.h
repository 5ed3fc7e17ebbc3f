// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "systemc/gpsimd/processor.h"

namespace tern::tb {

// A small SBUF whose partitions begin at odd multiples of 16 bytes, as those of a core do.
class SbufMemory {
 public:
  static constexpr std::uint64_t kPartitionBytes = 8192, kPitch = kPartitionBytes + 48;

  SbufMemory() : bytes_(128 * kPitch) {}

  gpsimd::SbufWindow window() { return {{bytes_.data(), kPitch}, kPartitionBytes}; }
  std::uint8_t* partition(unsigned p) { return bytes_.data() + p * kPitch; }
  std::vector<std::uint32_t> words(unsigned p, std::uint32_t byte, std::size_t count) {
    std::vector<std::uint32_t> result(count);
    std::memcpy(result.data(), partition(p) + byte, 4 * count);
    return result;
  }
  std::vector<std::uint8_t>& bytes() { return bytes_; }

 private:
  std::vector<std::uint8_t> bytes_;
};

}  // namespace tern::tb
