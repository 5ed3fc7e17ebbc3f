// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/passes/region.h"

#include <algorithm>

#include "sw/nki/trace/chip_pattern.h"

namespace tern::nki {

namespace {

using Dims = std::vector<ChipPattern::Dim>;

// Appends the runs of dims[d ..] from `start` on, in elements of `size` bytes.
void append_runs(const Dims& dims, std::size_t d, std::int64_t start, std::int64_t size,
                 Footprint* footprint) {
  if (d + 1 < dims.size()) {
    for (std::int64_t i = 0; i < (dims[d].step == 0 ? 1 : dims[d].count); ++i) {
      append_runs(dims, d + 1, start + i * dims[d].step, size, footprint);
    }
    return;
  }
  const ChipPattern::Dim& inner = dims[d];
  if (inner.step == 0) {
    footprint->runs.emplace_back(start * size, (start + 1) * size);
  } else if (inner.step == 1) {
    footprint->runs.emplace_back(start * size, (start + inner.count) * size);
  } else {
    for (std::int64_t i = 0; i < inner.count; ++i) {
      const std::int64_t element = start + i * inner.step;
      footprint->runs.emplace_back(element * size, (element + 1) * size);
    }
  }
}

}  // namespace

Footprint footprint(const View& view) {
  Footprint footprint;
  Dims dims;
  std::int64_t start = view.offset();
  if (view.storage().on_chip()) {
    const ChipPattern pattern = chip_pattern(view, "operand");
    footprint.first = pattern.partition;
    footprint.end = pattern.partition + pattern.partitions;
    start = pattern.start;
    dims = merged(pattern.dims);
  } else {
    for (std::size_t d = 0; d < view.dimensions(); ++d) {
      dims.push_back({view.shape()[d], view.strides()[d]});
    }
    dims = merged(dims);
  }
  append_runs(dims, 0, start, view.type()->bytes(), &footprint);
  return footprint;
}

std::vector<Element> elements(const View& view) {
  const std::int64_t size = view.type()->bytes();
  const std::int64_t free =
      view.storage().on_chip() ? view.storage().partition_bytes() : view.storage().bytes();
  std::vector<Element> result;
  std::vector<std::int64_t> index(view.dimensions(), 0);
  for (std::int64_t count = view.elements(); count > 0; --count) {
    std::int64_t element = view.offset();
    for (std::size_t d = 0; d < index.size(); ++d) element += index[d] * view.strides()[d];
    result.push_back({element * size / free, element * size % free});
    for (std::size_t d = index.size(); d-- > 0 && ++index[d] == view.shape()[d];) index[d] = 0;
  }
  return result;
}

void Region::cut(std::int64_t partition) {
  for (std::size_t i = 0; i < bands_.size(); ++i) {
    if (bands_[i].first >= partition || bands_[i].end <= partition) continue;
    Band upper = bands_[i];
    upper.first = bands_[i].end = partition;
    bands_.insert(bands_.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::move(upper));
    return;
  }
}

template <typename Change>
void Region::change(const Footprint& footprint, bool create, Change change) {
  cut(footprint.first);
  cut(footprint.end);
  std::int64_t next = footprint.first;
  for (std::size_t i = 0; i <= bands_.size() && next < footprint.end; ++i) {
    const std::int64_t begin =
        i < bands_.size() ? std::min(bands_[i].first, footprint.end) : footprint.end;
    if (create && begin > next) {
      bands_.insert(bands_.begin() + static_cast<std::ptrdiff_t>(i), Band{next, begin, {}});
    }
    if (i == bands_.size()) break;
    Band& band = bands_[i];
    if (band.end <= footprint.first || band.first >= footprint.end) continue;
    for (const auto& [from, to] : footprint.runs) change(&band.bytes, from, to);
    next = band.end;
  }
}

void Region::add(const Footprint& footprint) {
  change(footprint, true, [](std::vector<bool>* bytes, std::int64_t from, std::int64_t to) {
    if (bytes->size() < static_cast<std::size_t>(to)) bytes->resize(static_cast<std::size_t>(to));
    std::fill(bytes->begin() + from, bytes->begin() + to, true);
  });
}

void Region::remove(const Footprint& footprint) {
  change(footprint, false, [](std::vector<bool>* bytes, std::int64_t from, std::int64_t to) {
    to = std::min(to, static_cast<std::int64_t>(bytes->size()));
    if (from < to) std::fill(bytes->begin() + from, bytes->begin() + to, false);
  });
}

bool Region::contains_all(const Footprint& footprint) const {
  std::int64_t next = footprint.first;
  for (const Band& band : bands_) {
    if (band.end <= footprint.first || band.first >= footprint.end) continue;
    if (band.first > next) return false;
    for (const auto& [from, to] : footprint.runs) {
      if (static_cast<std::int64_t>(band.bytes.size()) < to) return false;
      const auto end = band.bytes.begin() + to;
      if (std::find(band.bytes.begin() + from, end, false) != end) return false;
    }
    next = band.end;
  }
  return next >= footprint.end;
}

bool Region::contains_any(const Footprint& footprint) const {
  for (const Band& band : bands_) {
    if (band.end <= footprint.first || band.first >= footprint.end) continue;
    for (const auto& [from, to] : footprint.runs) {
      const std::int64_t size = std::min(to, static_cast<std::int64_t>(band.bytes.size()));
      if (from >= size) continue;
      const auto end = band.bytes.begin() + size;
      if (std::find(band.bytes.begin() + from, end, true) != end) return true;
    }
  }
  return false;
}

}  // namespace tern::nki
