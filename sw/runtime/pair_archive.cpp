// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/pair_archive.h"

#include "sw/runtime/program_file.h"

namespace tern::runtime {

void archive_address(base::StateArchive& archive, const Executable& program, DmaAddress& to) {
  archive.number(to.space, DmaAddress::Space::kTensor, DmaAddress::Space::kPeerTensor);
  archive.numbers(to.tensor, to.offset);
  if (to.space == DmaAddress::Space::kTensor && to.tensor >= program.tensors.size())
    archive.damaged();
  if (to.space == DmaAddress::Space::kPeerTensor && to.tensor >= program.peer_tensors.size())
    archive.damaged();
  if (to.space == DmaAddress::Space::kPeer && to.tensor >= ProgramFile::kMostParts)
    archive.damaged();
}

void PairArchive::list(PairList& pairs) {
  const std::size_t count = archive_.size(pairs.size(), left_);
  left_ -= count;
  PairModels models;
  if (!archive_.restores()) {
    for (const DescriptorPair& pair : pairs) save(pair, models);
    pairs = {};
    return;
  }
  // As they come: a count that is too large ends with the file's bytes.
  pairs = {};
  for (std::size_t i = 0; i < count; ++i) pairs.push_back(restore(models));
  pairs.shrink_to_fit();
}

void PairArchive::save(const DescriptorPair& pair, PairModels& models) {
  std::uint8_t head = models.store(pair);
  archive_.number(head);
  const PairModels::Form form = PairModels::form_of(head);
  if (form == PairModels::Form::kWhole) {
    DescriptorPair copy = pair;
    whole(copy);
  } else if (form != PairModels::Form::kSameSteps) {
    PairModels::Steps steps = models.steps();
    archive_.numbers(steps.source, steps.destination);
  }
}

const DescriptorPair& PairArchive::restore(PairModels& models) {
  std::uint8_t head = 0;
  archive_.number(head);
  const auto form = models.begin(head);
  if (!form) archive_.damaged();
  if (*form == PairModels::Form::kWhole) {
    DescriptorPair pair;
    whole(pair);
    return models.whole(pair);
  }
  if (*form == PairModels::Form::kSameSteps) return models.same_steps();
  PairModels::Steps steps;
  archive_.numbers(steps.source, steps.destination);
  return *form == PairModels::Form::kNewSteps ? models.new_steps(steps) : models.other_steps(steps);
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
