// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "systemc/engines/tensor_datapath.h"

namespace tern::tb {

// The operand memory of a bench.
class TestSbuf {
 public:
  TestSbuf(unsigned partitions, unsigned bytes)
      : pitch_(bytes), data_(std::size_t{partitions} * bytes) {}

  SbufView view() const { return {data_.data(), pitch_}; }

  std::uint16_t get(unsigned partition, std::int64_t address) const {
    std::uint16_t value;
    std::memcpy(&value, at(partition, address), 2);
    return value;
  }
  void set(unsigned partition, std::int64_t address, std::uint16_t value) {
    std::memcpy(data_.data() + (at(partition, address) - data_.data()), &value, 2);
  }

 private:
  const std::uint8_t* at(unsigned partition, std::int64_t address) const {
    return data_.data() + partition * pitch_ + static_cast<std::size_t>(address);
  }
  std::size_t pitch_;
  std::vector<std::uint8_t> data_;
};

}  // namespace tern::tb
