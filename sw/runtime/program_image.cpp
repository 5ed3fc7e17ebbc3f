// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/program_image.h"

#include <algorithm>
#include <cstring>

#include "sw/spec/generated/address_map.h"
#include "sw/spec/generated/registers.h"
#include "systemc/config/user_error.h"

namespace tern::runtime {

namespace {

constexpr std::uint64_t kAlignment = 256;
constexpr std::uint32_t kMinRing = 32, kRingMultiple = 16;
constexpr std::uint32_t kFirstPass = 1;  // ring id of the first pass; a program goes round once

std::uint64_t align(std::uint64_t value) {
  return (value + kAlignment - 1) / kAlignment * kAlignment;
}

void put_descriptor(std::uint8_t* at, const DescriptorPair& pair, std::uint64_t address,
                    bool barrier) {
  const std::uint32_t length = pair.bytes % TERN_DESCRIPTOR_MAX_LENGTH;  // 64 KiB is written as 0
  const std::uint32_t control = (length << TERN_DESC_LENGTH_LSB) |
                                (kFirstPass << TERN_DESC_RING_ID_LSB) |
                                (std::uint32_t{pair.first} << TERN_DESC_FIRST_LSB) |
                                (std::uint32_t{pair.last} << TERN_DESC_LAST_LSB) |
                                (std::uint32_t{barrier} << TERN_DESC_DMB_LSB);
  const std::uint32_t meta = 0;
  std::memcpy(at + 4 * TERN_DESC_LENGTH_WORD, &control, 4);
  std::memcpy(at + 4 * TERN_DESC_META_WORD, &meta, 4);
  std::memcpy(at + 4 * TERN_DESC_ADDRESS_WORD, &address, 8);
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

}  // namespace

ProgramLayout::ProgramLayout(const Executable& program) {
  const auto place = [this](std::uint64_t size) {
    const std::uint64_t at = bytes;
    bytes = align(bytes + size);
    return at;
  };
  one = place(4);
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
    queues[q] = place(program.queues[q].size() * TERN_INSTRUCTION_BYTES);
  }
  for (const auto& [ring, engines] : program.rings) {
    for (unsigned e = 0; e < Executable::kEngines; ++e) {
      Ring& place_of = rings[ring][e];
      const auto pairs = static_cast<std::uint32_t>(engines[e].size());
      place_of.size =
          std::max(kMinRing, (pairs + kRingMultiple - 1) / kRingMultiple * kRingMultiple);
      place_of.tx = place(std::uint64_t{place_of.size} * TERN_DESCRIPTOR_BYTES);
      place_of.rx = place(std::uint64_t{place_of.size} * TERN_DESCRIPTOR_BYTES);
    }
  }
  for (const Blob& blob : program.blobs) blobs.push_back(place(blob.bytes.size()));
}

std::vector<std::uint8_t> program_image(const Executable& program, const ProgramLayout& layout,
                                        std::uint64_t base, unsigned core,
                                        const std::vector<std::uint64_t>& tensors) {
  std::vector<std::uint8_t> image(layout.bytes);
  const std::uint32_t one = 1;
  std::memcpy(&image[layout.one], &one, sizeof one);
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
        return TERN_CORE_BASE + core * TERN_CORE_STRIDE + address.offset;
      case DmaAddress::Space::kOne:
        break;
    }
    return base + layout.one;
  };
  for (const auto& [ring, engines] : program.rings) {
    for (unsigned e = 0; e < Executable::kEngines; ++e) {
      const ProgramLayout::Ring& place = layout.rings.at(ring)[e];
      for (std::size_t i = 0; i < engines[e].size(); ++i) {
        const DescriptorPair& pair = engines[e][i];
        const std::uint64_t offset = i * TERN_DESCRIPTOR_BYTES;
        put_descriptor(&image[place.tx + offset], pair, resolve(pair.source), pair.barrier);
        put_descriptor(&image[place.rx + offset], pair, resolve(pair.destination), pair.barrier);
      }
    }
  }
  return image;
}

}  // namespace tern::runtime
