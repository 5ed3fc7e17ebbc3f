// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sw/nki/trace/element_type.h"
#include "sw/nki/trace/site.h"

namespace tern::nki {

enum class Memory : std::uint8_t { kSbuf, kPsum, kHbm };
std::string memory_name(Memory memory);

// What a tensor in HBM is for the caller of the kernel.
enum class Role : std::uint8_t { kScratch, kInput, kOutput, kUpdated, kConstant };

// On-chip memory that the author has chosen.
struct ChipAddress {
  unsigned partition = 0;
  std::uint32_t byte = 0;  // in each partition
};

// The memory of one tensor. On chip dimension 0 is the partition, the others are contiguous in it.
struct Storage {
  std::uint32_t id = 0;
  std::string name;
  Memory memory = Memory::kSbuf;
  Role role = Role::kScratch;  // in HBM
  const ElementType* type = nullptr;
  std::vector<std::int64_t> shape;
  std::optional<ChipAddress> address;
  const Site* site = nullptr;
  const Site* updated_at = nullptr;                   // the first write of an argument
  std::vector<std::uint8_t> contents;                 // of a constant
  std::int64_t returned_begin = 0, returned_end = 0;  // bytes of an output that the kernel returns
  bool shared = false;                                // in HBM: with the other programs of a launch
  unsigned loop = 0;  // the dynamic loop that it is made in; 0: none

  bool on_chip() const { return memory != Memory::kHbm; }
  std::int64_t elements() const;
  std::int64_t bytes() const { return elements() * type->bytes(); }
  // On chip: what every partition holds.
  std::int64_t partitions() const { return shape.front(); }
  std::int64_t partition_bytes() const { return bytes() / shape.front(); }
};

using StoragePtr = std::shared_ptr<Storage>;

// "x[128, 512]"
std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace tern::nki
