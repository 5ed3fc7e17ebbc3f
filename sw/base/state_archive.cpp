// SPDX-License-Identifier: Apache-2.0
#include "sw/base/state_archive.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "sw/base/checksum.h"
#include "sw/base/user_error.h"

namespace tern::base {

namespace {

constexpr std::size_t kChunk = 4096;

bool all_zero(const std::uint8_t* data, std::size_t count) {
  static constexpr std::array<std::uint8_t, kChunk> kZeros{};
  return std::memcmp(data, kZeros.data(), count) == 0;
}

}  // namespace

void StateArchive::damaged() const {
  throw UserError("damaged: " + section_);
}

void StateArchive::section(std::string_view name) {
  section_ = name;
  constant(crc32_of(name));
}

void StateArchive::constant(std::uint64_t value) {
  std::uint64_t saved = value;
  number(saved);
  if (saved != value) damaged();
}

std::size_t StateArchive::size(std::size_t value, std::size_t most) {
  std::uint64_t wide = value;
  if (!restores() && value > most)
    throw UserError(section_ + ": " + std::to_string(value) + ", at most " + std::to_string(most));
  number(wide, std::uint64_t{most});
  return wide;
}

// Grown as bytes arrive: a size that is a lie must not make us allocate it.
void StateArchive::text(std::string& value, std::size_t most) {
  const std::size_t count = size(value.size(), most);
  if (restores()) value.clear();
  for (std::size_t at = 0; at < count;) {
    const std::size_t length = std::min<std::size_t>(count - at, 1 << 16);
    if (restores()) value.resize(at + length);
    bytes(value.data() + at, length);
    at += length;
  }
}

// Chunk after chunk, each with whether it has anything.
void StateArchive::memory(std::uint8_t* data, std::size_t count) {
  for (std::size_t at = 0; at < count; at += kChunk) {
    const std::size_t length = std::min(kChunk, count - at);
    const bool empty = all_zero(data + at, length);
    bool used = !empty;
    number(used);
    if (used) {
      bytes(data + at, length);
    } else if (!empty) {
      std::memset(data + at, 0, length);
    }
  }
}

}  // namespace tern::base
