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

// Calls visit(entry, offset in it, offset in the range, bytes) for all entries of a map by offset
// that have a part of the range.
template <typename Parts, typename Size, typename Visit>
void each_part(const Parts& parts, std::uint64_t offset, std::size_t bytes, const Size& size,
               const Visit& visit) {
  auto part = parts.upper_bound(offset);
  if (part != parts.begin()) --part;
  for (; part != parts.end() && part->first < offset + bytes; ++part) {
    const std::uint64_t begin = std::max(offset, part->first);
    const std::uint64_t end = std::min(offset + bytes, part->first + size(part->second));
    if (begin < end) visit(part->second, begin - part->first, begin - offset, end - begin);
  }
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

ProgramImage::ProgramImage(const Executable& program, const ProgramLayout& layout,
                           std::uint64_t base, const CorePlace& core,
                           const std::vector<std::uint64_t>& tensors)
    : layout_(layout), core_(core), tensors_(tensors) {
  std::array<std::uint8_t*, TERN_QUEUE_COUNT> streams{};
  for (unsigned q = 0; q < TERN_QUEUE_COUNT; ++q) {
    if (program.queues[q].empty()) continue;
    std::vector<std::uint8_t>& stream = written_[layout.queues[q]];
    stream.resize(program.queues[q].size() * TERN_INSTRUCTION_BYTES);
    std::memcpy(stream.data(), program.queues[q].data(), stream.size());
    streams[q] = stream.data();
  }
  link_blobs(program, layout, base, streams[TERN_QUEUE_GPSIMD]);
  for (const Executable::Link& link : program.links) {
    link_addresses(
        link, [this](const DmaAddress& to) { return resolve(to); }, streams[link.queue]);
  }
  for (std::size_t i = 0; i < program.blobs.size(); ++i) {
    if (!program.blobs[i].bytes.empty()) written_[layout.blobs[i]] = program.blobs[i].bytes;
  }
  for (const auto& [ring, engines] : program.rings) {
    for (unsigned e = 0; e < Executable::kEngines; ++e) {
      if (engines[e].empty()) continue;
      const ProgramLayout::Ring& place = layout.rings.at(ring)[e];
      sides_[place.tx] = {&engines[e], true};
      sides_[place.rx] = {&engines[e], false};
    }
  }
}

std::uint64_t ProgramImage::resolve(const DmaAddress& address) const {
  switch (address.space) {
    case DmaAddress::Space::kTensor:
      return tensors_.at(address.tensor) + address.offset;
    case DmaAddress::Space::kCore:
      return core_window(core_.core) + address.offset;
    case DmaAddress::Space::kPeer:
      return (core_.peers.empty() ? core_window(core_.first + address.tensor)
                                  : core_.peers.at(address.tensor)) +
             address.offset;
    case DmaAddress::Space::kPeerTensor:
      return core_.peer_tensors.at(address.tensor) + address.offset;
    case DmaAddress::Space::kChip:
    case DmaAddress::Space::kValue:
      break;
  }
  return address.offset;
}

void ProgramImage::read(std::uint64_t offset, void* data, std::size_t bytes) {
  auto* to = static_cast<std::uint8_t*>(data);
  while (bytes > 0) {
    const std::size_t begin = offset % kPageBytes, piece = std::min(bytes, kPageBytes - begin);
    std::memcpy(to, &page(offset / kPageBytes).bytes[begin], piece);
    offset += piece;
    to += piece;
    bytes -= piece;
  }
}

std::vector<std::uint8_t> ProgramImage::all() {
  std::vector<std::uint8_t> image(size());
  fill(0, image.data(), image.size());
  return image;
}

const ProgramImage::Page& ProgramImage::page(std::uint64_t number) {
  for (auto page = pages_.rbegin(); page != pages_.rend(); ++page) {
    if (page->number == number) return *page;
  }
  Page next;
  if (pages_.size() == kPages) {
    next = std::move(pages_.front());
    pages_.pop_front();
  }
  next.number = number;
  next.bytes.assign(kPageBytes, 0);
  fill(number * kPageBytes, next.bytes.data(), kPageBytes);
  pages_.push_back(std::move(next));
  return pages_.back();
}

// The range is zero.
void ProgramImage::fill(std::uint64_t offset, std::uint8_t* data, std::size_t bytes) const {
  each_part(
      written_, offset, bytes, [](const auto& part) { return part.size(); },
      [&](const auto& part, std::uint64_t from, std::uint64_t to, std::size_t count) {
        std::memcpy(data + to, &part[from], count);
      });
  each_part(
      sides_, offset, bytes,
      [](const Side& side) { return side.pairs->size() * TERN_DESCRIPTOR_BYTES; },
      [&](const Side& side, std::uint64_t from, std::uint64_t to, std::size_t count) {
        fill_descriptors(side, from, data + to, count);
      });
}

void ProgramImage::fill_descriptors(const Side& side, std::uint64_t offset, std::uint8_t* data,
                                    std::size_t bytes) const {
  // Rings are aligned as pages are: no descriptor is cut.
  auto pair = side.pairs->from(offset / TERN_DESCRIPTOR_BYTES);
  for (std::size_t at = 0; at < bytes; at += TERN_DESCRIPTOR_BYTES, ++pair) {
    DescriptorFields fields;
    fields.ring_id = kFirstPass;
    fields.first = pair->first;
    fields.last = pair->last;
    fields.length = pair->bytes;
    if (side.source) {
      fields.word1 = pair->source_word;
      fields.address = resolve(pair->source);
      fields.barrier = pair->barrier;
    } else {
      if (pair->destination_bytes != DescriptorPair::kSame) fields.length = pair->destination_bytes;
      fields.word1 = pair->destination_word;
      fields.address = resolve(pair->destination);
    }
    pack_descriptor(data + at, fields);
  }
}

}  // namespace tern::runtime
