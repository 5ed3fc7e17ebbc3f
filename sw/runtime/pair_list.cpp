// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/pair_list.h"

#include <cstring>
#include <type_traits>
#include <utility>

namespace tern {

template <typename T>
void PairList::put(const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto* begin = reinterpret_cast<const std::uint8_t*>(&value);
  bytes_.insert(bytes_.end(), begin, begin + sizeof value);
}

void PairList::push_back(const DescriptorPair& pair) {
  if (size_ % kStride == 0) marks_.push_back({bytes_.size(), models_});
  ++size_;
  const std::uint8_t head = models_.store(pair);
  bytes_.push_back(head);
  const PairModels::Form form = PairModels::form_of(head);
  if (form == PairModels::Form::kWhole) {
    put(pair);
  } else if (form != PairModels::Form::kSameSteps) {
    put(models_.steps());
  }
}

void PairList::change(const std::function<void(std::size_t, DescriptorPair&)>& change) {
  PairList changed;
  for (DescriptorPair pair : *this) {
    change(changed.size(), pair);
    changed.push_back(pair);
  }
  *this = std::move(changed);
}

void PairList::shrink_to_fit() {
  bytes_.shrink_to_fit();
  marks_.shrink_to_fit();
}

std::size_t PairList::bytes() const {
  return bytes_.capacity() + marks_.capacity() * sizeof(Mark);
}

PairList::Iterator PairList::from(std::size_t index) const {
  if (index >= size_) return end();
  const std::size_t mark = index / kStride;
  Iterator at(*this, mark * kStride);
  at.byte_ = marks_[mark].byte;
  at.models_ = marks_[mark].models;
  at.read();
  while (at.index_ < index) ++at;
  return at;
}

PairList::Iterator& PairList::Iterator::operator++() {
  if (++index_ < list_->size_) read();
  return *this;
}

void PairList::Iterator::read() {
  const std::uint8_t* at = &list_->bytes_[byte_];
  const auto form = models_.begin(*at++);
  if (form == PairModels::Form::kWhole) {
    DescriptorPair pair;
    std::memcpy(&pair, at, sizeof pair);
    models_.whole(pair);
    at += sizeof pair;
  } else if (form == PairModels::Form::kSameSteps) {
    models_.same_steps();
  } else {
    PairModels::Steps steps;
    std::memcpy(&steps, at, sizeof steps);
    form == PairModels::Form::kNewSteps ? models_.new_steps(steps) : models_.other_steps(steps);
    at += sizeof steps;
  }
  byte_ = static_cast<std::size_t>(at - list_->bytes_.data());
}

}  // namespace tern
