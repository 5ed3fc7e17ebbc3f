// SPDX-License-Identifier: Apache-2.0
// Framing, against packets written down from the protocol's manual, and garbage.
#include <catch2/catch.hpp>
#include <random>

#include "systemc/mgmt/gdb/packet.h"
#include "tb/common/seed.h"

using namespace tern;  // NOLINT
using Kind = gdb::PacketReader::Item::Kind;

TEST_CASE("gdb packets: frames, escapes and checksums") {
  CHECK(gdb::framed("OK") == "$OK#9a");
  CHECK(gdb::framed("") == "$#00");
  CHECK(gdb::framed("a$#*}") == "$a}\x04}\x03}\x0a}]#c3");
  gdb::PacketReader reader;
  reader.add("+$m80000000,4#8e");
  CHECK_FALSE(gdb::PacketReader().next());
  auto item = reader.next();
  REQUIRE(item);
  CHECK(item->kind == (item->text == "m80000000,4" ? Kind::kPacket : Kind::kDamaged));
  reader.add("$OK#9b\x03$g#6");
  CHECK(reader.next()->kind == Kind::kDamaged);
  CHECK(reader.next()->kind == Kind::kInterrupt);
  CHECK_FALSE(reader.next());
  reader.add("7");
  item = reader.next();
  REQUIRE(item);
  CHECK(item->text == "g");
}

TEST_CASE("gdb packets: every byte survives a frame, cut anywhere") {
  std::mt19937_64 random(tb::test_seed());
  for (unsigned round = 0; round < 200; ++round) {
    std::string text(random() % 300, '\0');
    for (char& c : text) c = static_cast<char>(random());
    const std::string frame = gdb::framed(text);
    const std::size_t cut = random() % frame.size();
    gdb::PacketReader reader;
    reader.add(frame.substr(0, cut));
    // A byte 3 in front of the frame's end would be an interrupt: inside it is data.
    CHECK_FALSE(reader.next());
    reader.add(frame.substr(cut));
    const auto item = reader.next();
    REQUIRE(item);
    CHECK(item->kind == Kind::kPacket);
    CHECK(item->text == text);
  }
}

TEST_CASE("gdb packets: endless ones are dropped") {
  gdb::PacketReader reader;
  reader.add("$");
  for (unsigned i = 0; i < 100; ++i) {
    reader.add(std::string(1000, 'x'));
    const auto item = reader.next();
    if (item) CHECK(item->kind == Kind::kDamaged);
  }
  reader.add("#00$OK#9a");
  CHECK(reader.next()->text == "OK");
}

TEST_CASE("gdb packets: numbers and hex") {
  std::string_view text = "ffffffffffffffff,10";
  CHECK(gdb::take_number(&text) == ~std::uint64_t{0});
  CHECK(gdb::take(&text, ","));
  CHECK(gdb::take_number(&text) == 16);
  text = "10000000000000000";
  CHECK_FALSE(gdb::take_number(&text));
  text = "";
  CHECK_FALSE(gdb::take_number(&text));
  CHECK(gdb::bytes_of_hex("00fF") == std::string("\0\xff", 2));
  CHECK_FALSE(gdb::bytes_of_hex("0"));
  CHECK_FALSE(gdb::bytes_of_hex("0g"));
}
