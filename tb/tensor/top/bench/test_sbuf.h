// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "systemc/engines/tensor/tensor_datapath.h"

namespace tern::tb {

// The operand memory of a bench.
class TestSbuf {
 public:
  TestSbuf(unsigned partitions, unsigned bytes)
      : pitch_(bytes), data_(std::size_t{partitions} * bytes) {}

  SbufView view() const { return {data_.data(), pitch_}; }

  // Little endian, 1 to 4 bytes.
  std::uint32_t read(unsigned partition, std::int64_t address, unsigned bytes) const {
    std::uint32_t value = 0;
    std::memcpy(&value, data_.data() + place(partition, address), bytes);
    return value;
  }
  void write(unsigned partition, std::int64_t address, unsigned bytes, std::uint32_t value) {
    std::memcpy(data_.data() + place(partition, address), &value, bytes);
  }

  std::uint16_t get(unsigned partition, std::int64_t address) const {
    return static_cast<std::uint16_t>(read(partition, address, 2));
  }
  void set(unsigned partition, std::int64_t address, std::uint16_t value) {
    write(partition, address, 2, value);
  }

 private:
  std::size_t place(unsigned partition, std::int64_t address) const {
    return partition * pitch_ + static_cast<std::size_t>(address);
  }
  std::size_t pitch_;
  std::vector<std::uint8_t> data_;
};

}  // namespace tern::tb
