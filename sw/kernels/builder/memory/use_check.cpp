// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/builder/memory/use_check.h"

#include <algorithm>
#include <iterator>

#include "sw/numerics/dtype.h"

namespace tern::kernels {

namespace {

unsigned space_of(const Tile& tile) {
  return tile.space == Space::kSbuf ? 0 : 1;
}

}  // namespace

std::uint64_t UseCheck::bytes_of(const Tile& tile) {
  return std::uint64_t{tile.free} * numerics::dtype_size(tile.dtype);
}

void UseCheck::remove(Ranges* ranges, std::uint64_t begin, std::uint64_t end) {
  auto next = ranges->upper_bound(begin);
  if (next != ranges->begin()) --next;
  while (next != ranges->end() && next->first < end) {
    const auto [first, last] = *next;
    if (last <= begin) {
      ++next;
      continue;
    }
    next = ranges->erase(next);
    if (first < begin) ranges->emplace(first, begin);
    if (last > end) ranges->emplace(end, last);
  }
}

void UseCheck::allocated(const Tile& tile) {
  const unsigned space = space_of(tile);
  const std::uint64_t begin = tile.byte, end = begin + bytes_of(tile);
  remove(&on_chip_[space], begin, end);
  auto& holders = holders_[space];
  for (auto at = holders.lower_bound(begin); at != holders.end() && at->first < end;)
    at = holders.erase(at);
  holders[begin] = {end, tile.name};
}

void UseCheck::released(const Tile& tile) {
  remove(&on_chip_[space_of(tile)], tile.byte, tile.byte + bytes_of(tile));
}

void UseCheck::wrote(const HazardMap::Access& access) {
  if (access.space >= kFirstTensorSpace) {
    tensors_.insert(access.space - kFirstTensorSpace);
    return;
  }
  Ranges& ranges = on_chip_[access.space];
  std::uint64_t begin = access.box.x0, end = access.box.x1;
  auto next = ranges.upper_bound(begin);
  if (next != ranges.begin() && std::prev(next)->second >= begin) --next;
  while (next != ranges.end() && next->first <= end) {
    begin = std::min(begin, next->first);
    end = std::max(end, next->second);
    next = ranges.erase(next);
  }
  ranges.emplace(begin, end);
}

bool UseCheck::written(const HazardMap::Access& access) const {
  if (access.space >= kFirstTensorSpace)
    return tensors_.count(access.space - kFirstTensorSpace) != 0;
  const Ranges& ranges = on_chip_[access.space];
  const auto next = ranges.lower_bound(access.box.x1);
  return next != ranges.begin() && std::prev(next)->second > access.box.x0;
}

std::string UseCheck::holder(const HazardMap::Access& access) const {
  const auto& holders = holders_[access.space];
  const auto next = holders.upper_bound(access.box.x0);
  if (next == holders.begin() || std::prev(next)->second.end <= access.box.x0)
    return access.space == 0 ? "SBUF" : "PSUM";
  return "tile '" + std::prev(next)->second.name + "'";
}

}  // namespace tern::kernels
