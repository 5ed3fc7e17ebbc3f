// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sw/numerics/dtype.h"
#include "sw/runtime/pair_list.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/isa.h"
#include "sw/spec/generated/registers.h"

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

// The line of the kernel that a ring's descriptors come from: those of engine e from begin[e] on.
struct TransferOrigin {
  std::array<std::uint32_t, TERN_CORE_DMA_COUNT> begin{};
  std::string text;  // "attention.cpp:42: dma_load of tensor 'q'"
};

// A file that is in HBM with the program: the ELF file of a GpSimd program.
struct Blob {
  std::string name;
  std::vector<std::uint8_t> bytes;
};

// A program for one NeuronCore: instruction streams, DMA rings and the tensors they name.
struct Executable {
  static constexpr unsigned kEngines = TERN_CORE_DMA_COUNT;
  // Rings of a program are those below: this one copies for the host.
  static constexpr unsigned kHostRing = TERN_REG_DMA_RING_SIZE_COUNT - 1;
  std::string name;
  std::array<std::vector<tern_instruction_t>, TERN_QUEUE_COUNT> queues;
  // The author's line of each instruction: "matmul.cpp:42: nc_matmul", for messages and traces.
  std::array<std::vector<std::string>, TERN_QUEUE_COUNT> origins;
  std::map<unsigned, std::array<PairList, kEngines>> rings;
  std::map<unsigned, std::vector<TransferOrigin>> transfers;  // of these rings, in order
  // Rings whose descriptors are made on the chip: `slots` sources, then as many destinations, from
  // byte `sbuf_byte` of the engine's first partition on; 0 slots: they are never in memory.
  struct GeneratedRing {
    std::uint32_t slots = 0;
    std::uint32_t sbuf_byte = 0;
  };
  std::map<unsigned, GeneratedRing> generated_rings;
  static constexpr unsigned generated_ring_partition(unsigned engine) {
    return engine * (TERN_CORE_SBUF_COUNT / kEngines);
  }
  // Addresses in instructions: dma_copy, destination and source; dma_indirect, the table (source).
  struct Link {
    unsigned queue = 0;
    std::uint32_t index = 0;
    DmaAddress destination, source;
  };
  std::vector<Link> links;
  std::map<unsigned, unsigned> ring_classes;  // classes of service; others: the least urgent
  std::vector<TensorInfo> tensors;
  // Tensors of other parts that descriptors name: those of this name and shape there.
  struct PeerTensor {
    unsigned part = 0;
    std::uint32_t tensor = 0;  // of `tensors`
  };
  std::vector<PeerTensor> peer_tensors;
  // A custom_op has the index of its blob in code_lo; loading the program makes it an address.
  std::vector<Blob> blobs;
};

}  // namespace tern
