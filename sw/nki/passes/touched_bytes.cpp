// SPDX-License-Identifier: Apache-2.0
#include "sw/nki/passes/touched_bytes.h"

#include <algorithm>
#include <string_view>

namespace tern::nki {

namespace {

using Runs = std::vector<std::pair<std::int64_t, std::int64_t>>;

void put_in_order(Runs* runs) {
  if (runs->size() < 2) return;
  std::sort(runs->begin(), runs->end());
  Runs merged;
  for (const auto& run : *runs) {
    if (!merged.empty() && run.first <= merged.back().second) {
      merged.back().second = std::max(merged.back().second, run.second);
    } else {
      merged.push_back(run);
    }
  }
  *runs = std::move(merged);
}

// Rows of a table, and a side that moves by a computed offset, are found at run time; the scales of
// a product are on more partitions than those of the view.
bool is_open(const Instruction& instruction, const Operand& operand) {
  if (operand.rule->fit == Fit::kScales) return true;
  const auto has = [&](const char* role) { return instruction.find(role) != nullptr; };
  if ((has("dst_index") || has("src_index")) && !operand.view.storage().on_chip()) return true;
  return operand.view.moved() != nullptr;
}

}  // namespace

TouchedBytes::TouchedBytes(const Instruction& instruction, const Operand& operand) {
  const Storage& storage = operand.view.storage();
  memory_ = storage.id;
  if (is_open(instruction, operand)) {
    take_whole(storage);
  } else {
    bytes_ = footprint(operand.view);
    put_in_order(&bytes_.runs);
  }
  if (!storage.on_chip()) enclose(storage);
  if (storage.address) place(storage);
}

void TouchedBytes::take_whole(const Storage& storage) {
  bytes_.first = 0;
  bytes_.end = storage.on_chip() ? storage.partitions() : 1;
  bytes_.runs = {{0, storage.on_chip() ? storage.partition_bytes() : storage.bytes()}};
}

// Placed tensors may share bytes.
void TouchedBytes::place(const Storage& storage) {
  constexpr std::uint64_t kPlaced = std::uint64_t{1} << 32;
  memory_ = kPlaced + static_cast<std::uint64_t>(storage.memory);
  bytes_.first += storage.address->partition;
  bytes_.end += storage.address->partition;
  for (auto& [begin, end] : bytes_.runs) {
    begin += storage.address->byte;
    end += storage.address->byte;
  }
}

void TouchedBytes::enclose(const Storage& storage) {
  const std::int64_t row = storage.shape.back() * storage.type->bytes();
  row_ = bytes_.runs.front().first / row;
  row_end_ = (bytes_.runs.back().second - 1) / row + 1;
  column_ = row;
  column_end_ = 0;
  for (const auto& [begin, end] : bytes_.runs) {
    const bool inside = begin / row == (end - 1) / row;
    column_ = inside ? std::min(column_, begin % row) : 0;
    column_end_ = inside ? std::max(column_end_, (end - 1) % row + 1) : row;
    if (!inside) break;
  }
}

bool TouchedBytes::meets(const TouchedBytes& other) const {
  if (bytes_.first >= other.bytes_.end || other.bytes_.first >= bytes_.end) return false;
  if (row_ >= other.row_end_ || other.row_ >= row_end_) return false;
  if (column_end_ > 0 && (column_ >= other.column_end_ || other.column_ >= column_end_)) {
    return false;
  }
  const Runs &mine = bytes_.runs, &theirs = other.bytes_.runs;
  auto run = std::lower_bound(mine.begin(), mine.end(), theirs.front().first,
                              [](const auto& r, std::int64_t byte) { return r.second <= byte; });
  auto their = theirs.begin();
  while (run != mine.end() && their != theirs.end()) {
    if (run->second <= their->first) {
      ++run;
    } else if (their->second <= run->first) {
      ++their;
    } else {
      return true;
    }
  }
  return false;
}

bool TouchedBytes::covers(const TouchedBytes& other) const {
  if (bytes_.first > other.bytes_.first || bytes_.end < other.bytes_.end) return false;
  auto run = bytes_.runs.begin();
  for (const auto& [begin, end] : other.bytes_.runs) {
    while (run != bytes_.runs.end() && run->second < end) ++run;
    if (run == bytes_.runs.end() || run->first > begin) return false;
  }
  return true;
}

}  // namespace tern::nki
