// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/trace/chip_pattern.h"

#include "sw/nki/trace/nki_error.h"

namespace tern::nki {

std::int64_t ChipPattern::elements() const {
  std::int64_t count = 1;
  for (const Dim& dim : dims) count *= dim.count;
  return count;
}

std::int64_t ChipPattern::low() const {
  std::int64_t element = start;
  for (const Dim& dim : dims) {
    if (dim.step < 0) element += dim.step * (dim.count - 1);
  }
  return element;
}

std::int64_t ChipPattern::high() const {
  std::int64_t element = start;
  for (const Dim& dim : dims) {
    if (dim.step > 0) element += dim.step * (dim.count - 1);
  }
  return element;
}

ChipPattern chip_pattern(const View& view, const std::string& what) {
  const Storage& storage = view.storage();
  const std::int64_t free = storage.partition_bytes() / view.type()->bytes();
  ChipPattern pattern;
  pattern.partitions = view.shape().front();
  pattern.partition = view.offset() / free;
  pattern.start = view.offset() % free;
  for (std::size_t d = 1; d < view.dimensions(); ++d) {
    pattern.dims.push_back({view.shape()[d], view.strides()[d]});
  }
  const std::string name = what + " `" + view.text() + "`";
  if (view.strides().front() == 0 && pattern.partitions > 1) {
    pattern.repeats = pattern.partitions;
    pattern.partitions = 1;
  }
  if (pattern.partitions > 1 && view.strides().front() != free) {
    throw NkiError(name + ": partitions must be consecutive: a step of " + std::to_string(free) +
                   " elements, got " + std::to_string(view.strides().front()));
  }
  if (pattern.partition + pattern.partitions > storage.partitions()) {
    throw NkiError(name + ": partitions " + std::to_string(pattern.partition) + " to " +
                   std::to_string(pattern.partition + pattern.partitions - 1) +
                   " exceed dimension size of " + std::to_string(storage.partitions()));
  }
  if (pattern.low() < 0 || pattern.high() >= free) {
    throw NkiError(name + ": elements " + std::to_string(pattern.low()) + " to " +
                   std::to_string(pattern.high()) + " leave their partition of " +
                   std::to_string(free) + " elements");
  }
  return pattern;
}

std::vector<ChipPattern::Dim> merged(const std::vector<ChipPattern::Dim>& dims) {
  std::vector<ChipPattern::Dim> result;
  for (const ChipPattern::Dim& dim : dims) {
    if (dim.count == 1) continue;
    if (!result.empty() && result.back().step == dim.step * dim.count) {
      result.back() = {result.back().count * dim.count, dim.step};
    } else {
      result.push_back(dim);
    }
  }
  if (result.empty()) result.push_back({1, 1});
  return result;
}

}  // namespace tern::nki
