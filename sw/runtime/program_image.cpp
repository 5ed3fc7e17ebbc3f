// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/program_image.h"

#include <algorithm>
#include <cstring>

#include "sw/base/math.h"
#include "sw/base/user_error.h"
#include "sw/spec/descriptor_pack.h"
#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"

namespace tern::runtime {

namespace {

constexpr std::uint64_t kAlignment = TERN_REG_DMA_RING_TX_BASE_ALIGNMENT;
constexpr std::uint32_t kMinRing = TERN_REG_DMA_RING_SIZE_MIN;
constexpr std::uint32_t kRingMultiple = TERN_REG_DMA_RING_SIZE_STEP;
constexpr unsigned kFirstPass = 1;  // ring id of the first pass; a program passes once

std::uint64_t align(std::uint64_t value) {
  return round_up(value, kAlignment);
}

std::uint64_t core_window(unsigned core) {
  return TERN_CORE_BASE + core * TERN_CORE_STRIDE;
}

// custom_op: the index of a blob becomes the blob's address and length.
void link_blobs(const Executable& program, const ProgramLayout& layout, std::uint64_t base,
                std::uint8_t* stream) {
  const auto& queue = program.queues[TERN_QUEUE_GPSIMD];
  for (std::size_t i = 0; i < queue.size(); ++i) {
    if (queue[i].header.opcode != TERN_OPCODE_CUSTOM_OP) continue;
    const std::uint32_t index = queue[i].custom_op.code_lo;
    if (index >= program.blobs.size()) {
      throw UserError("program '" + program.name + "': gpsimd instruction " + std::to_string(i) +
                      ": no blob " + std::to_string(index));
    }
    tern_instruction_t linked = queue[i];
    const std::uint64_t address = base + layout.blobs[index];
    linked.custom_op.code_lo = static_cast<std::uint32_t>(address);
    linked.custom_op.code_hi = static_cast<std::uint32_t>(address >> 32);
    linked.custom_op.code_bytes = static_cast<std::uint32_t>(program.blobs[index].bytes.size());
    std::memcpy(stream + i * TERN_INSTRUCTION_BYTES, &linked, sizeof linked);
  }
}

// dma_copy and dma_indirect: addresses of their tensors.
template <typename Resolve>
void link_addresses(const Executable::Link& link, const Resolve& resolve, std::uint8_t* stream) {
  std::uint8_t* place = stream + std::size_t{link.index} * TERN_INSTRUCTION_BYTES;
  tern_instruction_t instruction;
  std::memcpy(&instruction, place, sizeof instruction);
  const auto put = [&](const DmaAddress& address, std::uint32_t* low, std::uint32_t* high) {
    const std::uint64_t value = resolve(address);
    *low = static_cast<std::uint32_t>(value);
    *high = static_cast<std::uint32_t>(value >> 32);
  };
  if (instruction.header.opcode == TERN_OPCODE_DMA_COPY) {
    put(link.destination, &instruction.dma_copy.dst_lo, &instruction.dma_copy.dst_hi);
    put(link.source, &instruction.dma_copy.src_lo, &instruction.dma_copy.src_hi);
  } else {
    put(link.source, &instruction.dma_indirect.table_lo, &instruction.dma_indirect.table_hi);
  }
  std::memcpy(place, &instruction, sizeof instruction);
}

}  // namespace

ProgramLayout::ProgramLayout(const Executable& program) {
  const auto place = [this](std::uint64_t size) {
    const std::uint64_t at = bytes;
    bytes = align(bytes + size);
    return at;
  };
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
    queues[q] = place(program.queues[q].size() * TERN_INSTRUCTION_BYTES);
  }
  for (const auto& [ring, engines] : program.rings) {
    for (unsigned e = 0; e < Executable::kEngines; ++e) {
      Ring& place_of = rings[ring][e];
      const auto pairs = static_cast<std::uint32_t>(engines[e].size());
      place_of.size = std::max(kMinRing, round_up(pairs, kRingMultiple));
      place_of.tx = place(std::uint64_t{place_of.size} * TERN_DESCRIPTOR_BYTES);
      place_of.rx = place(std::uint64_t{place_of.size} * TERN_DESCRIPTOR_BYTES);
    }
  }
  for (const Blob& blob : program.blobs) blobs.push_back(place(blob.bytes.size()));
}

std::vector<std::uint8_t> program_image(const Executable& program, const ProgramLayout& layout,
                                        std::uint64_t base, const CorePlace& core,
                                        const std::vector<std::uint64_t>& tensors) {
  std::vector<std::uint8_t> image(layout.bytes);
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
    if (program.queues[q].empty()) continue;
    std::memcpy(&image[layout.queues[q]], program.queues[q].data(),
                program.queues[q].size() * TERN_INSTRUCTION_BYTES);
  }
  link_blobs(program, layout, base, &image[layout.queues[TERN_QUEUE_GPSIMD]]);
  for (std::size_t i = 0; i < program.blobs.size(); ++i) {
    const std::vector<std::uint8_t>& bytes = program.blobs[i].bytes;
    std::copy(bytes.begin(), bytes.end(),
              image.begin() + static_cast<std::ptrdiff_t>(layout.blobs[i]));
  }
  const auto resolve = [&](const DmaAddress& address) -> std::uint64_t {
    switch (address.space) {
      case DmaAddress::Space::kTensor:
        return tensors.at(address.tensor) + address.offset;
      case DmaAddress::Space::kCore:
        return core_window(core.core) + address.offset;
      case DmaAddress::Space::kPeer:
        return (core.peers.empty() ? core_window(core.first + address.tensor)
                                   : core.peers.at(address.tensor)) +
               address.offset;
      case DmaAddress::Space::kChip:
      case DmaAddress::Space::kValue:
        break;
    }
    return address.offset;
  };
  for (const Executable::Link& link : program.links) {
    link_addresses(link, resolve, &image[layout.queues[link.queue]]);
  }
  for (const auto& [ring, engines] : program.rings) {
    for (unsigned e = 0; e < Executable::kEngines; ++e) {
      const ProgramLayout::Ring& place = layout.rings.at(ring)[e];
      for (std::size_t i = 0; i < engines[e].size(); ++i) {
        const DescriptorPair& pair = engines[e][i];
        const std::uint64_t offset = i * TERN_DESCRIPTOR_BYTES;
        DescriptorFields fields;
        fields.ring_id = kFirstPass;
        fields.first = pair.first;
        fields.last = pair.last;
        fields.length = pair.bytes;
        fields.word1 = pair.source_word;
        fields.address = resolve(pair.source);
        fields.barrier = pair.barrier;
        pack_descriptor(&image[place.tx + offset], fields);
        if (pair.destination_bytes != DescriptorPair::kSame) fields.length = pair.destination_bytes;
        fields.word1 = pair.destination_word;
        fields.address = resolve(pair.destination);
        fields.barrier = false;
        pack_descriptor(&image[place.rx + offset], fields);
      }
    }
  }
  return image;
}

}  // namespace tern::runtime
