// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/isa.h"
#include "systemc/numerics/dtype.h"

namespace tern {

// A tensor in HBM that the host binds to a buffer when it loads the program. Row major.
struct TensorInfo {
  enum class Kind { kInput, kOutput, kWeight, kScratch };
  std::string name;
  Kind kind = Kind::kInput;
  numerics::DType dtype = numerics::DType::kFp32;
  std::vector<std::uint64_t> shape;
  std::uint64_t bytes() const;
};

// Where a descriptor points before the program is loaded.
struct DmaAddress {
  enum class Space {
    kTensor,  // offset in HBM tensor `tensor`
    kCore,  // offset in the window of the core the program runs on (docs/reference/address_map.md)
    kOne,   // a 4-byte constant 1 the runtime keeps in HBM: source of semaphore increments
  };
  Space space = Space::kTensor;
  std::uint32_t tensor = 0;
  std::uint64_t offset = 0;
};

struct DescriptorPair {
  DmaAddress source, destination;
  std::uint32_t bytes = 0;  // 1 .. 65536
  bool first = false, last = false, barrier = false;
};

// A file that lies in HBM beside the program: the ELF file of a GpSimd program.
struct Blob {
  std::string name;
  std::vector<std::uint8_t> bytes;
};

// A program for one NeuronCore: instruction streams, DMA rings and the tensors they name.
struct Executable {
  static constexpr unsigned kEngines = TERN_CORE_DMA_COUNT;
  std::string name;
  std::array<std::vector<tern_instruction_t>, TERN_QUEUE_COUNT> queues;
  // Who wrote each instruction: "matmul.cpp:42: nc_matmul", for messages and traces.
  std::array<std::vector<std::string>, TERN_QUEUE_COUNT> origins;
  std::map<unsigned, std::array<std::vector<DescriptorPair>, kEngines>> rings;
  std::vector<TensorInfo> tensors;
  // A custom_op has the index of its blob in code_lo; loading the program makes it an address.
  std::vector<Blob> blobs;
};

}  // namespace tern
