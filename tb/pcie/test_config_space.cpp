// SPDX-License-Identifier: Apache-2.0
// The configuration space as a driver walks it: offsets and bits written from the PCI Express
// specification, not from the header that the model uses.
#include <catch2/catch.hpp>
#include <set>

#include "systemc/pcie/config_space.h"

using tern::pcie::ConfigSpace;

namespace {
constexpr unsigned kCommand = 0x04, kBar0 = 0x10, kCapabilities = 0x34;
}  // namespace

TEST_CASE("the configuration space names the chip and its capabilities") {
  const ConfigSpace space(8, 4);
  CHECK(space.read(0x00, 4) == 0x00015445);
  CHECK(space.read(0x0B, 1) == 0x12);           // processing accelerator
  CHECK(space.read(0x0E, 1) == 0);              // header of a function
  CHECK((space.read(0x06, 2) & 1u << 4) != 0);  // has capabilities
  std::set<unsigned> found;
  for (unsigned at = space.read(kCapabilities, 1); at != 0; at = space.read(at + 1, 1))
    REQUIRE(found.insert(space.read(at, 1)).second);
  CHECK(found == std::set<unsigned>{0x10, 0x11});  // PCI Express, MSI-X
}

TEST_CASE("BARs tell their sizes and keep the addresses they are given") {
  // cores, stacks, then bytes of the windows of the cores and the registers, of the table, of HBM
  struct Case {
    unsigned cores, stacks;
    std::uint64_t control, messages, memory;
  };
  constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
  for (const Case& c :
       {Case{8, 4, 64 * kGiB, 4096, 256 * kGiB}, Case{2, 2, 16 * kGiB, 4096, 128 * kGiB},
        Case{3, 3, 32 * kGiB, 4096, 256 * kGiB}}) {
    ConfigSpace space(c.cores, c.stacks);
    const std::uint64_t expected[] = {c.control, c.messages, c.memory};
    for (unsigned pair = 0; pair < 3; ++pair) {
      const unsigned at = kBar0 + 8 * pair;
      CHECK((space.read(at, 4) & 7) == 4);  // memory, 64 bits
      space.write(at, 4, 0xFFFFFFFF);
      space.write(at + 4, 4, 0xFFFFFFFF);
      const std::uint64_t ones = (space.read(at, 4) & ~0xFu) | std::uint64_t{space.read(at + 4, 4)}
                                                                   << 32;
      CHECK(~ones + 1 == expected[pair]);
      space.write(at, 4, 0x12345678);
      space.write(at + 4, 4, 0x00abcdef);
      CHECK(space.base(2 * pair) == (0x00abcdef12345678 & ~(expected[pair] - 1)));
      CHECK(space.size(2 * pair) == expected[pair]);
    }
  }
}

TEST_CASE("only what may be written changes, byte by byte") {
  ConfigSpace space(8, 4);
  for (unsigned at = 0; at < tern::pcie::kConfigBytes; ++at) {
    const std::uint32_t before = space.read(at, 1);
    space.write(at, 1, ~before);
    const std::uint32_t after = space.read(at, 1);
    const bool header = at == kCommand || at == kCommand + 1 || at == 0x3C;
    const bool bar = at >= kBar0 && at < 0x28;
    const bool messages = at == 0x80 + 3;  // enable and mask, of its control word
    if (!header && !bar && !messages) CHECK(after == before);
    space.write(at, 1, before);
  }
  CHECK(!space.memory_enabled());
  CHECK(!space.master_enabled());
  space.write(kCommand, 2, 0x0002);
  CHECK(space.memory_enabled());
  CHECK(!space.master_enabled());
  space.write(kCommand, 2, 0x0006);
  CHECK(space.master_enabled());
  space.write(0x82, 2, 0x8000);
  CHECK(space.messages_enabled());
  space.write(0x82, 2, 0xC000);
  CHECK(!space.messages_enabled());
}

TEST_CASE("a function-level reset is asked for once, and reads as 0") {
  ConfigSpace space(8, 4);
  (void)space.take_reset();                      // the sweep of another test has none
  CHECK((space.read(0x44, 4) & 1u << 28) != 0);  // capable of it
  space.write(0x48, 2, 0x8000);
  CHECK((space.read(0x48, 2) & 0x8000) == 0);
  CHECK(space.take_reset());
  CHECK(!space.take_reset());
  space.write(kCommand, 2, 0x0006);
  space.reset();
  CHECK(!space.memory_enabled());
}
