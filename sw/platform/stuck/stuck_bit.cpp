// SPDX-License-Identifier: Apache-2.0
#include "sw/platform/stuck/stuck_bit.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <iterator>
#include <optional>

#include "sw/base/text.h"
#include "sw/base/user_error.h"
#include "sw/spec/generated/address_map.h"

namespace tern {

namespace {

constexpr const char* kNames[] = {"tensor", "exp", "mx", "near_memory", "dma", "sbuf", "hbm"};

struct Size {
  std::uint64_t lanes, bits;
};

Size size_of(StuckBit::Block block, const ChipConfig& chip) {
  switch (block) {
    case StuckBit::Block::kNearMemory:
      return {16, 32};
    case StuckBit::Block::kDma:
      return {TERN_CORE_DMA_COUNT, 512};
    case StuckBit::Block::kSbuf:
      return {TERN_CORE_SBUF_COUNT, chip.core.sbuf_partition_bytes * 8};
    case StuckBit::Block::kHbm:
      return {1, 256};
    default:
      return {TERN_CORE_SBUF_COUNT, 32};
  }
}

template <typename T>
std::optional<T> number(const std::string& text) {
  T value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) return {};
  return value;
}

[[noreturn]] void refuse(const std::string& text, const std::string& expected) {
  throw UserError(fmt::format("stuck bit {}: expected {}", base::printable(text), expected));
}

}  // namespace

const char* stuck_block_name(StuckBit::Block block) {
  return kNames[static_cast<std::size_t>(block)];
}

std::string stuck_bit_text(const StuckBit& bit) {
  return fmt::format("{}:{}:{}.{}={}", bit.core, stuck_block_name(bit.block), bit.lane, bit.bit,
                     bit.value ? 1 : 0);
}

StuckBit parse_stuck_bit(const std::string& text) {
  const std::string form = "CORE:BLOCK:[LANE.]BIT[=0|1], such as 2:tensor:37.12";
  const std::size_t first = text.find(':');
  const std::size_t second = first == std::string::npos ? first : text.find(':', first + 1);
  if (second == std::string::npos) refuse(text, form);
  StuckBit bit;
  const auto core = number<unsigned>(text.substr(0, first));
  if (!core) refuse(text, form);
  bit.core = *core;
  const std::string block = text.substr(first + 1, second - first - 1);
  std::size_t kind = 0;
  while (kind < std::size(kNames) && block != kNames[kind]) ++kind;
  if (kind == std::size(kNames))
    refuse(text, fmt::format("a block of {}", fmt::join(kNames, ", ")));
  bit.block = static_cast<StuckBit::Block>(kind);
  std::string place = text.substr(second + 1);
  if (const std::size_t equals = place.find('='); equals != std::string::npos) {
    const std::string value = place.substr(equals + 1);
    if (value != "0" && value != "1") refuse(text, form);
    bit.value = value == "1";
    place.resize(equals);
  }
  if (const std::size_t dot = place.find('.'); dot != std::string::npos) {
    const auto lane = number<unsigned>(place.substr(0, dot));
    if (!lane) refuse(text, form);
    bit.lane = *lane;
    place.erase(0, dot + 1);
  }
  const auto position = number<std::uint64_t>(place);
  if (!position) refuse(text, form);
  bit.bit = *position;
  return bit;
}

void check_stuck_bit(const StuckBit& bit, const ChipConfig& chip) {
  const std::string text = stuck_bit_text(bit);
  const bool hbm = bit.block == StuckBit::Block::kHbm;
  const unsigned units = hbm ? chip.hbm.stacks : chip.cores;
  if (bit.core >= units)
    refuse(text, fmt::format("a {} from 0 to {} of chip '{}'", hbm ? "stack" : "core", units - 1,
                             chip.name));
  const Size size = size_of(bit.block, chip);
  if (bit.lane >= size.lanes) refuse(text, fmt::format("a lane from 0 to {}", size.lanes - 1));
  if (bit.bit >= size.bits) refuse(text, fmt::format("a bit from 0 to {}", size.bits - 1));
  if (bit.block == StuckBit::Block::kExp && chip.core.vector.exp_per_cycle == 0)
    refuse(text, fmt::format("a block that chip '{}' has", chip.name));
  if (bit.block == StuckBit::Block::kMx && !chip.core.tensor.mx)
    refuse(text, fmt::format("a block that chip '{}' has", chip.name));
  if (bit.block == StuckBit::Block::kNearMemory && !chip.dma.near_memory_add)
    refuse(text, fmt::format("a block that chip '{}' has", chip.name));
}

}  // namespace tern
