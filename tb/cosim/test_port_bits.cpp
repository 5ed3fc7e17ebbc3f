// SPDX-License-Identifier: Apache-2.0
// Bits of ports, and packed structs at them.
#include <array>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "systemc/cosim/generated/dma_ports.h"
#include "systemc/cosim/generated/tensor_ports.h"
#include "systemc/cosim/port_bits.h"
#include "tb/common/seed.h"

namespace tern::tb {

using Words = std::array<std::uint32_t, 8>;

TEST_CASE("port bits: every range of a wide port is read and written alone") {
  std::mt19937_64 random(test_seed());
  for (unsigned width = 1; width <= 64; ++width) {
    for (unsigned lsb = 0; lsb + width <= 256; lsb += 1 + lsb % 3) {
      Words port;
      for (auto& word : port) word = static_cast<std::uint32_t>(random());
      const Words before = port;
      const std::uint64_t value = random();
      cosim::set_bits(port, lsb, width, value);
      bool right = true;
      for (unsigned bit = 0; bit < 256; ++bit) {
        const bool inside = bit >= lsb && bit < lsb + width;
        const std::uint64_t expected =
            inside ? value >> (bit - lsb) & 1 : before[bit / 32] >> (bit % 32) & 1;
        right = right && (port[bit / 32] >> (bit % 32) & 1) == expected;
      }
      CAPTURE(lsb, width);
      REQUIRE(right);
      REQUIRE(cosim::get_bits(port, lsb, width) == (value & cosim::bit_mask(width)));
    }
  }
}

TEST_CASE("port bits: ports of up to 64 bits are integers") {
  std::uint8_t narrow = 0xA5;
  cosim::set_bits(narrow, 2, 3, 0xFF);
  REQUIRE(narrow == 0xBD);
  std::uint64_t wide = 0;
  cosim::set_bits(wide, 63, 1, 1);
  cosim::set_bits(wide, 0, 5, 9);
  REQUIRE(wide == 0x8000000000000009);
  REQUIRE(cosim::get_bits(wide, 3, 61) == 0x1000000000000001);
  std::vector<unsigned> set;
  cosim::for_each_set_bit(wide, [&](unsigned bit) { set.push_back(bit); });
  REQUIRE(set == std::vector<unsigned>{0, 3, 63});
}

TEST_CASE("port bits: the first member of a struct is uppermost, and all keep their values") {
  tensor_ports::Cmd cmd;
  cmd.op = 2;
  cmd.tag = 0x5A;
  cmd.step1 = -3;
  cmd.aux_address = 0x12345678;
  cmd.rows = 0x1FF;  // too large: its lower bits
  Words port{};
  cmd.pack(port);
  REQUIRE(port[7] == 0x2000005A);
  REQUIRE(port[6] == 0x00FF0000);
  REQUIRE(port[2] == 0x0000FFFD);
  REQUIRE(port[0] == 0x12345678);
  const auto seen = tensor_ports::Cmd::unpack(port);
  REQUIRE(seen.step1 == -3);
  REQUIRE(seen.rows == 0xFF);
  REQUIRE(seen.tag == 0x5A);

  dma_ports::Stop stop;
  stop.valid = true;
  stop.entry = 33;
  stop.address = 0xFEDCBA9876543210;
  port = {};
  stop.pack(port, 7);
  const auto stopped = dma_ports::Stop::unpack(port, 7);
  REQUIRE(stopped.valid);
  REQUIRE(stopped.entry == 33);
  REQUIRE(stopped.pair == 0);
  REQUIRE(stopped.address == stop.address);
  unsigned width = 0;
  for (const unsigned member : dma_ports::Stop::kWidths) width += member;
  REQUIRE(width == dma_ports::Stop::kBits);
}

}  // namespace tern::tb
