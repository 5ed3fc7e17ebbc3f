// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "sw/base/state_archive.h"

namespace tern {

// The 32-bit registers of a queue. Register 0 is always zero.
class ScalarRegisters {
 public:
  static constexpr unsigned kCount = 64;

  std::uint32_t operator[](unsigned index) const { return values_[index]; }
  void set(unsigned index, std::uint32_t value) {
    if (index != 0) values_[index] = value;
  }
  // For a snapshot.
  void archive_state(base::StateArchive& archive) {
    for (unsigned i = 1; i < kCount; ++i) archive.number(values_[i]);
  }

 private:
  std::array<std::uint32_t, kCount> values_{};
};

}  // namespace tern
