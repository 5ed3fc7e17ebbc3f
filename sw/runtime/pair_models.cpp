// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/pair_models.h"

namespace tern {

namespace {

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

bool equal(const PairModels::Steps& a, const PairModels::Steps& b) {
  return a.source == b.source && a.destination == b.destination;
}

PairModels::Steps steps_between(const DescriptorPair& from, const DescriptorPair& to) {
  return {to.source.offset - from.source.offset, to.destination.offset - from.destination.offset};
}

}  // namespace

std::uint8_t PairModels::store(const DescriptorPair& pair) {
  unsigned chosen = kModels;
  Form form = Form::kWhole;
  for (unsigned m = 0; m < kModels && form != Form::kSameSteps; ++m) {
    const Model& model = models_[m];
    if (!model.used || !alike(model.pair, pair)) continue;
    const Steps steps = steps_between(model.pair, pair);
    if (equal(steps, model.steps)) {
      form = Form::kSameSteps;
    } else if (form == Form::kWhole) {
      // The steps of rows hold from transfer to transfer, unless these are taken again.
      const bool begins = pair.first && !equal(steps, model.taken);
      form = begins ? Form::kOtherSteps : Form::kNewSteps;
    } else {
      continue;
    }
    chosen = m;
  }
  if (form == Form::kWhole) {
    chosen = next_;
    next_ = (next_ + 1) % kModels;
    models_[chosen] = {pair, {}, {}, true};
  } else {
    Model& model = models_[chosen];
    model.taken = steps_between(model.pair, pair);
    if (form == Form::kNewSteps) model.steps = model.taken;
    model.pair = pair;
  }
  chosen_ = chosen;
  return static_cast<std::uint8_t>(flags_of(pair) | chosen << kModelBit |
                                   static_cast<unsigned>(form) << kFormBit);
}

std::optional<PairModels::Form> PairModels::begin(std::uint8_t head) {
  const Form form = form_of(head);
  chosen_ = head >> kModelBit & (kModels - 1);
  flags_ = head & kFlags;
  if (form >= Form::kCount || (form != Form::kWhole && !models_[chosen_].used)) return {};
  return form;
}

const DescriptorPair& PairModels::new_steps(const Steps& steps) {
  models_[chosen_].steps = steps;
  return moved(steps);
}

const DescriptorPair& PairModels::other_steps(const Steps& steps) {
  return moved(steps);
}

const DescriptorPair& PairModels::whole(const DescriptorPair& pair) {
  models_[chosen_] = {pair, {}, {}, true};
  set_flags(models_[chosen_].pair, flags_);
  return models_[chosen_].pair;
}

const DescriptorPair& PairModels::moved(const Steps& steps) {
  Model& model = models_[chosen_];
  model.taken = steps;
  model.pair.source.offset += steps.source;
  model.pair.destination.offset += steps.destination;
  set_flags(model.pair, flags_);
  return model.pair;
}

}  // namespace tern
