// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/spec/generated/address_map.h"

namespace tern {

// The chip of a system that an address names: docs/decisions/0029-zero-is-the-own-chip.md.
struct ChipPlace {
  unsigned rack = 0, server = 0, chip = 0;  // from 0
  bool operator==(const ChipPlace& o) const {
    return rack == o.rack && server == o.server && chip == o.chip;
  }
};

// How many of each an address can name: one value of the field `chip` means the own chip.
inline constexpr unsigned kAddressRacks = 1u << TERN_ADDR_RACK_WIDTH;
inline constexpr unsigned kAddressServers = 1u << TERN_ADDR_SERVER_WIDTH;
inline constexpr unsigned kAddressChips = (1u << TERN_ADDR_CHIP_WIDTH) - 1;

// Address 0 of a chip as all chips of the system see it.
constexpr std::uint64_t chip_base(const ChipPlace& place) {
  return std::uint64_t{place.rack} << TERN_ADDR_RACK_LSB |
         std::uint64_t{place.server} << TERN_ADDR_SERVER_LSB |
         std::uint64_t{place.chip + 1} << TERN_ADDR_CHIP_LSB;
}

// False: the address is in the chip of whoever uses it, or names none.
constexpr bool names_chip(std::uint64_t address) {
  return (address >> TERN_ADDR_CHIP_LSB & kAddressChips) != 0;
}

// Requires that it names one.
constexpr ChipPlace place_of(std::uint64_t address) {
  return {static_cast<unsigned>(address >> TERN_ADDR_RACK_LSB & (kAddressRacks - 1)),
          static_cast<unsigned>(address >> TERN_ADDR_SERVER_LSB & (kAddressServers - 1)),
          static_cast<unsigned>(address >> TERN_ADDR_CHIP_LSB & kAddressChips) - 1};
}

constexpr std::uint64_t address_in_chip(std::uint64_t address) {
  return address & ((std::uint64_t{1} << TERN_ADDR_CHIP_LSB) - 1);
}

}  // namespace tern
