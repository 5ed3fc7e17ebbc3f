// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// The framing of GDB's remote serial protocol ("$text#checksum", escapes, acknowledgements).
namespace tern::gdb {

inline constexpr std::size_t kPacketBytes = 0x4000;  // between $ and #, both ways

// Takes the stream of a client apart. Longer packets than kPacketBytes are dropped.
class PacketReader {
 public:
  struct Item {
    enum class Kind : std::uint8_t { kPacket, kDamaged, kInterrupt };
    Kind kind;
    std::string text;  // of a packet, without escapes
  };

  void add(std::string_view bytes) { input_ += bytes; }
  // The next one; nothing when more bytes are needed.
  std::optional<Item> next();

 private:
  std::string input_;
};

std::string framed(std::string_view text);

// "00ff", two digits a byte.
std::string hex_of(std::string_view bytes);
std::string hex_of(const void* data, std::size_t bytes);
// Nothing for anything else than pairs of digits.
std::optional<std::string> bytes_of_hex(std::string_view hex);

// Takes a hexadecimal number of up to 16 digits from the front of the text.
std::optional<std::uint64_t> take_number(std::string_view* text);
// Takes this prefix from the front of the text; false: it begins with something else.
bool take(std::string_view* text, std::string_view prefix);

}  // namespace tern::gdb
