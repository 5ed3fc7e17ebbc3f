// SPDX-License-Identifier: Apache-2.0
#include "tb/common/mismatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tern::tb {

std::string hex(std::uint64_t value, unsigned bits) {
  return fmt::format("0x{:0{}X}", value, (bits + 3) / 4);
}

std::string hex_words(const std::vector<std::uint64_t>& words, unsigned bits) {
  std::string text;
  for (std::size_t i = 0; i < words.size();) {
    std::size_t end = i + 1;
    while (end < words.size() && words[end] == words[i]) ++end;
    text += fmt::format("{}{:0{}X}", i == 0 ? "" : " ", words[i], (bits + 3) / 4);
    if (end - i > 1) text += fmt::format(" x {}", end - i);
    i = end;
  }
  return text;
}

std::string hex_number(const std::vector<std::uint32_t>& words) {
  std::string digits;
  for (auto word = words.rbegin(); word != words.rend(); ++word)
    digits += fmt::format("{:08X}", *word);
  const std::size_t first = digits.find_first_not_of('0');
  return "0x" + (first == std::string::npos ? "0" : digits.substr(first));
}

std::string Mismatch::text() const {
  std::string text;
  if (where.cycle != kNoCycle) text = fmt::format("cycle {}, ", where.cycle);
  text += fmt::format("{}: expected {}, got {}", where.place, expected, got);
  if (!where.input.empty()) text += "\n  input: " + where.input;
  return text;
}

void MismatchLog::add(const MismatchLog& more) {
  for (const Mismatch& mismatch : more.kept_) keep(mismatch);
  count_ += more.count_;
}

void MismatchLog::keep(Mismatch mismatch) {
  const auto later = std::find_if(kept_.begin(), kept_.end(), [&](const Mismatch& other) {
    return mismatch.where.cycle < other.where.cycle;
  });
  kept_.insert(later, std::move(mismatch));
  if (kept_.size() > kKept) kept_.pop_back();
}

std::string MismatchLog::text() const {
  std::string text;
  for (const Mismatch& mismatch : kept_) text += (text.empty() ? "" : "\n") + mismatch.text();
  if (count_ > kept_.size()) {
    text += fmt::format("\n{} more", count_ - kept_.size());
  }
  return text;
}

}  // namespace tern::tb
