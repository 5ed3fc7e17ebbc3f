// SPDX-License-Identifier: Apache-2.0
#include "sw/app/check/difference.h"

#include <fmt/format.h>

#include <cstring>

#include "sw/app/report/text.h"

namespace tern::app {

namespace {

// "bit 12", "bits 3, 12"; of many their number.
std::string bits_text(std::uint64_t bits) {
  constexpr int kMost = 4;
  const int count = __builtin_popcountll(bits);
  if (count > kMost) return fmt::format("{} bits", count);
  std::string text;
  for (unsigned b = 0; b < 64; ++b) {
    if ((bits >> b & 1) != 0) text += (text.empty() ? "" : ", ") + std::to_string(b);
  }
  return (count == 1 ? "bit " : "bits ") + text;
}

}  // namespace

std::uint64_t Difference::load(const std::uint8_t* bytes, std::size_t size) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, size);
  return word;
}

std::string Difference::first_text(const std::string& name, std::uint64_t is,
                                   std::uint64_t expected, std::size_t word_bytes) {
  return fmt::format("{} is 0x{:0{}x}, expected 0x{:0{}x}", name, is, 2 * word_bytes, expected,
                     2 * word_bytes);
}

std::string difference_text(const Difference& d) {
  std::string text =
      fmt::format("{} of {} words wrong: {}", grouped(d.wrong), grouped(d.words), d.first);
  if (d.ones != 0 && d.zeros == 0) text += fmt::format("; {} 1 instead of 0", bits_text(d.ones));
  if (d.zeros != 0 && d.ones == 0) text += fmt::format("; {} 0 instead of 1", bits_text(d.zeros));
  if (d.lanes.size() == 1) text += fmt::format(", all on partition {}", *d.lanes.begin());
  return text;
}

}  // namespace tern::app
