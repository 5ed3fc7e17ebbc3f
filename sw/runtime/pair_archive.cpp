// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/pair_archive.h"

#include "sw/runtime/program_file.h"

namespace tern::runtime {

namespace {

// The first byte of a pair: first, last, barrier; its model; its form.
constexpr unsigned kModelBit = 3, kFormBit = 4;
constexpr std::uint8_t kFirst = 1, kLast = 2, kBarrier = 4, kFlags = 7;

std::uint8_t flags_of(const DescriptorPair& pair) {
  return static_cast<std::uint8_t>((pair.first ? kFirst : 0) | (pair.last ? kLast : 0) |
                                   (pair.barrier ? kBarrier : 0));
}

void set_flags(DescriptorPair& pair, std::uint8_t flags) {
  pair.first = (flags & kFirst) != 0;
  pair.last = (flags & kLast) != 0;
  pair.barrier = (flags & kBarrier) != 0;
}

bool same_place(const DmaAddress& a, const DmaAddress& b) {
  return a.space == b.space && a.tensor == b.tensor;
}

// They differ in offsets and flags alone.
bool alike(const DescriptorPair& a, const DescriptorPair& b) {
  return same_place(a.source, b.source) && same_place(a.destination, b.destination) &&
         a.bytes == b.bytes && a.destination_bytes == b.destination_bytes &&
         a.source_word == b.source_word && a.destination_word == b.destination_word;
}

}  // namespace

void archive_address(base::StateArchive& archive, const Executable& program, DmaAddress& to) {
  archive.number(to.space, DmaAddress::Space::kTensor, DmaAddress::Space::kPeer);
  archive.numbers(to.tensor, to.offset);
  if (to.space == DmaAddress::Space::kTensor && to.tensor >= program.tensors.size())
    archive.damaged();
  if (to.space == DmaAddress::Space::kPeer && to.tensor >= ProgramFile::kMostParts)
    archive.damaged();
}

void PairArchive::list(std::vector<DescriptorPair>& pairs) {
  const std::size_t count = archive_.size(pairs.size(), left_);
  left_ -= count;
  Models models;
  next_ = 0;
  if (!archive_.restores()) {
    for (const DescriptorPair& pair : pairs) save(pair, models);
    std::vector<DescriptorPair>().swap(pairs);
    return;
  }
  // As they come: a count that is too large ends with the file's bytes.
  pairs.clear();
  for (std::size_t i = 0; i < count; ++i) pairs.push_back(restore(models));
  pairs.shrink_to_fit();
}

void PairArchive::save(const DescriptorPair& pair, Models& models) {
  unsigned chosen = kModels;
  bool same_steps = false;
  for (unsigned m = 0; m < kModels && !same_steps; ++m) {
    const Model& model = models[m];
    if (!model.used || !alike(model.pair, pair)) continue;
    same_steps = model.pair.source.offset + model.source_step == pair.source.offset &&
                 model.pair.destination.offset + model.destination_step == pair.destination.offset;
    if (same_steps || chosen == kModels) chosen = m;
  }
  if (chosen == kModels) {
    chosen = next_;
    next_ = (next_ + 1) % kModels;
    write(flags_of(pair), chosen, Form::kWhole);
    DescriptorPair copy = pair;
    whole(copy);
    models[chosen] = {pair, 0, 0, true};
    return;
  }
  Model& model = models[chosen];
  write(flags_of(pair), chosen, same_steps ? Form::kSameSteps : Form::kNewSteps);
  if (!same_steps) {
    model.source_step = pair.source.offset - model.pair.source.offset;
    model.destination_step = pair.destination.offset - model.pair.destination.offset;
    archive_.numbers(model.source_step, model.destination_step);
  }
  model.pair = pair;
}

DescriptorPair PairArchive::restore(Models& models) {
  std::uint8_t head = 0;
  archive_.number(head);
  const unsigned form = head >> kFormBit;
  if (form >= static_cast<unsigned>(Form::kCount)) archive_.damaged();
  Model& model = models[(head >> kModelBit) & 1];
  if (static_cast<Form>(form) == Form::kWhole) {
    model = {};
    whole(model.pair);
    model.used = true;
  } else {
    if (!model.used) archive_.damaged();
    if (static_cast<Form>(form) == Form::kNewSteps) {
      archive_.numbers(model.source_step, model.destination_step);
    }
    model.pair.source.offset += model.source_step;
    model.pair.destination.offset += model.destination_step;
  }
  set_flags(model.pair, head & kFlags);
  return model.pair;
}

void PairArchive::write(std::uint8_t flags, unsigned model, Form form) {
  auto head = static_cast<std::uint8_t>(flags | model << kModelBit |
                                        static_cast<unsigned>(form) << kFormBit);
  archive_.number(head);
}

void PairArchive::whole(DescriptorPair& pair) {
  archive_address(archive_, program_, pair.source);
  archive_address(archive_, program_, pair.destination);
  archive_.number(pair.bytes, std::uint32_t{TERN_DESCRIPTOR_MAX_LENGTH});
  archive_.number(pair.destination_bytes);
  if (pair.destination_bytes != DescriptorPair::kSame &&
      pair.destination_bytes > TERN_DESCRIPTOR_MAX_LENGTH)
    archive_.damaged();
  archive_.numbers(pair.source_word, pair.destination_word);
}

}  // namespace tern::runtime
