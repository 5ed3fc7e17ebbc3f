// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "sw/spec/generated/address_map.h"
#include "systemc/engines/tensor/tensor_datapath.h"
#include "systemc/engines/vector/elementwise.h"

namespace tern {

// The state buffer: 128 partitions of real bytes. The host commits a page when it is first written.
class Sbuf {
 public:
  static constexpr unsigned kPartitions = TERN_CORE_SBUF_COUNT;

  explicit Sbuf(std::uint64_t partition_bytes)
      : partition_bytes_(partition_bytes),
        pitch_(partition_bytes + kPadding),
        bytes_(static_cast<std::uint8_t*>(std::calloc(kPartitions, pitch_)), std::free) {
    if (bytes_ == nullptr) throw std::bad_alloc();
  }

  std::uint64_t partition_bytes() const { return partition_bytes_; }
  SbufAccess access() { return {bytes_.get(), pitch_}; }
  SbufView view() const { return {bytes_.get(), pitch_}; }
  std::uint8_t* partition(unsigned p) { return bytes_.get() + p * pitch_; }

 private:
  // Partitions a power of two apart would share the host's cache sets.
  static constexpr std::size_t kPadding = 128;

  std::uint64_t partition_bytes_;
  std::size_t pitch_;
  std::unique_ptr<std::uint8_t, decltype(&std::free)> bytes_;
};

}  // namespace tern
